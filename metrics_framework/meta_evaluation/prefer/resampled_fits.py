"""Strengths in resamples of votes: the maximum likelihood for many weights of the same votes at once."""

from __future__ import annotations

import math
from contextlib import suppress

import numpy as np

from metrics_framework.common.arrays import Bools, Floats, Indices
from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation.prefer.fitting import MIN_STEP, Rows, maximum
from metrics_framework.meta_evaluation.prefer.vote_arrays import VoteArrays

_MAX_STEPS = 20


def resampled_strengths(votes: VoteArrays, weights: Floats, units: Indices, ridge: float = 0.0) -> Floats:
    """Estimates strengths as if each vote occurred as often as the weight of its unit says.

    Without covariates, all resamples take Newton steps together; one that does not converge is estimated on its own.

    Args:
        votes: The votes.
        weights: Shape (resamples, units).
        units: The unit of each vote.
        ridge: The weight of the penalty on strengths.

    Returns:
        Strengths with mean 0, shape (resamples, systems); NaN where the votes do not determine them.
    """
    wins = _win_matrices(votes, weights, units)
    strengths = np.full(wins.shape[:2], math.nan)
    determined = np.full(len(wins), True) if ridge else _are_connected(wins)
    if not votes.covariate_names:
        strengths[determined] = _newton(wins[determined], ridge)
    for index in np.flatnonzero(determined & np.isnan(strengths[:, 0])):
        with suppress(InputError):  # covariates separate wins from losses, or depend on each other
            strengths[index] = maximum(Rows.of(votes, weights[index, units]), ridge)[: len(votes.systems)]
    return strengths


def _win_matrices(votes: VoteArrays, weights: Floats, units: Indices) -> Floats:
    """Returns the wins of systems (rows) over others in each resample, shape (resamples, systems, systems)."""
    from scipy.sparse import csr_matrix

    size = len(votes.systems)
    cells = np.concatenate([votes.first * size + votes.second, votes.second * size + votes.first])
    outcomes = np.concatenate([votes.outcomes, 1 - votes.outcomes])
    of_units = csr_matrix((outcomes, (cells, np.tile(units, 2))), shape=(size * size, weights.shape[1]))
    wins: Floats = (of_units @ weights.T).T.reshape(len(weights), size, size)
    return wins


def _are_connected(wins: Floats) -> Bools:
    """Returns in which resamples every system has won against every other one, directly or through others."""
    size = wins.shape[1]
    reached = ((wins > 0) | np.eye(size, dtype=bool)).astype(np.float32)
    for _ in range(max(1, math.ceil(math.log2(size)))):
        reached = (reached @ reached > 0).astype(np.float32)
    return np.asarray((reached > 0).all(axis=(1, 2)), dtype=np.bool_)


def _newton(wins: Floats, ridge: float) -> Floats:
    """Takes Newton steps until all resamples have converged; NaN for those that do not."""
    from scipy.special import expit

    counts = wins + wins.transpose(0, 2, 1)
    size, strengths = wins.shape[1], np.zeros(wins.shape[:2])
    for _ in range(_MAX_STEPS):
        p = expit(strengths[:, :, None] - strengths[:, None, :])
        gradient = (wins - counts * p).sum(axis=2) - ridge * strengths
        weights = counts * p * (1 - p)
        diagonal = weights.sum(axis=2) + ridge
        information = diagonal.mean(axis=1)[:, None, None] / size - weights  # adds a multiple of the mean strength
        information[:, range(size), range(size)] += diagonal
        try:
            step = np.linalg.solve(information, gradient[:, :, None])[:, :, 0]
        except np.linalg.LinAlgError:  # one resample is singular
            break
        strengths += step
        if not np.abs(step).max(initial=0) >= MIN_STEP:
            break
    strengths[~(np.abs(step).max(axis=1, initial=0) < MIN_STEP)] = math.nan
    return strengths
