"""Checkpoints of PyTorch Lightning, as learned metrics are published: files, weights, and models built of them."""

from __future__ import annotations

import glob
import os
import pickle
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from metrics_framework.common.errors import DataError, UsageError, message_of
from metrics_framework.io.content import hash_of
from metrics_framework.neural.models import Precision, first_names, quiet
from metrics_framework.neural.sources import ModelSource, find_model, found_file, hub_client, is_path

if TYPE_CHECKING:
    import torch

ENDING = ".ckpt"
_CONVERSION = (
    "c = torch.load(FILE, weights_only=False); "
    "torch.save({'state_dict': c['state_dict'], 'hyper_parameters': {}}, FILE)"
)
_MAX_REASON = 200


class Checkpoint(NamedTuple):
    """The files of a checkpoint.

    Attributes:
        name: The folder or file, or the name on the hub.
        paths: The path of each file, in the order of their names in `find_checkpoint`.
        fingerprint: Identifies the files: the first digits of a SHA-256, or ``name@commit``.
    """

    name: str
    paths: tuple[str, ...]
    fingerprint: str


def find_checkpoint(model: str, files: tuple[str, ...]) -> Checkpoint:
    """Finds the files of a checkpoint; those of the hub are downloaded if they are not in the local cache.

    Args:
        model: A folder, or a name on the Hugging Face hub, optionally with a revision (``name@revision``).
        files: The paths of the files in it.

    Raises:
        UsageError: if there is no such folder, or the hub cannot be reached.
        DataError: if the folder lacks a file.
    """
    folder = os.path.expanduser(model)
    if os.path.isdir(folder):
        paths = tuple(os.path.join(folder, *name.split("/")) for name in files)
        for name, path in zip(files, paths, strict=True):
            if not os.path.isfile(path):
                raise DataError(f"is not the folder of a checkpoint: it has no {name}", model)
        return Checkpoint(folder, paths, hash_of(*paths))
    if os.path.exists(folder) or is_path(model):
        found = "is a file" if os.path.exists(folder) else "does not exist"
        raise UsageError(
            f"'{model}' {found}; a checkpoint is a folder with {' and '.join(files)}, or a name on the Hugging Face hub"
        )
    return _on_hub(model, files)


def find_weights(model: str) -> Checkpoint:
    """Finds a checkpoint that is one file.

    Args:
        model: The file, a folder with one file that ends in ``.ckpt``, or a file on the Hugging Face hub as
            ``owner/name/file.ckpt``.

    Raises:
        UsageError: if there is no such file or folder, or the hub cannot be reached.
        DataError: if the folder has no such file, or several.
    """
    path = os.path.expanduser(model)
    if os.path.isdir(path):
        files = sorted(glob.glob(os.path.join(glob.escape(path), f"*{ENDING}")))
        if len(files) != 1:
            found = ", ".join(map(os.path.basename, files)) or "none"
            raise DataError(f"must have one file that ends in {ENDING}, found {found}", model)
        path = files[0]
    if os.path.isfile(path):
        return Checkpoint(model, (path,), hash_of(path))
    owner, _, rest = model.partition("/")
    name, _, file = rest.partition("/")
    if not file.endswith(ENDING) or not owner or owner.startswith((".", "~")):
        raise UsageError(
            f"there is no file or folder '{model}'; a checkpoint is a file that ends in {ENDING}, a folder with one, "
            f"or a file on the Hugging Face hub: OWNER/NAME/FILE{ENDING}"
        )
    _, paths, fingerprint = _on_hub(f"{owner}/{name}", (file,))
    return Checkpoint(model, paths, f"{fingerprint}/{file}")


def _on_hub(model: str, files: tuple[str, ...]) -> Checkpoint:
    name, _, revision = model.partition("@")

    def problem(reason: str) -> UsageError:
        return UsageError(
            f"cannot find the checkpoint '{model}': there is no such folder, and it is neither in the local cache of "
            f"the Hugging Face hub nor can be downloaded ({reason}); give the folder of a checkpoint, with "
            f"{' and '.join(files)}, or download it first: hf download {name}"
        )

    with hub_client(model, problem) as hub:
        first = found_file(hub, name, files[0], revision or None)
        commit = first[: -len(files[0]) - 1].rpartition(os.sep)[2]
        paths = tuple(hub.hf_hub_download(name, file, revision=commit) for file in files)
    return Checkpoint(name, paths, f"{name}@{commit[:12]}")


