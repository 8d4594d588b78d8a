"""Text files: names, lines whatever the blocks, compression, broken files, several files in parallel, and pieces."""

from __future__ import annotations

import bz2
import gzip
import io
import itertools
import json
import os
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from messages import CONVERT_TO_UTF8, CUT_SHORT, NOT_UTF8, NOT_UTF8_BUT, SAME_NUMBER_OF_LINES
from samples import sampled
from strategies import lines

from metrics_framework.common.errors import DataError, MissingExtraError, Problems
from metrics_framework.common.logs import Log, steps_of
from metrics_framework.dataset_readers.dataset_reader import load_reader
from metrics_framework.dataset_readers.row_reader import pieces_of_row_groups
from metrics_framework.io import reading
from metrics_framework.io.jsonl import read_jsonl
from metrics_framework.io.parquet import arrow_rows, read_rows
from metrics_framework.io.reading import Piece, pieces_of_lines, read_lines, read_parallel, stem, uncompressed_name
from metrics_framework.io.writing import open_for_writing

NAMES = [  # path, stem, without the ending of a compression
    ("careful.jsonl", "careful", "careful.jsonl"),
    ("runs/careful.v2.jsonl.gz", "careful.v2", "runs/careful.v2.jsonl"),
    ("careful.txt.zst", "careful", "careful.txt"),
    ("careful", "careful", "careful"),
    (".hidden", ".hidden", ".hidden"),
    ("newstest2017.FBK.4870.en-de", "newstest2017.FBK.4870.en-de", "newstest2017.FBK.4870.en-de"),
    ("newstest2017.FBK.4870.en-de.txt", "newstest2017.FBK.4870.en-de", "newstest2017.FBK.4870.en-de.txt"),
    ("beam.0.1", "beam.0.1", "beam.0.1"),
    ("OUT.TXT", "OUT", "OUT.TXT"),
    (".txt", ".txt", ".txt"),
    ("-", "stdin", "-"),
]


def test_a_file_is_called_by_its_name_without_endings():
    assert [(path, stem(path), uncompressed_name(path)) for path, *_ in NAMES] == NAMES


LONG_LINE = '{"text": "' + "x" * 300 + '"}'
LINES = st.lists(st.sampled_from(['{"a": 1}', '{"é": "ü😀"}', "", "  ", "no", LONG_LINE]), max_size=30)


def read(path: Path | str) -> list[str]:
    return list(read_lines(str(path)))


def compressed(data: bytes, ending: str) -> bytes:
    """Compresses data; skips the test if the package is not installed."""
    if ending == "zst":
        packed: bytes = pytest.importorskip("zstandard").ZstdCompressor().compress(data)
        return packed
    return {"gz": partial(gzip.compress, mtime=0), "bz2": bz2.compress}[ending](data)


ENDINGS = ["gz", "bz2", "zst"]


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("name", ["x.txt", "x", "x.jsonl"])
def test_a_compressed_file_is_read_whatever_its_name(tmp_path: Path, name: str, ending: str) -> None:
    path = tmp_path / name
    path.write_bytes(compressed("ä\nb\n".encode(), ending))
    assert read(path) == ["ä", "b"]
    path = path.rename(tmp_path / f"{name}.{ending}")
    assert read(path) == ["ä", "b"]
    if ending == "gz":  # files that were joined
        path.write_bytes(path.read_bytes() + compressed(b"c\n", ending))
        assert read(path) == ["ä", "b", "c"]


@pytest.mark.parametrize("ending", ENDINGS)
def test_compressed_standard_input_is_read(ending: str) -> None:
    data = compressed(b"a\nb\n" * 100_000, ending)
    with standard_input(Pieces([data[start : start + 1000] for start in range(0, len(data), 1000)])):
        assert read("-") == ["a", "b"] * 100_000
        assert not sys.stdin.closed


