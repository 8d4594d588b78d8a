"""``fw list``."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import compress
from textwrap import wrap

from metrics_framework.commands.arguments import Parser
from metrics_framework.commands.command import Command
from metrics_framework.commands.listings import LISTINGS, Listing
from metrics_framework.common.errors import FwError, MissingExtraError, UsageError
from metrics_framework.common.logs import Log
from metrics_framework.common.options import Option, names_of
from metrics_framework.common.overriding import overrides
from metrics_framework.common.process import terminal_width
from metrics_framework.datasets.catalogue import CataloguedSet, catalogue
from metrics_framework.datasets.dataset import Dataset, load_dataset, parts_of, size_of
from metrics_framework.datasets.test_sets import path_of
from metrics_framework.reports.formats import REGISTRY as FORMATS
from metrics_framework.reports.formats.output_format import DEFAULT_FORMAT, JSON, OutputFormat, Rows

DEFAULT_WIDTH = 80
"""The width of the output, in characters, if the terminal does not say its own."""
DATASETS = "datasets"
TEST_SETS = "test-sets"
TEST_SET_COLUMNS = ("test set of sacreBLEU", "language pairs", "set up", "what it is")
_NAMES: Mapping[str, Callable[[], Sequence[str]]] = {
    **{what: listing.registry.names for what, listing in LISTINGS.items()},
    DATASETS: Dataset.registry().names,
    TEST_SETS: lambda: list(catalogue()),
}
DATASET_COLUMNS = ("data set", "test set", "size", "licence", "set up")


@Command.register("list")
class List(Command):
    """Lists metrics, readers, data sets and other names.

    Also lists coefficients, tests, aligners, test sets, profiles, and the options of one metric or reader.
    """

    example_lines = "fw list metrics", "fw list metrics sari bleu"
    usage = "[WHAT [NAME …]] [flags]"

    @overrides
    def add_arguments(self, parser: Parser) -> None:
        what = sorted((DATASETS, TEST_SETS, *LISTINGS))
        parser.add_argument("what", nargs="?", choices=what, metavar="WHAT", help=f"what to list: {', '.join(what)}")
        parser.add_argument("names", nargs="*", default=[], metavar="NAME", help="list the options of these instead")
        formats = (*FORMATS.names(), JSON)
        parser.add_argument("--format", choices=formats, default="table", help="output format (default: table)")

    @overrides
    def run(self, arguments: argparse.Namespace) -> int:
        arguments.names = [name for word in arguments.names for name in names_of(word)]
        tables = _tables(arguments)
        if arguments.format == JSON:
            ((header, rows),) = tables
            print(json.dumps([dict(zip(header, row, strict=True)) for row in rows], ensure_ascii=False, indent=2))
            return 0
        output: OutputFormat = OutputFormat.by_name(arguments.format)()
        if output.for_terminal and not any(rows for _, rows in tables):
            print(f"no options: {', '.join(arguments.names)}")
            return 0
        # A line per name where the output is piped, so that it can be searched; other tables are always wrapped.
        if output.for_terminal and (arguments.what in (None, DATASETS) or arguments.names or sys.stdout.isatty()):
            width = terminal_width(DEFAULT_WIDTH)
            tables = [(header, wrapped(header, rows, width)) for header, rows in tables]
        rendered = [output.render(header, rows, left=len(header)) for header, rows in tables]
        print("\n\n".join(rendered))
        return 0


def _tables(arguments: argparse.Namespace) -> list[tuple[list[str], list[list[str]]]]:
    is_short = arguments.format == DEFAULT_FORMAT
    if arguments.what is None:
        return [(["list", "names"], _counts())]
    if arguments.names:
        return _option_tables(arguments.what, arguments.names)
    if arguments.what == TEST_SETS:
        return [(list(TEST_SET_COLUMNS), test_set_rows())]
    if arguments.what == DATASETS:
        return _dataset_tables(dataset_rows()) if is_short else [(list(DATASET_COLUMNS), dataset_rows())]
    listing = LISTINGS[arguments.what]
    header, rows = [*listing.columns, "from", "what it is"], registry_rows(listing)
    if not is_short:
        return [(header, rows)]
    columns = {
        listing.columns[0],
        "what it is",
        *listing.shown,
        *(["from"] if len({row[-2] for row in rows}) > 1 else []),
    }
    picked = [name in columns for name in header]
    return [(list(compress(header, picked)), [list(compress(row, picked)) for row in rows])]


def _counts() -> list[list[str]]:
    """Returns what can be listed with the number of names; notes what is left out for want of a package."""
    rows = []
    for what, names in sorted(_NAMES.items()):
        try:
            rows.append([what, str(len(names()))])
        except MissingExtraError as error:
            Log().note(str(error))
    return rows


def registry_rows(listing: Listing) -> list[list[str]]:
    """Returns name, details, origin and summary of every class of a registry; for a broken one, the error."""
    registry = listing.registry
    rows = []
    for name in registry.names():
        details: Sequence[str] = [""] * (len(listing.columns) - 1)
        try:
            registered = registry.get(name)
            details = listing.details_of(registered)
            summary = (registered.__doc__ or "").strip().split("\n", 1)[0].replace("`", "")
        except FwError as error:
            summary = f"unavailable: {error}"
        entry = registry.entries[name]
        is_own = entry.module.startswith("metrics_framework.")
        origin = "built in" if is_own else entry.origin.removeprefix("the package ")
        rows.append([name, *details, origin, summary])
    return rows


def dataset_rows() -> list[list[str]]:
    """Returns data set, name, size, licence and file of every test set; the file is "no" if it is not set up."""
    rows = []
    for name in Dataset.registry().names():
        try:
            dataset = load_dataset(name)
            for part in parts_of(dataset):
                path = path_of(dataset, part)
                file = path if os.path.isfile(path) else "no"
                rows.append([name, part.name, size_of(dataset, part), dataset.manifest.licence, file])
        except FwError as error:
            rows.append([name, "", "", "", f"unavailable: {error}"])
    return rows


def test_set_rows() -> list[list[str]]:
    """Returns name, language pairs, those that are set up, and description of each test set of sacreBLEU."""
    rows = []
    for name, entry in catalogue().items():
        parts = CataloguedSet(name).parts()
        is_set_up = [os.path.isfile(path_of(CataloguedSet(name), part)) for part in parts]
        pairs = [part.name.rpartition("/")[2] for part in parts]
        rows.append([name, " ".join(pairs), " ".join(compress(pairs, is_set_up)), (entry.description or "").strip()])
    return rows


def wrapped(header: Sequence[str], rows: Rows, width: int) -> list[list[str]]:
    """Wraps the cells of a table, the widest columns first, so that its lines fit a width.

    Only addresses are broken, so another long word may exceed the width.

    >>> wrapped(["metric", "what it is"], [["ter", "edits to the reference"]], 22)
    [['ter', 'edits to the'], ['', 'reference']]
    """
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    while sum(widths) + 2 * (len(widths) - 1) > width and max(widths) > 1:
        widths[widths.index(max(widths))] -= 1
    lines: list[list[str]] = []
    for row in rows:
        cells = [
            wrap(cell, column, break_long_words="://" in cell, break_on_hyphens=False) if len(cell) > column else [cell]
            for cell, column in zip(row, widths, strict=True)
        ]
        height = max(map(len, cells))
        lines += [list(line) for line in zip(*(cell + [""] * (height - len(cell)) for cell in cells), strict=True)]
    return lines


def _option_tables(what: str, names: Sequence[str]) -> list[tuple[list[str], list[list[str]]]]:
    """Returns a table of the options of each name; with several names, the first column has the name.

    Raises:
        UsageError: if the listed things have no options.
    """
    if what in (DATASETS, TEST_SETS):
        raise UsageError(f"test sets have no options; use fw list {what} without '{names[0]}'")
    listing = LISTINGS[what]
    rows = [[name, *row] for name in names for row in option_rows(listing.options_of(listing.registry.get(name)))]
    if len(names) == 1:
        return [(list(OPTION_COLUMNS), [row[1:] for row in rows])]
    return [([listing.columns[0], *OPTION_COLUMNS], rows)]


def _dataset_tables(rows: Rows) -> list[tuple[list[str], list[list[str]]]]:
    """Returns a table of the test sets with their folders, and a table of the licences."""
    test_sets = [[test_set or dataset, size, _folder(file)] for dataset, test_set, size, _, file in rows]
    licences = {dataset: licence for dataset, _, _, licence, _ in rows if licence}
    return [
        (["test set", "size", "set up in"], test_sets),
        (["data set", "licence"], list(map(list, licences.items()))),
    ]


def _folder(file: str) -> str:
    """Returns the folder of a file, with ``~`` for the home folder; other values unchanged."""
    if not os.path.isabs(file):
        return file
    folder, home = os.path.dirname(file), os.path.expanduser("~")
    return "~" + folder.removeprefix(home) if folder == home or folder.startswith(home + os.sep) else folder


OPTION_COLUMNS = ("option", "values", "default", "meaning")


def option_rows(options: Iterable[Option]) -> list[list[str]]:
    """Returns option, values, default and meaning of every option."""
    return [
        [", ".join((option.name, *option.aliases)), _values(option), _default(option), option.help.replace("`", "")]
        for option in options
    ]


def _values(option: Option) -> str:
    return ", ".join(map(str, option.choices)) if option.kind == "choice" else option.expected()


def _default(option: Option) -> str:
    if option.required:
        return "required"
    if isinstance(option.default, bool):
        return str(option.default).lower()
    if isinstance(option.default, (list, tuple)):
        return " ".join(map(str, option.default))
    return "" if option.default in (None, "") else str(option.default)
