"""iBLEU: BLEU with a penalty for copying the source."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

from metrics_framework.common.arrays import Floats
from metrics_framework.common.errors import UsageError
from metrics_framework.common.overriding import overrides
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.texts import Text, TextGroups
from metrics_framework.metrics.base.batch_scores import Statistics
from metrics_framework.metrics.base.bleu_family import NgramPrecision
from metrics_framework.metrics.base.metric import CACHED_TEXTS, CorpusMetric, Metric
from metrics_framework.metrics.base.requirements import SENTENCE_SPLITTER
from metrics_framework.metrics.base.shapes import SourceReferenceBasedMetric
from metrics_framework.text.readability import ReadabilityCounts, grade_level, readability_counts
from metrics_framework.text.sentences import SplitterName, resolve_splitter, sentence_splitter, splitter_signature


class SourceNgramPrecision(CorpusMetric, NgramPrecision, SourceReferenceBasedMetric):
    """Base class of iBLEU and FKBLEU: BLEU against the references minus weighted BLEU against the source.

    Args:
        alpha: The weight α of BLEU against the references; BLEU against the source has the weight -(1 - α).
        effective_order: Whether to average only over the orders for which the summary has n-grams.
    """

    statistics_are_whole = True
    score_range = (-100, 100)

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
        self, summaries_list: TextGroups, references_list: TextGroups, sources: Sequence[Text]
    ) -> list[list[list[int]]]:
        """Returns the statistics of BLEU against the references, followed by the statistics against the source."""
        against_references = self.ngram_statistics(summaries_list, references_list)
        against_source = self.ngram_statistics(summaries_list, [[source] for source in sources])
        return [
            [[*references, *source] for references, source in zip(*groups, strict=True)]
            for groups in zip(against_references, against_source, strict=True)
        ]

    def _ibleu(self, statistics: Statistics) -> float:
        width = 2 + 2 * self.max_ngram_order
        against_references, _, _ = self._bleu(statistics[:width])
        against_source, _, _ = self._bleu(statistics[width : 2 * width])
        return self.alpha * against_references - (1 - self.alpha) * against_source

    def _ibleu_of_sums(self, sums: Floats) -> Floats:
        width = 2 + 2 * self.max_ngram_order
        against_references, _, _ = self._bleu_of_sums(sums[:, :width])
        against_source, _, _ = self._bleu_of_sums(sums[:, width : 2 * width])
        return self.alpha * against_references - (1 - self.alpha) * against_source


@Metric.register("ibleu")
class IBleu(SourceNgramPrecision):
    """BLEU against the references minus weighted BLEU against the source, to penalize copying (iBLEU).

    iBLEU = α · BLEU(summary, references) − (1 − α) · BLEU(summary, source), by default with α = 0.9. Corpus-level iBLEU
    is computed from statistics summed over all outputs.

    Both parts use the same options of BLEU. By default, ``effective_order`` is on: each average is taken over the
    orders for which there are n-grams. This makes no difference for a corpus with an output of at least four words and
    yields meaningful scores for shorter texts.

    Range: −100 · (1 − α) to 100 · α; higher is better.

    Source: Sun and Zhou (ACL 2012); for simplification Xu et al. (TACL 2016), as computed by EASSE (Alva-Manchego,
    Martin, Scarton and Specia, EMNLP 2019). BLEU is that of sacreBLEU 2.6.0.

    Raises:
        UsageError: if an option has an invalid value.
        MissingExtraError: if the tokenizer requires a package that is not installed.

    >>> scores = IBleu().score("the cat sat on a mat", ["the cat sat on the mat"], "the cat was sitting on a mat")
    >>> round(scores["ibleu"], 2)
    45.14
    >>> IBleu().signature().rpartition("|")[0]
    'ibleu|alpha:0.9|case:mixed|eff:yes|tok:13a|smooth:exp|order:4'
    """

    citation = "sun-zhou-2012-joint"

    def statistics_multi_all(
        self, summaries_list: TextGroups, references_list: TextGroups, sources: Sequence[Text]
    ) -> list[list[Statistics]]:
        """Returns for each output the statistics of BLEU against the references, then those against the source."""
        return [[*group] for group in self._ibleu_statistics(summaries_list, references_list, sources)]

    @overrides
    def score_statistics(self, statistics: Statistics) -> MetricsDict:
        return MetricsDict({"ibleu": self._ibleu(statistics)})

    def score_sums(self, sums: Floats) -> dict[str, Floats]:
        """Computes the scores of many summed statistics, shape (sums, statistics), in one call."""
        return {"ibleu": self._ibleu_of_sums(sums)}


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
    citation = "xu-etal-2016-optimizing"

    def __init__(self, splitter: SplitterName = "auto", **options: Any) -> None:
        super().__init__(**options)
        self.splitter = resolve_splitter(splitter)
        self._split = sentence_splitter(self.splitter)

    @overrides
    def signature_options(self) -> dict[str, Any]:
        return {**super().signature_options(), "split": splitter_signature(self.splitter)}

    def statistics_multi_all(
        self, summaries_list: TextGroups, references_list: TextGroups, sources: Sequence[Text]
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
