"""The native decoder of JSON lines: what it decodes is what `json.loads` returns, and it decodes all usual lines."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from twins import requires_native

from metrics_framework.common.options import with_keys_once
from metrics_framework.kernels import dispatch

pytestmark = requires_native

STRINGS = st.text(st.characters(exclude_categories=()), max_size=12)  # also lone surrogates
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.one_of(
    STRINGS, st.lists(STRINGS, max_size=3), st.integers(-(10**18) + 1, 10**18 - 1), FLOATS, st.booleans(), st.none()
)
KEYS = st.text(st.characters(exclude_characters='"\\', min_codepoint=32, exclude_categories=("Cs",)), max_size=5)
SEPARATORS = st.sampled_from([(",", ":"), (", ", ": "), (" \t, ", " :\r")])
ENDS = st.sampled_from(["", " ", "\r", "\t \r"])


@st.composite
def usual_lines(draw: st.DrawFn) -> tuple[list[dict[str, Any]], list[str]]:
    """Draws rows with the same keys, and how they are written."""
    keys = draw(st.lists(KEYS, min_size=1, max_size=4, unique=True))
    values = st.lists(VALUES, min_size=len(keys), max_size=len(keys))
    rows = [dict(zip(keys, row, strict=True)) for row in draw(st.lists(values, min_size=1, max_size=4))]
    separators, is_ascii = draw(SEPARATORS), draw(st.booleans())
    if is_ascii and not all(map(str.isascii, keys)):
        is_ascii = False  # keys would have escapes
    return rows, [json.dumps(row, ensure_ascii=is_ascii, separators=separators) + draw(ENDS) for row in rows]


def decoded(block: str, start: int = 0, size: int = 100) -> tuple[list[dict[str, Any]], int]:
    """Returns the rows that the native decoder returns, and the position after them."""
    assert dispatch.native_module is not None
    answer = dispatch.native_module.json_columns(block, start, size)
    if answer is None:
        return [], start
    names, columns, end = answer
    assert len({len(column) for column in columns}) == 1
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)], end


def checked_rows(block: str) -> list[dict[str, Any]]:
    """Checks that the decoder returns the first rows of a block as `json.loads` does, and where it stopped."""
    rows, end = decoded(block)
    lines = block.split("\n")[: len(rows)]
    assert [repr(row) for row in rows] == [repr(json.loads(line, object_pairs_hook=with_keys_once)) for line in lines]
    assert end == len("\n".join(lines)) + bool(lines)
    return rows


@given(usual_lines(), st.sampled_from(["", "{}", "[1]\n", '{"a": {}}', "{"]))
def test_usual_lines_are_decoded(drawn: tuple[list[dict[str, Any]], list[str]], rest: str) -> None:
    rows, lines = drawn
    assert repr(checked_rows("\n".join([*lines, rest]))) == repr(rows)


@given(
    usual_lines(),
    st.integers(0, 200),
    st.sampled_from([*'"\\{}[],:-+.eE0123456789ntu \n\t\r\x00\x1f', "é", "\U0001f600"]),
)
@example(([], ['{"a": "\\ud83d\\u00e9"}']), 200, "")
@example(([], ['{"a": "\\ud83d\\udg00"}']), 200, "")
@example(([], ['{"a": 1, "a": 2}']), 200, "")
@example(([], ['{"a": "b"', '"c": 1}']), 200, "")
def test_damaged_lines_are_decoded_as_python_does_or_not_at_all(
    drawn: tuple[list[dict[str, Any]], list[str]], position: int, character: str
) -> None:
    text = "\n".join(drawn[1])
    checked_rows(text[:position] + character + text[position + 1 :])
    checked_rows(text[:position] + character + text[position:])


@pytest.mark.parametrize(
    "line",
    [
        *("", " ", "{}", "[]", '"a"', '{"a"}', '{"a":}', '{"a": 1,}', '{"a": [1]}', '{"a": ["b",]}'),
        *('{"a": {}}', '{"a": 01}', '{"a": -}', '{"a": 1.}', '{"a": .5}', '{"a": 1e}', '{"a": NaN}', '{"a": Infinity}'),
        *('{"a": nul}', '{"a": True}', '{"a": "\\x"}', '{"a": "\\u12"}', '{"a": "\t"}', '{"a": "b}', "{'a': 1}"),
        *('{"a": 1} x', '{"a": 1}}', '{"\\u0061": 1}', '{"a": 1, "a": 1}', '{"a": 1234567890123456789}'),
        *('\ufeff{"a": 1}', '{"a": ["b" "c"]}'),
        f'{{"a": 0.{"1" * 70}}}',
        "{" + ", ".join(f'"{number}": 1' for number in range(65)) + "}",
    ],
)
def test_other_lines_are_left_to_python(line: str) -> None:
    assert decoded(line) == ([], 0)
    assert decoded('{"a": 1}\n' + line) == ([{"a": 1}], 9)


@pytest.mark.parametrize("odd", ["é", "猫", "\U0001f600"])  # blocks of every width of characters
def test_lines_of_all_widths(odd: str) -> None:
    line = f'{{"a": "b {odd} \\n", "{odd}": ["{odd}", "c"]}}'
    assert checked_rows(f"{line}\n{line}") == [{"a": f"b {odd} \n", odd: [odd, "c"]}] * 2
    assert decoded(f"{line}\n{line}", len(line) + 1) == ([{"a": f"b {odd} \n", odd: [odd, "c"]}], 2 * len(line) + 2)


def test_size_and_position_limit_what_is_read() -> None:
    block = '{"a": 1}\n{"a": 2}\n{"b": 3}'
    assert decoded(block, 0, 1) == ([{"a": 1}], 9)
    assert decoded(block, 9) == ([{"a": 2}], 18)
    assert decoded(block, 18) == ([{"b": 3}], 27)
    assert decoded(block, 0, 0) == ([], 0)
    assert decoded(block, -1) == ([], -1)
    assert decoded(block, 27) == ([], 27)


def test_lists_are_not_shared_between_rows() -> None:
    rows, _ = decoded('{"a": ["b"]}\n{"a": ["b"]}')
    rows[0]["a"].append("c")
    assert rows[1] == {"a": ["b"]}
