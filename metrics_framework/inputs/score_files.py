"""Reads score files and merges their rows by output: Metrics JSONL, and tables of scores or of human ratings."""

from __future__ import annotations

import math
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NamedTuple

from metrics_framework.common.arrays import Bools
from metrics_framework.common.errors import PARQUET, DataError, InputError, ListName, Problems, how_to_set, location_of
from metrics_framework.data.fields import SUMMARIZER_TYPES, parse_summarizer_type
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.scored_output import MetricsRow, OutputKey
from metrics_framework.data.signature import same_for_outputs
from metrics_framework.data.texts import shown
from metrics_framework.inputs.exports import text_of
from metrics_framework.inputs.keys import LongRow
from metrics_framework.inputs.logs import Log
from metrics_framework.inputs.rating_rows import (
    FILE,
    RATERS,
    RATINGS,
    SYSTEMS,
    RatingRows,
    RatingRules,
    Source,
    how_to_tell_apart,
    rated_twice,
)
from metrics_framework.inputs.roles import no_column
from metrics_framework.inputs.score_matrices import ScoreColumns, ScoreSelection, select_columns
from metrics_framework.inputs.score_table import ScoreTable
from metrics_framework.inputs.tables import header_line
from metrics_framework.inputs.values import NumberColumn, described

_INDEX = re.compile(r"__index_level_\d+__|Unnamed: 0")
"""The columns in which pandas keeps an index without a name, which are no scores."""
_NAME_SYSTEMS = "; if the files are of two systems, name one, as in NAME=FILE"
_RENAME_SCORES = "; to compare scores of one name, rename one or score with a label: fw score --metric NAME:label=OTHER"


class KnownMetrics(NamedTuple):
    """What the reader of scores needs to know of metrics.

    Args:
        names: Their names; a list of numbers of a metric has different numbers, such as precisions.
        direction_of: Returns whether higher is better by a signature; `None` if neither direction is.
    """

    names: Collection[str] = ()
    direction_of: Callable[[str], bool | None] = lambda _: None


NO_METRICS = KnownMetrics()
"""No metric is known."""


@dataclass(frozen=True)
class DroppedColumn:
    """A column that is not a metric although some of its cells are numbers, because other cells are text.

    Args:
        name: The column.
        path: The file.
        line: The line of the first cell that is not a number.
        cell: The text of that cell.
        numbers: The number of cells with a number, with a decimal point or a decimal comma.
        cells: The number of cells that are not missing.
    """

    name: str
    path: str
    line: int
    cell: str
    numbers: int
    cells: int

    def warning(self, path: str) -> str:
        """Returns a warning that states why the column is left out and how to fix it.

        Args:
            path: The file, as the warning should name it.
        """
        return (
            f"Left out: the column '{self.name}' of {path}, because {_row(self.path, self.line)} has "
            f"{shown(self.cell)}; "
            f"{self.numbers} of its {self.cells} cells are numbers. Use a decimal point, and leave a cell "
            "without a score empty or write NA."
        )


