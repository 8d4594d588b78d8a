"""Totals: of scores as dictionaries and as tables, and exact sums with the same digits in any order."""

from __future__ import annotations

import math
import random
from array import array
from fractions import Fraction
from math import nan
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics_framework import InputError
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.metrics.base.batch_scores import BatchScores, Vectors
from metrics_framework.metrics.base.totals import ExactSum, MeanTotal, Total, exact_partials, leaves, nested

PATHS: list[tuple[Any, ...]] = [("a",), ("b", "c"), ("b", "d"), ("e", 0)]
NUMBERS = st.sampled_from([0.1, 0.7, 1e-9, 3e8, -0.0]) | st.floats(-1e3, 1e3)
ROWS = st.lists(st.tuples(st.integers(0, 2), *[NUMBERS | st.just(nan)] * 4), min_size=1, max_size=12)


def as_dictionaries(rows: Any) -> BatchScores:
    return BatchScores([MetricsDict({"a": a, "b": {"c": c, "d": d}, "e": [e]}) for _, a, c, d, e in rows])


def as_table(rows: Any) -> BatchScores:
    numbers = array("d", [number for _, *scores in rows for number in scores])
    return BatchScores([], vectors=Vectors(bytearray(numbers.tobytes()), len(PATHS), 0, PATHS))


def members_of(rows: Any) -> dict[int, list[int]]:
    members: dict[int, list[int]] = {}
    for index, (system, *_) in enumerate(rows):
        members.setdefault(system, []).append(index)
    return members


def described(total: Total) -> Any:
    return repr(total.score()), total.count, dict(total.undefined)


@settings(max_examples=50)
@given(st.lists(ROWS, min_size=1, max_size=3))
def test_totals_of_a_table_are_those_of_dictionaries(batches: Any) -> None:
    found = []
    for forms in ([as_dictionaries], [as_table], [as_table, as_dictionaries]):  # a kernel may leave batches to Python
        totals = [MeanTotal() for _ in range(4)]
        for number, rows in enumerate(batches):
            results = forms[number % len(forms)](rows)
            totals[0].add_batch(results, None, len(rows))
            for system, outputs in members_of(rows).items():
                totals[1 + system].add_batch(results, outputs, len(outputs))
        found.append([described(total) for total in totals if total.count])
    assert found[0] == found[1] == found[2]


# ---- exact sums ------------------------------------------------------------------------------------------------------

FLOATS = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300)


@given(st.lists(FLOATS, max_size=30))
def test_partial_sums_are_the_exact_sum(values: list[float]) -> None:
    partials = exact_partials(values)
    assert sum(map(Fraction, partials), Fraction(0)) == sum(map(Fraction, values), Fraction(0))


@given(st.lists(st.one_of(FLOATS, st.integers(-(2**40), 2**40)), min_size=1, max_size=30), st.randoms())
def test_sums_do_not_depend_on_order_and_parts(values: list[float], generator: random.Random) -> None:
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


def test_sums_of_integers_are_integers() -> None:
    total = ExactSum()
    total.add([1, 2**70, None])
    assert (total.value, type(total.value), total.count) == (2**70 + 1, int, 2)


def test_infinite_sums_are_kept() -> None:
    assert exact_partials([math.inf, 1.0]) == [math.inf]
    assert math.isnan(exact_partials([math.inf, -math.inf])[0])
    assert exact_partials([1.7e308, 1.7e308]) == [math.inf]


def test_nested_scores_are_taken_apart_and_put_together() -> None:
    rows = [{"a": {"b": 1.0, "c": [1.0, 2.0]}, "d": 3}, {"a": {"b": 4.0, "c": [5.0, 6.0]}, "d": None}]
    found = dict(leaves(rows))
    assert found == {("a", "b"): [1.0, 4.0], ("a", "c", 0): [1.0, 5.0], ("a", "c", 1): [2.0, 6.0], ("d",): [3, None]}
    assert nested({path: values[0] for path, values in found.items()}) == rows[0]


@pytest.mark.parametrize("other", [{"a": {"c": 1}}, {"a": 1}, {"b": {"b": 1}}, {"a": {"b": 1}, "c": 2}])
def test_rows_with_different_scores_are_reported(other: object) -> None:
    with pytest.raises(InputError, match="must return the same scores for every output"):
        dict(leaves([{"a": {"b": 1}}, other]))
