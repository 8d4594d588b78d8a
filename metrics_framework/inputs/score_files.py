"""Reads score files and merges their rows by output: Metrics JSONL, and tables of scores or of human ratings."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, get_args

import numpy as np

from metrics_framework.common.arrays import Bools, Indices
from metrics_framework.common.errors import DataError, InputError, Problems, how_to_keep_one, how_to_name_column
from metrics_framework.data.fields import Duplicates
from metrics_framework.data.metrics_dict import RELATIVE_TOLERANCE, MetricsDict
from metrics_framework.data.scored_output import MetricsRow, OutputKey
from metrics_framework.data.signature import same_for_outputs
from metrics_framework.data.texts import shown
from metrics_framework.inputs.rating_rows import LongRow, RatingRows, RatingRules
from metrics_framework.inputs.rating_sources import ScoresInMemory, Source
from metrics_framework.inputs.rating_tables import DroppedColumn, LeftOut, read_outputs
from metrics_framework.inputs.score_matrices import ScoreColumns, ScoreSelection, select_columns
from metrics_framework.inputs.score_table import (
    FLOAT,
    INTEGER,
    MISSING,
    OTHER,
    Column,
    Path,
    ScoreBlock,
    ScoreTable,
    flat_name,
)
from metrics_framework.inputs.tables import is_table

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
        for block in self.scores.table.blocks:
            for table in block.tables:
                yield from table.rows()
            if not block.is_table:
                yield from self.scores.table.long_rows(block)

    def columns(self, names: Sequence[str], summarizer_type: str = "peer") -> ScoreColumns:
        """Returns scores as matrices of systems × inputs; see `select_columns`."""
        without = next(iter(self.without_scores), None)
        hint = "" if without is None else f"({without} has no scores; score its outputs first: fw METRIC score)"
        hints = defaultdict(lambda: hint, self.hints)
        return select_columns(self.scores, names, summarizer_type, hints, self.labels)


def read_score_files(
    sources: Sequence[str | ScoresInMemory],
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
            several of them, see `data_sets.read_data_sets`.
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
    merging = RowMerging(table, problems)
    for source in sources:
        block = table.start(source if isinstance(source, str) else source.name)
        for output in reader.read(source, block):
            line = table.add(output, replace=replace)
            if line is not None:
                rules.found.repeated += 1
                if rules.duplicates == "error":
                    problems.add(_duplicate(output, line, rules.data_set))
        block.finish()
        merging.check(block)
    merging.check_names()
    reader.files.scores = ScoreSelection(table)
    rules.check_inputs(reader.files.long_rows())  # before repeated rows, which ids that restart make
    problems.raise_any()
    rules.check_used([*reader.columns])
    reader.files.warnings += rules.value_warnings
    return reader.files


def _duplicate(output: LongRow, first: int, data_sets: str | None) -> DataError:
    """Returns the problem that an output appears twice in one file."""
    raters = f"if the rows are by several raters, name them with {how_to_name_column(output.path, 'rater')}; else "
    advice = f"{raters if is_table(output.path) else ''}{how_to_keep_one(output.path)}"
    if data_sets is not None and output.data_set is None:
        advice = f"if the rows are of several data sets, name them in the column '{data_sets}'; else {advice}"
    location = output._replace(line=first).location
    message = f"duplicate row for {output.output_name} (first at {location}); {advice}"
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
    """

    def __init__(self, rules: RatingRules, problems: Problems, metrics: KnownMetrics) -> None:
        self.files = ScoreFiles(metrics=metrics)
        self._rules = rules
        self._problems = problems
        self._signature_paths: dict[str, str] = {}
        self.columns: dict[str, None] = {}

    def read(self, source: Source, block: ScoreBlock) -> Iterator[LongRow]:
        """Yields the rows of a file; a file that cannot be read is a problem like any other.

        Args:
            source: The file.
            block: Its rows.
        """
        scored, before = False, len(self._problems)
        hints: dict[str, str] = {}
        left_out = LeftOut(hints, self.files.dropped, self.files.missing, self.files.missing_in)
        rows = RatingRows(source, self._rules, self._problems)
        try:
            if isinstance(source, ScoresInMemory):
                self._add_signatures(source.signatures, rows.path, 1)
            for output in read_outputs(rows, left_out, self._problems, block.tables):
                signatures = output.cells.get("signature")
                if signatures is not None:
                    self._add_signatures(signatures, rows.path, output.line)
                scored = scored or bool(output.metrics)
                yield output
        except DataError as problem:
            self._problems.add(problem)
        self.columns.update(dict.fromkeys(rows.names))
        if rows.columns is not None:
            block.columns_of_ids, block.is_table = rows.columns.names, bool(block.tables)
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


