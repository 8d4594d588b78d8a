"""Runs that begin at the same moment in one new folder: one plan counts, and another run is refused."""

from __future__ import annotations

import errno
import json
import multiprocessing
import os
import sys
from collections.abc import Callable
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any

import pytest
from part_folders import assert_no_strays, write_input

from metrics_framework.common.errors import DataError
from metrics_framework.evaluation.parts import stored_run
from metrics_framework.io import folders
from metrics_framework.io.folders import Folder

Run = Callable[..., Any]
ROUNDS = 12
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="forks processes")


def started_together(words: list[list[str]], barrier: Barrier, number: int, results: Any) -> None:
    """Runs a command that reads the folder, waits for the other process, and writes the plan."""
    from metrics_framework.commands.app import main

    write_new = Folder.write_new

    def waiting(self: Folder, name: str, data: bytes) -> bool:
        barrier.wait(60)
        return write_new(self, name, data)

    Folder.write_new = waiting  # type: ignore[method-assign]
    with open(f"error-{number}", "w") as sys.stderr, open(os.devnull, "w") as sys.stdout:
        results.put((number, main(words[number])))


def together(*words: list[str]) -> list[tuple[int, str]]:
    """Returns the exit codes and messages of commands that write their plans at the same moment."""
    context = multiprocessing.get_context("fork")
    barrier, results = context.Barrier(len(words)), context.SimpleQueue()
    running = [
        context.Process(target=started_together, args=(list(words), barrier, number, results))
        for number in range(len(words))
    ]
    for process in running:
        process.start()
    codes = dict(results.get() for _ in running)
    for process in running:
        process.join(60)
    return [(codes[number], Path(f"error-{number}").read_text()) for number in range(len(words))]


def no_links(monkeypatch: pytest.MonkeyPatch) -> None:
    def link(source: str, target: str) -> None:
        raise OSError(errno.EPERM, "Operation not permitted", source, None, target)

    monkeypatch.setattr(folders.os, "link", link)


@pytest.mark.parametrize("links", [True, False])
@pytest.mark.parametrize("parts", [("1/2", "2/2"), ("1/2", "1/2"), (None, None), ("1/2", None)], ids=str)
def test_of_two_different_runs_one_is_refused(
    parts: tuple[str | None, ...], links: bool, fw: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not links:
        no_links(monkeypatch)
    file = write_input("jsonl")
    for number in range(ROUNDS):
        folder = f"out-{number}/"
        words = [
            ["ter", "evaluate", folder, "--input-files", file, *flags, *(["--part", part] if part else [])]
            for flags, part in zip(([], ["--case-sensitive"]), parts, strict=True)
        ]
        (code, error), (other_code, other_error) = together(*words)
        assert sorted([code, other_code]) == [0, 2], error + other_error
        refused = error if code else other_error
        assert f"the run in '{folder}' is a different one (" in refused
        assert "case_sensitive" in refused
        plan = json.loads(Path(folder, "plan.json").read_bytes())
        assert plan["metrics"][0]["options"] == ({"case_sensitive": True} if code else {})
        whole = [word for word in words[1 if code else 0] if word != "--part" and "/2" not in word]
        assert fw(*whole, "--resume").code == 0
        assert fw("collect", folder).code == 0
        assert_no_strays(folder)


@pytest.mark.parametrize("links", [True, False])
@pytest.mark.parametrize("parts", [("1/2", "2/2"), ("2/2", "2/2"), (None, None)], ids=str)
def test_equal_runs_share_the_folder(
    parts: tuple[str | None, ...], links: bool, fw: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not links:
        no_links(monkeypatch)
    file = write_input("jsonl")
    expected = fw("ter", "evaluate", "--input-files", file).out
    for number in range(ROUNDS):
        words = ["ter", "evaluate", f"out-{number}/", "--input-files", file]
        for code, error in together(*([*words, *(["--part", part] if part else [])] for part in parts)):
            assert code == 0, error
        if parts[0] == "2/2":
            assert fw(*words, "--part", "1/2").code == 0
        assert fw("collect", f"out-{number}/").out == expected
        assert_no_strays(f"out-{number}")


def test_what_another_process_of_the_run_wrote_is_not_removed(fw: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write_input("jsonl")
    words = ["ter", "evaluate", "out/", "--input-files", file]
    assert fw(*words, "--part", "1/2").code == 0
    stale = [Path("out/part-00003.jsonl"), Path("out/macro.json")]
    for path in stale:
        path.touch()
    first = Path("out/plan.json").read_bytes()
    Path("out/plan.json").unlink()  # this process looks before the other one has written the plan

    def write_new(self: Folder, name: str, data: bytes) -> bool:
        Path("out/plan.json").write_bytes(first)
        return False

    monkeypatch.setattr(Folder, "write_new", write_new)
    done = fw(*words, "--part", "2/2")
    assert (done.code, "is complete" in done.err) == (0, True)
    assert Path("out/part-00001.done.json").exists()


def test_a_run_that_was_replaced_while_it_was_scored_fails(fw: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write_input("jsonl")
    words = ["ter", "evaluate", "out/", "--input-files", file]
    incomplete = stored_run.StoredRun.incomplete

    def replaced(self: Any) -> list[int]:
        monkeypatch.setattr(stored_run.StoredRun, "incomplete", incomplete)
        wanted = incomplete(self)
        assert fw(*words, "--case-sensitive", "--force").code == 0
        return wanted

    monkeypatch.setattr(stored_run.StoredRun, "incomplete", replaced)
    done = fw(*words)
    assert (done.code, done.out) == (DataError.exit_code, "")
    assert "another run has replaced this run in 'out/'" in done.err
