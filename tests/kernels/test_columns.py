"""Columns of texts and numbers, what they contain and their sums: the native functions and their twins."""

from __future__ import annotations

from array import array
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from twins import Subclassed, random_groups, requires_native

from metrics_framework.kernels import dispatch
from metrics_framework.kernels.dispatch import Request, native_kernel
from metrics_framework.kernels.python import columns
from metrics_framework.kernels.python.columns import vector_sums
from metrics_framework.metrics.base import batch_scores
from metrics_framework.metrics.base.batch_scores import Vectors
from metrics_framework.metrics.base.metric import load

CASES = [  # arguments, kinds, expected, why
    ((["a"], [["b"]]), "tl", True, "one text, one list of texts"),
    ((("a",), (("b",),)), "tl", True, "tuples"),
    (([], []), "tl", True, "nothing"),
    (([[]], [["b"]]), "gl", True, "an empty group"),
    ((["a"], [[]]), "tl", False, "no reference"),
    ((["a"], ["b"]), "tl", False, "a text instead of a list"),
    ((["a", "b"], [["b"]]), "tl", False, "different lengths"),
    ((["a"],), "tl", False, "an argument less"),
    (("a", [["b"]]), "tl", False, "a string is no list"),
    (([["a", "b"]], [["b"]]), "tl", False, "a text that is a list of sentences"),
    (([Subclassed("a")],), "t", False, "a subclass of str"),
    (([1],), "?", False, "another kind of value"),
    ((iter(["a"]),), "t", False, "an iterator"),
    (([["a", None]],), "g", False, "null"),
    (([["\ud800", "😀", ""]],), "g", True, "any characters"),
    ((["a]b", ""], [["(b"], ["c"]], [["猫"], []]), "TLG", True, "no text that may be a written list"),
    ((["a (b)"],), "T", False, "a text that ends in a parenthesis"),
]


@pytest.mark.parametrize("checks", [columns, pytest.param(dispatch.native_module, marks=requires_native)])
@pytest.mark.parametrize(("arguments", "kinds", "expected", "why"), CASES)
def test_plain_arguments(arguments: tuple[Any, ...], kinds: str, expected: bool, why: str, checks: Any) -> None:
    assert checks.are_plain(arguments, kinds) is expected


TEXTS = st.one_of(st.text(max_size=3), st.just("a)"), st.none(), st.builds(Subclassed, st.text(max_size=2)))
VALUES = st.one_of(
    TEXTS, st.lists(TEXTS, max_size=2), st.tuples(TEXTS), st.lists(st.lists(TEXTS, max_size=2), max_size=2)
)


@requires_native
@given(st.lists(st.one_of(st.lists(VALUES, max_size=3), TEXTS), max_size=3), st.text("tlgTLG?", max_size=3))
def test_the_native_check_is_that_of_the_twin(arguments: list[Any], kinds: str) -> None:
    assert dispatch.native_module is not None
    assert dispatch.native_module.are_plain(tuple(arguments), kinds) is columns.are_plain(tuple(arguments), kinds)


@requires_native
def test_wrong_calls_of_the_native_check_are_refused() -> None:
    assert dispatch.native_module is not None
    for arguments in ((["a"], "t"), ((["a"],),), ((["a"],), 1)):
        with pytest.raises(TypeError):
            dispatch.native_module.are_plain(*arguments)


OBJECTS = [[str(index)] for index in range(40)]


@requires_native
@given(st.lists(st.sampled_from(OBJECTS), max_size=200), st.sampled_from([list, tuple]))
def test_objects_are_counted_as_by_the_twin(values: list[Any], kind: Any) -> None:
    assert dispatch.native_module is not None
    assert dispatch.native_module.count_objects(kind(values)) == columns.count_objects(kind(values))


def test_equal_objects_are_counted_apart() -> None:
    assert dispatch.count_objects([["a"], ["a"], OBJECTS[0], OBJECTS[0]]) == 3


@requires_native
def test_only_the_objects_of_lists_and_tuples_are_counted() -> None:
    assert dispatch.native_module is not None
    for values in ("ab", {"a"}, iter(["a"]), None):
        with pytest.raises(TypeError):
            dispatch.native_module.count_objects(values)


