"""The card ``sacrebleu``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from metrics_framework.common.overriding import overrides
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.sums import plain_sum
from metrics_framework.integrations.cards.card import Card
from metrics_framework.metrics.base.metric import SCORES, STATISTICS, CorpusMetric, Metric


@Card.register("sacrebleu")
class SacrebleuCard(Card):
    """BLEU of sacreBLEU, with the numbers of n-grams and of their matches."""

    metric_name = "bleu"
    without_effect: ClassVar[Sequence[str]] = ("force",)
    same_number_of_references: ClassVar[bool] = True

    @overrides
    def build(self, options: Mapping[str, Any]) -> Metric:
        return super().build({name: value for name, value in options.items() if (name, value) != ("tokenize", None)})

    @overrides
    def evaluate(self, metric: Metric, arguments: Sequence[Any]) -> tuple[MetricsDict, list[MetricsDict]]:
        if not isinstance(metric, CorpusMetric):
            return super().evaluate(metric, arguments)
        total = metric.new_total()
        batch = metric.score_each(SCORES | STATISTICS, arguments)
        statistics = batch.statistics or []
        if not statistics:
            return super().evaluate(metric, arguments)  # which raises an error
        total.extend(batch.scores, statistics, None)
        summed = [plain_sum(column) for column in zip(*statistics, strict=True)]
        each = [_with_counts(scores, one) for scores, one in zip(batch.scores, statistics, strict=True)]
        return _with_counts(total.score(), summed), each

    @overrides
    def result(self, metric: Metric, scores: MetricsDict) -> Any:
        names = {"score": "bleu", "counts": "counts", "totals": "totals", "precisions": "bleu_precisions"}
        names |= {name: f"bleu_{name}" for name in ("bp", "sys_len", "ref_len")}
        return {name: scores[own] for name, own in names.items()}


def _with_counts(scores: MetricsDict, statistics: Sequence[Any]) -> MetricsDict:
    """Adds the numbers of matches and n-grams of each order, which follow two lengths."""
    counts = list(map(int, statistics[2:]))
    orders = len(counts) // 2
    return MetricsDict({**scores, "counts": counts[:orders], "totals": counts[orders:]})
