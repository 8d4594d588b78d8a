"""Counts of the points that are below or above others in two variables, in O(n log n)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from metrics_framework.common.arrays import Floats, Indices


class Bounds(NamedTuple):
    """For each value, how many sorted values are below it, and how many are not above it.

    Attributes:
        below: The number of values that are smaller by more than a tie, shape (n,).
        up_to: The number of values that are not larger by more than a tie, shape (n,).
    """

    below: Indices
    up_to: Indices


def bounds(values: Floats, ordered: Floats, epsilon: float = 0.0) -> Bounds:
    """Finds the positions of values among sorted ones; values that differ by at most ε are tied.

    Differences are computed in floats, without a tolerance: a search for the sum is corrected value by value.

    Args:
        values: Shape (n,).
        ordered: Sorted values, shape (m,).
        epsilon: The largest difference that is a tie.

    >>> bounds(np.array([2.0]), np.array([1.0, 1.5, 2.0, 2.5, 4.0]), 0.5)
    Bounds(below=array([1]), up_to=array([4]))
    """
    if not epsilon:
        return Bounds(np.searchsorted(ordered, values, "left"), np.searchsorted(ordered, values, "right"))
    distinct, starts = np.unique(ordered, return_index=True)
    starts = np.append(starts, len(ordered))
    padded = np.concatenate([[-np.inf], distinct, [np.inf]])
    below = np.searchsorted(distinct, values - epsilon, "left")
    while (move := values - padded[below] <= epsilon).any():
        below = below - move
    while (move := values - padded[below + 1] > epsilon).any():
        below = below + move
    up_to = np.searchsorted(distinct, values + epsilon, "right")
    while (move := padded[up_to] - values > epsilon).any():
        up_to = up_to - move
    while (move := padded[up_to + 1] - values <= epsilon).any():
        up_to = up_to + move
    return Bounds(starts[below], starts[up_to])


class Wavelet:
    """A wavelet matrix: a permutation of 0, …, n − 1 that counts the small numbers among its first ones.

    Args:
        ranks: The permutation, shape (n,).

    >>> Wavelet(np.array([2, 0, 1])).counts(np.array([1, 2, 3]), np.array([2, 2, 2])).tolist()
    [0, 1, 2]
    """

    def __init__(self, ranks: Indices) -> None:
        self._levels = []
        ranks = ranks.astype(np.int32)
        for bit in range(len(ranks).bit_length() - 1, -1, -1):
            is_zero = (ranks >> bit) & 1 == 0
            zeros = np.zeros(len(ranks) + 1, dtype=np.int32)
            np.cumsum(is_zero, out=zeros[1:])
            self._levels.append((bit, zeros))
            ranks = np.concatenate([ranks[is_zero], ranks[~is_zero]])

    def counts(self, ends: Indices, limits: Indices) -> Indices:
        """Counts, for each question, the ranks below a limit among the first ones.

        Args:
            ends: How many of them each question is about, shape (questions,).
            limits: The limit of each question, from 0 to n, shape (questions,).
        """
        limits = limits.astype(np.int32)
        last_ends, starts = ends.astype(np.int32), np.zeros(len(ends), dtype=np.int32)
        counts = np.zeros(len(ends), dtype=np.int32)
        for bit, zeros in self._levels:
            first, last = zeros[starts], zeros[last_ends]
            goes_right = (limits >> bit) & 1 == 1
            counts += np.where(goes_right, last - first, 0)
            starts = np.where(goes_right, zeros[-1] + starts - first, first)
            last_ends = np.where(goes_right, zeros[-1] + last_ends - last, last)
        return counts.astype(np.intp)
