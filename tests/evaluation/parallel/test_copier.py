"""Rows in open files are copied completely and in order, also if the copying process dies or the disk is full."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from metrics_framework.evaluation.parallel import copier as module
from metrics_framework.evaluation.parallel.copier import Copier
from metrics_framework.io.open_files import OpenFile, in_open_file

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="files in memory exist on Linux only"),
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),  # of a test process with threads
]
SIZES = [10, 5000, 0, 70_000, 1, 200_000, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]


@pytest.fixture(autouse=True)
def starts_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MIN_SIZE", 5000)
    monkeypatch.setattr(module, "start_method", lambda: "fork")


@pytest.fixture
def blocks() -> Sequence[bytes]:
    return [os.urandom(size) for size in SIZES]


@pytest.fixture
def files(blocks: Sequence[bytes]) -> Iterator[list[OpenFile]]:
    opened = [OpenFile(in_open_file(b"before" + block) or -1).after(6) for block in blocks]
    yield opened
    for file in opened:
        file.close()


def test_files_are_appended_in_order(tmp_path: Path, blocks: Sequence[bytes], files: Sequence[OpenFile]) -> None:
    with open(tmp_path / "out", "wb", buffering=0) as out:
        out.write(b"head")
        with Copier() as copier:
            for file in files:
                copier.copy(file, out.fileno(), "out")
            copier.finish()
            out.write(b"between")
            copier.copy(files[1], out.fileno(), "out")
        out.write(b"end")
    assert (tmp_path / "out").read_bytes() == b"head" + b"".join(blocks) + b"between" + blocks[1] + b"end"


@pytest.mark.parametrize("killed_after", range(len(SIZES) + 1))
def test_a_killed_process_loses_nothing(
    tmp_path: Path, blocks: Sequence[bytes], files: Sequence[OpenFile], killed_after: int
) -> None:
    with open(tmp_path / "out", "wb", buffering=0) as out, Copier() as copier:
        for number, file in enumerate([*files, files[3]]):
            if number == killed_after and copier._process is not None:
                os.kill(copier._process.pid, 9)
            copier.copy(file, out.fileno(), "out")
    assert (tmp_path / "out").read_bytes() == b"".join([*blocks, blocks[3]])


def test_without_another_process_files_are_copied_here(
    tmp_path: Path, blocks: Sequence[bytes], files: Sequence[OpenFile], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(module.socket, "socketpair", fails)
    with open(tmp_path / "out", "wb", buffering=0) as out, Copier() as copier:
        for file in files:
            copier.copy(file, out.fileno(), "out")
    assert (tmp_path / "out").read_bytes() == b"".join(blocks)


def test_a_full_disk_is_an_error_that_names_the_file(
    tmp_path: Path, files: Sequence[OpenFile], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(OpenFile, "send_to", fails)  # in the copying process, too
    with open(tmp_path / "out", "wb", buffering=0) as out, Copier() as copier:
        copier.copy(files[3], out.fileno(), "rows.jsonl")
        with pytest.raises(OSError, match="No space left on device: 'rows"):
            copier.finish()


def test_an_error_ends_the_process(tmp_path: Path, files: Sequence[OpenFile]) -> None:
    before, started = set(os.listdir("/proc/self/fd")), []

    def copied_until_an_error() -> None:
        with open(tmp_path / "out", "wb", buffering=0) as out, Copier() as copier:
            for file in files:
                copier.copy(file, out.fileno(), "out")
            started.append(copier._process.pid)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        copied_until_an_error()
    with pytest.raises(ProcessLookupError):
        os.kill(started[0], 0)
    assert set(os.listdir("/proc/self/fd")) == before


RUN = """
import sys
from metrics_framework.commands.app import main
from metrics_framework.evaluation.parallel import copier

copier.MIN_SIZE, started = 1, copier.Copier._started
copier.Copier._started = lambda self: started(self) and not print("copies in another process")
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize("words", ["evaluate macro{}.json rows{}.jsonl", "score rows{}.jsonl"])
def test_runs_with_several_processes_write_the_same_through_it(words: str, tmp_path: Path) -> None:
    texts = [f"the cat {number} sat on the {'mat' if number % 3 else 'dog'}" for number in range(300)]
    rows = [
        {"instance_id": str(number), "summarizer_id": "a", "summary": text, "references": [texts[number - 1]]}
        for number, text in enumerate(texts)
    ]
    (tmp_path / "in.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    printed = []
    for jobs in (1, 2):
        options = ["--metric", "ter", "--input-files", "in.jsonl", "--silent", "--jobs", str(jobs)]
        command = [sys.executable, "-c", RUN, *words.format(jobs, jobs).split(), *options]
        printed.append(subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, encoding="utf-8").stdout)
    assert (tmp_path / "rows1.jsonl").read_bytes() == (tmp_path / "rows2.jsonl").read_bytes()
    assert ["another process" in output for output in printed] == [False, True]
