"""``fw list``."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Mapping, Sequence
from textwrap import wrap

from overrides import overrides

from metrics_framework.alignment.aligner import Aligner
from metrics_framework.commands.arguments import Parser
from metrics_framework.commands.command import Command
from metrics_framework.common.construct import options_of
from metrics_framework.common.errors import FwError
from metrics_framework.common.registrable import Registry
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.datasets.dataset import Dataset, load_dataset, parts_of, size_of
from metrics_framework.datasets.locations import path_of
from metrics_framework.evaluation.profiles.profile import Profile
from metrics_framework.metrics.base.metric import Metric
from metrics_framework.reports.tables import render

WIDTH = 100
"""So wide is a text that is folded at most."""


@Command.register("list")
class List(Command):
    """Lists metrics, dataset readers, word aligners, public data sets or profiles."""

    @overrides
    def add_arguments(self, parser: Parser) -> None:
        parser.add_argument("what", choices=tuple(LISTS), help="what to list")
        parser.add_argument(
            "--format", choices=("table", "markdown", "latex", "csv", "tsv"), default="table", help="how to print it"
        )

    @overrides
    def run(self, arguments: argparse.Namespace) -> int:
        columns, rows_of = LISTS[arguments.what]
        rows = rows_of()
        if (arguments.what, arguments.format) == ("datasets", "table"):
            print(dataset_tables(rows))
        else:
            print(render(columns, rows, arguments.format, left=len(columns)))
        return 0


def metric_rows() -> list[list[str]]:
    """Returns name, fields, direction, origin and summary of every metric."""
    registry = Metric.registry()
    rows = []
    for name in registry.names():
        try:
            metric = registry.get(name)
        except FwError as error:
            rows.append([name, "", "", _origin(registry, name), f"out of use: {error}"])
            continue
        fields = ", ".join((*metric.required_summary_fields, *metric.required_context_fields))
        better = {True: "higher", False: "lower", None: "neither"}[metric.higher_is_better]
        rows.append([name, fields, better, _origin(registry, name), _summary(metric)])
    return rows


def reader_rows() -> list[list[str]]:
    """Returns name, files, origin and summary of every reader."""
    registry = DatasetReader.registry()
    rows = []
    for name in registry.names():
        try:
            reader = registry.get(name)
        except FwError as error:
            rows.append([name, "", _origin(registry, name), f"out of use: {error}"])
            continue
        rows.append([name, reader.files_meaning, _origin(registry, name), _summary(reader)])
    return rows


def aligner_rows() -> list[list[str]]:
    """Returns name, options, origin and summary of every word aligner."""
    registry = Aligner.registry()
    rows = []
    for name in registry.names():
        try:
            aligner = registry.get(name)
        except FwError as error:
            rows.append([name, "", _origin(registry, name), f"out of use: {error}"])
            continue
        options = ", ".join(option.name for option in options_of(aligner, Aligner))
        rows.append([name, options, _origin(registry, name), _summary(aligner)])
    return rows


def dataset_rows() -> list[list[str]]:
    """Returns data set, name, size and licence of every test set, and where it is, or "no"."""
    registry = Dataset.registry()
    rows = []
    for name in registry.names():
        try:
            rows.extend(_part_rows(load_dataset(name)))
        except FwError as error:
            rows.append([name, "", "", "", f"out of use: {error}"])
    return rows


def _part_rows(dataset: Dataset) -> list[list[str]]:
    rows = []
    for part in parts_of(dataset):
        path = path_of(dataset, part)
        there = path if os.path.isfile(path) else "no"
        rows.append([dataset.registered_name, part.name, size_of(dataset, part), dataset.manifest.licence, there])
    return rows


def dataset_tables(rows: Sequence[Sequence[str]]) -> str:
    """Writes the rows of `dataset_rows` for a terminal: the test sets with their folders, then each licence once."""
    test_sets = [[test_set or dataset, size, _folder(there)] for dataset, test_set, size, _, there in rows]
    licences = {dataset: licence for dataset, _, _, licence, _ in rows if licence}
    width = WIDTH - max(map(len, licences), default=0) - 2
    folded = [
        ["" if number else dataset, line]
        for dataset, licence in licences.items()
        for number, line in enumerate(wrap(licence, width))
    ]
    tables = [
        render(["test set", "sentences × references", "set up in"], test_sets, left=3),
        render(["data set", "licence"], folded, left=2),
    ]
    return "\n\n".join(tables)


def _folder(there: str) -> str:
    """Returns the folder of a file, with ``~`` for that of the user; what is no path, as it is."""
    if not os.path.isabs(there):
        return there
    folder, home = os.path.dirname(there), os.path.expanduser("~")
    return "~" + folder.removeprefix(home) if folder == home or folder.startswith(home + os.sep) else folder


def profile_rows() -> list[list[str]]:
    """Returns name, metrics, origin and summary of every profile."""
    registry = Profile.registry()
    rows = []
    for name in registry.names():
        try:
            profile = registry.get(name)
        except FwError as error:
            rows.append([name, "", _origin(registry, name), f"out of use: {error}"])
            continue
        rows.append([name, " ".join(profile.metrics), _origin(registry, name), _summary(profile)])
    return rows


def _origin(registry: Registry, name: str) -> str:
    entry = registry.entries[name]
    return "built in" if entry.module.startswith("metrics_framework.") else entry.origin.removeprefix("the package ")


def _summary(kind: type) -> str:
    return (kind.__doc__ or "").strip().split("\n", 1)[0].replace("``", "").replace("`", "")


LISTS: Mapping[str, tuple[Sequence[str], Callable[[], list[list[str]]]]] = {
    "metrics": (["metric", "takes", "better", "from", "what it is"], metric_rows),
    "readers": (["reader", "files", "from", "what it is"], reader_rows),
    "aligners": (["aligner", "options", "from", "what it is"], aligner_rows),
    "datasets": (["data set", "test set", "sentences × references", "licence", "set up"], dataset_rows),
    "profiles": (["profile", "metrics", "from", "what it is"], profile_rows),
}