CONTENTS = [  # bytes, lines, why
    (b"", [], "an empty file has no lines"),
    (b"a\nb\n", ["a", "b"], "as it should be"),
    (b"a\nb", ["a", "b"], "a missing last line end makes no difference"),
    (b"\n", [""], "an empty line is a line"),
    (b"a\n\n\nb\n", ["a", "", "", "b"], "empty lines are lines"),
    (b"a\r\nb\r\n", ["a", "b"], "ends of another system"),
    (b"a\r\nb\r", ["a", "b"], "and the last of them cut in half"),
    (b"a\nb\r\n\r\nc\r\r\nd\n", ["a", "b", "", "c\r", "d"], "and both, one return of two belonging to the text"),
    (b"a\rb\n", ["a\rb"], "a carriage return alone ends no line"),
    (b"\xef\xbb\xbfa\nb\n", ["a", "b"], "a byte order mark is skipped"),
    (b"a\n\xef\xbb\xbfb\n", ["a", "b"], "also after the first line: files that were concatenated have several"),
    (b"a\r\n\xef\xbb\xbf\r\n\xef\xbb\xbfb", ["a", "", "b"], "in every line, whatever its end"),
    (b"a\n\xef\xbb\xbf", ["a"], "an empty file with a mark adds no line"),
    (b"\xef\xbb\xbf", [], "nor does it alone"),
    (b"a\xef\xbb\xbfb\n", ["a\ufeffb"], "within a line it is a character"),
    ("a\u2028b\u2029c\n".encode(), ["a\u2028b\u2029c"], "separators of Unicode end no line"),
    ("a\x85b\x0bc\x0cd\x1ce\n".encode(), ["a\x85b\x0bc\x0cd\x1ce"], "nor do these"),
    (b" a \t\n", [" a \t"], "blanks are kept"),
    (b"a\x00b\n", ["a\x00b"], "so is a null"),
]


@pytest.mark.parametrize(("content", "expected", "why"), CONTENTS)
@pytest.mark.parametrize("ending", ["txt", "gz", "bz2"])
def test_lines_end_at_line_feeds_and_nowhere_else(
    tmp_path: Path, ending: str, content: bytes, expected: list[str], why: str
):
    path = tmp_path / f"x.{ending}"
    path.write_bytes(content if ending == "txt" else compressed(content, ending))
    assert read(path) == expected, why


def test_a_dash_is_standard_input(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("ä\r\nb\n".encode() + b"\xff\n")))
    lines = read_lines("-")
    assert [next(lines), next(lines)] == ["ä", "b"], "the lines before a broken one"
    with pytest.raises(DataError, match=r"^-:3: is not UTF-8 text"):
        next(lines)
    assert not sys.stdin.closed


class Pieces(io.RawIOBase):
    """A pipe that gives its bytes a piece at a time, and fails when it is read behind the last one without an end."""

    def __init__(self, pieces: list[bytes], ends: bool = True) -> None:
        self.pieces = pieces
        self.ends = ends

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self.pieces:
            assert self.ends, "waits for more than it needs"
            return 0
        piece = self.pieces.pop(0)
        buffer[: len(piece)] = piece
        return len(piece)


@contextmanager
def standard_input(pieces: Pieces) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(pieces)))
        yield


BROKEN_UP = ["a", "b c", "\n", "\n", "\r", "\r\n", "\ufeff", "ä", "猫", "🐈", "\u2028", "\x00", "x" * 3000]


@settings(max_examples=40)
@given(
    st.lists(st.sampled_from(BROKEN_UP)).map("".join).filter(lambda text: "\n" in text or text.count("\r") < 2),
    st.lists(st.integers(1, 4000), min_size=1),
)
def test_lines_are_the_same_in_whatever_pieces_they_come(text: str, sizes: list[int]):
    data = text.encode()
    pieces = []
    for size in itertools.cycle(sizes):
        if not data:
            break
        pieces.append(data[:size])
        data = data[size:]
    *whole, last = [line.removeprefix("\ufeff") for line in text.split("\n")]
    with standard_input(Pieces(pieces)):
        assert read("-") == [line.removesuffix("\r") for line in [*whole, *([last] if last else [])]]


