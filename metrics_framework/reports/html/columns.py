"""Which scores a report has, and how they are written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from metrics_framework.metrics.metric import CorpusMetric
from metrics_framework.reports.html.model import Better, Role, ScoreColumn
from metrics_framework.reports.html.scoring import Scores

ROLES: dict[str, Role] = {
    "compression_ratio": "compression",
    "levenshtein_similarity": "similarity",
    "sentence_splits": "splits",
    "exact_copies": "copies",
}


def columns_of(
    scores: Sequence[Scores], systems: Iterable[str], titles: Mapping[str, str], digits: int
) -> list[ScoreColumn]:
    """Describes every score that at least one output has, in the order of the metrics.

    The main score of a metric is the one of its own name; a metric that gives no such score has main scores only. A
    direction is known of the main score of a metric alone.

    Args:
        scores: The scores.
        systems: The names of the systems and baselines.
        titles: Score name to what the page calls it, where that is another name.
        digits: Digits behind the point, of numbers that are not whole.
    """
    names = list(systems)
    found = [column for one in scores for column in _columns(one, names, digits)]
    return [replace(column, title=titles.get(column.name, column.name)) for column in found]


def _columns(scores: Scores, systems: Sequence[str], digits: int) -> list[ScoreColumn]:
    whole: dict[str, bool] = {}
    whole_outputs: dict[str, bool] = {}
    for system in systems:
        for name, value in scores.of_system(system).items():
            whole[name] = whole.get(name, True) and _is_whole(value)
        for name, values in scores.of_outputs(system, max(scores.systems.get(system, [0])) + 1).items():
            whole_outputs[name] = whole_outputs.get(name, True) and all(map(_is_whole, values))
    is_main = [name for name in whole if name == scores.label] or list(whole)
    return [
        ScoreColumn(
            name,
            name,
            scores.label,
            name in is_main,
            _better(scores, name),
            "corpus" if scores.metric is not None and isinstance(scores.metric.metric, CorpusMetric) else "mean",
            0 if whole[name] else digits,
            0 if whole_outputs[name] else digits,
            ROLES.get(name),
        )
        for name in whole
    ]


def _is_whole(value: object) -> bool:
    return value is None or isinstance(value, int)


def _better(scores: Scores, name: str) -> Better | None:
    if scores.metric is None or name != scores.label:
        return None
    direction = scores.metric.metric.higher_is_better
    return None if direction is None else "higher" if direction else "lower"
