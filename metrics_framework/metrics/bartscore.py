"""BARTScore: the probability that a language model generates one text from another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from metrics_framework.common.overriding import overrides
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.texts import Text, as_string
from metrics_framework.metrics.base.metric import Metric
from metrics_framework.metrics.base.neural_metric import (
    Context,
    Item,
    ModelInputsMetric,
    ReferenceAggregation,
    SourceField,
    Value,
    aggregated,
    check_positive,
    source_text,
)
from metrics_framework.neural.generation import mean_log_probabilities, shortened

Direction = Literal["source-to-summary", "reference-to-summary", "summary-to-reference", "f"]


@Metric.register("bartscore")
@dataclass(eq=False, repr=False)
class BartScore(ModelInputsMetric):
    """BARTScore: the mean log probability of the tokens of a text that a model generates from another.

    The score is 1/T · Σ log p(token t | earlier tokens, input) over the T tokens of the target, including special ones.
    The direction decides which text is the input and which the target:

    - ``source-to-summary``: faithfulness, the summary given its documents, joined by spaces.
    - ``reference-to-summary``: precision, the summary given a reference.
    - ``summary-to-reference``: recall, a reference given the summary.
    - ``f``: the mean of precision and recall.

    Both texts are truncated to ``max_length`` tokens, and the run reports the number of truncated texts.

    Range: below 0, higher is better. The score of a system is the mean over its outputs.

    Source: Yuan, Neubig and Liu (NeurIPS 2021). Equal to their program except for rounding, with any encoder–decoder of
    transformers.

    Args:
        model: The folder of an encoder–decoder, or its name on the Hugging Face hub.
        direction: Which text is generated from which.
        against: The field that ``source-to-summary`` reads: the documents of a summary, or the source.
        reference_aggregation: How to combine the scores for several references.
        max_length: The largest number of tokens of a text.
        batch_size: The number of pairs of texts per batch; it changes scores only by rounding.

    Raises:
        UsageError: if an option is invalid, or there is no such model or device.
        DataError: if the model cannot be loaded.
        MissingExtraError: if torch or transformers is not installed.
    """

    task = "text-to-text"
    required_context_fields = ("documents",)  # by default
    score_range = (None, 0)
    ratios = ("bartscore",)
    cached_by = ("max_length", "precision")
    usual_model = "facebook/bart-large-cnn"
    citation = "yuan-etal-2021-bartscore"

    direction: Direction = "source-to-summary"
    against: SourceField = "documents"
    reference_aggregation: ReferenceAggregation = "mean"
    max_length: int = 1024
    batch_size: int = field(default=8, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.read_fields([self.against] if self.direction == "source-to-summary" else ["references"])
        check_positive(max_length=self.max_length)

    @overrides
    def items_of(self, summary: Text, context: Context) -> list[list[Item]]:
        text = as_string(summary)
        if self.direction == "source-to-summary":
            return [[[source_text(context), text]]]
        references = list(map(as_string, context["references"]))
        precision = [[reference, text] for reference in references]
        recall = [[text, reference] for reference in references]
        return {"reference-to-summary": [precision], "summary-to-reference": [recall]}.get(
            self.direction, [precision, recall]
        )

    @overrides
    def texts_of(self, item: Item) -> list[str]:
        return item

    @overrides
    def compute(self, items: Sequence[Item]) -> list[Value]:
        return mean_log_probabilities(shortened(self.loaded(), self.max_length), items, self.batches)

    @overrides
    def combined(self, values: Sequence[Sequence[Value]]) -> MetricsDict:
        directions = [[score for score, _ in of_direction] for of_direction in values]
        scores = [math.fsum(of_pair) / len(of_pair) for of_pair in zip(*directions, strict=True)]
        return MetricsDict(bartscore=aggregated(scores, self.reference_aggregation))
