"""The native kernel of weighted points equals its twin, and refuses arrays that do not fit together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samsa_cases import Case

from metrics_framework.kernels import dispatch
from metrics_framework.kernels.python import weighted_points as twin

pytestmark = pytest.mark.skipif(dispatch.native_module is None, reason="no native kernels")

ALL = int(twin.EVERYTHING)


def native(*arguments):
    return dispatch.native_module.weighted_points(*arguments)


def whole(values):
    return np.ascontiguousarray(values, dtype=np.int32)


def sums_of(arrays, resamples, wanted=ALL):
    """Runs the kernel; returns its numbers, shape (10, resamples)."""
    sums = np.full((resamples, len(twin.SUMS)), -1, dtype=np.int64)
    assert native(*arrays, sums, resamples, wanted)
    return sums.T.tolist()


def expected_sums(arrays, wanted=ALL):
    codes, groups, limits, row_of, column_of, rows, columns = arrays
    weights = (rows.T[row_of] * columns.T[column_of]).astype(float)
    return twin.weighted_points(codes, groups, limits, weights, twin.Wanted(wanted)).tolist()


def random_points(generator, count, resamples, values, heaviest, shape=(3, 2)):
    """Draws points, and weights below a number for each row and column; 1 stands for a weight of 1."""
    codes = generator.permutation(count) if values is None else generator.integers(0, min(count, values), count)
    groups = np.sort(generator.integers(0, min(count, values or count), count))
    limits = np.minimum(np.sort(generator.integers(0, count, count)), np.arange(count))
    of = [generator.integers(0, size, count) for size in shape]
    weights = [
        np.ones((resamples, size)) if most == 1 else generator.integers(0, most, (resamples, size))
        for size, most in zip(shape, heaviest, strict=True)
    ]
    return [whole(one) for one in (codes, groups, limits, *of, *weights)]


# The kernel sums from 12 resamples on in groups of 32, if no point can weigh more than 255.
COUNTS_OF_RESAMPLES = [1, 2, 11, 12, 31, 32, 33, 70]


@st.composite
def points(draw):
    count, resamples = draw(st.integers(1, 40)), draw(st.sampled_from(COUNTS_OF_RESAMPLES))
    generator = np.random.default_rng(draw(st.integers(0, 10_000)))
    heaviest = draw(st.tuples(*2 * [st.sampled_from([1, 2, 4, 9, 16, 40])]))
    return random_points(generator, count, resamples, draw(st.sampled_from([None, 1, 3, 40])), heaviest), resamples


@settings(max_examples=150)
@given(points(), st.integers(0, ALL))
def test_the_kernel_equals_its_twin(case: Case, wanted: Any) -> None:
    arrays, resamples = case
    expected = expected_sums(arrays, wanted)
    assert sums_of(arrays, resamples, wanted) == expected
    varying = [np.tile(one, (resamples, 1)) for one in arrays[:4]]
    assert sums_of([*varying, *arrays[4:]], resamples, wanted) == expected


MANY = [  # points, values, heaviest rows and columns, why
    (600, None, (1, 2), "codes are distinct and columns are swapped"),
    (600, None, (2, 1), "codes are distinct and rows are swapped"),
    (2500, None, (1, 9), "running sums of a block take several steps"),
    (2500, None, (9, 1), "weights of rows"),
    (2500, None, (8, 8), "each point has its own weights, and products need 32 bits"),
    (2500, 40, (1, 16), "values of many points"),
    (2500, 2, (16, 1), "almost all points are tied"),
    (2500, 1, (4, 4), "all points are tied"),
    (2500, 700, (16, 16), "weights are as large as lanes allow"),
]


@pytest.mark.parametrize(("count", "values", "heaviest", "why"), MANY)
def test_many_points(count: int, values: list[float], heaviest: Any, why: str) -> None:
    arrays = random_points(np.random.default_rng(4), count, 33, values, heaviest, shape=(15, 60))
    assert sums_of(arrays, 33) == expected_sums(arrays)


def test_rows_and_columns_may_share_memory() -> None:
    arrays = random_points(np.random.default_rng(5), 50, 20, None, (1, 4), shape=(6, 6))
    arrays[4] = arrays[3]
    assert sums_of(arrays, 20) == expected_sums(arrays)


def test_resamples_that_weigh_more_than_lanes_hold() -> None:
    arrays = random_points(np.random.default_rng(6), 3000, 70, 300, (1, 2), shape=(3, 200))
    arrays[5][40:] = 100
    expected = expected_sums(arrays)
    assert max(expected[0]) > 1 << 17
    assert sums_of(arrays, 70) == expected
    arrays[5][69] = 1000  # above 255, so all resamples are summed one by one
    sums = np.zeros((70, len(twin.SUMS)), dtype=np.int64)
    assert not native(*arrays, sums, 70, ALL)


def test_a_group_of_resamples_that_weighs_too_much_is_left_to_python() -> None:
    arrays = random_points(np.random.default_rng(6), 9000, 40, 300, (1, 2), shape=(3, 200))
    arrays[5][39] = 255
    assert not native(*arrays, np.zeros((40, len(twin.SUMS)), dtype=np.int64), 40, ALL)


def test_three_points_by_hand() -> None:
    # Weights 2, 0, 3: the last point has the first (2 copies) and the second in its prefix; its code is greater.
    arrays = [whole(one) for one in ([0, 1, 2], [0, 1, 2], [0, 0, 2], [0, 1, 2], [0, 0, 0], [[2, 0, 3]], [[1]])]
    found = dict(zip(twin.SUMS, np.array(sums_of(arrays, 1))[:, 0].tolist(), strict=True))
    assert found["points"] == 5
    assert (found["less"], found["equal"], found["greater"]) == (6, 0, 0)
    assert found["squares_codes"] == 13
    assert found["distinct_codes"] == 2
    assert found["rank_products"] == 2 * 3 * 3 + 3 * 2 * 2  # the centred ranks are −1.5 and 1, doubled


VALID = ([0, 1], [0, 1], [0, 1], [0, 1], [0, 0], [[1, 1]], [[1]])
INVALID = [  # index of the array, its value, why
    (0, [0, 2], "a code is no index of a point"),
    (0, [-1, 0], "a code is negative"),
    (1, [0, 2], "a group is no index of a point"),
    (1, [1, 0], "groups are not ascending"),
    (2, [0, 2], "a prefix is longer than the points before"),
    (2, [1, 0], "a prefix has its own point"),
    (2, [0, -1], "a prefix has a negative length"),
    (3, [0, 2], "there is no such row"),
    (4, [0, 1], "there is no such column"),
    (5, [[1, -1]], "a weight is negative"),
    (6, [[-1]], "a weight is negative"),
    (0, [0, 1, 1], "there is one code too many"),
    (3, [0], "a row is missing"),
    (4, [0], "a column is missing"),
    (5, [], "there are no rows"),
]


@pytest.mark.parametrize(("index", "value", "why"), INVALID)
def test_invalid_arrays_are_refused(index: Any, value: Any, why: str) -> None:
    arrays = [whole(one) for one in VALID]
    arrays[index] = whole(value)
    with pytest.raises(ValueError, match="weighted_points"):
        native(*arrays, np.zeros((1, len(twin.SUMS)), dtype=np.int64), 1, ALL)


@pytest.mark.parametrize(
    ("resamples", "wanted"), [*((count, ALL) for count in (-1, 0, 2, 2**60)), (1, -1), (1, ALL + 1)]
)
def test_wrong_numbers_are_refused(resamples: str, wanted: Any) -> None:
    with pytest.raises(ValueError, match="weighted_points"):
        native(*(whole(one) for one in VALID), np.zeros((1, len(twin.SUMS)), dtype=np.int64), resamples, wanted)


def test_sums_that_are_not_wanted_are_zero() -> None:
    arrays = random_points(np.random.default_rng(7), 30, 12, None, (2, 2))
    everything = dict(zip(twin.SUMS, sums_of(arrays, 12), strict=True))
    for wanted in range(ALL + 1):
        found = dict(zip(twin.SUMS, sums_of(arrays, 12, wanted), strict=True))
        for name, group in twin.SUMS.items():
            assert found[name] == (everything[name] if group in twin.Wanted(wanted) else [0] * 12)


def test_other_objects_are_refused() -> None:
    sums = np.zeros((1, len(twin.SUMS)), dtype=np.int64)
    arrays = [whole(one) for one in VALID]
    with pytest.raises(TypeError):
        native(*arrays, sums)
    with pytest.raises(TypeError):
        native(*arrays, sums, 1)
    with pytest.raises((TypeError, ValueError, BufferError)):
        native(*arrays, bytes(80), 1, ALL)
    with pytest.raises((TypeError, ValueError, BufferError)):
        native([0, 1], *arrays[1:], sums, 1, ALL)
    with pytest.raises((TypeError, ValueError, BufferError)):
        native(np.zeros((4, 4), dtype=np.int32)[:, :2], *arrays[1:], sums, 1, ALL)
    with pytest.raises(ValueError, match="weighted_points"):
        native(memoryview(bytearray(9))[1:], *arrays[1:], sums, 1, ALL)


def test_large_weights_are_left_to_python() -> None:
    arrays = [whole(one) for one in VALID]
    sums = np.zeros((1, len(twin.SUMS)), dtype=np.int64)
    arrays[5] = whole([[1 << 19, 1 << 19]])
    assert native(*arrays, sums, 1, ALL)
    arrays[5] = whole([[1 << 20, 1]])
    assert not native(*arrays, sums, 1, ALL)
    arrays[5], arrays[6] = whole([[2**31 - 1, 2**31 - 1]]), whole([[2**31 - 1]])
    assert not native(*arrays, sums, 1, ALL)
    many = [*arrays[:5], np.tile(arrays[5], (40, 1)), np.tile(arrays[6], (40, 1))]
    assert not native(*many, np.zeros((40, len(twin.SUMS)), dtype=np.int64), 40, ALL)
