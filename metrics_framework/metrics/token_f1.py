"""Token F1: the word overlap of a summary and its references."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from metrics_framework.common.overriding import overrides
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.texts import TextGroups
from metrics_framework.metrics.base.bleu_family import NgramPrecision
from metrics_framework.metrics.base.metric import Metric
from metrics_framework.metrics.base.shapes import ReferenceBasedMetric
from metrics_framework.text.tokenizers.tokenizer import TokenizerName, tokenizer_signature


@Metric.register("token-f1")
@dataclass(eq=False, repr=False)
class TokenF1(ReferenceBasedMetric):
    """Token F1: word overlap of a summary with the best-matching reference, regardless of order.

    F1 = 100 · 2 · c / (s + r) for a summary of s words and a reference of r words with c common words, each counted as
    often as it occurs in both texts. With several references, the highest F1 counts. The score of a system is the mean
    over its outputs. F1 is 100 if both texts are empty.

    Range: 0 to 100 (the words of a reference); higher is better.

    Source: van Rijsbergen (1979) for the F-measure; token F1 is one of the metrics of EASSE (Alva-Manchego, Martin,
    Scarton and Specia, EMNLP 2019).

    Args:
        tokenizer: The tokenizer.
        lowercase: Whether to lowercase text before tokenization.

    Raises:
        UnknownNameError: if the tokenizer is unknown.
        MissingExtraError: if the tokenizer requires a package that is not installed.

    >>> TokenF1().score("the cat sat", ["a dog", "the cat sat on the mat"])  # 3 common words of 3 and 6
    {'token-f1': 66.66666666666666}
    >>> TokenF1(lowercase=False).signature().rpartition("|")[0]
    'token-f1|case:mixed|tok:13a'
    """

    score_range = (0, 100)
    spaceless_options = {"zh": "tokenizer=zh", "": "tokenizer=char"}
    citation = "alva-manchego-etal-2019-easse"

    tokenizer: TokenizerName = "13a"
    lowercase: bool = True

    def __post_init__(self) -> None:
        self._words = NgramPrecision(max_ngram_order=1, tokenizer=self.tokenizer, lowercase=self.lowercase)
        self.splits_at_spaces = self._words.splits_at_spaces

    @overrides
    def signature_options(self) -> dict[str, Any]:
        return {"case": "lc" if self.lowercase else "mixed", "tok": tokenizer_signature(self.tokenizer)}

    @overrides
    def score_multi_all(self, summaries_list: TextGroups, references_list: TextGroups) -> list[list[MetricsDict]]:
        pairs = list(zip(summaries_list, references_list, strict=True))
        # One group per reference: the best F1 needs the matches with each reference. Words are n-grams of order 1.
        statistics = iter(
            self._words.ngram_statistics(
                [summaries for summaries, references in pairs for _ in references],
                [[reference] for references in references_list for reference in references],
            )
        )
        return [
            [_best_f1(of_summary) for of_summary in zip(*[next(statistics) for _ in references], strict=True)]
            for references in references_list
        ]


def _best_f1(statistics: Sequence[Sequence[int]]) -> MetricsDict:
    """Returns the highest F1, given the statistics of BLEU with n-grams of order 1 for each reference."""
    ratios = [
        2 * matches / (length + reference_length) if length + reference_length else 1.0
        for length, reference_length, matches, _ in statistics
    ]
    return MetricsDict({"token-f1": 100 * max(ratios)})
