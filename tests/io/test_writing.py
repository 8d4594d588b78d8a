"""Output files: whole or not there, all complete before the first is replaced, protected ones, mounts, open files."""

from __future__ import annotations

import errno
import gc
import gzip
import io
import os
import random
import signal
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from processes import needs_full_device, needs_pipes

from metrics_framework.common.errors import UsageError
from metrics_framework.common.process import RECORD, OutputRecord, signals_delayed
from metrics_framework.io.writing import _descriptor, open_for_writing, output_files, output_path, replacing

POSIX = pytest.mark.skipif(os.name != "posix", reason="needs files of POSIX")


@pytest.fixture
def record() -> Iterator[OutputRecord]:
    """Records the outputs of a test, as a run does."""
    token = RECORD.set(OutputRecord())
    yield RECORD.get()
    RECORD.reset(token)


def write(path: Path | str, text: str) -> None:
    with open_for_writing(str(path)) as stream:
        stream.write(text)


def write_two(folder: Path) -> None:
    with output_files() as files:
        files.open(str(folder / "a")).write("new a")
        files.open(str(folder / "b")).write("new b")


def contents(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


def test_all_files_are_written_to_the_disk_before_the_first_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, record: OutputRecord
) -> None:
    done: list[tuple[str, int]] = []
    fsync, replace = os.fsync, os.replace

    def recorded_fsync(descriptor: int) -> None:
        fsync(descriptor)
        done.append(("fsync", os.fstat(descriptor).st_size))

    def recorded_replace(old: str, new: str) -> None:
        done.append(("replace", os.path.getsize(old)))
        replace(old, new)

    monkeypatch.setattr(os, "fsync", recorded_fsync)
    monkeypatch.setattr(os, "replace", recorded_replace)
    with output_files() as files:
        files.open(str(tmp_path / "a.json")).write("a" * 1000)
        files.open(str(tmp_path / "b.jsonl")).write("b" * 2000)
        assert str(record) == ""
    assert done == [("fsync", 1000), ("fsync", 2000), ("replace", 1000), ("replace", 2000)]
    assert record == {str(tmp_path / "a.json"): True, str(tmp_path / "b.jsonl"): True}


def test_an_error_of_the_last_write_leaves_all_old_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_text("old a")
    (tmp_path / "b").write_text("old b")
    calls: list[int] = []

    def full_disk(descriptor: int) -> None:
        calls.append(descriptor)
        if len(calls) == 2:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(OSError, match="No space left") as caught:
        write_two(tmp_path)
    assert caught.value.filename == str(tmp_path / "b")
    assert contents(tmp_path) == {"a": "old a", "b": "old b"}


def test_an_error_of_the_second_rename_names_the_file_that_is_in_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, record: OutputRecord
) -> None:
    replace = os.replace

    def failing(old: str, new: str) -> None:
        if new.endswith("b"):
            raise OSError(errno.EIO, "Input/output error")
        replace(old, new)

    monkeypatch.setattr(os, "replace", failing)
    with pytest.raises(OSError, match="Input/output") as caught:
        write_two(tmp_path)
    assert caught.value.strerror == f"Input/output error; {tmp_path / 'a'} is complete"
    assert caught.value.filename == str(tmp_path / "b")
    assert contents(tmp_path) == {"a": "new a"}
    assert str(record) == f"{tmp_path / 'a'} is complete"


@pytest.mark.parametrize("code", [errno.EINVAL, errno.ENOTSUP])
def test_a_file_system_without_fsync_is_written_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    def refused(descriptor: int) -> None:
        raise OSError(code, "refused")

    monkeypatch.setattr(os, "fsync", refused)
    write(tmp_path / "x", "a")
    assert contents(tmp_path) == {"x": "a"}


