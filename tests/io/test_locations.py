"""Files of this machine, of a local S3 server, of a web server and of the memory of fsspec."""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from messages import CUT_SHORT
from object_store import ObjectStore
from samples import sampled
from web_server import Handler, Server

from metrics_framework.common.errors import DataError, MissingExtraError, Problems, UsageError
from metrics_framework.io.jsonl import read_jsonl
from metrics_framework.io.locations import expanded, is_remote, open_binary, open_raw, range_size, size_of
from metrics_framework.io.parquet import read_rows
from metrics_framework.io.reading import content_of, pieces_of_lines, read_lines
from metrics_framework.io.remote import BLOCK_SIZE
from metrics_framework.io.writing import output_files, replacing


@pytest.fixture
def memory() -> Iterator[Any]:
    fsspec = pytest.importorskip("fsspec", reason="remote paths need fsspec")
    system = fsspec.filesystem("memory")
    yield system
    system.store.clear()


REMOTE = ["s3://bucket/a.jsonl", "GS://bucket/a", "hf://datasets/owner/name/a", "simplecache::s3://bucket/a"]
LOCAL = ["C:/a.jsonl", "C:\\a.jsonl", "c://a.jsonl", "a.jsonl", "-", "", "://", "runs/s3://a", "a b://c"]


def test_a_scheme_makes_a_path_remote() -> None:
    assert [path for path in (*REMOTE, *LOCAL) if is_remote(path)] == REMOTE


@pytest.fixture(params=["local", "memory", "s3"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str, bytes], str]:
    """Puts files into a folder of this machine, the memory of fsspec, or an S3 server; returns their paths."""

    def put(name: str, content: bytes) -> str:
        if request.param == "memory":
            request.getfixturevalue("memory").pipe_file(f"/{name}", content)
            return f"memory://{name}"
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
        return str(tmp_path / name)

    return request.getfixturevalue("s3").put if request.param == "s3" else put


def test_files_are_opened_at_a_position(place: Callable[[str, bytes], str]) -> None:
    path = place("runs/a", b"0123456789")
    with open_binary(path) as stream, open_binary(path) as other:
        assert stream.seek(4) == 4
        assert other.read(2) == b"01"
        assert stream.read(3) == b"456"
        assert other.read() == b"23456789"
        assert stream.read() == b"789"
        assert stream.seek(-3, os.SEEK_END) == 7
        assert stream.read(1) == b"7"
    assert size_of(path) == 10
    assert size_of(os.devnull) is None


def test_missing_files_and_folders_are_reported(place: Callable[[str, bytes], str]) -> None:
    folder = place("runs/a", b"0123456789").removesuffix("/a")
    faults = [(f"{folder}/missing\n\x1b", "No such file or directory")]
    if "://" in folder:
        faults.append((folder, "Is a directory"))
    if folder.startswith("s3:"):
        faults += [("s3://tests", "Is a directory"), ("s3://no-such-bucket/a", "No such file or directory")]
    for path, reason in faults:
        for function in (open_binary, size_of, lambda path: list(read_lines(path))):
            with pytest.raises(DataError) as caught:
                function(path)
            shown = path.replace("\n", "\\n").replace("\x1b", "\\x1b")
            assert str(caught.value) == f"{shown}: cannot be read: {reason}"


def test_patterns_are_expanded_and_sorted(place: Callable[[str, bytes], str]) -> None:
    names = ("b.jsonl", "a.jsonl", "c.txt", "x[1].jsonl", "inner/d.jsonl")
    paths = {name: place(f"runs/{name}", b"") for name in names}
    runs = paths["c.txt"].removesuffix("/c.txt")
    assert expanded([f"{runs}/?.jsonl", "-", "missing"]) == [paths["a.jsonl"], paths["b.jsonl"], "-", "missing"]
    assert expanded([paths["x[1].jsonl"]]) == [paths["x[1].jsonl"]], "a file with this name"
    assert expanded([f"{runs}/**/d.jsonl"]) == [paths["inner/d.jsonl"]]
    assert expanded(["https://example.org/a.jsonl?version=2"]) == ["https://example.org/a.jsonl?version=2"]
    with pytest.raises(UsageError) as caught:
        expanded([f"{runs}/*.jsonl", f"{runs}/*.csv"])
    assert str(caught.value) == f"no file matches '{runs}/*.csv'"


