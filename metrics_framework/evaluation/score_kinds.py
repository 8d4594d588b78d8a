"""Kinds of scores: main scores and components, their direction and their scale; tables depend on them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from metrics_framework.metrics.base.metric import LabelledMetric


class ScoreKind(NamedTuple):
    """The kind of a score.

    Attributes:
        metric: The label of its metric.
        is_main: Whether it is a main score. The main score has the name of the metric; without such a score, all scores
            of the metric are main scores.
        higher_is_better: Whether higher scores are better; `None` if unknown, as for all scores that are not main.
        is_ratio: Whether it is a ratio, with values around or below 1, rather than a percentage or a count.
    """

    metric: str = ""
    is_main: bool = True
    higher_is_better: bool | None = None
    is_ratio: bool = False


def kinds_of(metrics: Iterable[LabelledMetric], names: Mapping[str, Sequence[str]]) -> dict[str, ScoreKind]:
    """Returns the kind of each score of a run.

    Args:
        metrics: The metrics.
        names: Maps the label of each metric to the flat names of its scores.
    """
    kinds = {}
    for metric in metrics:
        has_main = metric.label in names[metric.label]
        directions = {metric.renamed_score(name): better for name, better in metric.metric.directions.items()}
        ratios = {metric.renamed_score(name) for name in metric.metric.ratios}
        for name in names[metric.label]:
            is_main = name == metric.label or not has_main
            is_ratio = name in ratios or (name == metric.label and metric.metric.score_range[1] == 1)
            better = directions.get(name, metric.metric.higher_is_better if is_main else None)
            kinds[name] = ScoreKind(metric.label, is_main, better, is_ratio)
    return kinds
