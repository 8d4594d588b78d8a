"""MetricX: translation errors as predicted by a regression model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

from metrics_framework.common.overriding import overrides
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.texts import Text, as_string
from metrics_framework.metrics.base.metric import Metric
from metrics_framework.metrics.base.neural_metric import (
    Context,
    Item,
    ModelInputsMetric,
    Value,
    check_positive,
    reference_texts,
)
from metrics_framework.metrics.base.requirements import FilesWithoutWeights, HubModel, Requirement
from metrics_framework.neural.generation import MAX_LENGTHS, MAX_SCORE, Version, scores_of, text_of, version_of
from metrics_framework.neural.sources import base_name, find_model

TOKENIZER = "google/mt5-xl"


@Metric.register("metricx")
class MetricX(ModelInputsMetric):
    """MetricX: translation errors as predicted by a regression model, on the scale of MQM.

    The model is an mT5, whose encoder reads the texts with their names:

    - version 24: ``source: S candidate: C reference: R``; without references ``source: S candidate: C``.
    - version 23: ``candidate: C reference: R``; without references ``candidate: C source: S``.

    The score is the logit of one token, ``<extra_id_10>``, in the first step of the decoder, limited to the range
    from 0 to 25. Inputs are truncated after ``max_length`` tokens, and the run reports the number of truncated inputs.

    Range: 0 to 25, lower is better. The score of a system is the mean over its outputs.

    Source: Juraska et al. (WMT 2023; WMT 2024), with the inputs and the scores of their program.

    Args:
        model: The folder of a checkpoint, or its name on the Hugging Face hub.
        tokenizer: The folder or name of the tokenizer of mT5; checkpoints have none.
        version: The version of the model; by default that in its name.
        reference_free: Whether to score without references; by default if the name of the model contains "qe".
        reference_aggregation: How to combine the scores for several references.
        max_length: The largest number of tokens of an input; by default 1,536 for version 24, and 1,024 for 23.
        batch_size: The number of inputs per batch; it changes scores only by rounding.

    Raises:
        UsageError: if the version is unknown, or there is no such model, tokenizer or device.
        DataError: if the model cannot be loaded.
        MissingExtraError: if torch or transformers is not installed.
    """

    task = "text-to-text"
    higher_is_better = False
    required_context_fields = ("references", "source")  # by default
    score_range = (0, MAX_SCORE)
    example_flags = "--model models/metricx-24 --tokenizer models/mt5"
    usual_model = "google/metricx-24-hybrid-large-v2p6"
    citation = "juraska-etal-2024-metricx juraska-etal-2023-metricx"

    def __init__(
        self,
        model: str | None = None,
        tokenizer: str = TOKENIZER,
        version: Version | None = None,
        reference_free: bool | None = None,
        reference_aggregation: Literal["mean", "min"] = "mean",
        max_length: int | None = None,
        batch_size: int = 8,
        **options: Any,
    ) -> None:
        name = "" if model is None else base_name(model).lower()
        self.version = version_of(version, model, name)
        self.reference_free = "qe" in name.split("-") if reference_free is None else reference_free
        with_references = ["source", "references"] if self.version == "24" else ["references"]
        super().__init__(model, batch_size=batch_size, **options)
        self.read_fields(["source"] if self.reference_free else with_references)
        self.tokenizer = tokenizer
        self.reference_aggregation = reference_aggregation
        self.max_length = MAX_LENGTHS[self.version] if max_length is None else max_length
        check_positive(max_length=self.max_length)

    @classmethod
    @overrides
    def files_of(cls, model: str) -> list[Requirement]:
        return [HubModel(model), FilesWithoutWeights("tokenizer", lambda: [TOKENIZER])]

    @overrides
    def signature_options(self) -> dict[str, Any]:
        resolved = {name: getattr(self, name) for name in ("version", "reference_free", "max_length")}
        tokenizer = find_model(self.tokenizer).fingerprint if self.model else self.tokenizer
        return {**super().signature_options(), **resolved, "tokenizer": tokenizer}

    @overrides
    def cache_options(self) -> dict[str, Any]:
        options = self.signature_options()
        return {name: options[name] for name in ("tokenizer", "max_length", "precision")}

    @overrides
    def items_of(self, summary: Text, context: Context) -> list[list[Item]]:
        source = as_string(context["source"]) if "source" in context else None
        candidate = as_string(summary)
        return [[[text_of(self.version, candidate, source, reference)] for reference in reference_texts(context)]]

    @overrides
    def compute(self, items: Sequence[Item]) -> list[Value]:
        loaded, texts = self.loaded(tokenizer=self.tokenizer), [text for (text,) in items]
        return scores_of(loaded, texts, self.max_length, self.batches)

    @overrides
    def combined(self, values: Sequence[Sequence[Value]]) -> MetricsDict:
        scores = [score for score, _ in values[0]]
        mean = math.fsum(scores) / len(scores)
        return MetricsDict(metricx=min(scores) if self.reference_aggregation == "min" else mean)
