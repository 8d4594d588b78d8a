"""Maximum likelihood of the Bradley–Terry model by Newton's method, and the errors of its estimates.

A row is a vote, or all votes between two systems. With x = e_first − e_second for the strengths θ and covariates z, the
probability that the first system wins is p = 1 / (1 + exp(−(θ·x + β·z))).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metrics_framework.common.arrays import Floats, Indices
from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation.prefer.vote_arrays import VoteArrays
from metrics_framework.meta_evaluation.prefer.wins import UndeterminedError

_MAX_STEPS = 100
MIN_STEP = 1e-9  # convergence is quadratic: the step after it is below rounding
_MAX_VARIANCE = 1e10  # of an estimate: without a maximum, it grows without limit


@dataclass(frozen=True, eq=False)
class Rows:
    """Votes, or votes summed over pairs of systems.

    Args:
        systems: The number of systems S.
        first: The index of the first system, shape (rows,).
        second: The index of the second system.
        wins: The sum of the outcomes of the first system.
        squares: The sum of the squared outcomes.
        counts: The number of votes.
        covariates: Shape (rows, covariates).
    """

    systems: int
    first: Indices
    second: Indices
    wins: Floats
    squares: Floats
    counts: Floats
    covariates: Floats

    @classmethod
    def of(cls, votes: VoteArrays, weights: Floats | None = None) -> Rows:
        """Sums votes, each as often as its weight says, over pairs of systems, unless they have covariates."""
        first, second, outcomes = votes.first, votes.second, votes.outcomes
        systems, counts = len(votes.systems), np.ones(len(outcomes)) if weights is None else weights
        numbers = counts * outcomes, counts * outcomes**2, counts
        if votes.covariate_names:
            return cls(systems, first, second, *numbers, votes.covariates)
        pairs = first * systems + second
        seen = np.flatnonzero(np.bincount(pairs, minlength=1))
        wins, squares, counts = (_sums(pairs, values)[seen] for values in numbers)
        return cls(systems, seen // systems, seen % systems, wins, squares, counts, np.empty((len(seen), 0)))

    def log_odds(self, parameters: Floats) -> Floats:
        """Returns θ_first − θ_second + β·z, shape (rows,)."""
        strengths = parameters[: self.systems]
        odds: Floats = strengths[self.first] - strengths[self.second]
        return odds + self.covariates @ parameters[self.systems :]

    def gradient(self, residuals: Floats) -> Floats:
        """Sums residuals times (x, z) over rows, shape (systems + covariates,)."""
        size = self.systems
        strengths = _sums(self.first, residuals, size) - _sums(self.second, residuals, size)
        return np.concatenate([strengths, self.covariates.T @ residuals])

    def products(self, weights: Floats) -> Floats:
        """Sums weights times (x, z)(x, z)ᵀ over rows, a square matrix of systems and covariates."""
        size, count = self.systems, self.covariates.shape[1]
        matrix = np.zeros((size + count, size + count))
        pairs = _sums(self.first * size + self.second, weights, size * size)
        between = pairs.reshape(size, size)
        between = between + between.T
        matrix[:size, :size] = np.diag(between.sum(axis=1)) - between
        for index, column in enumerate(self.covariates.T, size):
            products = self.gradient(weights * column)
            matrix[index], matrix[:, index] = products, products
        return matrix


def _sums(groups: Indices, weights: Floats, size: int = 0) -> Floats:
    return np.bincount(groups, weights=weights, minlength=size).astype(np.float64, copy=False)


@dataclass(frozen=True, eq=False)
class Fit:
    """Estimates with their covariances.

    Args:
        parameters: The strengths, of mean 0, and then the coefficients of the covariates.
        model_covariance: The inverse of the information, for strengths of mean 0.
        covariance: The sandwich covariance, from the scores of single votes or of clusters; NaN with a single cluster.
    """

    parameters: Floats
    model_covariance: Floats
    covariance: Floats


def fit(votes: VoteArrays, ridge: float) -> Fit:
    """Maximizes the likelihood minus ridge/2 · Σθ².

    Args:
        votes: The votes; without a ridge, the graph of wins must be strongly connected.
        ridge: The weight of the penalty; 0 for none.

    Raises:
        UndeterminedError: if covariates separate wins from losses, so that the likelihood has no maximum.
    """
    rows = Rows.of(votes)
    parameters = maximum(rows, ridge)
    p = _probabilities(rows, parameters)
    inverse = _inverse(rows, p, ridge)
    scores = _scores_of_clusters(votes, parameters) if votes.clusters is not None else _scores_of_votes(rows, p)
    return Fit(parameters, inverse, inverse @ scores @ inverse)


def _probabilities(rows: Rows, parameters: Floats) -> Floats:
    from scipy.special import expit

    p: Floats = expit(rows.log_odds(parameters))
    return p


def maximum(rows: Rows, ridge: float) -> Floats:
    """Returns the strengths and coefficients that maximize the likelihood minus ridge/2 · Σθ².

    Raises:
        UndeterminedError: if the likelihood has no maximum.
    """
    parameters = np.zeros(rows.systems + rows.covariates.shape[1])
    best = _objective(rows, parameters, ridge)
    for _ in range(_MAX_STEPS):
        p = _probabilities(rows, parameters)
        gradient = rows.gradient(rows.wins - rows.counts * p)
        gradient[: rows.systems] -= ridge * parameters[: rows.systems]
        inverse = _inverse(rows, p, ridge)
        if not np.diag(inverse).max() < _MAX_VARIANCE:
            break
        step = inverse @ gradient
        parameters, best = _improved(rows, parameters, step, best, ridge)
        if np.abs(step).max() < MIN_STEP:
            return parameters
    raise UndeterminedError(
        "the strengths have no maximum likelihood: the covariates, or very rare losses, separate wins from losses; "
        "use fewer covariates, or a ridge"
    )


def _objective(rows: Rows, parameters: Floats, ridge: float) -> float:
    odds = rows.log_odds(parameters)
    likelihood = rows.wins @ odds - rows.counts @ np.logaddexp(0, odds)
    return float(likelihood - ridge / 2 * np.sum(parameters[: rows.systems] ** 2))


def _improved(rows: Rows, parameters: Floats, step: Floats, best: float, ridge: float) -> tuple[Floats, float]:
    """Halves a step until it does not lower the objective by more than rounding."""
    while True:
        moved = parameters + step
        reached = _objective(rows, moved, ridge)
        if reached >= best - 1e-9 * abs(best) or np.abs(step).max() < MIN_STEP:
            return moved, max(reached, best)
        step = step / 2


def _inverse(rows: Rows, p: Floats, ridge: float) -> Floats:
    """Inverts the information on strengths of mean 0.

    The information is singular in the direction of equal strengths; adding the mean square of its diagonal there, and
    subtracting the inverse again, gives its pseudo-inverse.
    """
    information = rows.products(rows.counts * p * (1 - p))
    size = rows.systems
    information[:size, :size] += ridge * np.eye(size)
    weight = float(np.trace(information[:size, :size])) / size or 1.0
    information[:size, :size] += weight / size
    try:
        inverse = np.asarray(np.linalg.inv(information), dtype=np.float64)
    except np.linalg.LinAlgError:
        raise InputError("the covariates depend on each other linearly, or on the systems; leave one out") from None
    inverse[:size, :size] -= 1 / (size * (weight + ridge))
    return inverse


def _scores_of_votes(rows: Rows, p: Floats) -> Floats:
    """Sums u·uᵀ over votes, with u = (y − p)·(x, z)."""
    means = rows.wins / rows.counts
    spread = rows.squares - rows.wins * means
    return rows.products(np.maximum(spread, 0) + rows.counts * (means - p) ** 2)


def _scores_of_clusters(votes: VoteArrays, parameters: Floats) -> Floats:
    """Sums u·uᵀ over clusters, with u the sum of (y − p)·(x, z) over the votes of a cluster."""
    from scipy.sparse import csr_matrix

    clusters, size = votes.clusters, len(votes.systems)
    if clusters is None or votes.cluster_count < 2:  # the scores of one cluster sum to 0 at the maximum
        return np.full((len(parameters), len(parameters)), np.nan)
    ones = np.ones(len(clusters))
    rows = Rows(size, votes.first, votes.second, votes.outcomes, votes.outcomes**2, ones, votes.covariates)
    residuals = votes.outcomes - _probabilities(rows, parameters)
    columns = np.arange(size, len(parameters))
    values = [residuals, -residuals, *(residuals[:, None] * votes.covariates).T]
    indices = [votes.first, votes.second, *(np.full(len(clusters), column) for column in columns)]
    places = (np.tile(clusters, len(values)), np.concatenate(indices))
    scores = csr_matrix((np.concatenate(values), places), shape=(votes.cluster_count, len(parameters)))
    products: Floats = (scores.T @ scores).toarray()
    return products
