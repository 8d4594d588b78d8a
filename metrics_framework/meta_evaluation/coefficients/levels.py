"""The levels at which two metrics can be correlated: input, system and global.

Rows are systems, columns are inputs. Input level: the correlation over systems for each input, averaged over the inputs
where it is defined. System level: the correlation of the systems' mean scores. Global level: the correlation over all
outputs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from metrics_framework.meta_evaluation.coefficients.vectors import (
    kendall,
    kendall_p,
    mid_ranks,
    pair_counts,
    pearson,
    pearson_p,
    spearman_p,
)
from metrics_framework.meta_evaluation.coefficients.weighted_coefficients import column_blocks, columnwise, pair_signs
from metrics_framework.meta_evaluation.settings import COEFFICIENTS
from metrics_framework.significance.arrays import Floats


@dataclass(frozen=True)
class InputLevel:
    """The correlations over systems, input by input.

    Args:
        coefficients: Coefficient name to its value at every input, shape (inputs,), NaN if undefined.
        one_system: The number of inputs with an output of only one system.
        constant: The number of further inputs at which a metric has the same score for all systems.
        sizes: Number of systems to the number of inputs with that many, over the inputs used.
    """

    coefficients: Mapping[str, Floats]
    one_system: int
    constant: int
    sizes: Mapping[int, int]

    @property
    def used(self) -> int:
        """The number of inputs that are averaged."""
        return sum(self.sizes.values())

    def mean(self, name: str) -> float:
        """Averages a coefficient over the inputs where it is defined; NaN if there are none."""
        return float(np.nanmean(self.coefficients[name])) if self.used else math.nan


@dataclass(frozen=True)
class PointLevel:
    """The correlation of two variables over systems, or over outputs.

    Args:
        coefficients: Coefficient name to its value and two-sided p-value.
        ties: The number of pairs, and of pairs tied in the first, the second and both variables.
    """

    coefficients: Mapping[str, tuple[float, float]]
    ties: Mapping[str, int]


def input_level(x: Floats, z: Floats) -> InputLevel:
    """Correlates over systems at every input.

    Args:
        x: The first metric, shape (systems, inputs); NaN where missing, in the same cells as z.
        z: The second, of the same shape.
    """
    values = {
        name: coefficients[0] for name, coefficients in columnwise(x, z, np.ones((1, len(x))), COEFFICIENTS).items()
    }
    systems = (~np.isnan(x)).sum(axis=0)
    defined = ~np.isnan(values[COEFFICIENTS[0]])
    sizes, counts = np.unique(systems[defined], return_counts=True)
    return InputLevel(
        coefficients=values,
        one_system=int((systems == 1).sum()),
        constant=int(((systems > 1) & ~defined).sum()),
        sizes={int(size): int(count) for size, count in zip(sizes, counts, strict=True)},
    )


def system_level(x: Floats, z: Floats) -> PointLevel:
    """Correlates the mean scores of systems.

    Args:
        x: The means of the first metric as `system_means` computes them, shape (systems,).
        z: The means of the second.
    """
    return _point_level(x, z)


def global_level(x: Floats, z: Floats) -> PointLevel:
    """Correlates over all outputs.

    Args:
        x: The first metric, shape (systems, inputs); NaN where missing, in the same cells as z.
        z: The second, of the same shape.
    """
    present = ~np.isnan(x)
    return _point_level(x[present], z[present])


def _point_level(x: Floats, z: Floats) -> PointLevel:
    r = pearson(x, z)
    ranks = mid_ranks(x), mid_ranks(z)
    rho = pearson(*ranks)
    counts = pair_counts(x, z)
    return PointLevel(
        coefficients={
            "pearson": (r, pearson_p(r, len(x))),
            "spearman": (rho, spearman_p(*ranks, rho)),
            "kendall": (kendall(counts), kendall_p(x, z, counts)),
        },
        ties={"pairs": counts.total, "metric1": counts.tied_x, "metric2": counts.tied_z, "both": counts.tied_both},
    )


def ties_of_columns(x: Floats, z: Floats) -> dict[str, int]:
    """Counts pairs of rows over all columns, and those tied in x, in z and in both; shapes (rows, columns)."""
    present = (~np.isnan(x)).sum(axis=0)
    pairs = int((present * (present - 1) // 2).sum())
    first, second = np.triu_indices(len(x), 1)
    untied = np.zeros(3, dtype=np.int64)
    for block in column_blocks(x.shape):
        untied_x = pair_signs(x[:, block], first, second) != 0
        untied_z = pair_signs(z[:, block], first, second) != 0
        untied += [int(untied_x.sum()), int(untied_z.sum()), int((untied_x | untied_z).sum())]
    tied_x, tied_z, both = (int(pairs - count) for count in untied)
    return {"pairs": pairs, "metric1": tied_x, "metric2": tied_z, "both": both}
