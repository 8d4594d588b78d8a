"""Metrics as users of SacreROUGE wrote them; only ``sacrerouge`` in the imports was replaced."""

from collections import Counter
from typing import Dict, List, Tuple

from overrides import overrides

from metrics_framework.data import MetricsDict
from metrics_framework.data.jackknifers import ReferencesJackknifer
from metrics_framework.data.types import DocumentType, ReferenceType, SummaryType
from metrics_framework.metrics import DocumentBasedMetric, Metric, ReferenceBasedMetric, ReferenceFreeMetric


@Metric.register("shared-words")
class SharedWords(ReferenceBasedMetric):
    """
    Measures which share of the words of a summary is in its references.
    """

    def __init__(self, lowercase: bool = True):
        super().__init__()
        self.lowercase = lowercase

    def _count(self, text: SummaryType) -> Dict[str, int]:
        if isinstance(text, list):
            text = " ".join(text)
        if self.lowercase:
            text = text.lower()
        return Counter(text.split())

    def _score(self, summary: SummaryType, references: List[ReferenceType]) -> MetricsDict:
        counts = self._count(summary)
        shared = [sum((counts & self._count(reference)).values()) for reference in references]
        total = max(1, sum(counts.values()))
        return MetricsDict({"shared-words": {"mean": sum(shared) / len(shared) / total, "max": max(shared) / total}})

    @overrides
    def score_multi_all(
        self, summaries_list: List[List[SummaryType]], references_list: List[List[ReferenceType]]
    ) -> List[List[MetricsDict]]:
        metrics_lists = []
        for summaries, references in zip(summaries_list, references_list):
            metrics_lists.append([])
            for summary in summaries:
                metrics_lists[-1].append(self._score(summary, references))
        return metrics_lists

    def evaluate(
        self, summaries: List[SummaryType], references_list: List[List[ReferenceType]]
    ) -> Tuple[MetricsDict, List[MetricsDict]]:
        return super().evaluate(summaries, references_list)


@Metric.register("first-fields")
class FirstFields(ReferenceBasedMetric):
    """Names its fields, but no jackknifer."""

    def __init__(self):
        super().__init__(["summary"], ["references"])

    @overrides
    def score_multi_all(
        self, summaries_list: List[List[SummaryType]], references_list: List[List[ReferenceType]], **kwargs
    ) -> List[List[MetricsDict]]:
        return [
            [MetricsDict({"first-fields": float(len(references))}) for _ in summaries]
            for summaries, references in zip(summaries_list, references_list)
        ]


@Metric.register("own-jackknifer")
class OwnJackknifer(Metric):
    """Is no shape, so only its own jackknifer leaves references out."""

    def __init__(self):
        super().__init__(["summary"], ["references"], jackknifer=ReferencesJackknifer())

    def score_multi_all(
        self, summaries_list: List[List[SummaryType]], references_list: List[List[ReferenceType]]
    ) -> List[List[MetricsDict]]:
        return [
            [MetricsDict({"own-jackknifer": float(len(references))}) for _ in summaries]
            for summaries, references in zip(summaries_list, references_list)
        ]


@Metric.register("covered-documents")
class CoveredDocuments(DocumentBasedMetric):
    """Counts documents."""

    def __init__(self):
        super().__init__()

    @overrides
    def score_multi_all(
        self, summaries_list: List[List[SummaryType]], documents_list: List[List[DocumentType]]
    ) -> List[List[MetricsDict]]:
        return [
            [MetricsDict({"covered-documents": float(len(documents))}) for _ in summaries]
            for summaries, documents in zip(summaries_list, documents_list)
        ]


@Metric.register("length")
class Length(ReferenceFreeMetric):
    """Counts characters."""

    @overrides
    def score_multi_all(self, summaries_list: List[List[SummaryType]], *args, **kwargs) -> List[List[MetricsDict]]:
        return [[MetricsDict({"length": float(len(summary))}) for summary in summaries] for summaries in summaries_list]
