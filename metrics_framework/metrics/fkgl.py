"""FKGL: the school grade that a text takes to read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal, get_args

from overrides import overrides

from metrics_framework.common.errors import UnknownNameError
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.texts import Text
from metrics_framework.metrics.base.batch_scores import Statistics
from metrics_framework.metrics.base.metric import CorpusMetric, Metric
from metrics_framework.metrics.base.shapes import ReferenceFreeMetric
from metrics_framework.text.readability import grade_level, readability_counts
from metrics_framework.text.sentences import SplitterName, resolve_splitter, sentence_splitter, splitter_signature
from metrics_framework.text.tokenizers import get_tokenizer

Tokenizer = Literal["13a", "intl", "moses", "penn", "none"]


@Metric.register("fkgl")
class Fkgl(CorpusMetric, ReferenceFreeMetric):
    """Gives the school grade that English text takes to read, by the lengths of sentences and words.

    FKGL = 0.39 · words / sentences + 11.8 · syllables / words − 15.59, and 0 where that is negative or there are no
    words. Words, sentences and syllables are added up over the corpus before they are divided. Punctuation marks are
    words where the tokenizer sets them apart; syllables follow rules, not a dictionary; sentences are those of the text
    after it was lower-cased and tokenized. It looks at the summary alone: shorter is better, be it right or wrong.

    Range: 0 and up, without bound; about 10 for the sentences of an encyclopedia. Lower is easier.

    Source: Kincaid, Fishburne, Rogers and Chissom (1975), as EASSE computes it (Alva-Manchego, Martin, Scarton and
    Specia, EMNLP 2019): equal to published scores that were made with it.

    Args:
        tokenizer: How text is tokenized.
        lowercase: Whether text is lower-cased before it is tokenized.
        splitter: What cuts text into sentences: nltk's Punkt, pysbd, or none (a text is one sentence); auto takes Punkt
            where nltk and its data are there, else pysbd.

    Raises:
        UnknownNameError: if there is no tokenizer or splitter of that name.
        MissingExtraError: if the tokenizer or the splitter needs a package that is not installed.
        UsageError: if the splitter is punkt and nltk's English data is not there.

    >>> Fkgl(splitter="none").score("The cat sat on the comfortable mat.")
    {'fkgl': 2.280000000000001, 'fkgl_words': 8, 'fkgl_sentences': 1, 'fkgl_syllables': 10}
    >>> Fkgl(splitter="none").signature().rpartition("|")[0]
    'fkgl|case:lc|tok:13a|split:none'
    """

    statistics_are_whole = True
    higher_is_better: ClassVar[bool] = False
    score_range: ClassVar[tuple[float | None, float | None]] = (0, None)
    citation: ClassVar[str] = """@techreport{kincaid-etal-1975-derivation,
    title = "Derivation of New Readability Formulas (Automated Readability Index, Fog Count and Flesch Reading Ease
        Formula) for Navy Enlisted Personnel",
    author = "Kincaid, J. Peter and Fishburne, Robert P. and Rogers, Richard L. and Chissom, Brad S.",
    institution = "Naval Technical Training Command, Millington, Tennessee",
    number = "Research Branch Report 8-75",
    year = "1975",
}"""

    def __init__(self, tokenizer: Tokenizer = "13a", lowercase: bool = True, splitter: SplitterName = "auto") -> None:
        super().__init__()
        if tokenizer not in get_args(Tokenizer):
            raise UnknownNameError("tokenizer", tokenizer, get_args(Tokenizer))
        self.tokenizer = tokenizer
        self.lowercase = lowercase
        self.splitter = resolve_splitter(splitter)
        self._tokenize = get_tokenizer(tokenizer)
        self._split = sentence_splitter(self.splitter)

    @overrides
    def signature_options(self) -> dict[str, Any]:
        return {
            "case": "lc" if self.lowercase else "mixed",
            "tok": self.tokenizer,
            "split": splitter_signature(self.splitter),
        }

    def statistics_multi_all(self, summaries_list: Sequence[Sequence[Text]]) -> list[list[Statistics]]:
        """Returns for each output of each group its words, sentences and syllables."""
        return [
            [readability_counts(summary, self._tokenize, self._split, self.lowercase) for summary in summaries]
            for summaries in summaries_list
        ]

    @overrides
    def score_statistics(self, statistics: Statistics) -> MetricsDict:
        words, sentences, syllables = statistics
        return MetricsDict(
            {
                "fkgl": grade_level(words, sentences, syllables),
                "fkgl_words": int(words),
                "fkgl_sentences": int(sentences),
                "fkgl_syllables": int(syllables),
            }
        )
