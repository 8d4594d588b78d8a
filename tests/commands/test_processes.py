"""``fw`` as a process: signals, full disks, terminals of little skill, and the same bytes whatever the hash seed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from shlex import split
from typing import Any

import pytest
from messages import CANNOT_READ_OR_WRITE
from samples import sampled

FW = [sys.executable, "-m", "metrics_framework"]
FULL = "/dev/full"
ROWS = [
    {
        "instance_id": str(instance),
        "summarizer_id": system,
        "summarizer_type": kind,
        "summary": f"{system} cat {instance}, sat … on « the {system * instance} mat",
        "references": [f"the cat {instance} sat", f"on the mat sat {system}", f"a {instance} dog"],
        "source": f"The big cat {instance} sat on the old mat.",
    }
    for instance in range(6)
    for system, kind in (("careful", "peer"), ("timid", "peer"), ("clumsy", "peer"), ("Ünal", "reference"))
]
HUMAN = "".join(f"{row['instance_id']},{row['summarizer_id']},{index * 7 % 5}\n" for index, row in enumerate(ROWS))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with outputs of four systems and ratings of them."""
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    (tmp_path / "human.csv").write_text("instance_id,system,human\n" + HUMAN)
    return tmp_path


def fw(words: str, folder: Path, **options: Any) -> subprocess.CompletedProcess[str]:
    """Runs ``fw`` in a process of its own, whose output is buffered, as it is unless one asks otherwise."""
    environment = {**os.environ, **options.pop("environment", {})}
    environment.pop("PYTHONUNBUFFERED", None)
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "encoding": "utf-8", **options}
    return subprocess.run([*FW, *split(words)], cwd=folder, env=environment, **streams)


# ---- signals ---------------------------------------------------------------------------------------------------------

