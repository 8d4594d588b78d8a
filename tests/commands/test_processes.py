"""``fw`` as a process: signals, closed streams, full disks, terminals, and the same bytes whatever the hash seed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from shlex import split
from typing import Any

import pytest
from json_files import read_json, read_rows, write_rows
from messages import CANNOT_READ_OR_WRITE
from processes import needs_full_device, needs_pipes
from samples import sampled

FW = [sys.executable, "-m", "metrics_framework"]
FULL = "/dev/full"
ROWS = [
    {
        "instance_id": str(instance),
        "summarizer_id": system,
        "summarizer_type": kind,
        "summary": f"{system} cat {instance}, sat … on « the {system * instance} mat",
        "references": [f"the cat {instance} sat", f"on the mat sat {instance}", f"a {instance} dog"],
        "source": f"The big cat {instance} sat on the old mat.",
    }
    for instance in range(6)
    for system, kind in (("careful", "peer"), ("timid", "peer"), ("clumsy", "peer"), ("Ünal", "reference"))
]
HUMAN = "".join(f"{row['instance_id']},{row['summarizer_id']},{index * 7 % 5}\n" for index, row in enumerate(ROWS))
ENDS = [("SIGINT", 130, "interrupted"), ("SIGTERM", 143, "terminated"), ("SIGHUP", 143, "terminated")]
SIGNALLED = pytest.mark.parametrize(("name", "code", "verb"), sampled(ENDS, 1))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with outputs of four systems and ratings of them."""
    write_rows(tmp_path / "in.jsonl", ROWS)
    (tmp_path / "human.csv").write_text("instance_id,system,human\n" + HUMAN)
    return tmp_path


def fw(words: str, folder: Path, **options: Any) -> subprocess.CompletedProcess[str]:
    """Runs ``fw`` in a process of its own, whose output is buffered, as it is unless one asks otherwise."""
    environment = {**os.environ, **options.pop("environment", {})}
    environment.pop("PYTHONUNBUFFERED", None)
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "encoding": "utf-8", **options}
    return subprocess.run([*FW, *split(words)], cwd=folder, env=environment, **streams)


# ---- signals ---------------------------------------------------------------------------------------------------------


