"""Resampled sums of the outputs of a system: exact, so the same for any order and any split of the outputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from metrics_framework.common.arrays import Floats

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Integers = npt.NDArray[np.int64]

FRACTION_BITS = 30
"""Fractions are rounded to multiples of 2⁻³⁰, so that their sums are exact."""
LARGEST = 1 << 38
"""Numbers of outputs must be smaller: 2,048 of them, with weights up to 8, then have exact sums in floats."""


class PoissonSums:
    """Sums of the numbers of a system's outputs in each resample and after each trial's swaps.

    A number is the sum of an integer and a fraction of 30 bits; both are summed as integers. A missing number (NaN)
    counts as 0, and its weights are summed, so that means can leave it out.

    Args:
        width: The number of numbers of an output.
        resamples: The number of resamples.
        trials: The number of trials.

    Attributes:
        outputs: The number of outputs.
        checksum: The sum of the random words of their inputs; it shows whether two systems have the same inputs.
        infinite: Which numbers were infinite for at least one output.
        missing: For each number, the sum of the random words of the inputs without it.
    """

    def __init__(self, width: int, resamples: int, trials: int) -> None:
        import numpy as np

        self.outputs = 0
        self.checksum = 0
        self.infinite = np.zeros(width, dtype=bool)
        self.missing = [0] * width
        self._drawn = np.zeros((3 * width + 1, resamples), dtype=np.int64)
        self._moved = np.zeros((3 * width + 1, trials), dtype=np.int64)
        self._totals = np.zeros((3 * width + 1, 1), dtype=np.int64)

    def add(self, numbers: Floats, weights: Floats, swapped: Floats, words: Sequence[int]) -> None:
        """Adds outputs.

        Args:
            numbers: The numbers of each output, shape (outputs, width).
            weights: The weights of their inputs in each resample, shape (outputs, resamples).
            swapped: Whether each trial swaps their inputs, shape (outputs, trials).
            words: The random words of their inputs.
        """
        import numpy as np

        self.outputs += len(numbers)
        self.checksum = (self.checksum + sum(words)) % (1 << 64)
        self.infinite |= np.isinf(numbers).any(axis=0)
        for row, column in np.argwhere(np.isnan(numbers)).tolist():
            self.missing[column] = (self.missing[column] + words[row]) % (1 << 64)
        parts = _integer_parts(numbers)
        used = np.flatnonzero(parts.any(axis=1))
        for sums, factors in ((self._drawn, weights), (self._moved, swapped)):
            sums[used] += np.rint(parts[used] @ factors).astype(np.int64)
        self._totals[used] += parts[used].sum(axis=1, keepdims=True).astype(np.int64)

    def merge(self, later: PoissonSums) -> None:
        """Adds the sums of other outputs."""
        self.outputs += later.outputs
        self.checksum = (self.checksum + later.checksum) % (1 << 64)
        self.infinite |= later.infinite
        self.missing = [(own + other) % (1 << 64) for own, other in zip(self.missing, later.missing, strict=True)]
        self._drawn += later._drawn
        self._moved += later._moved
        self._totals += later._totals

    @property
    def drawn(self) -> Floats:
        """The sums in each resample, shape (resamples, 2 · width): of numbers, then the weights of defined numbers."""
        return _as_floats(self._drawn, self.infinite)

    @property
    def moved(self) -> Floats:
        """The sums of the outputs that each trial swaps, shape (trials, 2 · width)."""
        return _as_floats(self._moved, self.infinite)

    @property
    def totals(self) -> Floats:
        """The sums of all outputs, shape (1, 2 · width)."""
        return _as_floats(self._totals, self.infinite)


def _integer_parts(numbers: Floats) -> Floats:
    """Returns integers, fractions as multiples of 2⁻³⁰, 1 where a number is missing, and 1 for each output.

    Args:
        numbers: Shape (outputs, width).

    Returns:
        Shape (3 · width + 1, outputs).

    Raises:
        ValueError: if a number is too large.
    """
    import numpy as np

    missing = ~np.isfinite(numbers)
    columns = np.where(missing, 0.0, numbers).T
    if np.abs(columns).max(initial=0) >= LARGEST:
        raise ValueError(f"resampled numbers must be smaller than 2³⁸, got {np.abs(columns).max():g}")
    integers = np.floor(columns)
    fractions = np.rint((columns - integers) * (1 << FRACTION_BITS))
    return np.concatenate([integers, fractions, missing.T, np.ones((1, len(numbers)))])


def _as_floats(sums: Integers, infinite: npt.NDArray[np.bool_]) -> Floats:
    import numpy as np

    width = len(infinite)
    integers, fractions, missing = sums[:width], sums[width : 2 * width], sums[2 * width : 3 * width]
    values = integers + fractions / float(1 << FRACTION_BITS)
    values[infinite] = np.nan
    joined: Floats = np.concatenate([values, sums[-1:] - missing]).T.astype(np.float64)
    return joined
