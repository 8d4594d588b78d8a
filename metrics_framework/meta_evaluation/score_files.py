"""Reads score files and merges their rows by output: Metrics JSONL, and tables of scores or of human ratings."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from metrics_framework.common.errors import DataError, InputError, Problems
from metrics_framework.data.field_names import OTHER_NAMES
from metrics_framework.data.identity import IDENTITY_FIELDS, parse_id, parse_summarizer_type
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.metrics_row import MetricsRow
from metrics_framework.data.texts import shown
from metrics_framework.io.jsonl import read_jsonl
from metrics_framework.io.tables import is_table
from metrics_framework.meta_evaluation.score_tables import DroppedColumn, read_score_table
from metrics_framework.meta_evaluation.scored_output import ScoredOutput

DUPLICATES = ("error", "first", "last")


@dataclass
class ScoreFiles:
    """Holds the merged rows of score files.

    Args:
        rows: One row an output, in the order of the files.
        signatures: By metric, what exactly was computed, where a file says so.
        warnings: What may make a result misleading.
        hints: By name of a column that is no metric, why it is none.
        dropped: The columns of tables that are no scores as some of their cells are text, though others are numbers.
        without_scores: By path of a file with rows but not one score, why there is none.
    """

    rows: list[MetricsRow] = field(default_factory=list)
    signatures: dict[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    hints: dict[str, str] = field(default_factory=dict)
    dropped: list[DroppedColumn] = field(default_factory=list)
    without_scores: dict[str, str] = field(default_factory=dict)


def read_score_files(paths: Sequence[str], duplicates: str = "error") -> ScoreFiles:
    """Reads score files and joins what they say of the same output.

    Args:
        paths: Metrics JSONL files, or tables ending in ``.csv`` or ``.tsv``; ``-``, ``.gz`` and ``.zst`` as everywhere.
        duplicates: What to do with an output that one file has twice: ``error``, or take the ``first`` or ``last``.

    Raises:
        DataError: if a file cannot be read, a row is not as it must be, or two rows contradict each other;
            all problems of all files are reported together.
    """
    if duplicates not in DUPLICATES:
        raise InputError(f"'duplicates' must be one of {', '.join(DUPLICATES)}, got '{duplicates}'")
    problems = Problems()
    merger = _Merger(problems)
    for path in paths:
        for output in _without_duplicates(_read(path, merger, problems), duplicates, problems):
            merger.add(output)
    files = merger.finished()
    problems.raise_any()
    return files


def _read(path: str, merger: _Merger, problems: Problems) -> Iterator[ScoredOutput]:
    """Reads one file; a file that cannot be read is a problem like any other."""
    found, scored, before = 0, False, len(problems)
    hints: dict[str, str] = {}
    try:
        dropped = merger.files.dropped
        outputs = read_score_table(path, hints, dropped, problems) if is_table(path) else _jsonl(path, merger, problems)
        for output in outputs:
            found += 1
            scored = scored or bool(output.metrics)
            yield output
    except DataError as problem:
        problems.add(problem)
    merger.files.hints.update(hints)
    if not found and len(problems) == before:
        problems.add(DataError("holds no scores", path))
    elif found and not scored:
        merger.files.without_scores[path] = " ".join(hints.values()) or "(Its rows name none.)"


def _jsonl(path: str, merger: _Merger, problems: Problems) -> Iterator[ScoredOutput]:
    for line, row in read_jsonl(path, problems):
        try:
            output = _output(row, path, line)
            merger.note_signatures(row.get("signature"), path, line)
        except DataError as problem:
            problems.add(problem if problem.path else DataError(problem.message, path, line))
        else:
            yield output


def _output(row: Mapping[str, Any], path: str, line: int) -> ScoredOutput:
    instance, summarizer, types = ((ours, *OTHER_NAMES[ours]) for ours in IDENTITY_FIELDS)
    ids = [_id(row, names, path, line) for names in (instance, summarizer)]
    kind = next((row[name] for name in types if name in row), None)
    if kind is not None:
        kind = parse_summarizer_type(kind, "summarizer_type")
    metrics = row.get("metrics")
    if not isinstance(metrics, dict):
        found = f"got {shown(metrics)}" if "metrics" in row else "and the row has none"
        hint = "; score outputs first: fw <metric> score" if "summary" in row else ""
        raise DataError(f"'metrics' must be an object of scores, {found}{hint}", path, line)
    for name, value in metrics.items():
        _check_score(name, value, path, line)
    return ScoredOutput(ids[0], ids[1], kind, MetricsDict(metrics), path, line)


def _id(row: Mapping[str, Any], names: Sequence[str], path: str, line: int) -> str:
    for name in names:
        if name in row:
            return parse_id(row[name], name)
    raise DataError(f"'{names[0]}' is missing; the row has {', '.join(map(repr, row)) or 'no keys'}", path, line)


def _check_score(name: str, value: Any, path: str, line: int) -> None:
    if isinstance(value, dict):
        for key, inner in value.items():
            _check_score(f"{name}_{key}", inner, path, line)
        return
    for one in value if isinstance(value, list) else [value]:
        if one is None or (isinstance(one, (int, float)) and not isinstance(one, bool) and not _is_infinite(one)):
            continue
        place = "'metrics'" if not name else f"score '{name}'"
        raise DataError(
            f"{place} must be a finite number, null, or a list or object of those, got {shown(value)}", path, line
        )


def _is_infinite(number: float) -> bool:
    try:
        return math.isinf(number)
    except OverflowError:  # a whole number beyond the range of floats
        return True


def _without_duplicates(outputs: Iterator[ScoredOutput], duplicates: str, problems: Problems) -> Iterator[ScoredOutput]:
    """Settles what to do with an output that one file has twice."""
    kept: dict[tuple[str, str], ScoredOutput] = {}
    for output in outputs:
        before = kept.get(output.key)
        if before is None or duplicates == "last":
            kept[output.key] = output
        elif duplicates == "error":
            problems.add(
                DataError(
                    f"{output.name} was already scored at {before.place}; "
                    "'--duplicates first' or '--duplicates last' takes one of them",
                    output.path,
                    output.line,
                )
            )
    yield from kept.values()


class _Merger:
    """Joins outputs by instance and summarizer, and remembers who said what."""

    def __init__(self, problems: Problems) -> None:
        self.files = ScoreFiles()
        self._problems = problems
        self._merged: dict[tuple[str, str], MetricsDict] = {}
        self._parts: dict[tuple[str, str], list[ScoredOutput]] = {}
        self._signature_places: dict[str, str] = {}

    def note_signatures(self, signatures: Any, path: str, line: int) -> None:
        """Takes note of the signatures that a row carries."""
        if signatures is None:
            return
        if not isinstance(signatures, dict) or not all(isinstance(one, str) for one in signatures.values()):
            raise DataError(
                f"'signature' must be an object from metrics to signatures, got {shown(signatures)}", path, line
            )
        for metric, signature in signatures.items():
            known = self.files.signatures.setdefault(metric, signature)
            place = self._signature_places.setdefault(metric, path)
            if known != signature:
                self.files.warnings.append(
                    f"'{metric}' was computed in two ways: {known} in {place}, {signature} in {path}"
                )

    def add(self, output: ScoredOutput) -> None:
        """Joins an output with what is known of it."""
        parts = self._parts.setdefault(output.key, [])
        merged = self._merged.get(output.key)
        try:
            self._merged[output.key] = output.metrics if merged is None else merged.merge(output.metrics)
            self._check_type(parts, output)
        except InputError as error:
            place = next((part.place for part in parts if _contradict(part.metrics, output.metrics)), "")
            self._problems.add(DataError(f"{output.name}: {error}, the first at {place}", output.path, output.line))
        except DataError as problem:
            self._problems.add(problem)
        parts.append(output)

    @staticmethod
    def _check_type(parts: Sequence[ScoredOutput], output: ScoredOutput) -> None:
        for part in parts:
            if None not in (part.summarizer_type, output.summarizer_type) and (
                part.summarizer_type != output.summarizer_type
            ):
                raise DataError(
                    f"{output.name} is a '{output.summarizer_type}', but at {part.place} a '{part.summarizer_type}'",
                    output.path,
                    output.line,
                )

    def finished(self) -> ScoreFiles:
        """Returns the merged rows; an output that nobody gave a type is a peer's."""
        for key, parts in self._parts.items():
            metrics = self._merged[key]
            kind = next((part.summarizer_type for part in parts if part.summarizer_type is not None), "peer")
            try:
                metrics.flatten()
            except InputError as error:
                self._problems.add(DataError(f"{parts[0].name}: {error}", parts[-1].path, parts[-1].line))
            self.files.rows.append(MetricsRow(*key, kind, metrics))
        return self.files


def _contradict(mine: MetricsDict, other: MetricsDict) -> bool:
    try:
        mine.merge(other)
    except InputError:
        return True
    return False
