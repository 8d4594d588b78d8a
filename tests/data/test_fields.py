from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import NO_ID, NOT_AN_ID

from metrics_framework.common.errors import DataError
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.data.fields import MAX_DIGITS, order_keys, parse_id, parse_summarizer_type

IDS = [  # value, id, why
    ("7", "7", "a string"),
    (7, "7", "an integer of JSON"),
    (-1, "-1", "any integer"),
    (10**30, "1" + "0" * 30, "however large"),
    ("007", "007", "strings are kept as they are"),
    (" a b ", "a b", "surrounding spaces do not count"),
    (7.0, "7", "a whole number of a column with missing ids"),
]
REFUSED = [  # reader of a field, value, message, why
    (parse_id, " ", f"is empty: {NO_ID}", "missing ids would be one id"),
    (parse_id, None, f"is null: {NO_ID}", "the same"),
    (parse_id, float("nan"), f"is NaN: {NO_ID}", "the same"),
    (parse_id, "N/A", f"is 'N/A': {NO_ID}", "the same, as programs write it"),
    (parse_id, 1.5, f"{NOT_AN_ID}, got the number 1.5", "a number is no id if it has decimals"),
    (parse_id, True, f"{NOT_AN_ID}, got the boolean True", "no one means it"),
    (parse_id, ["1"], f"{NOT_AN_ID}, got the list ['1']", "no id"),
    (parse_summarizer_type, "peers", "must be 'peer' or 'reference', got the string 'peers'", "another word"),
    (parse_summarizer_type, "", "must be 'peer' or 'reference', got the string ''", "no type"),
    (parse_summarizer_type, None, "must be 'peer' or 'reference', got null", "no type"),
    (parse_summarizer_type, ["peer"], "must be 'peer' or 'reference', got the list ['peer']", "several"),
    (parse_summarizer_type, 1, "must be 'peer' or 'reference', got the number 1", "a number"),
]


@pytest.mark.parametrize(("value", "expected", "why"), IDS)
def test_an_id_is_a_string_or_an_integer(value: Any, expected: str, why: str) -> None:
    assert parse_id(value, "instance_id") == expected, why


@pytest.mark.parametrize(("parse", "value", "message", "why"), REFUSED)
def test_anything_else_is_refused(parse: Any, value: Any, message: str, why: str) -> None:
    assert [parse_summarizer_type(one, "t") for one in ("peer", "reference")] == ["peer", "reference"]
    with pytest.raises(DataError) as caught:
        parse(value, "sent_id")
    assert str(caught.value) == f"'sent_id' {message}", why


ORDERS = [  # ids in order, why
    (["0", "2", "9", "10", "11", "100"], "numbers by value"),
    (["7", "07", "007", "8"], "equal numbers by their leading zeros"),
    (["9", "1" * MAX_DIGITS, "-1", "1.5", "1" * (MAX_DIGITS + 1), "a", "a10", "a2"], "then all others as strings"),
    (["3", "²", "٣"], "digits of other scripts are strings"),
    (["00", "1"], "zero"),
    (["1", "a\0", "a\0b", "a\1"], "whatever their characters"),
]


def in_order(names: list[str]) -> list[str]:
    return [name for _, name in sorted(zip(order_keys(names), names, strict=True))]


@pytest.mark.parametrize(("names", "why"), ORDERS)
def test_ids_that_are_numbers_sort_as_numbers(names: list[str], why: str) -> None:
    assert in_order(names[::-1]) == names, why


@given(st.lists(st.text(st.sampled_from("0123a~ \0"), min_size=1), unique=True))
def test_keys_are_unique_and_sort_by_value(names: list[str]) -> None:
    def by_definition(name: str) -> tuple[int, int, str, int]:
        is_number = name.isdigit() and len(name) <= MAX_DIGITS
        return (0, int(name), "", len(name)) if is_number else (1, 0, name, 0)

    assert in_order(names) == sorted(names, key=by_definition)
    assert len(set(order_keys(names))) == len(names)


def test_an_instance_may_have_no_fields() -> None:
    assert EvalInstance("1", "a", "peer", None).fields == {}
