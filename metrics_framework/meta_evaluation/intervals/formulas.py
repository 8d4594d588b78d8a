"""Formulas of confidence intervals: Fisher's transformation, percentiles, BCa and the jackknife."""

from __future__ import annotations

import math

import numpy as np

from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation.names import ACCURACIES
from metrics_framework.significance.arrays import Floats

Ends = tuple[float, float]
UNDEFINED: Ends = (math.nan, math.nan)
FISHER_COEFFICIENTS = ("pearson", "spearman", "kendall-a", "kendall-b", "kendall-c")
"""The coefficients for which Fisher's transformation is known to be nearly normal."""


def fisher_interval(name: str, value: float, points: int, tail: float) -> Ends:
    """Computes the interval tanh(artanh r ± z_{1−tail}·c/√(n−b)) of a coefficient.

    (b, c) is (3, 1) for Pearson, (3, √(1+ρ²/2)) for Spearman and (4, √.437) for Kendall's τ (Bonett and Wright, 2000).

    Args:
        name: A name of `FISHER_COEFFICIENTS`.
        value: The coefficient.
        points: The number of points n.
        tail: The fraction of the distribution beyond each end.

    Returns:
        Both ends; NaN if the formula is undefined: for too few points, an undefined value, or ±1.

    Raises:
        InputError: for other coefficients.

    >>> [round(end, 6) for end in fisher_interval("pearson", 0.5, 28, 0.025)]
    [0.156028, 0.735818]
    """
    from scipy.special import ndtri

    if name not in FISHER_COEFFICIENTS:
        raise InputError(
            f"'fisher' is defined for {', '.join(FISHER_COEFFICIENTS)} only, got '{name}'; use a bootstrap or jackknife"
        )
    kendall = name.startswith("kendall")
    b = 4 if kendall else 3
    if points <= b or not abs(value) < 1:
        return UNDEFINED
    c = math.sqrt(0.437) if kendall else math.sqrt(1 + value**2 / 2) if name == "spearman" else 1.0
    centre, half_width = math.atanh(value), float(ndtri(1 - tail)) * c / math.sqrt(points - b)
    return math.tanh(centre - half_width), math.tanh(centre + half_width)


def percentile_ends(values: Floats, tail: float) -> Ends:
    """Returns the percentiles of the defined values of resamples, shape (resamples,); NaN if there are none."""
    defined = values[~np.isnan(values)]
    if not defined.size:
        return UNDEFINED
    lower, upper = np.percentile(defined, [100 * tail, 100 * (1 - tail)])
    return float(lower), float(upper)


def jackknife_ends(name: str, value: float, left_out: Floats, tail: float) -> Ends:
    """Computes Student's interval of the jackknife on a scale without limits, and transforms it back.

    θ is the transformed coefficient, θ₍ᵢ₎ that without unit i of n. The pseudo-values nθ − (n−1)θ₍ᵢ₎ have the mean p̄
    and the standard deviation s; the ends are p̄ ± t_{1−tail, n−1}·s/√n (Tukey 1958; Miller 1974, "The Jackknife"). The
    scale of coefficients from −1 to 1 is artanh r; that of accuracies a from 0 to 1 is artanh(2a − 1), half the logit.

    Args:
        name: The coefficient.
        value: Its value.
        left_out: Its value without each unit, shape (n,).
        tail: The fraction of the distribution beyond each end.

    Returns:
        Both ends; NaN if a value is undefined or at an end of its range, or if there are fewer than two units.
    """
    from scipy.special import stdtrit

    n = len(left_out)
    on_scale = 2 * np.append(left_out, value) - 1 if name in ACCURACIES else np.append(left_out, value)
    if n < 2 or not (np.abs(on_scale) < 1).all():
        return UNDEFINED
    transformed = np.arctanh(on_scale)
    pseudo_values = n * transformed[-1] - (n - 1) * transformed[:-1]
    half_width = float(stdtrit(n - 1, 1 - tail)) * float(pseudo_values.std(ddof=1)) / math.sqrt(n)
    centre = float(pseudo_values.mean())
    ends = math.tanh(centre - half_width), math.tanh(centre + half_width)
    return ((ends[0] + 1) / 2, (ends[1] + 1) / 2) if name in ACCURACIES else ends