def test_a_pipe_is_not_waited_for():
    with standard_input(Pieces([b"a\n", b"b\nc", b"c\n"], ends=False)):
        found = read_lines("-")
        assert [next(found), next(found), next(found)] == ["a", "b", "cc"]


@pytest.mark.parametrize("length", [(1 << 15) - 1, 1 << 15, (1 << 15) + 1, 1 << 20])
def test_a_line_may_be_longer_than_a_block(tmp_path: Path, length: int):
    path = tmp_path / "x.txt"
    lines = ["a", "x" * length, "ä" * length, "b"]
    path.write_text("\n".join(lines), encoding="utf-8")
    assert read(path) == lines


@pytest.mark.parametrize("ending", sampled(ENDINGS[::-1], 1))
def test_a_small_file_that_unpacks_to_a_large_one_is_read_in_little_memory(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"x.{ending}"
    with open_for_writing(str(path)) as stream:
        for _ in range(200):
            stream.write("\n" * 1_000_000)
    assert os.path.getsize(path) < 300_000
    tracemalloc.start()
    found = reading.read_blocks(str(path), lambda: 0)
    lines = sum(1 + next(found).count("\n") for _ in range(100))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert lines >= 100_000
    assert peak < 80_000_000


@pytest.mark.parametrize("ending", ["txt", *ENDINGS])
def test_a_line_that_is_too_long_is_an_error_that_says_so(
    tmp_path: Path, ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if ending == "zst":
        pytest.importorskip("zstandard")
    monkeypatch.setattr(reading, "MAX_LINE", 1_000_000)
    write(tmp_path / f"x.{ending}", "a\n" + "b" * 3_000_000)
    with pytest.raises(DataError) as caught:
        read(tmp_path / f"x.{ending}")
    expected = f"{tmp_path}/x.{ending}:2: the line has more than 1,000,000 bytes; is it a text file?"
    assert str(caught.value) == expected


CATS = "A cat.\nA dog.\n"
CORRECT_THIS_LINE = "other characters of the file are UTF-8, so correct this line"
UNREADABLE = [  # file, bytes, line, message
    ("x.txt", b"A cat.\rA dog.\r", 1, "lines end in"),
    ("x.txt", b"a\nb\xffc\n", 2, f"{NOT_UTF8} byte 0xff at position 2"),
    ("x.txt", "é\n".encode("latin-1"), 1, f"{NOT_UTF8} byte 0xe9 at position 1; {CONVERT_TO_UTF8}"),
    ("x.txt", b"a\xe9\n\xc3\xa9\n", 1, f"{NOT_UTF8} byte 0xe9 at position 2; {CORRECT_THIS_LINE}"),
    (
        "x.txt",
        "é\n".encode() * 9999 + b"\xe9\n",
        10000,
        f"{NOT_UTF8} byte 0xe9 at position 1; {CORRECT_THIS_LINE}",
    ),
    ("x.txt", b"a\n\xed\xa0\x80\n", 2, f"{NOT_UTF8} byte 0xed at position 1"),
    ("x.txt", (b"x" * 99 + b"\n") * 1000 + b"ab\xff\n", 1001, f"{NOT_UTF8} byte 0xff at position 3"),
    ("x.txt", "a\n".encode("utf-16")[:-1], 1, "is not UTF-16 text: truncated data"),
    ("x.txt", b"\xff\xfe\x00\xd8a\x00", 1, "is not UTF-16 text: illegal UTF-16 surrogate"),
    ("x.txt", "a\n".encode("utf-32"), 1, f"{NOT_UTF8_BUT} UTF-32: "),
    ("x.csv", b"PK\x03\x04\x14\x00", 1, f"{NOT_UTF8_BUT} a zip archive or an Excel file: unpack it, or save the"),
    ("x.txt", b"\xfd7zXZ\x00\x00", 1, f"{NOT_UTF8_BUT} xz: unpack it with unxz"),
    ("x.txt", b"\x28\xb5\x2f\xfd\x04", 1, f"{CUT_SHORT}: the compressed data are truncated"),
    ("x.bz2", bz2.compress(b"a\nb\n")[:-8], 3, f"{CUT_SHORT}: Compressed file ended before"),
    ("x.bz2", b"plain\n", 1, f"{CUT_SHORT}: Invalid data stream"),
    ("x.gz", gzip.compress(b"a\nb\n", mtime=0)[:-8], 3, f"{CUT_SHORT}: Compressed file ended before"),
    ("x.gz", b"plain\n", 1, f"{CUT_SHORT}: Not a gzipped file"),
]


@pytest.mark.parametrize(("name", "content", "line", "message"), UNREADABLE)
def test_a_broken_file_says_at_which_line(tmp_path: Path, name: str, content: bytes, line: int, message: str):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(DataError) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}:{line}: {message}")


TEXT_16 = "A cat.\n猫 🐈 é\n" * 9999
ENCODED = [  # text, encoding
    ("a\n", "utf-16"),
    ("\ufeff猫\n", "utf-16-be"),
    (CATS, "utf-16-le"),
    (CATS, "utf-16-be"),
    (TEXT_16, "utf-16"),
]


@pytest.mark.parametrize("name", ["x.txt", "x.gz"])
@pytest.mark.parametrize(("text", "encoding"), ENCODED)
def test_utf_16_is_read_by_its_mark_or_its_zero_bytes(tmp_path: Path, text: str, encoding: str, name: str):
    path, data = tmp_path / name, text.encode(encoding)
    path.write_bytes(gzip.compress(data) if name == "x.gz" else data)
    assert read(path) == text.removeprefix("\ufeff").splitlines()
    assert text.removeprefix("\ufeff").startswith(reading.start_of(str(path)).decode("utf-8", "ignore"))
    assert len(pieces_of_lines(str(path), "x", 3)) == 1


@pytest.mark.parametrize("ending", ["", *ENDINGS])
def test_the_start_of_a_pipe_is_read_again(ending: str):
    if ending == "zst":
        pytest.importorskip("zstandard")
    data = compressed(b"a\nb\nc\n", ending) if ending else b"a\nb\nc\n"
    with standard_input(Pieces([data[:30], data[30:]])):
        assert reading.start_of("-") == reading.start_of("-")
        assert reading.start_of("-").startswith(b"a\n")
        assert read("-") == ["a", "b", "c"]
    read_end, write_end = os.pipe()
    os.write(write_end, data)
    os.close(write_end)
    path = f"/dev/fd/{read_end}"
    assert reading.start_of(path) == b"a\nb\nc\n"
    assert read(path) == ["a", "b", "c"]
    os.close(read_end)


def test_a_file_that_is_not_there_and_a_folder_are_named(tmp_path: Path):
    for name in ("x.txt", "x.gz", "x.zst"):
        with pytest.raises(DataError) as caught:
            read(tmp_path / name)
        assert str(caught.value) == f"{tmp_path / name}: cannot be read: No such file or directory"
    with pytest.raises(DataError, match="cannot be read: Is a directory"):
        read(tmp_path)


def test_zst_without_its_package_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "zstandard", None)
    (tmp_path / "x.zst").touch()
    for use in (lambda: read(tmp_path / "x.zst"), lambda: write(tmp_path / "x.zst", "")):
        with pytest.raises(MissingExtraError, match=r"x\.zst' needs the package 'zstandard'.*\[zst\]"):
            use()
    assert os.listdir(tmp_path) == ["x.zst"]


