"""Sums over pairs of points, and of permuted scores, against Python and dense signs."""

from __future__ import annotations

import numpy as np
import pytest

from metrics_framework.kernels.python.weighted_points import EVERYTHING, SUMS, Wanted
from metrics_framework.meta_evaluation.sums.pair_sums import EQUAL, SortedPoints, point_sums
from metrics_framework.meta_evaluation.sums.permutations import Permutations
from metrics_framework.meta_evaluation.sums.score_pair import all_weights


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
def test_threads_change_nothing(shape, heaviest, kernels, monkeypatch):
    points, columns, row_weights, column_weights = drawn_points(shape)
    row_weights[140:] *= heaviest  # the last block is too heavy for the kernel
    monkeypatch.setenv("FW_KERNELS", "python")
    expected = point_sums(points, columns, row_weights, column_weights, EVERYTHING)
    monkeypatch.setenv("FW_KERNELS", kernels)
    for jobs in (1, 3, 1000):
        found = point_sums(points, columns, row_weights, column_weights, EVERYTHING, jobs)
        assert found.sums.tolist() == expected.sums.tolist()


@pytest.mark.parametrize("kernels", ["python", "auto"])
@pytest.mark.parametrize("shape", [(200,), (0, 60)])
def test_no_resamples_have_no_sums(shape, kernels, monkeypatch):
    monkeypatch.setenv("FW_KERNELS", kernels)
    points, columns, row_weights, column_weights = drawn_points(shape)
    found = point_sums(points, columns, row_weights[:0], column_weights[:0], EVERYTHING, jobs=2)
    assert found.sums.shape == (len(SUMS), 0)
    assert found.spearman().shape == found.pair_sums().surplus.shape == (0, 1)


READERS = [
    (Wanted.PAIRS, lambda sums: sums.pair_sums().surplus),
    (Wanted.DISTINCT, lambda sums: sums.least_distinct()),
    (Wanted.RANKS, lambda sums: sums.spearman()),
]


@pytest.mark.parametrize(("wanted", "read"), READERS)
def test_sums_that_are_not_wanted_cannot_be_read(wanted, read):
    arrays = drawn_points()
    expected = read(point_sums(*arrays, EVERYTHING))
    assert read(point_sums(*arrays, wanted)).tolist() == expected.tolist()
    with pytest.raises(KeyError):
        read(point_sums(*arrays, EVERYTHING & ~wanted))
    assert point_sums(*arrays, Wanted(0))["points"].all()


@pytest.mark.parametrize("constant", ["human", "metric"])
def test_spearman_of_a_constant_variable_is_undefined(constant):
    values = {"human": np.arange(4.0), "metric": np.array([1.0, 0, 2, 2])}
    values[constant] = np.array([0.0, 0, 0, 1])
    points = SortedPoints.of(values["human"], values["metric"], np.arange(4), EQUAL)
    weights = np.array([[1, 1, 1, 0], [1, 1, 1, 1], [0, 0, 0, 3], [0, 0, 0, 0]])
    sums = point_sums(points, np.zeros(4, dtype=np.int32), weights, np.ones((4, 1)), Wanted.RANKS)
    assert np.isnan(sums.spearman()[:, 0]).tolist() == [True, False, True, True]


COUNT, SHAPE = 5, (3, 4)
DRAWN = np.random.default_rng(4)
ROWS, COLUMNS = (DRAWN.choice([-1.0, 1.0], size=(COUNT, size)) for size in SHAPE)
CELLS = DRAWN.choice([-1.0, 1.0], size=(COUNT, *SHAPE))
KINDS = {
    "none": Permutations(COUNT, None, None, None),
    "rows": Permutations(COUNT, ROWS, None, None),
    "columns": Permutations(COUNT, None, COLUMNS, None),
    "rows and columns": Permutations(COUNT, ROWS, COLUMNS, None),
    "cells": Permutations(COUNT, None, None, CELLS),
}


@pytest.mark.parametrize("kind", KINDS)
def test_totals_are_sums_of_signs_and_values(kind: str) -> None:
    values = DRAWN.integers(0, 9, size=(2, *SHAPE)).astype(float)
    expected = np.einsum("psi,msi->mp", KINDS[kind].dense(SHAPE), values)
    assert np.array_equal(KINDS[kind].totals(values), expected)


def test_without_weights_there_is_one_resample_of_ones() -> None:
    rows, columns = all_weights(None, None, SHAPE)
    assert (rows.shape, columns.shape) == ((1, 3), (1, 4))
    assert rows.all()
    assert columns.all()
    assert [len(weights) for weights in all_weights(None, COLUMNS, SHAPE)] == [COUNT, COUNT]
