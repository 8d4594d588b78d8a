"""What the metrics made of n-gram precision share: the options, words, statistics and formula of BLEU."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Literal, TypeAlias, get_args

from overrides import overrides

from metrics_framework.common.errors import UnknownNameError, UsageError
from metrics_framework.data.jackknifers import ReferencesJackknifer
from metrics_framework.data.signature import sacrebleu_signature
from metrics_framework.data.texts import Text, as_string
from metrics_framework.kernels.dispatch import Kernel, Request, Tokenization, native_kernel
from metrics_framework.metrics.base.batch_scores import Statistics, in_groups
from metrics_framework.metrics.base.metric import CorpusMetric, Metric
from metrics_framework.metrics.base.shapes import SourceReferenceBasedMetric
from metrics_framework.text.sacrebleu_tokenizers import BORROWED, get_borrowed, signature_of
from metrics_framework.text.tokenizers import get_tokenizer

SacrebleuTokenizer = Literal[
    "13a", "intl", "char", "zh", "none", "ja-mecab", "ko-mecab", "spm", "flores101", "flores200"
]
Tokenizer = Literal[SacrebleuTokenizer, "moses", "penn"]
Texts: TypeAlias = Sequence[Sequence[Text]]
Smoothing = Literal["none", "floor", "add-k", "exp"]
DEFAULT_VALUES: Mapping[str, float] = {"floor": 0.1, "add-k": 1.0}  # Chen and Cherry (WMT 2014)
LOG_OF_ZERO = -9999999999  # as sacreBLEU has it: the score is 0, not undefined
MOST_TEXTS_KNOWN = 2**14
GREATEST_ORDER = 1000  # statistics of every output have two numbers an order, however short it is
LONGEST_NGRAM = 100  # of the native kernel
TOKENIZATIONS: Mapping[str, Tokenization] = {
    "13a": Tokenization.TOKENIZER_13A,
    "none": Tokenization.WHITESPACE,
}  # what the native kernel cuts itself
UNSCORED: Mapping[str, Any] = {  # options of the native kernel that statistics do not depend on
    "smoothing": 0,
    "smooth_value": 0.0,
    "effective_order": False,
    "compensated": False,
    "of_sentence": False,
}
SUM_IS_COMPENSATED = sum([1e100, 1.0, -1e100]) == 1.0  # from Python 3.12 on; the last bit of a score depends on it


class NgramPrecision(Metric):
    """What BLEU of a corpus, BLEU of a sentence and what is made of them have in common; goes before the shape.

    Args:
        smooth_method: What stands for the number of matches of an order that has none: ``exp`` halves it from one such
            order to the next, beginning with 1/2; ``floor`` takes ``smooth_value``; ``add-k`` adds ``smooth_value`` to
            the matches and totals of every order above 1; ``none`` takes 0.
        smooth_value: The value of the smoothing methods floor (by default 0.1) and add-k (by default 1).
        max_ngram_order: The longest n-grams that count, at most 1000 words.
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
        if not 1 <= max_ngram_order <= GREATEST_ORDER:
            raise UsageError(
                f"'max_ngram_order' must be a whole number from 1 to {GREATEST_ORDER}, got {max_ngram_order}"
            )
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

    def _statistics(self, summaries_list: Texts, references_list: Texts) -> list[list[list[int]]]:
        return _statistics_of_words(summaries_list, references_list, self._words, self.max_ngram_order)

    def _ngram_statistics(self, summaries_list: Texts, references_list: Texts) -> list[list[list[int]]]:
        return ngram_statistics(
            summaries_list,
            references_list,
            self._words,
            self.max_ngram_order,
            tokenization=TOKENIZATIONS.get(self.tokenizer),
            lowercase=self.lowercase,
        )

    def _native(self, kernel: Kernel, groups: Sequence[Any], of_sentence: bool) -> Any | None:
        if self.max_ngram_order > LONGEST_NGRAM:
            return None
        options = {
            "max_order": self.max_ngram_order,
            "smoothing": get_args(Smoothing).index(self.smooth_method),
            "smooth_value": self.smooth_value or 0.0,
            "effective_order": self.effective_order,
            "compensated": SUM_IS_COMPENSATED,
            "of_sentence": of_sentence,
        }
        if self.tokenizer in TOKENIZATIONS:
            return kernel(*groups, lowercase=self.lowercase, tokenization=TOKENIZATIONS[self.tokenizer], **options)
        texts = [
            [[self._tokenized(as_string(text)) for text in texts] for texts in texts_list] for texts_list in groups
        ]
        return kernel(*texts, lowercase=False, tokenization=Tokenization.WHITESPACE, **options)

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


