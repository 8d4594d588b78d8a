"""A test of differences and a coefficient that are added from outside, each by one class."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest
from difference_cases import power_of_test

from metrics_framework.common.arrays import Floats
from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation import (
    coefficient,
    difference,
    difference_matrix,
    group_values,
)
from metrics_framework.meta_evaluation.coefficients import REGISTRY as COEFFICIENTS
from metrics_framework.meta_evaluation.coefficients.coefficient import Coefficient, WeightedCoefficient
from metrics_framework.meta_evaluation.coefficients.options import CoefficientOptions
from metrics_framework.meta_evaluation.differences import REGISTRY as TESTS
from metrics_framework.meta_evaluation.differences.compared_metrics import paired_scores
from metrics_framework.meta_evaluation.differences.difference_test import DifferenceTest, TestSettings, load_test
from metrics_framework.meta_evaluation.differences.permutation_tests import PermutationTest
from metrics_framework.meta_evaluation.levels import LEVELS, Level
from metrics_framework.meta_evaluation.sums.permutations import Permutations, SignSource
from metrics_framework.significance.clusters import Clusters


@pytest.fixture
def concordance():
    @Coefficient.register("concordance")
    class Concordance(WeightedCoefficient):
        """Lin's concordance 2 Σ(h − h̄)(m − m̄) / (Σ(h − h̄)² + Σ(m − m̄)² + n (h̄ − m̄)²)."""

        title = "concordance"
        depends_on_scale: ClassVar[bool] = True

        def weighted(self, human: Floats, metric: Floats, weights: Floats, options: CoefficientOptions) -> Floats:
            n = np.maximum(weights.sum(axis=1), 1)
            means = [(weights * values).sum(axis=1) / n for values in (human, metric)]
            h, m = human - means[0][:, None], metric - means[1][:, None]
            below = (weights * (h**2 + m**2)).sum(axis=1) + n * (means[0] - means[1]) ** 2
            defined = ((weights > 0).sum(axis=1) > 1) & (below > 0)
            return np.where(defined, 2 * (weights * h * m).sum(axis=1) / np.where(defined, below, 1), np.nan)

    yield Concordance
    del COEFFICIENTS.entries["concordance"]


@pytest.fixture
def halves():
    @DifferenceTest.register("halves")
    class Halves(PermutationTest):
        """Swaps the scores of the first half of the systems, of the second half, or of both."""

        unit: ClassVar[str] = "halves"
        population_of_data_sets: ClassVar[str] = "for other halves"

        def population(self, shape: tuple[int, int], level: Level) -> str:
            return f"for other halves of {shape[0]} systems"

        def units(self, systems: int, clusters: int) -> int:
            return 2

        def arranged(self, source: SignSource, systems: int, clusters: Clusters) -> Permutations:
            return source.permutations(rows=np.repeat(source.signs("rows"), systems // 2, axis=1))

    yield Halves
    del TESTS.entries["halves"]


def study(missing: bool = False) -> tuple[Floats, Floats, Floats]:
    generator = np.random.default_rng(4)
    human = generator.normal(size=(6, 8)) + generator.normal(size=(6, 1))
    first, second = human + generator.normal(size=human.shape), 0.5 * human + generator.normal(size=human.shape)
    if missing:
        human[generator.random(human.shape) < 0.2] = np.nan
    return human, first, second


def by_brute_force(human: Floats, first: Floats, second: Floats, name: str, level: str, signs: Floats) -> float:
    found = coefficient(human, first, name, level=level) - coefficient(human, second, name, level=level)
    trials = []
    for one in signs:
        metric, other = np.where(one > 0, first, second), np.where(one > 0, second, first)
        trials.append(coefficient(human, metric, name, level=level) - coefficient(human, other, name, level=level))
    large = ~(np.abs(trials) < abs(found) - 1e-12)
    return float(large.mean())


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("test", ["inputs", "systems", "cells"])
def test_a_coefficient_from_outside_equals_brute_force(concordance, test, level, missing):
    human, first, second = study(missing)
    found = difference(human, first, second, "concordance", level=level, test=test, resamples=200)
    scores = paired_scores(human, first, second)
    drawn = load_test(test).draw([scores], TestSettings(test, 200), [0])[0]
    share = by_brute_force(human, first, second, "concordance", level, drawn.dense(scores.shape))
    assert found.p_value == pytest.approx(share if drawn.is_exact else (200 * share + 1) / 201)
    assert found.value1 == coefficient(human, first, "concordance", level=level)


def test_a_coefficient_from_outside_that_overflows_is_undefined(concordance):
    people, metric = [[1e300, 3.0], [2e300, 1]], [[1.0, 2], [2, 1]]
    of_inputs = group_values(people, metric, "concordance", level="input")
    assert np.isnan(of_inputs[0])
    assert of_inputs[1] == coefficient([[3.0], [1]], [[2.0], [1]], "concordance", level="global")


@pytest.mark.parametrize("test", ["both", "bootstrap-inputs", "bootstrap-systems"])
def test_a_coefficient_from_outside_has_all_other_tests(concordance, test):
    found = difference(*study(), "concordance", level="input", test=test, resamples=99)
    assert 0 < found.p_value <= 1
    assert (found.resamples, bool(found.permutations)) == (99 if "bootstrap" in test else 0, "bootstrap" not in test)


@pytest.mark.parametrize("level", LEVELS)
def test_a_test_from_outside(halves, level):
    human, first, second = study()
    found = difference(human, first, second, "kendall-b", level=level, test="halves")
    assert (found.permutations, found.is_exact, found.least_p) == (4, True, 0.5)
    assert found.population == "for other halves of 6 systems"
    assert found.value1 == coefficient(human, first, "kendall-b", level=level)
    z = [(metric - metric.mean()) / metric.std() for metric in (first, second)]
    signs = np.array([[1, 1], [-1, 1], [1, -1], [-1, -1]])[:, [0, 0, 0, 1, 1, 1], None] * np.ones((1, 1, 8))
    assert found.p_value == by_brute_force(human, *z, "kendall-b", level, signs)


def test_a_test_from_outside_may_refuse_clusters(halves, monkeypatch):
    monkeypatch.setattr(halves, "keeps_clusters", False)
    with pytest.raises(InputError, match="'halves' cannot keep clusters of inputs together; use 'inputs' or 'both'"):
        difference(*study(), "pearson", level="input", test="halves", clusters="aabbccdd")


def test_a_test_from_outside_ranks_metrics_and_states_its_power(halves):
    human, first, second = study()
    found = difference_matrix(human, {"a": first, "b": second}, "pearson", level="input", test="halves")
    assert found.p_values[0, 1] >= 0.5
    power = power_of_test(human, first, second, "pearson", level="input", test="halves")
    assert (power.units, power.unit, power.least_detectable) == (2, "halves", pytest.approx(np.nan, nan_ok=True))
    assert "least possible p-value" in power.reason