class RowMerging:
    """Checks that the rows of each output can be merged.

    Args:
        table: The rows of all files.
        problems: Collects contradictions.
    """

    def __init__(self, table: ScoreTable, problems: Problems) -> None:
        self._table = table
        self._problems = problems
        self._contradictory: set[int] = set()
        self._has_advised = False

    def check(self, block: ScoreBlock, outputs: Bools | None = None) -> None:
        """Compares the rows of a file with the rows of earlier files.

        Args:
            block: The rows.
            outputs: Whether each output is checked; `None` for all.
        """
        earlier = self._table.blocks[: self._table.blocks.index(block)]
        rows_of = [other.rows_of(len(self._table)) for other in earlier]
        numbers = np.asarray(block.outputs)
        rows = np.flatnonzero(numbers >= 0 if outputs is None else (numbers >= 0) & outputs[numbers])
        doubtful: Bools = np.isin(numbers[rows], [*self._contradictory])
        for other, row_of in zip(earlier, rows_of, strict=True):
            others = row_of[numbers[rows]]
            shared = np.flatnonzero(others >= 0)
            doubtful[shared] |= _differ((block, rows[shared]), (other, others[shared]))
        for row in sorted(rows[doubtful].tolist(), key=block.place):
            number = block.outputs[row]
            parts = self._parts(number, zip(earlier, rows_of, strict=True))
            self._merge(parts, self._table.part(block, row), number)

    def check_names(self) -> None:
        """Reports outputs that have two scores whose flat names are the same, nested in different ways."""
        paths: dict[str, set[Path]] = {}
        for block in self._table.blocks:
            for path in block.columns:
                if path[-1] is not None:
                    paths.setdefault(flat_name(path), set()).add(path)
        same = [of_name for of_name in paths.values() if len(of_name) > 1]
        if not same:
            return
        found: Bools = np.zeros(len(self._table), dtype=np.bool_)
        for of_name in same:
            found |= np.sum([self._having(path) for path in of_name], axis=0) > 1
        blocks = [(block, block.rows_of(len(self._table))) for block in self._table.blocks]
        for number in np.flatnonzero(found).tolist():
            parts = self._parts(number, blocks)
            try:
                _merged(parts).flatten()
            except InputError as error:
                self._problems.add(DataError(f"{parts[0].output_name}: {error}", parts[-1].path, parts[-1].line))

    def _having(self, path: Path) -> Bools:
        """Returns which outputs have a score."""
        having: Bools = np.zeros(len(self._table) + 1, dtype=np.bool_)  # the last one is of rows that are not used
        for block in self._table.blocks:
            if path in block.columns:
                having[np.asarray(block.outputs)[block.columns[path].rows]] = True
        return having[:-1]

    def _parts(self, number: int, blocks: Iterable[tuple[ScoreBlock, Indices]]) -> list[LongRow]:
        """Returns the rows of an output in some files."""
        return [self._table.part(block, int(row_of[number])) for block, row_of in blocks if row_of[number] >= 0]

    def _merge(self, parts: Sequence[LongRow], output: LongRow, number: int) -> None:
        """Merges a row with the earlier rows of its output."""
        try:
            _merged(parts).merge(output.metrics)
            _check_type(parts, output)
        except InputError as error:
            self._contradictory.add(number)
            location = next((part.location for part in parts if _contradict(part, output)), "")
            advice = "" if self._has_advised else _RENAME_SCORES
            self._has_advised = True
            self._problems.add(
                DataError(f"{output.output_name}: {error} (first at {location}){advice}", output.path, output.line)
            )
        except DataError as problem:
            self._contradictory.add(number)
            self._problems.add(problem)


