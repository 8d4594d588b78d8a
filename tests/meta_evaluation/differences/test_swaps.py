"""Differences after swaps equal those of coefficients of matrices that were swapped cell by cell."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from metrics_framework.meta_evaluation import coefficient
from metrics_framework.meta_evaluation.differences.paired_scores import PairedScores
from metrics_framework.meta_evaluation.differences.schemes import SCHEMES, arrange
from metrics_framework.meta_evaluation.differences.swapped_coefficients import null_differences
from metrics_framework.meta_evaluation.names import COEFFICIENTS, LEVELS, SINGLE_LEVEL

NAMES = [name for name in COEFFICIENTS if name != "acc-eq"]
CASES = [(name, level) for name in NAMES for level in LEVELS if SINGLE_LEVEL.get(name, level) == level]


def scores(kind: str, systems: int = 5, inputs: int = 7) -> PairedScores:
    generator = np.random.default_rng(3)
    quality = generator.normal(size=(systems, inputs)) + generator.normal(size=(systems, 1))
    matrices = [quality + generator.normal(size=quality.shape) for _ in range(3)]
    matrices[0] = np.round(matrices[0])
    if "tied" in kind:
        matrices[1:] = [np.round(values) for values in matrices[1:]]
    if "missing" in kind:
        matrices[0][generator.random(quality.shape) < 0.15] = np.nan
        matrices[0][:, 2] = np.nan
        matrices[0][1:, 3] = np.nan
    return PairedScores.of(*matrices)


def swapped_by_hand(data: PairedScores, name: str, level: str, spins: np.ndarray, epsilon: float = 0.0) -> float:
    first, second = data.first_z, data.second_z
    one, other = np.where(spins > 0, first, second), np.where(spins > 0, second, first)
    return coefficient(data.human, one, name, level=level, epsilon=epsilon) - coefficient(
        data.human, other, name, level=level, epsilon=epsilon
    )


@pytest.mark.parametrize("kind", ["continuous", "tied", "continuous, missing", "tied, missing"])
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(("name", "level"), CASES)
def test_differences_equal_those_of_swapped_matrices(name, level, scheme, kind):
    data = scores(kind)
    spins = arrange(scheme, data.shape, 12, seed=1, enumerate_all=False).spins
    found = null_differences(data, name, level, spins)
    expected = [swapped_by_hand(data, name, level, one) for one in spins.dense(data.shape)]
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(
    "name", ["kendall-a", "kendall-b", "kendall-c", "spearman", "tau-23", "acc-23", "kendall-like"]
)
def test_large_groups_equal_small_ones(name, scheme):
    data = scores("continuous", systems=9, inputs=15)
    spins = arrange(scheme, data.shape, 10, seed=1).spins
    expected = [swapped_by_hand(data, name, "global", one) for one in spins.dense(data.shape)]
    np.testing.assert_allclose(null_differences(data, name, "global", spins), expected, atol=1e-12)


@pytest.mark.parametrize("level", ["input", "global", "within-system", "system"])
def test_opposite_arrangements_have_opposite_differences_with_epsilons(level):
    data = replace(scores("continuous"), epsilons=(0.4, 0.1))
    spins = arrange("systems", data.shape, 32, seed=1).spins
    found = null_differences(data, "acc-23", level, spins)
    np.testing.assert_allclose(found, -found[::-1], atol=1e-12)
    values = [
        coefficient(data.human, m, "acc-23", level=level, epsilon=e)
        for m, e in zip((data.first, data.second), data.epsilons, strict=True)
    ]
    assert found[0] == pytest.approx(values[0] - values[1], abs=1e-12)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_kendall_like_keeps_its_threshold(level, scheme):
    data = replace(scores("tied, missing"), epsilons=(1.5, 1.5))
    spins = arrange(scheme, data.shape, 10, seed=1, enumerate_all=False).spins
    expected = [swapped_by_hand(data, "kendall-like", level, one, 1.5) for one in spins.dense(data.shape)]
    np.testing.assert_allclose(null_differences(data, "kendall-like", level, spins), expected, atol=1e-12)
