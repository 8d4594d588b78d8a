"""BLEU at corpus level (``bleu``) and sentence level (``sent-bleu``)."""

from __future__ import annotations

from typing import Any

from metrics_framework.common.arrays import Floats
from metrics_framework.common.overriding import overrides
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.texts import TextGroups
from metrics_framework.kernels.dispatch import Kernel, Request
from metrics_framework.metrics.base.batch_scores import Statistics
from metrics_framework.metrics.base.bleu_family import NgramPrecision
from metrics_framework.metrics.base.metric import CorpusMetric, Metric
from metrics_framework.metrics.base.shapes import ReferenceBasedMetric


@Metric.register("bleu")
class Bleu(CorpusMetric, NgramPrecision, ReferenceBasedMetric):
    """BLEU: geometric mean of n-gram precisions, multiplied by a brevity penalty for short outputs.

    BLEU = BP · exp(mean over orders 1 to 4 of log(100 · matches / n-grams)). Matches are clipped: an n-gram matches at
    most as often as it occurs in the reference that contains it most often. The brevity penalty BP is exp(1 − r / c) if
    the summary has c words and the reference closest in length has r > c words, else 1. Corpus-level BLEU is computed
    from matches, n-grams and lengths summed over all outputs. The BLEU of a single output is computed from its own
    counts; for sentence-level BLEU, use ``sent-bleu`` or turn on ``effective_order``.

    The other scores are the n-gram precision of each order, the brevity penalty, and the lengths of the outputs and of
    the closest references.

    Range: 0 to 100, higher is better. If some orders have no matches, the score depends on smoothing; without any
    matches it is 0.

    Source: Papineni, Roukos, Ward and Zhu (ACL 2002). Equal to the last bit to sacreBLEU 2.6.0 (Post, WMT 2018) under
    Python 3.10 and 3.11; from 3.12 on, the last digits of sacreBLEU differ, and those of this metric do not.

    Raises:
        UsageError: if an option has an invalid value.
        MissingExtraError: if the tokenizer requires a package that is not installed.

    >>> scores = Bleu().score("the cat sat on a mat", ["the cat sat on the mat", "a cat sat down"])
    >>> round(scores["bleu"], 2), scores["bleu_bp"]
    (56.23, 1.0)
    >>> Bleu().other_signatures("2")["sacrebleu"]
    'nrefs:2|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0'
    """

    kernel_name = "bleu"
    statistics_are_whole = True
    component_ranges = {
        "bleu_precisions": (0, 100),
        "bleu_bp": (0, 1),
        "bleu_sys_len": (0, None),
        "bleu_ref_len": (0, None),
    }
    ratios = ("bleu_bp",)

    def statistics_multi_all(self, summaries_list: TextGroups, references_list: TextGroups) -> list[list[Statistics]]:
        """Returns for each output its length, the closest reference length, and matches and n-grams of each order."""
        return [[*group] for group in self._statistics(summaries_list, references_list)]

    @overrides
    def native(self, kernel: Kernel, *groups: Any) -> Any | None:
        return self._native(kernel, groups, of_sentence=False)

    @overrides
    def score_statistics(self, statistics: Statistics) -> MetricsDict:
        return MetricsDict(_named(*self._bleu(statistics), *map(int, statistics[:2])))

    def score_swaps(self, sums: Floats) -> dict[str, Floats]:
        """Like `score_sums`, with other rounding and in two thirds of the time (decision 0013)."""
        return self.score_sums(sums, by_root=True)

    def score_sums(self, sums: Floats, by_root: bool = False) -> dict[str, Floats]:
        """Computes the scores of many summed statistics, shape (sums, statistics), in one call."""
        return _named(*self._bleu_of_sums(sums, by_root), sums[:, 0], sums[:, 1])


def _named(score: Any, precisions: Any, penalty: Any, length: Any, reference_length: Any) -> dict[str, Any]:
    lengths = {"bleu_sys_len": length, "bleu_ref_len": reference_length}
    return {"bleu": score, "bleu_precisions": precisions, "bleu_bp": penalty, **lengths}


@Metric.register("sent-bleu")
class SentBleu(NgramPrecision, ReferenceBasedMetric):
    """Sentence-level BLEU: the BLEU of each output; system scores are means over outputs.

    The formula is that of ``bleu``, applied to the counts of one output. Few sentences have matches of every order, so
    sentence-level scores depend more on smoothing than corpus-level scores; by default, they average only over the
    orders for which the summary has n-grams. The mean of sentence scores differs from corpus-level BLEU.

    Range: 0 to 100, higher is better.

    Source: as for ``bleu``. Equal to the last bit to the sentence scores of sacreBLEU 2.6.0, with the same defaults,
    under Python 3.10 and 3.11.

    Args:
        effective_order: Whether to average only over the orders for which the summary has n-grams.

    Raises:
        UsageError: if an option has an invalid value.
        MissingExtraError: if the tokenizer requires a package that is not installed.

    >>> SentBleu().score("a cat", ["a cat"])
    {'sent-bleu': 100.00000000000004}
    >>> round(SentBleu(smooth_method="floor").score("the cat sat", ["the cat lay"])["sent-bleu"], 2)
    32.18
    """

    kernel_name = "bleu"
    kernel_requests = Request.SCORES | Request.JACKKNIFED | Request.JSON  # no statistics: system scores are means

    def __init__(self, *, effective_order: bool = True, **options: Any) -> None:
        super().__init__(effective_order=effective_order, **options)

    @overrides
    def score_multi_all(self, summaries_list: TextGroups, references_list: TextGroups) -> list[list[MetricsDict]]:
        groups = self._statistics(summaries_list, references_list)
        return [[MetricsDict({"sent-bleu": self._bleu(statistics)[0]}) for statistics in group] for group in groups]

    @overrides
    def native(self, kernel: Kernel, *groups: Any) -> Any | None:
        return self._native(kernel, groups, of_sentence=True)
