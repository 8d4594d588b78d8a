from __future__ import annotations

import csv
import gzip
import json
import os
import re
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from messages import CONVERT_TO_UTF8, NOT_UTF8
from strategies import texts

from metrics_framework.common.errors import DataError, MissingExtraError, Problems
from metrics_framework.inputs.tables import delimiter_of, header_line, is_table, read_rows


def test_a_file_that_cannot_be_read_is_known_by_its_ending():
    names = ["x.csv", "x.tsv.gz", "x.csv.zst", "x.jsonl", "csv", "x.parquet", "x.xlsx", "x.xlsx:Sheet 2", "x.arrow"]
    assert [name for name in names if not is_table(name)] == ["x.jsonl", "csv"]


KINDS = [  # content, whether it is a table, why
    ('{"a": 1}\n', False, "an object"),
    ("[\n{}]", False, "an array"),
    ("id,score\n1,2\n", True, "commas"),
    ("id;score\n1;2\n", True, "semicolons"),
    ("id\tscore\n", True, "tabs, without a row"),
    ("", False, "nothing, which is no JSON line"),
    ("The cat sat.\n", False, "no delimiter"),
    ("[id],score\n1,2\n", True, "a bracket in the first name"),
]


@pytest.mark.parametrize("name", ["x", "x.txt", "x.gz"])
@pytest.mark.parametrize(("text", "expected", "why"), KINDS)
def test_the_content_decides_what_is_a_table(tmp_path: Path, text: str, expected: bool, why: str, name: str):
    path = tmp_path / name
    path.write_bytes(gzip.compress(text.encode()) if name == "x.gz" else text.encode())
    assert is_table(str(path)) is expected, why


@pytest.mark.parametrize("text", ["no, json\n", 'a, b\n{"a": 1}\n', "a,b\n1\n"])
def test_json_lines_that_are_broken_are_no_table(tmp_path: Path, text: str):
    (tmp_path / "x.jsonl").write_text(text)
    assert not is_table(str(tmp_path / "x.jsonl"))


