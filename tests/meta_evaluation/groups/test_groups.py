"""Sums over pairs of points are the same in Python and C, and in any number of threads."""

from __future__ import annotations

import numpy as np
import pytest

from metrics_framework.kernels.python.weighted_points import EVERYTHING
from metrics_framework.meta_evaluation.groups.weighted_groups import EQUAL, SortedPoints, point_sums


def drawn_points(shape=(200,)):
    """Draws points of 20 columns, and weights of 5 rows and 20 columns in 150 resamples."""
    generator = np.random.default_rng(0)
    human, metric = generator.integers(0, 30, shape).astype(float), generator.normal(size=shape)
    points = SortedPoints.of(human, metric, generator.integers(0, 5, shape), EQUAL)
    columns = generator.integers(0, 20, shape[-1]).astype(np.int32)
    return points, columns, generator.integers(0, 4, (150, 5)), generator.integers(0, 3, (150, 20))


@pytest.mark.parametrize("kernels", ["python", "auto"])
@pytest.mark.parametrize("shape", [(200,), (2500,), (150, 60)])  # 2,500 points are compared in blocks
@pytest.mark.parametrize("heaviest", [1, 1 << 20])
def test_sums_are_the_same_with_and_without_the_native_kernel(shape, heaviest, kernels, monkeypatch):
    points, columns, row_weights, column_weights = drawn_points(shape)
    row_weights[140:] *= heaviest  # the last resamples are too heavy for the kernel
    monkeypatch.setenv("FW_KERNELS", "python")
    expected = point_sums(points, columns, row_weights, column_weights, EVERYTHING)
    monkeypatch.setenv("FW_KERNELS", kernels)
    found = point_sums(points, columns, row_weights, column_weights, EVERYTHING)
    assert found.sums.tolist() == expected.sums.tolist()
