from __future__ import annotations

import csv
import gzip
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from messages import CONVERT_TO_UTF8
from strategies import texts

from metrics_framework.common.errors import DataError, Problems
from metrics_framework.inputs.tables import is_table, read_table


def test_a_table_is_known_by_its_ending():
    names = ["x.csv", "x.tsv.gz", "x.csv.zst", "x.jsonl", "csv", "-"]
    assert [name for name in names if is_table(name)] == ["x.csv", "x.tsv.gz", "x.csv.zst"]


CONTENTS = [  # ending, text, rows, why
    ("csv", "a,b\n1,2\n", [(2, {"a": "1", "b": "2"})], "as it should be"),
    ("csv", "a,b\r\n1,2\r\n", [(2, {"a": "1", "b": "2"})], "ends of another system"),
    ("csv", "\ufeffa,b\n1,2", [(2, {"a": "1", "b": "2"})], "a mark in front, no end behind"),
    ("csv", 'a,b\n"1,5","say ""hi"""\n', [(2, {"a": "1,5", "b": 'say "hi"'})], "quotes"),
    ("csv", 'a,b\n"1\n2",3\n4,5\n', [(2, {"a": "1\n2", "b": "3"}), (4, {"a": "4", "b": "5"})], "a quoted line end"),
    ("csv", "a,b\n\n1,2\n\n", [(3, {"a": "1", "b": "2"})], "blank lines"),
    ("csv", "a,b\n,\n", [(2, {"a": "", "b": ""})], "empty cells"),
    ("csv", "a\n1\u2028\x852\n", [(2, {"a": "1\u2028\x852"})], "no line ends in the middle of a text"),
    ("tsv", 'a\tb\n"1\t2"\n', [(2, {"a": '"1', "b": '2"'})], "a TSV has no quotes"),
    ("tsv", "a\tb\n 1\t2, 3 \n", [(2, {"a": " 1", "b": "2, 3 "})], "blanks and commas are text"),
    ("csv", "a,b\n", [], "no rows"),
    ("tsv.gz", "a\tb\n1\t2\n", [(2, {"a": "1", "b": "2"})], "a compressed table"),
    ("csv", f"a\n{'x' * 200_000}\n", [(2, {"a": "x" * 200_000})], "a long cell"),
]


@pytest.mark.parametrize(("ending", "text", "expected", "why"), CONTENTS)
def test_rows_come_with_their_first_line(tmp_path: Path, ending: str, text: str, expected: list, why: str):
    path = tmp_path / f"x.{ending}"
    path.write_bytes(gzip.compress(text.encode()) if ending == "tsv.gz" else text.encode())
    assert list(read_table(str(path))) == expected, why


BROKEN = [  # ending, bytes, place, message
    ("csv", b"", "", "is empty; a table must start with a line of column names"),
    ("csv", b"a,,c\n", ":1", "a column has no name"),
    (
        "csv",
        b",a\n0,b\n",
        ":1",
        "the first column has no name; pandas writes its index there; leave it out with to_csv(…, index=False)",
    ),
    ("tsv", b"a\t \n", ":1", "a column has no name"),
    ("csv", b"a,b,a\n", ":1", "duplicate column 'a'"),
    ("csv", b"a,b\n1,2,3\n", ":2", "must have 2 fields, as in the header, got 3"),
    ("tsv", b"a\tb\n1\t2\n1\n", ":3", "must have 2 fields, as in the header, got 1"),
    ("csv", b'a,b\n1,2\n"1,2\n3,4\n', ":3", "is not CSV: unexpected end of data"),
    ("csv", b'a,b\n"1"2,3\n', ":2", "is not CSV: ',' expected after '\"'"),
    ("csv", b'"a,b\n', ":1", "is not CSV: unexpected end of data"),
    (
        "csv",
        b"a,b\n1,\xff\n",
        ":2",
        f"is not UTF-8 text: byte 0xff at position 3; {CONVERT_TO_UTF8} -f WINDOWS-1252 -t UTF-8 FILE > NEW",
    ),
]


@pytest.mark.parametrize(("ending", "content", "place", "message"), BROKEN)
def test_a_broken_table_says_where(tmp_path: Path, ending: str, content: bytes, place: str, message: str):
    path = tmp_path / f"x.{ending}"
    path.write_bytes(content)
    with pytest.raises(DataError) as caught:
        list(read_table(str(path)))
    assert str(caught.value) == f"{path}{place}: {message}"


def test_broken_rows_are_collected_and_the_others_given(tmp_path: Path):
    path = tmp_path / "x.csv"
    path.write_text('a,b\n1\n1,2\n1,2,3\n"open\n')
    problems = Problems()
    assert list(read_table(str(path), problems)) == [(3, {"a": "1", "b": "2"})]
    assert [problem.line for problem in problems.kept] == [2, 4, 5]


def cells() -> st.SearchStrategy[str]:
    """Texts that a CSV can hold.

    A carriage return is a line end to Python's csv, NUL is an error before 3.11, and a byte order mark at the start of
    a line is stripped.
    """
    return texts().map(lambda text: text.replace("\r", " ").replace("\0", " ").replace("\ufeff", " "))


@settings(max_examples=30)
@given(st.lists(st.tuples(cells(), cells()), max_size=4))
def test_rows_survive_a_csv(tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]]):
    path = tmp_path_factory.getbasetemp() / "survives.csv"
    with open(path, "w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, lineterminator="\n").writerows([("a", "b"), *rows])
    assert [tuple(row.values()) for _, row in read_table(str(path))] == rows