def _merged(parts: Sequence[LongRow]) -> MetricsDict:
    """Merges rows, without those that contradict earlier ones."""
    merged = MetricsDict()
    for part in parts:
        try:
            merged = merged.merge(part.metrics)
        except InputError:
            continue
    return merged


def _check_type(parts: Sequence[LongRow], output: LongRow) -> None:
    for part in parts:
        types = part.summarizer_type, output.summarizer_type
        if None not in types and types[0] != types[1]:
            raise DataError(
                f"{output.output_name} has the type '{types[1]}', but '{types[0]}' at {part.location}",
                output.path,
                output.line,
            )


def _contradict(first: LongRow, second: LongRow) -> bool:
    try:
        MetricsDict(first.metrics).merge(second.metrics)
    except InputError:
        return True
    return False


def _differ(first: tuple[ScoreBlock, Indices], second: tuple[ScoreBlock, Indices]) -> Bools:
    """Returns which rows of one file may contradict those of another file for the same outputs.

    Args:
        first: A file and some of its rows.
        second: Another file and its rows, of the same outputs.
    """
    (block, rows), (other, others) = first, second
    types, other_types = np.asarray(block.types)[rows], np.asarray(other.types)[others]
    found: Bools = (types > 0) & (other_types > 0) & (types != other_types)
    for path in block.columns.keys() & other.columns.keys():
        found |= _values_differ(block.columns[path], rows, other.columns[path], others)
    for path, prefix in _prefixes(block.columns, other.columns):
        found |= block.columns[path].at(rows)[1] & other.columns[prefix].at(others)[1]
    for path, prefix in _prefixes(other.columns, block.columns):
        found |= other.columns[path].at(others)[1] & block.columns[prefix].at(rows)[1]
    return found


def _prefixes(paths: Iterable[Path], scores: Container[Path]) -> Iterator[tuple[Path, Path]]:
    """Yields paths and those of their beginnings that are scores themselves."""
    for path in paths:
        for end in range(1, len(path)):
            if path[:end] in scores:
                yield path, path[:end]


def _values_differ(first: Column, rows: Indices, second: Column, others: Indices) -> Bools:
    """Returns which scores of two files differ; scores that one file lacks do not differ."""
    (one, has_one), (other, has_other) = first.at(rows), second.at(others)
    found: Bools = has_one & has_other
    both = np.flatnonzero(found)
    one, other = one[both], other[both]
    x, z = first.values[one], second.values[other]
    kinds, other_kinds = first.kinds[one], second.kinds[other]
    numbers = (kinds <= INTEGER) & (other_kinds <= INTEGER)
    with np.errstate(over="ignore"):
        differences = np.abs(x - z)
        close = (differences <= np.abs(RELATIVE_TOLERANCE * x)) | (differences <= np.abs(RELATIVE_TOLERANCE * z))
    floats = (kinds == FLOAT) & (other_kinds == FLOAT)
    same = numbers & ((x == z) | (floats & (close | (np.isnan(x) & np.isnan(z)))))
    same |= (kinds == MISSING) & (other_kinds == MISSING)
    for index in np.flatnonzero((kinds == OTHER) & (other_kinds == OTHER)).tolist():
        same[index] = bool(first.score(int(one[index])) == second.score(int(other[index])))
    found[both] = ~same
    return found
