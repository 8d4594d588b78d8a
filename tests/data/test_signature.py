from __future__ import annotations

from typing import Any

import pytest

from metrics_framework.data.signature import definition_of, signature
from metrics_framework.version import __version__

VALUES = [  # value, how a signature has it
    (True, "yes"),
    (False, "no"),
    (None, "none"),
    (3, "3"),
    (0.5, "0.5"),
    ("13a", "13a"),
    (["a", 1], "a+1"),
    ((True, None), "yes+none"),
    ([], ""),
]


@pytest.mark.parametrize(("value", "expected"), VALUES)
def test_a_signature_writes_every_kind_of_value(value: Any, expected: str):
    assert signature("ter", {"option": value}) == f"ter|option:{expected}|fw:{__version__}"


def test_options_stand_in_their_order_between_name_and_version():
    assert signature("ter", {"b": 1, "a": 2}) == f"ter|b:1|a:2|fw:{__version__}"
    assert signature("ter", {}) == f"ter|fw:{__version__}"


def test_a_definition_is_written_from_the_second_one_on():
    assert signature("ter", {"a": 1}, definition=1) == signature("ter", {"a": 1})
    assert signature("ter", {"a": 1}, definition=2) == f"ter|a:1|def:2|fw:{__version__}"


SAME = [  # two signatures, whether they define the same scores
    ("ter|case:lc|fw:0.9", "ter|case:lc|fw:1.0.0", True),
    ("ter|case:lc|fw:0.9", "ter|case:lc", True),
    ("ter|case:lc|def:1|fw:0.9", "ter|case:lc|fw:1.0.0", True),
    ("ter|case:lc|def:2|fw:1.0.0", "ter|case:lc|def:2|fw:1.1.0", True),
    ("ter|case:lc|fw:1.0.0", "ter|case:lc|def:2|fw:1.0.0", False),
    ("ter|case:lc|fw:1.0.0", "ter|case:mixed|fw:1.0.0", False),
    ("ter|def:1|fw:1.0.0", "ter|def:12|fw:1.0.0", False),
    ("precomputed|of:ter;case:lc;fw:0.9|fw:1", "precomputed|of:ter;case:lc;fw:2|fw:2", True),
    ("precomputed|of:ter;case:lc;fw:1|fw:1", "precomputed|of:ter;case:lc;def:2;fw:1|fw:1", False),
]


@pytest.mark.parametrize(("one", "other", "expected"), SAME)
def test_signatures_are_compared_without_the_release(one: str, other: str, expected: bool):
    assert (definition_of(one) == definition_of(other)) is expected
