"""Exact p-values of permutation tests.

The p-values were computed with ``scipy.stats.permutation_test`` (``permutation_type="samples"``, all permutations) and,
independently, by enumerating all swaps.
"""

import pytest
from difference_cases import FIRST, HUMAN, SECOND
from messages import FOR_OTHER_SYSTEMS_AND_INPUTS

from metrics_framework.meta_evaluation import difference

CASES = [  # coefficient, level, values of both metrics, p-values of the tests `systems` and `inputs`
    ("pearson", "input", 0.974258305, 0.503394255, 0.125, 0.03125),
    ("pearson", "system", 0.996039968, 0.989547706, 0.625, 0.8125),
    ("pearson", "global", 0.977516061, 0.700741000, 0.125, 0.03125),
    ("pearson", "within-system", 0.972778523, 0.642373698, None, None),
    ("kendall-b", "input", 0.927392441, 0.384972390, 0.125, 0.0625),
    ("kendall-b", "global", 0.906897882, 0.510163600, 0.125, 0.03125),
    ("acc-eq", "input", 0.916666667, 0.611111111, None, 0.03125),
    ("pdp", "input", 0.965716870, 0.538739795, None, None),
]


@pytest.mark.parametrize(("name", "level", "first", "second", "systems", "inputs"), CASES)
def test_p_values_of_all_permutations(name, level, first, second, systems, inputs):
    for test, p_value, permutations in (("systems", systems, 16), ("inputs", inputs, 64)):
        found = difference(HUMAN, FIRST, SECOND, name, level=level, test=test)
        assert (found.value1, found.value2) == pytest.approx((first, second), abs=1e-9)
        assert (found.permutations, found.is_exact) == (permutations, True)
        if p_value is not None:
            assert found.p_value == p_value


def test_both_is_the_larger_of_two_p_values():
    found = difference(HUMAN, FIRST, SECOND, "pearson", level="input", test="both")
    assert found.p_value == 0.125
    assert found.population == FOR_OTHER_SYSTEMS_AND_INPUTS


def test_few_systems_state_the_least_p_value():
    found = difference(HUMAN, FIRST, SECOND, "pearson", level="input", test="systems")
    assert found.least_p == 2 / 2**4
    assert found.notes == ("there are only 16 permutations of 4 systems: no p-value below 0.125 is possible",)