def defaults() -> None:
    """Restores what a background job of a shell or nohup ignores."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def started(words: str | Sequence[str], folder: Path) -> subprocess.Popen[str]:
    """Starts ``fw``, or another program."""
    command = [*FW, *words.split()] if isinstance(words, str) else words
    piped = subprocess.PIPE
    return subprocess.Popen(command, cwd=folder, stdout=piped, stderr=piped, text=True, preexec_fn=defaults)


def wait_until_it_waits_for(stream: Any, process: subprocess.Popen[str]) -> None:
    """Waits until a process has read what is in a pipe and waits for more.

    Python runs the handler of a signal that arrives just before a read only when the read ends.
    """
    import fcntl
    import termios

    unread, waiting = bytearray(4), 0
    while waiting < 5:
        time.sleep(0.02)
        fcntl.ioctl(stream, termios.FIONREAD, unread)
        stat = Path(f"/proc/{process.pid}/stat")
        is_waiting = not any(unread) and (not stat.exists() or stat.read_text().rpartition(") ")[2][0] == "S")
        waiting = waiting + 1 if is_waiting else 0


@needs_pipes
@SIGNALLED
@pytest.mark.parametrize("words", sampled(["score out.jsonl", "evaluate macro.json micro.jsonl.gz"], 1))
def test_a_run_ended_by_a_signal_leaves_no_file(words: str, name: str, code: int, verb: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "input")
    with started(f"sari {words} --input-files input", tmp_path) as process, open(tmp_path / "input", "w") as stream:
        stream.write(json.dumps(ROWS[0]) + "\n")
        stream.flush()
        wait_until_it_waits_for(stream, process)
        assert list(tmp_path.glob("*.part")), "the outputs are begun"
        process.send_signal(getattr(signal, name))
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (code, "", f"fw: {verb}; nothing was written\n")
    assert [path.name for path in tmp_path.iterdir()] == ["input"]


@needs_pipes
@SIGNALLED
@pytest.mark.parametrize("words", sampled(["score out.jsonl", "evaluate m.json o.jsonl", "score o.jsonl --jobs 2"], 1))
def test_further_signals_print_no_traceback(words: str, name: str, code: int, verb: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "input")
    with started(f"ter {words} --input-files input", tmp_path) as process, open(tmp_path / "input", "w") as stream:
        stream.write(json.dumps(ROWS[0]) + "\n")
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


@pytest.mark.slow
@needs_pipes
def test_a_signal_that_is_ignored_stays_ignored(tmp_path: Path) -> None:
    """Under ``nohup`` a run goes on when its terminal is closed."""
    os.mkfifo(tmp_path / "input")
    ignoring = f"import os, signal; signal.signal(signal.SIGHUP, signal.SIG_IGN); os.execv({FW[0]!r}, {FW!r} + "
    ignoring += "['sari', 'score', 'out.jsonl', '--input-files', 'input'])"
    process = subprocess.Popen([FW[0], "-c", ignoring], cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    with open(tmp_path / "input", "w") as stream:
        stream.write(json.dumps(ROWS[0]) + "\n")
        stream.flush()
        process.send_signal(signal.SIGHUP)
        stream.write(json.dumps(ROWS[1]) + "\n")
    _, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (0, "fw: wrote the scores of 2 outputs to out.jsonl\n")
    assert len(read_rows(tmp_path / "out.jsonl")) == 2


UNREAD = [  # words, what is incomplete
    ("ter score", "standard output is incomplete"),
    ("ter evaluate macro.json -", "standard output is incomplete"),
    ("ter score --output-jsonl pipe", "pipe is incomplete"),
    ("ter evaluate m.json pipe", "pipe is incomplete"),
]


@needs_pipes
@SIGNALLED
@pytest.mark.parametrize(("words", "said"), sampled(UNREAD, 1))
def test_a_run_whose_output_nobody_reads_ends(
    words: str, said: str, name: str, code: int, verb: str, tmp_path: Path
) -> None:
    write_rows(tmp_path / "in.jsonl", [{**ROWS[0], "instance_id": str(number)} for number in range(4000)])
    os.mkfifo(tmp_path / "pipe")
    with started(f"{words} --input-files in.jsonl", tmp_path) as process:
        # opening a pipe waits until it is opened for writing
        reader = os.open(tmp_path / "pipe", os.O_RDONLY) if "pipe" in words else process.stdout.fileno()
        assert os.read(reader, 1) == b"{"
        time.sleep(0.2)  # the pipe is filled
        process.send_signal(getattr(signal, name))
        assert process.wait(timeout=60) == code
        assert process.stderr.read() == f"fw: {verb}; {said}\n"
        if "pipe" in words:
            os.close(reader)
    assert {path.name for path in tmp_path.iterdir()} == {"in.jsonl", "pipe"}


@pytest.mark.slow
@needs_pipes
@SIGNALLED
def test_a_run_that_ends_after_its_files_are_complete_says_so(name: str, code: int, verb: str, tmp_path: Path) -> None:
    """The table goes to a pipe that nobody reads; it is longer than the pipe holds."""
    rows = [{**ROWS[0], "summarizer_id": f"a system with a long name {number}"} for number in range(3000)]
    write_rows(tmp_path / "in.jsonl", rows)
    with started("ter evaluate macro.json micro.jsonl --input-files in.jsonl", tmp_path) as process:
        assert process.stdout.buffer.peek(1)
        process.send_signal(getattr(signal, name))
        assert process.wait(timeout=60) == code
        last = process.stderr.read().splitlines()[-1]
    assert last == f"fw: {verb}; macro.json and micro.jsonl are complete, standard output is incomplete"
    assert read_json(tmp_path / "macro.json")["num_instances"] == 1
    assert len(read_rows(tmp_path / "micro.jsonl")) == 3000


PROGRAM = """
import argparse, os, signal, sys, time
from metrics_framework import __main__ as program
"""
PLUGIN = """
import signal, time
from metrics_framework import ReferenceFreeMetric

@ReferenceFreeMetric.register("own")
class Own(ReferenceFreeMetric):
    def score_multi_all(self, summaries_list):
"""
WHERE = {  # where the signal arrives: the program or the plug-in, what is printed
    "before the command is known": (
        PROGRAM
        + """
install = program.end_run_on_signals
program.end_run_on_signals = lambda: (install(), os.kill(os.getpid(), signal.{name}))
sys.argv = ["fw", "list", "metrics"]
program.main()
""",
        "",
    ),
    "where the parser turns it into another error": (  # if it arrives before argparse has saved what it restores
        PROGRAM
        + """
def parse(self, words, flags=None):
    try:
        signal.raise_signal(signal.{name})
    finally:
        self.never_set

argparse.ArgumentParser.parse_known_intermixed_args = parse
sys.argv = ["fw", "correlate", "a.jsonl"]
program.main()
""",
        "fw: {verb}\n",
    ),
    "where Python cannot raise": (  # it prints exceptions of ``__del__`` and goes on
        PLUGIN
        + """
        class Closing:
            def __del__(self):
                signal.raise_signal(signal.{name})

        class Incomplete:
            def __del__(self):
                self.absent

        Closing()
        try:
            time.sleep(600)
        finally:
            Incomplete()
