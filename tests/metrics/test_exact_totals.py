"""Exact sums: the same digits in any order."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics_framework import InputError
from metrics_framework.metrics.base.exact_totals import ExactSum, exact_partials, leaves, nested

FLOATS = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300)


@given(st.lists(FLOATS, max_size=30))
def test_partial_sums_are_the_exact_sum(values):
    partials = exact_partials(values)
    assert sum(map(Fraction, partials), Fraction(0)) == sum(map(Fraction, values), Fraction(0))


@given(st.lists(st.one_of(FLOATS, st.integers(-(2**40), 2**40)), min_size=1, max_size=30), st.randoms())
def test_sums_do_not_depend_on_order_and_parts(values, generator):
    whole = ExactSum()
    whole.add(values)
    generator.shuffle(values)
    parts = [ExactSum() for _ in range(3)]
    for value in values:
        generator.choice(parts).add([value])
    merged = ExactSum()
    for part in parts:
        merged.merge(ExactSum(*part.state()))
    assert (merged.value, merged.count) == (whole.value, len(values))
    assert merged.value == math.fsum(values)


def test_sums_of_integers_are_integers():
    total = ExactSum()
    total.add([1, 2**70, None])
    assert (total.value, type(total.value), total.count) == (2**70 + 1, int, 2)


def test_infinite_sums_are_kept():
    assert exact_partials([math.inf, 1.0]) == [math.inf]
    assert math.isnan(exact_partials([math.inf, -math.inf])[0])
    assert exact_partials([1.7e308, 1.7e308]) == [math.inf]


def test_nested_scores_are_taken_apart_and_put_together():
    rows = [{"a": {"b": 1.0, "c": [1.0, 2.0]}, "d": 3}, {"a": {"b": 4.0, "c": [5.0, 6.0]}, "d": None}]
    found = dict(leaves(rows))
    assert found == {("a", "b"): [1.0, 4.0], ("a", "c", 0): [1.0, 5.0], ("a", "c", 1): [2.0, 6.0], ("d",): [3, None]}
    assert nested({path: values[0] for path, values in found.items()}) == rows[0]


@pytest.mark.parametrize("other", [{"a": {"c": 1}}, {"a": 1}, {"b": {"b": 1}}, {"a": {"b": 1}, "c": 2}])
def test_rows_with_different_scores_are_reported(other):
    with pytest.raises(InputError, match="must return the same scores for every output"):
        dict(leaves([{"a": {"b": 1}}, other]))
