"""The native kernel of weighted points equals its twin, and refuses arrays that do not fit together."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics_framework.kernels import dispatch
from metrics_framework.kernels.python import weighted_points as twin

pytestmark = pytest.mark.skipif(dispatch.native_module is None, reason="no native kernels")


def native(*arguments):
    return dispatch.native_module.weighted_points(*arguments)


def whole(values):
    return np.ascontiguousarray(values, dtype=np.int32)


def sums_of(arrays, resamples):
    """Runs the kernel; returns its numbers, shape (11, resamples)."""
    sums = np.zeros((resamples, len(twin.SUMS)), dtype=np.int64)
    assert native(*arrays, sums, resamples)
    return sums.T.tolist()


@st.composite
def points(draw):
    count, resamples = draw(st.integers(1, 40)), draw(st.integers(1, 4))
    generator = np.random.default_rng(draw(st.integers(0, 10_000)))
    codes = generator.integers(0, min(count, draw(st.sampled_from([1, 3, 40]))), count)
    groups = np.sort(generator.integers(0, min(count, draw(st.sampled_from([1, 3, 40]))), count))
    limits = np.minimum(np.sort(generator.integers(0, count, count)), np.arange(count))
    row_of, column_of = generator.integers(0, 3, count), generator.integers(0, 2, count)
    weights = generator.integers(0, 4, (resamples, 3)), generator.integers(0, 3, (resamples, 2))
    return [whole(one) for one in (codes, groups, limits, row_of, column_of, *weights)], resamples


@settings(max_examples=150)
@given(points())
def test_the_kernel_equals_its_twin(case):
    arrays, resamples = case
    codes, groups, limits, row_of, column_of, rows, columns = arrays
    weights = (rows.T[row_of] * columns.T[column_of]).astype(float)
    expected = twin.weighted_points(codes, groups, limits, weights)
    assert sums_of(arrays, resamples) == expected.tolist()
    varying = [np.tile(one, (resamples, 1)) for one in arrays[:4]]
    assert sums_of([*varying, *arrays[4:]], resamples) == expected.tolist()


@pytest.mark.parametrize("dense", [1, 2, 7])
def test_the_twin_does_not_depend_on_the_size_of_its_blocks(dense, monkeypatch):
    generator = np.random.default_rng(3)
    codes, weights = generator.integers(0, 9, 30), generator.integers(0, 4, (30, 5)).astype(float)
    limits = np.minimum(np.sort(generator.integers(0, 30, 30)), np.arange(30))
    of = codes, np.arange(30), limits, weights
    expected = twin.weighted_points(*of).tolist()
    monkeypatch.setattr(twin, "DENSE_POINTS", dense)
    assert twin.weighted_points(*of).tolist() == expected


def test_three_points_by_hand():
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
def test_invalid_arrays_are_refused(index, value, why):
    arrays = [whole(one) for one in VALID]
    arrays[index] = whole(value)
    with pytest.raises(ValueError, match="weighted_points"):
        native(*arrays, np.zeros((1, len(twin.SUMS)), dtype=np.int64), 1)


@pytest.mark.parametrize("resamples", [-1, 0, 2, 2**60])
def test_a_wrong_number_of_resamples_is_refused(resamples):
    with pytest.raises(ValueError, match="weighted_points"):
        native(*(whole(one) for one in VALID), np.zeros((1, len(twin.SUMS)), dtype=np.int64), resamples)


def test_other_objects_are_refused():
    sums = np.zeros((1, len(twin.SUMS)), dtype=np.int64)
    arrays = [whole(one) for one in VALID]
    with pytest.raises(TypeError):
        native(*arrays, sums)
    with pytest.raises((TypeError, ValueError, BufferError)):
        native(*arrays, bytes(88), 1)
    with pytest.raises((TypeError, ValueError, BufferError)):
        native([0, 1], *arrays[1:], sums, 1)
    with pytest.raises((TypeError, ValueError, BufferError)):
        native(np.zeros((4, 4), dtype=np.int32)[:, :2], *arrays[1:], sums, 1)
    with pytest.raises(ValueError, match="weighted_points"):
        native(memoryview(bytearray(9))[1:], *arrays[1:], sums, 1)


def test_large_weights_are_left_to_python():
    arrays = [whole(one) for one in VALID]
    sums = np.zeros((1, len(twin.SUMS)), dtype=np.int64)
    arrays[5] = whole([[1 << 19, 1 << 19]])
    assert native(*arrays, sums, 1)
    arrays[5] = whole([[1 << 20, 1]])
    assert not native(*arrays, sums, 1)
    arrays[5], arrays[6] = whole([[2**31 - 1, 2**31 - 1]]), whole([[2**31 - 1]])
    assert not native(*arrays, sums, 1)
