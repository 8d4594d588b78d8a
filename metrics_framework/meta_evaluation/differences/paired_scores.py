"""Two metrics and human scores on the cells that all three have, ready for swapping."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation.coefficients.checks import checked_scores
from metrics_framework.meta_evaluation.coefficients.large_values import scaled_down
from metrics_framework.significance.arrays import Bools, Floats


@dataclass(frozen=True)
class PairedScores:
    """Human scores and two metrics with NaN in the same cells, each of shape (systems, inputs).

    Args:
        human: The human scores.
        first: The first metric.
        second: The second metric.
        first_z: The first metric, standardized over all cells used.
        second_z: The second metric, standardized.
        scales: The standard deviation of each metric.
        dropped: The number of cells that have some but not all of the three scores.
        epsilons: The largest difference that is a tie, of each metric; for ``kendall-like``, the least difference of
            human scores that counts.
    """

    human: Floats
    first: Floats
    second: Floats
    first_z: Floats
    second_z: Floats
    scales: tuple[float, float]
    dropped: int = 0
    epsilons: tuple[float, float] = (0.0, 0.0)

    @classmethod
    def of(cls, human: npt.ArrayLike, first: npt.ArrayLike, second: npt.ArrayLike) -> PairedScores:
        """Keeps the cells with all three scores, and standardizes the metrics.

        Raises:
            InputError: if a matrix is not two-dimensional, shapes differ, or a score is infinite.
        """
        named = (("human", human), ("metric1", first), ("metric2", second))
        matrices = [checked_scores(values, name) for name, values in named]
        if len({values.shape for values in matrices}) > 1:
            shapes = ", ".join(str(values.shape) for values in matrices)
            raise InputError(f"human and both metrics must have the same shape (systems, inputs), got {shapes}")
        missing = np.isnan(matrices)
        some, none = missing.any(axis=0), missing.all(axis=0)
        x, one, other = (np.where(some, np.nan, values) for values in matrices)
        scales = scale_of(one), scale_of(other)
        return cls(x, one, other, standardized(one), standardized(other), scales, int((some & ~none).sum()))

    @property
    def present(self) -> Bools:
        """Which cells have all scores, shape (systems, inputs)."""
        return ~np.isnan(self.human)

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of systems and inputs."""
        return self.human.shape[0], self.human.shape[1]

    def changed(self, change: Callable[[Floats], Floats]) -> PairedScores:
        """Applies a function to all matrices."""
        return replace(
            self,
            human=change(self.human),
            first=change(self.first),
            second=change(self.second),
            first_z=change(self.first_z),
            second_z=change(self.second_z),
        )

    @property
    def common_epsilons(self) -> tuple[float, float]:
        """The ε of each metric on the scale of standardized scores."""
        first, second = (e / scale if scale else 0.0 for e, scale in zip(self.epsilons, self.scales, strict=True))
        return first, second


def standardized(values: Floats) -> Floats:
    """Subtracts the mean of all cells and divides by their standard deviation (population), so that scales are equal.

    >>> standardized(np.array([[1.0, 3.0, np.nan]])).tolist()
    [[-1.0, 1.0, nan]]
    """
    present = ~np.isnan(values)
    if not present.any():
        return values
    scaled = scaled_down(values)
    centred = scaled - scaled[present].mean()
    largest = float(np.abs(centred[present]).max())
    if not largest:
        return np.asarray(centred)
    centred = centred / largest
    return np.asarray(centred / np.sqrt((centred[present] ** 2).mean()))


def scale_of(values: Floats) -> float:
    """Returns the standard deviation of all cells (population); infinite if it exceeds the largest float.

    >>> scale_of(np.array([[1.0, 3.0, np.nan]]))
    1.0
    """
    present = values[~np.isnan(values)]
    largest = float(np.abs(present).max(initial=0))
    with np.errstate(over="ignore"):
        return float((present / largest).std() * largest) if largest else 0.0
