"""Cross-encoder: a model that reads the texts together and predicts their score."""

from __future__ import annotations

import math
import string
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal

from metrics_framework.common.errors import UsageError
from metrics_framework.common.overriding import overrides
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.texts import Text, as_string
from metrics_framework.metrics.base.metric import Metric
from metrics_framework.metrics.base.neural_metric import Context, Item, ModelInputsMetric, Value, aggregated
from metrics_framework.neural.classification import Activation, Head, scores_of_texts
from metrics_framework.text.sentences import SentencesName, sentence_splitter, sentences_of, splitter_signature

Aggregate = Literal["max", "mean"]
PerSentence = Literal["none", "summary", "both"]
FIELDS = {"summary": "summary", "reference": "references", "source": "source", "documents": "documents"}
"""The names in a template, and the fields of the outputs that they are filled from."""


@Metric.register("cross-encoder")
@dataclass(eq=False, repr=False)
class CrossEncoder(ModelInputsMetric):
    """Scores with a model that reads one text or a pair of texts, such as reference and summary.

    The model is a checkpoint with a head for sequence classification in the format of Hugging Face's transformers, as
    for conversions of BLEURT and for quality estimators. The score is the output of the head, after the activation,
    multiplied by ``scale``. With several references, the model reads each with the summary, and ``aggregate`` combines
    the scores. With ``per_sentence``, the model reads each sentence of the summary, for ``both`` with each sentence of
    the documents and the source: the score is the mean over the sentences of the summary of the maximum over the
    others, as usual for models of natural language inference.

    Range: that of the model; the default direction is higher is better.

    Source: BLEURT (Sellam, Das and Parikh, ACL 2020) reads reference and summary in this order. What other models read
    is described on their model cards.

    Args:
        model: The folder of a checkpoint with a classification head, or its name on the hub.
        template: One text, or two that the model reads as a pair. The names {summary}, {reference}, {source} and
            {documents} (joined by spaces) are replaced by the texts of an output.
        aggregate: How to combine the scores of several references.
        activation: The function that is applied to the outputs of the head.
        output_index: The index of the output that is the score; needed if the head has several outputs.
        scale: The factor of the score, such as 100.
        per_sentence: Which texts are split into sentences: none, the summary, or both the summary and the documents or
            the source.
        sentences: How texts are split into sentences; a list of several sentences is not split further.

    Raises:
        UsageError: if the template, the index or the activation does not fit, or there is no such model or device.
        DataError: if the model cannot be loaded or has no head for classification.
        MissingExtraError: if torch or transformers is not installed.
    """

    task = "sequence-classification"
    required_context_fields = ("references",)  # by default
    cached_by = ("activation", "output_index", "precision")
    usual_model = "Elron/bleurt-base-512"
    citation = "sellam-etal-2020-bleurt"

    template: Sequence[str] = ("{reference}", "{summary}")
    aggregate: Aggregate = "max"
    activation: Activation = "none"
    output_index: int | None = None
    scale: float = 1.0
    per_sentence: PerSentence = "none"
    sentences: SentencesName = "own"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.read_fields({FIELDS[name] for name in names_in(self.template)})
        if not math.isfinite(self.scale) or not self.scale:
            raise UsageError(f"'scale' must be a number other than 0, got {self.scale:g}")
        if self.per_sentence == "none" and self.sentences != "own":
            raise UsageError("'sentences' has no effect without 'per_sentence'")
        self._split = sentence_splitter(self.sentences)
        self.template = list(self.template)

    @overrides
    def signature_options(self) -> dict[str, Any]:
        options = super().signature_options()
        splitter = {} if self.per_sentence == "none" else {"sentences": splitter_signature(self.sentences)}
        unused = ("per_sentence", "sentences") if self.per_sentence == "none" else ()
        return {name: value for name, value in {**options, **splitter}.items() if name not in unused}

    @overrides
    def items_of(self, summary: Text, context: Context) -> list[list[list[Item]]]:
        """Returns what the model reads: for each reference, unit of the summary, and unit of the other texts."""
        is_split = self.per_sentence == "both"
        others = {"source": self._units([context["source"]], is_split)} if "source" in context else {}
        if "documents" in context:
            others["documents"] = self._units(context["documents"], is_split)
        fields = [dict(zip(others, values, strict=True)) for values in product(*others.values())]
        units = self._units([summary], self.per_sentence != "none")
        return [
            [[self._filled(summary=unit, reference=reference, **texts) for texts in fields] for unit in units]
            for reference in map(as_string, context.get("references", [""]))
        ]

    def _filled(self, **texts: str) -> Item:
        return [text.format(**texts) for text in self.template]

    def _units(self, texts: Sequence[Any], is_split: bool) -> list[str]:
        """Returns the sentences of texts, or all texts as one; one empty text if there are no sentences."""
        whole = " ".join(map(as_string, texts))
        if not is_split:
            return [whole]
        return [sentence for text in texts for sentence in sentences_of(text, self._split)] or [whole]

    @overrides
    def compute(self, items: Sequence[Item]) -> list[Value]:
        return scores_of_texts(self.loaded(), items, Head(self.activation, self.output_index), self.batches)

    @overrides
    def combined(self, values: Sequence[Any]) -> MetricsDict:
        best = [[max(value for value, _ in of_unit) for of_unit in of_reference] for of_reference in values]
        scores = [math.fsum(of_reference) / len(of_reference) for of_reference in best]
        return MetricsDict({self.name: self.scale * aggregated(scores, self.aggregate)})


def names_in(template: Sequence[str]) -> set[str]:
    """Returns the names in a template.

    Raises:
        UsageError: if it is not one text or two, has other names than `FIELDS`, or lacks the summary.

    >>> sorted(names_in(["source: {source} candidate: {summary}"]))
    ['source', 'summary']
    """
    if isinstance(template, str) or not 1 <= len(template) <= 2:
        raise UsageError(f"'template' must be a list of one or two texts, got {template!r}")
    names: set[str] = set()
    for text in template:
        try:
            parts = [part for part in string.Formatter().parse(text) if part[1] is not None]
        except ValueError as error:
            raise UsageError(f"'template' has a text that is not valid, {text!r}: {error}") from None
        if any(name not in FIELDS or form or conversion for _, name, form, conversion in parts):
            raise UsageError(
                f"'template' may contain only {{summary}}, {{reference}}, {{source}} and {{documents}}, got {text!r}"
            )
        names |= {str(name) for _, name, _, _ in parts}
    if "summary" not in names:
        raise UsageError(f"'template' must contain {{summary}}, got {list(template)}")
    return names
