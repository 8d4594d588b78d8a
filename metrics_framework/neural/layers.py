"""What learned metrics compute from the layers of an encoder: mixtures of layers, sentence vectors, estimators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

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
