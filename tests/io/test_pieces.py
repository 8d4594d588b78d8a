"""Every line of a file is in exactly one of its pieces, however it is cut."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics_framework.common.errors import DataError, Problems
from metrics_framework.dataset_readers.dataset_reader import load_reader
from metrics_framework.io.jsonl import read_jsonl
from metrics_framework.io.pieces import Piece, pieces_of_lines

LONG_LINE = '{"text": "' + "x" * 300 + '"}'
LINES = st.lists(st.sampled_from(['{"a": 1}', '{"é": "ü😀"}', "", "  ", "no", LONG_LINE]), max_size=30)


class AllProblems(Problems):
    """Keeps also the problems that repeat."""

    def __init__(self) -> None:
        super().__init__()
        self.every: list[DataError] = []

    def add(self, problem: DataError) -> None:
        super().add(problem)
        self.every.append(problem)


def _read(path: str, pieces: list[Piece | None]) -> tuple[list[tuple[int, Any]], list[tuple[int | None, str]]]:
    """Returns the rows and the problems of pieces, with the lines of the whole file."""
    rows: list[tuple[int, Any]] = []
    found: list[tuple[int | None, str]] = []
    before = 0
    for piece in pieces:
        problems = AllProblems()
        rows += [(before + line, row) for line, row in read_jsonl(path, problems, piece)]
        found += [(before + (problem.line or 0), problem.message) for problem in problems.every]
        before += piece.lines if piece else 0
    return rows, found


@given(lines=LINES, size=st.integers(1, 400), end=st.sampled_from(["\n", "\r\n"]), last=st.booleans())
def test_pieces_have_the_lines_of_the_file(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], size: int, end: str, last: bool
) -> None:
    path = tmp_path_factory.getbasetemp() / "pieces.jsonl"
    path.write_bytes((end.join(lines) + (end if last else "")).encode())
    pieces = pieces_of_lines(str(path), "system", size)
    assert _read(str(path), list(pieces)) == _read(str(path), [None])


def test_sizes_of_pieces(tmp_path: Path) -> None:
    path = tmp_path / "outputs.jsonl"
    path.write_text("x" * 1000)
    pieces = pieces_of_lines(str(path), "ours", 300)
    assert [(piece.start, piece.end) for piece in pieces] == [(0, 250), (250, 500), (500, 750), (750, None)]
    assert pieces_of_lines(str(path), "ours", 1000) == [Piece(str(path), "ours", size=1000)]
    assert pieces_of_lines(str(tmp_path / "missing"), "ours", 1) == [Piece(str(tmp_path / "missing"), "ours")]


def test_a_compressed_file_is_one_piece(tmp_path: Path) -> None:
    path = tmp_path / "outputs"  # recognized by its first bytes
    path.write_bytes(b"\x1f\x8b" + b"x" * 1000)
    assert len(pieces_of_lines(str(path), "ours", 10)) == 1


@pytest.mark.parametrize("size", [1, 100, 10_000])
def test_a_reader_reads_its_pieces(tmp_path: Path, size: int) -> None:
    rows = [{"instance_id": number, "summary": f"a b {number}", "references": ["a"]} for number in range(50)]
    paths = [str(tmp_path / name) for name in ("one.jsonl", "two.jsonl")]
    for path in paths:
        Path(path).write_text("".join(json.dumps(row) + "\n" for row in rows))
    references = tmp_path / "sources.txt"
    references.write_text("".join(f"line {number}\n" for number in range(1, 60)))
    for reader in (load_reader("default"), load_reader("reference-based")):
        pieces, problems = reader.pieces(paths, size), Problems()
        assert pieces is not None
        read = [instance for piece in pieces for instance in reader.instances_of(piece, problems)]
        expected = list(reader.read(paths))
        assert [(row.instance_id, row.summarizer_id, row.fields) for row in read] == [
            (row.instance_id, row.summarizer_id, row.fields) for row in expected
        ]
        assert not problems.count
        assert sum(piece.lines for piece in pieces) == 100
