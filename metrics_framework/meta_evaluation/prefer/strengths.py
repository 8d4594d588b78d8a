"""`bradley_terry`: the strengths of systems from votes between two outputs, and their ranks with intervals.

The Bradley–Terry model is fitted by maximum likelihood, with Newton's method. A row is a vote, or all votes between two
systems. With x = e_first − e_second for the strengths θ and covariates z, the probability that the first system wins is
p = 1 / (1 + exp(−(θ·x + β·z))).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, Literal

import numpy as np

from metrics_framework.common.arrays import Floats, Indices
from metrics_framework.common.errors import InputError, UnknownChoiceError, UnknownNameError, listed_names, printable
from metrics_framework.data.texts import is_list, shown
from metrics_framework.meta_evaluation.prefer.request import SCALES, Scale, check_scale
from metrics_framework.meta_evaluation.prefer.votes import OUTCOMES, side_of_word
from metrics_framework.significance.confidence_level import as_fraction
from metrics_framework.significance.interval_methods import Interval, student_interval
from metrics_framework.significance.multiple_testing import CORRECTIONS, Rank, is_significant, ranked

_MAX_STEPS = 100
MIN_STEP = 1e-9  # convergence is quadratic: the step after it is below rounding
_MAX_VARIANCE = 1e10  # of an estimate: without a maximum, it grows without limit
_NO_ERROR = 1e-9
"""A standard error that can only come from rounding: the votes of all clusters agree, or all votes are ties."""


@dataclass(frozen=True, eq=False)
class BradleyTerry:
    """Strengths of systems with their errors.

    Args:
        systems: The names of the systems, in the order in which the votes name them.
        strengths: θ of each system on the natural scale, with mean 0, shape (systems,).
        standard_errors: Sandwich errors of the strengths, from the scores of votes or of clusters; NaN if all votes are
            in one cluster.
        coefficients: β of each covariate, in standard deviations of the covariate, shape (covariates,).
        coefficient_errors: Sandwich errors of the coefficients.
        covariates: The names of the covariates.
        covariance: The sandwich covariance of the strengths, shape (systems, systems).
        model_covariance: The inverse of the information: right if the model is, and votes are independent.
        votes: The number of votes.
        clusters: The number of clusters; `None` if each vote is one.
        ridge: The weight of the penalty.
    """

    systems: tuple[str, ...]
    strengths: Floats
    standard_errors: Floats
    coefficients: Floats
    coefficient_errors: Floats
    covariates: tuple[str, ...]
    covariance: Floats
    model_covariance: Floats
    votes: int
    clusters: int | None = None
    ridge: float = 0.0

    def relative_to(self, system: str, *, errors: Literal["sandwich", "model"] = "sandwich") -> tuple[Floats, Floats]:
        """Returns the differences of all strengths to that of one system, and their standard errors.

        Args:
            system: The system whose strength is set to 0.
            errors: Whether the errors are ``sandwich`` errors, or those of the ``model``.

        Raises:
            UnknownNameError: if there is no such system.
        """
        if system not in self.systems:
            raise UnknownNameError("system", system, self.systems)
        if errors not in ("sandwich", "model"):
            raise UnknownChoiceError("errors", errors, ("sandwich", "model"))
        index = self.systems.index(system)
        differences = difference_errors(self.covariance if errors == "sandwich" else self.model_covariance)
        return self.strengths - self.strengths[index], differences[index]

    @property
    def degrees_of_freedom(self) -> int:
        """The number of clusters, or else of votes, minus 1."""
        return (self.votes if self.clusters is None else self.clusters) - 1

    def interval(self, value: float, error: float, confidence: float = 95) -> Interval:
        """Returns the interval of a strength or a coefficient with Student's quantile of `degrees_of_freedom`."""
        return student_interval(value, error, (1 + as_fraction(confidence)) / 2, self.degrees_of_freedom)

    def intervals(self, confidence: float = 95, scale: Scale = "natural") -> tuple[Floats, Floats, Floats]:
        """Returns the strengths on a scale, and the lower and upper ends of their intervals.

        The ends are the strength ∓ t · error, with the quantile t of Student's distribution with `degrees_of_freedom`:
        sandwich errors of few clusters vary, and normal intervals are too short.

        Args:
            confidence: The confidence level, a fraction or in percent.
            scale: ``natural``, or ``arena``: 1000 + θ · 400 / ln 10, on which 400 points are odds of 10 to 1.

        Raises:
            UnknownChoiceError: if there is no such scale.
        """
        check_scale(scale)
        mean, unit = SCALES[scale]
        values, errors = mean + unit * self.strengths, unit * self.standard_errors
        pairs = zip(values.tolist(), errors.tolist(), strict=True)
        ends = [self.interval(value, error, confidence).numbers[1:] for value, error in pairs]
        return values, *np.reshape(ends, (-1, 2)).T


