"""Reads score files and merges their rows by output: Metrics JSONL, and tables of scores or of human ratings."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from metrics_framework.common.errors import DataError, InputError, Problems, how_to_keep_one
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.metrics_row import MetricsRow
from metrics_framework.data.scored_output import (
    ScoredOutput,
)
from metrics_framework.data.similar_names import similar_in_files
from metrics_framework.data.texts import shown
from metrics_framework.io.locations import is_remote
from metrics_framework.io.parquet_scores import is_plain_table, read_score_rows
from metrics_framework.io.rating_tables import (
    RATER_COLUMNS,
    DroppedColumn,
    LeftOut,
    read_rating_table,
)
from metrics_framework.io.score_rows import scored_row
from metrics_framework.io.tables import is_table
from metrics_framework.meta_evaluation.scores.scores_in_memory import ScoresInMemory
from metrics_framework.meta_evaluation.settings import DUPLICATES

_NAME_RATERS = f"if the rows are ratings by several raters, name them in a column '{RATER_COLUMNS[0]}'; else "


@dataclass
class ScoreFiles:
    """The merged rows of score files.

    Args:
        rows: One row per output, with flat score names, in the order of the files.
        signatures: Metric to its signature, if a file has one.
        warnings: What may make a result misleading.
        hints: Name of a column that is not a metric, to the reason.
        dropped: The columns of tables that are not metrics because some cells are text, although others are numbers.
        missing: Metric to the counts of its missing values in tables, by their spelling.
        without_scores: Path of a file with rows but no score, to the reason.
        kept_rows: Path of an input that can be read only once, such as standard input, to its numbered rows.
    """

    rows: list[MetricsRow] = field(default_factory=list)
    signatures: dict[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    hints: dict[str, str] = field(default_factory=dict)
    dropped: list[DroppedColumn] = field(default_factory=list)
    missing: dict[str, Counter[str]] = field(default_factory=dict)
    without_scores: dict[str, str] = field(default_factory=dict)
    kept_rows: dict[str, list[tuple[int, dict[str, Any]]]] = field(default_factory=dict)


def read_score_files(
    paths: Sequence[str | ScoresInMemory], duplicates: str = "error", rater_column: str | None = None
) -> ScoreFiles:
    """Reads score files and merges the rows of the same output.

    Args:
        paths: Metrics JSONL files, or tables ending in ``.csv`` or ``.tsv``; ``-``, ``.gz`` and ``.zst`` also work. Or
            scores in memory, which are read like files.
        duplicates: What to do with an output that appears twice in one file: ``error``, or keep the ``first`` or
            ``last``.
        rater_column: The column of raters in tables; by default one of `RATER_COLUMNS`.

    Raises:
        DataError: if a file cannot be read, a row is malformed, or two rows contradict each other; all problems of all
            files are reported together.
    """
    if duplicates not in DUPLICATES:
        raise InputError(f"'duplicates' must be one of {', '.join(DUPLICATES)}, got '{duplicates}'")
    problems = Problems()
    merger = _Merger(problems)
    raters = RATER_COLUMNS if rater_column is None else (rater_column,)
    for path in paths:
        for output in _without_duplicates(_read(path, merger, problems, raters), duplicates, problems):
            merger.add(output)
    files = merger.finished()
    problems.raise_any()
    if len(paths) > 1:
        files.warnings += merger.similar_names()
    return files


def _read(
    source: str | ScoresInMemory, merger: _Merger, problems: Problems, raters: Sequence[str]
) -> Iterator[ScoredOutput]:
    """Reads one file; a file that cannot be read is a problem like any other."""
    path = source if isinstance(source, str) else source.name
    rows, scored, before = 0, False, len(problems)
    hints: dict[str, str] = {}
    left_out = LeftOut(hints, merger.files.dropped, merger.files.missing)
    try:
        if isinstance(source, ScoresInMemory):
            merger.add_signatures(source.signatures, path, 1)
            outputs = source.outputs(left_out, problems, raters)
        elif is_plain_table(path):
            outputs = read_rating_table(path, left_out, problems, raters)
        else:
            outputs = _read_metrics_jsonl(path, merger, problems)
        for output in outputs:
            rows += 1
            scored = scored or bool(output.metrics)
            yield output
    except DataError as problem:
        problems.add(problem)
    merger.files.hints.update(hints)
    if not rows and len(problems) == before:
        problems.add(DataError("contains no scores", path))
    elif rows and not scored:
        merger.files.without_scores[path] = " ".join(hints.values()) or "(Its rows have no scores.)"


def _read_metrics_jsonl(path: str, merger: _Merger, problems: Problems) -> Iterator[ScoredOutput]:
    kept = None if os.path.isfile(path) or is_remote(path) else merger.files.kept_rows.setdefault(path, [])
    for line, row in read_score_rows(path, problems):
        if kept is not None:
            kept.append((line, row))
        try:
            output = scored_row(row, path, line)
            merger.add_signatures(row.get("signature"), path, line)
        except DataError as problem:
            problems.add(problem if problem.path else DataError(problem.message, path, line))
        else:
            yield output


def _without_duplicates(outputs: Iterator[ScoredOutput], duplicates: str, problems: Problems) -> Iterator[ScoredOutput]:
    """Resolves or reports outputs that appear twice in one file."""
    kept: dict[tuple[str, str], ScoredOutput] = {}
    for output in outputs:
        key = output.key
        first = kept.get(key)
        if first is None or duplicates == "last":
            kept[key] = output
        elif duplicates == "error":
            advice = f"{_NAME_RATERS if is_table(output.path) else ''}{how_to_keep_one(output.path)}"
            message = f"duplicate row for {output.name} (first at {first.location}); {advice}"
            problems.add(DataError(message, output.path, output.line))
    yield from kept.values()


_RENAME_SCORES = "; to compare scores of one name, score with a label: fw score --metric NAME:label=OTHER"


class _Merger:
    """Merges rows by instance and summarizer, and records where each was read.

    Args:
        problems: Collects contradictions.
    """

    def __init__(self, problems: Problems) -> None:
        self.files = ScoreFiles()
        self._problems = problems
        self._merged: dict[tuple[str, str], MetricsDict] = {}
        self._parts: dict[tuple[str, str], list[ScoredOutput]] = {}
        self._signature_paths: dict[str, str] = {}
        self._has_advised = False

    def add_signatures(self, signatures: Any, path: str, line: int) -> None:
        """Records the signatures of a row."""
        if signatures is None:
            return
        if not isinstance(signatures, dict) or not all(isinstance(signature, str) for signature in signatures.values()):
            raise DataError(
                f"'signature' must be an object from metrics to signatures, got {shown(signatures)}", path, line
            )
        for metric, signature in signatures.items():
            known = self.files.signatures.setdefault(metric, signature)
            first_path = self._signature_paths.setdefault(metric, path)
            if known != signature:
                self.files.warnings.append(
                    f"'{metric}' was computed in two ways: {known} in {first_path}, {signature} in {path}"
                )

    def add(self, output: ScoredOutput) -> None:
        """Merges a row with the rows of the same output."""
        key = output.key
        parts = self._parts.setdefault(key, [])
        merged = self._merged.get(key)
        try:
            if merged is None:
                self._merged[key] = output.metrics
            elif merged.keys().isdisjoint(output.metrics):  # the usual case, without a deep copy
                self._merged[key] = merged | output.metrics
            else:
                self._merged[key] = merged.merge(output.metrics)
            self._check_type(parts, output)
        except InputError as error:
            location = next((part.location for part in parts if _contradict(part.metrics, output.metrics)), "")
            advice = "" if self._has_advised else _RENAME_SCORES
            self._has_advised = True
            self._problems.add(
                DataError(f"{output.name}: {error} (first at {location}){advice}", output.path, output.line)
            )
        except DataError as problem:
            self._problems.add(problem)
        parts.append(output)

    def similar_names(self) -> list[str]:
        """Describes ids of two files that differ only in case or spaces, because their outputs are not merged."""
        inputs, systems = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
        for (instance, system), parts in self._parts.items():
            for part in parts:
                inputs[part.path].add(instance)
                systems[part.path].add(system)
        return [*similar_in_files("systems", systems), *similar_in_files("inputs", inputs)]

    @staticmethod
    def _check_type(parts: Sequence[ScoredOutput], output: ScoredOutput) -> None:
        for part in parts:
            types = part.summarizer_type, output.summarizer_type
            if None not in types and types[0] != types[1]:
                raise DataError(
                    f"{output.name} has the type '{types[1]}', but '{types[0]}' at {part.location}",
                    output.path,
                    output.line,
                )

    def finished(self) -> ScoreFiles:
        """Returns the merged rows; an output without a type is a peer."""
        for key, parts in self._parts.items():
            types = (part.summarizer_type for part in parts if part.summarizer_type is not None)
            try:
                scores = self._merged[key].flatten()
            except InputError as error:
                self._problems.add(DataError(f"{parts[0].name}: {error}", parts[-1].path, parts[-1].line))
            else:
                self.files.rows.append(MetricsRow(*key, next(types, "peer"), scores))
        return self.files


def _contradict(first: MetricsDict, second: MetricsDict) -> bool:
    try:
        first.merge(second)
    except InputError:
        return True
    return False
