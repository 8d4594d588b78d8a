"""Error rates of long texts: counted in another process, so that a signal ends a run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from messages import COMPARES_A_LONG_TEXT
from processes import children, gone, needs_proc

from metrics_framework.common.errors import ProgramError
from metrics_framework.metrics.base import edit_counts

pytest.importorskip("rapidfuzz", reason="counts the edits")

PAIRS = [  # summary, references, why
    ("a b c", ["a x c d"], "words"),
    ("", ["a"], "an empty summary"),
    ("a", ["", "b"], "an empty reference"),
    ("\ud800\udc00 \U00010000 x", ["\ud800 \udc00 x", "\U00010000 \ud800\udc00"], "surrogates, alone and side by side"),
    ("e\u0301 é \u2028 \0 \n", ["é e\u0301 \0"], "characters that JSON escapes"),
    ("b a b a " * 40, ["a b a b " * 41, "a b " * 80], "several ways to edit"),
]


@pytest.mark.parametrize(("summary", "references", "why"), PAIRS, ids=[why for *_, why in PAIRS])
@pytest.mark.parametrize("name", ["wer", "cer"])
def test_another_process_counts_the_same(
    name: str, summary: str, references: list[str], why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from metrics_framework.metrics.base.metric import load

    expected = load(name).score(summary, references)
    monkeypatch.setattr(edit_counts, "MAX_CELLS", -1)
    called = []
    counted = edit_counts._counted_by_child
    monkeypatch.setattr(edit_counts, "_counted_by_child", lambda *texts: called.append(1) or counted(*texts))
    before = children()
    assert load(name).score(summary, references) == expected, why
    assert called
    assert children() <= before  # it has ended


def test_without_another_process_this_one_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = edit_counts.edit_counts("abc", ["axc"])
    monkeypatch.setattr(edit_counts, "MAX_CELLS", -1)
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    assert edit_counts.edit_counts("abc", ["axc"]) == expected
    monkeypatch.setattr(sys, "executable", "")
    assert edit_counts.edit_counts("abc", ["axc"]) == expected


def test_a_killed_process_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edit_counts, "MAX_CELLS", -1)
    monkeypatch.setattr(edit_counts, "_CHILD", "import os; os.kill(os.getpid(), 9)  # {module}")
    with pytest.raises(ProgramError, match=r"the process that counts edits was killed by SIGKILL"):
        edit_counts.edit_counts("abc", ["axc"])


# ---- signals ---------------------------------------------------------------------------------------------------------

SECONDS = 60
"""Far more than a run needs to end, and less than the comparison takes."""


@pytest.fixture
def long_texts(tmp_path: Path) -> list[str]:
    """Writes two texts whose comparison takes minutes."""
    for name, letters in ("outputs.txt", "abcde"), ("references.txt", "edcba"):
        text = "".join(letters[number**3 % 1009 % 5] for number in range(2_000_000))
        (tmp_path / name).write_text(text + "\n", encoding="utf-8")
    return ["--outputs", str(tmp_path / "outputs.txt"), "--references", str(tmp_path / "references.txt")]


@needs_proc
@pytest.mark.timing
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_a_run_that_compares_long_texts(number: int, code: int, long_texts: list[str]) -> None:
    """In this order: the note on long texts, the process that counts, the signal, the end of both processes."""
    command = [sys.executable, "-m", "metrics_framework", "cer", "evaluate", *long_texts]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        assert run.stderr is not None
        note = run.stderr.readline()
        assert f"'cer' {COMPARES_A_LONG_TEXT} 2,000,000 characters with one of 2,000,000" in note
        while not _children_of(run.pid):
            assert run.poll() is None
        child = _children_of(run.pid)
        os.kill(run.pid, number)
        assert run.wait(SECONDS) == code
        assert child
        assert gone("metrics_framework.metrics.base.edit_counts") == []


INTERRUPTED = """
import os, signal, threading, time
from metrics_framework import load

lines = open(os.sys.argv[1]).read(), open(os.sys.argv[2]).read()
threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    load("wer").score(" ".join(lines[0]), [" ".join(lines[1])])
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.timing
def test_an_interrupt_of_a_score_of_long_texts_is_raised(long_texts: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, long_texts[1], long_texts[3]],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.stdout == "interrupted\n", done.stderr


def _children_of(process: int) -> list[str]:
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            after_name = Path("/proc", entry, "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2]
            line = Path("/proc", entry, "cmdline").read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        if after_name.split()[1] == str(process) and "edit_counts" in line:
            found.append(entry)
    return found
