"""FKBLEU: iBLEU, weighed with how much harder than its source a summary is to read."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any, ClassVar

from overrides import overrides

from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.texts import Text
from metrics_framework.metrics.base.batch_scores import Statistics
from metrics_framework.metrics.base.bleu_family import MOST_TEXTS_KNOWN, SourceNgramPrecision
from metrics_framework.metrics.base.metric import Metric
from metrics_framework.text.readability import ReadabilityCounts, grade_level, readability_counts
from metrics_framework.text.sentences import SplitterName, resolve_splitter, sentence_splitter, splitter_signature


@Metric.register("fkbleu")
class FkBleu(SourceNgramPrecision):
    """Multiplies iBLEU with a number from 0 to 1 that follows the change in grade level.

    FKBLEU = iBLEU · 1 / (1 + exp(FKGL(source) − FKGL(summary))). A summary that is as hard to read as its source has
    half its iBLEU; one that is three grades easier has 5 % of it. This is the formula that was published and is in use,
    though it rewards what is harder to read.

    iBLEU and FKGL are those of the metrics ``ibleu`` and ``fkgl``, over the sums of the corpus; FKGL lower-cases its
    text, whatever ``lowercase`` says.

    Range: that of iBLEU, −100 · (1 − α) to 100 · α.

    Source: Xu, Napoles, Pavlick, Chen and Callison-Burch (TACL 2016), as EASSE computes it (Alva-Manchego, Martin,
    Scarton and Specia, EMNLP 2019).

    Args:
        splitter: What cuts text into sentences: nltk's Punkt, pysbd, or none (a text is one sentence); auto takes Punkt
            where nltk and its data are there, else pysbd.

    Raises:
        UsageError: if an option has a value it cannot have, or the splitter is punkt and nltk's English data is not
            there.
        UnknownNameError: if there is no tokenizer or splitter of that name.
        MissingExtraError: if the tokenizer or the splitter needs a package that is not installed.

    >>> metric = FkBleu(splitter="none")
    >>> scores = metric.score("the cat sat on a mat", ["the cat sat on the mat"], "the cat was sitting on a mat")
    >>> round(scores["fkbleu"], 2)
    15.73
    >>> metric.signature().rpartition("|")[0]
    'fkbleu|alpha:0.9|case:mixed|eff:yes|tok:13a|smooth:exp|order:4|split:none'
    """

    citation: ClassVar[str] = """@article{xu-etal-2016-optimizing,
    title = "Optimizing Statistical Machine Translation for Text Simplification",
    author = "Xu, Wei and Napoles, Courtney and Pavlick, Ellie and Chen, Quanze and Callison-Burch, Chris",
    journal = "Transactions of the Association for Computational Linguistics",
    volume = "4",
    year = "2016",
    pages = "401--415",
    url = "https://aclanthology.org/Q16-1029",
    doi = "10.1162/tacl_a_00107",
}"""

    def __init__(self, splitter: SplitterName = "auto", **options: Any) -> None:
        super().__init__(**options)
        self.splitter = resolve_splitter(splitter)
        self._split = sentence_splitter(self.splitter)

    @overrides
    def signature_options(self) -> dict[str, Any]:
        return {**super().signature_options(), "split": splitter_signature(self.splitter)}

    def statistics_multi_all(
        self,
        summaries_list: Sequence[Sequence[Text]],
        references_list: Sequence[Sequence[Text]],
        sources: Sequence[Text],
    ) -> list[list[Statistics]]:
        """Returns for each output of each group the statistics of iBLEU and the counts of summary and source."""

        # Groups may share texts: the jackknifed ones have all but their references in common.
        @functools.lru_cache(MOST_TEXTS_KNOWN)
        def counts(text: str | tuple[str, ...]) -> ReadabilityCounts:
            return readability_counts(text, self._tokenize, self._split, lowercase=True)

        groups = self._ibleu_statistics(summaries_list, references_list, sources)
        return [
            [
                [*statistics, *counts(_hashable(summary)), *counts(_hashable(source))]
                for statistics, summary in zip(group, summaries, strict=True)
            ]
            for group, summaries, source in zip(groups, summaries_list, sources, strict=True)
        ]

    @overrides
    def score_statistics(self, statistics: Statistics) -> MetricsDict:
        gain = grade_level(*statistics[-6:-3]) - grade_level(*statistics[-3:])
        return MetricsDict({"fkbleu": self._ibleu(statistics) * _sigmoid(gain)})


def _hashable(text: Text) -> str | tuple[str, ...]:
    return text if isinstance(text, str) else tuple(text)


def _sigmoid(number: float) -> float:
    """Returns 1 / (1 + exp(-number)), for numbers of any size."""
    if number >= 0:
        return 1 / (1 + math.exp(-number))
    return math.exp(number) / (1 + math.exp(number))