def write(path: Path | str, text: str) -> None:
    with open_for_writing(str(path)) as stream:
        stream.write(text)


@settings(max_examples=40)
@given(st.lists(lines(), max_size=5), st.sampled_from(["txt", "gz", "bz2"]))
def test_lines_survive_writing_and_reading(tmp_path_factory: pytest.TempPathFactory, texts: list[str], ending: str):
    path = tmp_path_factory.getbasetemp() / f"survives.{ending}"
    write(path, "".join(f"{text}\n" for text in texts))
    assert read(path) == [text.removeprefix("\ufeff") for text in texts]


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    contents = {"summary": "a\nb\n", "source": "c\nd", "more": "e\nf\ng\nh\n", "one": "i\n", "empty": ""}
    for name, text in contents.items():
        (tmp_path / f"{name}.txt").write_text(text)
    return {name: str(tmp_path / f"{name}.txt") for name in contents}


def test_files_are_read_side_by_side(files: dict[str, str]):
    assert list(read_parallel([files["summary"], files["source"]])) == [("a", "c"), ("b", "d")]
    assert list(read_parallel([files["summary"], files["summary"]])) == [("a", "a"), ("b", "b")]
    Path(files["source"]).write_bytes(b"a\n\xff\n")
    with pytest.raises(DataError, match=r"source\.txt:2: is not UTF-8 text"):
        list(read_parallel([files["summary"], files["source"]]))