@pytest.mark.parametrize("ending", ["", ".gz", ".bz2"])
@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_an_error_leaves_the_old_file_and_neither_files_nor_folders_that_it_created(
    tmp_path: Path, ending: str, error: type[BaseException]
) -> None:
    (tmp_path / "x").write_text("old")
    for path in (tmp_path / "x", tmp_path / "new" / "newer" / f"x{ending}"):
        with suppress(error), open_for_writing(str(path)) as stream:
            stream.write("half")
            raise error
    assert contents(tmp_path) == {"x": "old"}


# ---- names and permissions -------------------------------------------------------------------------------------------


@POSIX
@pytest.mark.parametrize("length", [240, 246, 255])
@pytest.mark.parametrize("letter", ["a", "猫"])
def test_a_name_may_be_as_long_as_the_file_system_allows(tmp_path: Path, length: int, letter: str) -> None:
    name = letter * (length // len(letter.encode()))
    write(tmp_path / name, "a")
    assert contents(tmp_path) == {name: "a"}


REFUSED = [  # path, message
    ("a" * 256, "File name too long"),
    ("one", ".*"),  # links in a circle
    ("", "it is a folder"),
    ("missing/", "it is a folder"),
    (".", "it is a folder"),
    ("file/x.txt", "File exists|Not a directory"),
]


@POSIX
@pytest.mark.parametrize(("path", "message"), REFUSED)
def test_a_path_that_cannot_be_written_to_is_refused_before_anything_is_written(
    path: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("one").symlink_to("two")
    Path("two").symlink_to("one")
    Path("file").touch()
    with pytest.raises(UsageError, match=f"^cannot write to '{path}': ({message})$"), output_files() as files:
        files.open(path)
    assert sorted(os.listdir()) == ["file", "one", "two"]


@POSIX
@pytest.mark.parametrize("through_link", [False, True])
def test_a_read_only_file_is_not_replaced_not_even_by_root(tmp_path: Path, through_link: bool) -> None:
    path = tmp_path / "x"
    path.write_text("old")
    path.chmod(0o444)
    (tmp_path / "link").symlink_to(path)
    with pytest.raises(UsageError, match="it is read-only; choose another file, or make it writable"):
        write(tmp_path / "link" if through_link else path, "new")
    assert path.read_text() == "old"
    assert len(os.listdir(tmp_path)) == 2
    path.chmod(0o640)
    write(path, "new")
    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == ("new", 0o640)


class Refusing:
    """Refuses what a mounted file, or a folder without write permission, refuses."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path, rename: int = 0, create: int = 0) -> None:
        mkstemp = tempfile.mkstemp

        def failing_replace(old: str, new: str) -> None:
            raise OSError(rename, os.strerror(rename))

        def failing_mkstemp(prefix: str, suffix: str, dir: str | None = None) -> tuple[int, str]:
            if dir == str(folder):
                raise OSError(create, os.strerror(create))
            return mkstemp(prefix=prefix, suffix=suffix, dir=dir)

        if rename:
            monkeypatch.setattr(os, "replace", failing_replace)
        if create:
            monkeypatch.setattr("tempfile.mkstemp", failing_mkstemp)


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for temporary files."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


@POSIX
@pytest.mark.parametrize(
    ("rename", "create", "why"),
    [
        (errno.EBUSY, 0, "a file that is mounted into a container"),
        (errno.EPERM, 0, "a file of another user in a folder with the sticky bit"),
        (errno.EBUSY, errno.EROFS, "a mounted file in a read-only folder"),
        (errno.EACCES, errno.EACCES, "a folder without write permission"),
    ],
)
@pytest.mark.parametrize("old", ["old", "old and longer than the new content"])
def test_a_file_that_cannot_be_replaced_is_written_in_place(
    rename: int, create: int, why: str, old: str, tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "x").write_text(old)
    node = (folder / "x").stat().st_ino
    Refusing(monkeypatch, folder, rename, create)
    with open_for_writing(str(folder / "x")) as stream:
        stream.write("new content")
        assert (folder / "x").read_text() == old
    assert contents(folder) == {"x": "new content"}, why
    assert (folder / "x").stat().st_ino == node
    assert contents(temporary) == {}


def test_a_copy_that_fails_keeps_the_complete_file_and_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "x").write_text("old")
    Refusing(monkeypatch, tmp_path, rename=errno.EBUSY)

    def full_disk(*streams: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("shutil.copyfileobj", full_disk)
    with pytest.raises(OSError, match="No space left on device; the file may be incomplete") as caught:
        write(tmp_path / "x", "new")
    part = next(tmp_path.glob("*.part"))
    assert caught.value.strerror.endswith(f"but '{part}' is complete")
    assert part.read_text() == "new"


@POSIX
@pytest.mark.skipif(os.geteuid() != 0 if hasattr(os, "geteuid") else True, reason="needs root, to mount")
def test_a_mounted_file_is_written_to(tmp_path: Path) -> None:
    for name in ("inside", "outside"):
        (tmp_path / name).write_text("old")
    mount = ["mount", "--bind", "outside", "inside"]
    if subprocess.run(mount, cwd=tmp_path, capture_output=True).returncode != 0:
        pytest.skip("needs the right to mount")
    try:
        write(tmp_path / "inside", "new")
        assert (tmp_path / "outside").read_text() == "new"
    finally:
        subprocess.run(["umount", "inside"], cwd=tmp_path, check=True)
    assert contents(tmp_path) == {"inside": "old", "outside": "new"}


# ---- open files ------------------------------------------------------------------------------------------------------

NAMES = ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "//dev//stdout", "/dev/../dev/stdout", "/proc/thread-self/fd/1"]


@pytest.mark.skipif(not os.path.exists("/proc/self/fd"), reason="needs /proc")
def test_a_name_of_standard_output_is_a_dash_and_other_names_are_unchanged(tmp_path: Path) -> None:
    for number, name in enumerate(NAMES):
        (tmp_path / f"link{number}").symlink_to(name)
        assert output_path(name) == output_path(str(tmp_path / f"link{number}")) == "-"
    for name in ("stdout", "/dev/stdout.json", "fd/1", "/dev/fd/12", "/dev/null", "-"):
        assert output_path(name) == name


@pytest.mark.skipif(not os.path.exists("/proc/self/fd"), reason="needs /proc")
def test_an_open_file_of_another_process_has_no_number_here() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        path = f"/proc/{other.pid}/fd/1"
        assert _descriptor(path) == (-1, path)
        assert _descriptor("/proc/self/fd/1") == (1, f"/proc/{os.getpid()}/fd/1")
        other.communicate(b"\n")


@pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="needs /dev/fd")
@pytest.mark.parametrize("name", ["/dev/fd/{}", "/proc/self/fd/{}", "/proc/{process}/fd/{}"])
@pytest.mark.parametrize("use", [open_for_writing, replacing])
def test_an_open_file_is_written_to_where_it_is(name: str, use: Any, tmp_path: Path) -> None:
    (tmp_path / "x").write_text("before\n")
    with open(tmp_path / "x", "a") as opened:
        with use(name.format(opened.fileno(), process=os.getpid())) as stream:
            stream.write(b"data\n" if use is replacing else "data\n")
        opened.write("after\n")
    assert contents(tmp_path) == {"x": "before\ndata\nafter\n"}


@pytest.mark.skipif(not os.path.exists("/proc/self/fd"), reason="needs /proc")
def test_an_open_file_of_another_process_is_appended_to(tmp_path: Path) -> None:
    with open(tmp_path / "x", "a") as opened:
        opened.write("before\n")
        opened.flush()
        script = (
            "from metrics_framework.io.writing import open_for_writing\n"
            f"with open_for_writing('/proc/{os.getpid()}/fd/{opened.fileno()}') as stream:\n"
            "    stream.write('data\\n')"
        )
        subprocess.run([sys.executable, "-c", script], check=True)
    assert contents(tmp_path) == {"x": "before\ndata\n"}


@pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="needs /dev/fd")
@pytest.mark.parametrize("number", ["987", "read-only"])
def test_an_open_file_that_cannot_be_written_to_is_refused_at_the_start(number: str, tmp_path: Path) -> None:
    (tmp_path / "x").write_text("old")
    with open(tmp_path / "x") as opened:
        path = f"/dev/fd/{opened.fileno() if number == 'read-only' else number}"
        with pytest.raises(UsageError, match=f"^cannot write to '{path}': Bad file descriptor$"):
            write(path, "new")
    assert contents(tmp_path) == {"x": "old"}


# ---- signals ---------------------------------------------------------------------------------------------------------


@POSIX
def test_a_signal_between_creating_and_recording_a_temporary_file_leaves_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mkstemp = tempfile.mkstemp

    def interrupted(**options: str) -> tuple[int, str]:
        created: tuple[int, str] = mkstemp(**options)
        os.kill(os.getpid(), signal.SIGINT)
        return created

    monkeypatch.setattr("tempfile.mkstemp", interrupted)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            write(tmp_path / "x", "a")
    finally:
        signal.signal(signal.SIGINT, before)
    assert list(tmp_path.iterdir()) == []


STATES = [  # complete, incomplete, statement
    ([], [], ""),
    (["a"], [], "a is complete"),
    (["a", "b"], [], "a and b are complete"),
    (["a", "b", "-"], [], "a, b and standard output are complete"),
    (["a"], ["-"], "a is complete, standard output is incomplete"),
    ([], ["p", "-"], "p and standard output are incomplete"),
]


@pytest.mark.parametrize(("complete", "incomplete", "statement"), STATES)
def test_the_record_of_outputs_is_a_sentence(complete: list[str], incomplete: list[str], statement: str) -> None:
    record = OutputRecord(dict.fromkeys((*complete, *incomplete), False))
    record.update(dict.fromkeys(complete, True))
    assert str(record) == statement


@POSIX
def test_delayed_signals_arrive_at_the_end_of_the_block() -> None:
    received: list[int] = []
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        for number in before:
            signal.signal(number, lambda number, frame: received.append(number))
        with signals_delayed():
            with signals_delayed():
                os.kill(os.getpid(), signal.SIGTERM)
            os.kill(os.getpid(), signal.SIGHUP)
            assert received == []
        assert received == [signal.SIGTERM]
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def test_text_is_written_as_utf_8_with_line_feeds_and_compressed_alike_each_time(tmp_path: Path):
    zstandard = pytest.importorskip("zstandard")
    text = "ä\u2028\nb\r\n" * 1000
    write(tmp_path / "new" / "folders" / "x.txt", text)
    assert (tmp_path / "new" / "folders" / "x.txt").read_bytes() == text.encode()
    for ending, unpack in ("gz", gzip.decompress), ("zst", zstandard.ZstdDecompressor().decompressobj().decompress):
        for name in "xy":
            write(tmp_path / f"{name}.{ending}", text)
        packed = (tmp_path / f"x.{ending}").read_bytes()
        assert unpack(packed) == text.encode()
        assert packed == (tmp_path / f"y.{ending}").read_bytes()


def test_a_file_has_its_name_only_when_it_is_complete_and_a_link_stays_a_link(tmp_path: Path):
    path, link = tmp_path / "x.txt", tmp_path / "link.txt"
    path.write_text("old")
    link.symlink_to(path)
    for old, new, name in (("old", "new", path), ("new", "newer", link)):
        with open_for_writing(str(name)) as stream:
            stream.write(new)
            stream.flush()
            assert path.read_text() == old
            assert len(os.listdir(tmp_path)) == 3
        assert path.read_text() == new
    assert sorted(os.listdir(tmp_path)) == ["link.txt", "x.txt"]
    assert link.is_symlink()


def test_a_dash_is_standard_output_which_is_not_touched_after_it_was_given_back(monkeypatch: pytest.MonkeyPatch):
    """What `io` makes is closed, and so flushed, when it is forgotten; Python 3.13 tells if that fails."""

    class Output(io.StringIO):
        flushed = 0

        def flush(self) -> None:
            self.flushed += 1

    output = Output()
    monkeypatch.setattr(sys, "stdout", output)
    with open_for_writing("-") as file:
        file.write("a\n")
    before = output.flushed
    del file
    gc.collect()
    assert (output.getvalue(), output.flushed) == ("a\n", before)


@needs_pipes
def test_a_pipe_and_a_device_are_written_to_and_stay_what_they_are(tmp_path: Path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    received: list[str] = []
    reader = threading.Thread(target=lambda: received.append(path.read_text(encoding="utf-8")))
    reader.start()
    write(path, "ä\n")
    reader.join()
    assert received == ["ä\n"]
    assert stat.S_ISFIFO(os.stat(path).st_mode)
    write("/dev/null", "a\n")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


@needs_full_device
@pytest.mark.parametrize("text", ["a\n", "a\n" * 100_000], ids=["at its end", "at once"])
def test_a_full_device_is_named(text: str):
    with pytest.raises(OSError, match="No space left on device") as caught:
        write("/dev/full", text)
    assert (caught.value.filename, caught.value.errno) == ("/dev/full", errno.ENOSPC)


@contextmanager
def no_file_longer_than(count: int) -> Iterator[None]:
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (count, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("name", ["x.txt", "x.gz", "x.zst"])
@pytest.mark.parametrize("size", [5_000, 100_000])
def test_a_file_that_the_disk_does_not_take_is_named_and_leaves_the_old_one(tmp_path: Path, name: str, size: int):
    if name.endswith(".zst"):
        pytest.importorskip("zstandard")
    path = tmp_path / name
    path.write_text("old")
    text = "".join(map(chr, random.Random(1).choices(range(0x4E00, 0x9FFF), k=size)))
    with no_file_longer_than(1_000), pytest.raises(OSError, match="File too large") as caught:
        write(path, text)
    assert (caught.value.filename, caught.value.errno) == (str(path), errno.EFBIG)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == [name]


@pytest.mark.parametrize(("code", "error"), [(errno.EACCES, UsageError), (errno.ENOSPC, OSError)])
def test_a_folder_without_write_permission_is_wrong_usage_and_a_full_disk_is_not(
    code: int, error: type[Exception], tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
):
    Refusing(monkeypatch, tmp_path, create=code)
    with pytest.raises(error) as caught:
        write(tmp_path / "x", "a")
    assert os.strerror(code) in str(caught.value)
    assert str(tmp_path / "x") in str(caught.value)
    assert contents(temporary) == {}


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Open files are neither replaced nor removed."""
    if not os.path.isdir("/proc/self/fd"):
        pytest.skip("needs /proc/self/fd, which says what files are open")

    def unless_open(call: Callable[..., None], *paths: Any) -> None:
        opened = {os.path.realpath(f"/proc/self/fd/{number}") for number in os.listdir("/proc/self/fd")}
        for path in paths:
            if os.path.realpath(path) in opened:
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        call(*paths)

    monkeypatch.setattr(os, "replace", partial(unless_open, os.replace))
    monkeypatch.setattr(os, "unlink", partial(unless_open, os.unlink))


@pytest.mark.usefixtures("windows")
def test_files_are_closed_before_they_are_renamed_or_removed(tmp_path: Path) -> None:
    for _ in range(2):
        write_two(tmp_path)
    with suppress(ValueError), output_files() as files:
        files.open(str(tmp_path / "a")).write("half")
        raise ValueError
    assert contents(tmp_path) == {"a": "new a", "b": "new b"}
