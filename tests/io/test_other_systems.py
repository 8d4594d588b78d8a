"""System calls that macOS and Windows lack or refuse, emulated: files are written and read as on Linux."""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from metrics_framework.commands.app import main
from metrics_framework.evaluation import worker_pool

ROW = '{{"instance_id": "{}", "summarizer_id": "s", "summary": "b a", "references": ["a b"]}}\n'


@pytest.fixture
def macos(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are sent to sockets only, and there are no files in memory."""

    def sendfile(*arguments: object) -> int:
        raise OSError(errno.ENOTSOCK, os.strerror(errno.ENOTSOCK))

    monkeypatch.setattr(os, "sendfile", sendfile)
    monkeypatch.delattr(os, "memfd_create", raising=False)
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(worker_pool.sys, "platform", "darwin")


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Open files are neither renamed nor replaced nor removed, and some system calls are missing."""
    if not os.path.isdir("/proc/self/fd"):
        pytest.skip("needs /proc/self/fd, which says what files are open")
    for name in ("pread", "sendfile", "memfd_create", "sched_getaffinity"):
        monkeypatch.delattr(os, name, raising=False)
    monkeypatch.setitem(sys.modules, "fcntl", None)
    rename, replace, unlink = os.rename, os.replace, os.unlink

    def renamed(source: Any, target: Any) -> None:
        if os.path.exists(target):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), source, None, target)
        unless_open(rename, source, target)

    monkeypatch.setattr(os, "rename", renamed)
    monkeypatch.setattr(os, "replace", lambda source, target: unless_open(replace, source, target))
    monkeypatch.setattr(os, "unlink", lambda path: unless_open(unlink, path))


def unless_open(call: Callable[..., None], *paths: Any) -> None:
    """Calls a function unless this process has one of the files open."""
    opened = {os.path.realpath(f"/proc/self/fd/{number}") for number in os.listdir("/proc/self/fd")}
    for path in paths:
        if os.path.realpath(path) in opened:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
    call(*paths)


@pytest.fixture(params=["macos", "windows"])
def other_system(request: pytest.FixtureRequest) -> None:
    request.getfixturevalue(request.param)


@pytest.mark.usefixtures("other_system")
@pytest.mark.parametrize("action", ["evaluate", "score"])
def test_output_files_are_written_twice(
    action: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("in.jsonl").write_text("".join(map(ROW.format, range(3))), encoding="utf-8")
    outputs = ["macro.json", "micro.jsonl"] if action == "evaluate" else ["micro.jsonl"]
    for _ in range(2):
        assert main(["ter", action, *outputs, "--input-files", "in.jsonl"]) == 0, capsys.readouterr().err
    rows = [json.loads(line) for line in Path("micro.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["metrics"]["ter"] for row in rows] == [50.0] * 3
    assert sorted(os.listdir()) == sorted(["in.jsonl", *outputs])
