"""The modified pyramid score."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from metrics_framework.common.errors import InputError
from metrics_framework.common.overriding import overrides
from metrics_framework.data.jackknifers import PyramidJackknifer
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.pyramid import Pyramid, PyramidAnnotation
from metrics_framework.data.texts import shown
from metrics_framework.metrics.base.metric import Metric
from metrics_framework.metrics.base.shapes import ChosenFieldsMetric


@Metric.register("pyramid-score")
class PyramidScore(ChosenFieldsMetric):
    """Modified pyramid score: weight of annotated content units, relative to an ideal summary.

    The score is the total weight of the summary content units (SCUs) annotated in the summary, divided by the total
    weight of an ideal summary. The weight of a unit is the number of model summaries that express it. Each unit counts
    once; units that are not in the pyramid have weight 0. The ideal summary contains the units with the highest
    weights, as many as a model summary contains on average, rounded up.

    Range: 0 and up, higher is better; 1 for an ideal summary of average size, above 1 for a summary with more content.
    NaN if the pyramid has no units.

    Raises:
        InputError: if an argument is not an annotation or not a pyramid.

    Source: Nenkova and Passonneau (2004). The modified score, which does not require a count of units outside the
    pyramid, is described by Passonneau, Nenkova, McKeown and Sigelman, "Applying the Pyramid Method in DUC 2005". Equal
    to the scores of SacreROUGE 0.2.5.

    >>> from metrics_framework.data.pyramid import Scu
    >>> scus = (Scu(1, (0, 1)), Scu(2, (0,)), Scu(3, (1,)))
    >>> pyramid = Pyramid("d1", ("A", "B"), ("reference", "reference"), ("", ""), scus)
    >>> annotation = PyramidAnnotation("d1", "7", "peer", "", (1,))
    >>> PyramidScore().score(annotation, pyramid)  # 2 of the ideal 2 + 1
    {'modified_pyramid_score': 0.6666666666666666}
    """

    required_summary_fields = ("annotation",)
    required_context_fields = ("pyramid",)
    jackknifer = PyramidJackknifer()
    score_range = (0.0, None)
    ratios = ("modified_pyramid_score",)
    citation = "nenkova-passonneau-2004-evaluating"

    @overrides
    def score_multi_all(self, *groups: Any) -> list[list[MetricsDict]]:
        return [
            _scores(
                [_checked("annotation", annotation, PyramidAnnotation) for annotation in annotations],
                _checked("pyramid", pyramid, Pyramid),
            )
            for annotations, pyramid in zip(*groups, strict=True)
        ]


def _scores(annotations: Sequence[PyramidAnnotation], pyramid: Pyramid) -> list[MetricsDict]:
    weights = {scu.scu_id: scu.weight for scu in pyramid.scus}
    ideal = ideal_weight(list(weights.values()), len(pyramid.summarizer_ids))
    totals = [sum(weights.get(scu_id, 0) for scu_id in set(annotation.scus)) for annotation in annotations]
    return [MetricsDict({"modified_pyramid_score": total / ideal if ideal else math.nan}) for total in totals]


def ideal_weight(weights: Sequence[int], number_of_summaries: int) -> int:
    """Returns the highest possible weight of a summary with the average number of content units, rounded up.

    Args:
        weights: The weight of each unit; they add up to the total number of units in all model summaries.
        number_of_summaries: The number of model summaries.
    """
    return sum(sorted(weights, reverse=True)[: average_units(weights, number_of_summaries)])


def average_units(weights: Sequence[int], number_of_summaries: int) -> int:
    """Returns the average number of content units of a model summary, rounded up; 0 without model summaries."""
    return -(-sum(weights) // number_of_summaries) if number_of_summaries else 0


def _checked(name: str, value: Any, expected: type[Any]) -> Any:
    if not isinstance(value, expected):
        raise InputError(f"'{name}' must be a {expected.__name__}, got {shown(value)}")
    return value
