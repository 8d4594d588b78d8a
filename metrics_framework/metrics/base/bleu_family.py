"""The options, tokenization, statistics and formula of BLEU, shared by the metrics that are based on it."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from metrics_framework.common.arrays import Floats
from metrics_framework.common.errors import UsageError
from metrics_framework.common.overriding import overrides
from metrics_framework.data.signature import sacrebleu_signature
from metrics_framework.data.sums import plain_sum
from metrics_framework.data.texts import TextGroups, as_string
from metrics_framework.kernels.dispatch import (
    MAX_NATIVE_ORDER,
    NATIVE_TOKENIZATIONS,
    Kernel,
    Request,
    Tokenization,
    native_kernel,
)
from metrics_framework.metrics.base.batch_scores import Statistics, in_groups
from metrics_framework.metrics.base.metric import CACHED_TEXTS, MAX_ORDER, SLOW_ABOVE, Metric
from metrics_framework.metrics.base.totals import added, ratio
from metrics_framework.text.tokenizers.tokenizer import AnyTokenizerName, load_tokenizer, tokenizer_signature

Smoothing = Literal["none", "floor", "add-k", "exp"]
_SMOOTHINGS = get_args(Smoothing)
DEFAULT_VALUES: Mapping[str, float] = {"floor": 0.1, "add-k": 1.0}  # Chen and Cherry (WMT 2014)
LOG_OF_ZERO = -9999999999  # as in sacreBLEU: the score is 0, not undefined
_PAIRWISE = 8
"""From this many numbers on, NumPy adds the numbers of a row in pairs, and from left to right below."""


@dataclass(eq=False, repr=False)
class NgramPrecision(Metric):
    """Base class of corpus BLEU, sentence BLEU and metrics computed from them; list it before the shape.

    Args:
        smooth_method: Smoothing of n-gram orders without matches: ``exp`` counts 1/2 match for the first such order,
            1/4 for the next, and so on; ``floor`` counts ``smooth_value`` matches; ``add-k`` adds ``smooth_value`` to
            the matches and totals of all orders above 1; ``none`` counts 0.
        smooth_value: The value of the smoothing methods floor (default: 0.1) and add-k (default: 1).
        max_ngram_order: The maximum n-gram order, from 1 to 1000.
        effective_order: Whether to average only over the orders for which the summary has n-grams.
        tokenizer: The tokenizer.
        lowercase: Whether to lowercase text before tokenization.
    """

    score_range = (0, 100)
    option_aliases = {"tokenize": "tokenizer", "use_effective_order": "effective_order"}
    language_tokenizers = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}  # sacreBLEU's
    spaceless_options = {"zh": "tokenizer=zh", "ja": "tokenizer=ja-mecab", "": "tokenizer=char"}
    citation = "papineni-etal-2002-bleu post-2018-call"

    smooth_method: Smoothing = "exp"
    smooth_value: float | None = None
    max_ngram_order: int = 4
    effective_order: bool = False
    tokenizer: AnyTokenizerName = "13a"
    lowercase: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.max_ngram_order <= MAX_ORDER:
            raise UsageError(f"'max_ngram_order' must be an integer from 1 to {MAX_ORDER}, got {self.max_ngram_order}")
        if self.smooth_value is None:
            self.smooth_value = DEFAULT_VALUES.get(self.smooth_method)
        elif self.smooth_method not in DEFAULT_VALUES:
            methods = " or ".join(DEFAULT_VALUES)
            raise UsageError(f"'smooth_value' requires the smoothing method {methods}, got '{self.smooth_method}'")
        elif not 0 <= self.smooth_value < math.inf:
            raise UsageError(f"'smooth_value' must be a non-negative number, got {self.smooth_value}")
        self.smooth_value = None if self.smooth_value is None else float(self.smooth_value)
        self.slow_above = SLOW_ABOVE[self.max_ngram_order]
        self.expects_detokenized = self.tokenizer != "none"
        self._tokenizer = load_tokenizer(self.tokenizer)
        self.splits_at_spaces = self._tokenizer.unit == "word"
        self._tokenize = self._tokenizer.tokenize

    @overrides
    def signature_options(self) -> dict[str, Any]:
        value = "" if self.smooth_value is None else f"[{self.smooth_value!r}]"
        return {
            "case": "lc" if self.lowercase else "mixed",
            "eff": self.effective_order,
            "tok": tokenizer_signature(self.tokenizer),
            "smooth": f"{self.smooth_method}{value}",
            "order": self.max_ngram_order,
        }

    @overrides
    def other_signatures(self, refs: str) -> dict[str, str]:
        tokenizer = self._tokenizer.sacrebleu_signature()
        if tokenizer is None:
            return {}
        value = "" if self.smooth_value is None else f"[{self.smooth_value:.2f}]"
        options = {
            "case": "lc" if self.lowercase else "mixed",
            "eff": self.effective_order,
            "tok": tokenizer,
            "smooth": f"{self.smooth_method}{value}",
        }
        return {"sacrebleu": sacrebleu_signature(refs, options)}

    def _statistics(self, summaries_list: TextGroups, references_list: TextGroups) -> list[list[list[int]]]:
        from metrics_framework.kernels.python.ngrams import bleu_statistics

        words = functools.lru_cache(CACHED_TEXTS)(self._words)
        summaries, references = (
            [[words(as_string(text)) for text in texts] for texts in groups]
            for groups in (summaries_list, references_list)
        )
        return bleu_statistics(summaries, references, self.max_ngram_order)

    def ngram_statistics(self, summaries_list: TextGroups, references_list: TextGroups) -> list[list[list[int]]]:
        """Counts n-grams of summaries and their matches in the references, with the native kernel if possible.

        Returns:
            For each summary of each group, the statistics of `metrics_framework.kernels.python.ngrams.bleu_statistics`.
        """
        kernel = native_kernel("bleu", Request.STATISTICS)
        columns = None if kernel is None else self._native(kernel, (summaries_list, references_list), of_sentence=False)
        if columns is None:
            return self._statistics(summaries_list, references_list)
        return in_groups(columns[0], summaries_list)

    def _native(self, kernel: Kernel, groups: Sequence[Any], of_sentence: bool) -> Any | None:
        if self.max_ngram_order > MAX_NATIVE_ORDER:
            return None
        options = {
            "max_order": self.max_ngram_order,
            "smoothing": _SMOOTHINGS.index(self.smooth_method),
            "smooth_value": self.smooth_value or 0.0,
            "effective_order": self.effective_order,
            "of_sentence": of_sentence,
        }
        tokenization, lowercase = NATIVE_TOKENIZATIONS.get(self.tokenizer), self.lowercase
        if tokenization is None:
            tokenization, lowercase = Tokenization.WHITESPACE, False
            groups = [[[self._tokenized(as_string(text)) for text in texts] for texts in one] for one in groups]
        return kernel(*groups, lowercase=lowercase, tokenization=tokenization, **options)

    def _tokenized(self, text: str) -> str:
        return self._tokenize((text.lower() if self.lowercase else text).rstrip())

    def _words(self, text: str) -> tuple[str, ...]:
        return tuple(self._tokenized(text).split())

    def _bleu(self, statistics: Statistics) -> tuple[float, list[float], float]:
        """Returns BLEU, the precision of each order and the brevity penalty."""
        length, reference_length = statistics[:2]
        penalty = 1.0
        if length < reference_length:
            penalty = math.exp(1 - reference_length / length) if length > 0 else 0.0
        matches, totals = statistics[2 : 2 + self.max_ngram_order], statistics[2 + self.max_ngram_order :]
        if not any(matches):
            return 0.0, [0.0] * self.max_ngram_order, penalty
        precisions = _precisions(matches, totals, self.smooth_method, self.smooth_value or 0.0)
        orders = len(precisions) if self.effective_order else self.max_ngram_order
        precisions += [0.0] * (self.max_ngram_order - len(precisions))
        logarithms = [math.log(precision) if precision else LOG_OF_ZERO for precision in precisions[:orders]]
        return penalty * math.exp(plain_sum(logarithms) / orders), precisions, penalty

    def _bleu_of_sums(self, sums: Floats, by_root: bool = False) -> tuple[Floats, Floats, Floats]:
        """Like `_bleu`, for many sums of statistics.

        Args:
            sums: Shape (sums, 2 + 2 · order).
            by_root: Whether BLEU of order 4 may be the root of the product of the precisions, which takes two thirds of
                the time of their logarithms and may differ from BLEU in the last digits.

        Returns:
            BLEU, shape (sums,), the precisions, shape (sums, order), and the brevity penalty.
        """
        import numpy as np

        order = self.max_ngram_order
        matches, totals = sums[:, 2 : 2 + order], sums[:, 2 + order : 2 + 2 * order]
        length, reference_length = sums[:, 0], sums[:, 1]
        if length.min(initial=1.0) > 0:  # the penalty of longer summaries is exp(0)
            penalty: Floats = np.minimum(0.0, 1 - reference_length / length)
            np.exp(penalty, out=penalty)
        else:
            shorter = np.exp(np.minimum(0.0, 1 - ratio(reference_length, length)))
            penalty = np.where(length >= reference_length, 1.0, np.where(length > 0, shorter, 0.0))
        if self.smooth_method != "add-k" and sums[:, 2:].min(initial=1.0) > 0:
            return _unsmoothed_bleu(matches, totals, penalty, by_root)
        precisions, with_ngrams = _precisions_of_sums(matches, totals, self.smooth_method, self.smooth_value or 0.0)
        orders = with_ngrams if self.effective_order else np.full(len(sums), order)
        logarithms = np.log(precisions, out=np.full_like(precisions, float(LOG_OF_ZERO)), where=precisions > 0)
        logarithms = np.where(np.arange(order) < orders[:, None], logarithms, 0.0)
        has_matches = (matches != 0).any(axis=1)
        score = penalty * np.exp(logarithms.sum(axis=1) / np.maximum(orders, 1))
        return np.where(has_matches, score, 0.0), np.where(has_matches[:, None], precisions, 0.0), penalty


def _precisions(matches: Sequence[float], totals: Sequence[float], method: str, value: float) -> list[float]:
    """Returns the smoothed precisions of all orders for which the summary has n-grams."""
    precisions = []
    divisor = 1.0
    for order, (matching, total) in enumerate(zip(matches, totals, strict=True)):
        if method == "add-k" and order > 0:
            matching, total = matching + value, total + value
        if total == 0:
            break
        if matching == 0 and method == "exp":
            divisor *= 2
            precisions.append(100.0 / (divisor * total))
        elif matching == 0 and method == "floor":
            precisions.append(100.0 * value / total)
        else:
            precisions.append(100.0 * matching / total)
    return precisions


def _precisions_of_sums(matches: Floats, totals: Floats, method: str, value: float) -> tuple[Floats, Floats]:
    """Like `_precisions`, for many sums, shape (sums, orders).

    Returns:
        The precisions, 0 for orders without n-grams, and the number of orders with n-grams.
    """
    import numpy as np

    if method == "add-k":
        added = np.where(np.arange(matches.shape[1]) > 0, value, 0.0)
        matches, totals = matches + added, totals + added
    has_ngrams = np.logical_and.accumulate(totals != 0, axis=1)
    unmatched = has_ngrams & (matches == 0)
    if method == "exp":
        numerators = np.where(unmatched, 100.0 / 2.0 ** np.cumsum(unmatched, axis=1), 100.0 * matches)
    else:
        numerators = 100.0 * np.where(unmatched & (method == "floor"), value, matches)
    return ratio(np.where(has_ngrams, numerators, 0.0), np.where(has_ngrams, totals, 1.0)), has_ngrams.sum(axis=1)


def _unsmoothed_bleu(matches: Floats, totals: Floats, penalty: Floats, by_root: bool) -> tuple[Floats, Floats, Floats]:
    """Computes what `_bleu_of_sums` returns where every order has a match, in a few operations on whole columns."""
    import numpy as np

    precisions = 100.0 * matches.T
    precisions /= totals.T
    if by_root and len(precisions) == 4:
        return penalty * np.sqrt(np.sqrt(np.multiply.reduce(precisions))), precisions.T, penalty
    logarithms = np.log(precisions)
    order = len(logarithms)
    total = added(logarithms.T) if order < _PAIRWISE else np.ascontiguousarray(logarithms.T).sum(axis=1)
    return penalty * np.exp(total / order), precisions.T, penalty
