"""The base of the cards ``wer`` and ``cer``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from metrics_framework.common.overriding import overrides
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.sums import plain_sum
from metrics_framework.integrations.cards.card import Card
from metrics_framework.metrics.base.metric import Metric


class ErrorRateCard(Card):
    """An error rate of jiwer: one number, a fraction."""

    without_effect: ClassVar[Sequence[str]] = ("concatenate_texts",)  # since jiwer 4, texts are compared one by one
    one_reference: ClassVar[bool] = True

    @overrides
    def result(self, metric: Metric, scores: MetricsDict) -> Any:
        edits = plain_sum(scores[f"{metric.name}_{edit}"] for edit in ("substitutions", "deletions", "insertions"))
        return edits / max(1, scores[f"{metric.name}_ref_length"])
