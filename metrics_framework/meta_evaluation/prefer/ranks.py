"""Ranks of systems with intervals, from tests of all pairs of strengths."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.common.errors import UnknownChoiceError
from metrics_framework.meta_evaluation.prefer.strengths import BradleyTerry, difference_errors
from metrics_framework.significance.confidence_level import as_fraction
from metrics_framework.significance.multiple_testing import CORRECTIONS, is_significant

_NO_ERROR = 1e-9
"""A standard error that can only come from rounding: the votes of all clusters agree, or all votes are ties."""


class Rank(NamedTuple):
    """The rank of a system, 1 for the best.

    Attributes:
        best: 1 + the number of systems that are significantly stronger.
        worst: The number of systems, minus the number of those that are significantly weaker.
    """

    best: int
    worst: int


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
    [Rank(best=1, worst=1), Rank(best=2, worst=3), Rank(best=2, worst=3)]
    """
    alpha = 1 - as_fraction(confidence)
    p = p_values(model, correction)
    differs = np.array([[is_significant(value, alpha) for value in row] for row in p.tolist()])
    higher = model.strengths[None, :] > model.strengths[:, None]
    best = 1 + (differs & higher).sum(axis=1)
    worst = len(p) - (differs & ~higher).sum(axis=1)
    return [Rank(int(first), int(last)) for first, last in zip(best, worst, strict=True)]
