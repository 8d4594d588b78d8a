"""Parquet files that cannot be read end with an error that names the file and, where it is known, the row."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from messages import NOT_UTF8_BUT

import metrics_framework as fw
from metrics_framework.common.errors import DataError, MissingExtraError, Problems
from metrics_framework.dataset_readers.dataset_reader import load_reader
from metrics_framework.inputs import tables
from metrics_framework.io.jsonl import read_jsonl
from metrics_framework.io.parquet import ParquetInput, read_rows
from metrics_framework.io.reading import Piece

pa = pytest.importorskip("pyarrow", reason="the extra 'parquet' is not installed")
pq = pytest.importorskip("pyarrow.parquet")


@pytest.fixture
def path(tmp_path: Path) -> str:
    rows = [{"instance_id": number, "summary": f"a cat {number}" * 40, "reference": "a"} for number in range(100)]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "x.parquet", row_group_size=30, compression="none")
    return str(tmp_path / "x.parquet")


def test_row_groups_are_read_alone(path: str) -> None:
    with ParquetInput(str(path)) as file:
        assert [rows for rows, _ in file.row_group_sizes()] == [30, 30, 30, 10]
    rows = list(read_rows(path, Problems(), Piece(path, "", 2, 4)))
    assert [(line, row["instance_id"]) for line, row in rows] == [(line, line + 59) for line in range(1, 41)]
    assert list(read_rows(path, Problems(), Piece(path, "", 0, 0))) == []


def damaged(data: bytes) -> bytes:
    """Returns the content of a file with pages of other bytes."""
    changed = bytearray(data)
    for position in range(4, len(data) // 2, 7):
        changed[position] ^= 0x55
    return bytes(changed)


def table_of(**columns: Any) -> bytes:
    stream = io.BytesIO()
    names = [name.strip("_") for name in columns]
    pq.write_table(pa.Table.from_arrays(list(map(pa.array, columns.values())), names=names), stream)
    return stream.getvalue()


NOT_UTF_8 = pa.array([b"a", b"\xff", b"c"], pa.binary()).view(pa.string())
BROKEN = [  # the content, given that of a complete file; the error
    (lambda data: b"", ": is not a Parquet file: it is empty"),
    (lambda data: b'{"instance_id": 1}\n', ": is not a Parquet file: it starts with '{\"in'"),
    (lambda data: data[:500], ": cannot be read as Parquet: its end is missing or damaged"),
    (lambda data: data[:-1], ": cannot be read as Parquet: its end is missing or damaged"),
    (lambda data: b"PAR1", ": cannot be read as Parquet: "),
    (lambda data: data[:-9] + b"\xff" * 5 + data[-4:], ": cannot be read as Parquet: "),
    (damaged, ""),
    (lambda data: table_of(), ": contains no outputs"),
    (lambda data: table_of(instance_id=[], summary=[]), ": contains no outputs"),
    (
        lambda data: table_of(instance_id=[1], summary=["a"], summary_=["b"]),
        ": repeated column 'summary'; rename or drop one",
    ),
    (
        lambda data: table_of(instance_id=[1, 2, 3], summary=NOT_UTF_8, reference=["a"] * 3),
        ":row 2: 'summary' is not UTF-8 text",
    ),
]


@pytest.mark.parametrize(("changed", "message"), BROKEN)
def test_files_that_cannot_be_read_are_named(path: str, changed: Any, message: str) -> None:
    Path(path).write_bytes(changed(Path(path).read_bytes()))
    for jobs in (1, 2):
        with pytest.raises(DataError) as caught:
            fw.evaluate("ter", files=[path], jobs=jobs)
        assert f"{path}{message}" in str(caught.value)


def test_files_that_do_not_exist_and_folders_are_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no\.parquet: cannot be read: No such file or directory"):
        fw.evaluate("ter", files=[str(tmp_path / "no.parquet")])
    (tmp_path / "folder.parquet").mkdir()
    with pytest.raises(DataError, match=r"folder\.parquet: is a folder; name its files, as in .*/\*\.parquet"):
        list(read_rows(str(tmp_path / "folder.parquet"), Problems()))


@pytest.mark.parametrize(("large", "others"), [(0, [2, 3]), (1, [1, 3]), (2, [1, 2])])
def test_values_beyond_those_of_python_are_named_with_their_row(path: str, large: int, others: list[int]) -> None:
    dates = pa.array([10**15 * (index == large) for index in range(3)], pa.timestamp("ms"))
    pq.write_table(pa.table({"instance_id": pa.array([1, 2, 3]), "day": dates}), path)
    problems = Problems()
    assert [line for line, _ in read_rows(path, problems)] == others
    assert [str(problem).split(" cannot")[0] for problem in problems.kept] == [f"{path}:row {large + 1}: 'day'"]


def test_parquet_where_text_is_expected_is_recognized(path: str, tmp_path: Path) -> None:
    other = tmp_path / "x.jsonl"
    other.write_bytes(Path(path).read_bytes())
    with pytest.raises(DataError, match=rf"{NOT_UTF8_BUT} Parquet: read it from a file of rows, not from a pipe"):
        list(read_jsonl(str(other)))
    command = [sys.executable, "-m", "metrics_framework", "ter", "evaluate", "--input-files", "-"]
    done = subprocess.run(command, input=other.read_bytes(), capture_output=True, check=False)
    assert done.returncode == 1
    assert b"not UTF-8 text but Parquet" in done.stderr


def test_cells_of_tables_are_those_of_csv(tmp_path: Path) -> None:
    table = pa.table(
        {
            "instance_id": ["a", "b"],
            "score": [0.1, None],
            "count": [1, 2],
            "__index_level_0__": [5, 6],
        }
    )
    pq.write_table(table, tmp_path / "x.parquet")
    rows = list(tables.read_rows(str(tmp_path / "x.parquet"), as_texts=True))
    assert rows == [
        (1, {"instance_id": "a", "score": "0.1", "count": "1", "__index_level_0__": "5"}),
        (2, {"instance_id": "b", "score": "", "count": "2", "__index_level_0__": "6"}),
    ]


def test_without_pyarrow_the_extra_is_named(path: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(MissingExtraError, match=r"reading and writing Parquet needs .*'metrics-framework\[parquet\]"):
        list(load_reader("default").read(path))
    with pytest.raises(MissingExtraError, match=r"metrics-framework\[parquet\]"):
        fw.evaluate("ter", files=[path], jobs=2)
