"""Tests of local and remote paths."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from metrics_framework.common.errors import DataError, MissingExtraError, UsageError
from metrics_framework.io.locations import expanded, is_remote, open_binary, size_of


@pytest.fixture
def memory() -> Iterator[Any]:
    fsspec = pytest.importorskip("fsspec", reason="remote paths need fsspec")
    system = fsspec.filesystem("memory")
    yield system
    system.store.clear()


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("s3://bucket/a.jsonl", True),
        ("GS://bucket/a", True),
        ("hf://datasets/owner/name/a", True),
        ("simplecache::s3://bucket/a", True),
        ("C:/a.jsonl", False),
        ("C:\\a.jsonl", False),
        ("c://a.jsonl", False),
        ("a.jsonl", False),
        ("-", False),
        ("", False),
        ("://", False),
        ("runs/s3://a", False),
        ("a b://c", False),
    ],
)
def test_a_scheme_makes_a_path_remote(path: str, expected: bool) -> None:
    assert is_remote(path) is expected


def test_local_files_are_opened_at_a_position(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"0123456789")
    with open_binary(str(path), 4) as stream:
        assert stream.read(3) == b"456"
    assert size_of(str(path)) == 10
    with pytest.raises(DataError, match="missing: cannot be read: No such file or directory"):
        open_binary(str(tmp_path / "missing"))
    with pytest.raises(DataError, match="missing: cannot be read: No such file or directory"):
        size_of(str(tmp_path / "missing"))
    assert size_of(os.devnull) is None


def test_remote_files_are_opened_at_a_position(memory: Any) -> None:
    memory.pipe_file("/runs/a", b"0123456789")
    with open_binary("memory://runs/a", 4) as stream, open_binary("memory://runs/a") as other:
        assert other.read(2) == b"01"
        assert stream.read(3) == b"456"
        assert other.read() == b"23456789"
        assert stream.read() == b"789"
    assert size_of("memory://runs/a") == 10
    with pytest.raises(DataError, match="memory://runs/b: cannot be read: No such file or directory"):
        open_binary("memory://runs/b")
    with pytest.raises(DataError, match="memory://runs: cannot be read: Is a directory"):
        size_of("memory://runs")


def test_local_patterns_are_expanded_and_sorted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("b.jsonl", "a.jsonl", "c.txt", "[x].jsonl", "inner/d.jsonl"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text("")
    Path("folder.jsonl").mkdir()
    assert expanded(["c.txt", "?.jsonl", "-", "missing"]) == ["c.txt", "a.jsonl", "b.jsonl", "-", "missing"]
    assert expanded(["[x].jsonl"]) == ["[x].jsonl"], "a file with this name"
    assert expanded(["*/*.jsonl"]) == [os.path.join("inner", "d.jsonl")]
    assert expanded(["**/*.jsonl"])[-1] == os.path.join("inner", "d.jsonl")
    with pytest.raises(UsageError, match=r"no file matches '\*\.csv'"):
        expanded(["*.jsonl", "*.csv"])


def test_remote_patterns_are_expanded_and_sorted(memory: Any) -> None:
    for name in ("b.jsonl", "a.jsonl", "c.txt", "inner/d.jsonl", "x[1].jsonl"):
        memory.pipe_file(f"/runs/{name}", b"")
    assert expanded(["memory://runs/?.jsonl"]) == ["memory://runs/a.jsonl", "memory://runs/b.jsonl"]
    assert expanded(["memory://runs/x[1].jsonl"]) == ["memory://runs/x[1].jsonl"], "a file with this name"
    assert expanded(["memory://runs/**/d.jsonl"]) == ["memory://runs/inner/d.jsonl"]
    with pytest.raises(UsageError, match=r"no file matches 'memory://runs/\*\.csv'"):
        expanded(["memory://runs/*.csv"])
    assert expanded(["https://example.org/a.jsonl?version=2"]) == ["https://example.org/a.jsonl?version=2"]


def test_schemes_without_a_package_are_reported(memory: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="'nothing://a' cannot be used: unknown scheme nothing://; use s3://"):
        open_binary("nothing://a")
    monkeypatch.setitem(sys.modules, "gcsfs", None)
    with pytest.raises(UsageError, match=r"'gs://b/a' needs a package that is not installed; .*pip install gcsfs"):
        open_binary("gs://b/a")


def test_without_fsspec_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
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
