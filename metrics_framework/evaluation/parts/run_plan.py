"""``plan.json``: all that a process on any machine needs to score one part of a run (decision 0057)."""

from __future__ import annotations

import json
import os
import platform
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from metrics_framework.common.errors import DataError, Problems, ProcessError, UsageError
from metrics_framework.common.options import arguments_of
from metrics_framework.common.plugins import files_of_plugins, named
from metrics_framework.data.identity import Duplicates
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.dataset_readers.row_numbers import RowCounts
from metrics_framework.evaluation.batch_scorer import Scoring
from metrics_framework.evaluation.input.validation import check_fields
from metrics_framework.evaluation.parts.differences import difference_of
from metrics_framework.evaluation.parts.part import Part, plan
from metrics_framework.evaluation.parts.read_files import change_of, identities_of_input, identities_of_others
from metrics_framework.evaluation.sorted_rows import row_scoring
from metrics_framework.evaluation.system_scores import system_scoring
from metrics_framework.io import locations
from metrics_framework.io.reading import STANDARD, Piece, total_size
from metrics_framework.metrics.base.labelled_metric import LabelledMetric
from metrics_framework.metrics.base.metric import Metric
from metrics_framework.significance.resampling import Resampling
from metrics_framework.version import __version__

if TYPE_CHECKING:
    from metrics_framework.dataset_readers.row_view import RowView

PLAN = "plan.json"
PART_SIZE = 64 << 20
"""The default of the greatest number of bytes of a part."""
_MIN_PART = 1 << 20
_PARTS = 64
"""The least number of parts of a large input, so that many processes can share it."""
_MEANINGS = {
    "fw": "version of fw",
    "unicode": "Unicode version of Python",
    "command": "command",
    "working_folder": "working folder",
    "input_files": "input files",
    "other_files": "other files",
    "reader": "dataset reader",
    "metrics": "metrics",
    "options": "options",
    "plugins": "plug-ins",
    "part_size": "part size",
    "parts": "parts",
}


