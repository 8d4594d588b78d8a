"""Formulas of intervals from resamples: percentiles and the jackknife."""

from __future__ import annotations

import math

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.meta_evaluation.coefficients.coefficient import Coefficient
from metrics_framework.meta_evaluation.coefficients.fisher import UNDEFINED, Ends

ROUNDING = 1e-12
"""A coefficient that differs from 1 or −1 by no more than this is 1 or −1."""


def percentile_ends(values: Floats, tail: float) -> Ends:
    """Returns the percentiles of the defined values of resamples, shape (resamples,); NaN if there are none."""
    defined = values[~np.isnan(values)]
    if not defined.size:
        return UNDEFINED
    lower, upper = np.percentile(defined, [100 * tail, 100 * (1 - tail)])
    return float(lower), float(upper)


def jackknife_ends(coefficient: Coefficient, value: float, left_out: Floats, tail: float) -> Ends:
    """Computes Student's interval of the jackknife on a scale without limits, and transforms it back.

    θ is the transformed coefficient, θ₍ᵢ₎ that without unit i of n. The pseudo-values nθ − (n−1)θ₍ᵢ₎ have the mean p̄
    and the standard deviation s; the ends are p̄ ± t_{1−tail, n−1}·s/√n (Tukey 1958; Miller 1974, "The Jackknife"). The
    scale of coefficients from −1 to 1 is artanh r; that of other ranges is artanh of the value mapped to −1 to 1, for
    accuracies a half the logit, artanh(2a − 1).

    Args:
        coefficient: The coefficient.
        value: Its value.
        left_out: Its value without each unit, shape (n,).
        tail: The fraction of the distribution beyond each end.

    Returns:
        Both ends; NaN if a value is undefined or at an end of its range, or if there are fewer than two units.
    """
    from scipy.special import stdtrit

    n = len(left_out)
    on_scale = 2 * coefficient.on_unit_scale(np.append(left_out, value)) - 1
    if n < 2 or not (np.abs(on_scale) < 1 - ROUNDING).all():
        return UNDEFINED
    transformed = np.arctanh(on_scale)
    pseudo_values = n * transformed[-1] - (n - 1) * transformed[:-1]
    half_width = float(stdtrit(n - 1, 1 - tail)) * float(pseudo_values.std(ddof=1)) / math.sqrt(n)
    centre = float(pseudo_values.mean())
    return coefficient.from_unit_scale((math.tanh(centre - half_width) + 1) / 2), coefficient.from_unit_scale(
        (math.tanh(centre + half_width) + 1) / 2
    )
