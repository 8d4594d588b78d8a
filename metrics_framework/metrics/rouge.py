"""ROUGE as the program ROUGE-1.5.5 computes it (``rouge``)."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from metrics_framework.common.errors import InputError, UsageError
from metrics_framework.common.overriding import overrides
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.texts import Text, TextGroups
from metrics_framework.kernels.dispatch import Kernel, Request, native_word_list
from metrics_framework.kernels.python.rouge import CountedText, Measures, counted, rouge_scores
from metrics_framework.metrics.base.metric import CACHED_TEXTS, Metric
from metrics_framework.metrics.base.shapes import ReferenceBasedMetric
from metrics_framework.metrics.base.totals import Total
from metrics_framework.text.lexicon import word_list
from metrics_framework.text.rouge_words import (
    EXCEPTIONS,
    STOP_WORDS,
    RougeWords,
    first_bytes,
    first_bytes_of_lines,
    first_words,
)
from metrics_framework.text.sentences import SentenceLines, SentencesOption

ScoringFunction = Literal["average", "max"]
PARTS = ("recall", "precision", "f1")
MAX_NGRAM = 9
MAX_SIZE = 2**31 - 1  # no text has more words or bytes
LARGE_GAP = 1000
SLOW_WEIGHTED, SLOW_PAIRS, SLOW_SUBSEQUENCES = 50_000, 100_000, 250_000  # characters, see `Metric`
MAX_WEIGHT = 5  # (Σ length^5)^5 of a thousand billion words is still a number
RESAMPLES = 1000
_MULTIPLIER, _INCREMENT, _BITS = 0x5DEECE66D, 11, 48  # of drand48, which Perl uses
_FIRST_BITS = 0x330E


@Metric.register("rouge")
@dataclass(eq=False, repr=False)
class Rouge(ReferenceBasedMetric):
    """ROUGE: overlap of n-grams, word pairs and common subsequences with references, as ROUGE-1.5.5 computes it.

    Recall is the number of hits, divided by the units of the references; precision divides by the units of the summary;
    F = P · R / ((1 - α) · P + α · R). The units are

    - ``rouge-1`` to ``rouge-4``, up to ``rouge-9``: n-grams of words. A hit counts as often as it occurs in both texts.
    - ``rouge-l``: words. Hits are, for each sentence of a reference, the words in the union of its longest common
      subsequences with all sentences of the summary.
    - ``rouge-w-1.2``: as ``rouge-l``, but x consecutive hits weigh x^1.2, so that runs weigh more than gaps.
    - ``rouge-s4``, ``rouge-su4``: pairs of words in order with at most four words between them; with single words for
      SU. A negative gap allows any distance (``rouge-s*``, ``rouge-su*``).

    A sentence is a line of a string, or an item of a list, as in the files that the program reads; ``sentences`` splits
    texts instead. Scores of texts that are split differently are not comparable. Words are runs of ASCII letters and
    digits in lower case; other characters separate words, so texts in other scripts have none. The stemmer is Porter's
    with the changes of ROUGE-1.5.5 and the exception lists of WordNet 2.0.

    With several references, hits and units are summed (``average``), or taken from the reference with the highest
    recall (``max``). The score of a system is the mean over its outputs. ROUGE-1.5.5 prints the mean of 1000 bootstrap
    resamples instead, which ``official_average`` returns.

    Range: 0 to 100, higher is better; 0 if a text has no words.

    Source: Lin (2004). Equal to ROUGE-1.5.5 in all digits that it prints, on a scale of 100. Recall and precision are
    rounded to five decimal places of a share before F is computed, as there. Defaults and names of scores are those of
    SacreROUGE (Deutsch and Roth, 2020); skip-bigrams are scored with and without unigrams.

    Args:
        max_ngram: The highest order of n-grams, from 1 to 9.
        use_porter_stemmer: Whether to compare stems instead of words.
        remove_stopwords: Whether to remove stop words: those of the SMART list, and short names of months and weekdays.
        max_bytes: The number of bytes of each text to use; all by default.
        max_words: The number of words of each text to use, counted before tokenization; all by default.
        compute_rouge_l: Whether to compute ROUGE-L.
        skip_bigram_gap_length: The largest number of words between the words of a skip-bigram; negative for any number;
            by default, ROUGE-S and ROUGE-SU are not computed.
        wlcs_weight: The weight of ROUGE-W, from 1 to 5; by default, ROUGE-W is not computed.
        scoring_function: How references are combined: average or max.
        alpha: The weight α of precision in F, from 0 (F is recall) to 1 (F is precision).
        official_average: Whether to compute the scores of systems as ROUGE-1.5.5 does, from bootstrap resamples.
        sentences: How texts are split into sentences for ROUGE-L and ROUGE-W: at line breaks (lines), also at a
            separator such as ``<q>`` or ``|||``, by rules that need no package (own), by nltk's Punkt, by pysbd, or not
            at all (none); auto uses Punkt if nltk and its data are installed, otherwise pysbd. Splitters leave lists of
            several sentences as they are.

    Raises:
        UsageError: if an option has an invalid value, both bytes and words are limited, or nltk's data is missing.
        MissingExtraError: if the splitter needs a package that is not installed.

    >>> metric = Rouge(compute_rouge_l=True)
    >>> scores = metric.score("Dan walked to the bakery this morning.",
    ...                       ["Dan went to buy scones earlier this morning."])
    >>> scores["rouge-1"]
    {'recall': 50.0, 'precision': 57.143, 'f1': 53.333}
    >>> scores["rouge-2"]["recall"], scores["rouge-l"]["f1"]
    (14.286, 53.333)
    """

    reads_only_ascii = True
    kernel_name = "rouge"
    kernel_requests = Request.SCORES | Request.JACKKNIFED | Request.JSON | Request.SUM | Request.VECTORS
    kernel_adds_scores = True  # system scores are means, without official_average
    score_range = (0, 100)
    citation = "lin-2004-rouge"
    optional_scores = {
        "rouge-l": "compute_rouge_l=true",
        "rouge-w": "wlcs_weight=1.2",
        "rouge-s": "skip_bigram_gap_length=4",
    }

    max_ngram: int = 4
    use_porter_stemmer: bool = True
    remove_stopwords: bool = False
    max_bytes: int | None = None
    max_words: int | None = None
    compute_rouge_l: bool = False
    skip_bigram_gap_length: int | None = None
    wlcs_weight: float | None = None
    scoring_function: ScoringFunction = "average"
    alpha: float = 0.5
    official_average: bool = False
    sentences: SentencesOption = "lines"

    def __post_init__(self) -> None:
        self._check_options()
        self.wlcs_weight = None if self.wlcs_weight is None else float(self.wlcs_weight)
        self.alpha = float(self.alpha)
        self.kernel_adds_scores = not self.official_average  # a bootstrap resample needs each score
        self._lines = SentenceLines(self.sentences)
        has_sentences = self.compute_rouge_l or self.wlcs_weight is not None
        self.compares_lines = has_sentences and self.sentences == "lines"
        self.scores_separator = not self._lines.separator
        self.slow_above = self._slow_above()
        self._measures = Measures(self.max_ngram, self.compute_rouge_l, self.wlcs_weight, self.skip_bigram_gap_length)
        self._names = self._measure_names()

    def _check_options(self) -> None:
        if not 1 <= self.max_ngram <= MAX_NGRAM:
            raise UsageError(f"'max_ngram' must be an integer from 1 to {MAX_NGRAM}, got {self.max_ngram}")
        for name, limit in (("max_bytes", self.max_bytes), ("max_words", self.max_words)):
            if limit is not None and limit < 1:
                raise UsageError(f"'{name}' must be a positive integer, got {limit}")
        if self.max_bytes is not None and self.max_words is not None:
            raise UsageError("give 'max_bytes' or 'max_words', not both")
        if self.wlcs_weight is not None and not 1 <= self.wlcs_weight <= MAX_WEIGHT:
            raise UsageError(f"'wlcs_weight' must be a number from 1 to {MAX_WEIGHT}, got {self.wlcs_weight}")
        if not 0 <= self.alpha <= 1:
            raise UsageError(f"'alpha' must be a number from 0 to 1, got {self.alpha}")

    @overrides
    def signature_options(self) -> dict[str, Any]:
        limit = {} if self.max_bytes is None else {"bytes": self.max_bytes}
        limit |= {} if self.max_words is None else {"words": self.max_words}
        return {
            "measures": "+".join(name.removeprefix("rouge-") for name in self._names),
            "stem": self.use_porter_stemmer,
            "stop": self.remove_stopwords,
            **limit,
            **self._lines.signature_options(),
            "refs-by": self.scoring_function,
            "alpha": f"{self.alpha:g}",
            "mean": "bootstrap" if self.official_average else "plain",
        }

    @overrides
    def new_total(self) -> Total:
        return BootstrapMean() if self.official_average else super().new_total()

    @overrides
    def score_multi_all(self, summaries_list: TextGroups, references_list: TextGroups) -> list[list[MetricsDict]]:
        words = RougeWords(self.use_porter_stemmer, self.remove_stopwords)

        @functools.lru_cache(CACHED_TEXTS)
        def counted_text(lines: tuple[str, ...]) -> CountedText:
            return self._counted(lines, words)

        def read(text: Text) -> CountedText:
            return counted_text(tuple(self._lines(text).split("\n")))

        results = []
        for summaries, texts in zip(summaries_list, references_list, strict=True):
            references = [read(text) for text in texts]
            results.append([self._scores(read(summary), references) for summary in summaries])
        return results

    @overrides
    def native(self, kernel: Kernel, *groups: Any) -> Any | None:
        gap = self.skip_bigram_gap_length
        reach = 0 if gap is None else MAX_SIZE if gap < 0 else min(gap + 1, MAX_SIZE)
        return kernel(
            *self._lines.of_groups(groups),
            max_ngram=self.max_ngram,
            use_porter_stemmer=self.use_porter_stemmer,
            remove_stopwords=self.remove_stopwords,
            max_bytes=min(self.max_bytes or 0, MAX_SIZE),
            max_words=min(self.max_words or 0, MAX_SIZE),
            compute_rouge_l=self.compute_rouge_l,
            wlcs_weight=self.wlcs_weight or 0.0,
            skip_reach=reach,
            best_reference=self.scoring_function == "max",
            alpha=self.alpha,
            exceptions=native_word_list(word_list(EXCEPTIONS) if self.use_porter_stemmer else ""),
            stop_words=native_word_list(word_list(STOP_WORDS) if self.remove_stopwords else ""),
            wlcs_name=f"rouge-w-{self.wlcs_weight}",
            skip_name=self._skip_name("s"),
            skip_unigram_name=self._skip_name("su"),
        )

    def _counted(self, lines: Sequence[str], words: RougeWords) -> CountedText:
        """Returns a text as it is compared; with a limit of bytes, its sentences differ from its words."""
        if self.max_words is not None:
            lines = first_words(lines, self.max_words)
        of_lines = [words.words(line) for line in lines]
        if self.max_bytes is None:
            return counted([word for line in of_lines for word in line], of_lines, self._measures)
        kept = [word for line in first_bytes(lines, self.max_bytes) for word in words.words(line)]
        sentences = [words.words(line) for line in first_bytes_of_lines(lines, self.max_bytes)]
        return counted(kept, sentences, self._measures)

    def _scores(self, summary: CountedText, references: Sequence[CountedText]) -> MetricsDict:
        best = self.scoring_function == "max"
        scores = rouge_scores(summary, references, self._measures, best, self.alpha)
        return MetricsDict(
            {name: dict(zip(PARTS, values, strict=True)) for name, values in zip(self._names, scores, strict=True)}
        )

    def _measure_names(self) -> list[str]:
        names = [f"rouge-{order}" for order in range(1, self.max_ngram + 1)]
        if self.compute_rouge_l:
            names.append("rouge-l")
        if self.wlcs_weight is not None:
            names.append(f"rouge-w-{self.wlcs_weight}")
        if self.skip_bigram_gap_length is not None:
            names += [self._skip_name("s"), self._skip_name("su")]
        return names

    def _slow_above(self) -> int | None:
        """Returns the length of slow texts, that of the slowest measure."""
        if self.wlcs_weight is not None:
            return SLOW_WEIGHTED
        if self.skip_bigram_gap_length is not None and not 0 <= self.skip_bigram_gap_length < LARGE_GAP:
            return SLOW_PAIRS
        return SLOW_SUBSEQUENCES if self.compute_rouge_l else None

    def _skip_name(self, kind: str) -> str:
        gap = self.skip_bigram_gap_length
        return f"rouge-{kind}{'*' if gap is None or gap < 0 else gap}"


class BootstrapMean(Total):
    """The mean of 1000 bootstrap resamples of the outputs, with the random numbers of ROUGE-1.5.5.

    The program seeds the random numbers of Perl with 0 for the first resample, 1 for the second, and so on, so it
    prints the same averages each time. Perl from version 5.20 on has the generator drand48 on all systems. The program
    sorts evaluations by their ids as texts; they are numbered from 1, as SacreROUGE does, in the order of the outputs.
    So the average depends on the order of the outputs, and older versions of Perl print other last digits.

    All scores are kept in memory.

    >>> total = BootstrapMean()
    >>> for share in (20.0, 28.571):
    ...     total.add(MetricsDict({"rouge-1": {"recall": share}}), None)
    >>> total.score()
    {'rouge-1': {'recall': 24.285}}
    """

    def __init__(self) -> None:
        self._scores: list[MetricsDict] = []

    @overrides
    def add(self, scores: MetricsDict, statistics: Sequence[float] | None) -> None:
        self._scores.append(scores)
        self.count += 1

    @overrides
    def score(self) -> MetricsDict:
        if not self.count:
            raise InputError("cannot compute the score of zero outputs")
        flat = [list(scores.flatten().values()) for scores in self._scores]
        means = iter(bootstrap_means(flat))
        return self._scores[0].map(lambda _: next(means))


def bootstrap_means(rows: Sequence[Sequence[float]]) -> list[float]:
    """Returns the mean of each column over 1000 resamples of the rows, rounded to three decimal places.

    It is computed from shares with five decimal places, as in the program, so that ties are rounded alike.

    Args:
        rows: The scores of each output, from 0 to 100.
    """
    import numpy

    values: Any = numpy.array([[round(score / 100, 5) for score in row] for row in rows])
    values = values[sorted(range(len(rows)), key=lambda index: f"{index + 1}.1")]
    states = (numpy.arange(RESAMPLES, dtype=numpy.uint64) << numpy.uint64(16)) + numpy.uint64(_FIRST_BITS)
    mask = numpy.uint64((1 << _BITS) - 1)
    sums = numpy.zeros((RESAMPLES, values.shape[1]))
    for _ in rows:
        states = (states * numpy.uint64(_MULTIPLIER) + numpy.uint64(_INCREMENT)) & mask  # modulo 2^64, then 2^48
        draws = states.astype(float) * 2.0**-_BITS * len(rows)
        sums += values[draws.astype(int)]
    means = sums / len(rows)
    totals = numpy.zeros(values.shape[1])
    for mean in means:  # one after the other, as in the program; NumPy's sum adds pairwise
        totals += mean
    return [round(round(float(mean), 5) * 100_000) / 1000 for mean in totals / RESAMPLES]
