"""Transport costs against SciPy's linear program, and worked by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from metrics_framework.common.errors import ProcessError
from metrics_framework.neural.embeddings import transport_cost


def by_linear_program(supplies: Any, demands: Any, costs: Any) -> float:
    """The definition: one dense constraint per supply and per demand."""
    number, width = costs.shape
    rows = np.kron(np.eye(number), np.ones(width))
    columns = np.kron(np.ones(number), np.eye(width))
    weights = np.concatenate([supplies / supplies.sum(), demands / demands.sum()])
    return float(linprog(costs.ravel(), A_eq=np.vstack([rows, columns]), b_eq=weights, method="highs").fun)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 9), st.integers(1, 9), st.integers(0, 2**32 - 1), st.sampled_from(["random", "equal", "sparse"]))
def test_costs_equal_those_of_a_linear_program(number: int, width: int, seed: int, kind: str) -> None:
    draw = np.random.default_rng(seed)
    supplies, demands = draw.random(number) + 0.01, draw.random(width) + 0.01
    if kind == "equal":
        supplies, demands = np.ones(number), np.ones(width)
    if kind == "sparse":
        supplies[1:] *= draw.random(number - 1) < 0.5
    costs = draw.random((number, width))
    expected = by_linear_program(supplies, demands, costs)
    assert transport_cost(supplies, demands, costs) == pytest.approx(expected, abs=1e-9)
    assert transport_cost(demands, supplies, costs.T) == pytest.approx(expected, abs=1e-9)


def test_nothing_to_move_has_no_cost() -> None:
    assert math.isnan(transport_cost(np.zeros(2), np.ones(1), np.ones((2, 1))))
    assert math.isnan(transport_cost(np.ones(2), np.zeros(0), np.ones((2, 0))))


def test_a_failed_solution_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    class Failed:
        status, message = 4, "numerical difficulties"

    monkeypatch.setattr("scipy.optimize.linprog", lambda *arguments, **options: Failed())
    with pytest.raises(ProcessError, match="the transport of 2 to 3 tokens cannot be computed: numerical difficulties"):
        transport_cost(np.ones(2), np.ones(3), np.ones((2, 3)))