TABLES = st.integers(1, 4).flatmap(
    lambda width: st.tuples(
        st.just(width),
        st.lists(st.lists(st.floats(), min_size=width, max_size=width), max_size=9),
        st.none() | st.lists(st.integers(-1, 9), max_size=9),
        st.none() | st.lists(st.floats() | st.integers(-9, 9), min_size=width, max_size=width),
    )
)


def table(rows: list[list[float]]) -> bytearray:
    return bytearray(array("d", [number for row in rows for number in row]).tobytes())


def outcome(function: Any, *arguments: Any) -> Any:
    try:
        return list(map(repr, function(*arguments)))  # tells 0.0, -0.0 and nan apart
    except ValueError:
        return ValueError


@requires_native
@given(TABLES)
def test_the_kernel_adds_like_its_twin(given: tuple[int, Any, Any, Any]) -> None:
    width, rows, chosen, start = given
    arguments = (table(rows), width, chosen, start)
    assert outcome(batch_scores.vector_sums, *arguments) == outcome(vector_sums, *arguments)


@pytest.mark.parametrize(
    ("data", "width", "rows", "start"),
    [
        (b"", 1, None, None),
        (b"", 1, [], None),
        (b"1234567", 1, None, None),
        (bytes(8), 2, None, None),
        (bytes(8), 0, None, None),
        (bytes(8), -1, None, None),
        (bytes(8), 1, [1], None),
        (bytes(8), 1, [-1], None),
        (bytes(8), 1, None, []),
        (bytes(8), 1, None, [1.0, 2.0]),
    ],
)
@pytest.mark.parametrize("function", [batch_scores.vector_sums, vector_sums])
def test_wrong_tables_are_refused(function: Any, data: bytes, width: int, rows: Any, start: Any) -> None:
    with pytest.raises(ValueError, match=r"no such row|must have|must be"):
        function(bytearray(data), width, rows, start)


@given(
    st.lists(st.tuples(st.integers(0, 1 << 54), st.floats(0, 1e300)), min_size=1, max_size=9),
    st.none() | st.lists(st.integers(0, 8), max_size=9),
    st.booleans(),
)
def test_statistics_are_added_as_one_by_one(numbers: Any, chosen: list[int] | None, reversed_rows: bool) -> None:
    rows = [[float(whole), number] for whole, number in numbers]
    count = len(rows)
    batch = Vectors(table(rows), 2, 1)
    if reversed_rows:
        batch = Vectors(table(rows[::-1]), 2, 1, rows=list(reversed(range(count))))
    outputs = None if chosen is None else [output % count for output in chosen]
    expected = [7, 0.1]
    for output in range(count) if outputs is None else outputs:
        expected = [expected[0] + int(rows[output][0]), expected[1] + rows[output][1]]
    assert batch.added_to([7, 0.1], outputs) == expected
    assert list(map(type, batch.added_to([7, 0.1], outputs))) == [int, float]
    assert [batch.row(output) for output in range(count)] == [[int(whole), number] for whole, number in rows]
    assert list(batch.column(1)) == [number for _, number in rows]


def test_nothing_is_added_to_nothing() -> None:
    assert Vectors(bytearray(), 2, 1).added_to(None) == []
    assert Vectors(bytearray(), 2, 1).added_to([1, 0.5]) == [1, 0.5]


# ---- tables of kernels ----------------------------------------------------------------------------------------------


@requires_native
@pytest.mark.parametrize("name", ["autosummeng", "bleu", "chrf", "google-rouge", "rouge", "sari", "ter", "wer"])
def test_a_table_has_what_kernels_add_up(name: str) -> None:
    metric = load(name)
    request = Request.SCORES | Request.STATISTICS | Request.SUM | Request.VECTORS
    groups = random_groups(7, 40, len(metric.fields))
    scores, statistics, total, (data, width, whole, paths) = metric.native(
        native_kernel(metric.kernel_name, request), *groups
    )
    batch = Vectors(data, width, whole, paths)
    assert batch.added_to(None) == total
    assert len(scores) > 40
    if metric.kernel_adds_scores:
        assert ["_".join(map(str, path)) for path in paths] == list(scores[0].flatten())
        statistics = [list(one.flatten().values()) for one in scores]
    else:
        assert paths is None
    assert [batch.row(output) for output in range(len(scores))] == statistics
