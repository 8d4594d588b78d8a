from __future__ import annotations

import gc
import json
import math
from pathlib import Path
from typing import Any
from weakref import ref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from messages import NOT_A_JSON_OBJECT, NOT_UTF8
from strategies import texts

from metrics_framework.common.errors import DataError, Problems
from metrics_framework.io import jsonl
from metrics_framework.io.jsonl import JsonLines, JsonScanner, read_jsonl, to_json, to_line


def rows_of(path: Path, content: bytes) -> list[tuple[int, dict[str, Any]]]:
    path.write_bytes(content)
    return list(read_jsonl(str(path)))


CONTENTS = [  # bytes, rows, why
    (b"", [], "an empty file"),
    (b'{"a": 1}\n{"b": 2}\n', [(1, {"a": 1}), (2, {"b": 2})], "as it should be"),
    (b'{"a": 1}\n\n  \n{"b": 2}', [(1, {"a": 1}), (4, {"b": 2})], "blank lines are skipped and counted"),
    (b'\xef\xbb\xbf{"a": 1}\r\n{"b": 2}\r\n', [(1, {"a": 1}), (2, {"b": 2})], "a mark and ends of another system"),
    ('{"a": "x\u2028\x85y"}\n'.encode(), [(1, {"a": "x\u2028\x85y"})], "no line ends in the middle of a text"),
    (b'{"a": "\\ud83d\\ude00 \\n"}\n', [(1, {"a": "😀 \n"})], "escapes"),
    (b'{"a": {"a": 1}, "b": [{"a": 2}]}\n', [(1, {"a": {"a": 1}, "b": [{"a": 2}]})], "equal keys of objects"),
    (b'{"t": "\\"a\\": 1, \\"a\\": 2"}\n', [(1, {"t": '"a": 1, "a": 2'})], "equal keys in a text"),
    (b'{"a" : 1, "b" : {"a" : 1}}\n', [(1, {"a": 1, "b": {"a": 1}})], "blanks before the colons"),
    (b'{"a": NaN}\n', [(1, {"a": math.nan})], "other programs write it"),
    (b' {"a": 1}\n{"b": 2} \t\n', [(1, {"a": 1}), (2, {"b": 2})], "blanks around an object"),
    (b'{"a": 1}\n\xef\xbb\xbf{"b": 2}\n', [(1, {"a": 1}), (2, {"b": 2})], "marks of files that were joined"),
    (
        b'{"a": 1}\n\xef\xbb\xbf{"b": "c\\":"}\n',
        [(1, {"a": 1}), (2, {"b": 'c":'})],
        "a mark, and keys that are counted",
    ),
    (b'{"a": "\\ud800"}\n', [(1, {"a": "\ud800"})], "half a letter"),
    (b"{}\n" + b'{"a": "%s"}\n' % (b"x" * 100_000), [(1, {}), (2, {"a": "x" * 100_000})], "longer than a block"),
]


@pytest.mark.parametrize(("content", "expected", "why"), CONTENTS)
def test_rows_come_with_their_line_numbers(tmp_path: Path, content: bytes, expected: list[Any], why: str):
    assert str(rows_of(tmp_path / "x.jsonl", content)) == str(expected), why


BROKEN = [  # bytes, line, message
    (b'{"a": 1}\n{"a": \n', 2, "is not JSON: Expecting value (column"),
    (b"{'a': 1}\n", 1, "is not JSON: Expecting property name enclosed in double quotes (column 2)"),
    (b'{"a": 1}\n{"a": 1}\n{"a": 1}\n{"d": "\xff"}\n', 4, f"{NOT_UTF8} byte 0xff at position 8"),
    (b'\n{"a": 1} {"b": 2}\n', 2, "is not JSON: Extra data (column 10)"),
    (b"[1]\n", 1, f"{NOT_A_JSON_OBJECT} the list [1]"),
    (b'"a"\n', 1, f"{NOT_A_JSON_OBJECT} the string 'a'"),
    (b'{"a": 1}\n{"a": "\xff"}\n', 2, f"{NOT_UTF8} byte 0xff at position 8"),
    (b'{}\n{"a":\n1}\n', 2, "is not JSON: Expecting value (column 6)"),
    (b'{}\n{"a": 1},{"b": 2}\n', 2, "is not JSON: Extra data (column 9)"),
    (b'{}\n{"a": "b\nc"}\n', 2, "is not JSON: Unterminated string starting at (column 7)"),
    (b'{}\n{"a": "\x00"}\n', 2, "is not JSON: Invalid control character at (column 8)"),
    (b'{}\n{"a": ' + b"9" * 5000 + b"}\n", 2, "has an integer of too many digits"),
    (b'{}\n{"a": ' + b"[" * 100_000, 2, "is nested too deeply to be read as JSON"),
    (b"{}\nnull\n", 2, f"{NOT_A_JSON_OBJECT} null"),
]


