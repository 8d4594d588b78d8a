"""``--jobs`` as users have it: processes of their own, their pipes, their plug-ins, and the signals that end them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from shlex import split

import pytest
from json_files import read_json, write_rows
from samples import sampled

from metrics_framework.commands.arguments import number_of_jobs

PLUGIN = """
import os
import signal
import time
from metrics_framework import Metric, MetricsDict, ReferenceBasedMetric


@Metric.register("process")
class Process(ReferenceBasedMetric):
    def __init__(self, then: str = "score"):
        super().__init__()
        self.then = then

    def score_multi_all(self, summaries_list, references_list):
        if self.then != "score":
            os.write(2, b"%d %d\\n" % (os.getpid(), os.getppid()))  # the test waits for it
        if self.then == "wait":
            time.sleep(60)
        if self.then == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        return [[MetricsDict(process=len(summary)) for summary in group] for group in summaries_list]
"""
SPAWNING = """
import multiprocessing
import sys
from metrics_framework.__main__ import main
if __name__ == "__main__":
    multiprocessing.set_start_method(sys.argv.pop(1))
    main()
"""
METHODS = ["fork", "spawn", "forkserver"] if hasattr(os, "fork") else ["spawn"]
POSIX = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs signals and /proc or ps as Unix has them")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with outputs, a plug-in, and a program that starts other processes with a given method."""
    rows = [
        {"instance_id": str(number), "summarizer_id": system, "summary": f"a cat {number}", "references": ["a dog"]}
        for number in range(50)
        for system in ("a", "b")
    ]
    write_rows(tmp_path / "in.jsonl", rows)
    (tmp_path / "plugin.py").write_text(PLUGIN)
    (tmp_path / "started.py").write_text(SPAWNING)
    return tmp_path


# ---- the flag --------------------------------------------------------------------------------------------------------


def test_no_jobs_are_as_many_as_processors_may_be_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {3, 5, 7}, raising=False)
    assert [number_of_jobs(word) for word in ("0", "1", "12")] == [3, 1, 12]
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    assert number_of_jobs("0") == 4
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert number_of_jobs("0") == 1


@pytest.mark.slow
def test_one_job_imports_nothing_for_several(folder: Path) -> None:
    script = "import sys; from metrics_framework.commands.app import main; main(sys.argv[1:]); print(*sys.modules)"
    loaded = {}
    for jobs in ("1", "2"):
        words = ["ter", "score", "out.jsonl", "--silent", "--input-files", "in.jsonl", "--jobs", jobs]
        done = subprocess.run(
            [sys.executable, "-c", script, *words], cwd=folder, capture_output=True, text=True, check=True
        )
        loaded[jobs] = set(done.stdout.split())
    several = {"multiprocessing", "metrics_framework.evaluation.worker_pool"}
    assert not several & loaded["1"]
    assert several <= loaded["2"]
    assert "numpy" not in loaded["2"]


# ---- pipes and plug-ins ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", sampled(METHODS, 1))
@pytest.mark.parametrize(
    ("flags", "variable"),
    [("--include-packages plugin.py", ""), ("", "plugin"), ("--include-packages nowhere plugin.py", "plugin")],
    ids=["flag", "environment", "both, and one that is not there"],
)
def test_plug_ins_are_there_in_other_processes(method: str, flags: str, variable: str, folder: Path) -> None:
    environment = {**os.environ, "FW_PLUGINS": variable, "PYTHONPATH": str(folder)}
    command = [sys.executable, "-W", "error", "started.py", method, *split(flags), *split("process evaluate m.json")]
    command = [word for word in command if word != "plugin.py" or not variable]
    done = subprocess.run(
        [*command, "--jobs", "2", "--input-files", "in.jsonl", "--silent"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert read_json(folder / "m.json")["metrics"] == {"process": 7.8}
    assert done.stderr.count("is unavailable") == ("nowhere" in flags), "reported by the main process only"


# ---- the end ---------------------------------------------------------------------------------------------------------

ENDS = [("SIGINT", 130, "interrupted"), ("SIGTERM", 143, "terminated"), ("SIGKILL", -9, "")]


@POSIX
@pytest.mark.parametrize("method", sampled(["fork", "spawn"], 1))
@pytest.mark.parametrize("to_all", [False, True], ids=["to the main process", "to all"])
@pytest.mark.parametrize(("name", "code", "reported"), sampled(ENDS, 1))
def test_a_signal_ends_all_processes(
    name: str, code: int, reported: str, to_all: bool, method: str, folder: Path
) -> None:
    words = "process evaluate macro.json micro.jsonl --then wait --jobs 2 --input-files in.jsonl"
    with subprocess.Popen(
        [sys.executable, "started.py", method, "--include-packages", "plugin.py", *words.split()],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stderr is not None
        scoring = [tuple(map(int, process.stderr.readline().split())) for _ in range(2)]
        (os.killpg if to_all else os.kill)(process.pid, getattr(signal, name))
        out, err = process.communicate(timeout=30)  # the end of the pipes: no process holds them any more
    assert {parent for _, parent in scoring} == {process.pid}
    assert len({own for own, _ in scoring}) == 2
    assert (process.returncode, out) == (code, "")
    assert err == (f"fw: {reported}; nothing was written\n" if reported else "")
    if reported:
        assert sorted(path.name for path in folder.iterdir() if path.is_file()) == [
            "in.jsonl",
            "plugin.py",
            "started.py",
        ]


@POSIX
@pytest.mark.parametrize("method", sampled(["fork", "spawn"], 1))
@pytest.mark.parametrize("words", sampled(["score out.jsonl", "evaluate macro.json micro.jsonl"], 1))
def test_a_process_that_is_killed_is_reported(words: str, method: str, folder: Path) -> None:
    command = [sys.executable, "started.py", method, "--include-packages", "plugin.py", "process", *words.split()]
    done = subprocess.run(
        [*command, "--then", "die", "--jobs", "2", "--input-files", "in.jsonl"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert "of 2 was killed by SIGKILL" in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(folder.glob("*.part"))
    assert not list(folder.glob("m*.json*"))
