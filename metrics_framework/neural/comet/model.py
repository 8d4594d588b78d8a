"""Loads the encoder and the heads of a COMET model."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from metrics_framework.common.errors import DataError, UsageError
from metrics_framework.neural.built import Weights, below, built_encoder, check_names, linear_layers, on_device
from metrics_framework.neural.checkpoints import Checkpoint, read_weights
from metrics_framework.neural.comet.hyperparameters import WEIGHTS, Hyperparameters
from metrics_framework.neural.encoding import Encoded, padded
from metrics_framework.neural.layers import estimated, mixed, sparsemax
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
from metrics_framework.neural.sources import ModelSource, find_model

if TYPE_CHECKING:
    import torch

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


def encoder_sources(parameters: Hyperparameters, encoder: str | None, path: str) -> tuple[ModelSource, ModelSource]:
    """Finds the configuration and the tokenizer of an encoder.

    Args:
        parameters: The hyperparameters of the model.
        encoder: The folder or name that has both; by default that in the hyperparameters.
        path: The checkpoint, for errors.

    Raises:
        UsageError: if they are not found; it names what is needed.
    """
    names = parameters.encoders if encoder is None else (encoder, encoder)
    try:
        source, tokenizer = (find_model(name) for name in names)
    except (UsageError, DataError) as error:
        which = names[0] if names[0] == names[1] else f"{names[0]}, and the tokenizer of {names[1]}"
        raise UsageError(
            f"the model '{path}' needs the configuration and the tokenizer of its encoder, {which}: set 'encoder' to a "
            f"folder with both (config.json, tokenizer.json); its weights are not needed ({error})"
        ) from error
    return source, tokenizer


def load_comet(
    found: tuple[Checkpoint, Hyperparameters], encoder: str | None, device: str, precision: Precision
) -> CometModel:
    """Loads a COMET model; a model that was loaded before is the same object.

    Args:
        found: What `find_comet` found.
        encoder: As for `encoder_sources`.
        device: As for `metrics_framework.neural.models.load`.
        precision: The type of the weights of the encoder; the heads compute with float32.

    Raises:
        UsageError: if the encoder is not found, or there is no such device.
        DataError: if a file cannot be read, or the parts do not fit each other.
        MissingExtraError: if a package is not installed.
    """
    checkpoint, parameters = found
    check_packages(checkpoint.name)
    sources = encoder_sources(parameters, encoder, checkpoint.name)
    files = checkpoint.paths[WEIGHTS], checkpoint.fingerprint
    return _loaded(files, parameters, sources, resolved_device(device), precision)


@functools.lru_cache(maxsize=2)
def _loaded(
    files: tuple[str, str],
    parameters: Hyperparameters,
    sources: tuple[ModelSource, ModelSource],
    device: str,
    precision: Precision,
) -> CometModel:
    limit_threads()
    path, fingerprint = files
    weights: Mapping[str, Any] = read_weights(path)["state_dict"]
    config = _configuration(parameters, sources[0])
    with quiet():
        tokenizer = tokenizer_of(sources[1])
    model = built_encoder(config, below(weights, ENCODER), precision, path, prefix=ENCODER).to(device)
    positions = config.max_position_embeddings - 2
    loaded = Loaded(model, tokenizer, device, model.dtype, positions - 2, fingerprint)
    count = config.num_hidden_layers + 1
    return CometModel(
        parameters,
        loaded,
        positions,
        on_device(linear_layers(weights, ESTIMATOR, path), device),
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
