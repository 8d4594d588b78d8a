"""The levels at which two metrics can be correlated: input, system and global.

Rows are systems, columns inputs. Input level: the correlation over systems at every input, averaged over the inputs
where it is defined. System level: the correlation of the means of the systems. Global level: the correlation over all
outputs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from metrics_framework.meta_evaluation.coefficients import (
    Floats,
    coefficient,
    is_constant,
    pair_counts,
    pearson,
    pearson_p,
)
from metrics_framework.meta_evaluation.settings import COEFFICIENTS
from metrics_framework.meta_evaluation.weighted import column_blocks, columnwise, pair_signs, tie_classes


@dataclass(frozen=True)
class InputLevel:
    """Holds the correlations over systems, input by input.

    Args:
        coefficients: By coefficient, its value at every input, shape (inputs,), NaN where undefined.
        one_system: How many inputs have the output of one system only.
        constant: How many further inputs have the same score for all systems, in one metric or both.
        sizes: How many systems an input has, to how many of the inputs used have so many.
    """

    coefficients: Mapping[str, Floats]
    one_system: int
    constant: int
    sizes: Mapping[int, int]

    @property
    def used(self) -> int:
        """How many inputs the averages are over."""
        return sum(self.sizes.values())

    def mean(self, name: str) -> float:
        """Averages a coefficient over the inputs where it is defined; NaN if there are none."""
        return float(np.nanmean(self.coefficients[name])) if self.used else math.nan


def input_level(x: Floats, z: Floats, names: Sequence[str] = COEFFICIENTS) -> InputLevel:
    """Correlates over systems at every input.

    Args:
        x: The first metric, shape (systems, inputs); NaN where missing, at the same places as in z.
        z: The second, of the same shape.
        names: Which coefficients, at least one.
    """
    values = {name: one[0] for name, one in columnwise(x, z, np.ones((1, len(x))), names).items()}
    systems = (~np.isnan(x)).sum(axis=0)
    defined = ~np.isnan(values[names[0]])
    sizes, counts = np.unique(systems[defined], return_counts=True)
    return InputLevel(
        coefficients=values,
        one_system=int((systems == 1).sum()),
        constant=int(((systems > 1) & ~defined).sum()),
        sizes={int(size): int(count) for size, count in zip(sizes, counts, strict=True)},
    )


def system_level(x: Floats, z: Floats, name: str) -> tuple[float, float]:
    """Correlates the means of the systems.

    Means that only rounding tells apart count as equal.

    Args:
        x: The means of the first metric, shape (systems,).
        z: The means of the second.
        name: The coefficient.

    Returns:
        The coefficient and its p-value.
    """
    classes = tie_classes(x), tie_classes(z)
    if name != "pearson":
        return coefficient(name, *classes)
    r = math.nan if is_constant(classes[0]) or is_constant(classes[1]) else pearson(x, z)
    return r, pearson_p(r, len(x))


def global_level(x: Floats, z: Floats, name: str) -> tuple[float, float]:
    """Correlates over all outputs.

    Args:
        x: The first metric, shape (systems, inputs); NaN where missing, at the same places as in z.
        z: The second, of the same shape.
        name: The coefficient.

    Returns:
        The coefficient and its p-value.
    """
    present = ~np.isnan(x)
    return coefficient(name, x[present], z[present])


def ties(x: Floats, z: Floats) -> dict[str, int]:
    """Counts pairs of points, and those tied in x, in z, and in both; shapes (points,)."""
    counts = pair_counts(x, z)
    return {"pairs": counts.total, "metric1": counts.tied_x, "metric2": counts.tied_z, "both": counts.tied_both}


def ties_of_columns(x: Floats, z: Floats) -> dict[str, int]:
    """Counts, over all columns, pairs of rows, and those tied in x, in z, and in both; shapes (rows, columns)."""
    present = (~np.isnan(x)).sum(axis=0)
    pairs = int((present * (present - 1) // 2).sum())
    first, second = np.triu_indices(len(x), 1)
    untied = np.zeros(3, dtype=np.int64)
    for block in column_blocks(x.shape):
        one = pair_signs(x[:, block], first, second) != 0
        other = pair_signs(z[:, block], first, second) != 0
        untied += [int(one.sum()), int(other.sum()), int((one | other).sum())]
    tied_x, tied_z, both = (int(pairs - count) for count in untied)
    return {"pairs": pairs, "metric1": tied_x, "metric2": tied_z, "both": both}
