from __future__ import annotations

from typing import Any

import pytest

from metrics_framework.common.errors import DataError
from metrics_framework.data.identity import parse_id, parse_summarizer_type

IDS = [  # value, id, why
    ("7", "7", "a string"),
    (7, "7", "an integer of JSON"),
    (-1, "-1", "any integer"),
    (10**30, "1" + "0" * 30, "however large"),
    ("007", "007", "strings are kept as they are"),
    (" ", " ", "spaces, too"),
]


@pytest.mark.parametrize(("value", "expected", "why"), IDS)
def test_an_id_is_a_string_or_an_integer(value: Any, expected: str, why: str) -> None:
    assert parse_id(value, "instance_id") == expected, why


NO_IDS = [  # value, found, why
    ("", "the string ''", "missing ids would be one id"),
    (None, "null", "the same"),
    (1.0, "the number 1.0", "1.0 and 1 may mean one input, or two"),
    (True, "the boolean True", "no one means it"),
    (["1"], "the list ['1']", "no id"),
]


@pytest.mark.parametrize(("value", "found", "why"), NO_IDS)
def test_anything_else_is_refused(value: Any, found: str, why: str) -> None:
    with pytest.raises(DataError) as caught:
        parse_id(value, "sent_id")
    assert str(caught.value) == f"'sent_id' must be a non-empty string or an integer, got {found}", why


@pytest.mark.parametrize("value", ["peers", "", None, ["peer"], 1])
def test_a_type_is_peer_or_reference(value: Any) -> None:
    assert [parse_summarizer_type(one, "t") for one in ("peer", "reference")] == ["peer", "reference"]
    with pytest.raises(DataError, match=r"^'t' must be 'peer' or 'reference', got "):
        parse_summarizer_type(value, "t")