CONTENTS = [  # ending, text, rows, why
    ("csv", "a,b\n1,2\n", [(2, {"a": "1", "b": "2"})], "as it should be"),
    ("csv", "a,b\r\n1,2\r\n", [(2, {"a": "1", "b": "2"})], "ends of another system"),
    ("csv", "\ufeffa,b\n1,2", [(2, {"a": "1", "b": "2"})], "a mark in front, no end behind"),
    ("csv", 'a,b\n"1,5","say ""hi"""\n', [(2, {"a": "1,5", "b": 'say "hi"'})], "quotes"),
    ("csv", 'a,b\n"1\n2",3\n4,5\n', [(2, {"a": "1\n2", "b": "3"}), (4, {"a": "4", "b": "5"})], "a quoted line end"),
    ("csv", "a,b\n\n1,2\n\n", [(3, {"a": "1", "b": "2"})], "blank lines"),
    ("csv", "a,b\n,\n1,\n , \n", [(3, {"a": "1", "b": ""})], "rows of empty cells, as below the data of sheets"),
    ("csv", "a;b\n1,5;2\n", [(2, {"a": "1,5", "b": "2"})], "semicolons, as where commas are decimal"),
    (
        "csv",
        "a;text, long\nx;1, 2\ny;3\n",
        [(2, {"a": "x", "text, long": "1, 2"}), (3, {"a": "y", "text, long": "3"})],
        "a delimiter that splits all rows alike",
    ),
    ("csv", "a\tb\n1\t2,3\n", [(2, {"a": "1", "b": "2,3"})], "tabs, whatever the ending"),
    ("tsv", "a,b\n1,2\n", [(2, {"a": "1", "b": "2"})], "commas, whatever the ending"),
    ("tsv", '"a"\t"b"\n"1\n2"\t"say ""hi"""\n', [(2, {"a": "1\n2", "b": 'say "hi"'})], "a quoted header, so quotes"),
    ("csv", "sep=|\na|b\n1|2\n", [(3, {"a": "1", "b": "2"})], "Excel's line with the delimiter"),
    ("csv", '"sep=;"\r\na;b,c\r\n1;2\r\n', [(3, {"a": "1", "b,c": "2"})], "the same in quotes"),
    ("csv", ",a\n0,x\n1,y\n", [(2, {"a": "x"}), (3, {"a": "y"})], "the index of pandas"),
    ("csv", '"","a"\n"1","x"\n"2","y"\n', [(2, {"a": "x"}), (3, {"a": "y"})], "row names of R"),
    ("csv", "a,,b, \n1,,2,\n3,,4,\n", [(2, {"a": "1", "b": "2"}), (3, {"a": "3", "b": "4"})], "empty columns"),
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
    assert list(read_rows(str(path), as_texts=True)) == expected, why


NO_INDEX = "the first column has no name and is no index"
NO_INDEX_ADVICE = "name the column, or write the table with to_csv(…, index=False) of pandas"
TITLE = "if the first line is a title, delete it"
BROKEN = [  # ending, bytes, place, message
    ("csv", b"", "", "is empty; a table must start with a line of column names"),
    ("csv", b"a,,c\n1,,3\n1,2,3\n", ":3", "column 2 has no name, but the string '2' in it; name it"),
    ("csv", b",a\n0,b\n2,c\n", ":3", f"{NO_INDEX}: expected 1, got the string '2'; {NO_INDEX_ADVICE}"),
    ("csv", b",a\nx,b\n", ":2", f"column 1 has no name, but the string 'x' in it; name it; {TITLE}"),
    ("csv", b"A pilot,,\nx,y,z\n", ":2", f"column 2 has no name, but the string 'y' in it; name it; {TITLE}"),
    ("csv", b"A pilot\nx,y,z\n", ":2", f"must have 1 fields, as in the header, got 3; {TITLE}"),
    ("csv", b"id,b,b\n", ":1", "repeated column 'b'; rename or drop one"),
    (
        "csv",
        b"7,a cat,the cat\n8,b,c\n",
        "",
        "has no header; add one; --column-names NAME … names its columns",
    ),
    (
        "csv",
        b"yes,a,yes\nno,b,no\n",
        "",
        "has no header; add one; --column-names NAME … names its columns",
    ),
    (
        "csv",
        b"ann,A,0,TGT,en,cs,48,doc1,False,[],17.5,19.5\nann,B,0,TGT,en,cs,50,doc1,False,[],17.5,19.5\n",
        "",
        "is an export of Appraise, which has no header; convert it first: fw convert-ratings appraise {} RATINGS.jsonl",
    ),
    (
        "score",
        b"ours\t0.5\nours\tNone\n",
        "",
        "is of mt-metrics-eval and has no header; convert its folder first: "
        "fw convert-ratings mt-metrics-eval FOLDER SCORES.jsonl --test-set wmt23 --pair en-de",
    ),
    (
        "csv",
        b"a,b\r1,2\r",
        ":1",
        "lines end in carriage returns alone; convert them, as in tr '\\r' '\\n' < FILE > NEW",
    ),
    ("csv", b"a,b\n1,2\r3\n", ":2", "is not CSV: a carriage return is outside of quotes"),
    ("csv", b"a,b\n1,2,3\n", ":2", "must have 2 fields, as in the header, got 3"),
    ("tsv", b"a\tb\n1\t2\n1\n", ":3", "must have 2 fields, as in the header, got 1"),
    ("csv", b'a,b\n1,2\n"1,2\n3,4\n', ":3", "is not CSV: unexpected end of data"),
    ("csv", b'a,b\n"1"2,3\n', ":2", "is not CSV: ',' expected after '\"'"),
    ("csv", b'"a,b\n', ":1", "is not CSV: unexpected end of data"),
    (
        "csv",
        b"a,b\n1,\xff\n",
        ":2",
        f"{NOT_UTF8} byte 0xff at position 3; {CONVERT_TO_UTF8} -f WINDOWS-1252 -t UTF-8 FILE > NEW",
    ),
]


@pytest.mark.parametrize(("ending", "content", "place", "message"), BROKEN)
def test_a_broken_table_says_where(tmp_path: Path, ending: str, content: bytes, place: str, message: str):
    path = tmp_path / f"x.{ending}"
    path.write_bytes(content)
    with pytest.raises(DataError) as caught:
        list(read_rows(str(path), as_texts=True))
    assert str(caught.value) == f"{path}{place}: {message.replace('{}', str(path))}"


@pytest.mark.parametrize("path", ["human-scores/en-de.mqm.seg.score", "metric-scores/en-de/BLEU-refA.sys.score"])
def test_a_file_of_mt_metrics_eval_names_its_converter(tmp_path: Path, path: str):
    file = tmp_path / "wmt22" / path
    file.parent.mkdir(parents=True)
    file.write_text("ours\t0.5\n", encoding="utf-8")
    command = f"mt-metrics-eval {tmp_path} SCORES.jsonl --test-set wmt22 --pair en-de"
    with pytest.raises(DataError, match=re.escape(command)):
        list(read_rows(str(file)))


def test_broken_rows_are_collected_and_the_others_given(tmp_path: Path):
    path = tmp_path / "x.csv"
    path.write_text('a,b\n1\n1,2\n1,2,3\n"open\n')
    problems = Problems()
    assert list(read_rows(str(path), problems, as_texts=True)) == [(3, {"a": "1", "b": "2"})]
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
    expected = [row for row in rows if any(map(str.strip, row))]
    assert [tuple(row.values()) for _, row in read_rows(str(path), as_texts=True)] == expected


@pytest.mark.parametrize("text", ["1,4\n2,5\n", "ID,score\n1,4\n2,5\n"])
def test_names_are_given_for_a_table_without_a_header(tmp_path: Path, text: str):
    (tmp_path / "x.csv").write_text(text)
    rows = read_rows(str(tmp_path / "x.csv"), column_names=["id", "score"], as_texts=True)
    assert [[*row.values()] for _, row in rows] == [["1", "4"], ["2", "5"]]


def test_a_table_may_have_a_role_and_numbers_in_its_header(tmp_path: Path):
    (tmp_path / "x.csv").write_text("id,1,2\na,4,5\n")
    assert list(read_rows(str(tmp_path / "x.csv"), as_texts=True)) == [(2, {"id": "a", "1": "4", "2": "5"})]


TABLE = [{"id": "a", "score": 0.5, "note": None}, {"id": "b", "score": 2.0, "note": "x"}]


def in_arrow(path: Path, *, stream: bool) -> None:
    pa = pytest.importorskip("pyarrow")
    table = pa.Table.from_pylist(TABLE)
    with (pa.ipc.new_stream if stream else pa.ipc.new_file)(str(path), table.schema) as writer:
        writer.write_table(table)


def in_parquet(path: Path) -> None:
    pytest.importorskip("pyarrow.parquet").write_table(pytest.importorskip("pyarrow").Table.from_pylist(TABLE), path)


def in_excel(path: Path) -> None:
    workbook = pytest.importorskip("openpyxl").Workbook()
    for sheet in (workbook.active, workbook.create_sheet("Run 2")):
        for row in (list(TABLE[0]), *(list(row.values()) for row in TABLE), []):
            sheet.append(row)
    sheet.append(["c", 7, None])
    workbook.save(path)


WRITERS = [
    partial(in_arrow, stream=False),
    partial(in_arrow, stream=True),
    in_parquet,
    in_excel,
    lambda path: path.write_text(json.dumps(TABLE)),
    lambda path: path.write_text(json.dumps({name: [row[name] for row in TABLE] for name in TABLE[0]})),
]


@pytest.mark.parametrize("write", WRITERS)
def test_every_format_is_read_with_its_values_or_as_text(tmp_path: Path, write: Callable[[Path], object]):
    path = tmp_path / "x.bin"
    write(path)
    problems = Problems()
    assert [row for _, row in read_rows(str(path), problems)] == TABLE
    assert [row for _, row in read_rows(str(path), problems, as_texts=True)] == [
        {"id": "a", "score": "0.5", "note": ""},
        {"id": "b", "score": "2" if write is in_excel else "2.0", "note": "x"},
    ]
    assert not problems


def test_a_sheet_is_chosen_by_its_name(tmp_path: Path):
    path = tmp_path / "x.xlsx"
    in_excel(path)
    assert list(read_rows(f"{path}:Run 2", Problems()))[-1] == (5, {"id": "c", "score": 7, "note": None})
    with pytest.raises(DataError, match="has no sheet 'Run 3'; its sheets are Sheet, Run 2"):
        list(read_rows(f"{path}:Run 3", Problems()))


UNREADABLE = [  # content, message
    (b"PK\x03\x04\x14\x00", "cannot be read as an Excel workbook: "),
    (b"\xd0\xcf\x11\xe0", "is a workbook of an old Excel; save it as .xlsx or CSV"),
    (b"ARROW1\x00\x00", "cannot be read as Arrow: "),
]


@pytest.mark.parametrize(("content", "message"), UNREADABLE)
def test_damaged_files_are_named(tmp_path: Path, content: bytes, message: str):
    pytest.importorskip("pyarrow")
    pytest.importorskip("openpyxl")
    (tmp_path / "x.xlsx").write_bytes(content)
    with pytest.raises(DataError, match=f"x.xlsx: {message}"):
        list(read_rows(str(tmp_path / "x.xlsx"), Problems()))


def test_the_extra_for_workbooks_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(MissingExtraError, match=r"'openpyxl'.*\[xlsx\]"):
        list(read_rows(str(tmp_path / "x.xlsx"), Problems()))


def test_a_table_in_a_pipe_is_known_and_read(tmp_path: Path):
    read_end, write_end = os.pipe()
    os.write(write_end, "id;score\n1;2,5\n".encode("utf-16"))
    os.close(write_end)
    path = f"/dev/fd/{read_end}"
    assert (is_table(path), header_line(path), delimiter_of(path)) == (True, 1, ";")
    assert list(read_rows(path, as_texts=True)) == [(2, {"id": "1", "score": "2,5"})]
    assert is_table(path)
    os.close(read_end)
