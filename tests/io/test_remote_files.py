"""Tests of remote files against a local S3 server, a local web server and the memory of fsspec."""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import CUT_SHORT
from object_store import ObjectStore
from web_server import Handler, Server

from metrics_framework.common.errors import DataError, Problems, UsageError
from metrics_framework.io.jsonl import read_jsonl
from metrics_framework.io.locations import expanded, open_binary, open_raw, range_size, size_of
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


def write(text: str, *paths: str) -> None:
    """Writes a text to several files of one run."""
    with output_files() as files:
        for path in paths:
            files.open(path).write(text)


LINES = b"".join(b'{"id": %d, "text": "%s"}\n' % (number, b"x" * (number % 97)) for number in range(2000))


def test_objects_are_read_from_a_position(s3: ObjectStore) -> None:
    path = s3.put("runs/a", b"0123456789")
    with open_binary(path, 4) as stream:
        assert stream.read() == b"456789"
        assert stream.seek(-3, os.SEEK_END) == 7
        assert stream.read(1) == b"7"
    assert size_of(path) == 10


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz", "without_ending"])
def test_lines_of_objects_are_read(s3: ObjectStore, name: str) -> None:
    path = s3.put(name, LINES if name == "a.jsonl" else gzip.compress(LINES))
    assert [row["id"] for _, row in read_jsonl(path)] == [*range(2000)]


