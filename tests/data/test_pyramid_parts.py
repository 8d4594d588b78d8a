from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import texts

from metrics_framework.common.errors import DataError
from metrics_framework.data.pyramid_parts import Part, located, parts_of

SUMMARY = "A cat sat.  A cat\nlay. 猫 A cat ran."
CASES = [  # part, the text it selects, its start, why
    (Part("A cat", 0, 5), "A cat", 0, "the positions select the text"),
    (Part("A cat", 20, 25), "A cat", 25, "the closest occurrence"),
    (Part("A cat"), "A cat", 0, "without positions, the first occurrence"),
    (Part("A cat lay.", 0, 10), "A cat\nlay.", 12, "another whitespace"),
    (Part("sat. A cat lay", 90, 99), "sat.  A cat\nlay", 6, "outside the summary"),
    (Part("", 2, 5), "cat", 2, "positions without a text"),
]


@pytest.mark.parametrize(("part", "text", "start", "why"), CASES)
def test_a_part_is_found_where_its_text_is(part: Part, text: str, start: int, why: str):
    found = located(SUMMARY, part)
    assert found is not None, why
    assert (SUMMARY[slice(*found)], found[0]) == (text, start), why


@pytest.mark.parametrize("part", [Part("A dog", 0, 5), Part(""), Part("", 3, 2), Part("", 0, 99), Part(" ", -3, -1)])
def test_a_part_that_the_summary_does_not_contain_is_not_found(part: Part):
    assert located(SUMMARY, part) is None


@given(texts(), st.data())
def test_a_part_with_its_positions_is_found_there(summary: str, data: st.DataObject):
    start = data.draw(st.integers(0, len(summary)))
    end = data.draw(st.integers(start, len(summary)))
    expected = (start, end) if start < end else None
    assert located(summary, Part(summary[start:end], start, end)) == expected


@given(texts(), texts(), st.none() | st.integers())
def test_what_is_found_is_the_text_but_for_whitespace(summary: str, text: str, start: int | None):
    found = located(summary, Part(text, start, start))
    if found is not None:
        assert "".join(summary[slice(*found)].split()) == "".join(text.split())


def test_a_contributor_without_parts_is_its_label():
    assert parts_of({"label": "a cat", "parts": None}, "x") == (Part("a cat"),)
    assert parts_of({"label": None}, "x") == ()


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"parts": {"a": 1}}, "'x.parts' must be a list, got the object {'a': 1}"),
        ({"parts": ["a"]}, "'x.parts\\[0\\]' must be an object, got the string 'a'"),
        ({"parts": [{"text": 1}]}, "'x.parts\\[0\\].text' must be a string, got the number 1"),
        ({"parts": [{"end": True}]}, "'x.parts\\[0\\].end' must be an integer, got the boolean True"),
        ({"label": ["a"]}, "'x.label' must be a string"),
    ],
)
def test_a_value_of_another_type_is_named(row: dict[str, object], message: str):
    with pytest.raises(DataError, match=message):
        parts_of(row, "x")
