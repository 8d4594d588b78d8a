"""Intervals of coefficients on the scale of Fisher's transformation, artanh."""

from __future__ import annotations

import math
from typing import TypeAlias

Ends: TypeAlias = tuple[float, float]
UNDEFINED: Ends = (math.nan, math.nan)


def fisher_ends(value: float, standard_error: float, tail: float) -> Ends:
    """Returns tanh(artanh r ± z_{1−tail}·s).

    Args:
        value: The coefficient r.
        standard_error: The standard error s of artanh r; NaN if undefined.
        tail: The share of the distribution beyond each end.

    Returns:
        Both ends; NaN if the coefficient is undefined or ±1.

    >>> [round(end, 6) for end in fisher_ends(0.5, 1 / math.sqrt(28 - 3), 0.025)]
    [0.156028, 0.735818]
    """
    from scipy.special import ndtri

    if not abs(value) < 1 or math.isnan(standard_error):
        return UNDEFINED
    centre, half_width = math.atanh(value), float(ndtri(1 - tail)) * standard_error
    return math.tanh(centre - half_width), math.tanh(centre + half_width)


def fieller_error(points: int) -> float:
    """Returns the standard error √(.437/(n − 4)) of artanh τ; NaN for fewer than five points.

    Source: Fieller, Hartley and Pearson (Biometrika, 1957); the constant as in Bonett and Wright (2000).
    """
    return math.sqrt(0.437 / (points - 4)) if points > 4 else math.nan


def shrunken_fieller(tau: float, pairs: float, systems: int, tail: float) -> Ends:
    """Returns Fieller's interval of t = τ·P/(P + 1), for few systems.

    Args:
        tau: Kendall's τ.
        pairs: The number of pairs of systems P that neither score ties.
        systems: The number of systems.
        tail: The share of the distribution beyond each end.

    >>> [round(end, 6) for end in shrunken_fieller(1.0, 15, 6, 0.025)]
    [0.6645, 0.989728]
    """
    return fisher_ends(tau * pairs / (pairs + 1), fieller_error(systems), tail) if pairs else UNDEFINED


def bonett_wright_error(rho: float, points: int) -> float:
    """Returns the standard error √((1 + ρ²/2)/(n − 3)) of artanh ρ; NaN for fewer than four points.

    Source: Bonett and Wright (Psychometrika, 2000).
    """
    return math.sqrt((1 + rho**2 / 2) / (points - 3)) if points > 3 else math.nan


def shrunken_bonett_wright(rho: float, systems: int, tail: float) -> Ends:
    """Returns Bonett and Wright's interval of k = ρ·m/(m + 4), m = S(S² − 1)/3, for few systems S.

    Args:
        rho: Spearman's ρ.
        systems: The number of systems S.
        tail: The share of the distribution beyond each end.

    >>> [round(end, 6) for end in shrunken_bonett_wright(1.0, 6, 0.025)]
    [0.405629, 0.996357]
    """
    m = systems * (systems**2 - 1) / 3
    k = rho * m / (m + 4)
    return fisher_ends(k, bonett_wright_error(k, systems), tail)
