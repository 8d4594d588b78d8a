"""Signals that arrive twice, while nobody reads the output, or while an output is written."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from samples import sampled

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes and signals of POSIX")

FW = [sys.executable, "-m", "metrics_framework"]
ROW = {"instance_id": "1", "summarizer_id": "s", "summary": "a cat", "references": ["the cat"], "source": "a big cat"}
ENDS = [("SIGINT", 130, "interrupted"), ("SIGTERM", 143, "terminated"), ("SIGHUP", 143, "terminated")]


def defaults() -> None:
    """Restores what a background job of a shell or nohup ignores."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def started(words: str, folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*FW, *words.split()],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=defaults,
    )


@pytest.mark.parametrize(("name", "code", "verb"), sampled(ENDS, 1))
@pytest.mark.parametrize(
    "words", sampled(["ter score out.jsonl", "ter evaluate m.json out.jsonl", "ter score out.jsonl --jobs 2"])
)
def test_further_signals_print_no_traceback(words: str, name: str, code: int, verb: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "input")
    with started(f"{words} --input-files input", tmp_path) as process, open(tmp_path / "input", "w") as stream:
        stream.write(json.dumps(ROW) + "\n")
        stream.flush()
        process.send_signal(getattr(signal, name))
        for further in ("SIGINT", "SIGTERM", name, "SIGINT"):
            time.sleep(0.005)
            process.send_signal(getattr(signal, further))
        out, err = process.communicate(timeout=60)
    # of signals that arrive before the process runs again, Python handles the one with the lowest number first
    ends = {(code, "", f"fw: {verb}; nothing was written\n"), (130, "", "fw: interrupted; nothing was written\n")}
    assert (process.returncode, out, err) in ends
    assert [path.name for path in tmp_path.iterdir()] == ["input"]


@pytest.fixture
def many(tmp_path: Path) -> str:
    """Rows whose scores do not fit in a pipe."""
    rows = (json.dumps({**ROW, "instance_id": str(number)}) + "\n" for number in range(4000))
    (tmp_path / "in.jsonl").write_text("".join(rows))
    return "--input-files in.jsonl"


@pytest.mark.slow
@pytest.mark.parametrize(("name", "code", "verb"), sampled(ENDS, 1))
def test_a_run_whose_output_nobody_reads_ends(name: str, code: int, verb: str, many: str, tmp_path: Path) -> None:
    with started(f"ter score {many}", tmp_path) as process:
        assert process.stdout is not None
        assert process.stdout.buffer.peek(1)[:1] == b"{"
        time.sleep(0.2)  # the pipe is filled
        process.send_signal(getattr(signal, name))
        assert process.wait(timeout=60) == code
        assert process.stderr is not None
        assert process.stderr.read() == f"fw: {verb}; standard output is incomplete\n"


@pytest.mark.parametrize(("name", "code", "verb"), sampled(ENDS, 1))
@pytest.mark.parametrize("words", sampled(["ter score --output-jsonl pipe", "ter evaluate m.json pipe"], 1))
def test_a_run_whose_named_pipe_nobody_reads_ends(
    words: str, name: str, code: int, verb: str, many: str, tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / "pipe")
    with started(f"{words} {many}", tmp_path) as process:
        reader = os.open(tmp_path / "pipe", os.O_RDONLY)  # waits until the pipe is opened for writing
        assert os.read(reader, 1) == b"{"
        time.sleep(0.2)
        process.send_signal(getattr(signal, name))
        assert process.wait(timeout=60) == code
        assert process.stderr is not None
        assert process.stderr.read() == f"fw: {verb}; pipe is incomplete\n"
        os.close(reader)
    assert {path.name for path in tmp_path.iterdir()} == {"in.jsonl", "pipe"}


@pytest.mark.parametrize(("name", "code", "verb"), sampled(ENDS, 1))
def test_a_run_that_ends_after_its_files_are_complete_says_so(
    name: str, code: int, verb: str, many: str, tmp_path: Path
) -> None:
    """The table goes to a pipe that nobody reads; it is longer than the pipe holds."""
    rows = (
        json.dumps({**ROW, "summarizer_id": f"a system with a long name {number}"}) + "\n" for number in range(3000)
    )
    (tmp_path / "in.jsonl").write_text("".join(rows))
    with started(f"ter evaluate macro.json micro.jsonl {many}", tmp_path) as process:
        assert process.stdout is not None
        assert process.stdout.buffer.peek(1)
        process.send_signal(getattr(signal, name))
        assert process.wait(timeout=60) == code
        assert process.stderr is not None
        last = process.stderr.read().splitlines()[-1]
    assert last == f"fw: {verb}; macro.json and micro.jsonl are complete, standard output is incomplete"
    assert json.loads((tmp_path / "macro.json").read_text())["num_instances"] == 1
    assert len((tmp_path / "micro.jsonl").read_text().splitlines()) == 3000


