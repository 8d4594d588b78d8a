"""Coefficients of differences between outputs and systems, for many resamples: PDP and the normal form of SPA."""

from __future__ import annotations

import numpy as np

from metrics_framework.meta_evaluation.coefficients.soft_pairwise import ROUNDING
from metrics_framework.meta_evaluation.coefficients.weighted_coefficients import BLOCK_BYTES, centred, ratio
from metrics_framework.significance.arrays import Floats, Indices

FLIPS = 1000
"""The number of sign flips of SPA in each resample."""


def weighted_pdp(human: Floats, metric: Floats, rows: Floats, columns: Floats) -> Floats:
    """Computes PDP, the Pearson correlation of differences within inputs, in every resample.

    PDP = Σ_i n_i S_i(h, m) / √(Σ_i n_i S_i(h, h) · Σ_i n_i S_i(m, m)), where S_i sums products of deviations from the
    means of the n_i outputs of input i.

    Args:
        human: The human scores, shape (systems, inputs); NaN where missing, in the same cells as those of the metric.
        metric: The scores of the metric, of the same shape.
        rows: Integers, shape (resamples, systems).
        columns: Integers, shape (resamples, inputs).

    Returns:
        Shape (resamples,); NaN if all differences of one of the two are 0.
    """
    values = np.empty(len(rows))
    scaled_human, scaled_metric = _scaled_within(human), _scaled_within(metric)
    step = max(1, BLOCK_BYTES // (8 * max(1, human.shape[1])))
    for start in range(0, len(rows), step):
        block = slice(start, start + step)
        sums = _difference_products(scaled_human, scaled_metric, rows[block])
        hm, hh, mm = ((columns[block] * one).sum(axis=1) for one in sums)
        values[block] = np.where((hh > 0) & (mm > 0), np.clip(ratio(hm, hh, mm), -1, 1), np.nan)
    return values


def _scaled_within(values: Floats) -> Floats:
    """Centres each column, NaN where missing, and scales all of them by one number."""
    present = ~np.isnan(values)
    largest = np.max(np.abs(values), initial=0, where=present)
    scaled = values / largest if largest > 0 else values
    counts = np.maximum(present.sum(axis=0), 1)
    centred_values: Floats = scaled - np.where(present, scaled, 0).sum(axis=0) / counts
    spread = np.max(np.abs(centred_values), initial=0, where=present)
    return centred_values / spread if spread > 0 else centred_values


def _difference_products(human: Floats, metric: Floats, rows: Floats) -> tuple[Floats, Floats, Floats]:
    """Returns n_i S_i(h, m), n_i S_i(h, h) and n_i S_i(m, m) of every input; shapes (resamples, inputs)."""
    present = ~np.isnan(human)
    h, m = np.where(present, human, 0), np.where(present, metric, 0)
    n, sum_h, sum_m = rows @ present, rows @ h, rows @ m
    hm, hh, mm = n * (rows @ (h * m)) - sum_h * sum_m, n * (rows @ (h * h)) - sum_h**2, n * (rows @ (m * m)) - sum_m**2
    # Rounding must not make a difference of equal scores.
    tiny = 1e-13
    hh[hh <= tiny * n * (rows @ (h * h))] = 0
    mm[mm <= tiny * n * (rows @ (m * m))] = 0
    hm[(hh == 0) | (mm == 0)] = 0
    return hm, hh, mm


def weighted_normal_spa(human: Floats, metric: Floats, rows: Floats, columns: Floats) -> Floats:
    """Computes SPA with p-values Φ(−Σd/√Σd²) of the differences d of two systems, in every resample.

    Inputs for which a system has no score are left out.

    Args:
        human: The human scores, shape (systems, inputs); NaN where missing.
        metric: The scores of the metric, of the same shape.
        rows: Integers, shape (resamples, systems).
        columns: Integers, shape (resamples, inputs).

    Returns:
        Shape (resamples,); NaN with fewer than two systems, or no input.
    """
    complete = ~np.isnan(human).any(axis=0)
    first, second = np.triu_indices(len(human), 1)
    kept = columns[:, complete]
    distances = np.zeros((len(columns), len(first)))
    step = max(1, BLOCK_BYTES // (8 * max(1, int(complete.sum()))))
    for start in range(0, len(first), step):
        pairs = slice(start, start + step)
        p_values = [
            _p_values(centred(one[:, complete], None), first[pairs], second[pairs], kept) for one in (human, metric)
        ]
        distances[:, pairs] = np.abs(p_values[0] - p_values[1])
    return np.where(kept.sum(axis=1) > 0, _one_minus_mean(distances, rows), np.nan)


def _one_minus_mean(distances: Floats, rows: Floats) -> Floats:
    """Computes 1 − the mean over pairs of the systems drawn, shape (resamples,); copies have no distance."""
    first, second = np.triu_indices(rows.shape[1], 1)
    number = rows.sum(axis=1)
    pairs = number * (number - 1) / 2
    with np.errstate(invalid="ignore", divide="ignore"):
        values = 1 - (rows[:, first] * rows[:, second] * distances).sum(axis=1) / pairs
    return np.where(pairs > 0, values, np.nan)


def weighted_spa(human: Floats, metric: Floats, rows: Floats, columns: Floats) -> Floats:
    """Computes SPA with `FLIPS` sign flips in every resample; copies of an input have their own signs.

    All resamples share the flips, which are those of `soft_pairwise_accuracy` with the seed 0.

    Args:
        human: The human scores, shape (systems, inputs); NaN where missing.
        metric: The scores of the metric, of the same shape.
        rows: Integers, shape (resamples, systems).
        columns: Integers, shape (resamples, inputs).

    Returns:
        Shape (resamples,); NaN with fewer than two systems, or no input.
    """
    complete = ~np.isnan(human).any(axis=0)
    kept = columns[:, complete].astype(np.intp)
    x, z = (centred(one[:, complete], None) for one in (human, metric))
    longest = int(kept.sum(axis=1).max(initial=0))
    signs = np.where(np.random.default_rng(0).random((FLIPS, longest)) < 0.5, -1.0, 1.0)
    first, second = np.triu_indices(len(human), 1)
    distances = np.zeros((len(columns), len(first)))
    for index, counts in enumerate(kept):
        drawn = np.repeat(np.arange(len(counts)), counts)
        p_values = [_flipped_p(one[:, drawn], signs[:, : len(drawn)], first, second) for one in (x, z)]
        distances[index] = np.abs(p_values[0] - p_values[1])
    return np.where(kept.sum(axis=1) > 0, _one_minus_mean(distances, rows), np.nan)


def _flipped_p(scores: Floats, signs: Floats, first: Indices, second: Indices) -> Floats:
    """Returns the proportion of sign flips that reach the observed difference of each pair of systems."""
    sums, observed = signs @ scores.T, scores.sum(axis=1)
    p_values = np.empty(len(first))
    step = max(1, BLOCK_BYTES // (8 * max(1, *sums.shape, scores.shape[1])))
    for start in range(0, len(first), step):
        a, b = first[start : start + step], second[start : start + step]
        rounding = ROUNDING * np.abs(scores[a] - scores[b]).sum(axis=1)
        p_values[start : start + step] = (sums[:, a] - sums[:, b] >= observed[a] - observed[b] - rounding).mean(axis=0)
    return p_values


def _p_values(scores: Floats, first: Indices, second: Indices, columns: Floats) -> Floats:
    from scipy.special import ndtr

    differences = (scores[first] - scores[second]).T
    sums, squares = columns @ differences, columns @ differences**2
    z = np.divide(sums, np.sqrt(squares), out=np.zeros_like(sums), where=squares > 0)
    p_values: Floats = ndtr(-z)
    return p_values