UNEQUAL = [  # files, shortest, where it ends and how that is said, listing
    (("summary", "more"), "summary", ":2: ends after 2 lines", "summary has 2, more has 4"),
    (("more", "summary"), "summary", ":2: ends after 2 lines", "more has 4, summary has 2"),
    (("one", "more"), "one", ":1: ends after 1 line", "one has 1, more has 4"),
    (("summary", "empty"), "empty", ": is empty", "summary has 2, empty has 0"),
]


@pytest.mark.parametrize(("names", "shortest", "end", "listing"), UNEQUAL)
def test_files_of_unequal_length_are_refused_with_their_lengths(
    files: dict[str, str], names: tuple[str, ...], shortest: str, end: str, listing: str
):
    with pytest.raises(DataError) as caught:
        list(read_parallel([files[name] for name in names]))
    for name in names:
        listing = listing.replace(f"{name} has", f"{files[name]} has")
    assert str(caught.value) == f"{files[shortest]}{end}; {SAME_NUMBER_OF_LINES}: {listing}"


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


@settings(max_examples=40)
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
    path.write_bytes(b"\x1f\x8b" + b"x" * 1000)  # compressed, as its first bytes say
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


@pytest.mark.parametrize("ending", ["jsonl.gz", "jsonl.bz2", "jsonl.zst", "parquet"])
def test_content_that_is_far_larger_than_its_file_is_announced_once(ending: str, tmp_path: Path):
    path, stream = tmp_path / f"x.{ending}", io.StringIO()
    if ending == "parquet":
        pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        pq.write_table(pa.table({"summary": ["x" * 1000] * 40_000}), path, row_group_size=20_000)
        with steps_of(Log(stream=stream)):
            pieces_of_row_groups(str(path), "", 1)
    else:
        packers = {"gz": gzip.compress, "bz2": bz2.compress}
        if ending.endswith("zst"):
            packers["zst"] = pytest.importorskip("zstandard").compress
        path.write_bytes(packers[ending[6:]](b'{"a": "%s"}\n' % (b"x" * 20_000) * 1000))
    with steps_of(Log(stream=stream)):
        rows = read_rows(str(path), Problems()) if ending == "parquet" else read_jsonl(str(path))
        assert sum(1 for _ in rows) == (40_000 if ending == "parquet" else 1000)
    announced = f"fw: {path} expands to more than 500 times its size; Ctrl-C stops reading it\n"
    assert stream.getvalue() == announced * (2 if ending == "parquet" else 1)  # also before workers read its parts


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
@pytest.mark.parametrize("column", ["texts", "dictionary", "list of dictionaries", "structure"])
def test_repeated_rows_that_a_table_keeps_once_are_announced(column: str, ending: str, tmp_path: Path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path, stream, texts = str(tmp_path / f"x.{ending}"), io.StringIO(), ["x" * 2000] * 40_000
    encoded = pa.array(texts).dictionary_encode()
    columns = {
        "texts": pa.array(texts),
        "dictionary": encoded,
        "list of dictionaries": pa.array([[text] for text in texts], pa.list_(encoded.type)),
        "structure": pa.StructArray.from_arrays([encoded], ["text"]),
    }
    rows = pa.table({"summary": columns[column]})
    if ending == "parquet":
        pq.write_table(rows, path)
    else:
        options = pa.ipc.IpcWriteOptions(compression="zstd")
        with pa.OSFile(path, "wb") as file, pa.ipc.new_file(file, rows.schema, options=options) as writer:
            writer.write_table(rows, max_chunksize=10_000)
    with steps_of(Log(stream=stream)):
        assert sum(1 for _ in (read_rows if ending == "parquet" else arrow_rows)(path, Problems())) == len(texts)
    assert stream.getvalue().count("expands to more than 500 times its size") == 1


OPENED = [  # a reader, the ending of its file, and how often the file is opened: to know its format, and to read it
    ("rows", "jsonl", 2),
    ("rows", "jsonl.gz", 3),
    ("rows", "jsonl.bz2", 3),
    ("rows", "jsonl.zst", 3),
    ("rows", "csv", 2),
    ("rows", "csv.bz2", 3),
    ("rows", "tsv", 2),
    ("rows", "json", 2),
    ("rows", "parquet", 1),
    ("ratings", "csv", 2),
    ("ratings", "jsonl", 2),
    ("texts", "txt", 1),
]
COUNTED = """
import sys
import metrics_framework as fw
kind, path = sys.argv[1:]
opened = []
sys.addaudithook(lambda event, given: opened.append(given[0]) if event == "open" else None)
if kind == "ratings":
    fw.agreement(path, rating="points")
else:
    fw.evaluate("chrf", files=path, checks=False, **({"references": path} if kind == "texts" else {}))
print(opened.count(path))
"""


@pytest.mark.parametrize(("kind", "ending", "times"), OPENED, ids=[f"{kind} {ending}" for kind, ending, _ in OPENED])
def test_a_file_is_opened_once_to_know_its_format_and_once_to_read_it(
    kind: str, ending: str, times: int, tmp_path: Path
):
    rows = [
        {"id": str(row), "system": "a", "rater": rater, "output": f"text {row * 7919 % 999}", "reference": f"a {row}"}
        | {"points": row % 5}
        for row in range(4000)
        for rater in (("x", "y") if kind == "ratings" else ("x",))
    ]
    form, _, packer = ending.partition(".")
    path = tmp_path / f"x.{ending}"
    if form == "parquet":
        pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        pq.write_table(pa.Table.from_pylist(rows), path)
    else:
        delimiter = "\t" if form == "tsv" else ","
        text = {
            "jsonl": "".join(json.dumps(row) + "\n" for row in rows),
            "json": json.dumps(rows),
            "txt": "".join(f"{row['output']}\n" for row in rows),
        }.get(form) or "".join(delimiter.join(map(str, row)) + "\n" for row in [rows[0], *(r.values() for r in rows)])
        packers = {"": bytes, "gz": gzip.compress, "bz2": bz2.compress}
        if packer == "zst":
            packers["zst"] = pytest.importorskip("zstandard").compress
        path.write_bytes(packers[packer](text.encode()))

    done = subprocess.run([sys.executable, "-c", COUNTED, kind, str(path)], capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == times * (2 if kind == "texts" else 1)  # the outputs are the references