@dataclass
class RunPlan:
    """The metrics, files, parts and options of a run in parts.

    Args:
        command: ``evaluate`` or ``score``.
        metrics: The name, arguments and label of each metric.
        reader: The name and arguments of the dataset reader.
        input_files: The path and identity of each file, see `metrics_framework.evaluation.parts.read_files`.
        parts: The pieces of each part.
        other_files: The other files and folders that are read, such as references and models: path and identity.
        part_size: The greatest number of bytes of a part; `None` if the number of parts was chosen.
        options: Other settings that results depend on: ``peers``, ``confidence``, ``baseline``, ``profile``.
        working_folder: The folder to which relative paths refer.
        plugins: The plug-ins to import, and the errors of broken ones.
        fw: The version of this package.
        unicode: The version of Python's Unicode tables, which lower case and tokens depend on (decision 0071).
    """

    command: str
    metrics: list[dict[str, Any]]
    reader: dict[str, Any]
    input_files: list[dict[str, Any]]
    parts: list[list[dict[str, Any]]]
    part_size: int | None
    other_files: list[dict[str, Any]] = field(default_factory=list)
    options: dict[str, Any] = field(default_factory=dict)
    working_folder: str = ""
    plugins: list[dict[str, str]] = field(default_factory=list)
    fw: str = __version__
    unicode: str = unicodedata.unidata_version

    def as_bytes(self) -> bytes:
        """Returns the content of the file; equal plans have equal bytes."""
        return json.dumps(asdict(self), indent=1, sort_keys=True).encode() + b"\n"

    @classmethod
    def from_bytes(cls, data: bytes, path: str) -> RunPlan:
        """Reads the content of a file.

        Args:
            data: The content.
            path: The file, for messages.

        Raises:
            DataError: if it is not a plan.
        """
        try:
            content = json.loads(data)
            version = content["fw"]
            if version == __version__:
                made = cls(**{**content, "unicode": content["unicode"]})
                made._check()
                return made
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise DataError("is not the plan of a run of fw", path) from None
        raise DataError(
            f"is the plan of a run of fw {version}, but this is fw {__version__}; use the same version, or start the "
            "run again with --force (scores of models and answers in the cache are kept)",
            path,
        )

    def _check(self) -> None:
        """Checks the form of the content; errors are Python's, which `from_bytes` replaces."""
        for file in (*self.input_files, *self.other_files):
            str.strip(file["path"])
            [dict.keys(identity) for identity in dict.values(file.get("files", {}))]
        for name in ("name", "label"):
            [str.strip(spec[name]) for spec in self.metrics]
        parts = [Piece(**piece) for part in self.parts for piece in part]
        imported, _ = self.plugins
        if self.command not in ("evaluate", "score") or not all(isinstance(piece.path, str) for piece in parts):
            raise ValueError
        " ".join([self.unicode, *imported.values()])
        self.options.get("confidence")
        self._view(RowCounts())
        self.resampling  # noqa: B018 - raises an error for other options

    def check_unicode(self, folder: str) -> None:
        """Checks that this Python scores texts as the Python that planned the run.

        Args:
            folder: The output folder, for messages.

        Raises:
            ProcessError: if its Unicode tables have another version.
        """
        if self.unicode != unicodedata.unidata_version:
            raise ProcessError(
                f"the run in '{folder}' was planned with Unicode {self.unicode}, but this Python "
                f"{platform.python_version()} has Unicode {unicodedata.unidata_version}, so lower case and words may "
                "differ; use the Python version of the other parts, or start a new run in another folder"
            )

    def difference(self, other: RunPlan) -> str:
        """Describes how another plan differs, for messages; an empty string if the plans are equal."""
        mine, others = json.loads(self.as_bytes()), json.loads(other.as_bytes())
        return "; ".join(
            f"{meaning}: {difference_of(mine[name], others[name])}"
            for name, meaning in _MEANINGS.items()
            if mine[name] != others[name] and not (name == "parts" and mine["input_files"] != others["input_files"])
        )

    @property
    def paths(self) -> list[str]:
        """The input files."""
        return [file["path"] for file in self.input_files]

    @property
    def resampling(self) -> Resampling | None:
        """How to resample inputs; `None` for no intervals."""
        options = self.options.get("confidence")
        return None if options is None else Resampling(**options)

    def change(self, number: int | None = None) -> tuple[str, str] | None:
        """Returns the path of a file or folder that has changed since the run was planned, and how; `None` if none has.

        Args:
            number: The part whose input is compared; by default, all input is.

        Raises:
            DataError: if a file cannot be read; it names the file.
        """
        paths = self.paths if number is None else {piece["path"] for piece in self.parts[number]}
        files = [file for file in self.input_files if file["path"] in paths]
        changes = ((file["path"], change_of(file)) for file in (*files, *self.other_files))
        return next((change for change in changes if change[1]), None)

    def part(self, number: int) -> Part:
        """Returns a part."""
        return Part(number, [Piece(**piece) for piece in self.parts[number]])

    def loaded_metrics(self) -> list[LabelledMetric]:
        """Builds the metrics.

        Raises:
            UnknownNameError: if a metric does not exist here, for example because its plug-in was not imported.
        """
        return [
            LabelledMetric(Metric.by_name(spec["name"])(*spec["arguments"], **spec["options"]), spec["label"])
            for spec in self.metrics
        ]

    def loaded_reader(self) -> DatasetReader:
        """Builds the dataset reader."""
        reader: DatasetReader = DatasetReader.by_name(self.reader["name"])(
            *self.reader["arguments"], **self.reader["options"]
        )
        reader.view = self._view(reader.row_counts())
        return reader

    def _view(self, counts: RowCounts) -> RowView | None:
        if "view" not in self.reader:
            return None
        from metrics_framework.dataset_readers.row_view import RowView

        return RowView.from_json(self.reader["view"], counts)

    def scoring(self, metrics: Sequence[LabelledMetric], reader: DatasetReader | None = None) -> Scoring:
        """Returns how each part is scored.

        Args:
            metrics: The metrics.
            reader: The dataset reader; not needed to read results.
        """
        if self.command == "score":
            scoring = row_scoring(metrics, self.options.get("peers", True))
        else:
            scoring = system_scoring(metrics, self.resampling)
        return scoring._replace(keeps_ids=True, reader=reader)


