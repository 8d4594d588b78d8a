"""Many metrics at once: matrices of p-values, and clusters."""

from __future__ import annotations

import numpy as np
import pytest
from difference_cases import FIRST, HUMAN, SECOND

from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation import cluster_ranks, difference, difference_matrix


def square(rows: list[list[float]]) -> np.ndarray:
    matrix = np.full((len(rows) + 1, len(rows) + 1), np.nan)
    for index, row in enumerate(rows):
        matrix[index, index + 1 :] = row
    return matrix


@pytest.mark.parametrize(
    ("p_values", "ranks"),
    [  # by hand, from the rule: a metric opens a cluster if any metric of the current one beats it
        ([[0.2, 0.03, 0.01, 0], [0.2, 0.04, 0], [0.3, 0.01], [0.2]], [1, 1, 2, 2, 3]),
        ([[0.01, 0.3, 0.3], [0.01, 0.3], [0.5]], [1, 2, 3, 3]),
    ],
)
def test_clusters(p_values, ranks):
    assert cluster_ranks(square(p_values)) == ranks


def test_a_matrix_has_the_p_values_of_its_pairs():
    metrics = {"b": SECOND, "a": FIRST, "constant": np.ones_like(FIRST), "reversed": -FIRST}
    found = difference_matrix(HUMAN, metrics, "pearson", level="input", test="inputs", correction="holm")
    assert found.metrics == ("a", "b", "reversed")
    assert found.undefined == ("constant",)
    pair = difference(HUMAN, FIRST, SECOND, "pearson", level="input", test="inputs")
    assert found.p_values[0, 1] == found.p_values[1, 0] == pair.p_value
    assert found.p_in_favour[0, 1] == pair.p_greater
    assert found.adjusted[0, 1] == pytest.approx(3 * pair.p_value)
    assert found.ranks == {"a": 1, "b": 1, "reversed": 1}  # 24 inputs and 3 pairs are too few for corrected p-values
    wmt = difference_matrix(HUMAN, metrics, "pearson", level="input", test="inputs", ranking="wmt")
    assert wmt.ranks == {"a": 1, "b": 2, "reversed": 3}
    assert (wmt.adjusted[0, 1], wmt.ranking_p_values[0, 1]) == (found.adjusted[0, 1], found.p_in_favour[0, 1])


def test_metrics_are_compared_on_the_cells_that_all_of_them_have():
    first = FIRST.copy()
    first[0, 0] = np.nan
    found = difference_matrix(HUMAN, {"a": first, "b": SECOND}, "pearson", level="global", test="inputs")
    assert (found.cells, found.dropped) == (23, 1)
    human = HUMAN.copy()
    human[0, 0] = np.nan
    assert found.values["b"] == difference(human, FIRST, SECOND, "pearson", level="global", test="inputs").value2


def test_a_matrix_of_another_shape_is_refused():
    with pytest.raises(InputError, match="'b' must have the shape"):
        difference_matrix(HUMAN, {"a": FIRST, "b": SECOND[:2]}, "pearson", level="global", test="inputs")
