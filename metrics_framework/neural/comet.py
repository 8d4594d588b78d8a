"""The models of COMET, from the files in which they are published: the encoder, its heads, and regression models.

Source: Rei et al. (2020, 2022), Guerreiro et al. (2024).
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from metrics_framework.common.errors import DataError, MissingExtraError, UnknownNameError, UsageError, message_of
from metrics_framework.io.content import hash_of
from metrics_framework.neural.checkpoints import (
    Checkpoint,
    Weights,
    below,
    built_encoder,
    check_names,
    encoder_sources,
    estimated,
    find_checkpoint,
    linear_layers,
    mixed,
    pooled,
    read_weights,
    sparsemax,
)
from metrics_framework.neural.embeddings import Embedder
from metrics_framework.neural.encoding import Batches, Encoded, padded
from metrics_framework.neural.models import (
    Loaded,
    Precision,
    check_packages,
    configuration_of,
    limit_threads,
    quiet,
    resolved_device,
    tokenizer_of,
)
from metrics_framework.neural.sources import ModelSource, local_file

if TYPE_CHECKING:
    import torch


HYPERPARAMETERS, WEIGHTS = "hparams.yaml", "checkpoints/model.ckpt"
FIELDS = {"src": "source", "ref": "references"}
"""The segments besides the output, and the fields that they are in."""
ACTIVATIONS = ("Hardtanh", "Hardsigmoid", "Hardswish", "Identity", "Mish", "Sigmoid", "Softplus", "Softsign", "Tanh")
"""The functions of torch.nn that an estimator may use."""


class EncoderFamily(NamedTuple):
    """A family of encoders.

    Attributes:
        architecture: The ``model_type`` in the configurations of transformers.
        separators: The number of separators between two segments of a joined input.
        has_types: Whether token types distinguish the first segment from later ones. The published program computes
            them for RemBERT, too, but does not pass them on to the model.
        tokenizer: The tokenizer of all its models; that of the encoder if empty.
    """

    architecture: str
    separators: int
    has_types: bool = False
    tokenizer: str = ""


ENCODERS = {
    "BERT": EncoderFamily("bert", 1, has_types=True),
    "MiniLM": EncoderFamily("bert", 2, tokenizer="xlm-roberta-base"),
    "RemBERT": EncoderFamily("rembert", 1),
    "XLM-RoBERTa": EncoderFamily("xlm-roberta", 2),
    "XLM-RoBERTa-XL": EncoderFamily("xlm-roberta-xl", 2),
}


@dataclass(frozen=True)
class Hyperparameters:
    """The hyperparameters that scores depend on.

    Attributes:
        kind: The class of the model, without ``_metric``.
        encoder: The family of its encoder.
        pretrained_model: The encoder whose configuration and tokenizer the model has.
        layer: The index of a layer of the encoder, or ``mix`` for a weighted sum of all.
        layer_norm: Whether layers are normalized before they are mixed.
        layer_weights: ``softmax`` or ``sparsemax``.
        pool: How the vectors of tokens become one: ``avg``, ``max`` or ``cls``.
        activations: The activation between the layers of the estimator.
        final_activation: The activation after its last layer; empty for none.
        segments: What the model reads: ``mt``, and ``src``, ``ref`` or both.
        word_layer: The layer from which errors in words are predicted; `None` for models that do not.
        severities: The severities of errors, from the second label on.
    """

    kind: str
    encoder: str
    pretrained_model: str
    layer: int | str
    layer_norm: bool
    layer_weights: str
    pool: str
    activations: str
    final_activation: str
    segments: tuple[str, ...]
    word_layer: int | None
    severities: tuple[str, ...]

    @property
    def family(self) -> EncoderFamily:
        """The family of the encoder."""
        return ENCODERS[self.encoder]

    @property
    def encoders(self) -> tuple[str, str]:
        """The models that have the configuration and the tokenizer of the encoder."""
        return self.pretrained_model, self.family.tokenizer or self.pretrained_model

    @property
    def is_joined(self) -> bool:
        """Whether the model reads all segments as one input."""
        return self.kind in ("unified", "xcomet")


def find_comet(model: str) -> tuple[Checkpoint, Hyperparameters]:
    """Finds a COMET checkpoint, and reads its hyperparameters.

    Raises:
        UsageError: if there is no such folder or model.
        DataError: if a file is missing, or the model is of another class.
        MissingExtraError: if PyYAML is not installed.
    """
    checkpoint = find_checkpoint(model, (HYPERPARAMETERS, WEIGHTS))
    return checkpoint, _read(checkpoint.paths[0], checkpoint.fingerprint)


def encoders_of(model: str) -> list[str]:
    """Returns the models that have the configuration and the tokenizer of the encoder, if the checkpoint is local."""
    path = local_file(model, HYPERPARAMETERS)
    return [] if path is None else list(dict.fromkeys(_read(path, hash_of(path)).encoders))


def fields_of(model: str | None, reference_free: bool) -> list[str]:
    """Returns the fields besides the output that a model reads.

    Raises:
        UsageError: if it needs references, but is to score without.
    """
    if model is None:
        return ["source"] if reference_free else ["source", "references"]
    parameters = find_comet(model)[1]
    fields = [FIELDS[segment] for segment in parameters.segments if segment in FIELDS]
    reads_any = {"source", "references"} <= set(fields) and parameters.is_joined  # with or without references
    if reference_free and "references" in fields and not reads_any:
        raise UsageError(f"the model '{model}' cannot score without references: it is a {parameters.kind} model")
    return [field for field in fields if field != "references"] if reference_free else fields


@functools.lru_cache(maxsize=16)
def _read(path: str, fingerprint: str) -> Hyperparameters:
    try:
        import yaml
    except ImportError as error:
        raise MissingExtraError("COMET", "PyYAML", "neural") from error
    try:
        with open(path, encoding="utf-8") as stream:
            values = yaml.safe_load(stream)
    except (yaml.YAMLError, OSError, ValueError) as error:
        raise DataError(f"cannot be read: {' '.join(message_of(error).split())}", path) from error
    if not isinstance(values, dict):
        raise DataError("must contain names with values, as the hyperparameters of a COMET model", path)
    return _parsed(values, path)


def _parsed(values: Mapping[str, Any], path: str) -> Hyperparameters:
    kind = str(_choice(values, "class_identifier", [f"{kind}_metric" for kind in _KINDS], path))[: -len("_metric")]
    is_joined = kind in ("unified", "xcomet")
    segments = ["mt", "src", "ref"] if kind == "xcomet" else values.get("input_segments", ["mt", "src", "ref"])
    has_words = kind == "xcomet" or (is_joined and bool(values.get("word_level_training")))
    transformation = {"layer_transformation": "sparsemax" if is_joined else "softmax", **values}
    layer_weights = str(_choice(transformation, "layer_transformation", _LAYER_WEIGHTS, path))
    return Hyperparameters(
        kind,
        str(_choice(values, "encoder_model", list(ENCODERS), path)),
        str(values.get("pretrained_model") or ""),
        _layer(values, "sent_layer" if is_joined else "layer", path),
        bool(values.get("layer_norm", kind != "xcomet")),
        layer_weights.replace("sparsemax_patch", "softmax"),  # as in the published program, whatever its name says
        "cls" if is_joined else str(_choice(values, "pool", ["avg", "max", "cls"], path)),
        _activation(values, "activations", path),
        _activation(values, "final_activation", path),
        _KINDS[kind] if not is_joined else _segments(segments, path),
        int(_layer(values, "word_layer", path)) if has_words else None,
        tuple(map(str, values.get("error_labels") or ("minor", "major", "critical")[: 3 if kind == "xcomet" else 2])),
    )


_LAYER_WEIGHTS = ("softmax", "sparsemax", "sparsemax_patch")
_KINDS = {"regression": ("mt", "src", "ref"), "referenceless_regression": ("mt", "src"), "unified": (), "xcomet": ()}


def _choice(values: Mapping[str, Any], name: str, known: Sequence[str], path: str) -> Any:
    value = values.get(name)
    if value not in known:
        problem = f"'{name}' is missing" if value is None else UnknownNameError(name, str(value), known)
        raise DataError(f"{problem}; fw runs COMET models whose '{name}' is {', '.join(known)}", path)
    return value


def _layer(values: Mapping[str, Any], name: str, path: str) -> int | str:
    value = values.get(name)
    if value == "mix" and name != "word_layer":
        return "mix"
    if not isinstance(value, int | str) or isinstance(value, bool) or not str(value).isdecimal():
        raise DataError(
            f"'{name}' must be the number of a layer{', or mix' * (name != 'word_layer')}, got {value!r}", path
        )
    return int(value)


def _activation(values: Mapping[str, Any], name: str, path: str) -> str:
    value = values.get(name, "Tanh")
    if (values.get(name) is None) and name == "final_activation":
        return ""
    if str(value).title() not in ACTIVATIONS:
        raise DataError(f"'{name}' must be one of {', '.join(ACTIVATIONS)}, got {value!r}", path)
    return str(value).title()


def _segments(value: Any, path: str) -> tuple[str, ...]:
    if not isinstance(value, list) or "mt" not in value or not {"src", "ref"} & set(map(str, value)):
        raise DataError(f"'input_segments' must be a list of mt, and of src, ref or both, got {value!r}", path)
    return tuple(name for name in ("mt", "src", "ref") if name in value)


ENCODER, ESTIMATOR = "encoder.model.", "estimator.ff."
MIXTURE = "layerwise_attention."


@dataclass(frozen=True, eq=False)
class CometModel:
    """A COMET model that is ready for inference.

    Attributes:
        parameters: Its hyperparameters.
        encoder: The encoder; its ``max_length`` is that of a single text.
        max_joined: The largest number of tokens of a joined input.
        estimator: The linear layers of the estimator.
        mixture: The factor and the weights of a mixture of layers; empty if one layer is used.
        word_head: The linear layer that predicts errors in words; empty without.
    """

    parameters: Hyperparameters
    encoder: Loaded
    max_joined: int
    estimator: Sequence[Any]
    mixture: tuple[Any, ...]
    word_head: tuple[Any, ...]

    def layers_of(self, batch: Sequence[Encoded], padding_type: int = 0) -> tuple[dict[str, torch.Tensor], list[Any]]:
        """Returns the padded inputs of a batch, and the hidden states of all layers as float32."""
        inputs = padded(self.encoder, batch, padding_type)
        if not self.parameters.family.has_types:
            inputs.pop("token_type_ids", None)
        layers = self.encoder.model(**inputs, output_hidden_states=True).hidden_states
        return inputs, [layer.float() for layer in layers]

    def states_of(self, layers: Sequence[torch.Tensor], mask: torch.Tensor) -> torch.Tensor:
        """Returns the layer that the sentence vector is computed from, or the mixture of all layers."""
        if not self.mixture:
            return layers[int(self.parameters.layer)]
        return mixed(layers, self.mixture[1], self.mixture[0], mask, norm=self.parameters.layer_norm)

    def scores_of(self, vectors: torch.Tensor) -> list[float]:
        """Returns the output of the estimator for each vector."""
        parameters = self.parameters
        outputs = estimated(vectors, self.estimator, parameters.activations, parameters.final_activation)
        values: list[float] = outputs.squeeze(-1).tolist()
        return values


def sources_of(parameters: Hyperparameters, encoder: str | None, path: str) -> tuple[ModelSource, ...]:
    """Finds the configuration and the tokenizer of an encoder.

    Args:
        parameters: The hyperparameters of the model.
        encoder: The folder or name that has both; by default that in the hyperparameters.
        path: The checkpoint, for errors.

    Raises:
        UsageError: if they are not found; it names what is needed.
    """
    names = parameters.encoders if encoder is None else (encoder, encoder)
    return encoder_sources(names, f"the model '{path}'")


def load_comet(
    found: tuple[Checkpoint, Hyperparameters], encoder: str | None, device: str, precision: Precision
) -> CometModel:
    """Loads a COMET model; a model that was loaded before is the same object.

    Args:
        found: What `find_comet` found.
        encoder: As for `sources_of`.
        device: As for `metrics_framework.neural.models.load`.
        precision: The type of the weights of the encoder; the heads compute with float32.

    Raises:
        UsageError: if the encoder is not found, or there is no such device.
        DataError: if a file cannot be read, or the parts do not fit each other.
        MissingExtraError: if a package is not installed.
    """
    checkpoint, parameters = found
    check_packages(checkpoint.name)
    sources = sources_of(parameters, encoder, checkpoint.name)
    return _loaded(checkpoint, parameters, sources, resolved_device(device), precision)


@functools.lru_cache(maxsize=2)
def _loaded(
    checkpoint: Checkpoint,
    parameters: Hyperparameters,
    sources: tuple[ModelSource, ...],
    device: str,
    precision: Precision,
) -> CometModel:
    limit_threads()
    path = checkpoint.paths[1]
    weights: Mapping[str, Any] = read_weights(path)["state_dict"]
    config = _configuration(parameters, sources[0])
    with quiet():
        tokenizer = tokenizer_of(sources[1])
    model = built_encoder(config, below(weights, ENCODER), precision, path, prefix=ENCODER).to(device)
    positions = config.max_position_embeddings - 2
    loaded = Loaded(model, tokenizer, device, positions - 2, checkpoint.fingerprint)
    count = config.num_hidden_layers + 1
    return CometModel(
        parameters,
        loaded,
        positions,
        [(weight.to(device), bias.to(device)) for weight, bias in linear_layers(weights, ESTIMATOR, path)],
        _mixture(parameters, weights, count, device, path),
        _word_head(parameters, weights, count, device, path),
    )


def _configuration(parameters: Hyperparameters, source: ModelSource) -> Any:
    with quiet():
        config = configuration_of(source)
    if config.model_type != parameters.family.architecture:
        raise DataError(
            f"is not the encoder of this model: it is of the type '{config.model_type}', and the model needs "
            f"{parameters.encoder} ('{parameters.family.architecture}'), such as {parameters.pretrained_model}",
            source.name,
        )
    return config


def _mixture(parameters: Hyperparameters, weights: Weights, count: int, device: str, path: str) -> tuple[Any, ...]:
    if parameters.layer != "mix":
        _check_layer(int(parameters.layer), count, path)
        return ()
    import torch

    names = [f"{MIXTURE}gamma", *(f"{MIXTURE}scalar_parameters.{index}" for index in range(count))]
    check_names(weights, names, path)
    factor, *scalars = (weights[name].float().flatten() for name in names)
    values = torch.cat(scalars)
    shares = sparsemax(values) if parameters.layer_weights == "sparsemax" else values.softmax(dim=0)
    return factor.to(device), shares.to(device)


def _word_head(parameters: Hyperparameters, weights: Weights, count: int, device: str, path: str) -> tuple[Any, ...]:
    if parameters.word_layer is None:
        return ()
    _check_layer(parameters.word_layer, count, path)
    names = "hidden2tag.weight", "hidden2tag.bias"
    check_names(weights, names, path)
    labels = weights[names[0]].shape[0]
    if labels != len(parameters.severities) + 1:
        raise DataError(
            f"predicts {labels} labels of words, but hparams.yaml has the 'error_labels' "
            f"{', '.join(parameters.severities)}: expected one label more",
            path,
        )
    return tuple(weights[name].float().to(device) for name in names)


def _check_layer(layer: int, count: int, path: str) -> None:
    if not 0 <= layer < count:
        raise DataError(f"has no layer {layer}: its encoder has the layers 0 to {count - 1}", path)


MAX_BYTES = 1 << 27
"""The size of the vectors of sentences that are kept in memory."""


class SentenceEstimator:
    """Scores outputs with a regression model, which encodes each sentence alone.

    Each distinct sentence is encoded once while it is in memory.

    Args:
        batches: Runs the batches.
    """

    def __init__(self, batches: Batches) -> None:
        self._batches = batches
        self._embedder = Embedder(batches, most_bytes=MAX_BYTES)

    def scores(self, model: CometModel, items: Sequence[Sequence[str]]) -> list[list[Any]]:
        """Returns for each output its score, no parts, no spans, and whether each of its texts is truncated.

        Args:
            model: The model.
            items: For each output its own text, its source and, if the model reads it, the reference.
        """
        import torch

        texts = (text for item in items for text in item)
        vectors = self._embedder.embed(model.encoder, texts, partial(sentence_vectors, model))
        scores: list[float] = []
        step = max(1, self._batches.batch_size * 16)
        with torch.inference_mode():
            for start in range(0, len(items), step):
                some = items[start : start + step]
                columns = [torch.stack([vectors[text].states for text in column]) for column in zip(*some, strict=True)]
                scores += model.scores_of(features(*columns))
        are_cut = ([vectors[text].encoded.is_cut for text in item] for item in items)
        return [[score, {}, None, of_item] for score, of_item in zip(scores, are_cut, strict=True)]


def sentence_vectors(model: CometModel, batch: Sequence[Encoded]) -> list[torch.Tensor]:
    """Returns the pooled vector of each sentence of a batch."""
    import torch

    with torch.inference_mode():
        inputs, layers = model.layers_of(batch)
        mask = inputs["attention_mask"]
        is_padding = inputs["input_ids"] == model.encoder.tokenizer.pad_token_id
        return list(pooled(model.states_of(layers, mask), is_padding, mask, model.parameters.pool))


def features(output: torch.Tensor, source: torch.Tensor, reference: torch.Tensor | None = None) -> torch.Tensor:
    """Returns the inputs of the estimator: the vectors, their products and the absolute values of their differences.

    Args:
        output: The vectors of outputs, of shape (outputs, dimensions).
        source: The vectors of their sources.
        reference: The vectors of their references, if the model reads them.
    """
    import torch

    of_source = [output * source, (output - source).abs()]
    if reference is None:
        return torch.cat([output, source, *of_source], dim=1)
    return torch.cat([output, reference, output * reference, (output - reference).abs(), *of_source], dim=1)
