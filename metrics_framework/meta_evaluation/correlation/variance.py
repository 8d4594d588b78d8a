"""How much of the variance of human scores lies between inputs, between systems, and within."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

import numpy as np

from metrics_framework.significance.arrays import Floats


@dataclass(frozen=True)
class VarianceShares:
    """Shares of the sum of squares of human scores over all outputs; NaN if they are constant.

    A metric that sees only the source is constant for all outputs of an input: at the global level, its Pearson
    correlation is at most √inputs.

    Args:
        inputs: The share between inputs.
        systems: The share between systems, after the means of inputs are subtracted.
        within: The rest.
    """

    inputs: float
    systems: float
    within: float

    def as_json(self) -> dict[str, float]:
        """Returns the shares by name."""
        return asdict(self)


def variance_shares(human: Floats) -> VarianceShares:
    """Splits the sum of squares of scores: between inputs, between systems given inputs, and the rest.

    Args:
        human: The scores, shape (systems, inputs); NaN where missing.

    >>> variance_shares(np.array([[1.0, 3.0], [2.0, 4.0]]))
    VarianceShares(inputs=0.8, systems=0.2, within=0.0)
    """
    present = ~np.isnan(human)
    if not present.any():
        return VarianceShares(math.nan, math.nan, math.nan)
    largest = np.abs(human[present]).max() or 1.0
    scores = np.where(present, human / largest, 0.0)
    centred = np.where(present, scores - scores.sum() / present.sum(), 0.0)
    total = float((centred**2).sum())
    if total == 0 or bool((human[present] == human[present][0]).all()):
        return VarianceShares(math.nan, math.nan, math.nan)
    counts = np.maximum(present.sum(axis=0), 1)
    means = centred.sum(axis=0) / counts
    rest = np.where(present, centred - means, 0.0)
    inputs = float((present.sum(axis=0) * means**2).sum())
    systems = _explained(rest, present.astype(np.float64), counts.astype(np.float64))
    within = max(0.0, total - inputs - systems)
    return VarianceShares(*(round(part / total, 12) for part in (inputs, systems, within)))


def _explained(rest: Floats, present: Floats, counts: Floats) -> float:
    """Returns the sum of squares that system effects explain in scores centred by input (least squares)."""
    gram = np.diag(present.sum(axis=1)) - (present / counts) @ present.T
    target = rest.sum(axis=1)
    effects = np.linalg.lstsq(gram, target, rcond=None)[0]
    return max(0.0, float(effects @ target))
