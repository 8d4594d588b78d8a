"""AutoSummENG, MeMoG and NPowER: similarity of the character n-gram graphs of a summary and its references."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from metrics_framework.common.errors import UsageError
from metrics_framework.common.overriding import overrides
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.sums import plain_sum
from metrics_framework.data.texts import TextGroups
from metrics_framework.kernels.dispatch import Kernel
from metrics_framework.metrics.base.metric import JACKKNIFED, JSON, MAX_ORDER, SCORES, SUM, VECTORS, Metric
from metrics_framework.metrics.base.shapes import ReferenceBasedMetric

Mode = Literal["published", "corrected"]

MAX_WINDOW = 1000


@Metric.register("autosummeng")
@dataclass(eq=False, repr=False)
class AutoSummEng(ReferenceBasedMetric):
    """AutoSummENG, MeMoG and NPowER: similarity of character n-gram graphs.

    The graph of a text has an edge in both directions between n-grams that are at most ``window`` positions apart,
    weighted by how often they are. The similarity of two graphs is Σ min(w, v) / max(w, v) over their common edges,
    divided by the number of edges of the larger graph; that of two graphs without edges is 0. With several orders, it
    is their mean, in which order n counts min_n + … + n times.

    AutoSummENG is the mean similarity to the references; MeMoG is the similarity to one graph that all references are
    merged into (the k-th reference changes the weight of an edge by 1/k of the difference; a new edge keeps its
    weight); NPowER = (5.2905 · AutoSummENG + 3.0053 · MeMoG + 0.5866) / 10.

    The published program has two faults, and published scores contain them: its MeMoG is the similarity to the last
    reference, and its AutoSummENG compares with the merged graph instead of the first reference. ``mode`` selects
    scores with the faults (``published``) or without them (``corrected``). With one reference, both are equal.

    Texts are sequences of UTF-16 code units, and every line ends with a line feed; a text that is a list has one line
    for each sentence. Case and punctuation count.

    Range: 0 to 1 (NPowER: 0.05866 to 0.88824), higher is better. The score of a system is the mean over its outputs.

    Source: Giannakopoulos, Karkaletsis, Vouros and Stamatopoulos (2008) for AutoSummENG; Giannakopoulos and Karkaletsis
    (TAC 2010) for MeMoG; Giannakopoulos and Karkaletsis (CICLing 2013) for NPowER. Equal to the Java program
    gr.demokritos.iit.npower.NPowER to the six digits that it prints.

    Args:
        min_n: The lowest order of n-grams.
        max_n: The highest order of n-grams, at most 1000.
        window: The greatest distance between n-grams with an edge, at most 1000.
        mode: Whether scores contain the faults of the published program.

    Raises:
        UsageError: if an option has an invalid value.

    >>> reference = "Dan went to buy scones earlier this morning."
    >>> scores = AutoSummEng().score("Dan walked to the bakery this morning.", [reference])
    >>> [f"{name} {score:.6f}" for name, score in scores.items()]
    ['AutoSummENG 0.300813', 'MeMoG 0.300813', 'NPowER 0.308208']
    >>> AutoSummEng().signature().rpartition("|")[0]
    'autosummeng|min_n:3|max_n:3|window:3|mode:published'
    """

    kernel_name = "autosummeng"
    kernel_requests = SCORES | JACKKNIFED | SUM | JSON | VECTORS
    kernel_adds_scores = True
    ratios = ("AutoSummENG", "MeMoG", "NPowER")
    option_aliases = {"d_window": "window"}
    score_range = (0, 1)
    citation = (
        "giannakopoulos-etal-2008-summarization giannakopoulos-karkaletsis-2010-summarization "
        "giannakopoulos-karkaletsis-2013-summary"
    )

    min_n: int = 3
    max_n: int = 3
    window: int = 3
    mode: Mode = "published"

    def __post_init__(self) -> None:
        if not 1 <= self.min_n <= self.max_n <= MAX_ORDER:
            raise UsageError(
                f"'min_n' must be at least 1, and 'max_n' from 'min_n' to {MAX_ORDER}, got min_n={self.min_n} and "
                f"max_n={self.max_n}"
            )
        if not 1 <= self.window <= MAX_WINDOW:
            raise UsageError(f"'window' must be from 1 to {MAX_WINDOW}, got {self.window}")
        steps = (1 + self.max_n - self.min_n) * (20 + self.window)  # for each character, as measured
        self.slow_above = 10**7 // steps if steps > 50 else None

    @overrides
    def score_multi_all(self, summaries_list: TextGroups, references_list: TextGroups) -> list[list[MetricsDict]]:
        groups = zip(_lines_of(summaries_list), _lines_of(references_list), strict=True)
        return [self._score_group(summaries, references) for summaries, references in groups]

    @overrides
    def native(self, kernel: Kernel, *groups: Any) -> Any | None:
        return kernel(
            *map(_lines_of, groups),
            min_n=self.min_n,
            max_n=self.max_n,
            window=self.window,
            published=self.mode == "published",
        )

    def _score_group(self, summaries: Sequence[str], references: Sequence[str]) -> list[MetricsDict]:
        from metrics_framework.kernels.python.ngram_graphs import NgramGraphs

        graphs = NgramGraphs(references, range(self.min_n, self.max_n + 1), self.window)
        scores = []
        for summary in summaries:
            merged, single = graphs.similarities(summary)
            if self.mode == "published":
                memog, single[0] = single[-1], merged
            else:
                memog = merged
            autosummeng = plain_sum(single) / len(single)
            npower = (5.2905 * autosummeng + 3.0053 * memog + 0.5866) / 10
            scores.append(MetricsDict({"AutoSummENG": autosummeng, "MeMoG": memog, "NPowER": npower}))
        return scores


def _lines_of(groups: TextGroups) -> list[list[str]]:
    return [[text if isinstance(text, str) else "\n".join(text) for text in group] for group in groups]