def test_relative_patterns_match_no_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.jsonl", "inner/d.jsonl"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).touch()
    Path("folder.jsonl").mkdir()
    assert expanded(["*.jsonl", "*/*.jsonl"]) == ["a.jsonl", os.path.join("inner", "d.jsonl")]


@pytest.mark.usefixtures("memory")
def test_schemes_without_a_package_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="'nothing://a' cannot be used: unknown scheme nothing://; use s3://"):
        open_binary("nothing://a")
    monkeypatch.setitem(sys.modules, "gcsfs", None)
    with pytest.raises(UsageError, match=r"'gs://b/a' needs a package that is not installed; .*pip install gcsfs"):
        open_binary("gs://b/a")
    monkeypatch.setitem(sys.modules, "fsspec", None)
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(MissingExtraError, match=r"the path 's3://b/a' needs the package 'fsspec'.*\[remote\]"):
        open_binary("s3://b/a")


def test_local_files_import_neither_fsspec_nor_pyarrow(tmp_path: Path) -> None:
    script = """
import sys
from metrics_framework.io.locations import *
from metrics_framework.io.writing import open_for_writing
path = sys.argv[1] + "/a.jsonl"
with open_for_writing(path) as stream:
    stream.write("{}")
open_binary(path).close()
size_of(path), expanded([sys.argv[1] + "/*.jsonl"])
print(*sorted({"fsspec", "pyarrow", "numpy"} & sys.modules.keys()))
"""
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path)], capture_output=True, encoding="utf-8")
    assert (done.stdout, done.stderr) == ("\n", "")


def write(text: str, *paths: str) -> None:
    """Writes a text to several files of one run."""
    with output_files() as files:
        for path in paths:
            files.open(path).write(text)


LINES = b"".join(b'{"id": %d, "text": "%s"}\n' % (number, b"x" * (number % 97)) for number in range(2000))


