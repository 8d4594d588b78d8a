"""FKGL: the Flesch-Kincaid grade level of a text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from metrics_framework.common.arrays import Floats
from metrics_framework.common.overriding import overrides
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.texts import TextGroups
from metrics_framework.metrics.base.batch_scores import Statistics
from metrics_framework.metrics.base.metric import CorpusMetric, Metric
from metrics_framework.metrics.base.requirements import SENTENCE_SPLITTER
from metrics_framework.metrics.base.shapes import ReferenceFreeMetric
from metrics_framework.metrics.base.totals import ratio
from metrics_framework.text.readability import grade_level, readability_counts
from metrics_framework.text.sentences import SplitterName, resolve_splitter, sentence_splitter, splitter_signature
from metrics_framework.text.tokenizers.tokenizer import WordTokenizerName, load_tokenizer, tokenizer_signature


@Metric.register("fkgl")
@dataclass(eq=False, repr=False)
class Fkgl(CorpusMetric, ReferenceFreeMetric):
    """Flesch-Kincaid grade level: the US school grade needed to read a text.

    FKGL = 0.39 · words / sentences + 11.8 · syllables / words − 15.59; 0 if this is negative. It is undefined
    for a text without words: an empty output is not the easiest to read.
    Corpus-level FKGL is computed from words, sentences and syllables summed over all outputs. Text is lowercased and
    tokenized before it is split into sentences, and punctuation marks that the tokenizer separates count as words.
    Syllables are counted by rules for English, without a dictionary. FKGL considers only the summary: short words and
    sentences score well even if the content is wrong.

    Range: 0 and up, unbounded; about 10 for sentences of an encyclopedia. Lower is easier to read.

    Source: Kincaid, Fishburne, Rogers and Chissom (1975), as computed by EASSE (Alva-Manchego, Martin, Scarton and
    Specia, EMNLP 2019). Equal to published scores computed with EASSE.

    Args:
        tokenizer: The tokenizer.
        lowercase: Whether to lowercase text before tokenization.
        splitter: The sentence splitter: nltk's Punkt, pysbd, own (rules that need no package), lines, ``<q>`` (lines
            and PreSumm's separator), or none (one sentence per text); auto uses Punkt if nltk and its English data are
            installed, else pysbd.

    Raises:
        UnknownNameError: if the tokenizer or the splitter is unknown.
        MissingExtraError: if the tokenizer or the splitter requires a package that is not installed.
        UsageError: if the splitter is punkt and nltk's English data is not installed.

    >>> Fkgl(splitter="none").score("The cat sat on the comfortable mat.")
    {'fkgl': 2.280000000000001, 'fkgl_words': 8, 'fkgl_sentences': 1, 'fkgl_syllables': 10}
    >>> Fkgl(splitter="none").signature().rpartition("|")[0]
    'fkgl|case:lc|tok:13a|split:none'
    """

    statistics_are_whole = True
    higher_is_better = False
    requirements = (SENTENCE_SPLITTER,)
    splits_at_spaces = True
    score_range = (0, None)
    citation = "kincaid-etal-1975-derivation"

    tokenizer: WordTokenizerName = "13a"
    lowercase: bool = True
    splitter: SplitterName = "auto"

    def __post_init__(self) -> None:
        self.splitter = resolve_splitter(self.splitter)
        self._tokenize = load_tokenizer(self.tokenizer).tokenize
        self._split = sentence_splitter(self.splitter)

    @overrides
    def signature_options(self) -> dict[str, Any]:
        return {
            "case": "lc" if self.lowercase else "mixed",
            "tok": tokenizer_signature(self.tokenizer),
            "split": splitter_signature(self.splitter),
        }

    def statistics_multi_all(self, summaries_list: TextGroups) -> list[list[Statistics]]:
        """Returns for each output the number of its words, sentences and syllables."""
        return [
            [readability_counts(summary, self._tokenize, self._split, self.lowercase) for summary in summaries]
            for summaries in summaries_list
        ]

    @overrides
    def score_statistics(self, statistics: Statistics) -> MetricsDict:
        return MetricsDict(_named(grade_level(*statistics), *map(int, statistics)))

    def score_sums(self, sums: Floats) -> dict[str, Floats]:
        """Computes the scores of many summed statistics, shape (sums, statistics), in one call."""
        import numpy as np

        words, sentences, syllables = sums.T
        grades = 0.39 * ratio(words, sentences) + 11.8 * ratio(syllables, words) - 15.59
        grades = np.where((words > 0) & (sentences > 0), np.maximum(grades, 0.0), np.nan)
        return _named(grades, words, sentences, syllables)


def _named(grade: Any, words: Any, sentences: Any, syllables: Any) -> dict[str, Any]:
    return {"fkgl": grade, "fkgl_words": words, "fkgl_sentences": sentences, "fkgl_syllables": syllables}