def difference_errors(covariance: Floats) -> Floats:
    """Returns the standard error of each difference of two strengths, shape (systems, systems)."""
    variances = np.diag(covariance)
    squares: Floats = variances[:, None] + variances[None, :] - covariance - covariance.T
    errors: Floats = np.sqrt(np.maximum(squares, 0))
    np.fill_diagonal(errors, 0)
    return errors


def bradley_terry(
    votes: Iterable[tuple[str, str, str | float]],
    *,
    covariates: Mapping[str, Any] | Sequence[Any] | Floats | None = None,
    clusters: Sequence[Hashable] | None = None,
    ridge: float = 0.0,
) -> BradleyTerry:
    """Estimates the strengths of systems from votes by maximum likelihood.

    System a wins against b with probability 1 / (1 + exp(θ_b − θ_a − β·z)). A tie is half a win for both. Errors are
    sandwich errors V (Σ u uᵀ) V: V is the pseudo-inverse of the information, u the score of a vote or of all votes in a
    cluster.

    Args:
        votes: Triples of two systems and the winner: ``a`` (the first), ``b`` (the second) or ``tie``; or the share of
            the first in a soft vote, a float from 0 to 1.
        covariates: What else may decide a vote, by name: for each vote a number (positive if it favours the first
            output), or two numbers such as the lengths of both outputs, of which (a − b)/(a + b) is used. An array
            has shape (votes,) or (votes, covariates). Each is divided by its standard deviation. Strengths are then
            those of outputs with equal covariates.
        clusters: The cluster of each vote, such as its input: votes of one cluster are not independent.
        ridge: λ of a penalty λ/2 · Σθ², a normal prior with variance 1/λ, which makes strengths finite when the votes
            do not determine them, and pulls them together.

    Raises:
        InputError: if an argument is invalid, or the votes do not determine the strengths: then the message names the
            groups of systems within which they do.

    Source: Bradley and Terry (Biometrika, 1952); Agresti, Categorical Data Analysis (2002), Section 10.6.

    >>> result = bradley_terry([("x", "y", "a"), ("x", "y", "a"), ("x", "y", "b")])
    >>> result.systems, [round(float(strength), 6) for strength in result.strengths]  # odds of 2 to 1
    (('x', 'y'), [0.346574, -0.346574])
    """
    triples = list(votes)
    arrays = vote_arrays(triples, covariates, clusters)
    return strengths_of(arrays, list(dict.fromkeys(str(name) for vote in triples for name in vote[:2])), ridge)


def strengths_of(votes: VoteArrays, systems: Sequence[str], ridge: float = 0.0) -> BradleyTerry:
    """Estimates the strengths of systems from votes as arrays.

    Args:
        votes: The votes.
        systems: The systems in the order of the result.
        ridge: The weight of the penalty.

    Raises:
        InputError: see `bradley_terry`.
    """
    if not (math.isfinite(ridge) and ridge >= 0):
        raise InputError(f"'ridge' must be a number that is not negative, got {ridge!r}")
    if not ridge or len(votes.systems) < 2:
        check_connected(votes)
    rows = Rows.of(votes)
    parameters = maximum(rows, ridge)
    p = _probabilities(rows, parameters)
    inverse = _inverse(rows, p, ridge)
    is_clustered = votes.clusters is not None and votes.cluster_count < len(votes.clusters)
    scores = _scores_of_clusters(votes, parameters) if is_clustered else _scores_of_votes(rows, p)
    covariance = inverse @ scores @ inverse
    size = len(votes.systems)
    order = np.array([votes.systems.index(system) for system in systems])
    errors = np.sqrt(np.maximum(np.diag(covariance), 0))
    return BradleyTerry(
        systems=tuple(systems),
        strengths=parameters[:size][order],
        standard_errors=errors[:size][order],
        coefficients=parameters[size:],
        coefficient_errors=errors[size:],
        covariates=votes.covariate_names,
        covariance=covariance[np.ix_(order, order)],
        model_covariance=inverse[np.ix_(order, order)],
        votes=len(votes.outcomes),
        clusters=None if votes.clusters is None else votes.cluster_count,
        ridge=ridge,
    )


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