@pytest.mark.parametrize(("content", "line", "message"), BROKEN)
def test_a_broken_line_is_told_with_its_number_after_the_rows_before_it(
    tmp_path: Path, content: bytes, line: int, message: str
):
    path = tmp_path / "x.jsonl"
    path.write_bytes(content)
    rows = read_jsonl(str(path))
    assert len([next(rows) for _ in range(content.split(b"\n")[:line].count(b'{"a": 1}'))]) < line
    with pytest.raises(DataError) as caught:
        list(rows)
    assert str(caught.value).startswith(f"{path}:{line}: {message}")


def test_broken_lines_are_collected_and_the_others_given(tmp_path: Path):
    path = tmp_path / "x.jsonl"
    path.write_text('{"a": 1}\n{\n[]\n{"b": 2}\n')
    problems = Problems()
    assert list(read_jsonl(str(path), problems)) == [(1, {"a": 1}), (4, {"b": 2})]
    assert [problem.line for problem in problems.kept] == [2, 3]


ROW, OTHER = {"id": "1", "x": ["a", "b"]}, {"id": "2", "x": ["c"]}
BIG = [{"id": number, "text": "é" * number, "x": {"y": [number]}} for number in range(700)]
DOCUMENTS = [  # text, rows, why
    (json.dumps([ROW, OTHER]), [(1, ROW), (1, OTHER)], "an array in one line, as pandas and datasets write it"),
    (json.dumps([ROW, OTHER], indent=1), [(2, ROW), (9, OTHER)], "an indented array"),
    ("[\n" + ",\n".join(map(json.dumps, (ROW, OTHER))) + "\n]\n", [(2, ROW), (3, OTHER)], "an array, a line each"),
    (json.dumps(ROW, indent=2) + "\n" + json.dumps(OTHER, indent=2), [(1, ROW), (8, OTHER)], "objects over lines (jq)"),
    (
        json.dumps({"id": ["1", "2"], "n": [3, None]}),
        [(1, {"id": "1", "n": 3}), (2, {"id": "2", "n": None})],
        "columns",
    ),
    ('{"x": [\n{"id": 1},\n{"id": 2}\n]}\n', [(1, {"x": {"id": 1}}), (2, {"x": {"id": 2}})], "a list, an entry a line"),
    (json.dumps({"id": {"0": "1", "1": "2"}}, indent=1), [(1, {"id": "1"}), (2, {"id": "2"})], "columns of pandas"),
    (json.dumps(ROW), [(1, ROW)], "one row, of which not all values are lists"),
    (json.dumps({"x": ["a"], "y": ["b"]}), [(1, {"x": ["a"], "y": ["b"]})], "one row of lists of one"),
    (json.dumps(BIG), [(1, row) for row in BIG], "more than is read together"),
    (json.dumps(BIG, indent=1), [(2 + 9 * number, row) for number, row in enumerate(BIG)], "the same over lines"),
]


@pytest.mark.parametrize(("text", "expected", "why"), DOCUMENTS)
def test_json_documents_are_read_with_the_first_lines_of_their_objects(
    tmp_path: Path, text: str, expected: list[Any], why: str
):
    (tmp_path / "x.json").write_text(text)
    assert list(read_jsonl(str(tmp_path / "x.json"))) == expected, why


