"""What lists of arguments contain: the native functions and their twins."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from twins import Subclassed, requires_native

from metrics_framework.kernels import dispatch
from metrics_framework.kernels.python import plain

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
]


@pytest.mark.parametrize(("arguments", "kinds", "expected", "why"), CASES, ids=[case[3] for case in CASES])
def test_plain_arguments(arguments: tuple[Any, ...], kinds: str, expected: bool, why: str) -> None:
    assert plain.are_plain(arguments, kinds) is expected


@requires_native
@pytest.mark.parametrize(("arguments", "kinds", "expected", "why"), CASES, ids=[case[3] for case in CASES])
def test_plain_arguments_natively(arguments: tuple[Any, ...], kinds: str, expected: bool, why: str) -> None:
    assert dispatch.native_module is not None
    assert dispatch.native_module.are_plain(arguments, kinds) is expected


TEXTS = st.one_of(st.text(max_size=3), st.none(), st.builds(Subclassed, st.text(max_size=2)))
VALUES = st.one_of(
    TEXTS, st.lists(TEXTS, max_size=2), st.tuples(TEXTS), st.lists(st.lists(TEXTS, max_size=2), max_size=2)
)


@requires_native
@given(st.lists(st.one_of(st.lists(VALUES, max_size=3), TEXTS), max_size=3), st.text("tlg?", max_size=3))
def test_the_native_check_is_that_of_the_twin(arguments: list[Any], kinds: str) -> None:
    assert dispatch.native_module is not None
    assert dispatch.native_module.are_plain(tuple(arguments), kinds) is plain.are_plain(tuple(arguments), kinds)


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
    assert dispatch.native_module.count_objects(kind(values)) == plain.count_objects(kind(values))


def test_equal_objects_are_counted_apart() -> None:
    assert dispatch.count_objects([["a"], ["a"], OBJECTS[0], OBJECTS[0]]) == 3


@requires_native
def test_only_the_objects_of_lists_and_tuples_are_counted() -> None:
    assert dispatch.native_module is not None
    for values in ("ab", {"a"}, iter(["a"]), None):
        with pytest.raises(TypeError):
            dispatch.native_module.count_objects(values)