def read_weights(path: str) -> dict[str, Any]:
    """Reads a checkpoint of Lightning, as tensors and plain values only.

    Args:
        path: The file.

    Returns:
        The content: a ``state_dict``, and usually ``hyper_parameters``.

    Raises:
        DataError: if the file is incomplete, is not such a checkpoint, or holds other objects.
    """
    import zipfile

    import torch

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about old formats of pickles
            # tensors are not copied to memory, where the format of the file allows it
            content = torch.load(path, map_location="cpu", weights_only=True, mmap=zipfile.is_zipfile(path))
    except pickle.UnpicklingError as error:
        raise DataError(
            f"cannot be read as tensors and plain values only ({_shortened(error)}), and anything else in such a "
            f"file can run programs; if you trust its source, convert it: {_CONVERSION}",
            path,
        ) from error
    except (RuntimeError, EOFError, OSError, ValueError, KeyError) as error:
        size = os.path.getsize(path)
        raise DataError(
            f"cannot be read ({_shortened(error)}); it has {size:,} bytes: compare this with the published file, whose "
            "download may be incomplete",
            path,
        ) from error
    if not isinstance(content, dict) or not isinstance(content.get("state_dict"), dict):
        raise DataError("is not a checkpoint of PyTorch Lightning: it has no 'state_dict'", path)
    return content


def _shortened(error: BaseException) -> str:
    """Returns the part of a message of torch that names the object or the problem."""
    lines = message_of(error).replace("WeightsUnpickler error: ", "\n").splitlines()
    named = [line.strip() for line in lines if line.strip().startswith(("Unsupported", "Can only", "Trying"))]
    first = (named or [line.strip() for line in lines if line.strip()] or [type(error).__name__])[0]
    return first[:_MAX_REASON].split(". Please")[0].rstrip(".")


Weights = Mapping[str, "torch.Tensor"]


def below(weights: Weights, prefix: str) -> dict[str, torch.Tensor]:
    """Returns the weights whose names begin with a prefix, by the rest of their names."""
    return {name[len(prefix) :]: value for name, value in weights.items() if name.startswith(prefix)}


def check_names(weights: Weights, names: Iterable[str], path: str) -> None:
    """Checks that a checkpoint has some weights.

    Raises:
        DataError: if weights are missing; it names the first ones.
    """
    missing = [name for name in names if name not in weights]
    if missing:
        raise DataError(f"has no weights for {first_names(missing)}", path)


def built_encoder(
    config: Any, weights: Weights, precision: Precision, path: str, *, has_pooler: bool = False, prefix: str = ""
) -> Any:
    """Builds an encoder of transformers from a configuration and weights.

    Args:
        config: The configuration.
        weights: The weights, by their names in the model.
        precision: The type of the weights.
        path: The checkpoint, for errors.
        has_pooler: Whether the pooler is part of the model.
        prefix: What the names begin with in the checkpoint, for errors.

    Raises:
        DataError: if weights are missing, or do not fit the configuration.
    """
    import torch
    import transformers

    model_class = transformers.MODEL_MAPPING[type(config)]
    try:
        with quiet():
            model, info = model_class.from_pretrained(
                None,
                config=config,
                state_dict=dict(weights),
                dtype=getattr(torch, precision),
                add_pooling_layer=has_pooler,
                output_loading_info=True,
            )
    except (RuntimeError, ValueError) as error:
        raise _unfit(message_of(error).strip().splitlines()[-1], path) from error
    if info["mismatched_keys"]:
        name, *shapes = next(iter(info["mismatched_keys"]))
        raise _unfit(f"{prefix}{name} has the shape {tuple(shapes[0])}, not {tuple(shapes[1])}", path)
    if missing := sorted(info["missing_keys"]):
        raise DataError(f"has no weights for {first_names([prefix + name for name in missing])}", path)
    return model.eval()


def encoder_sources(names: Sequence[str], owner: str) -> tuple[ModelSource, ...]:
    """Finds the configuration and the tokenizer of an encoder.

    Args:
        names: The folder or name that has both; or that of the configuration, and that of the tokenizer.
        owner: What needs them, for errors.

    Raises:
        UsageError: if they are not found; it names what is needed.
    """
    try:
        return tuple(map(find_model, names))
    except (UsageError, DataError) as error:
        which = ", and the tokenizer of ".join(dict.fromkeys(names))
        raise UsageError(
            f"{owner} needs the configuration and the tokenizer of its encoder, {which}: set 'encoder' to a folder "
            f"with both (config.json, tokenizer.json); its weights are not needed ({error})"
        ) from error