def test_pieces_of_an_object_have_all_lines_once(s3: ObjectStore) -> None:
    path = s3.put("a.jsonl", LINES)
    pieces = pieces_of_lines(path, "a", len(LINES) // 7)
    assert len(pieces) > 6
    assert [row["id"] for piece in pieces for _, row in read_jsonl(path, None, piece)] == [*range(2000)]
    compressed = s3.put("b", gzip.compress(LINES))
    assert len(pieces_of_lines(compressed, "b", 100)) == 1
    assert len(pieces_of_lines(f"{s3.url}/missing", "c", 100)) == 1


READER = """
import sys, tracemalloc
from metrics_framework.io.reading import read_lines
list(read_lines(sys.argv[1]))
tracemalloc.start()
print(sum(1 for _ in read_lines(sys.argv[2])), tracemalloc.get_traced_memory()[1])
"""


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
    ("size", "error"), [(0, ValueError()), (1000, KeyboardInterrupt()), (1000, ValueError()), (12 << 20, ValueError())]
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


@pytest.mark.parametrize("size", [0, 1000, 20 << 20])
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


@pytest.mark.parametrize("path", ["s3://tests/missing", "s3://no-such-bucket/missing"])
def test_missing_objects_are_reported_as_missing_files(s3: ObjectStore, path: str) -> None:
    message = f"{path}: cannot be read: No such file or directory"
    for function in (open_binary, size_of, lambda path: list(read_lines(path))):
        with pytest.raises(DataError) as caught:
            function(path)
        assert str(caught.value) == message


def test_folders_are_no_files(s3: ObjectStore) -> None:
    s3.put("runs/a", b"")
    for path in (f"{s3.url}/runs", s3.url):
        with pytest.raises(DataError, match=r"s3://tests.*: cannot be read: Is a directory"):
            size_of(path)
        with pytest.raises(DataError, match=r"s3://tests.*: cannot be read: Is a directory"):
            open_binary(path)


def test_missing_credentials_are_reported(s3: ObjectStore, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", os.devnull)
    monkeypatch.setenv("AWS_CONFIG_FILE", os.devnull)
    with pytest.raises(DataError, match="s3://tests/a: cannot be read: no credentials were found"):
        open_binary("s3://tests/a")
    with pytest.raises(UsageError, match="cannot write to 's3://tests/a': no credentials were found"):
        write("", "s3://tests/a")


def test_refused_connections_are_reported(s3: ObjectStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    monkeypatch.setattr("s3fs.S3FileSystem.retries", 1)
    with pytest.raises(DataError, match="s3://tests/a: cannot be read: Connection refused"):
        open_binary("s3://tests/a")


def test_denied_access_is_reported(s3: ObjectStore, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(*arguments: Any, **options: Any) -> None:
        raise PermissionError("Forbidden")

    path = s3.put("a", b"")
    monkeypatch.setattr("s3fs.S3FileSystem.info", denied)
    for function in (open_binary, size_of):
        with pytest.raises(DataError, match="s3://tests/a: cannot be read: Permission denied"):
            function(path)


def test_patterns_of_objects(s3: ObjectStore) -> None:
    for name in ("b.jsonl", "a.jsonl", "c.txt", "inner/d.jsonl"):
        s3.put(f"runs/{name}", b"")
    runs = f"{s3.url}/runs"
    assert expanded([f"{runs}/*.jsonl", "local"]) == [f"{runs}/a.jsonl", f"{runs}/b.jsonl", "local"]
    assert expanded([f"{runs}/**/d.jsonl"]) == [f"{runs}/inner/d.jsonl"]
    for pattern in (f"{runs}/*.csv", "s3://no-such-bucket/*"):
        with pytest.raises(UsageError) as caught:
            expanded([pattern])
        assert str(caught.value) == f"no file matches '{pattern}'"


HOSTILE = st.text(
    st.characters(blacklist_characters="/\0?*[]", blacklist_categories=["Cs"]), min_size=1, max_size=20
).filter(lambda name: name not in (".", "..") and "::" not in name)


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


def test_hostile_names_of_objects(s3: ObjectStore) -> None:
    names = ["a b", "a%2Fb", "ü", "\u202ea", "a#b", "a'b", '"', "-x", "a:b", "a+b", "a&b=c", "a\\b"]
    for name in names:
        with replacing(f"{s3.url}/hostile/{name}") as stream:
            stream.write(name.encode())
    assert [content_of(f"{s3.url}/hostile/{name}").decode() for name in names] == names
    assert s3.keys() == sorted(f"hostile/{name}" for name in names)


def test_control_characters_of_paths_are_escaped_in_errors(memory: Any) -> None:
    with pytest.raises(DataError) as caught:
        open_binary("memory://a\nb\x1b[2J")
    assert str(caught.value) == "memory://a\\nb\\x1b[2J: cannot be read: No such file or directory"


def test_errors_while_reading_have_path_and_line(s3: ObjectStore, monkeypatch: pytest.MonkeyPatch) -> None:
    path = s3.put("a.jsonl", b'{"a": "%s"}\n' % (b"x" * (1 << 20)) * 9)
    rows = read_jsonl(path)

    def interrupted(*arguments: Any, **options: Any) -> bytes:
        raise ConnectionResetError("Connection reset by peer")

    next(rows)
    monkeypatch.setattr("s3fs.core._fetch_range", interrupted)
    with pytest.raises(DataError, match=rf"s3://tests/a\.jsonl:\d+: {CUT_SHORT}: .*reset by peer"):
        list(rows)


def ranges(handler: Handler) -> None:
    """Answers with a range of a file, as most web servers do."""
    content = handler.server.files[handler.path.partition("?")[0]]
    first, _, last = handler.headers.get("Range", "bytes=0-").removeprefix("bytes=").partition("-")
    begin, end = int(first), int(last) + 1 if last else len(content)
    part = content[begin:end]
    handler.send_response(206)
    handler.send_header("Accept-Ranges", "bytes")
    handler.send_header("Content-Length", str(len(part)))
    handler.send_header("Content-Range", f"bytes {begin}-{begin + len(part) - 1}/{len(content)}")
    handler.end_headers()
    if handler.command == "GET":
        handler.wfile.write(part)


def whole(handler: Handler) -> None:
    """Answers with the whole file, whatever range is asked for."""
    content = handler.server.files[handler.path.partition("?")[0]]
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(content)))
    handler.end_headers()
    if handler.command == "GET":
        handler.wfile.write(content)


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
        with open_binary(url, 5_000_000) as stream:
            assert stream.read(20) == content[5_000_000:5_000_020]
            assert stream.seek(-5, os.SEEK_END) == len(content) - 5
            assert stream.read() == content[-5:]


@pytest.mark.parametrize(("code", "reason"), [(403, "Permission denied"), (404, "No such file or directory")])
def test_urls_that_cannot_be_read(pages: Server, code: int, reason: str) -> None:
    def refused(handler: Handler) -> None:
        handler.send_response(code)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    pages.script["/a"] = [refused] * 10
    with pytest.raises(DataError, match=f"/a: cannot be read: {reason}"):
        open_binary(f"{pages.url}/a")


def test_urls_cannot_be_written(pages: Server) -> None:
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
