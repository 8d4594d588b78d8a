"""What tests of processes need of the system, and running processes by a word of their command line."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

needs_proc = pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="finds processes in /proc")
needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes and signals of POSIX")
needs_full_device = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full, which is always full")


def with_word(word: str) -> list[str]:
    """Returns the command lines of the other running processes that contain a word; zombies have none."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit() and int(entry) != os.getpid():
            try:
                line = Path("/proc", entry, "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            except OSError:
                continue
            if word in line:
                found.append(f"{entry}: {line}")
    return found


def gone(word: str, seconds: float = 5.0) -> list[str]:
    """Waits until no process has the word in its command line; returns those that are left."""
    end = time.monotonic() + seconds
    while (left := with_word(word)) and time.monotonic() < end:
        time.sleep(0.02)
    return left


def appeared(word: str, count: int = 1, seconds: float = 20.0) -> None:
    """Waits until processes with the word in their command line run.

    Raises:
        AssertionError: if there are too few.
    """
    end = time.monotonic() + seconds
    while len(with_word(word)) < count:
        assert time.monotonic() < end, f"no process with {word}: {with_word('')}"
        time.sleep(0.02)


def children() -> set[str]:
    """Returns the ids of the processes that this process started, also of those that ended but were not waited for."""
    found = set()
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            after_name = Path("/proc", entry, "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2]
        except OSError:
            continue
        if after_name.split()[1] == str(os.getpid()):
            found.add(entry)
    return found
