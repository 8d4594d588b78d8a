"""The card ``chrf``."""

from __future__ import annotations

from typing import Any, ClassVar

from metrics_framework.common.options import built_with
from metrics_framework.common.overriding import overrides
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.integrations.cards.card import Card
from metrics_framework.metrics.base.metric import Metric


@Card.register("chrf")
class ChrfCard(Card):
    """chrF and chrF++ of sacreBLEU, with the orders of n-grams and the weight of recall."""

    metric_name = "chrf"
    same_number_of_references: ClassVar[bool] = True

    @overrides
    def result(self, metric: Metric, scores: MetricsDict) -> Any:
        options = built_with(metric, Metric)
        beta = options["beta"]
        return {
            "score": scores["chrf"],
            "char_order": options["char_order"],
            "word_order": options["word_order"],
            "beta": int(beta) if beta == int(beta) else beta,
        }
