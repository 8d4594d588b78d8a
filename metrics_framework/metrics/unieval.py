"""UniEval: the probability that a model answers yes to questions about the quality of a text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from metrics_framework.common.errors import UnknownNameError
from metrics_framework.common.overriding import overrides
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.texts import Text, as_string
from metrics_framework.metrics.base.metric import Metric
from metrics_framework.metrics.base.neural_metric import (
    Context,
    Item,
    ModelInputsMetric,
    ReferenceAggregation,
    Value,
    aggregated,
    check_positive,
)
from metrics_framework.neural.generation import Dimension, answer_probabilities, load_dimensions, shortened
from metrics_framework.text.sentences import SentencesName, sentence_splitter, sentences_of, splitter_signature


@Metric.register("unieval")
@dataclass(eq=False, repr=False)
class UniEval(ModelInputsMetric):
    """UniEval: the probability that a model answers yes to questions about the quality of a text.

    For each dimension of quality, the model reads a question and the texts that it is about. The score of the dimension
    is p(Yes) / (p(Yes) + p(No)) for the first token of the answer. ``unieval`` is the mean of the dimensions,
    ``unieval_coherence`` and so on are their scores:

    - template ``summarization``: coherence, consistency, fluency (both means over the sentences of the summary) and
      relevance, from summary, documents and references.
    - template ``dialogue``: naturalness, coherence, engagingness (a sum over sentences), groundedness and
      understandability of a response, from its dialogue history (``source``) and facts (``documents``).
    - template ``data-to-text``: naturalness and informativeness, from the references.

    Other tasks have a template file; see the guide on learned metrics. An empty summary has one empty sentence
    where means are taken, and none where sums are.

    Range: 0 to 1, sums over sentences 0 and up; higher is better. The score of a system is the mean over its outputs.

    Source: Zhong et al. (EMNLP 2022). Equal to their program on the same sentences except for rounding; it splits
    sentences with Punkt.

    Args:
        model: The folder of a T5 model of UniEval, or its name on the Hugging Face hub.
        template: The template: summarization, dialogue, data-to-text, or the path of a JSON file.
        dimensions: The dimensions to score; by default all of the template.
        sentences: How the summary is split into sentences; a list of several sentences is not split further.
        reference_aggregation: How to combine the scores for several references.
        max_length: The largest number of tokens of an input.
        batch_size: The number of inputs per batch; it changes scores only by rounding.

    Raises:
        UsageError: if an option is invalid, or there is no such model, template or device.
        DataError: if the model or the template cannot be loaded.
        MissingExtraError: if torch or transformers is not installed.
    """

    task = "text-to-text"
    required_context_fields = ("references", "documents")  # by default
    score_range = (0, None)
    ratios = tuple(f"unieval{name}" for name in ("", "_coherence", "_consistency", "_fluency", "_relevance"))
    definition = 2  # sums over the sentences of empty outputs are 0
    cached_by = ("max_length", "precision")
    usual_model = "MingZhong/unieval-sum"
    citation = "zhong-etal-2022-towards"

    template: str = "summarization"
    dimensions: Sequence[str] | None = None
    sentences: SentencesName = "own"
    reference_aggregation: ReferenceAggregation = "mean"
    max_length: int = 1024
    batch_size: int = field(default=8, kw_only=True)

    def __post_init__(self) -> None:
        known, self._template = load_dimensions(self.template)
        if unknown := [name for name in self.dimensions or () if name not in known]:
            raise UnknownNameError("dimension", unknown[0], known)
        self._chosen: dict[str, Dimension] = {name: known[name] for name in self.dimensions or known}
        super().__post_init__()
        self.read_fields({field for one in self._chosen.values() for field in one.parts.values()})
        check_positive(max_length=self.max_length)
        self._split = sentence_splitter(self.sentences)

    @overrides
    def signature_options(self) -> dict[str, Any]:
        options = {**super().signature_options(), "template": self._template, "dimensions": "+".join(self._chosen)}
        return {**options, "sentences": splitter_signature(self.sentences)}

    @overrides
    def items_of(self, summary: Text, context: Context) -> list[list[Item]]:
        fields = {"summary": as_string(summary)}
        if "source" in context:
            fields["source"] = as_string(context["source"])
        if "documents" in context:
            fields["documents"] = " ".join(map(as_string, context["documents"]))
        groups = []
        for dimension in self._chosen.values():
            units = sentences_of(summary, self._split) if dimension.sentences else ()
            if dimension.sentences != "sum":
                units = units or [fields["summary"]]
            for reference in context["references"] if dimension.has_reference else [""]:
                of_reference = {**fields, "references": as_string(reference)}
                groups.append([[dimension.text({**of_reference, "summary": unit})] for unit in units])
        return groups

    @overrides
    def compute(self, items: Sequence[Item]) -> list[Value]:
        loaded = shortened(self.loaded(), self.max_length)
        return answer_probabilities(loaded, [text for (text,) in items], ("Yes", "No"), self.batches)

    @overrides
    def combined(self, values: Sequence[Sequence[Value]]) -> MetricsDict:
        with_reference = sum(dimension.has_reference for dimension in self._chosen.values())
        references = (len(values) - len(self._chosen) + with_reference) // max(1, with_reference)
        groups, scores = iter(values), {}
        for name, dimension in self._chosen.items():
            means = []
            for _ in range(references if dimension.has_reference else 1):
                means.append(dimension.combined([value for value, _ in next(groups)]))
            scores[f"unieval_{name}"] = aggregated(means, self.reference_aggregation)
        return MetricsDict({"unieval": math.fsum(scores.values()) / len(scores), **scores})
