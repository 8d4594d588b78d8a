"""AlignScore: how well the sentences of a summary are supported by its documents."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, NamedTuple

from metrics_framework.common.errors import UsageError
from metrics_framework.common.overriding import overrides
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.texts import Text, as_string
from metrics_framework.metrics.base.metric import Metric
from metrics_framework.metrics.base.neural_metric import (
    Context,
    Item,
    ModelInputsMetric,
    SourceField,
    Value,
    source_sentences,
    source_text,
)
from metrics_framework.metrics.base.requirements import CheckpointFiles, FilesWithoutWeights, Requirement
from metrics_framework.neural.checkpoints import (
    ENDING,
    Checkpoint,
    below,
    built_encoder,
    check_names,
    encoder_sources,
    find_weights,
    read_weights,
)
from metrics_framework.neural.classification import encode_pairs
from metrics_framework.neural.encoding import Encoded, padded
from metrics_framework.neural.models import (
    Loaded,
    Precision,
    check_packages,
    configuration_of,
    limit_threads,
    max_length_of,
    quiet,
    resolved_device,
    tokenizer_of,
)
from metrics_framework.neural.sources import find_model, local_file
from metrics_framework.text.sentences import (
    SentencesName,
    chunks_of,
    sentence_splitter,
    sentences_of,
    splitter_signature,
)

Mode = Literal["nli_sp", "nli", "bin_sp", "bin", "reg_sp", "reg"]


@Metric.register("alignscore")
@dataclass(eq=False, repr=False)
class AlignScore(ModelInputsMetric):
    """AlignScore: how well the sentences of a summary are supported by its documents.

    A model reads a context and a claim, and predicts whether the claim is supported. In the modes with ``_sp``, the
    documents are split into sentences, and s of these into chunks of max(s ÷ (words ÷ 350 + 1), 1) sentences (whole
    divisions). The score is the mean over the sentences of the summary of the maximum over the chunks. In the other
    modes, the context is the whole text of the documents, and the claim that of the summary.

    The value of a pair is the probability of the class "aligned" of three (``nli``) or of two classes (``bin``), or the
    output of a regression (``reg``). A pair of more than 512 tokens loses the end of its context, and the run reports
    the number of such pairs.

    Range: 0 to 1, except for the modes ``reg``; higher is better. The score of a system is the mean over its outputs.

    Source: Zha, Yang, Li and Hu (ACL 2023). Equal to their program on the same sentences except for rounding; it splits
    sentences with Punkt.

    Args:
        model: The checkpoint: a file that ends in ``.ckpt``, a folder with one, or ``OWNER/NAME/FILE.ckpt`` on the
            Hugging Face hub.
        encoder: The folder or name of the configuration and tokenizer of the encoder; by default as in the checkpoint.
        mode: The head of the model, and whether texts are split (``_sp``).
        against: The field that is the context: the documents of a summary, or the source.
        sentences: How texts are split into sentences; a list of several sentences is not split further.
        batch_size: The number of pairs of texts per batch; it changes scores only by rounding.

    Raises:
        UsageError: if an option is invalid, or there is no such model, encoder or device.
        DataError: if a file of the model cannot be read.
        MissingExtraError: if torch, transformers or nltk (for ``punkt``) is not installed.
    """

    required_context_fields = ("documents",)  # by default
    ratios = ("alignscore",)
    example_flags = "--model models/alignscore --encoder models/encoder"
    definition = 2  # documents of only whitespace are one empty chunk
    usual_model = "yzha/AlignScore/AlignScore-base.ckpt"
    citation = "zha-etal-2023-alignscore"

    encoder: str | None = None
    mode: Mode = "nli_sp"
    against: SourceField = "documents"
    sentences: SentencesName = "own"
    batch_size: int = field(default=16, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.read_fields([self.against])
        self._split = sentence_splitter(self.sentences)

    @classmethod
    @overrides
    def files_of(cls, model: str) -> list[Requirement]:
        folder, _, file = model.rpartition("/")
        checkpoint = [CheckpointFiles(folder, (file,))] if file.endswith(ENDING) else []
        return [*checkpoint, FilesWithoutWeights("encoder", partial(encoders_of, model))]

    @overrides
    def signature_options(self) -> dict[str, Any]:
        options = {**super().signature_options(), "sentences": splitter_signature(self.sentences)}
        return {**options, "encoder": find_model(self.encoder).fingerprint if self.encoder else None}

    @overrides
    def cache_options(self) -> dict[str, Any]:
        head, encoder = self.mode.removesuffix("_sp"), self.signature_options()["encoder"]
        return {"head": head, "encoder": encoder, "precision": self.precision}

    @overrides
    def fingerprint(self) -> str:
        return find_weights(self.required_model).fingerprint

    @overrides
    def items_of(self, summary: Text, context: Context) -> list[list[Item]]:
        if not self.mode.endswith("_sp"):
            return [[[source_text(context), as_string(summary)]]]
        claims = sentences_of(summary, self._split) or [as_string(summary)]
        chunks = chunks_of(source_sentences(context, self._split), source_text(context))
        return [[[chunk, claim] for chunk in chunks] for claim in claims]

    @overrides
    def compute(self, items: Sequence[Item]) -> list[Value]:
        checkpoint = find_weights(self.required_model)
        check_packages(checkpoint.name)
        model = _loaded(checkpoint, self.encoder, resolved_device(self.device), self.precision)
        encoded = encode_pairs(model.encoder, items)
        return self.batches.values_of(encoded, lambda batch: _values(model, batch, self.mode[:3]))

    @overrides
    def combined(self, values: Sequence[Sequence[Value]]) -> MetricsDict:
        best = [max(value for value, _ in of_claim) for of_claim in values]
        return MetricsDict(alignscore=math.fsum(best) / len(best))


MAX_LENGTH = 512
HEADS = {"nli": "tri_layer", "bin": "bin_layer", "reg": "reg_layer"}
"""The layer of the checkpoint for each head."""
_CHOSEN = {"nli": 0, "bin": 1}
"""The index of the class of aligned texts."""
_ENCODER = "base_model."


class AlignModel(NamedTuple):
    """A model that is ready for inference.

    Attributes:
        encoder: The encoder, whose ``max_length`` is that of a pair.
        heads: The weight and bias of each head.
    """

    encoder: Loaded
    heads: Mapping[str, tuple[Any, Any]]


def encoders_of(model: str) -> list[str]:
    """Returns the model that has the configuration and the tokenizer of the encoder, if the checkpoint is local."""
    folder, _, file = model.rpartition("/")
    path = local_file(folder, file) if model.endswith(ENDING) else find_weights(model).paths[0]
    return [] if path is None else list(filter(None, [_named(read_weights(path))]))


def _named(content: Mapping[str, Any]) -> str:
    hyperparameters = content.get("hyper_parameters")
    return str(hyperparameters.get("model") or "") if isinstance(hyperparameters, Mapping) else ""


@functools.lru_cache(maxsize=2)
def _loaded(checkpoint: Checkpoint, encoder: str | None, device: str, precision: Precision) -> AlignModel:
    """Loads a model; the type is that of the weights of the encoder, and the heads compute with float32."""
    limit_threads()
    (path,) = checkpoint.paths
    content = read_weights(path)
    weights = content["state_dict"]
    name = encoder or _named(content)
    if not name:
        raise UsageError(f"the checkpoint '{path}' does not name its encoder: set 'encoder', such as roberta-large")
    (source,) = encoder_sources([name], f"the checkpoint '{path}'")
    check_names(weights, [f"{layer}.{part}" for layer in HEADS.values() for part in ("weight", "bias")], path)
    with quiet():
        config, tokenizer = configuration_of(source), tokenizer_of(source)
    model = built_encoder(config, below(weights, _ENCODER), precision, path, has_pooler=True, prefix=_ENCODER)
    limit = min(MAX_LENGTH, max_length_of(model, tokenizer))
    heads = {
        head: tuple(weights[f"{layer}.{part}"].float().to(device) for part in ("weight", "bias"))
        for head, layer in HEADS.items()
    }
    return AlignModel(Loaded(model.to(device), tokenizer, device, limit, checkpoint.fingerprint), heads)


def _values(model: AlignModel, batch: Sequence[Encoded], head: str) -> list[list[float]]:
    """Returns in lists how well the claim of each pair is supported by its context."""
    import torch

    with torch.inference_mode():
        vectors = model.encoder.model(**padded(model.encoder, batch)).pooler_output.float()
        outputs = torch.nn.functional.linear(vectors, *model.heads[head])
        if head in _CHOSEN:
            outputs = outputs.softmax(dim=-1)[:, _CHOSEN[head]]
        values: list[list[float]] = outputs.reshape(len(batch), 1).tolist()
    return values
