"""Models of AlignScore (Zha et al. 2023): an encoder with a pooler, and three heads."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from metrics_framework.common.errors import DataError, UsageError
from metrics_framework.neural.checkpoints import (
    ENDING,
    Checkpoint,
    below,
    built_encoder,
    check_names,
    find_weights,
    read_weights,
)
from metrics_framework.neural.classification import encode_pairs
from metrics_framework.neural.encoding import Batches, Encoded, padded
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
from metrics_framework.neural.sources import ModelSource, find_model, local_file

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


def load_alignscore(checkpoint: Checkpoint, encoder: str | None, device: str, precision: Precision) -> AlignModel:
    """Loads a model; a model that was loaded before is the same object.

    Args:
        checkpoint: The file.
        encoder: The folder or name of the configuration and tokenizer of the encoder; by default that in the file.
        device: As for `metrics_framework.neural.models.load`.
        precision: The type of the weights of the encoder; the heads compute with float32.

    Raises:
        UsageError: if the encoder is not found, or there is no such device.
        DataError: if a file cannot be read, or the parts do not fit each other.
        MissingExtraError: if a package is not installed.
    """
    check_packages(checkpoint.name)
    return _loaded(checkpoint.paths[""], checkpoint.fingerprint, encoder, resolved_device(device), precision)


def encoders_of(model: str) -> list[str]:
    """Returns the model that has the configuration and the tokenizer of the encoder, if the checkpoint is local."""
    folder, _, file = model.rpartition("/")
    path = local_file(folder, file) if model.endswith(ENDING) else find_weights(model).paths[""]
    return [] if path is None else list(filter(None, [_named(read_weights(path))]))


def _named(content: Mapping[str, Any]) -> str:
    hyperparameters = content.get("hyper_parameters")
    return str(hyperparameters.get("model") or "") if isinstance(hyperparameters, Mapping) else ""


def encoder_source(encoder: str | None, content: Mapping[str, Any], path: str) -> ModelSource:
    """Finds the configuration and tokenizer of the encoder.

    Raises:
        UsageError: if it is not found; it names what is needed.
    """
    name = encoder or _named(content)
    if not name:
        raise UsageError(f"the checkpoint '{path}' does not name its encoder: set 'encoder', such as roberta-large")
    try:
        return find_model(name)
    except (UsageError, DataError) as error:
        raise UsageError(
            f"the checkpoint '{path}' needs the configuration and the tokenizer of its encoder, {name}: set 'encoder' "
            f"to a folder with both (config.json, tokenizer.json); its weights are not needed ({error})"
        ) from error


@functools.lru_cache(maxsize=2)
def _loaded(path: str, fingerprint: str, encoder: str | None, device: str, precision: Precision) -> AlignModel:
    limit_threads()
    content = read_weights(path)
    weights = content["state_dict"]
    source = encoder_source(encoder, content, path)
    check_names(weights, [f"{layer}.{part}" for layer in HEADS.values() for part in ("weight", "bias")], path)
    with quiet():
        config, tokenizer = configuration_of(source), tokenizer_of(source)
    model = built_encoder(config, below(weights, _ENCODER), precision, path, has_pooler=True, prefix=_ENCODER)
    limit = min(MAX_LENGTH, max_length_of(model, tokenizer))
    heads = {
        head: tuple(weights[f"{layer}.{part}"].float().to(device) for part in ("weight", "bias"))
        for head, layer in HEADS.items()
    }
    return AlignModel(Loaded(model.to(device), tokenizer, device, model.dtype, limit, fingerprint), heads)


def alignments(
    model: AlignModel, pairs: Sequence[tuple[str, str]], head: str, batches: Batches
) -> list[tuple[float, bool]]:
    """Returns how well each claim is supported by its context, and whether the pair is truncated.

    Args:
        model: The model.
        pairs: The pairs of a context and a claim.
        head: ``nli``, ``bin`` or ``reg``.
        batches: Runs the batches.
    """
    encoded = encode_pairs(model.encoder, pairs, model.encoder.max_length, "only_first")
    values = batches.run(
        [len(one.ids) for one in encoded],
        lambda batch: _values(model, [encoded[index] for index in batch], head),
    )
    return [(value, one.is_cut) for value, one in zip(values, encoded, strict=True)]


def _values(model: AlignModel, batch: Sequence[Encoded], head: str) -> list[float]:
    import torch

    with torch.inference_mode():
        vectors = model.encoder.model(**padded(model.encoder, batch)).pooler_output.float()
        outputs = torch.nn.functional.linear(vectors, *model.heads[head])
        if head in _CHOSEN:
            outputs = outputs.softmax(dim=-1)[:, _CHOSEN[head]]
        values: list[float] = outputs.reshape(len(batch)).tolist()
    return values
