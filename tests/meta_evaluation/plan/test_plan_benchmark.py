"""Small versions of the checks in `benchmarks/plan.py`: studies of the planned size achieve what is promised."""

from __future__ import annotations

import pytest
from benchmark_modules import benchmark

PLANS = 32


@pytest.fixture(scope="module")
def plans():
    return benchmark("plan")


@pytest.mark.parametrize("index", [0, 2, 4, 8, 10, 16, 23])
def test_independent_studies_agree_with_the_plan(plans, index) -> None:
    row = [*plans.rows()][index]
    line, error = plans.check(row, 3, 400)
    assert abs(error) <= 0.08, line


@pytest.mark.parametrize("index", [4, -2])
def test_studies_achieve_the_mean_promise_of_pilots(plans, index, monkeypatch) -> None:
    monkeypatch.setattr(plans, "PILOTS", 3)
    row = [*plans.pilot_rows()][index]
    line, error = plans.check(row, 3, 300)
    assert row.pilot >= 400
    assert abs(error) <= 0.15, line


@pytest.mark.slow
@pytest.mark.parametrize("index", range(PLANS))
def test_every_plan_from_assumptions_achieves_what_it_promises(plans, index) -> None:
    rows = [row for row in plans.rows() if not row.pilot]
    assert len(rows) == PLANS, "each plan has a test of its own, so that processes share the work"
    line, error = plans.check(rows[index], 3, 1000)
    assert abs(error) <= rows[index].allowed + 0.01, line
