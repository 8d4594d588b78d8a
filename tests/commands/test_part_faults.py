"""Faults of runs over parts: killed processes, parts that run twice and full disks end in the same bytes."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from part_folders import assert_no_strays, write_input

from metrics_framework.io import folders

Run = Callable[..., Any]
FW = [sys.executable, "-m", "metrics_framework"]
POSIX = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs SIGKILL")
PLUGIN = """
import os
import signal
import time
from metrics_framework import Metric, MetricsDict, ReferenceBasedMetric
from metrics_framework.io.folders import Folder

WRITE = Folder.write


def once(marker):
    try:
        os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


def write(self, name, data):
    if os.path.exists("dies-before-" + name) and once("died-before-" + name):
        os.kill(os.getpid(), signal.SIGKILL)
    WRITE(self, name, data)


Folder.write = write


@Metric.register("faulty")
class Faulty(ReferenceBasedMetric):
    def score_multi_all(self, summaries_list, references_list):
        return [[self.scores(summary) for summary in group] for group in summaries_list]

    def scores(self, summary):
        if os.path.exists("slow"):
            time.sleep(0.02)
        if os.path.exists("dies") and " mat," in summary and once("died"):
            os.kill(os.getpid(), signal.SIGKILL)
        return MetricsDict(faulty=float(len(summary)))
"""
WORDS = ["--include-packages", "plugin.py", "faulty", "evaluate"]
PARTS = ["--part-size", "4KB"]


@pytest.fixture
def expected(fw: Run) -> list[bytes]:
    """The files of one process, in a folder with the input and the plug-in."""
    write_input("jsonl")
    Path("plugin.py").write_text(PLUGIN)
    done = program("macro.json", "micro.jsonl")
    assert done.returncode == 0, done.stderr
    return [Path(name).read_bytes() for name in ("macro.json", "micro.jsonl")]


def program(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(*words), capture_output=True, encoding="utf-8", timeout=60)


def command(*words: str) -> list[str]:
    return [*FW, *WORDS, *words, "--input-files", "in.jsonl"]


def joined() -> list[bytes]:
    """Returns the joined files of the folder, which has no strays."""
    words = [*FW, "--include-packages", "plugin.py", "collect", "out/", "m.json", "u.jsonl"]
    done = subprocess.run(words, capture_output=True, encoding="utf-8", timeout=60)
    assert done.returncode == 0, done.stderr
    assert_no_strays("out")
    return [Path(name).read_bytes() for name in ("m.json", "u.jsonl")]


@POSIX
def test_a_killed_worker_is_replaced(expected: list[bytes]) -> None:
    Path("dies").touch()
    done = program("out/", "--cluster", "local:2", *PARTS)
    assert done.returncode == 0, done.stderr
    assert Path("died").exists()
    assert joined() == expected


@POSIX
@pytest.mark.parametrize("name", ["part-00002.jsonl", "part-00002.results", "part-00002.done.json"])
def test_a_worker_killed_between_the_files_of_a_part_is_replaced(name: str, expected: list[bytes]) -> None:
    Path(f"dies-before-{name}").touch()
    done = program("out/", "--cluster", "local:2", *PARTS)
    assert done.returncode == 0, done.stderr
    assert Path(f"died-before-{name}").exists()
    assert joined() == expected


@POSIX
@pytest.mark.parametrize("name", ["part-00002.results", "part-00002.done.json"])
def test_a_killed_part_of_an_array_is_run_again(name: str, expected: list[bytes]) -> None:
    Path(f"dies-before-{name}").touch()
    assert program("out/", "--part", "1/2").returncode == 0
    assert program("out/", "--part", "2/2").returncode == -signal.SIGKILL
    collected = subprocess.run([*FW, "collect", "out/"], capture_output=True, encoding="utf-8", timeout=60)
    assert "1 of 2 parts must still be scored (part 2)" in collected.stderr
    assert program("out/", "--part", "2/2").returncode == 0
    assert joined() == expected


@POSIX
def test_a_killed_client_is_resumed(expected: list[bytes]) -> None:
    Path("slow").touch()
    client = subprocess.Popen(command("out/", "--cluster", "local:2", *PARTS), stderr=subprocess.DEVNULL)
    end = time.monotonic() + 30
    while len(list(Path().glob("out/*.done.json"))) < 2 and time.monotonic() < end:
        time.sleep(0.01)
    client.kill()
    client.wait()
    Path("slow").unlink()
    assert 2 <= len(list(Path("out").glob("*.done.json"))) < 15
    done = program("out/", "--cluster", "local:2", "--resume")
    assert done.returncode == 0, done.stderr
    assert "were complete" in done.stderr
    assert joined() == expected


@POSIX
def test_an_interrupted_run_says_how_to_go_on(expected: list[bytes]) -> None:
    Path("slow").touch()
    client = subprocess.Popen(
        command("out/", "--cluster", "local:2", *PARTS),
        stderr=subprocess.PIPE,
        encoding="utf-8",
        start_new_session=True,
    )
    end = time.monotonic() + 30
    while not list(Path().glob("out/*.done.json")) and time.monotonic() < end:
        time.sleep(0.01)
    client.send_signal(signal.SIGINT)
    error = client.communicate(timeout=30)[1]
    assert client.returncode == 130
    assert error == "fw: interrupted; complete parts are in out/; --resume continues with the other parts\n"
    Path("slow").unlink()
    assert program("out/", "--resume").returncode == 0
    assert joined() == expected


def test_parts_that_run_twice_at_once_write_the_same(expected: list[bytes]) -> None:
    words = [command("out/", "--part", f"{number}/2") for number in (1, 2, 1, 2)]
    running = [subprocess.Popen(one, stderr=subprocess.PIPE, encoding="utf-8") for one in words]
    for process in running:
        error = process.communicate(timeout=60)[1]
        assert process.returncode == 0, error
    assert joined() == expected


@pytest.mark.parametrize("failing", [1, 2, 3, 5])
def test_a_full_disk_leaves_no_stray_and_is_resumed(
    failing: int, expected: list[bytes], fw: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    writes = 0

    def sync(descriptor: int) -> None:
        nonlocal writes
        writes += 1
        if writes == failing:
            raise OSError(errno.ENOSPC, "No space left on device")

    words = [*WORDS, "out/", "--input-files", "in.jsonl"]
    with monkeypatch.context() as patched:
        patched.setattr(folders, "_sync", sync)
        done = fw(*words, *PARTS)
    assert done.code == 1
    assert "No space left on device" in done.err
    assert "out/p" in done.err
    assert not [name for name in os.listdir("out") if name.startswith(".")]
    assert program("out/", "--resume", *PARTS).returncode == 0
    assert joined() == expected