def linear_layers(weights: Weights, prefix: str, path: str) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """Returns the weight and bias of each linear layer of a sequence, in order, as float32.

    Args:
        weights: The weights of the checkpoint.
        prefix: What comes before the number of a layer in its name.
        path: The checkpoint, for errors.

    Raises:
        DataError: if there are none, or a bias is missing.
    """
    numbers = sorted(int(name.split(".")[0]) for name in below(weights, prefix) if name.endswith(".weight"))
    check_names(weights, [f"{prefix}{number}.bias" for number in numbers or [0]], path)
    return [
        (weights[f"{prefix}{number}.weight"].float(), weights[f"{prefix}{number}.bias"].float()) for number in numbers
    ]


def _unfit(reason: str, path: str) -> DataError:
    return DataError(f"does not fit the configuration of its encoder: {reason}; is the encoder the right one?", path)


EPSILON = 1e-12


def sparsemax(values: torch.Tensor) -> torch.Tensor:
    """Returns the point of the probability simplex that is closest to a vector (Martins and Astudillo 2016).

    Args:
        values: A vector.
    """
    import torch

    ordered = values.sort(descending=True).values
    excess = ordered.cumsum(0) - 1
    ranks = torch.arange(1, len(values) + 1, dtype=values.dtype, device=values.device)
    size = int((ordered * ranks > excess).sum())
    return (values - excess[size - 1] / size).clamp(min=0)


def normalized(states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Normalizes the hidden states of each text by the mean and variance over all its positions and dimensions.

    Args:
        states: An array of shape (texts, tokens, dimensions).
        mask: 1 for the tokens of a text and 0 for padding, of shape (texts, tokens).
    """
    mask = mask.to(states.dtype).unsqueeze(-1)
    count = mask.sum(dim=(1, 2), keepdim=True) * states.shape[-1]
    mean = (states * mask).sum(dim=(1, 2), keepdim=True) / count
    variance = (((states - mean) * mask) ** 2).sum(dim=(1, 2), keepdim=True) / count
    return (states - mean) / (variance + EPSILON).sqrt()


def mixed(
    layers: Sequence[torch.Tensor], weights: torch.Tensor, factor: torch.Tensor, mask: torch.Tensor, *, norm: bool
) -> torch.Tensor:
    """Returns the weighted sum of layers, multiplied by a factor.

    Args:
        layers: The hidden states of each layer, of shape (texts, tokens, dimensions).
        weights: The weight of each layer.
        factor: A number.
        mask: As for `normalized`.
        norm: Whether to normalize each layer first.
    """
    import torch

    total = torch.zeros_like(layers[0])
    for weight, layer in zip(weights, layers, strict=True):
        total = total + weight * (normalized(layer, mask) if norm else layer)
    return factor * total


def pooled(states: torch.Tensor, is_padding: torch.Tensor, mask: torch.Tensor, pool: str) -> torch.Tensor:
    """Returns one vector per text.

    Args:
        states: An array of shape (texts, tokens, dimensions).
        is_padding: Whether each token is a padding token, of shape (texts, tokens).
        mask: 1 for the tokens of a text, also for padding tokens that are written in it, and 0 for padding.
        pool: ``cls`` for the first token, ``max`` or ``avg`` for maxima or means over tokens that are not padding.
    """
    if pool == "cls":
        return states[:, 0]
    if pool == "max":
        return states.masked_fill(is_padding.unsqueeze(-1), float("-inf")).amax(dim=1)
    return states.masked_fill(is_padding.unsqueeze(-1), 0.0).sum(dim=1) / mask.sum(dim=1, keepdim=True)


def estimated(vectors: torch.Tensor, layers: Sequence[Any], activation: str, final_activation: str) -> torch.Tensor:
    """Returns the outputs of linear layers with activations between them.

    Args:
        vectors: An array of shape (texts, dimensions).
        layers: The weight and bias of each layer.
        activation: The name of a class in ``torch.nn``, applied after each layer but the last one.
        final_activation: The same for the last layer; empty for none.
    """
    import torch

    between = getattr(torch.nn, activation)()
    for index, (weight, bias) in enumerate(layers):
        vectors = torch.nn.functional.linear(vectors, weight, bias)
        if index < len(layers) - 1:
            vectors = between(vectors)
    return getattr(torch.nn, final_activation)()(vectors) if final_activation else vectors
