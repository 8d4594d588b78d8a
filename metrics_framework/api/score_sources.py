"""What the functions on scores read: files, results of `evaluate`, rows and tables."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from metrics_framework.api.results import EvaluationResult
from metrics_framework.common.errors import DataError, InputError, ListName, Problems
from metrics_framework.common.logs import Log
from metrics_framework.data.scored_output import MetricsRow
from metrics_framework.data.texts import is_list, shown
from metrics_framework.inputs.frames import frame_of, library_of, named_row, rows_of
from metrics_framework.inputs.rating_rows import RatingRules, ScoresInMemory
from metrics_framework.io.locations import expanded

if TYPE_CHECKING:
    from metrics_framework.inputs.score_files import ScoreFiles


def sources_of(scores: Any) -> tuple[list[str | ScoresInMemory], str | None]:
    """Returns what to read, and the library of the first table.

    Raises:
        InputError: if the scores have none of the forms that `correlate` accepts.
    """
    is_source = isinstance(scores, (str, os.PathLike, EvaluationResult, Mapping)) or frame_of(scores, "scores")
    if not is_source and not is_list(scores):
        raise InputError(f"'scores' must be a table, rows, a result of evaluate() or files, got {shown(scores)}")
    parts = [scores] if is_source else list(scores)
    parts = [
        file
        for part in parts
        for file in (expanded([os.fspath(part)]) if isinstance(part, (str, os.PathLike)) else [part])
    ]
    if not is_source and parts and not isinstance(parts[0], EvaluationResult) and named_row(parts[0]) is not None:
        parts = [parts]
    library = next(filter(None, map(library_of, parts)), None)
    return [_source(part, "scores" if len(parts) == 1 else f"scores[{i}]") for i, part in enumerate(parts)], library


def _source(part: Any, name: str) -> str | ScoresInMemory:
    if isinstance(part, (str, os.PathLike)):
        return os.fspath(part)
    if isinstance(part, EvaluationResult):
        if part.by is not None:
            first = next(iter(part.sets))
            raise InputError(
                f"the result has several sets, whose ids may be the same; use one, as in result.sets['{first}']"
            )
        if not part.outputs:
            raise InputError("the result has no scores of outputs; call evaluate() with keep_outputs=True")
        return ScoresInMemory(ListName(name), rows=part.outputs, signatures=dict(part.signature))
    if is_list(part):
        part = list(part)
        if part and all(isinstance(row, MetricsRow) for row in part):
            return ScoresInMemory(ListName(name), rows=part)
    return ScoresInMemory.of_rows(name, iter(rows_of(part, name)))


def score_files_of(scores: Any, rules: RatingRules, log: Log) -> ScoreFiles:
    """Reads scores of outputs, and warns of dropped columns.

    Args:
        scores: Files, rows, tables or results.
        rules: How the rows are read.
        log: Receives the warnings.

    Raises:
        DataError: if a file is invalid or has no scores.
    """
    from metrics_framework.inputs.score_files import read_score_files
    from metrics_framework.metrics.base.direction import known_metrics

    files = read_score_files(sources_of(scores)[0], rules=rules, metrics=known_metrics())
    problems = Problems()
    for path, why in files.without_scores.items():
        problems.add(DataError(f"contains no scores. {why}", path))
    problems.raise_any()
    rules.tell(log)
    for warning in (*files.warnings, *(column.warning(column.path) for column in files.dropped)):
        log.warn(warning)
    return files
