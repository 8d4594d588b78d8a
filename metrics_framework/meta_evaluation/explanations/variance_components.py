"""Where the variance of scores lies: between inputs, between systems, or within both."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.meta_evaluation.checks import checked_scores
from metrics_framework.meta_evaluation.sums.large_values import scaled_down
from metrics_framework.meta_evaluation.sums.moments import is_constant


@dataclass(frozen=True)
class VarianceShares:
    """The shares of the variance of scores over all outputs; they add up to 1, and are NaN if the scores are constant.

    Args:
        inputs: Between inputs. Its root is the largest Pearson correlation, at the global level, of a metric that sees
            only the input.
        systems: Between systems, after the means of inputs are subtracted.
        within: The rest.
    """

    inputs: float
    systems: float
    within: float

    def as_json(self) -> dict[str, float]:
        """Returns the shares by name; NaN is written as ``null``."""
        return asdict(self)


def variance_shares(scores: Any) -> VarianceShares:
    """Splits the sum of squares of scores by least squares: means of inputs first, then effects of systems.

    If every system has an output for every input, the order does not matter.

    Args:
        scores: Shape (systems, inputs); NaN where missing.

    Raises:
        InputError: if the scores are no matrix of finite numbers.

    >>> shares = variance_shares([[1, 3, 5], [2, 4, 9]])
    >>> round(shares.inputs, 6), round(shares.systems, 6), round(shares.within, 6)
    (0.775, 0.15, 0.075)
    """
    matrix = checked_scores(scores, "scores")
    present = ~np.isnan(matrix)
    if is_constant(matrix[present]):
        return VarianceShares(math.nan, math.nan, math.nan)
    values = scaled_down(matrix)
    values = np.where(present, values - values[present].mean(), 0)
    values = values / np.abs(values).max()
    counts = np.maximum(present.sum(axis=0), 1)
    input_means = values.sum(axis=0) / counts
    total = float((values**2).sum())
    between_inputs = float((counts * input_means**2).sum())
    between_systems = _system_squares(np.where(present, values - input_means, 0), present.astype(np.float64))
    within = max(0.0, total - between_inputs - between_systems)
    return VarianceShares(between_inputs / total, between_systems / total, within / total)


def _system_squares(deviations: Floats, present: Floats) -> float:
    """Returns the sum of squares that effects of systems explain of the deviations from the means of inputs.

    The normal equations of the indicators of systems, each centred for every input.
    """
    shares = present / np.maximum(present.sum(axis=0), 1)
    equations = np.diag(present.sum(axis=1)) - shares @ present.T
    sums = deviations.sum(axis=1)
    effects = np.linalg.lstsq(equations, sums, rcond=1e-10)[0]
    return max(0.0, float(effects @ sums))