def _probabilities(rows: Rows, parameters: Floats) -> Floats:
    from scipy.special import expit

    return np.asarray(expit(rows.log_odds(parameters)))


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
    return np.asarray((scores.T @ scores).toarray())


def p_values(model: BradleyTerry, correction: str = "holm") -> Floats:
    """Computes the two-sided p-value of each difference of two strengths, shape (systems, systems).

    t is the difference over its standard error, compared with Student's distribution with the degrees of freedom of the
    model. p is NaN on the diagonal, and where the standard error is 0 or
    undefined.

    Args:
        model: The strengths.
        correction: The correction for the number of pairs, a key of `CORRECTIONS`.

    Raises:
        UnknownChoiceError: if there is no such correction.
    """
    from scipy.special import stdtr

    if correction not in CORRECTIONS:
        raise UnknownChoiceError("correction", correction, CORRECTIONS)
    differences = model.strengths[:, None] - model.strengths[None, :]
    errors = difference_errors(model.covariance)
    tested = errors > _NO_ERROR
    t = np.divide(np.abs(differences), errors, out=np.full_like(errors, np.nan), where=tested)
    upper = np.triu_indices(len(errors), 1)
    adjusted = np.full_like(errors, np.nan)
    adjusted[upper] = CORRECTIONS[correction](list(2 * stdtr(model.degrees_of_freedom, -t[upper])))
    adjusted.T[upper] = adjusted[upper]
    return adjusted


def ranks(model: BradleyTerry, confidence: float = 95, correction: str = "holm") -> list[Rank]:
    """Returns the rank of each system with an interval, in the order of its systems.

    With Holm's correction, all intervals hold the true ranks at once with the given confidence.

    Args:
        model: The strengths.
        confidence: The confidence level, a fraction or in percent.
        correction: The correction for the number of pairs, a key of `CORRECTIONS`.

    Raises:
        UnknownChoiceError: if there is no such correction.

    Source: Mogstad, Romano, Shaikh and Wilhelm (Review of Economic Studies, 2024).

    >>> from metrics_framework.meta_evaluation import bradley_terry
    >>> votes = [("x", "y", "a")] * 30 + [("x", "y", "b")] * 5 + [("y", "z", "tie")] * 6
    >>> ranks(bradley_terry(votes))
    [Rank(cluster=1, best=1, worst=1), Rank(cluster=2, best=2, worst=3), Rank(cluster=2, best=2, worst=3)]
    """
    alpha, strengths = 1 - as_fraction(confidence), model.strengths.tolist()
    p = p_values(model, correction).tolist()
    order = sorted(range(len(p)), key=lambda system: -strengths[system])
    beats = [[strengths[i] > strengths[j] and is_significant(p[i][j], alpha) for j in order] for i in order]
    found = dict(zip(order, ranked(beats), strict=True))
    return [found[system] for system in range(len(p))]


@dataclass(frozen=True, eq=False)
class VoteArrays:
    """Votes in canonical order, so that sums do not depend on the order of rows.

    Args:
        systems: The names of the systems, sorted.
        first: The index of the first system of each vote, shape (votes,); always below that of the second.
        second: The index of the second system.
        outcomes: What the first system scores: 1 for a win, ½ for a tie, 0 for a loss.
        covariates: The standardized covariates, shape (votes, covariates), from the side of the first system.
        covariate_names: The names of the covariates.
        clusters: The cluster of each vote, numbered from 0; `None` if each vote is one.
    """

    systems: tuple[str, ...]
    first: Indices
    second: Indices
    outcomes: Floats
    covariates: Floats
    covariate_names: tuple[str, ...] = ()
    clusters: Indices | None = None

    @property
    def cluster_count(self) -> int:
        """The number of clusters; the number of votes without clusters."""
        if self.clusters is None:
            return len(self.outcomes)
        return int(self.clusters.max()) + 1 if len(self.clusters) else 0


