"""chrF and chrF++: the F-score of character n-grams, and of character and word n-grams."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from metrics_framework.common.arrays import Floats
from metrics_framework.common.errors import UsageError
from metrics_framework.common.overriding import overrides
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.signature import sacrebleu_signature
from metrics_framework.data.texts import TextGroups, as_string
from metrics_framework.kernels.dispatch import MAX_NATIVE_ORDER, Kernel
from metrics_framework.metrics.base.batch_scores import Statistics
from metrics_framework.metrics.base.metric import CACHED_TEXTS, MAX_ORDER, SLOW_ABOVE, CorpusMetric, Metric
from metrics_framework.metrics.base.shapes import ReferenceBasedMetric
from metrics_framework.metrics.base.totals import added, ratio

EPSILON = 1e-16
MAX_BETA = 1e6  # with a larger beta, chrF equals recall to the last digit
PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


@Metric.register("chrf")
@dataclass(eq=False, repr=False)
class Chrf(CorpusMetric, ReferenceBasedMetric):
    """Character n-gram F-score (chrF), optionally with word n-grams (chrF++).

    chrF = 100 · (1 + β²) · P · R / (β² · P + R), where P and R are n-gram precision and recall, averaged over all
    orders of character and word n-grams. With the default β = 2, recall counts twice as much as precision. Orders for
    which the summary or the reference has no n-grams are ignored, unless ``eps_smoothing`` is on. In word n-grams, a
    punctuation mark at the end or else at the start of a word is a separate word.

    With several references, each output is compared with the reference that yields the highest score, the first
    on ties. Corpus-level chrF is computed from n-gram counts summed over all outputs.

    Range: 0 to 100, higher is better; 0 if no n-grams are shared.

    Source: Popović (WMT 2015); for chrF++, Popović (WMT 2017). Equal to the last bit to sacreBLEU 2.6.0.

    Args:
        char_order: The maximum order of character n-grams, at most 1000.
        word_order: The maximum order of word n-grams, at most 1000; 0 for chrF, 2 for chrF++.
        beta: The weight of recall relative to precision.
        lowercase: Whether to lowercase text.
        whitespace: Whether character n-grams include whitespace.
        eps_smoothing: Whether to average the F-scores of all orders, with a tiny number for orders without n-grams, as
            chrF++.py, NLTK and Moses do.

    Raises:
        UsageError: if an option has an invalid value.

    >>> Chrf().score("abc", ["abd"])  # shared: a, b; ab; nothing of order 3
    {'chrf': 38.888888888888886}
    >>> Chrf(word_order=2).signature().rpartition("|")[0]
    'chrf|case:mixed|eff:yes|nc:6|nw:2|space:no|beta:2'
    >>> Chrf(word_order=2).other_signatures("1")["sacrebleu"]
    'nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no|version:2.6.0'
    """

    kernel_name = "chrf"
    statistics_are_whole = True
    score_range = (0, 100)
    citation = "popovic-2015-chrf popovic-2017-chrf"

    char_order: int = 6
    word_order: int = 0
    beta: float = 2
    lowercase: bool = False
    whitespace: bool = False
    eps_smoothing: bool = False

    def __post_init__(self) -> None:
        if self.char_order < 0 or self.word_order < 0 or not self.char_order + self.word_order:
            raise UsageError(
                "'char_order' and 'word_order' must be non-negative and not both 0, "
                f"got {self.char_order} and {self.word_order}"
            )
        for name, order in (("char_order", self.char_order), ("word_order", self.word_order)):
            if order > MAX_ORDER:
                raise UsageError(f"'{name}' must be at most {MAX_ORDER}, got {order}")
        if not 0 <= self.beta <= MAX_BETA:
            raise UsageError(f"'beta' must be a number from 0 to {MAX_BETA:.0f}, got {self.beta}")
        self.slow_above = SLOW_ABOVE[max(self.char_order, self.word_order)]

    @overrides
    def signature_options(self) -> dict[str, Any]:
        return {
            "case": "lc" if self.lowercase else "mixed",
            "eff": not self.eps_smoothing,
            "nc": self.char_order,
            "nw": self.word_order,
            "space": self.whitespace,
            "beta": int(self.beta) if self.beta == int(self.beta) else self.beta,
        }

    @overrides
    def other_signatures(self, refs: str) -> dict[str, str]:
        options = self.signature_options()
        del options["beta"]  # in sacreBLEU, part of the name of the score
        return {"sacrebleu": sacrebleu_signature(refs, options)}

    def statistics_multi_all(self, summaries_list: TextGroups, references_list: TextGroups) -> list[list[Statistics]]:
        """Returns for each output three numbers per order: first for character n-grams, then for word n-grams.

        They are the n-grams of the summary (0 if the reference has none), of its best reference, and shared by both.
        """
        vectors_list = self._matches(self._characters, summaries_list, references_list, self.char_order)
        if self.word_order:
            words_list = self._matches(self._words, summaries_list, references_list, self.word_order)
            vectors_list = [
                [[a + b for a, b in zip(*both, strict=True)] for both in zip(*groups, strict=True)]
                for groups in zip(vectors_list, words_list, strict=True)
            ]
        return [
            [max(vectors, key=self._chrf) if len(vectors) > 1 else vectors[0] for vectors in group]
            for group in vectors_list
        ]

    @overrides
    def native(self, kernel: Kernel, *groups: Any) -> Any | None:
        if max(self.char_order, self.word_order) > MAX_NATIVE_ORDER:
            return None
        return kernel(
            *groups,
            char_order=self.char_order,
            word_order=self.word_order,
            squared_beta=float(self.beta**2),
            lowercase=self.lowercase,
            whitespace=self.whitespace,
            eps_smoothing=self.eps_smoothing,
        )

    @overrides
    def score_statistics(self, statistics: Statistics) -> MetricsDict:
        return MetricsDict({"chrf": self._chrf(statistics)})

    def score_sums(self, sums: Floats) -> dict[str, Floats]:
        """Computes the scores of many summed statistics, shape (sums, statistics), in one call."""
        import numpy as np

        squared_beta = self.beta**2
        of_summary, of_reference, shared = sums[:, ::3], sums[:, 1::3], sums[:, 2::3]
        if self.eps_smoothing:
            precision, recall = ratio(shared, of_summary, EPSILON), ratio(shared, of_reference, EPSILON)
            scores = ratio((1 + squared_beta) * precision * recall, squared_beta * precision + recall, EPSILON)
            return {"chrf": added(scores) * 100 / scores.shape[1]}
        has_ngrams = (of_summary > 0) & (of_reference > 0)
        orders = np.maximum(has_ngrams.sum(axis=1), 1)
        means = (added(np.where(has_ngrams, ratio(shared, one), 0.0)) / orders for one in (of_summary, of_reference))
        precision, recall = means
        return {"chrf": 100 * ratio((1 + squared_beta) * precision * recall, squared_beta * precision + recall)}

    def _matches(
        self, units: Any, summaries_list: TextGroups, references_list: TextGroups, order: int
    ) -> list[list[list[list[int]]]]:
        from metrics_framework.kernels.python.ngrams import matches_with_each_reference

        units = functools.lru_cache(CACHED_TEXTS)(units)
        return matches_with_each_reference(
            [[units(as_string(summary)) for summary in summaries] for summaries in summaries_list],
            [[units(as_string(reference)) for reference in references] for references in references_list],
            order,
        )

    def _characters(self, text: str) -> str:
        text = text.lower() if self.lowercase else text
        return text if self.whitespace else "".join(text.split())

    def _words(self, text: str) -> tuple[str, ...]:
        """Splits off one punctuation mark per word, at the end or else the start: ``(hi)`` into ``(hi`` and ``)``."""
        words: list[str] = []
        for word in (text.lower() if self.lowercase else text).split():
            if len(word) > 1 and word[-1] in PUNCTUATION:
                words += word[:-1], word[-1]
            elif len(word) > 1 and word[0] in PUNCTUATION:
                words += word[0], word[1:]
            else:
                words.append(word)
        return tuple(words)

    def _chrf(self, statistics: Statistics) -> float:
        squared_beta = self.beta**2
        counts = list(zip(statistics[::3], statistics[1::3], statistics[2::3], strict=True))
        if self.eps_smoothing:
            return _mean_of_f_scores(counts, squared_beta)
        return _f_score_of_means([order for order in counts if order[0] > 0 and order[1] > 0], squared_beta)


def _f_score_of_means(counts: Sequence[tuple[float, float, float]], squared_beta: float) -> float:
    """Averages precision and recall over the orders and returns their F-score."""
    precision = recall = 0.0
    for of_summary, of_reference, shared in counts:
        precision += shared / of_summary
        recall += shared / of_reference
    if not precision + recall:
        return 0.0
    precision /= len(counts)
    recall /= len(counts)
    score = (1 + squared_beta) * precision * recall
    score /= (squared_beta * precision) + recall
    return 100 * score


def _mean_of_f_scores(counts: Sequence[tuple[float, float, float]], squared_beta: float) -> float:
    """Averages the F-scores of all orders; precision or recall without n-grams is a tiny number."""
    score = 0.0
    for of_summary, of_reference, shared in counts:
        precision = shared / of_summary if of_summary > 0 else EPSILON
        recall = shared / of_reference if of_reference > 0 else EPSILON
        divisor = squared_beta * precision + recall
        score += ((1 + squared_beta) * precision * recall / divisor) if divisor > 0 else EPSILON
    return 100 * score / len(counts)
