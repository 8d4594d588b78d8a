"""The levels at which points are correlated, which have p-values: system and global.

System level: the correlation of the systems' mean scores. Global level: the correlation over all outputs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from metrics_framework.meta_evaluation.coefficients.group_pairs import group_pairs
from metrics_framework.meta_evaluation.coefficients.vectors import (
    kendall,
    kendall_p,
    mid_ranks,
    pair_counts,
    pearson,
    pearson_p,
    spearman_p,
)
from metrics_framework.significance.arrays import Floats


@dataclass(frozen=True)
class PointLevel:
    """The correlation of two variables over systems, or over outputs.

    Args:
        coefficients: Coefficient name to its value and two-sided p-value.
        ties: The number of pairs, and of pairs tied in the first, the second and both variables.
    """

    coefficients: Mapping[str, tuple[float, float]]
    ties: Mapping[str, int]


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
    pairs = group_pairs(x.T, z.T)
    counts = {"pairs": pairs.total, "metric1": pairs.tied_human, "metric2": pairs.tied_metric, "both": pairs.tied_both}
    return {name: int(count.sum()) for name, count in counts.items()}
