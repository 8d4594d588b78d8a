"""Reads score files and merges their rows by output: Metrics JSONL, and tables of scores or of human ratings."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, get_args

from metrics_framework.common.arrays import Bools
from metrics_framework.common.errors import DataError, InputError, Problems
from metrics_framework.data.fields import Duplicates
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.scored_output import MetricsRow, OutputKey
from metrics_framework.data.signature import same_for_outputs
from metrics_framework.data.texts import shown
from metrics_framework.inputs.keys import LongRow
from metrics_framework.inputs.rating_rows import RatingRows, RatingRules, Source, how_to_tell_apart
from metrics_framework.inputs.rating_tables import DroppedColumn, LeftOut, read_outputs
from metrics_framework.inputs.roles import no_column
from metrics_framework.inputs.score_matrices import ScoreColumns, ScoreSelection, select_columns
from metrics_framework.inputs.score_table import ScoredFile, ScoreTable
from metrics_framework.inputs.tables import header_line

_RENAME_SCORES = "; to compare scores of one name, score with a label: fw score --metric NAME:label=OTHER"


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
    metrics: KnownMetrics = NO_METRICS

    @property
    def labels(self) -> set[str]:
        """The names of metrics, and those that have signatures."""
        return {*self.signatures, *self.metrics.names}

    @cached_property
    def rows(self) -> list[MetricsRow]:
        """One row per output, with flat names of scores, in the order of the files; they take much memory."""
        return self.scores.rows()

    def long_rows(self) -> Iterator[LongRow]:
        """Yields the rows of all files with all columns, as they were read."""
        return self.scores.table.long_rows()

    def columns(self, names: Sequence[str], summarizer_type: str = "peer") -> ScoreColumns:
        """Returns scores as matrices of systems × inputs; see `select_columns`."""
        without = next(iter(self.without_scores), None)
        hint = "" if without is None else f"({without} has no scores; score its outputs first: fw METRIC score)"
        hints = defaultdict(lambda: hint, self.hints)
        return select_columns(self.scores, names, summarizer_type, hints)


def read_score_files(
    sources: Sequence[Source],
    duplicates: str = "error",
    rules: RatingRules | None = None,
    metrics: KnownMetrics = NO_METRICS,
) -> ScoreFiles:
    """Reads score files and merges the rows of the same output.

    Args:
        sources: Metrics JSONL files, or tables ending in ``.csv`` or ``.tsv``; ``-``, ``.gz`` and ``.zst`` also work.
            Or scores in memory, which are read like files.
        duplicates: What to do with an output that appears twice in one file: ``error``, or keep the ``first`` or
            ``last``.
        rules: How rows are read; by default all, with `duplicates`. With a column of data sets, ids may be the same in
            several of them, see `data_sets.DataSets`.
        metrics: The metrics whose names and directions are known.

    Raises:
        DataError: if a file cannot be read, a row is malformed, or two rows contradict each other; all problems of all
            files are reported together.
    """
    rules = RatingRules(duplicates=duplicates) if rules is None else rules
    if duplicates not in get_args(Duplicates):
        raise InputError(f"'duplicates' must be one of {', '.join(get_args(Duplicates))}, got '{duplicates}'")
    problems, table, replace = Problems(), ScoreTable(), rules.duplicates == "last"
    reader = _Reader(rules, problems, metrics)
    for source in sources:
        for output in reader.read(source, table.start(source if isinstance(source, str) else source.name)):
            line = table.add(output, replace=replace)
            if line is not None:
                rules.found.repeated += 1
                if rules.duplicates == "error":
                    problems.add(_duplicate(output, line, rules.data_set))
    table.finish()
    if not table.name_systems():
        for path in reader.unnamed:
            problem = no_column("summarizer_id", reader.unnamed[path], path)
            problems.add(DataError(problem.message, path, header_line(path)))
    check_rows(table, problems)
    reader.files.scores = ScoreSelection(table, labels=reader.files.labels)
    rules.check_inputs(reader.files.long_rows())  # before repeated rows, which ids that restart make
    problems.raise_any()
    rules.check_used([*reader.columns])
    reader.files.warnings += rules.value_warnings
    return reader.files


def _duplicate(output: LongRow, first: int, data_sets: str | None) -> DataError:
    """Returns the problem that an output appears twice in one file."""
    known = output._replace(line=first)
    advice = how_to_tell_apart(output, known)
    if data_sets is not None and output.data_set is None:
        advice = f"; if the rows are of several data sets, name them in the column '{data_sets}'; else{advice[1:]}"
    message = f"duplicate row for {output.output_name} (first at {known.location}){advice}"
    return DataError(message, output.path, output.line)


class _Reader:
    """Reads the rows of files one by one.

    Args:
        rules: The columns and the conditions.
        problems: Collects malformed rows.
        metrics: The metrics whose directions are known.

    Attributes:
        files: What is found besides the scores.
        columns: The columns of all files.
        unnamed: Path of a table without a column of systems, to its columns.
    """

    def __init__(self, rules: RatingRules, problems: Problems, metrics: KnownMetrics) -> None:
        self.files = ScoreFiles(metrics=metrics)
        self._rules = rules
        self._problems = problems
        self._signature_paths: dict[str, str] = {}
        self.columns: dict[str, None] = {}
        self.unnamed: dict[str, list[str]] = {}

    def read(self, source: Source, file: ScoredFile) -> Iterator[LongRow]:
        """Yields the rows of a file; a file that cannot be read is a problem like any other.

        Args:
            source: The file.
            file: Receives its tables and the names of its columns.
        """
        scored, before = False, len(self._problems)
        hints: dict[str, str] = {}
        left_out = LeftOut(hints, self.files.dropped, self.files.missing, self.files.missing_in)
        rows = RatingRows(source, self._rules, self._problems)
        try:
            if not isinstance(source, str):
                self._add_signatures(source.signatures, rows.path, 1)
            for output in read_outputs(rows, left_out, self._problems, file.table):
                signatures = output.cells.get("signature")
                if signatures is not None:
                    self._add_signatures(signatures, rows.path, output.line)
                scored = scored or bool(output.metrics)
                yield output
        except DataError as problem:
            self._problems.add(problem)
        self.columns.update(dict.fromkeys(rows.names))
        if rows.columns is not None:
            file.columns_of_ids = rows.columns.names
            if file.table and rows.columns.summarizer is None and not rows.columns.systems:
                self.unnamed[rows.path] = rows.names
        self.files.hints.update(hints)
        if rows.columns is None and len(self._problems) == before:
            self._problems.add(DataError("contains no scores", rows.path))
        elif rows.columns is not None and not scored:
            self.files.without_scores[rows.path] = " ".join(hints.values()) or "(Its rows have no scores.)"

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
            known = self.files.signatures.setdefault(metric, signature)
            first_path = self._signature_paths.setdefault(metric, path)
            if same_for_outputs(known, signature):
                continue
            ways = f"{known} in {first_path}, {signature} in {path}"
            if {*map(self.files.metrics.direction_of, (known, signature))} == {True, False}:
                raise DataError(
                    f"'{metric}' names two metrics, of which one is better if higher and the other if lower: {ways}; "
                    "rename one of them",
                    path,
                    line,
                )
            self.files.warnings.append(f"'{metric}' was computed in two ways: {ways}")


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
                location = next((known.location for known in rows if _contradict(known, row)), "")
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
