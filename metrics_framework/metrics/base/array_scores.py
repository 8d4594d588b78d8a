"""Corpus scores on arrays: one score for each of many sums of statistics, as resampling needs them.

The function of a metric for one vector of statistics is the definition; up to the rounding of logarithms and
exponentials, the results of the method on arrays are equal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Floats: TypeAlias = "npt.NDArray[np.float64]"


@runtime_checkable
class ArrayScores(Protocol):
    """A corpus metric that computes the scores of many summed statistics in one call, as resampling needs them."""

    def score_sums(self, sums: Floats) -> dict[str, Floats]:
        """Computes scores equal to those of ``score_statistics``, up to rounding.

        Args:
            sums: Shape (sums, statistics).

        Returns:
            Flat score names to arrays of shape (sums,), or (sums, numbers).
        """


@runtime_checkable
class SwapScores(ArrayScores, Protocol):
    """A corpus metric with a faster formula for swaps, whose scores are compared with a tolerance for rounding."""

    def score_swaps(self, sums: Floats) -> dict[str, Floats]:
        """Computes the scores of ``score_sums`` with other rounding."""


def ratio(above: Floats, below: Floats, otherwise: float = 0.0) -> Floats:
    """Divides element by element; where the divisor is not positive, the result is another number."""
    import numpy as np

    result = np.full(np.broadcast(above, below).shape, otherwise)
    np.divide(above, below, out=result, where=below > 0)
    return result


def added(values: Floats) -> Floats:
    """Adds the columns from left to right."""
    total: Floats = values[:, 0]
    for column in values.T[1:]:
        total = total + column
    return total
