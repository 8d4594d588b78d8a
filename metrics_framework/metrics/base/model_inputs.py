"""`ModelInputsMetric`: metrics that compute the score of an output from values of one or several inputs of a model."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal

from metrics_framework.common.errors import UsageError
from metrics_framework.common.overriding import overrides
from metrics_framework.data.jackknifers import ReferencesJackknifer
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.texts import Text, as_string
from metrics_framework.io.disk_cache import all_of
from metrics_framework.metrics.base.neural_metric import NeuralMetric
from metrics_framework.metrics.base.shapes import ChosenFieldsMetric
from metrics_framework.text.sentences import SentenceSplitter, sentences_of

Item = list[Any]
"""The texts that a model reads for a value, as JSON values."""
Value = list[Any]
"""The values of an item, as JSON values; the last one lists for each of `texts_of` whether it was truncated."""
Context = Mapping[str, Any]
ReferenceAggregation = Literal["mean", "max"]
SourceField = Literal["documents", "source"]
FIELDS = ("references", "source", "documents")
"""The fields besides the output, in the order of the arguments of a metric."""


class ModelInputsMetric(NeuralMetric, ChosenFieldsMetric, ABC):
    """Base class of metrics with a model that reads one or several inputs for each output.

    Args:
        fields: The fields besides the output that the metric needs.
        options: The options of `NeuralMetric`, in its order.

    Attributes:
        value_form: The types of the values of an item, as for `NeuralMetric.cached_scores`, without the last one.
    """

    value_form: ClassVar[Sequence[Any]] = (float,)

    def __init__(self, fields: Sequence[str], *options: Any) -> None:
        context = [field for field in FIELDS if field in fields]
        jackknifer = ReferencesJackknifer() if "references" in context else None
        super().__init__(*options, required_context_fields=context, jackknifer=jackknifer)

    @abstractmethod
    def items_of(self, summary: Text, context: Context) -> Sequence[Sequence[Item]]:
        """Returns groups of what the model reads for an output, such as an item for each reference."""

    @abstractmethod
    def compute(self, items: Sequence[Item]) -> Sequence[Value]:
        """Returns the values of distinct items that are not in the cache."""

    @abstractmethod
    def combined(self, values: Sequence[Sequence[Value]]) -> MetricsDict:
        """Returns the scores of an output, from the values of its items, in the same groups."""

    def texts_of(self, item: Item) -> list[str]:
        """Returns the texts of an item that may be truncated, for notes; by default all together are one."""
        return ["\0".join(item)]

    @overrides
    def score_multi_all(self, *groups: Any) -> list[list[MetricsDict]]:
        summaries_list, *columns = groups
        contexts = zip(*columns, strict=True) if columns else [()] * len(summaries_list)
        outputs = [
            list(self.items_of(summary, dict(zip(self.required_context_fields, context, strict=True))))
            for summaries, context in zip(summaries_list, contexts, strict=True)
            for summary in summaries
        ]
        values = iter(self._values_of([item for items in outputs for group in items for item in group]))
        scores = iter([self.combined([[next(values) for _ in group] for group in items]) for items in outputs])
        return [[next(scores) for _ in summaries] for summaries in summaries_list]

    def _values_of(self, items: Sequence[Item]) -> list[Value]:
        values = self.cached_scores(items, lambda some: list(self.compute(some)), (*self.value_form, all_of(bool)))
        for item, value in zip(items, values, strict=True):
            if any(value[-1]):
                self.record_cut(text for text, is_cut in zip(self.texts_of(item), value[-1], strict=False) if is_cut)
        return values


def reference_texts(context: Context) -> Iterator[list[str]]:
    """Yields a list with each reference; an empty list if the metric reads no references."""
    for reference in context.get("references", [None]):
        yield [] if reference is None else [as_string(reference)]


def source_text(context: Context) -> str:
    """Returns the source, or the documents joined by spaces, whichever the metric reads."""
    if "source" in context:
        return as_string(context["source"])
    return " ".join(map(as_string, context["documents"]))


def source_sentences(context: Context, split: SentenceSplitter) -> list[str]:
    """Returns the sentences of the source, or of the documents joined by spaces, whichever the metric reads.

    If a document is a list of several sentences, each document is split on its own.
    """
    texts = [context["source"]] if "source" in context else context["documents"]
    if all(isinstance(text, str) or len(text) < 2 for text in texts):
        texts = [source_text(context)]
    return [sentence for text in texts for sentence in sentences_of(text, split)]


def aggregated(scores: Sequence[float], aggregation: ReferenceAggregation) -> float:
    """Combines the scores for several references.

    >>> aggregated([1.0, 2.0], "mean"), aggregated([1.0, 2.0], "max")
    (1.5, 2.0)
    """
    return max(scores) if aggregation == "max" else math.fsum(scores) / len(scores)


def check_positive(**values: int) -> None:
    """Checks options that must be at least 1.

    Raises:
        UsageError: if one is not.
    """
    for name, value in values.items():
        if value < 1:
            raise UsageError(f"'{name}' must be at least 1, got {value}")
