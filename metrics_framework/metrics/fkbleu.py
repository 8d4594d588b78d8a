"""FKBLEU: iBLEU, weighted by the difference between the grade levels of summary and source."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any, ClassVar

from metrics_framework.common.overriding import overrides
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.texts import Text
from metrics_framework.metrics.base.batch_scores import Statistics
from metrics_framework.metrics.base.bleu_family import SourceNgramPrecision
from metrics_framework.metrics.base.metric import CACHED_TEXTS, Metric
from metrics_framework.metrics.base.requirements import SENTENCE_SPLITTER
from metrics_framework.text.readability import ReadabilityCounts, grade_level, readability_counts
from metrics_framework.text.sentences import SplitterName, resolve_splitter, sentence_splitter, splitter_signature


@Metric.register("fkbleu")
class FkBleu(SourceNgramPrecision):
    """FKBLEU: iBLEU, multiplied by a factor from 0 to 1 for the change in Flesch-Kincaid grade level.

    FKBLEU = iBLEU · 1 / (1 + exp(FKGL(source) − FKGL(summary))). The factor is 1/2 if summary and source have the same
    grade level, and 0.05 if the summary is three grades easier. This is the published formula, although it rewards
    summaries that are harder to read.

    iBLEU and FKGL are as in the metrics ``ibleu`` and ``fkgl``; at corpus level, they are computed from summed
    statistics. FKGL always lowercases text, independently of ``lowercase``, and a text without words counts as grade 0,
    as in EASSE.

    Range: that of iBLEU, −100 · (1 − α) to 100 · α; higher is better.

    Source: Xu, Napoles, Pavlick, Chen and Callison-Burch (TACL 2016), as computed by EASSE (Alva-Manchego, Martin,
    Scarton and Specia, EMNLP 2019).

    Args:
        splitter: The sentence splitter: nltk's Punkt, pysbd, own (rules that need no package), lines, ``<q>`` (lines
            and PreSumm's separator), or none (one sentence per text); auto uses Punkt if nltk and its English data are
            installed, else pysbd.

    Raises:
        UsageError: if an option has an invalid value, or the splitter is punkt and nltk's English data is not
            installed.
        UnknownNameError: if the tokenizer or the splitter is unknown.
        MissingExtraError: if the tokenizer or the splitter requires a package that is not installed.

    >>> metric = FkBleu(splitter="none")
    >>> scores = metric.score("the cat sat on a mat", ["the cat sat on the mat"], "the cat was sitting on a mat")
    >>> round(scores["fkbleu"], 2)
    15.73
    >>> metric.signature().rpartition("|")[0]
    'fkbleu|alpha:0.9|case:mixed|eff:yes|tok:13a|smooth:exp|order:4|split:none'
    """

    requirements = (SENTENCE_SPLITTER,)
    citation: ClassVar[str] = "xu-etal-2016-optimizing"

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
        """Returns for each output the statistics of iBLEU, then those of FKGL for the summary and for the source."""

        @functools.lru_cache(CACHED_TEXTS)
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
        difference = _grade(statistics[-6:-3]) - _grade(statistics[-3:])
        return MetricsDict({"fkbleu": self._ibleu(statistics) * _sigmoid(difference)})


def _grade(counts: Statistics) -> float:
    return grade_level(*counts) if counts[0] else 0.0


def _hashable(text: Text) -> str | tuple[str, ...]:
    return text if isinstance(text, str) else tuple(text)


def _sigmoid(number: float) -> float:
    """Returns 1 / (1 + exp(-number)) without overflow."""
    if number >= 0:
        return 1 / (1 + math.exp(-number))
    return math.exp(number) / (1 + math.exp(number))