@pytest.mark.parametrize("name", sampled(["SIGINT", "SIGTERM", "SIGHUP"], 1))
def test_a_signal_before_the_command_is_known_ends_the_run(name: str, tmp_path: Path) -> None:
    script = (
        "import os, signal, sys\n"
        "from metrics_framework import __main__ as program\n"
        "install = program.end_run_on_signals\n"
        f"program.end_run_on_signals = lambda: (install(), os.kill(os.getpid(), signal.{name}))\n"
        "sys.argv = ['fw', 'list', 'metrics']\n"
        "program.main()\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, preexec_fn=defaults)
    assert (done.returncode, done.stdout, done.stderr) == (130 if name == "SIGINT" else 143, "", "")


SWALLOWED = """
import signal
import time
from metrics_framework import ReferenceFreeMetric


class Closing:
    def __del__(self):
        signal.raise_signal(signal.{name})


class Incomplete:
    def __del__(self):
        self.absent


@ReferenceFreeMetric.register("closes")
class Closes(ReferenceFreeMetric):
    def score_multi_all(self, summaries_list):
        Closing()
        try:
            time.sleep({seconds})
        finally:
            Incomplete()
"""


@pytest.mark.parametrize(("name", "code", "verb"), sampled(ENDS, 1))
def test_a_signal_where_python_cannot_raise_ends_the_run(name: str, code: int, verb: str, tmp_path: Path) -> None:
    """Python prints exceptions of `__del__` and goes on; the run still ends, and prints only why."""
    (tmp_path / "late.py").write_text(SWALLOWED.format(name=name, seconds=600))
    (tmp_path / "in.jsonl").write_text(json.dumps(ROW) + "\n")
    words = "closes score out.jsonl --input-files in.jsonl --include-packages late.py"
    with started(words, tmp_path) as process:
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (code, "", f"fw: {verb}; nothing was written\n")


REPLACED = """
import signal
from metrics_framework import Metric, ReferenceFreeMetric


@Metric.register("imports-late")
class ImportsLate(ReferenceFreeMetric):
    def score_multi_all(self, summaries_list):
        try:
            signal.raise_signal(signal.{name})
        except BaseException as end:
            raise ImportError("could not import module 'datetime'") from end
"""


@pytest.mark.slow
@pytest.mark.parametrize(("name", "code", "verb"), sampled(ENDS, 1))
def test_a_signal_that_an_import_turns_into_another_error_ends_the_run(
    name: str, code: int, verb: str, tmp_path: Path
) -> None:
    """As the import of NumPy does, if the signal arrives while its C extension imports a module."""
    (tmp_path / "late.py").write_text(REPLACED.format(name=name))
    (tmp_path / "in.jsonl").write_text(json.dumps(ROW) + "\n")
    words = "imports-late score out.jsonl --input-files in.jsonl --include-packages late.py"
    with started(words, tmp_path) as process:
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (code, "", f"fw: {verb}; nothing was written\n")
    assert not (tmp_path / "out.jsonl").exists()


WHILE_PARSING = """
import argparse, signal, sys
from metrics_framework.__main__ import main

def parse(self, words, flags=None):
    try:
        signal.raise_signal(signal.{name})
    finally:
        self.never_set

argparse.ArgumentParser.parse_known_intermixed_args = parse
sys.argv = ["fw", "correlate", "a.jsonl"]
main()
"""


@pytest.mark.parametrize(("name", "code", "verb"), sampled(ENDS, 1))
def test_a_signal_that_the_parser_turns_into_another_error_ends_the_run(
    name: str, code: int, verb: str, tmp_path: Path
) -> None:
    """As argparse does, if the signal arrives before it has saved what it restores."""
    script = tmp_path / "run.py"
    script.write_text(WHILE_PARSING.format(name=name))
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (code, "", f"fw: {verb}\n")
