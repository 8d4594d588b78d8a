"""`bradley_terry`: the strengths of systems from votes between two outputs."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.common.errors import InputError, UnknownChoiceError, UnknownNameError, UsageError
from metrics_framework.meta_evaluation.prefer.fitting import fit
from metrics_framework.meta_evaluation.prefer.vote_arrays import VoteArrays, vote_arrays
from metrics_framework.meta_evaluation.prefer.wins import check_connected
from metrics_framework.significance.confidence_level import as_fraction

Scale = Literal["natural", "arena"]
SCALES: dict[Scale, tuple[float, float]] = {"natural": (0.0, 1.0), "arena": (1000.0, 400 / math.log(10))}
"""The scales by name: the mean of the strengths, and the length of the unit of the natural scale."""


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

    def quantile(self, confidence: float = 95) -> float:
        """Returns the quantile of Student's distribution for intervals; NaN without degrees of freedom.

        Args:
            confidence: The confidence level, a fraction or in percent.
        """
        from scipy.special import stdtrit

        fraction = as_fraction(confidence)
        return float(stdtrit(self.degrees_of_freedom, (1 + fraction) / 2)) if self.degrees_of_freedom else math.nan

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
        half_width = unit * self.quantile(confidence) * self.standard_errors
        value = mean + unit * self.strengths
        return value, value - half_width, value + half_width


def check_scale(scale: str) -> None:
    """Checks the name of a scale.

    Raises:
        UnknownChoiceError: if there is no such scale.
        UsageError: for Elo ratings, with the reason why they are not offered.
    """
    if scale.lower() == "elo":
        raise UsageError(
            "Elo ratings are updated vote by vote, so they depend on the order of the votes; use the scale 'arena', "
            "which has the same units (400 points are odds of 10 to 1) and does not"
        )
    if scale not in SCALES:
        raise UnknownChoiceError("scale", scale, SCALES)


def difference_errors(covariance: Floats) -> Floats:
    """Returns the standard error of each difference of two strengths, shape (systems, systems)."""
    variances = np.diag(covariance)
    squares: Floats = variances[:, None] + variances[None, :] - covariance - covariance.T
    errors: Floats = np.sqrt(np.maximum(squares, 0))
    np.fill_diagonal(errors, 0)
    return errors


def bradley_terry(
    votes: Iterable[tuple[str, str, str]],
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
        votes: Triples of two systems and the winner: ``a`` (the first), ``b`` (the second) or ``tie``.
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
    return strengths_of(vote_arrays(triples, covariates, clusters), _in_order_of_appearance(triples), ridge)


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
    fitted = fit(votes, ridge)
    size = len(votes.systems)
    order = np.array([votes.systems.index(system) for system in systems])
    covariance = fitted.covariance[np.ix_(order, order)]
    errors = np.sqrt(np.maximum(np.diag(fitted.covariance), 0))
    return BradleyTerry(
        systems=tuple(systems),
        strengths=fitted.parameters[:size][order],
        standard_errors=errors[:size][order],
        coefficients=fitted.parameters[size:],
        coefficient_errors=errors[size:],
        covariates=votes.covariate_names,
        covariance=covariance,
        model_covariance=fitted.model_covariance[np.ix_(order, order)],
        votes=len(votes.outcomes),
        clusters=None if votes.clusters is None else votes.cluster_count,
        ridge=ridge,
    )


def _in_order_of_appearance(votes: Iterable[tuple[str, str, str]]) -> list[str]:
    return list(dict.fromkeys(str(name) for vote in votes for name in vote[:2]))
