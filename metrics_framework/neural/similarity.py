"""Greedy matching of token embeddings, as in BERTScore."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch


@contextmanager
def one_thread() -> Iterator[None]:
    """Runs operations of torch on one thread: for small arrays, threads cost more time than they save."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def normalized(states: torch.Tensor) -> torch.Tensor:
    """Returns vectors of length 1: an array of shape (tokens, size), like the argument."""
    return states / states.norm(dim=-1, keepdim=True)


def greedy_matching(
    summary: torch.Tensor,
    reference: torch.Tensor,
    summary_weights: Sequence[float],
    reference_weights: Sequence[float],
) -> tuple[float, float]:
    """Returns precision and recall: the weighted means of the highest cosine similarity of each token.

    Args:
        summary: Normalized embeddings, of shape (tokens of the summary, size).
        reference: Normalized embeddings, of shape (tokens of the reference, size).
        summary_weights: The weight of each token of the summary.
        reference_weights: The weight of each token of the reference.

    Returns:
        Precision and recall; NaN if all weights of the summary or of the reference are 0.
    """
    similarities = summary @ reference.T
    return (
        _weighted_mean(similarities.amax(dim=1), summary_weights),
        _weighted_mean(similarities.amax(dim=0), reference_weights),
    )


def _weighted_mean(values: torch.Tensor, weights: Sequence[float]) -> float:
    total = math.fsum(weights)
    products = (value * weight for value, weight in zip(values.tolist(), weights, strict=True))
    return math.fsum(products) / total if total else math.nan


def f1_of(precision: float, recall: float) -> float:
    """Returns the harmonic mean; 0 if both are 0, or if one is NaN, as in the package bert-score."""
    total = precision + recall
    return 2 * precision * recall / total if total and not math.isnan(total) else 0.0
