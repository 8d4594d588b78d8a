"""Sums of columns: the native kernel and its twin."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from twins import requires_native

from metrics_framework.kernels import dispatch
from metrics_framework.kernels.python.column_sums import column_sums

NUMBERS = st.one_of(st.integers(), st.integers(-(1 << 54), 1 << 54), st.integers(-9, 9), st.floats(), st.booleans())
VECTORS = st.integers(0, 4).flatmap(
    lambda size: st.lists(st.lists(NUMBERS, min_size=size, max_size=size), min_size=1, max_size=30)
)


def added(vectors: list[Any]) -> list[Any]:
    """Returns the sums as totals add them."""
    sums = dispatch.native_column_sums(vectors)
    return column_sums(vectors) if sums is None else sums


def described(numbers: list[Any]) -> list[tuple[str, str]]:
    return [(type(number).__name__, repr(number)) for number in numbers]  # tells 0.0, -0.0, 0 and nan apart


@requires_native
@given(VECTORS)
def test_the_kernel_adds_like_its_twin(vectors: list[list[Any]]) -> None:
    try:
        expected = described(column_sums(vectors))
    except OverflowError:  # an integer beyond the largest float
        with pytest.raises(OverflowError):
            added(vectors)
    else:
        assert described(added(vectors)) == expected


def test_floats_are_added_from_left_to_right() -> None:
    assert added([[0.1], [0.2], [0.3]]) == [0.6000000000000001]
    assert added([[1e16], [1.0], [1.0]]) == [1e16]


def test_the_first_number_is_not_added_to_zero() -> None:
    assert math.copysign(1, added([[-0.0]])[0]) == -1


def test_integers_stay_integers_of_any_size() -> None:
    assert described(added([[1, 1 << 62], [2, 1 << 62], [3, 1 << 62]])) == [
        ("int", "6"),
        ("int", str(3 << 62)),
    ]


def test_nothing_but_equal_lists_is_added_by_the_kernel() -> None:
    assert added([(1, 2), (3, 4)]) == [4, 6]
    with pytest.raises(ValueError, match="shorter"):
        added([[1, 2], [3]])
