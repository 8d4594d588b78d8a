"""Small versions of the checks in `benchmarks/plan.py`: studies of the planned size achieve what is promised."""

from __future__ import annotations

import pytest
from benchmark_modules import benchmark


@pytest.fixture(scope="module")
def plans():
    return benchmark("plan")


@pytest.mark.parametrize("index", [0, 1, 5, 8, 12, 20])
def test_independent_studies_agree_with_the_plan(plans, index) -> None:
    row = [*plans.rows()][index]
    line, error = plans.check(row, 3, 400)
    assert abs(error) <= 0.08, line


@pytest.mark.slow
def test_every_plan_achieves_what_it_promises(plans) -> None:
    for row in plans.rows():
        line, error = plans.check(row, 3, 1000)
        assert abs(error) <= 0.06, line
