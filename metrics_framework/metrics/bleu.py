"""BLEU: how many of the n-grams of a text stand in its references."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from overrides import overrides

from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.texts import Text
from metrics_framework.kernels.dispatch import Kernel, Request
from metrics_framework.metrics.base.batch_scores import Statistics
from metrics_framework.metrics.base.bleu_family import NgramPrecision
from metrics_framework.metrics.base.metric import CorpusMetric, Metric
from metrics_framework.metrics.base.shapes import ReferenceBasedMetric


@Metric.register("bleu")
class Bleu(CorpusMetric, NgramPrecision, ReferenceBasedMetric):
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

    kernel_name: ClassVar[str] = "bleu"
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
        return [[*group] for group in self._statistics(summaries_list, references_list)]

    @overrides
    def native(self, kernel: Kernel, *groups: Any) -> Any | None:
        return self._native(kernel, groups, of_sentence=False)

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
class SentBleu(NgramPrecision, ReferenceBasedMetric):
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

    kernel_name: ClassVar[str] = "bleu"
    kernel_requests = Request.SCORES | Request.JACKKNIFED | Request.JSON  # the total is a mean of scores
    card_names: ClassVar[Mapping[str, str]] = {"sent-bleu": "score"}

    def __init__(self, *, effective_order: bool = True, **options: Any) -> None:
        super().__init__(effective_order=effective_order, **options)

    @overrides
    def score_multi_all(
        self, summaries_list: Sequence[Sequence[Text]], references_list: Sequence[Sequence[Text]]
    ) -> list[list[MetricsDict]]:
        groups = self._statistics(summaries_list, references_list)
        return [[MetricsDict({"sent-bleu": self._bleu(statistics)[0]}) for statistics in group] for group in groups]

    @overrides
    def native(self, kernel: Kernel, *groups: Any) -> Any | None:
        return self._native(kernel, groups, of_sentence=True)