class SourceNgramPrecision(CorpusMetric, NgramPrecision, SourceReferenceBasedMetric):
    """BLEU against the references, less a share of BLEU against the source.

    Args:
        alpha: The weight of BLEU against the references; that against the source has the rest, and counts negative.
        effective_order: Whether the mean is only over the orders of which the summary has n-grams.
    """

    statistics_are_whole = True
    score_range: ClassVar[tuple[float | None, float | None]] = (-100, 100)

    def __init__(self, alpha: float = 0.9, *, effective_order: bool = True, **options: Any) -> None:
        super().__init__(effective_order=effective_order, **options)
        if not 0 <= alpha <= 1:
            raise UsageError(f"'alpha' must be a number from 0 to 1, got {alpha}")
        self.alpha = float(alpha)

    @overrides
    def signature_options(self) -> dict[str, Any]:
        return {"alpha": f"{self.alpha:g}", **super().signature_options()}

    @overrides
    def other_signatures(self, refs: str) -> dict[str, str]:
        return {}

    def _ibleu_statistics(
        self, summaries_list: Texts, references_list: Texts, sources: Sequence[Text]
    ) -> list[list[list[int]]]:
        """Returns what BLEU needs against the references, and behind it what it needs against the source."""
        against_references = self._ngram_statistics(summaries_list, references_list)
        against_source = self._ngram_statistics(summaries_list, [[source] for source in sources])
        return [
            [[*one, *other] for one, other in zip(*groups, strict=True)]
            for groups in zip(against_references, against_source, strict=True)
        ]

    def _ibleu(self, statistics: Statistics) -> float:
        middle = 2 + 2 * self.max_ngram_order
        against_references, _, _ = self._bleu(statistics[:middle])
        against_source, _, _ = self._bleu(statistics[middle : 2 * middle])
        return self.alpha * against_references - (1 - self.alpha) * against_source


def ngram_statistics(
    summaries_list: Texts,
    references_list: Texts,
    words_of: Callable[[str], Sequence[str]],
    max_order: int,
    *,
    tokenization: Tokenization | None,
    lowercase: bool,
) -> list[list[list[int]]]:
    """Counts the n-grams of summaries and those that stand in a reference, natively where that is possible.

    Args:
        summaries_list: Groups of texts, checked.
        references_list: The references of each group.
        words_of: Returns the words of a text.
        max_order: The longest n-grams.
        tokenization: Where the native kernel cuts texts to come to the same words, `None` if it cannot.
        lowercase: Whether it lower-cases before that.

    Returns:
        For each summary of each group the numbers of `metrics_framework.kernels.python.ngrams.bleu_statistics`.
    """
    kernel = native_kernel("bleu", Request.STATISTICS) if max_order <= LONGEST_NGRAM else None
    statistics: list[list[list[int]]] | None = None
    if kernel is not None:
        texts: Sequence[Texts] = (summaries_list, references_list)
        if tokenization is None:
            texts = [[[" ".join(words_of(as_string(text))) for text in group] for group in groups] for groups in texts]
            lowercase, tokenization = False, Tokenization.WHITESPACE
        found = kernel(*texts, lowercase=lowercase, tokenization=tokenization, max_order=max_order, **UNSCORED)
        statistics = None if found is None else in_groups(found[0], summaries_list)
    if statistics is None:
        return _statistics_of_words(summaries_list, references_list, words_of, max_order)
    return statistics


def _statistics_of_words(
    summaries_list: Texts, references_list: Texts, words_of: Callable[[str], Sequence[str]], max_order: int
) -> list[list[list[int]]]:
    from metrics_framework.kernels.python.ngrams import bleu_statistics

    # Groups may share texts: the jackknifed ones have all but one of their references in common.
    @functools.lru_cache(MOST_TEXTS_KNOWN)
    def words(text: str) -> tuple[str, ...]:
        return tuple(words_of(text))

    return bleu_statistics(
        [[words(as_string(summary)) for summary in summaries] for summaries in summaries_list],
        [[words(as_string(reference)) for reference in references] for references in references_list],
        max_order,
    )


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
