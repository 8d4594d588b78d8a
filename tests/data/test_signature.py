from __future__ import annotations

from typing import Any

import pytest

from metrics_framework.data.signature import signature
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