BROKEN_DOCUMENTS = [  # text, line, message
    ('[\n{"a": 1}\n{"a": 2}]', 3, "is not JSON: expected ',' or ']' after an object"),
    ('[{"a": 1},\n{"a": 2}', 2, "is not JSON: expected ',' or ']' after an object"),
    ('[{"a": 1}] [', 1, "is not JSON: text follows the array"),
    ('[{"a": 1},\n {"a": "b', 2, "is not JSON: Unterminated string"),
    ('{\n  "a": 1\n', 2, "is not JSON: Expecting ',' delimiter"),
    ('{\n  "a": nil,\n  "b": 1}', 2, "is not JSON: Expecting value"),
    ('[{"a": 1},\n"b"]', 2, f"{NOT_A_JSON_OBJECT} the string 'b'"),
    ('[{"a": 1},\n{"b": {"c": 1,\n"c": 2}}]', 2, "duplicate key 'c' in one object"),
    ('[{"a":' + "[" * 100_000, 1, "is nested too deeply to be read as JSON"),
]


@pytest.mark.parametrize(("text", "line", "message"), BROKEN_DOCUMENTS)
def test_a_broken_document_says_at_which_line(tmp_path: Path, text: str, line: int, message: str):
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(DataError) as caught:
        list(read_jsonl(str(tmp_path / "x.json")))
    assert str(caught.value).startswith(f"{tmp_path}/x.json:{line}: {message}")


LINES = [  # what breaks careless reading of many lines at once, beside objects
    *("", " ", "[", "  1", '{"a": [1', "2]}", '{"a": "b', '{"a": 1},{"b": 2}', '{"a": 1} {"b": 2}', ' {"a": 1}'),
    *('{"a": 1} ', '\x1e{"a": 1}', '\ufeff{"a": 1}', '{"a": 1}\r', '{"a": "\x00"}', "[1]", "null", "\u2028"),
]


def outcome(path: Path, problems: Problems | None) -> tuple[list[Any], list[str]]:
    rows: list[Any] = []
    try:
        rows.extend(JsonLines(str(path), problems).rows())
    except DataError as error:
        rows.append(str(error))
    return rows, [str(problem) for problem in problems.kept] if problems else []


REPEATED = [  # line, key, why
    (b'{"a": 1, "b": 2, "a": 3}', "a", "two values"),
    (b'{"a": 1, "a": 1}', "a", "one value"),
    (b'{"a" : 1, "b":2, "a"\t: 3}', "a", "blanks before the colons"),
    (b'{"x": {"b": 1, "b": 2}}', "b", "an object in an object"),
    (b'{"x": [{"b": 1}, {"c": [{"d": 1, "d": 2}]}]}', "d", "objects in lists"),
    (b'{"t": "he said \\": b", "a": 1, "a": 2}', "a", "a text with what looks like the end of a key"),
    (b'  {"a": 1, "a": 2}  ', "a", "blanks around it"),
    (b'{"a": "x", "a" :"y"}', "a", "a blank before one colon only"),
    (b'{"a": "x: y", "a"\t :"y"}', "a", "two, and a colon in a text"),
    (b'{"b": {"a" \r: 1, "a": 2}}', "a", "a carriage return"),
    (b'{"b": "he said \\":\\"", "a" : 1, "a" : 2}', "a", "a text that makes up for the missing ends of keys"),
]


@pytest.mark.parametrize(("line", "key", "why"), REPEATED)
def test_a_key_that_is_there_twice_is_told_and_the_other_rows_given(tmp_path: Path, line: bytes, key: str, why: str):
    (tmp_path / "x.jsonl").write_bytes(b'{"a": 0}\n' + line + b'\n{"a": 1}\n')
    problems = Problems()
    rows = list(read_jsonl(str(tmp_path / "x.jsonl"), problems))
    assert rows == [(1, {"a": 0}), (3, {"a": 1})], why
    with pytest.raises(DataError, match=rf"x\.jsonl:2: duplicate key '{key}' in one object"):
        problems.raise_any()


