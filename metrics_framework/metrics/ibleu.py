"""iBLEU: BLEU with a penalty for copying the source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from metrics_framework.common.arrays import Floats
from metrics_framework.common.overriding import overrides
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.texts import Text
from metrics_framework.metrics.base.batch_scores import Statistics
from metrics_framework.metrics.base.bleu_family import SourceNgramPrecision
from metrics_framework.metrics.base.metric import Metric


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

    citation: ClassVar[str] = "sun-zhou-2012-joint"

    def statistics_multi_all(
        self,
        summaries_list: Sequence[Sequence[Text]],
        references_list: Sequence[Sequence[Text]],
        sources: Sequence[Text],
    ) -> list[list[Statistics]]:
        """Returns for each output the statistics of BLEU against the references, then those against the source."""
        return [[*group] for group in self._ibleu_statistics(summaries_list, references_list, sources)]

    @overrides
    def score_statistics(self, statistics: Statistics) -> MetricsDict:
        return MetricsDict({"ibleu": self._ibleu(statistics)})

    def score_sums(self, sums: Floats) -> dict[str, Floats]:
        """Computes the scores of many summed statistics, shape (sums, statistics), in one call."""
        return {"ibleu": self._ibleu_of_sums(sums)}
