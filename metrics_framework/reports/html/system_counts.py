"""How many outputs of a system have a score, where some have none (decision 0070)."""

from __future__ import annotations

from collections.abc import Sequence

from metrics_framework.data.scored_counts import ScoredCount
from metrics_framework.reports.html.collected_scores import Scores
from metrics_framework.reports.html.model import Number, ScoreColumn, System


def add_counts(
    system: System,
    scores: Sequence[Scores],
    columns: Sequence[ScoreColumn],
    bins: Sequence[Sequence[int]],
    size: int,
) -> None:
    """Adds the numbers of outputs with a score to a system, for means that some of its outputs have no score for.

    A score that is computed from all outputs together needs no score of each output. A baseline that a metric does not
    score has no counts.

    Args:
        system: The system, with its outputs.
        scores: The scores.
        columns: The description of the scores.
        bins: The sentences of each of the bins of length.
        size: The number of sentences.
    """
    values = {name: numbers for one in scores for name, numbers in one.of_outputs(system.name, size).items()}
    for column in columns:
        if column.aggregate != "mean" or (system.kind == "baseline" and column.name not in values):
            continue
        numbers: Sequence[Number] = values.get(column.name, [None] * size)
        scored = sum(number is not None for number in numbers)
        if scored < system.outputs:
            system.scored[column.name] = scored
            system.scored_by_length[column.name] = [_count(system, numbers, places) for places in bins]


def _count(system: System, numbers: Sequence[Number], places: Sequence[int]) -> ScoredCount:
    outputs = [place for place in places if not system.texts or system.texts[place] is not None]
    return ScoredCount(sum(numbers[place] is not None for place in outputs), len(outputs))
