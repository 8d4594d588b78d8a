"""BLEU: how many of the n-grams of a text stand in its references."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, get_args

from overrides import overrides

from metrics_framework.common.errors import UnknownNameError, UsageError
from metrics_framework.data.jackknifers import ReferencesJackknifer
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.signature import sacrebleu_signature
from metrics_framework.data.texts import Text, as_string
from metrics_framework.kernels.dispatch import Cut, Wanted, native_kernel
from metrics_framework.metrics.checks import check_groups
from metrics_framework.metrics.metric import CorpusMetric, Metric, Statistics
from metrics_framework.metrics.shapes import ReferenceBasedMetric
from metrics_framework.text.sacrebleu_tokenizers import BORROWED, get_borrowed, signature_of
from metrics_framework.text.tokenizers import get_tokenizer

SacrebleuTokenizer = Literal[
    "13a", "intl", "char", "zh", "none", "ja-mecab", "ko-mecab", "spm", "flores101", "flores200"
]
Tokenizer = Literal[SacrebleuTokenizer, "moses", "penn"]
Smoothing = Literal["none", "floor", "add-k", "exp"]
DEFAULT_VALUES: Mapping[str, float] = {"floor": 0.1, "add-k": 1.0}  # Chen and Cherry (WMT 2014)
LOG_OF_ZERO = -9999999999  # as sacreBLEU has it: the score is 0, not undefined
MOST_TEXTS_KNOWN = 2**14
LONGEST_NGRAM = 100  # of the native kernel
SUM_IS_COMPENSATED = sum([1e100, 1.0, -1e100]) == 1.0  # from Python 3.12 on; the last bit of a score depends on it


class NgramPrecision(ReferenceBasedMetric):
    """What BLEU of a corpus and BLEU of a sentence have in common: options, words, statistics, formula.

    Args:
        smooth_method: What stands for the number of matches of an order that has none: ``exp`` halves it from one such
            order to the next, beginning with 1/2; ``floor`` takes ``smooth_value``; ``add-k`` adds ``smooth_value`` to
            the matches and totals of every order above 1; ``none`` takes 0.
        smooth_value: The value of the smoothing methods floor (by default 0.1) and add-k (by default 1).
        max_ngram_order: The longest n-grams that count.
        effective_order: Whether the mean is only over the orders of which the summary has n-grams.
        tokenizer: How text is tokenized.
        lowercase: Whether text is lower-cased before it is tokenized.
    """

    jackknifer = ReferencesJackknifer()
    score_range: ClassVar[tuple[float | None, float | None]] = (0, 100)
    option_aliases: ClassVar[Mapping[str, str]] = {
        "tokenize": "tokenizer",
        "use_effective_order": "effective_order",
    }
    citation: ClassVar[str] = """@inproceedings{papineni-etal-2002-bleu,
    title = "{B}leu: a Method for Automatic Evaluation of Machine Translation",
    author = "Papineni, Kishore and Roukos, Salim and Ward, Todd and Zhu, Wei-Jing",
    booktitle = "Proceedings of the 40th Annual Meeting of the Association for Computational Linguistics",
    year = "2002",
    address = "Philadelphia, Pennsylvania, USA",
    publisher = "Association for Computational Linguistics",
    url = "https://aclanthology.org/P02-1040",
    doi = "10.3115/1073083.1073135",
    pages = "311--318",
}
@inproceedings{post-2018-call,
    title = "A Call for Clarity in Reporting {BLEU} Scores",
    author = "Post, Matt",
    booktitle = "Proceedings of the Third Conference on Machine Translation: Research Papers",
    year = "2018",
    address = "Brussels, Belgium",
    publisher = "Association for Computational Linguistics",
    url = "https://aclanthology.org/W18-6319",
    doi = "10.18653/v1/W18-6319",
    pages = "186--191",
}"""

    def __init__(
        self,
        smooth_method: Smoothing = "exp",
        smooth_value: float | None = None,
        max_ngram_order: int = 4,
        effective_order: bool = False,
        tokenizer: Tokenizer = "13a",
        lowercase: bool = False,
    ) -> None:
        super().__init__()
        if max_ngram_order < 1:
            raise UsageError(f"'max_ngram_order' must be a whole number from 1, got {max_ngram_order}")
        if tokenizer not in get_args(Tokenizer):
            raise UnknownNameError("tokenizer", tokenizer, get_args(Tokenizer))
        self.smooth_method = smooth_method
        self.smooth_value = _smooth_value(smooth_method, smooth_value)
        self.max_ngram_order = max_ngram_order
        self.effective_order = effective_order
        self.tokenizer = tokenizer
        self.lowercase = lowercase
        self._tokenize = get_borrowed(tokenizer) if tokenizer in BORROWED else get_tokenizer(tokenizer)

    @overrides
    def signature_options(self) -> dict[str, Any]:
        value = "" if self.smooth_value is None else f"[{self.smooth_value!r}]"
        return {
            "case": "lc" if self.lowercase else "mixed",
            "eff": self.effective_order,
            "tok": self.tokenizer,
            "smooth": f"{self.smooth_method}{value}",
            "order": self.max_ngram_order,
        }

    @overrides
    def other_signatures(self, refs: str) -> dict[str, str]:
        if self.tokenizer not in get_args(SacrebleuTokenizer):
            return {}
        value = "" if self.smooth_value is None else f"[{self.smooth_value:.2f}]"
        options = {
            "case": "lc" if self.lowercase else "mixed",
            "eff": self.effective_order,
            "tok": signature_of(self.tokenizer) if self.tokenizer in BORROWED else self.tokenizer,
            "smooth": f"{self.smooth_method}{value}",
        }
        return {"sacrebleu": sacrebleu_signature(refs, options)}

    def _statistics(
        self, summaries_list: Sequence[Sequence[Text]], references_list: Sequence[Sequence[Text]]
    ) -> list[list[list[int]]]:
        from metrics_framework.kernels.python.ngrams import bleu_statistics

        # Groups may share texts: the jackknifed ones have all but one of their references in common.
        words = functools.lru_cache(MOST_TEXTS_KNOWN)(self._words)
        return bleu_statistics(
            [[words(as_string(summary)) for summary in summaries] for summaries in summaries_list],
            [[words(as_string(reference)) for reference in references] for references in references_list],
            self.max_ngram_order,
        )

    def _native(self, wanted: Wanted, arguments: Sequence[Any], of_sentence: bool) -> Any | None:
        kernel = native_kernel("bleu", wanted)
        if kernel is None or self.max_ngram_order > LONGEST_NGRAM:
            return None
        options = {
            "max_order": self.max_ngram_order,
            "smoothing": get_args(Smoothing).index(self.smooth_method),
            "smooth_value": self.smooth_value or 0.0,
            "effective_order": self.effective_order,
            "compensated": SUM_IS_COMPENSATED,
            "of_sentence": of_sentence,
        }
        if self.tokenizer in ("13a", "none"):
            cut = Cut.TOKENIZER_13A if self.tokenizer == "13a" else Cut.WHITE_SPACE
            return kernel(*arguments, lowercase=self.lowercase, cut=cut, **options)
        texts = [
            [[self._tokenized(as_string(text)) for text in texts] for texts in texts_list]
            for texts_list in check_groups(self, arguments)
        ]
        return kernel(*texts, lowercase=False, cut=Cut.WHITE_SPACE, **options)

    def _tokenized(self, text: str) -> str:
        return self._tokenize((text.lower() if self.lowercase else text).rstrip())

    def _words(self, text: str) -> tuple[str, ...]:
        return tuple(self._tokenized(text).split())

    def _bleu(self, statistics: Statistics) -> tuple[float, list[float], float]:
        """Returns BLEU, the precision of each order and the brevity penalty."""
        penalty = _brevity_penalty(statistics[0], statistics[1])
        matches, totals = statistics[2 : 2 + self.max_ngram_order], statistics[2 + self.max_ngram_order :]
        if not any(matches):
            return 0.0, [0.0] * self.max_ngram_order, penalty
        precisions = _precisions(matches, totals, self.smooth_method, self.smooth_value or 0.0)
        orders = len(precisions) if self.effective_order else self.max_ngram_order
        precisions += [0.0] * (self.max_ngram_order - len(precisions))
        logarithms = [math.log(precision) if precision else LOG_OF_ZERO for precision in precisions[:orders]]
        return penalty * math.exp(sum(logarithms) / orders), precisions, penalty


@Metric.register("bleu")
class Bleu(CorpusMetric, NgramPrecision):
    """Counts the n-grams that stand in a reference too, and lowers the score of what is too short.

    BLEU = BP · exp(mean over orders 1 to 4 of log(100 · matches / n-grams)). An n-gram matches no more often than it
    stands in the reference that has it most often. BP, the brevity penalty, is exp(1 − r / c) where the c words of the
    summary are fewer than the r words of the reference nearest in length, else 1. Matches, n-grams and lengths are
    added up over the corpus before they are divided; the score of one output is that of its own numbers, where
    ``effective_order`` should be on: see ``sent-bleu``.

    Beside the score stand the precision of each order, the brevity penalty and the two lengths.

    Range: 0 to 100. Where no n-gram of an order matches, smoothing decides; where none matches at all, BLEU is 0.

    Source: Papineni, Roukos, Ward and Zhu (ACL 2002), as sacreBLEU 2.6.0 computes it (Post, WMT 2018): equal to it to
    the last bit.

    Raises:
        UsageError: if an option has a value it cannot have.
        MissingExtraError: if the tokenizer needs a package that is not installed.

    >>> scores = Bleu().score("the cat sat on a mat", ["the cat sat on the mat", "a cat sat down"])
    >>> round(scores["bleu"], 2), scores["bleu_bp"]
    (56.23, 1.0)
    >>> Bleu().other_signatures("2")["sacrebleu"]
    'nrefs:2|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0'
    """

    statistics_are_whole = True
    card_names: ClassVar[Mapping[str, str]] = {
        "bleu": "score",
        "bleu_precisions": "precisions",
        "bleu_bp": "bp",
        "bleu_sys_len": "sys_len",
        "bleu_ref_len": "ref_len",
    }

    def statistics_multi_all(
        self, summaries_list: Sequence[Sequence[Text]], references_list: Sequence[Sequence[Text]]
    ) -> list[list[Statistics]]:
        """Returns for each output of each group its length, that of its nearest reference, matches and totals."""
        found, _ = self._natively(Wanted.STATISTICS, (summaries_list, references_list))
        if found is not None:
            results: list[list[Statistics]] = found
            return results
        return [[*group] for group in self._statistics(summaries_list, references_list)]

    @overrides
    def natively(self, wanted: Wanted, arguments: Sequence[Any]) -> Any | None:
        return self._native(wanted, arguments, of_sentence=False)

    @overrides
    def score_statistics(self, statistics: Statistics) -> MetricsDict:
        score, precisions, penalty = self._bleu(statistics)
        return MetricsDict(
            {
                "bleu": score,
                "bleu_precisions": precisions,
                "bleu_bp": penalty,
                "bleu_sys_len": int(statistics[0]),
                "bleu_ref_len": int(statistics[1]),
            }
        )


@Metric.register("sent-bleu")
class SentBleu(NgramPrecision):
    """Gives each output a BLEU of its own; the score of a system is the mean of them.

    The formula is that of ``bleu``, with the numbers of one output. Few sentences have a match of every order, so the
    score depends on the smoothing more than that of a corpus does, and by default the mean is over the orders that the
    summary is long enough for. The mean of sentence scores is not corpus BLEU, and has a name of its own.

    Range: 0 to 100.

    Source: as ``bleu``; equal to the sentence scores of sacreBLEU 2.6.0 to the last bit, whose defaults it has.

    Args:
        effective_order: Whether the mean is only over the orders of which the summary has n-grams.

    Raises:
        UsageError: if an option has a value it cannot have.
        MissingExtraError: if the tokenizer needs a package that is not installed.

    >>> SentBleu().score("a cat", ["a cat"])
    {'sent-bleu': 100.00000000000004}
    >>> round(SentBleu(smooth_method="floor").score("the cat sat", ["the cat lay"])["sent-bleu"], 2)
    32.18
    """

    card_names: ClassVar[Mapping[str, str]] = {"sent-bleu": "score"}

    def __init__(self, *, effective_order: bool = True, **options: Any) -> None:
        super().__init__(effective_order=effective_order, **options)

    @overrides
    def score_multi_all(
        self, summaries_list: Sequence[Sequence[Text]], references_list: Sequence[Sequence[Text]]
    ) -> list[list[MetricsDict]]:
        found, _ = self._natively(Wanted.SCORES, (summaries_list, references_list))
        if found is not None:
            results: list[list[MetricsDict]] = found
            return results
        groups = self._statistics(summaries_list, references_list)
        return [[MetricsDict({"sent-bleu": self._bleu(statistics)[0]}) for statistics in group] for group in groups]

    @overrides
    def natively(self, wanted: Wanted, arguments: Sequence[Any]) -> Any | None:
        return self._native(wanted, arguments, of_sentence=True)


def _smooth_value(method: str, value: float | None) -> float | None:
    """Returns the value that a smoothing method works with, `None` if it has none."""
    if method not in get_args(Smoothing):
        raise UsageError(f"'smooth_method' must be one of {', '.join(get_args(Smoothing))}, got {method!r}")
    if value is None:
        return DEFAULT_VALUES.get(method)
    if method not in DEFAULT_VALUES:
        raise UsageError(f"'smooth_value' belongs to {' and '.join(DEFAULT_VALUES)}; the smoothing is '{method}'")
    if not 0 <= value < math.inf:
        raise UsageError(f"'smooth_value' must be a number that is not negative, got {value}")
    return float(value)


def _brevity_penalty(length: float, reference_length: float) -> float:
    if length >= reference_length:
        return 1.0
    return math.exp(1 - reference_length / length) if length > 0 else 0.0


def _precisions(matches: Sequence[float], totals: Sequence[float], method: str, value: float) -> list[float]:
    """Returns smoothed precisions, up to the last order of which there are n-grams."""
    precisions = []
    halves = 1.0
    for order, (matching, total) in enumerate(zip(matches, totals, strict=True)):
        if method == "add-k" and order > 0:
            matching, total = matching + value, total + value
        if total == 0:
            break
        if matching == 0 and method == "exp":
            halves *= 2
            precisions.append(100.0 / (halves * total))
        elif matching == 0 and method == "floor":
            precisions.append(100.0 * value / total)
        else:
            precisions.append(100.0 * matching / total)
    return precisions
