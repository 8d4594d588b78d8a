"""A small version of the simulation in ``benchmarks/correlation_tests.py``: each test is right in its population."""

from __future__ import annotations

import pytest
from benchmark_modules import benchmark

SIMULATIONS = 300
LIMITS = 0.015, 0.095  # .05 within 3.6 standard errors

RIGHT = [  # coefficient, level, test, models in which the metrics have no error that the test ignores
    ("pearson", "input", "inputs", "AC"),
    ("pearson", "input", "systems", "AB"),
    ("acc-23", "input", "inputs", "AC"),
    ("pearson", "system", "systems", "AB"),
    ("pearson", "system", "williams", "AB"),
    ("pearson", "global", "inputs", "AC"),
    ("pearson", "global", "systems", "AB"),
    ("spa:normal", "system", "systems", "AB"),
]
WRONG = [  # and tests that find differences that are none
    ("pearson", "input", "inputs", "B"),
]


@pytest.fixture(scope="module")
def simulation():
    return benchmark("correlation_tests")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "level", "test", "models"), RIGHT)
def test_a_test_finds_one_false_difference_in_twenty_in_its_population(simulation, name, level, test, models):
    for model in models:
        share = simulation.rejected(model, name, level, test, SIMULATIONS, resamples=199)
        assert LIMITS[0] <= share <= LIMITS[1], model


@pytest.mark.slow
@pytest.mark.parametrize(("name", "level", "test", "models"), WRONG)
def test_tests_are_wrong_outside_their_population(simulation, name, level, test, models):
    assert all(simulation.rejected(model, name, level, test, SIMULATIONS) > 0.1 for model in models)