def vote_arrays(
    votes: Iterable[tuple[str, str, str | float]],
    covariates: Mapping[str, Any] | Sequence[Any] | Floats | None = None,
    clusters: Sequence[Hashable] | None = None,
) -> VoteArrays:
    """Checks votes and returns them as arrays.

    Args:
        votes: The two systems, and the winner: ``a``, ``b`` or ``tie``, or the share of the first.
        covariates: See `bradley_terry`.
        clusters: The cluster of each vote, such as its input.

    Raises:
        InputError: if a vote is invalid, or the other arguments do not have one entry for each vote.
    """
    rows = list(votes)
    for index, row in enumerate(rows):
        if not (isinstance(row, (tuple, list)) or is_list(row)) or len(row) != 3:
            raise InputError(f"'votes[{index}]' must be two systems and a winner, got {shown(row)}")
    first_names, second_names, words = zip(*rows, strict=True) if rows else ((), (), ())
    systems = tuple(sorted({str(name) for name in {*first_names, *second_names}}))
    numbers = {name: number for number, name in enumerate(systems)}
    first, second = (np.array([numbers[str(name)] for name in names], np.intp) for names in (first_names, second_names))
    if (first == second).any():
        index = int(np.argmax(first == second))
        raise InputError(f"'votes[{index}]' must be between two systems, got '{first_names[index]}' twice")
    names, columns = _columns(covariates, len(rows))
    outcomes = np.fromiter(map(_outcome, words, count()), dtype=np.float64, count=len(words))
    return in_canonical_order(VoteArrays(systems, first, second, outcomes, columns, names, _codes(clusters, len(rows))))


def _outcome(word: Any, index: int) -> float:
    if isinstance(word, float) and 0 <= word <= 1:
        return word
    side = side_of_word(word) if isinstance(word, str) else None
    if side is None:
        raise InputError(f"the winner of 'votes[{index}]' must be 'a', 'b', 'tie' or a share, got {shown(word)}")
    return OUTCOMES[side]


def _codes(clusters: Sequence[Hashable] | None, count: int) -> Indices | None:
    """Numbers clusters in the order of their names."""
    if clusters is None:
        return None
    labels = list(clusters)
    if len(labels) != count:
        raise InputError(f"'clusters' must have one label for each of the {count} votes, got {len(labels)}")
    numbers = {label: number for number, label in enumerate(sorted(set(labels), key=lambda label: repr(label)))}
    return np.array([numbers[label] for label in labels], dtype=np.intp)


def in_canonical_order(votes: VoteArrays) -> VoteArrays:
    """Swaps votes so that the first system has the lower index, and sorts them."""
    swapped = votes.first > votes.second
    first, second = np.minimum(votes.first, votes.second), np.maximum(votes.first, votes.second)
    outcomes = np.where(swapped, 1 - votes.outcomes, votes.outcomes)
    covariates = np.where(swapped[:, None], -votes.covariates, votes.covariates)
    keys = [*covariates.T, outcomes, second, first]
    if votes.clusters is not None:
        keys.append(votes.clusters)
    order = np.lexsort(keys)
    return replace(
        votes,
        first=first[order],
        second=second[order],
        outcomes=outcomes[order],
        covariates=covariates[order],
        clusters=None if votes.clusters is None else votes.clusters[order],
    )


def _columns(covariates: Any, count: int) -> tuple[tuple[str, ...], Floats]:
    """Returns the names of the covariates, and their standardized differences, shape (votes, covariates)."""
    if covariates is None:
        return (), np.empty((count, 0))
    if not isinstance(covariates, Mapping):
        values = np.asarray(covariates, dtype=np.float64)
        columns = values[:, None] if values.ndim == 1 else values
        if columns.ndim != 2 or len(columns) != count:
            raise InputError(f"'covariates' must have shape ({count},) or ({count}, covariates), got {values.shape}")
        covariates = {f"covariate {number}": column for number, column in enumerate(columns.T, 1)}
    names = tuple(map(str, covariates))
    standardized = [_standardized(name, values, count) for name, values in covariates.items()]
    return names, np.column_stack(standardized) if names else np.empty((count, 0))


