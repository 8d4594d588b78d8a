"""COMET: translation quality as predicted by models that were trained on human ratings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from metrics_framework.common.errors import counted
from metrics_framework.common.overriding import overrides
from metrics_framework.data.metrics_dict import PREDICTED_SPANS, AnnotatedScores, MetricsDict
from metrics_framework.data.texts import Text, as_string
from metrics_framework.metrics.base.metric import Metric
from metrics_framework.metrics.base.neural_metric import (
    Context,
    Item,
    ModelInputsMetric,
    NeuralMetric,
    ReferenceAggregation,
    Value,
    reference_texts,
)
from metrics_framework.metrics.base.requirements import CheckpointFiles, FilesWithoutWeights, Package, Requirement
from metrics_framework.neural.comet import (
    HYPERPARAMETERS,
    WEIGHTS,
    SentenceEstimator,
    encoders_of,
    fields_of,
    find_comet,
    load_comet,
    sources_of,
)
from metrics_framework.neural.unified_comet import are_scores, are_spans, scores_of_joined


@Metric.register("comet")
@dataclass(eq=False, repr=False)
class Comet(ModelInputsMetric):
    """COMET: translation quality as predicted by models that were trained on human ratings.

    The model is a published checkpoint of COMET: a folder with ``hparams.yaml`` and ``checkpoints/model.ckpt``. Its
    class decides what it reads, and so which fields an output needs:

    - regression models: an estimator reads vectors of output m, source s and reference r, and combinations of them.
    - referenceless regression models: the same for m and s.
    - unified models (UniTE, CometKiwi): the mean of up to three passes, which read (m, s), (m, r) and (m, s, r) as one
      text each. ``comet_src``, ``comet_ref`` and ``comet_unified`` are the scores of these passes.
    - xCOMET: 0.12·a + 0.33·b + 0.33·c + 0.22·q for the scores a, b, c of these passes, at most 1 each, and the quality
      q = ``comet_mqm`` = 1 - min(25, Σ penalties)/25 of the error spans (minor 1, major 5, critical 10); without a
      reference 0.78·a + 0.22·q.

    The rows of models that predict error spans have them as ``predicted_spans``, which ``fw error-spans`` compares with
    those of annotators. With several references, a model reads the output with each; the spans are those for the
    reference with the highest score.

    Range: that of the model, usually 0 to 1, unclipped; higher is better. The score of a system is the mean.

    Source: Rei et al. (EMNLP 2020; WMT 2022), Guerreiro et al. (TACL 2024). Equal to unbabel-comet 2.2.7 except for
    rounding.

    Args:
        model: The folder of a checkpoint, or its name on the Hugging Face hub.
        encoder: The folder or name of the configuration and tokenizer of the encoder; by default as in the checkpoint.
        reference_free: Whether to score without references, with models that can do both.
        reference_aggregation: How to combine the scores for several references.

    Raises:
        UsageError: if there is no such model, encoder or device, or the model needs references.
        DataError: if a file of the model cannot be read, or the model is of another class.
        MissingExtraError: if torch, transformers or PyYAML is not installed.
    """

    required_context_fields = ("references", "source")  # by default
    ratios = ("comet", "comet_src", "comet_ref", "comet_unified", "comet_mqm")
    value_form = (float, are_scores, are_spans)
    requirements = (*NeuralMetric.requirements, Package("yaml", "neural"))
    example_flags = "--model models/comet --encoder models/encoder"
    usual_model = "Unbabel/wmt22-comet-da"
    citation = "rei-etal-2020-comet guerreiro-etal-2024-xcomet"

    encoder: str | None = None
    reference_free: bool = False
    reference_aggregation: ReferenceAggregation = "mean"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.read_fields(fields_of(self.model, self.reference_free))
        self._estimator = SentenceEstimator(self.batches)
        self._empty_spans = 0

    @classmethod
    @overrides
    def files_of(cls, model: str) -> list[Requirement]:
        encoder = FilesWithoutWeights("encoder", partial(encoders_of, model))
        return [CheckpointFiles(model, (HYPERPARAMETERS, WEIGHTS)), encoder]

    @overrides
    def signature_options(self) -> dict[str, Any]:
        options = super().signature_options()
        if self.model:
            parameters = find_comet(self.model)[1]
            options["encoder"] = sources_of(parameters, self.encoder, self.model)[0].fingerprint
            options["class"] = parameters.kind
        return options

    @overrides
    def fingerprint(self) -> str:
        return find_comet(self.required_model)[0].fingerprint

    @overrides
    def notes(self) -> Sequence[str]:
        spans = counted(self._empty_spans, "predicted span")
        note = f"{self.name}: the rows leave out {spans} without characters, which count in the scores"
        return [*super().notes(), *([note] if self._empty_spans else [])]

    @overrides
    def items_of(self, summary: Text, context: Context) -> list[list[Item]]:
        source = [as_string(context["source"])] if "source" in context else []
        return [[[as_string(summary), *source, *reference] for reference in reference_texts(context)]]

    @overrides
    def texts_of(self, item: Item) -> list[str]:
        return ["\0".join(item)] if find_comet(self.required_model)[1].is_joined else item

    @overrides
    def compute(self, items: Sequence[Item]) -> list[Value]:
        model = load_comet(find_comet(self.required_model), self.encoder, self.device, self.precision)
        if model.parameters.is_joined:
            return scores_of_joined(model, items, self.batches)
        return self._estimator.scores(model, items)

    @overrides
    def combined(self, values: Sequence[Sequence[Value]]) -> MetricsDict:
        (of_references,) = values
        best = max(of_references, key=lambda value: value[0])
        chosen = [best] if self.reference_aggregation == "max" else of_references
        named = [{"comet": score, **{f"comet_{part}": value for part, value in parts.items()}}
                 for score, parts, *_ in chosen]  # fmt: skip
        scores = {name: math.fsum(one[name] for one in named) / len(named) for name in named[0]}
        if best[2] is None:
            return MetricsDict(scores)
        spans = [span for span in best[2] if span["start"] < span["end"]]
        self._empty_spans += len(best[2]) - len(spans)
        return AnnotatedScores(scores, {PREDICTED_SPANS: spans})