@pytest.mark.parametrize("name", sampled(["a.jsonl", "without_ending", "a.jsonl.gz"], 2))
def test_lines_of_objects_are_read_at_once_and_in_pieces(s3: ObjectStore, name: str) -> None:
    path = s3.put(name, LINES if name == "a.jsonl" else gzip.compress(LINES))
    assert [row["id"] for _, row in read_jsonl(path)] == [*range(2000)]
    pieces = pieces_of_lines(path, "a", len(LINES) // 7)
    assert [row["id"] for piece in pieces for _, row in read_jsonl(path, None, piece)] == [*range(2000)]
    assert len(pieces) > 6 if name == "a.jsonl" else len(pieces) == 1
    assert len(pieces_of_lines(f"{s3.url}/missing", "c", 100)) == 1


READER = """
import sys, tracemalloc
from metrics_framework.io.reading import read_lines
list(read_lines(sys.argv[1]))
tracemalloc.start()
print(sum(1 for _ in read_lines(sys.argv[2])), tracemalloc.get_traced_memory()[1])
"""


@pytest.mark.slow
def test_memory_is_bounded(s3: ObjectStore) -> None:
    paths = [s3.put("small.txt", b"x\n"), s3.put("large.txt", (b"x" * 1023 + b"\n") * (40 << 10))]
    done = subprocess.run([sys.executable, "-c", READER, *paths], capture_output=True, encoding="utf-8", check=True)
    lines, peak = map(int, done.stdout.split())
    assert lines == 40 << 10
    assert peak < 6 * BLOCK_SIZE < 40 << 20


def test_columns_of_an_object_are_read_once(s3: ObjectStore, monkeypatch: pytest.MonkeyPatch) -> None:
    pa = pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
    from pyarrow import parquet

    column = [f"{number:2000}" for number in range(4000)]
    content = io.BytesIO()
    table = pa.table({"summary": column, "source": column})
    parquet.write_table(table, content, compression="none", use_dictionary=False)
    path = s3.put("a.parquet", content.getvalue())
    ranges, fetch = [], sys.modules["s3fs.core"]._fetch_range

    def counted(system: Any, bucket: str, key: str, version: Any, start: int, end: int, **options: Any) -> Any:
        ranges.append(end - start)
        return fetch(system, bucket, key, version, start, end, **options)

    monkeypatch.setattr("s3fs.core._fetch_range", counted)
    assert [row["source"] for _, row in read_rows(path, Problems())] == column
    assert sum(ranges) < 1.3 * len(content.getvalue())
    assert max(ranges) <= 2 * BLOCK_SIZE


@pytest.mark.parametrize(
    ("size", "error"),
    [(0, ValueError()), (1000, KeyboardInterrupt()), pytest.param(12 << 20, ValueError(), marks=pytest.mark.slow)],
)
def test_an_exception_leaves_no_object(s3: ObjectStore, size: int, error: BaseException) -> None:
    s3.put("earlier.jsonl", b"earlier")
    with suppress(type(error)), output_files() as files:
        for name in ("earlier.jsonl", "new.jsonl", "new.jsonl.gz"):
            files.open(f"{s3.url}/{name}").write("x" * size)
        raise error
    assert s3.keys() == ["earlier.jsonl"]
    assert s3.get("earlier.jsonl") == b"earlier"
    assert s3.uploads() == []


@pytest.mark.parametrize("size", sampled([1000, 0, 20 << 20], 1))
def test_complete_files_are_objects(s3: ObjectStore, size: int) -> None:
    text = ("0123456789abcde\n" * (size // 16 + 1))[:size]
    with output_files() as files:
        files.open(f"{s3.url}/a.txt").write(text)
        files.open(f"{s3.url}/a.txt.gz").write(text)
        assert s3.keys() == []
    assert s3.get("a.txt").decode() == text
    assert gzip.decompress(s3.get("a.txt.gz")).decode() == text
    assert s3.uploads() == []


def test_a_failing_second_output_leaves_no_first_one(s3: ObjectStore) -> None:
    with pytest.raises(UsageError, match=r"cannot write to 's3://no-such-bucket/b': No such file or directory"):
        write("x" * 1000, f"{s3.url}/a", "s3://no-such-bucket/b")
    assert s3.keys() == []
    assert s3.uploads() == []


def test_missing_credentials_are_reported(s3: ObjectStore, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", os.devnull)
    monkeypatch.setenv("AWS_CONFIG_FILE", os.devnull)
    with pytest.raises(DataError, match="s3://tests/a: cannot be read: no credentials were found"):
        open_binary("s3://tests/a")
    with pytest.raises(UsageError, match="cannot write to 's3://tests/a': no credentials were found"):
        write("", "s3://tests/a")


def test_refused_connections_and_denied_access_are_reported(s3: ObjectStore, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(*arguments: Any, **options: Any) -> None:
        raise PermissionError("Forbidden")

    path = s3.put("a", b"")
    with monkeypatch.context() as patch:
        patch.setattr("s3fs.S3FileSystem.info", denied)
        for function in (open_binary, size_of):
            with pytest.raises(DataError, match="s3://tests/a: cannot be read: Permission denied"):
                function(path)
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    monkeypatch.setattr("s3fs.S3FileSystem.retries", 1)
    with pytest.raises(DataError, match="s3://tests/a: cannot be read: Connection refused"):
        open_binary("s3://tests/a")


HOSTILE = st.text(
    st.characters(blacklist_characters="/\0?*[]", blacklist_categories=["Cs"]), min_size=1, max_size=20
).filter(lambda name: name not in (".", "..") and "::" not in name)


@settings(max_examples=40)
@given(name=HOSTILE, content=st.binary(max_size=100))
def test_hostile_names_of_remote_files(name: str, content: bytes) -> None:
    fsspec = pytest.importorskip("fsspec", reason="remote paths need fsspec")
    store = fsspec.filesystem("memory").store
    path = f"memory://hostile/{name}"
    try:
        with replacing(path) as stream:
            stream.write(content)
        assert [*store] == [f"/hostile/{name}"]
        assert content_of(path) == content
    finally:
        store.clear()


@pytest.mark.slow
def test_hostile_names_of_objects(s3: ObjectStore) -> None:
    names = ["a b", "a%2Fb", "ü", "\u202ea", "a#b", "a'b", '"', "-x", "a:b", "a+b", "a&b=c", "a\\b"]
    for name in names:
        with replacing(f"{s3.url}/hostile/{name}") as stream:
            stream.write(name.encode())
    assert [content_of(f"{s3.url}/hostile/{name}").decode() for name in names] == names
    assert s3.keys() == sorted(f"hostile/{name}" for name in names)


def test_errors_while_reading_have_path_and_line(s3: ObjectStore, monkeypatch: pytest.MonkeyPatch) -> None:
    path = s3.put("a.jsonl", b'{"a": "%s"}\n' % (b"x" * (1 << 20)) * 9)
    rows = read_jsonl(path)

    def interrupted(*arguments: Any, **options: Any) -> bytes:
        raise ConnectionResetError("Connection reset by peer")

    next(rows)
    monkeypatch.setattr("s3fs.core._fetch_range", interrupted)
    with pytest.raises(DataError, match=rf"s3://tests/a\.jsonl:\d+: {CUT_SHORT}: .*reset by peer"):
        list(rows)


def answered(code: int, headers: dict[str, str], content: bytes, handler: Handler) -> None:
    handler.send_response(code)
    for name, value in {**headers, "Content-Length": str(len(content))}.items():
        handler.send_header(name, value)
    handler.end_headers()
    if handler.command == "GET":
        handler.wfile.write(content)


def ranges(handler: Handler) -> None:
    """Answers with a range of a file, as most web servers do."""
    content = handler.server.files[handler.path.partition("?")[0]]
    first, _, last = handler.headers.get("Range", "bytes=0-").removeprefix("bytes=").partition("-")
    begin, end = int(first), int(last) + 1 if last else len(content)
    part = content[begin:end]
    place = f"bytes {begin}-{begin + len(part) - 1}/{len(content)}"
    answered(206, {"Accept-Ranges": "bytes", "Content-Range": place}, part, handler)


def whole(handler: Handler) -> None:
    """Answers with the whole file, whatever range is asked for."""
    answered(200, {}, handler.server.files[handler.path.partition("?")[0]], handler)


@pytest.fixture
def pages(web: Server, monkeypatch: pytest.MonkeyPatch) -> Server:
    for package in ("fsspec", "aiohttp"):
        pytest.importorskip(package, reason=f"URLs need {package}")
    from fsspec.implementations.http import HTTPFileSystem

    HTTPFileSystem.clear_instance_cache()
    monkeypatch.setattr(Handler, "do_HEAD", Handler.do_GET, raising=False)
    return web


@pytest.mark.parametrize("answer", [ranges, whole])
def test_urls_are_read_with_and_without_ranges(pages: Server, answer: Any) -> None:
    content = LINES * 60
    pages.files["/a.jsonl"] = content
    pages.script["/a.jsonl?key=1"] = [answer] * 50
    url = f"{pages.url}/a.jsonl?key=1"
    assert sum(1 for _ in read_jsonl(url)) == 120_000
    assert range_size(url) is None
    if answer is ranges:
        with open_binary(url) as stream:
            assert stream.seek(5_000_000) == 5_000_000
            assert stream.read(20) == content[5_000_000:5_000_020]
            assert stream.seek(-5, os.SEEK_END) == len(content) - 5
            assert stream.read() == content[-5:]


@pytest.mark.parametrize(("code", "reason"), [(403, "Permission denied"), (404, "No such file or directory")])
def test_urls_that_cannot_be_read_or_written(pages: Server, code: int, reason: str) -> None:
    pages.script["/a"] = [partial(answered, code, {}, b"")] * 10
    with pytest.raises(DataError, match=f"/a: cannot be read: {reason}"):
        open_binary(f"{pages.url}/a")
    with pytest.raises(UsageError, match=r"cannot write to 'http://.*/a': not supported for this scheme"):
        write("", f"{pages.url}/a")


def test_the_raw_file_is_positioned(memory: Any) -> None:
    memory.pipe_file("/a", b"0123456789")
    with io.BufferedReader(open_raw("memory://a")) as stream:
        assert stream.peek(1)[:3] == b"012"
        assert stream.read(4) == b"0123"
        stream.seek(-2, os.SEEK_CUR)
        assert stream.tell() == 2
        assert stream.read() == b"23456789"
