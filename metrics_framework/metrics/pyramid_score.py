"""The metric ``pyramid-score``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from metrics_framework.common.errors import InputError
from metrics_framework.data.jackknifers import PyramidJackknifer
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.pyramid import Pyramid, PyramidAnnotation
from metrics_framework.data.texts import shown
from metrics_framework.metrics.base.metric import SCORES, Metric


@Metric.register("pyramid-score")
class PyramidScore(Metric):
    """Weighs the content units that people found in a summary: the modified pyramid score.

    Formula: the weight of the units (SCUs) annotated in the summary, divided by the weight of an ideal summary. A unit
    weighs as much as the number of model summaries that express it, and counts once; one that the pyramid does not
    have weighs nothing. The ideal summary has the heaviest units, as many as a model summary has on average, rounded
    up.

    Range: from 0; 1 for an ideal summary of average size, above 1 for one that expresses more. NaN where the ideal
    weighs nothing, because the pyramid has no units.

    Raises:
        InputError: if what should be an annotation or a pyramid is something else.

    Source: Nenkova and Passonneau (2004); the modified score, which needs no count of the units outside of the pyramid,
    is described in Passonneau, Nenkova, McKeown and Sigelman, "Applying the Pyramid Method in DUC 2005". The numbers
    equal those of SacreROUGE 0.2.5.

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
    citation = """@inproceedings{nenkova-passonneau-2004-evaluating,
    title = "Evaluating Content Selection in Summarization: The Pyramid Method",
    author = "Nenkova, Ani and Passonneau, Rebecca",
    booktitle = "Proceedings of the Human Language Technology Conference of the North {A}merican Chapter of the
        Association for Computational Linguistics: {HLT}-{NAACL} 2004",
    year = "2004",
    address = "Boston, Massachusetts, USA",
    publisher = "Association for Computational Linguistics",
    url = "https://aclanthology.org/N04-1019",
    pages = "145--152",
}"""

    def score(self, annotation: PyramidAnnotation, pyramid: Pyramid) -> MetricsDict:
        """Scores one annotation against its pyramid."""
        return self.score_batch(SCORES, [[annotation]], [pyramid]).scores[0]

    def score_all(self, annotations: Sequence[PyramidAnnotation], pyramids: Sequence[Pyramid]) -> list[MetricsDict]:
        """Scores each annotation against the pyramid at the same place of the other list."""
        return self._score_each(SCORES, (annotations, pyramids)).scores

    def score_multi(self, annotations: Sequence[PyramidAnnotation], pyramid: Pyramid) -> list[MetricsDict]:
        """Scores several annotations against the same pyramid."""
        return self.score_batch(SCORES, [annotations], [pyramid]).scores

    def score_multi_all(
        self, annotations_list: Sequence[Sequence[PyramidAnnotation]], pyramids: Sequence[Pyramid]
    ) -> list[list[MetricsDict]]:
        """Scores each group of annotations against its pyramid."""
        return [
            _scores(
                [_checked("annotation", one, PyramidAnnotation) for one in group], _checked("pyramid", own, Pyramid)
            )
            for group, own in zip(annotations_list, pyramids, strict=True)
        ]

    def evaluate(
        self, annotations: Sequence[PyramidAnnotation], pyramids: Sequence[Pyramid]
    ) -> tuple[MetricsDict, list[MetricsDict]]:
        """Returns the score of all annotations together, and of each."""
        return self._evaluate(annotations, pyramids)


def _scores(annotations: Sequence[PyramidAnnotation], pyramid: Pyramid) -> list[MetricsDict]:
    weights = {scu.scu_id: scu.weight for scu in pyramid.scus}
    ideal = ideal_weight(list(weights.values()), len(pyramid.summarizer_ids))
    totals = [sum(weights.get(scu_id, 0) for scu_id in set(annotation.scus)) for annotation in annotations]
    return [MetricsDict({"modified_pyramid_score": total / ideal if ideal else math.nan}) for total in totals]


def ideal_weight(weights: Sequence[int], number_of_summaries: int) -> int:
    """Returns the greatest weight that a summary with the average number of content units, rounded up, can have.

    Args:
        weights: The weight of each unit. They add up to the number of units in all model summaries together.
        number_of_summaries: The number of model summaries.
    """
    if not number_of_summaries:
        return 0
    units = -(-sum(weights) // number_of_summaries)
    return sum(sorted(weights, reverse=True)[:units])


def _checked(name: str, value: Any, expected: type[Any]) -> Any:
    if not isinstance(value, expected):
        raise InputError(f"'{name}' must be a {expected.__name__}, got {shown(value)}")
    return value
