"""The metric ``length-ratio-corpus``."""

from __future__ import annotations

from collections.abc import Sequence

from metrics_framework import CorpusMetric, Metric, MetricsDict, SourceBasedMetric


@Metric.register("length-ratio-corpus")
class LengthRatioCorpus(CorpusMetric, SourceBasedMetric):
    """Divides the number of words of all summaries by that of all sources."""

    def statistics(self, summary: str, source: str) -> list[int]:
        """Counts the words of both."""
        return [len(summary.split()), len(source.split())]

    def score_statistics(self, statistics: Sequence[float]) -> MetricsDict:
        """Divides the two counts."""
        return MetricsDict({"length-ratio-corpus": statistics[0] / max(statistics[1], 1)})