""",
        "fw: {verb}; nothing was written\n",
    ),
    "where an import turns it into another error": (  # as that of NumPy, whose C extension imports a module
        PLUGIN
        + """
        try:
            signal.raise_signal(signal.{name})
        except BaseException as end:
            raise ImportError("could not import module 'datetime'") from end
""",
        "fw: {verb}; nothing was written\n",
    ),
}


@needs_pipes
@SIGNALLED
@pytest.mark.parametrize("where", sampled(WHERE, 1))
def test_a_signal_ends_the_run_wherever_it_arrives(where: Any, name: str, code: int, verb: str, folder: Path) -> None:
    source, said = WHERE[where]
    (folder / "own.py").write_text(source.format(name=name))
    is_plugin = source.startswith(PLUGIN)
    words = "own score out.jsonl --input-files in.jsonl --include-packages own.py"
    with started(words if is_plugin else [sys.executable, "own.py"], folder) as process:
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (code, "", said.format(verb=verb))
    assert not (folder / "out.jsonl").exists()


# ---- exit codes, and standard streams that are closed ----------------------------------------------------------------

CODES = [  # words, exit code, part of the message
    ("sari evaluate --input-files human.csv", 1, "human.csv:2"),
    ("sari score --varient easse", 2, "did you mean --variant?"),
    ("", 2, "usage: fw"),
]


@pytest.mark.parametrize(("words", "code", "message"), sampled(CODES, 1))
def test_a_process_ends_with_the_exit_code_and_no_traceback(words: str, code: int, message: str, folder: Path) -> None:
    done = fw(words, folder)
    assert (done.returncode, done.stdout) == (code, "")
    assert message in done.stderr
    assert "Traceback" not in done.stderr


PRINTED = [
    "sari score --input-files in.jsonl",
    "sari evaluate --input-files in.jsonl",
    "sari evaluate - --input-files in.jsonl",
    "list metrics",
    "--help",
]


@pytest.mark.parametrize("words", sampled(PRINTED, 1))
def test_a_closed_pipe_ends_a_run_with_141(words: str, folder: Path) -> None:
    write_rows(folder / "in.jsonl", [{**ROWS[0], "instance_id": str(number)} for number in range(2000)])
    with started(words, folder) as process:
        process.stdout.close()
        err = process.stderr.read()
        assert process.wait(timeout=30) == 141
    assert "Traceback" not in err
    assert "Exception ignored" not in err


WRITTEN = "wrote the scores of 24"
WITHOUT = [  # closed stream, words, exit code, what the other streams say, rows of the file, why
    (2, "ter score o.jsonl --input-files in.jsonl", 0, "", 24, "a job that throws its messages away"),
    (2, "ter score o.jsonl --input-files in.jsonl --jobs 2", 0, "", 24, "and has other processes"),
    (2, "ter evaluate --strict --input-files nothing.jsonl", 1, "", 0, "an error is reported by the exit code only"),
    (1, "ter score o.jsonl --input-files in.jsonl", 0, WRITTEN, 24, "rows have a file"),
    (1, "ter evaluate m.json o.jsonl --input-files in.jsonl", 0, "wrote output scores to", 24, "the table is for show"),
    (
        1,
        "ter score --input-files in.jsonl",
        2,
        "standard output is closed; use an output file",
        0,
        "rows would be lost",
    ),
    (1, "ter evaluate m.json - --input-files in.jsonl", 2, "standard output is closed", 0, "so would these"),
    (1, "ter evaluate --input-files in.jsonl", 2, "standard output is closed", 0, "and the table, if it is all"),
    (1, "correlate in.jsonl human.csv --metrics ter human", 2, "standard output is closed", 0, "and this one"),
    (1, "--version", 0, "", 0, "nobody listens"),
    (0, "ter evaluate --input-files -", 1, "-: standard input is closed", 0, "nothing can come"),
    (0, "ter score o.jsonl --input-files in.jsonl", 0, WRITTEN, 24, "it is not needed"),
]


@pytest.mark.skipif(os.name != "posix", reason="needs streams that can be closed before a program starts")
@pytest.mark.parametrize(("stream", "words", "code", "said", "rows", "why"), sampled(WITHOUT, 1))
def test_a_closed_stream_loses_no_data_and_gives_no_traceback(
    stream: int, words: str, code: int, said: str, rows: dict[str, int], why: str, folder: Path
) -> None:
    """Closed as by ``0<&-``, ``1>&-`` and ``2>&-`` of a shell."""
    closing = f"import os; os.close({stream}); os.execv({FW[0]!r}, {[*FW, *split(words)]!r})"
    done = subprocess.run([FW[0], "-c", closing], cwd=folder, capture_output=True, encoding="utf-8")
    assert done.returncode == code, f"{why}: {done.stderr}"
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert [len(read_rows(path)) for path in folder.glob("o.*")] == [rows] * bool(rows)


# ---- what cannot be written ------------------------------------------------------------------------------------------

NAMED = [  # words, what is full
    ("sari score --input-files in.jsonl", "standard output: "),
    ("sari evaluate --input-files in.jsonl", "standard output: "),
    ("sari evaluate - --input-files in.jsonl", "standard output: "),
    ("list metrics", "standard output: "),
    ("cite sari", "standard output: "),
    ("--help", "standard output: "),
    ("completion bash", "standard output: "),
    ("sari score /dev/full --input-files in.jsonl", "'/dev/full': "),
    ("sari evaluate macro.json /dev/full --input-files in.jsonl", "'/dev/full': "),
    ("sari evaluate /dev/full micro.jsonl --input-files in.jsonl", "'/dev/full': "),
    ("sari evaluate --input-files in.jsonl --log-file /dev/full macro.json", "'/dev/full': "),
]


@needs_full_device
@pytest.mark.parametrize(("words", "named"), sampled(NAMED, 1))
def test_a_full_disk_is_reported_in_one_line_that_names_the_file(words: str, named: str, folder: Path) -> None:
    with open(FULL, "w") as full:
        done = fw(words, folder, stdout=full if named.startswith("standard") else subprocess.DEVNULL)
    error = f"fw: error: {CANNOT_READ_OR_WRITE}: {named}No space left on device"
    assert done.returncode == 1
    assert [line for line in done.stderr.splitlines() if not line.startswith("fw: wrote ")] == [error]
    assert sorted(path.name for path in folder.iterdir() if not path.name.startswith("m")) == ["human.csv", "in.jsonl"]


# ---- terminals -------------------------------------------------------------------------------------------------------

ASCII = {"PYTHONIOENCODING": "ascii", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
CHARACTERS = [  # words, exit code, what is printed
    ("sari evaluate --input-files in.jsonl", 0, "Ünal ──"),
    ("sari score --input-files in.jsonl", 0, "Ünal"),
    ("sari evaluate --input-files in.jsonl --format json", 0, "Ünal"),
    ("correlate --help", 0, "…"),
    ("list metrics", 0, "──"),
    ("sari score out.jsonl --input-files Ünal.jsonl", 1, "Ünal.jsonl:"),
]


@pytest.mark.parametrize(("words", "code", "printed"), sampled(CHARACTERS, 1))
def test_a_terminal_that_says_it_is_ascii_gets_utf_8(words: str, code: int, printed: str, folder: Path) -> None:
    done = fw(words, folder, environment={"PYTHONIOENCODING": "ascii"} if "Ünal" in words else ASCII)
    assert (done.returncode, "Traceback" in done.stderr) == (code, False), done.stderr
    assert all(text in (done.stderr if code else done.stdout) for text in printed.split())


# ---- the same bytes --------------------------------------------------------------------------------------------------

METRICS = "--metric sari --metric sari:variant=hf,label=hf --metric ter --input-files in.jsonl"
EVERY_COMMAND = [
    f"evaluate macro.json micro.jsonl {METRICS}",
    f"score scores.jsonl {METRICS}",
    "correlate scores.jsonl human.csv --metrics sari_jk human --output-file correlation.json "
    "--plot plot.svg --summarizer-type all",
]


@pytest.mark.slow
def test_the_hash_seed_changes_no_byte(folder: Path) -> None:
    written = []
    for seed in ("0", "1"):
        printed = []
        for words in EVERY_COMMAND:
            done = fw(words, folder, environment={"PYTHONHASHSEED": seed})
            assert done.returncode == 0, done.stderr
            printed.append((done.stdout, done.stderr))
        written.append((printed, {path.name: path.read_bytes() for path in folder.iterdir()}))
    assert len(written[0][1]) == 7
    assert written[0] == written[1]


@pytest.mark.slow
def test_the_hash_seed_does_not_change_the_order_of_inputs_without_a_score(folder: Path) -> None:
    scores = {"new": lambda i: None if i % 7 == 0 else i % 6, "old": lambda i: None if i % 7 == 4 else i * 4 % 6 + 6}
    for name, score in scores.items():
        write_rows(folder / f"{name}.jsonl", [{"instance_id": i, "q": score(i)} for i in range(18)])
    words = "gate new.jsonl --against old.jsonl --metric q --lower-is-better q --score-range 0-20 --unpaired worst"
    printed = {fw(words, folder, environment={"PYTHONHASHSEED": seed}).stdout for seed in "012"}
    assert len(printed) == 1
