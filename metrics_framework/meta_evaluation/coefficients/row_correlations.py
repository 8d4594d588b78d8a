"""Pearson's r and Spearman's ρ in many groups, and pairwise-difference Pearson, on matrices (groups, outputs)."""

from __future__ import annotations

import math

import numpy as np

from metrics_framework.meta_evaluation.coefficients.large_values import scaled_down
from metrics_framework.meta_evaluation.coefficients.vectors import clip
from metrics_framework.significance.arrays import Bools, Floats


def row_pearson(x: Floats, z: Floats) -> Floats:
    """Computes Pearson's r of each row.

    Args:
        x: The first variable, shape (groups, outputs); NaN where missing, in the same cells as z.
        z: The second, of the same shape.

    Returns:
        Shape (groups,), NaN for rows with fewer than two outputs or a constant variable.

    >>> row_pearson(np.array([[1.0, 2, 3], [1, 1, np.nan]]), np.array([[1.0, 3, 2], [4, 5, np.nan]])).round(6).tolist()
    [0.5, nan]
    """
    a, b = centred_rows(x, scaled=True), centred_rows(z, scaled=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        r = (a * b).sum(axis=1) / np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1))
    return np.where(constant_rows(x) | constant_rows(z), np.nan, np.clip(r, -1, 1))


def row_spearman(x: Floats, z: Floats) -> Floats:
    """Computes Spearman's ρ of each row, Pearson's r of the mid-ranks; arguments and result as in `row_pearson`."""
    return row_pearson(row_ranks(x), row_ranks(z))


def row_ranks(values: Floats) -> Floats:
    """Ranks the values of each row from 1; ties get the mean of their ranks, NaN stays NaN.

    Args:
        values: Shape (groups, outputs).

    >>> row_ranks(np.array([[10.0, 30, 20, 20], [5, np.nan, 4, 4]])).tolist()
    [[1.0, 4.0, 2.5, 2.5], [3.0, nan, 1.5, 1.5]]
    """
    order = np.argsort(values, axis=1)
    ordered = np.take_along_axis(values, order, axis=1)
    positions = np.broadcast_to(np.arange(values.shape[1]), values.shape)
    new = np.ones(values.shape, dtype=bool)
    new[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    last = np.ones(values.shape, dtype=bool)
    last[:, :-1] = new[:, 1:]
    starts = np.maximum.accumulate(np.where(new, positions, 0), axis=1)
    ends = np.minimum.accumulate(np.where(last, positions, values.shape[1])[:, ::-1], axis=1)[:, ::-1]
    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, (starts + ends) / 2 + 1, axis=1)
    ranks[np.isnan(values)] = np.nan
    return ranks


def constant_rows(values: Floats) -> Bools:
    """Returns whether all values of each row are equal, or it has none; shapes (groups, outputs), (groups,)."""
    lowest = np.min(values, axis=1, initial=np.inf, where=~np.isnan(values))
    highest = np.max(values, axis=1, initial=-np.inf, where=~np.isnan(values))
    constant: Bools = lowest >= highest
    return constant


def centred_rows(values: Floats, *, scaled: bool = False) -> Floats:
    """Subtracts the mean of each row, and replaces missing values by 0.

    Args:
        values: Shape (groups, outputs); NaN where missing. Without scaling, their sums must not overflow.
        scaled: Whether each row is scaled to at most 1, so that neither sums nor squares overflow or underflow.
    """
    present = ~np.isnan(values)
    filled = np.where(present, scaled_down(values, 1) if scaled else values, 0)
    counts = np.maximum(present.sum(axis=1, keepdims=True), 1)
    deviations = np.where(present, filled - filled.sum(axis=1, keepdims=True) / counts, 0)
    if not scaled:
        return deviations
    largest = np.abs(deviations).max(axis=1, keepdims=True, initial=0)
    return np.asarray(deviations / np.where(largest > 0, largest, 1))


def pairwise_difference_pearson(human: Floats, metric: Floats) -> float:
    """Computes PDP, Pearson's r of the differences of the outputs for the same input, over all ordered pairs.

    As both orders of each pair are in, the means are 0, and with S_i(x, y) = Σ (x − x̄_i)(y − ȳ_i) over the n_i outputs
    for input i, PDP = Σ n_i S_i(h, m) / √(Σ n_i S_i(h, h) · Σ n_i S_i(m, m)), in time linear in the outputs.

    Args:
        human: The human scores, shape (inputs, outputs); NaN where missing, in the same cells as the metric.
        metric: The scores of the metric, of the same shape.

    Returns:
        The coefficient; NaN if one of the scores is constant for every input.
    """
    if constant_rows(human).all() or constant_rows(metric).all():
        return math.nan
    sizes = np.sqrt((~np.isnan(human)).sum(axis=1, keepdims=True))
    a, b = (_scaled(centred_rows(scaled_down(scores)) * sizes) for scores in (human, metric))
    norm = math.sqrt(float((a * a).sum()) * float((b * b).sum()))
    return clip(float((a * b).sum()) / norm) if norm else math.nan


def _scaled(values: Floats) -> Floats:
    largest = np.abs(values).max(initial=0)
    return values / largest if largest else values