def _standardized(name: str, values: Any, count: int) -> Floats:
    """Divides differences by their standard deviation over the votes; the mean is not subtracted."""
    numbers = np.asarray(values, dtype=np.float64)
    if numbers.shape == (count, 2):
        numbers = relative_difference(numbers[:, 0], numbers[:, 1], name)
    if numbers.shape != (count,):
        raise InputError(f"covariate '{name}' must have shape ({count},) or ({count}, 2), got {numbers.shape}")
    if not np.isfinite(numbers).all():
        raise InputError(f"covariate '{name}' must be finite; vote {int(np.argmin(np.isfinite(numbers)))} is not")
    deviation = float(np.sqrt(np.mean((numbers - numbers.mean()) ** 2)))
    if not deviation > 1e-12 * float(np.abs(numbers).max(initial=0)):
        raise InputError(f"covariate '{name}' is constant over all votes, so its effect cannot be estimated")
    return numbers / deviation


def relative_difference(first: Floats, second: Floats, name: str) -> Floats:
    """Computes (a − b) / (a + b) of two non-negative columns; 0 where both are 0.

    Raises:
        InputError: if a value is negative or not finite.
    """
    if not (np.isfinite(first).all() and np.isfinite(second).all() and (first >= 0).all() and (second >= 0).all()):
        raise InputError(f"covariate '{name}' must have values that are not negative, for both systems of each vote")
    total = first + second
    return np.divide(first - second, total, out=np.zeros_like(total), where=total > 0)


class UndeterminedError(InputError):
    """The votes do not determine the strengths."""


def win_matrix(votes: VoteArrays) -> Floats:
    """Counts the wins of each system (row) over each other system (column); a tie is half a win for both."""
    size = len(votes.systems)
    won = np.bincount(votes.first * size + votes.second, weights=votes.outcomes, minlength=size * size)
    lost = np.bincount(votes.second * size + votes.first, weights=1 - votes.outcomes, minlength=size * size)
    return np.asarray(won + lost, dtype=np.float64).reshape(size, size)


def groups(wins: Floats) -> list[list[int]]:
    """Returns the strongly connected groups of systems, those with more wins than losses first.

    Within a group, every system has won against every other one, directly or through others.
    """
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    _, labels = connected_components(csr_matrix(wins > 0), directed=True, connection="strong")
    members: dict[int, list[int]] = {}
    for system, label in enumerate(labels):
        members.setdefault(int(label), []).append(system)
    balance = wins.sum(axis=1) - wins.sum(axis=0)
    return sorted(members.values(), key=lambda part: (-float(balance[part].mean()), part[0]))


def check_connected(votes: VoteArrays) -> None:
    """Checks that the maximum likelihood exists.

    Raises:
        UndeterminedError: if it does not, naming the groups of systems and what separates them.
    """
    if len(votes.systems) < 2:
        raise UndeterminedError(f"votes between at least two systems are needed, got {len(votes.systems)} systems")
    wins = win_matrix(votes)
    parts = groups(wins)
    if len(parts) == 1:
        return
    described = " | ".join(_described(part, votes) for part in parts)
    raise UndeterminedError(
        f"the votes do not determine the strengths: {_reason(wins, parts, votes)}",
        f"groups within which they are determined: {described}",
        "rank each group on its own, add votes between the groups, or use a ridge",
    )


def _reason(wins: Floats, parts: list[list[int]], votes: VoteArrays) -> str:
    for part in parts:
        rest = [system for other in parts if other is not part for system in other]
        won, lost = wins[np.ix_(part, rest)].sum() > 0, wins[np.ix_(rest, part)].sum() > 0
        if won != lost:
            return f"{_described(part, votes)} {'never lost to' if won else 'never won against'} any other system"
        if not won:
            return f"there are no votes between {_described(part, votes)} and the other systems"
    return "there is no chain of wins from every system to every other one"


def _described(part: list[int], votes: VoteArrays) -> str:
    return listed_names([printable(votes.systems[system]) for system in part])
