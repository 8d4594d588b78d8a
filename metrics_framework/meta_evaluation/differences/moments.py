"""Pearson's r and PDP of two metrics after swaps, from sums that are linear in the spins.

With middle c = (a + b)/2 and half difference e = (a − b)/2 of the scores of a cell, an arrangement with spin s leaves
c + s·e to the first metric and c − s·e to the second, so that all sums of an arrangement are constants plus or minus
linear sums. Scores of one input are shifted by a constant first, which preserves precision.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from metrics_framework.meta_evaluation.differences.paired_scores import PairedScores, standardized
from metrics_framework.meta_evaluation.differences.spins import Spins
from metrics_framework.significance.arrays import Bools, Floats

CANCELLATION = 1e-4
"""A variance below this fraction of the second moment has lost digits."""


class Sums(NamedTuple):
    """Sums of an arrangement for one of the metrics.

    Attributes:
        products: Σ (h − h̄) m.
        squares: Σ (m − m̄)².
        is_precise: Whether the sum of squares has not lost digits.
    """

    products: Floats
    squares: Floats
    is_precise: Bools


class Halves(NamedTuple):
    """The parts of a pair of metrics: 0 where missing, shapes (systems, inputs).

    Attributes:
        human: The human scores, centred.
        middle: The mean of both metrics.
        half: Half of their difference.
        present: Which cells have scores.
    """

    human: Floats
    middle: Floats
    half: Floats
    present: Bools

    @classmethod
    def of(cls, scores: PairedScores, axis: int | None) -> Halves:
        """Standardizes the metrics and centres all scores along an axis, or over all cells."""
        present = scores.present
        first, second = scores.first_z, scores.second_z
        return cls(
            _centred(standardized(scores.human), present, axis),
            _centred((first + second) / 2, present, axis),
            np.where(present, (first - second) / 2, 0),
            present,
        )


def _centred(values: Floats, present: Bools, axis: int | None) -> Floats:
    filled = np.where(present, values, 0)
    mean = filled.sum(axis=axis, keepdims=True) / np.maximum(present.sum(axis=axis, keepdims=True), 1)
    return np.where(present, filled - mean, 0)


def column_sums(halves: Halves, spins: Spins) -> tuple[Sums, Sums]:
    """Returns the sums of each column for both metrics, shapes (arrangements, inputs)."""
    human, middle, half, present = halves
    linear = tuple(spins.by_column(values) for values in (half, 2 * middle * half, human * half))
    constants = tuple(values.sum(axis=0) for values in (middle, middle**2 + half**2, human * middle))
    return _both(constants, linear, present.sum(axis=0))


def total_sums(halves: Halves, spins: Spins) -> tuple[Sums, Sums]:
    """Returns the sums over all cells for both metrics, shapes (arrangements,)."""
    human, middle, half, present = halves
    linear = tuple(spins.total(values) for values in (half, 2 * middle * half, human * half))
    constants = tuple(values.sum() for values in (middle, middle**2 + half**2, human * middle))
    return _both(constants, linear, present.sum())


def _both(constants: tuple[Floats, ...], linear: tuple[Floats, ...], counts: Floats) -> tuple[Sums, Sums]:
    plus = [constant + part for constant, part in zip(constants, linear, strict=True)]
    minus = [constant - part for constant, part in zip(constants, linear, strict=True)]
    return _sums(plus, counts), _sums(minus, counts)


def _sums(parts: Sequence[Floats], counts: Floats) -> Sums:
    total, squares, products = parts
    centred = squares - total**2 / np.maximum(counts, 1)
    return Sums(products, np.maximum(centred, 0), centred >= CANCELLATION * squares)


def pearson_of_sums(sums: Sums, human_squares: Floats) -> Floats:
    """Computes r from sums; NaN where a sum of squares is 0."""
    norms = np.sqrt(sums.squares * human_squares)
    r: Floats = np.divide(sums.products, norms, out=np.full(np.shape(norms), np.nan), where=norms > 0)
    return np.clip(r, -1, 1, out=r)


def swapped_pdp(scores: PairedScores, spins: Spins) -> tuple[Floats, Floats]:
    """Computes PDP, the pairwise-difference Pearson within inputs, of both metrics; shapes (arrangements,).

    PDP = Σ n S(h, m) / √(Σ n S(h, h) · Σ n S(m, m)), where S sums products of deviations over the n outputs of an
    input, and Σ is over inputs.
    """
    halves = Halves.of(scores, 0)
    sizes = halves.present.sum(axis=0)
    human_squares = np.asarray((sizes * (halves.human**2).sum(axis=0)).sum())
    results = []
    for products, squares, _ in column_sums(halves, spins):
        pooled = Sums((products * sizes).sum(axis=1), (squares * sizes).sum(axis=1), np.ones(1, bool))
        results.append(pearson_of_sums(pooled, human_squares))
    return results[0], results[1]