@settings(max_examples=20)
@given(
    lines=st.lists(st.sampled_from(LINES) | st.dictionaries(texts(), texts() | st.lists(texts())).map(to_json)),
    end=st.sampled_from(["\n", "\r\n"]),
    ended=st.booleans(),
)
def test_a_line_is_read_alike_in_its_block_and_on_its_own(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], end: str, ended: bool
):
    path = tmp_path_factory.getbasetemp() / "alike.jsonl"
    path.write_bytes((end.join(lines) + end * ended).encode())
    together = outcome(path, Problems()), outcome(path, None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jsonl, "_value_at", lambda text, start: (None, -1))
        assert together == (outcome(path, Problems()), outcome(path, None))


VALUES = [  # value, JSON, why
    (math.nan, "null", "JSON has no NaN"),
    ([math.inf, -math.inf, 1.5], "[null, null, 1.5]", "nor infinities"),
    ({"a": (1, math.nan)}, '{"a": [1, null]}', "at every depth"),
    ({"a": "ä猫"}, '{"a": "ä猫"}', "letters stay readable"),
    ({"a": "\u2028\x7f\x9b"}, '{"a": "\\u2028\\u007f\\u009b"}', "controls do not reach a terminal"),
    ({"\u202ea": "\ud800\n"}, '{"\\u202ea": "\\ud800\\n"}', "neither do direction controls and surrogates"),
    (np.float64(1.5), "1.5", "a number of NumPy"),
    (np.float32(0.5), "0.5", "a shorter one"),
    (np.int64(3), "3", "a whole one"),
    (np.bool_(True), "true", "a truth value of NumPy"),
    ({"a": np.array([1.0, math.nan])}, '{"a": [1.0, null]}', "an array"),
    (True, "true", "a truth value"),
]


@pytest.mark.parametrize(("value", "expected", "why"), VALUES)
def test_every_value_becomes_json(value: Any, expected: str, why: str):
    assert to_json(value) == expected, why


def test_json_is_indented_in_files_of_one_object_and_escaped_in_lines():
    assert to_json({"a": [1]}, indent=True) == '{\n  "a": [\n    1\n  ]\n}'
    line = to_line({"a": "ä\ud800"})
    assert line == '{"a": "ä\\ud800"}\n'
    assert json.loads(line.encode("utf-8")) == {"a": "ä\ud800"}
    with pytest.raises(TypeError):
        to_json({"a": object()})


@settings(max_examples=30)
@given(st.lists(st.dictionaries(texts(), texts() | st.integers() | st.floats(allow_nan=False, allow_infinity=False))))
def test_rows_survive_writing_and_reading(tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, Any]]):
    path = tmp_path_factory.getbasetemp() / "survives.jsonl"
    path.write_bytes("".join(map(to_line, rows)).encode())
    assert list(read_jsonl(str(path))) == list(enumerate(rows, 1))


def test_a_file_that_is_not_read_to_its_end_is_closed_without_collecting_garbage(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("{}\n{}\n")
    gc.disable()
    try:
        lines = JsonLines(str(tmp_path / "a.jsonl"))
        assert next(lines.rows()) == (1, {})
        blocks = ref(lines._blocks)
        del lines
        assert blocks() is None
    finally:
        gc.enable()


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text('ab"\\[]{}\n,:', max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text('ab"\\{', max_size=3), inner, max_size=3),
)


@given(st.dictionaries(st.text(max_size=3), st.tuples(st.booleans(), VALUES), max_size=5), st.integers(1, 20))
def test_members_of_an_object_in_parts_are_read_or_skipped(members: dict[str, tuple[bool, Any]], size: int) -> None:
    text = json.dumps({key: value for key, (_, value) in members.items()}, indent=size % 2 or None)
    scanner = JsonScanner("x.json", iter(text[at : at + size] for at in range(0, len(text), size)))
    for key in scanner.read_keys():
        is_read, value = members[key]
        if is_read:
            assert scanner.value()[0] == value
        else:
            scanner.skip_value()
    assert not scanner.next_character()


def test_a_value_that_is_too_long_is_an_error() -> None:
    scanner = JsonScanner("x.json", iter(['"', *["a" * 10] * 10]), longest=50)
    with pytest.raises(DataError, match="a value has more than 50 characters"):
        scanner.value()
