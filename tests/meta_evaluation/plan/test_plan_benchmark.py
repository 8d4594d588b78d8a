"""Small versions of the checks in `benchmarks/plan.py`: studies of the planned size achieve what is promised."""

from __future__ import annotations

import pytest
from benchmark_modules import benchmark

PLANS = 32
QUICK = (0, 4, 10, 19)
INDICES = [index if index in QUICK else pytest.param(index, marks=pytest.mark.slow) for index in range(PLANS)]


@pytest.fixture(scope="module")
def plans():
    return benchmark("plan")


@pytest.mark.parametrize("index", INDICES)
def test_every_plan_from_assumptions_achieves_what_it_promises(plans, index) -> None:
    rows = [row for row in plans.rows() if not row.pilot]
    assert len(rows) == PLANS, "each plan has a test of its own, so that processes share the work"
    line, error = plans.check(rows[index], 3, 400)
    assert abs(error) <= rows[index].allowed + 0.01, line


@pytest.mark.slow
@pytest.mark.parametrize("index", [4, -2])
def test_studies_achieve_the_mean_promise_of_pilots(plans, index, monkeypatch) -> None:
    monkeypatch.setattr(plans, "PILOTS", 3)
    row = [*plans.pilot_rows()][index]
    line, error = plans.check(row, 3, 300)
    assert row.pilot >= 400
    assert abs(error) <= 0.15, line
