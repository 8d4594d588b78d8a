"""Tests of folders whose files are written completely or not at all."""

from __future__ import annotations

import errno
import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest

from metrics_framework.common.errors import DataError, UsageError
from metrics_framework.io import folders
from metrics_framework.io.folders import Folder


@pytest.fixture(params=["local", "memory"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Folder]:
    if request.param == "local":
        yield Folder(str(tmp_path / "runs" / "first"))
        return
    fsspec = pytest.importorskip("fsspec", reason="remote folders need fsspec")
    yield Folder("memory://folders/first")
    store = fsspec.filesystem("memory").store
    for name in list(store):
        del store[name]


def parts_then_error(error: BaseException, count: int = 3) -> Iterator[bytes]:
    for _ in range(count):
        yield b"x" * 1000
    raise error


def test_files_are_written_read_listed_and_removed(folder: Folder) -> None:
    assert folder.names() == []
    folder.create()
    folder.create()
    folder.write("b.txt", b"second")
    folder.write("a.txt", (part for part in (b"fi", b"", b"rst")))
    folder.write("empty", b"")
    assert folder.names() == ["a.txt", "b.txt", "empty"]
    assert folder.read("a.txt") == b"first"
    assert folder.read("empty") == b""
    with folder.open("b.txt") as stream:
        assert stream.read(3) == b"sec"
    folder.write("b.txt", b"new")
    assert folder.read("b.txt") == b"new"
    folder.remove("b.txt")
    folder.remove("b.txt")
    assert not folder.exists("b.txt")
    assert folder.exists("a.txt")
    with pytest.raises(DataError, match=r"b\.txt: cannot be read: No such file"):
        folder.read("b.txt")
    with pytest.raises(DataError, match=r"b\.txt: cannot be read: No such file"):
        folder.open("b.txt")


@pytest.mark.parametrize("error", [ValueError("wrong"), KeyboardInterrupt()])
def test_an_exception_leaves_the_earlier_content_and_no_stray(folder: Folder, error: BaseException) -> None:
    folder.create()
    folder.write("a.txt", b"earlier")
    for name in ("a.txt", "b.txt"):
        with pytest.raises(type(error)):
            folder.write(name, parts_then_error(error))
    assert folder.names() == ["a.txt"]
    assert folder.read("a.txt") == b"earlier"
    if os.path.isdir(folder.path):
        assert os.listdir(folder.path) == ["a.txt"]


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "../a", "/a", "a\0", ".fw-x.part"])
def test_names_cannot_leave_the_folder(folder: Folder, name: str) -> None:
    with pytest.raises(ValueError, match="not a name of a file in a folder"):
        folder.write(name, b"")


def test_hostile_names_are_names(folder: Folder) -> None:
    names = ["a b", "a%2Fb", "ü", "\u202ea", "a#b", "a'b", '"', "[a]", "*", "?", "-x", "a:b"]
    folder.create()
    for name in names:
        folder.write(name, name.encode())
    assert folder.names() == sorted(names)
    assert [folder.read(name).decode() for name in names] == names
    for name in names:
        folder.remove(name)
    assert folder.names() == []


def test_the_same_file_written_twice_at_once_is_complete(folder: Folder) -> None:
    folder.create()

    def interleaved() -> Iterator[bytes]:
        yield b"a"
        folder.write("a.txt", b"ab")
        yield b"b"

    folder.write("a.txt", interleaved())
    assert folder.read("a.txt") == b"ab"
    assert folder.names() == ["a.txt"]


def test_a_new_file_replaces_no_other(folder: Folder) -> None:
    folder.create()
    assert folder.write_new("a.txt", b"first")
    assert not folder.write_new("a.txt", b"second")
    assert folder.read("a.txt") == b"first"
    assert folder.names() == ["a.txt"]
    if os.path.isdir(folder.path):
        assert os.listdir(folder.path) == ["a.txt"]


@pytest.mark.parametrize("number", [errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS])
def test_a_new_file_needs_no_hard_links(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def link(source: str, target: str) -> None:
        raise OSError(number, os.strerror(number), source, None, target)

    monkeypatch.setattr(os, "link", link)
    folder = Folder(str(tmp_path))
    assert folder.write_new("a.txt", b"first")
    assert not folder.write_new("a.txt", b"second")
    assert (folder.read("a.txt"), folder.names()) == (b"first", ["a.txt"])
    folder.remove_strays()
    assert os.listdir(tmp_path) == ["a.txt"]


def test_a_link_whose_answer_was_lost_is_new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    link = os.link

    def linked_twice(source: str, target: str) -> None:
        link(source, target)
        link(source, target)

    monkeypatch.setattr(os, "link", linked_twice)
    assert Folder(str(tmp_path)).write_new("a.txt", b"first")
    assert os.listdir(tmp_path) == ["a.txt"]


def test_a_new_file_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot write to '.*missing/a': No such file or directory"):
        Folder(str(tmp_path / "missing")).write_new("a", b"")


def test_a_temporary_file_is_not_taken_for_a_stray_before_it_is_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    locked, removed = folders._locked, []

    def lock(stream: IO[bytes]) -> bool:
        if not removed and stream.writable():
            removed.append(stream.name)
            Folder(str(tmp_path)).remove_strays()
        return locked(stream)

    monkeypatch.setattr(folders, "_locked", lock)
    Folder(str(tmp_path)).write("a", b"1")
    assert removed
    assert os.listdir(tmp_path) == ["a"]


def test_a_folder_can_be_pickled(folder: Folder) -> None:
    folder.create()
    copy = pickle.loads(pickle.dumps(folder))
    copy.write("a", b"1")
    assert folder.read("a") == b"1"


def test_a_full_disk_leaves_no_stray(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left") as caught:
        Folder(str(tmp_path)).write("a", b"x")
    assert caught.value.filename == str(tmp_path / "a")
    assert list(tmp_path.iterdir()) == []


def test_a_file_system_without_fsync_is_accepted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unsupported(descriptor: int) -> None:
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))

    monkeypatch.setattr(os, "fsync", unsupported)
    Folder(str(tmp_path)).write("a", b"x")
    assert (tmp_path / "a").read_bytes() == b"x"


def test_folders_that_cannot_be_written_are_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match=r"cannot write to '.*file': File exists"):
        Folder(str(tmp_path / "file")).create()
    with pytest.raises(UsageError, match=r"cannot write to '.*missing/a': No such file or directory"):
        Folder(str(tmp_path / "missing")).write("a", b"")
    with pytest.raises(DataError, match="file: cannot be read: Not a directory"):
        Folder(str(tmp_path / "file")).names()


WRITER = """
import sys, time
from metrics_framework.io.folders import Folder

def parts():
    yield b"x" * 100_000
    print("writing", flush=True)
    time.sleep(60)

Folder(sys.argv[1]).write("a", parts())
"""


@pytest.mark.skipif(os.name == "nt", reason="locks need POSIX")
def test_strays_of_killed_processes_are_removed_but_not_files_being_written(tmp_path: Path) -> None:
    folder = Folder(str(tmp_path))
    with subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"writing\n"
        assert len(os.listdir(tmp_path)) == 1
        folder.remove_strays()
        assert len(os.listdir(tmp_path)) == 1, "its process is alive"
        assert folder.names() == []
        process.send_signal(signal.SIGKILL)
        process.wait()
    deadline = time.monotonic() + 10
    while os.listdir(tmp_path) and time.monotonic() < deadline:
        folder.remove_strays()
    assert os.listdir(tmp_path) == []
