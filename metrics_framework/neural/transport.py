"""Optimal transport: the least cost of moving one distribution of weights to another, exactly."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from metrics_framework.common.errors import ProcessError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]


def transport_cost(supplies: Array, demands: Array, costs: Array) -> float:
    """Returns the earth mover's distance between two weighted sets of points.

    It is the optimum of the linear program: minimize Σ costs · flow for flow ≥ 0, whose rows add up to the supplies and
    whose columns add up to the demands; both are divided by their sums first. If all weights are equal, and there are
    as many supplies as demands, an assignment is optimal; otherwise HiGHS solves the program with the dual simplex.

    Args:
        supplies: The weights of the first set, of shape (n,).
        demands: The weights of the second set, of shape (m,).
        costs: The cost of moving a unit from each point to each other point, of shape (n, m).

    Returns:
        The cost; NaN if all weights of a set are 0.

    Raises:
        ProcessError: if the solver fails, as it does for costs that are not finite.

    >>> import numpy as np
    >>> transport_cost(np.array([1.0, 1.0]), np.array([3.0]), np.array([[2.0], [4.0]]))
    3.0
    """
    rows, columns = supplies > 0, demands > 0
    if not rows.any() or not columns.any():
        return math.nan
    supplies, demands = supplies[rows] / supplies[rows].sum(), demands[columns] / demands[columns].sum()
    costs = costs[rows][:, columns]
    if 1 in costs.shape:
        return float(supplies @ costs @ demands)
    if len(supplies) == len(demands) and supplies.max() == supplies.min() and demands.max() == demands.min():
        from scipy.optimize import linear_sum_assignment

        return float(costs[linear_sum_assignment(costs)].mean())
    return _by_linear_program(supplies, demands, costs)


def _by_linear_program(supplies: Array, demands: Array, costs: Array) -> float:
    import numpy as np
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    number, width = costs.shape
    flows = np.arange(costs.size)
    # One constraint per supply and per demand; the last one follows from the others.
    constraints = csr_array(
        (np.ones(2 * costs.size), (np.concatenate([flows // width, number + flows % width]), np.tile(flows, 2))),
        shape=(number + width, costs.size),
    )[:-1]
    found = linprog(costs.ravel(), A_eq=constraints, b_eq=np.concatenate([supplies, demands])[:-1], method="highs-ds")
    if found.status:
        raise ProcessError(f"the transport of {number} to {width} tokens cannot be computed: {found.message}")
    return float(found.fun)