@dataclass
class ScoreFiles:
    """The merged rows of score files.

    Args:
        scores: The scores of all outputs.
        signatures: Metric to its signature, if a file has one.
        warnings: What may make a result misleading.
        hints: Name of a column that is not a metric, to the reason.
        dropped: The columns of tables that are not metrics because some cells are text, although others are numbers.
        missing: Metric to the counts of its missing values in tables, by their spelling.
        missing_in: Output to its missing values, as names of metrics and spellings; only with a column of data sets.
        without_scores: Path of a file with rows but no score, to the reason.
        logs: The files that are logs of evaluation harnesses.
        metrics: The metrics whose names are known.
    """

    scores: ScoreSelection = field(default_factory=ScoreSelection)
    signatures: dict[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    hints: dict[str, str] = field(default_factory=dict)
    dropped: list[DroppedColumn] = field(default_factory=list)
    missing: dict[str, Counter[str]] = field(default_factory=dict)
    missing_in: dict[OutputKey, list[tuple[str, str]]] = field(default_factory=dict)
    without_scores: dict[str, str] = field(default_factory=dict)
    logs: list[Log] = field(default_factory=list)
    metrics: KnownMetrics = NO_METRICS
    _signature_paths: dict[str, str] = field(default_factory=dict)

    @property
    def labels(self) -> set[str]:
        """The names of metrics, and those that have signatures of metrics."""
        signed = {name for name, signature in self.signatures.items() if not signature.startswith(RATINGS)}
        return {*signed, *self.metrics.names}

    @property
    def rows(self) -> list[MetricsRow]:
        """One row per output, with flat names of scores, in the order of the files."""
        return self.scores.rows

    def columns(self, names: Sequence[str], summarizer_type: str = "peer") -> ScoreColumns:
        """Returns scores as matrices of systems × inputs; see `select_columns`."""
        without = next(iter(self.without_scores), None)
        hint = "" if without is None else f"({without} has no scores; score its outputs first: fw METRIC score)"
        hints = defaultdict(lambda: hint, self.hints)
        return select_columns(self.scores, names, summarizer_type, hints)

    def read(self, rows: RatingRows, problems: Problems) -> Iterator[LongRow]:
        """Yields the scores of outputs in a file; a file that cannot be read is a problem like any other.

        Args:
            rows: The rows of the file, which a table keeps.
            problems: Collects malformed rows.
        """
        scored, before, hints = False, len(problems), dict[str, str]()
        self.logs += [rows.log] if rows.log else []
        try:
            if rows.signatures is not None:
                self._add_signatures(rows.signatures, rows.path, 1)
            for row in rows:
                if rows.has_scores:
                    beside = [] if scored else [name for name, cell in row.cells.items() if _is_number(cell)]
                    why = "is beside 'metrics', which has the scores of this table: give it in a separate table"
                    self.hints.update({name: f"(The column '{name}' of {rows.path} {why}.)" for name in beside})
                    if self._is_valid(row, problems):
                        scored = scored or bool(row.metrics)
                        yield row
                    continue
                rows.kept.keep(row)
            if rows.kept:
                table = TableOfScores(rows, self, problems)
                hints = table.hints
                for output in table.outputs():
                    scored = scored or bool(output.metrics)
                    yield output
        except DataError as problem:
            problems.add(problem)
        self.hints.update(hints)
        if rows.columns is None and len(problems) == before:
            problems.add(DataError("contains no scores", rows.path))
        elif rows.columns is not None and not scored:
            self.without_scores[rows.path] = " ".join(hints.values()) or "(Its rows have no scores.)"

    def _is_valid(self, row: LongRow, problems: Problems) -> bool:
        """Returns whether the scores and signatures of a row are valid; adds its problem."""
        try:
            _check_scores(row)
            self._add_signatures(row.cells.get("signature"), row.path, row.line)
        except DataError as problem:
            problems.add(DataError(problem.message, row.path, row.line))
            return False
        return True

    def _add_signatures(self, signatures: Any, path: str, line: int) -> None:
        """Records the signatures of a row.

        Raises:
            DataError: if they are not text, or higher is better by one signature of a name but not by another.
        """
        if signatures is None:
            return
        if not isinstance(signatures, dict) or not all(isinstance(signature, str) for signature in signatures.values()):
            raise DataError(
                f"'signature' must be an object from metrics to signatures, got {shown(signatures)}", path, line
            )
        for metric, signature in signatures.items():
            known = self.signatures.setdefault(metric, signature)
            first_path = self._signature_paths.setdefault(metric, path)
            if same_for_outputs(known, signature):
                continue
            ways = f"{known} in {first_path}, {signature} in {path}"
            if {*map(self.metrics.direction_of, (known, signature))} == {True, False}:
                raise DataError(
                    f"'{metric}' names two metrics, of which one is better if higher and the other if lower: {ways}; "
                    "rename one of them",
                    path,
                    line,
                )
            self.warnings.append(f"'{metric}' was computed in two ways: {ways}")


def read_score_files(
    sources: Sequence[Source], rules: RatingRules | None = None, metrics: KnownMetrics = NO_METRICS
) -> ScoreFiles:
    """Reads score files and merges the rows of the same output.

    Args:
        sources: Metrics JSONL files, or tables ending in ``.csv`` or ``.tsv``; ``-``, ``.gz`` and ``.zst`` also work.
            Or scores in memory, which are read like files.
        rules: How rows are read; by default all. With a column of data sets, ids may be the same in several of them,
            see `ratings.DataSets`.
        metrics: The metrics whose names and directions are known.

    Raises:
        DataError: if a file cannot be read, a row is malformed, or two rows contradict each other; all problems of all
            files are reported together.
    """
    rules = RatingRules() if rules is None else rules
    problems, table, files = Problems(), ScoreTable(), ScoreFiles(metrics=metrics)
    for source in sources:
        for output in files.read(table.start(RatingRows(source, rules, problems)), problems):
            line = table.add(output)
            if line is not None:
                problems.add(_duplicate(output, line, rules.data_set))
    table.finish()
    for rows in table.name_systems():
        problem = no_column("summarizer_id", rows.names, rows.path)
        problems.add(DataError(problem.message, rows.path, header_line(rows.path)))
    check_rows(table, problems)
    files.scores = ScoreSelection(table, labels=files.labels)
    rules.check_inputs(table.long_rows())  # before problems with repeated rows, which ids that restart make
    problems.raise_any()
    rules.check_ids(table.long_rows())
    rules.check_used([*chain.from_iterable(file.names for file in table.files)])
    files.warnings += rules.value_warnings
    return files


def _duplicate(output: LongRow, first: int, data_sets: str | None) -> DataError:
    """Returns the problem that an output appears twice in one file."""
    known = output._replace(line=first)
    advice = how_to_tell_apart(output, known)
    if data_sets is not None and output.data_set is None:
        advice = f"; if the rows are of several data sets, name them in the column '{data_sets}'; else{advice[1:]}"
    message = f"duplicate row for {output.output_name} (first at {known.location}){advice}"
    return DataError(message, output.path, output.line)


def check_rows(table: ScoreTable, problems: Problems, outputs: Bools | None = None) -> None:
    """Checks that the rows of each output can be merged: what several rows have is the same in all.

    Args:
        table: The rows of all files.
        problems: Collects contradictions.
        outputs: Whether each output is checked; `None` for all.
    """
    doubtful, advice = table.doubtful(), _RENAME_SCORES
    for numbers in table.rows_of(doubtful if outputs is None else doubtful & outputs):
        merged, rows = MetricsDict(), list[LongRow]()
        for row in map(table.row, numbers):
            try:
                scores = merged.merge(row.metrics)
                _check_type(rows, row)
            except InputError as error:
                rated = table.files[0].rules.rated or ()
                if advice and any(f"'{name}'" in str(error) for name in rated) and row.path != rows[0].path:
                    advice = f"; if each file is by one rater, use {how_to_set(row.path, 'rater_column', FILE)}{advice}"
                location = next((known.location for known in rows if _contradict(known, row)), "")
                if advice and len(table.systems) == 1 and not isinstance(row.path, ListName):
                    advice = f"{_NAME_SYSTEMS}{advice}"
                message = f"{row.output_name}: {error} (first at {location}){advice}"
                problems.add(DataError(message, row.path, row.line))
                advice = ""
            except DataError as problem:
                problems.add(problem)
            else:
                merged = scores
                rows.append(row)
        try:
            merged.flatten()
        except InputError as error:
            problems.add(DataError(f"{rows[0].output_name}: {error}", rows[-1].path, rows[-1].line))


def _check_type(rows: Sequence[LongRow], output: LongRow) -> None:
    for row in rows:
        types = row.summarizer_type, output.summarizer_type
        if None not in types and types[0] != types[1]:
            raise DataError(
                f"{output.output_name} has the type '{types[1]}', but '{types[0]}' at {row.location}",
                output.path,
                output.line,
            )


def _contradict(first: LongRow, second: LongRow) -> bool:
    try:
        MetricsDict(first.metrics).merge(second.metrics)
    except InputError:
        return True
    return False


# ---- tables and rows of scores ---------------------------------------------------------------------------------------


class TableOfScores:
    """The rows of a table, and its columns, of which those with numbers are scores.

    Args:
        source: The table, which was read and keeps its rows.
        files: Receives missing values and dropped columns.
        problems: Collects invalid rows.

    Attributes:
        hints: Column that is not a metric to the reason.
    """

    def __init__(self, source: RatingRows, files: ScoreFiles, problems: Problems) -> None:
        assert source.columns is not None  # those of the first row
        self._columns, self._rules, self._path = source.columns, source.rules, source.path
        self._source, self._rows, self._files, self._problems = source, source.kept, files, problems
        self.hints: dict[str, str] = {}

    def outputs(self) -> Iterator[LongRow]:
        """Yields the scores of outputs; with a column of raters, each is a list with one number per rater.

        Columns of text are left out. An empty cell, or one with ``NA``, ``n/a``, ``None``, ``null`` or ``NaN``, is a
        missing score.

        Raises:
            DataError: if there is no column for the system.
        """
        columns, rows = self._columns, self._rows
        if self._rules.needs_system and "summarizer_id" not in columns and SYSTEMS not in columns:
            problem = no_column("summarizer_id", self._source.kept.names, self._path)
            raise DataError(problem.message, self._path, header_line(self._path))
        kind = self._type_column()
        read, lists = self._read()
        scored = [name for name in read if name != kind and name not in lists and self._is_metric(name, read[name])]
        for name in (raters := columns.get(RATERS, ())):
            if read[name].text is not None:
                self._add_problems(read[name])
        if self._rules.data_set is not None:
            self._add_missing({name: read[name] for name in scored})
        for numbers in self._numbers_of_outputs(kind):
            scores = list[dict[str, Any]]()
            for number in numbers:
                of_row: dict[str, Any] = {name: read[name].number(number) for name in scored}
                of_row |= {name: found[number] for name, found in lists.items() if number in found}
                of_row |= {RATERS: [read[name].number(number) for name in raters]} if raters else {}
                scores.append(of_row)
            joined = {name: [one[name] for one in scores] for name in scores[0]} if "rater" in columns else scores[0]
            first = rows[numbers[0]]
            by = tuple(str(rows[number].rater) for number in numbers) if "rater" in columns else ()
            kind_of = kind and (first.summarizer_type or None)
            yield first._replace(cells={}, summarizer_type=kind_of, metrics=joined, raters=by)

    def _read(self) -> tuple[dict[str, NumberColumn], dict[str, dict[int, Any]]]:
        """Returns all columns but those of ids, with cells as in CSV, and the rows of those with lists of numbers."""
        of_ids = (self._columns.get(role, ()) for role in ("instance_id", "summarizer_id", "rater"))
        skipped = {*chain(*of_ids), self._rules.data_set, *({RATERS} & self._columns.keys())}
        names = [name for name in self._source.kept.names if name not in skipped and not _INDEX.fullmatch(name)]
        read = {name: NumberColumn(name, (), self._path, self._rules.values_of(name)) for name in names}
        lists: dict[str, dict[int, Any]] = {}
        for start, rows in self._source.kept.batches():
            for name, column in read.items():
                cells = [row.get(name, "") for row in rows]
                if set(map(type, cells)) != {str}:
                    found = {at: cell for at, cell in enumerate(cells, start) if _is_list_of_numbers(cell)}
                    lists |= {name: lists.get(name, {}) | found} if found else {}
                    cells = [text_of(int(cell) if isinstance(cell, bool) else cell) for cell in cells]
                column.extend(cells)
        for column in read.values():
            column.finish()
        return read, {name: found for name, found in lists.items() if any(found.values())}  # no column of spans

    def _numbers_of_outputs(self, kind: str | None) -> Iterable[list[int]]:
        """Returns the numbers of the rows of each output: one, or those of its raters; adds the problems of rows."""
        for row in self._rows if kind else ():
            with self._problems.at(self._path, row.line):
                if row.summarizer_type:
                    parse_summarizer_type(row.summarizer_type, str(kind))
        if "rater" not in self._columns:
            return ([number] for number in range(len(self._rows)))
        found: dict[OutputKey, dict[str, int]] = {}
        for number, row in enumerate(self._rows):
            first = found.setdefault(row.key, {}).setdefault(str(row.rater), number)
            if first != number:
                twice = rated_twice(str(row.rater), row, self._rows[first])
                self._problems.add(DataError(twice, self._path, row.line))
        return ([*by_rater.values()] for by_rater in found.values())

    def _type_column(self) -> str | None:
        """Finds the type column; under another name, a column must contain ``peer`` or ``reference``."""
        (column,) = self._columns.get("summarizer_type", (None,))
        if column is None or column == "summarizer_type":
            return column
        return None if {*SUMMARIZER_TYPES}.isdisjoint(row.summarizer_type for row in self._rows) else column

    def _is_metric(self, name: str, column: NumberColumn) -> bool:
        """Returns whether a column has scores; if not, records the reason."""
        path = self._path
        if not column.cells:
            missing = column.missing
            why = f"has only missing values: {described(missing)}" if any(missing) else "is empty"
            self.hints[name] = f"(The column '{name}' of {path} {why}.)"
            return False
        if column.text is None:
            self._files.missing.setdefault(name, Counter()).update(column.missing)
            self._add_problems(column)
            if self._rules.is_rated(name):
                self._rules.value_warnings += column.warnings()
            return True
        line, cell = self._rows[column.text[0]].line, column.text[1]
        self.hints[name] = f"(The column '{name}' of {path} is text: {_row(path, line)} has '{cell[:40]}'.)"
        if self._rules.is_rated(name):
            self.hints[name] = f"({location_of(path, line)}: {column.problems()[0][1]})"
        if column.numbers:
            self._files.dropped.append(DroppedColumn(name, path, line, cell, column.numbers, column.cells))
        return False

    def _add_problems(self, column: NumberColumn) -> None:
        for row, message in column.problems():
            self._problems.add(DataError(message, self._path, self._rows[row].line))

    def _add_missing(self, columns: Mapping[str, NumberColumn]) -> None:
        """Records the missing scores of each output and their spelling."""
        for number, row in enumerate(self._rows):
            spellings = ((name, column.spelling(number)) for name, column in columns.items())
            found = [(name, spelling) for name, spelling in spellings if spelling is not None]
            self._files.missing_in.setdefault(row.key, []).extend(found)


def _row(path: str, line: int) -> str:
    if isinstance(path, ListName):
        return f"row {line - 1}"
    return f"row {line}" if path.endswith(PARQUET) else f"line {line}"


def _check_scores(row: LongRow) -> None:
    """Checks a row of a score file.

    Raises:
        DataError: if the system or the scores are missing, or a score is not a finite number, `None`, or a list or
            object of these.
    """
    if not row.summarizer_id:
        raise DataError(f"'summarizer_id' is missing; the row has {', '.join(map(repr, row.cells))}")
    if row.summarizer_type is not None:
        parse_summarizer_type(row.summarizer_type, "summarizer_type")
    metrics = row.metrics
    if not isinstance(metrics, dict) or "metrics" not in row.cells:
        actual = f"got {shown(metrics)}" if "metrics" in row.cells else "but is missing"
        raise DataError(f"'metrics' must be an object of scores, {actual}")
    if _FLOATS.issuperset(map(type, metrics.values())) and all(map(math.isfinite, metrics.values())):
        return
    for name, value in metrics.items():
        if type(value) not in _NUMBERS or abs(value) > sys.float_info.max:
            _check_score(name, value)


_FLOATS, _NUMBERS = frozenset({float}), frozenset({float, int})


def _check_score(name: str, value: Any) -> None:
    if isinstance(value, dict):
        for key, inner in value.items():
            _check_score(f"{name}_{key}", inner)
        return
    for number in value if isinstance(value, list) else [value]:
        if number is None or (_is_number(number) and not abs(number) > sys.float_info.max):
            continue
        subject = f"score '{name}'" if name else "'metrics'"
        raise DataError(f"{subject} must be a finite number, null, or a list or object of these, got {shown(value)}")


def _is_list_of_numbers(value: Any) -> bool:
    """Returns whether a cell has a list of ratings."""
    return isinstance(value, (list, tuple)) and all(number is None or _is_number(number) for number in value)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
