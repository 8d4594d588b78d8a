from __future__ import annotations

import re
from typing import Any

import pytest
from messages import IS_NULL, NOT_A_TEXT, NOT_TEXT

from metrics_framework.common.errors import InputError
from metrics_framework.data.fields import check_field, context_key
from metrics_framework.data.texts import as_string, check_text, check_texts, is_text, shown

TEXTS = [  # value, whether it is a text, why
    ("", True, "an empty string"),
    ("a", True, "a string"),
    (["a", "b"], True, "sentences"),
    (("a",), True, "sentences"),
    ([], True, "no sentences"),
    (["a", 1], False, "a number among the sentences"),
    ({"text": "a"}, False, "an object; readers take it apart"),
    (None, False, "nothing"),
    (b"a", False, "bytes"),
]


@pytest.mark.parametrize(("value", "expected", "why"), TEXTS)
def test_a_text_is_a_string_or_a_list_of_strings(value: Any, expected: bool, why: str):
    assert is_text(value) is expected, why
    if expected:
        check_text(value, "summary")
        check_texts([value], "references")
    else:
        with pytest.raises(InputError, match=rf"'summary' ({re.escape(NOT_A_TEXT)} |{IS_NULL}$|is bytes)"):
            check_text(value, "summary")
    assert [as_string(text) for text in (["A cat.", "", "It sat."], "A cat.", [])] == ["A cat.  It sat.", "A cat.", ""]


NOT_TEXTS = [  # value, message
    ("a cat", "'references' must be a non-empty list of texts, got the string 'a cat'"),
    ([], "'references' must be a non-empty list of texts, got the list []"),
    (None, "'references' must be a non-empty list of texts, got null"),
    (["a", 3], f"'references' is the number 3, {NOT_TEXT}"),
    ([["a", 3]], f"'references' {NOT_A_TEXT} the list ['a', 3]"),
]


@pytest.mark.parametrize(("value", "message"), NOT_TEXTS)
def test_a_list_of_texts_is_not_empty_and_holds_texts(value: Any, message: str):
    with pytest.raises(InputError) as caught:
        check_texts(value, "references")
    assert str(caught.value) == message


SHOWN = [  # value, how a message shows it
    ("a", "the string 'a'"),
    (3, "the number 3"),
    (1.5, "the number 1.5"),
    (True, "the boolean True"),
    ([1], "the list [1]"),
    ({}, "the object {}"),
    (None, "null"),
    (b"a", "b'a'"),
    ("x" * 100, "the string '" + "x" * 58 + "…"),
]


@pytest.mark.parametrize(("value", "expected"), SHOWN)
def test_a_message_shows_a_value_with_its_kind_and_cut(value: Any, expected: str):
    assert shown(value) == expected


FIELDS = [  # field, value that it holds, value that it does not hold
    ("summary", ["a"], 1),
    ("source", "a", None),
    ("references", ["a"], "a"),
    ("documents", [["a"]], ["a", 1]),
]


@pytest.mark.parametrize(("name", "right", "wrong"), FIELDS)
def test_every_known_field_is_checked(name: str, right: Any, wrong: Any):
    check_field(name, right)
    with pytest.raises(InputError, match=f"'{name}' (must be a|is )"):
        check_field(name, wrong)
    check_field("annotation", object())  # an unknown field may hold anything


KEYS = [  # one value, other value, whether they count as the same context
    (["a", "b"], ("a", "b"), True),
    (["a", "b"], ["b", "a"], False),
    ([["a"], "b"], [["a"], "b"], True),
    ({"x": ["a"], "y": 1}, {"y": 1, "x": ["a"]}, True),
    ({"x": 1}, {"x": 2}, False),
    ("ab", ["a", "b"], False),
]


@pytest.mark.parametrize(("one", "other", "same"), KEYS)
def test_equal_contexts_have_equal_keys(one: Any, other: Any, same: bool):
    assert (context_key(one) == context_key(other)) is same
    assert {context_key(one), context_key(other)}
