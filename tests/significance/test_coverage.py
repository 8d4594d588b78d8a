"""How often intervals contain the true score, and how often tests find a difference of equal systems, by simulation."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from metrics_framework.significance.compared_systems import ComparedSystems, bootstrap_intervals
from metrics_framework.significance.paired_tests import paired_p_values
from metrics_framework.significance.resampling import Resampling
from metrics_framework.significance.score_vectors import ScoreVectors

SIMULATIONS = 600
SIZE = 4
"""The number of inputs of a document."""


def numbers(generator: np.random.Generator, documents: int) -> ScoreVectors:
    """Returns scores with an effect of the document, which is as large as the rest."""
    effects = generator.normal(size=documents).repeat(SIZE)
    values = effects + generator.normal(size=len(effects))
    return ScoreVectors.of_columns([str(number) for number in range(len(values))], {"m": values})


def clusters(documents: int) -> dict[str, str]:
    return {str(number): str(number // SIZE) for number in range(SIZE * documents)}


def share(is_counted: Callable[[np.random.Generator], bool]) -> float:
    return sum(is_counted(np.random.default_rng([number, 1])) for number in range(SIMULATIONS)) / SIMULATIONS


def is_nominal(found: float, expected: float, deviations: float = 3.5) -> bool:
    """Returns whether a share differs from its expectation by no more than the Monte-Carlo error."""
    return abs(found - expected) < deviations * math.sqrt(expected * (1 - expected) / SIMULATIONS)


@pytest.mark.slow
@pytest.mark.parametrize("documents", [8, 25])
def test_the_randomization_test_rejects_five_percent_of_equal_systems(documents: int) -> None:
    def rejects(generator: np.random.Generator, labels: Any) -> bool:
        pair = numbers(generator, documents), numbers(generator, documents)
        (found,) = paired_p_values([pair], resampling=Resampling(200, trials=399), clusters=labels)
        return bool(float(found.p_values["m"]) <= 0.05)

    assert is_nominal(share(lambda generator: rejects(generator, clusters(documents))), 0.05)
    ignored = share(lambda generator: rejects(generator, None))
    assert ignored > 0.12, "inputs of a document are not independent: three times as many rejections"


@pytest.mark.slow
def test_the_studentized_interval_and_the_jackknife_cover_with_few_inputs_and_percentiles_do_not() -> None:
    def covers(generator: np.random.Generator, method: Any) -> bool:
        values = generator.normal(size=10)
        system = ScoreVectors.of_columns([*"abcdefghij"], {"m": values})
        found: Any = bootstrap_intervals([system], Resampling(400, method=method))[0]["m"]
        return bool(found.lower <= 0 <= found.upper)

    for method in ("studentized", "jackknife"):
        assert is_nominal(share(lambda generator, method=method: covers(generator, method)), 0.95), method
    assert share(lambda generator: covers(generator, "percentile")) < 0.92


@pytest.mark.slow
def test_intervals_of_differences_cover_if_clusters_are_drawn_as_wholes() -> None:
    def covers(generator: np.random.Generator, labels: Any) -> bool:
        systems = [numbers(generator, 25), numbers(generator, 25)]
        compared = ComparedSystems(systems, "m", Resampling(400, method="studentized"), labels)
        (found,) = compared.intervals([(0, 1)])
        return bool(found.lower <= 0 <= found.upper)

    assert is_nominal(share(lambda generator: covers(generator, clusters(25))), 0.95)
    assert share(lambda generator: covers(generator, None)) < 0.88