def new_plan(
    command: str,
    metrics: Sequence[LabelledMetric],
    reader: DatasetReader,
    input_files: Sequence[str],
    *,
    duplicates: Duplicates = "error",
    part_size: int | None = None,
    count: int | None = None,
    options: Mapping[str, Any] | None = None,
) -> RunPlan:
    """Plans a run over parts.

    Args:
        command: ``evaluate`` or ``score``.
        metrics: The metrics.
        reader: Reads the files.
        input_files: The files.
        duplicates: What to do with a second output of a system for the same input.
        part_size: The greatest number of bytes of a part; by default, that of 64 parts, and 64 MB at most.
        count: The number of parts, instead of their size.
        options: The other settings of `RunPlan`.

    Raises:
        UsageError: if the run cannot be divided into parts.
        DataError: if a file does not exist.
    """
    _refuse_undivided(metrics, input_files, duplicates)
    check_fields(reader, metrics)
    _refuse_unreadable(input_files)
    identities = identities_of_input(input_files)
    size = part_size or min(PART_SIZE, max(_MIN_PART, total_size(input_files) // _PARTS))
    parts = plan(reader, input_files, size) if count is None else _counted_parts(reader, input_files, count)
    if parts is None:
        raise UsageError(
            f"the dataset reader '{reader.registered_name}' needs all files together, so its input cannot be divided "
            "into parts; use --jobs N and output files"
        )
    read = reader, *(labelled.metric for labelled in metrics)
    made = RunPlan(
        command,
        [{"label": metric.label, **_built_from(metric.metric, metric.metric.name)} for metric in metrics],
        _built_from(reader, reader.registered_name or "") | _view_of(reader),
        identities,
        [[asdict(piece) for piece in part.pieces] for part in parts],
        size if count is None else None,
        identities_of_others([*chain.from_iterable(one.files_read() for one in read), *files_of_plugins()]),
        dict(options or {}),
        os.getcwd(),
        list(named()),
    )
    try:
        return replace(made, **json.loads(made.as_bytes()))
    except (TypeError, ValueError) as error:
        raise UsageError(f"the options of this run cannot be written to {PLAN} ({error}); use --jobs N") from None


def _refuse_undivided(metrics: Sequence[LabelledMetric], input_files: Sequence[str], duplicates: Duplicates) -> None:
    """Rejects runs that cannot be divided into parts.

    Raises:
        UsageError: always, for such a run.
    """
    if duplicates != "error":
        raise UsageError(
            f"--duplicates {duplicates} needs all outputs in one process: duplicates may be in different parts; remove "
            "duplicates from the input, or use output files in place of an output folder"
        )
    if STANDARD in input_files:
        raise UsageError("standard input can be read only once, so it cannot be divided into parts; use a file")
    for labelled in metrics:
        metric = labelled.metric
        if metric.in_one_process or metric.needs_all_inputs:
            raise UsageError(
                f"'{metric.name}' scores all outputs in one process with these options, so its input cannot be divided "
                "into parts; use output files in place of an output folder"
            )


def _refuse_unreadable(input_files: Sequence[str]) -> None:
    """Rejects files that do not exist, before anything is written to the folder.

    Raises:
        DataError: for all of them together.
    """
    problems = Problems()
    for path in input_files:
        try:
            locations.identity_of(path)
        except DataError as problem:
            problems.add(problem)
    problems.raise_any()


def _built_from(instance: Any, name: str) -> dict[str, Any]:
    arguments, options = arguments_of(instance)
    return {"name": name, "arguments": list(arguments), "options": options}


def _view_of(reader: DatasetReader) -> dict[str, Any]:
    return {} if reader.view is None else {"view": reader.view.as_json()}


def _counted_parts(reader: DatasetReader, input_files: Sequence[str], count: int) -> list[Part] | None:
    """Returns this number of parts of about equal size; some are empty if the input has fewer pieces."""
    total = sum(_size(path) for path in input_files)
    pieces = reader.pieces(input_files, max(1, total // count))
    if pieces is None:
        return None
    sizes = [_size(piece.path) if piece.size is None else piece.size for piece in pieces]
    groups, before = [list[Piece]() for _ in range(count)], 0
    for piece, size in zip(pieces, sizes, strict=True):
        groups[min(count - 1, (before + size // 2) * count // max(1, sum(sizes)))].append(piece)
        before += size
    return [Part(number, group) for number, group in enumerate(groups)]


def _size(path: str) -> int:
    try:
        return locations.size_of(path) or 0
    except DataError:
        return 0
