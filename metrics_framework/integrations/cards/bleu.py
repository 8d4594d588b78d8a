"""The card ``bleu``."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from metrics_framework.common.errors import UsageError
from metrics_framework.common.overriding import overrides
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.sums import plain_sum
from metrics_framework.data.texts import Text, as_string, shown
from metrics_framework.integrations.cards.card import Card
from metrics_framework.kernels.python.ngrams import bleu_statistics
from metrics_framework.metrics.base.batch_scores import Statistics
from metrics_framework.metrics.base.metric import MAX_ORDER, CorpusMetric, Metric
from metrics_framework.metrics.base.shapes import ReferenceBasedMetric
from metrics_framework.text.tokenizers.tokenizer import load_tokenizer


@Card.register("bleu")
class BleuCard(Card):
    """BLEU as in the translation tutorial of TensorFlow, as fractions; with the lengths of the shortest references."""

    metric_name = "bleu"

    @overrides
    def build(self, options: Mapping[str, Any]) -> Metric:
        for name in options:
            if name not in ("tokenizer", "max_order", "smooth"):
                raise UsageError(
                    f"the card 'bleu' has the options tokenizer, max_order and smooth, got '{name}'; the card "
                    "'sacrebleu' has those of sacreBLEU"
                )
        return FractionalBleu(**options)


class FractionalBleu(CorpusMetric, ReferenceBasedMetric):
    """BLEU of the card ``bleu``.

    BLEU = BP · exp(mean of log(matches / n-grams) over all orders); 0 if an order has no matches. It differs from
    ``load("bleu")`` in that it is a fraction, has no smoothing by default, and that the brevity penalty BP compares the
    length of an output with that of the shortest reference instead of the closest.

    Range: 0 to 1, higher is better.

    Source: Papineni, Roukos, Ward and Zhu (ACL 2002); the smoothing is that of Lin and Och (COLING 2004). Equal to the
    metric card ``bleu`` of ``evaluate``.

    Args:
        tokenizer: A function that returns the words of a text; by default, the tokenizer ``13a``.
        max_order: The maximum n-gram order, from 1 to 1000.
        smooth: Whether to add 1 to the matches and the n-grams of each order.

    Raises:
        UsageError: if an option has an invalid value.
    """

    score_range: ClassVar[tuple[float | None, float | None]] = (0, 1)
    statistics_are_whole = True

    def __init__(
        self, tokenizer: Callable[[str], Sequence[str]] | None = None, max_order: int = 4, smooth: bool = False
    ) -> None:
        super().__init__()
        if not (isinstance(max_order, int) and 1 <= max_order <= MAX_ORDER):
            raise UsageError(f"'max_order' must be an integer from 1 to {MAX_ORDER}, got {shown(max_order)}")
        if tokenizer is not None and not callable(tokenizer):
            raise UsageError(f"'tokenizer' must be a function that returns the words of a text, got {shown(tokenizer)}")
        self.max_order, self.smooth = max_order, smooth
        own = load_tokenizer("13a").tokenize
        self._words = tokenizer if tokenizer is not None else lambda text: own(text).split()

    def statistics_multi_all(
        self, summaries_list: Sequence[Sequence[Text]], references_list: Sequence[Sequence[Text]]
    ) -> list[list[Statistics]]:
        """Returns for each output its length, the shortest reference length, and matches and n-grams of each order."""
        summaries, references = (
            [[tuple(self._words(as_string(text))) for text in texts] for texts in groups]
            for groups in (summaries_list, references_list)
        )
        counted = bleu_statistics(summaries, references, self.max_order)
        shortest = [min(map(len, words)) for words in references]
        return [[[one[0], length, *one[2:]] for one in group] for group, length in zip(counted, shortest, strict=True)]

    @overrides
    def score_statistics(self, statistics: Statistics) -> MetricsDict:
        length, ref_length, *counts = map(int, statistics)
        matches, totals = counts[: self.max_order], counts[self.max_order :]
        added = 1 if self.smooth else 0
        precisions = [
            (match + added) / (total + added) if total + added else 0.0
            for match, total in zip(matches, totals, strict=True)
        ]
        weight = 1 / self.max_order
        mean = math.exp(plain_sum(weight * math.log(value) for value in precisions)) if min(precisions) > 0 else 0.0
        ratio = length / ref_length if ref_length else 0.0
        penalty = 0.0 if not ratio else 1.0 if ratio > 1 else math.exp(1 - 1 / ratio)
        return MetricsDict(
            {
                "bleu": mean * penalty,
                "precisions": precisions,
                "brevity_penalty": penalty,
                "length_ratio": ratio,
                "translation_length": length,
                "reference_length": ref_length,
            }
        )
