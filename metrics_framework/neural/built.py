"""Models that are built from a configuration and the weights of a checkpoint of another program."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from metrics_framework.common.errors import DataError, message_of
from metrics_framework.neural.models import Precision, first_names, quiet

if TYPE_CHECKING:
    import torch

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


def on_device(layers: Sequence[tuple[torch.Tensor, torch.Tensor]], device: str) -> list[Any]:
    """Copies linear layers to a device."""
    return [(weight.to(device), bias.to(device)) for weight, bias in layers]


def _unfit(reason: str, path: str) -> DataError:
    return DataError(f"does not fit the configuration of its encoder: {reason}; is the encoder the right one?", path)