SIGNALS = [name for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
NEEDS_PIPES = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")


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


@NEEDS_PIPES
@pytest.mark.parametrize("name", SIGNALS)
@pytest.mark.parametrize("words", sampled(["score out.jsonl", "evaluate macro.json micro.jsonl.gz"], 1))
def test_a_terminated_run_ends_with_143_and_leaves_no_file(words: str, name: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "input")
    command = [*FW, "sari", *words.split(), "--input-files", "input"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with open(tmp_path / "input", "w") as stream:  # opens once fw reads
        stream.write(json.dumps(ROWS[0]) + "\n")
        stream.flush()
        wait_until_it_waits_for(stream, process)
        assert list(tmp_path.glob("*.part")), "the outputs are begun"
        process.send_signal(getattr(signal, name))
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (143, "")
    assert err == "fw: terminated; nothing was written\n"
    assert [path.name for path in tmp_path.iterdir()] == ["input"]


@NEEDS_PIPES
@pytest.mark.parametrize(("name", "code", "verb"), [("SIGINT", 130, "interrupted"), ("SIGTERM", 143, "terminated")])
@pytest.mark.parametrize("words", sampled(["ter score", "ter evaluate macro.json -"], 1))
def test_a_run_ended_while_it_writes_to_a_pipe_says_that_this_is_not_complete(
    words: str, name: str, code: int, verb: str, tmp_path: Path
) -> None:
    rows = [{**ROWS[0], "instance_id": str(number)} for number in range(4000)]  # more than a pipe holds
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    command = [*FW, *words.split(), "--input-files", "in.jsonl"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.read(1) == "{"
    process.send_signal(getattr(signal, name))
    out, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (code, f"fw: {verb}; standard output is incomplete\n")
    assert len(out.splitlines()) < len(rows)
    assert [path.name for path in tmp_path.iterdir()] == ["in.jsonl"]


@NEEDS_PIPES
@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="needs SIGHUP")
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
    assert len((tmp_path / "out.jsonl").read_text().splitlines()) == 2


# ---- standard streams that are closed ------------------------------------------------------------------------------


def fw_without(stream: int, words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs ``fw`` with a standard stream closed, as ``0<&-``, ``1>&-`` and ``2>&-`` of a shell do."""
    closing = f"import os; os.close({stream}); os.execv({FW[0]!r}, {[*FW, *split(words)]!r})"
    return subprocess.run([FW[0], "-c", closing], cwd=folder, capture_output=True, encoding="utf-8")


WITHOUT = [  # closed stream, words, exit code, what the other streams say, rows of the files, why
    (2, "ter score o.jsonl --input-files in.jsonl", 0, "", {"o.jsonl": 24}, "a job that throws its messages away"),
    (2, "ter score o.jsonl --input-files in.jsonl --jobs 2", 0, "", {"o.jsonl": 24}, "and has helpers"),
    (2, "ter evaluate --strict --input-files nothing.jsonl", 1, "", {}, "an error is reported by the exit code only"),
    (1, "ter score o.jsonl --input-files in.jsonl", 0, "wrote the scores of 24", {"o.jsonl": 24}, "rows have a file"),
    (
        1,
        "ter evaluate m.json o.jsonl --input-files in.jsonl",
        0,
        "wrote output scores to",
        {"o.jsonl": 24},
        "the table is for show",
    ),
    (
        1,
        "ter score --input-files in.jsonl",
        2,
        "standard output is closed; use an output file",
        {},
        "rows would be lost",
    ),
    (1, "ter evaluate m.json - --input-files in.jsonl", 2, "standard output is closed", {}, "so would these"),
    (1, "ter evaluate --input-files in.jsonl", 2, "standard output is closed", {}, "and the table, if it is all"),
    (1, "correlate in.jsonl human.csv --metrics ter human", 2, "standard output is closed", {}, "and this one"),
    (1, "--version", 0, "", {}, "nobody listens"),
    (0, "ter evaluate --input-files -", 1, "-: standard input is closed", {}, "nothing can come"),
    (0, "ter score o.jsonl --input-files in.jsonl", 0, "wrote the scores of 24", {"o.jsonl": 24}, "it is not needed"),
]


@pytest.mark.skipif(os.name != "posix", reason="needs streams that can be closed before a program starts")
@pytest.mark.parametrize(("stream", "words", "code", "said", "rows", "why"), sampled(WITHOUT, 3))
def test_a_closed_stream_loses_no_data_and_gives_no_traceback(
    stream: int, words: str, code: int, said: str, rows: dict[str, int], why: str, folder: Path
) -> None:
    done = fw_without(stream, words, folder)
    assert done.returncode == code, f"{why}: {done.stderr}"
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert {path.name: len(path.read_text().splitlines()) for path in folder.glob("o.*")} == rows


# ---- what cannot be written ------------------------------------------------------------------------------------------

PRINTED = [
    "sari score --input-files in.jsonl",
    "sari evaluate --input-files in.jsonl",
    "sari evaluate - --input-files in.jsonl",
    "sari evaluate /dev/full --input-files in.jsonl",
    "list metrics",
    "cite sari",
    "--help",
    "completion bash",
]


@pytest.mark.skipif(not os.path.exists(FULL), reason="needs /dev/full")
@pytest.mark.parametrize("words", sampled(PRINTED))
def test_a_full_disk_ends_a_run_with_1_and_no_traceback(words: str, folder: Path) -> None:
    before = {path.name for path in folder.iterdir()}
    with open(FULL, "w") as full:
        done = fw(words, folder, stdout=full)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    assert "No space left on device" in done.stderr
    assert {path.name for path in folder.iterdir()} == before


NAMED = [  # words, what is full, why
    ("list metrics", "standard output: ", "a table"),
    ("sari score --input-files in.jsonl", "standard output: ", "rows"),
    ("sari score /dev/full --input-files in.jsonl", "'/dev/full': ", "output scores"),
    ("sari evaluate macro.json /dev/full --input-files in.jsonl", "'/dev/full': ", "a file of micro rows"),
    ("sari evaluate /dev/full micro.jsonl --input-files in.jsonl", "'/dev/full': ", "a macro file"),
    ("sari evaluate --input-files in.jsonl --log-file /dev/full macro.json", "'/dev/full': ", "a log"),
]


@pytest.mark.skipif(not os.path.exists(FULL), reason="needs /dev/full")
@pytest.mark.parametrize(("words", "named", "why"), sampled(NAMED))
def test_a_full_disk_is_reported_in_one_line_that_names_the_file(
    words: str, named: str, why: str, folder: Path
) -> None:
    with open(FULL, "w") as full:
        done = fw(words, folder, stdout=full if named.startswith("standard") else subprocess.DEVNULL)
    error = f"fw: error: {CANNOT_READ_OR_WRITE}: {named}No space left on device"
    assert (done.returncode, done.stderr.splitlines()[-1]) == (1, error), why
    reported = [line for line in done.stderr.splitlines() if not line.startswith("fw: wrote ")]
    assert reported == [error], why


# ---- terminals -------------------------------------------------------------------------------------------------------

ASCII = {"PYTHONIOENCODING": "ascii", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


@pytest.mark.parametrize(
    ("words", "printed"),
    sampled(
        [
            ("sari evaluate --input-files in.jsonl", "Ünal ──"),
            ("sari score --input-files in.jsonl", "Ünal"),
            ("sari evaluate --input-files in.jsonl --format json", "Ünal"),
            ("correlate --help", "…"),
            ("list metrics", "──"),
        ],
        1,
    ),
)
def test_a_terminal_that_says_it_is_ascii_gets_utf_8(words: str, printed: str, folder: Path) -> None:
    done = fw(words, folder, environment=ASCII)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert all(text in done.stdout for text in printed.split())


def test_an_error_on_such_a_terminal_keeps_its_words(folder: Path) -> None:
    done = fw("sari score out.jsonl --input-files Ünal.jsonl", folder, environment={"PYTHONIOENCODING": "ascii"})
    assert done.returncode == 1
    assert "Ünal.jsonl: cannot be read" in done.stderr


# ---- the same bytes --------------------------------------------------------------------------------------------------

METRICS = "--metric sari --metric sari:variant=hf,label=hf --metric ter --input-files in.jsonl"
EVERY_COMMAND = [
    f"evaluate macro.json micro.jsonl {METRICS}",
    f"score scores.jsonl {METRICS}",
    "correlate scores.jsonl human.csv --metrics sari_jk human --resamples 50 --output-file correlation.json "
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


# ---- lone surrogates -------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_lone_surrogates_in_ids_pass_through_every_file(folder: Path) -> None:
    odd = [{**ROWS[0], "instance_id": f"i\ud800{number}", "summarizer_id": "s\udfff"} for number in range(2)]
    (folder / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in odd))
    for words in ("sari evaluate macro.json micro.jsonl", "sari score scores.jsonl"):
        done = fw(f"{words} --input-files in.jsonl", folder)
        assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
    texts = {
        name: (folder / name).read_text(encoding="utf-8") for name in ("macro.json", "micro.jsonl", "scores.jsonl")
    }
    assert all("s\\udfff" in text for text in texts.values()), "escaped, as JSON can"
    macro = json.loads(texts["macro.json"])
    assert list(macro["systems"]) == list(macro["num_outputs"]) == ["s\udfff"]
    for name in ("micro.jsonl", "scores.jsonl"):
        rows = [json.loads(line) for line in texts[name].splitlines()]
        assert [(row["instance_id"], row["summarizer_id"]) for row in rows] == [
            ("i\ud8000", "s\udfff"),
            ("i\ud8001", "s\udfff"),
        ]
    done = fw("correlate scores.jsonl --metrics sari sari_keep --ci none --output-file c.json", folder)
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
