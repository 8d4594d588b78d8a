"""ROUGE as the package rouge-score computes it (``google-rouge``)."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, get_args

from metrics_framework.common.errors import UnknownChoiceError, UsageError
from metrics_framework.common.overriding import overrides
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.texts import TextGroups
from metrics_framework.kernels.dispatch import Kernel, Request
from metrics_framework.metrics.base.metric import CACHED_TEXTS, Metric
from metrics_framework.metrics.base.shapes import ReferenceBasedMetric
from metrics_framework.text.porter import nltk_stem
from metrics_framework.text.sentences import SentenceLines, SentencesOption, SplitterName

ROUGE_TYPES = (*(f"rouge{order}" for order in range(1, 10)), "rougeL", "rougeLsum")
PARTS = ("precision", "recall", "fmeasure")
MIN_STEMMED = 4  # characters
SLOW, SLOW_LINES = 1_000_000, 250_000  # characters, see `Metric`
_WORDS = re.compile("[a-z0-9]+")


@Metric.register("google-rouge")
@dataclass(eq=False, repr=False)
class GoogleRouge(ReferenceBasedMetric):
    """ROUGE of the package rouge-score: overlap of n-grams and longest common subsequences with a reference.

    Precision is the number of shared units, divided by the units of the summary; recall divides by the units of the
    reference; the F-measure is 2 · P · R / (P + R). The units of ``rouge1`` to ``rouge9`` are n-grams, which match at
    most as often as they occur in both texts. ``rougeL`` counts the words of the longest common subsequence of both
    texts. ``rougeLsum`` counts, for each line of the reference, the words that are in a longest common subsequence
    with any line of the summary; a text without line breaks has one line, and each sentence of a list is a line.
    ``sentences`` splits texts into lines.

    Words are runs of the ASCII letters and digits in lower case; other characters separate words, so texts in
    other scripts have no words. With the stemmer, words of four or more characters are replaced by their stems: those
    of Porter's algorithm with NLTK's extensions.

    With several references, each type of ROUGE is that of the reference with the highest F-measure. The score of a
    system is the mean over its outputs; the package prints the median of bootstrapped means, which is close to it but
    changes from call to call.

    Range: 0 to 1 as in the package, not 0 to 100; higher is better; 0 if a text has no words.

    Source: Lin (2004) for ROUGE. Equal to the last bit to the package rouge-score 0.1.2 with its default tokenizer.
    It differs from the official program ROUGE-1.5.5, for which use ``rouge``: other stems, one best reference
    instead of the sum over references, and a rougeL of whole texts.

    Args:
        rouge_types: The types to compute: rouge1 to rouge9, rougeL and rougeLsum.
        use_stemmer: Whether to replace words by their stems.
        split_summaries: Whether to split texts into sentences for rougeLsum with nltk's Punkt, instead of at line
            breaks: the name that the package has for sentences=punkt.
        sentences: How texts are split into sentences for rougeLsum: at line breaks (lines), also at a separator such as
            ``<q>`` or ``|||``, by rules that need no package (own), by nltk's Punkt, by pysbd, or not at all (none);
            auto uses Punkt if nltk and its data are installed, otherwise pysbd. Splitters leave lists of several
            sentences as they are.

    Raises:
        UsageError: if a type does not exist, there is none, nltk's English data is needed and not installed, or both
            options split texts, but differently.
        MissingExtraError: if the splitter needs a package that is not installed.

    >>> metric = GoogleRouge(["rouge1", "rougeL"], use_stemmer=True)
    >>> metric.score("The cats sat.", ["A cat was sitting", "the cat sat down"])["rouge1"]
    {'precision': 1.0, 'recall': 0.75, 'fmeasure': 0.8571428571428571}
    >>> metric.signature().rpartition("|")[0]
    'google-rouge|types:rouge1+rougeL|stem:yes'
    """

    kernel_name = "google_rouge"
    kernel_requests = Request.SCORES | Request.JACKKNIFED | Request.JSON | Request.SUM | Request.VECTORS
    kernel_adds_scores = True  # system scores are means
    reads_only_ascii = True
    line_scores = ("rougeLsum",)
    score_range = (0, 1)
    ratios = tuple(f"{kind}_{part}" for kind in ROUGE_TYPES for part in PARTS)
    card_names = {f"{kind}_fmeasure": kind for kind in ROUGE_TYPES}
    citation = "lin-2004-rouge"

    rouge_types: Sequence[str] = ("rouge1", "rouge2", "rougeL", "rougeLsum")
    use_stemmer: bool = False
    split_summaries: bool = False
    sentences: SentencesOption = "lines"

    def __post_init__(self) -> None:
        names = [self.rouge_types] if isinstance(self.rouge_types, str) else self.rouge_types
        given = [
            kind for name in names for kind in name.replace("+", ",").split(",")
        ]  # as in its package, and its signature
        for kind in given:
            if kind not in ROUGE_TYPES:
                raise UnknownChoiceError("rouge_types", kind, ROUGE_TYPES)
        if not given:
            raise UsageError("'rouge_types' must name at least one type of ROUGE, got an empty list")
        self.rouge_types = [kind for kind in ROUGE_TYPES if kind in given]
        self._kinds = sum(1 << index for index, kind in enumerate(ROUGE_TYPES) if kind in given)  # for the kernel
        self._lines = self._sentence_lines()
        has_sentences = "rougeLsum" in self.rouge_types
        self.compares_lines = has_sentences and self._lines.name == "lines"
        self.scores_separator = not self._lines.separator
        self.slow_above = SLOW_LINES if has_sentences else SLOW if "rougeL" in self.rouge_types else None

    @overrides
    def signature_options(self) -> dict[str, Any]:
        return {"types": self.rouge_types, "stem": self.use_stemmer, **self._lines.signature_options()}

    @overrides
    def score_multi_all(self, summaries_list: TextGroups, references_list: TextGroups) -> list[list[MetricsDict]]:
        from metrics_framework.kernels.python.google_rouge import best_scores

        @functools.lru_cache(CACHED_TEXTS)
        def words(text: str) -> list[list[str]]:
            return [self._words(line) for line in text.split("\n")]

        results = []
        for summaries, references in zip(summaries_list, references_list, strict=True):
            lines_of_references = [words(self._lines(reference)) for reference in references]
            group = [best_scores(words(self._lines(one)), lines_of_references, self.rouge_types) for one in summaries]
            results.append([self._scores(scores) for scores in group])
        return results

    @overrides
    def native(self, kernel: Kernel, *groups: Any) -> Any | None:
        return kernel(*self._lines.of_groups(groups), kinds=self._kinds, use_stemmer=self.use_stemmer)

    def _scores(self, scores: Sequence[Sequence[float]]) -> MetricsDict:
        return MetricsDict(
            {kind: dict(zip(PARTS, values, strict=True)) for kind, values in zip(self.rouge_types, scores, strict=True)}
        )

    def _sentence_lines(self) -> SentenceLines:
        """Returns what splits texts: only rougeLsum compares sentences, but a separator is a word in no score."""
        if self.split_summaries and self.sentences not in ("lines", "punkt"):
            raise UsageError(
                f"'split_summaries' splits texts with Punkt, but 'sentences' is '{self.sentences}'; "
                "use only 'sentences'"
            )
        if "rougeLsum" in self.rouge_types or self.sentences not in get_args(SplitterName) or self.sentences == "<q>":
            return SentenceLines("punkt" if self.split_summaries else self.sentences)
        return SentenceLines("lines")

    def _words(self, line: str) -> list[str]:
        words = _WORDS.findall(line.lower())
        return [nltk_stem(word) if len(word) >= MIN_STEMMED else word for word in words] if self.use_stemmer else words
