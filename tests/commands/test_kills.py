"""Runs that are ended by a signal at any moment: every file is whole, and the message about it is true."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from json_files import write_rows

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and signals of POSIX")

ROWS = [
    {
        "instance_id": str(number),
        "summarizer_id": system,
        "summary": f"the {system} cat sat on mat {number}",
        "references": [f"the cat {number} sat on the mat", "a cat sat"],
        "source": f"the big cat {number} sat on the old mat",
    }
    for number in range(20)
    for system in ("one", "two")
]
HUMAN = "".join(f"{row['instance_id']},{row['summarizer_id']},{index * 7 % 5}\n" for index, row in enumerate(ROWS))
COMMANDS = {  # the outputs of each command, in the order in which they are put in place
    "evaluate macro.json micro.jsonl.gz --metric ter --metric bleu --input-files in.jsonl": [
        "macro.json",
        "micro.jsonl.gz",
    ],
    "ter evaluate macro.json - --input-files in.jsonl": ["macro.json"],
    "ter evaluate --input-files in.jsonl": [],
    "ter score new/out.jsonl --input-files in.jsonl": ["new/out.jsonl"],
    "ter score --input-files in.jsonl": [],
    "correlate scores.jsonl human.csv --metrics ter human --ci none --output-file c.json --plot plot.svg": [
        "c.json",
        "plot.svg",
    ],
}
SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGKILL"]
ENDS = {"SIGINT": (130, "interrupted"), "SIGTERM": (143, "terminated"), "SIGHUP": (143, "terminated")}


class Outcome(NamedTuple):
    """What a run left behind."""

    code: int
    out: str
    err: str
    seconds: float
    files: dict[str, bytes]


class Runner:
    """A process that forks runs of one command."""

    def __init__(self, words: str, folder: Path) -> None:
        script = Path(__file__).with_name("killed_runs.py")
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._send(words.split())

    def _send(self, value: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(value) + "\n")
        self.process.stdin.flush()

    def run(self, before: dict[str, bytes], name: str = "", moment: float = -1, by: str = "line", again: float = 0):
        """Runs the command in a folder with given files."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        for path, content in before.items():
            (self.folder / path).write_bytes(content)
        number = int(getattr(signal, name)) if name else 0
        self._send([str(self.folder), number, moment, by, again])
        assert self.process.stdout is not None
        answer = json.loads(self.process.stdout.readline())
        return Outcome(*answer, files_of(self.folder))


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files before a run: its inputs."""
    tmp_path = tmp_path_factory.mktemp("inputs")
    write_rows(tmp_path / "in.jsonl", ROWS)
    command = [sys.executable, "-m", "metrics_framework", "ter", "score", "scores.jsonl", "--input-files", "in.jsonl"]
    subprocess.run([*command, "--silent"], cwd=tmp_path, check=True)
    (tmp_path / "human.csv").write_text("instance_id,system,human\n" + HUMAN)
    return {name: (tmp_path / name).read_bytes() for name in ("in.jsonl", "scores.jsonl", "human.csv")}


def checked(outcome: Outcome, name: str, before: dict[str, bytes], complete: Outcome, outputs: Sequence[str]) -> str:
    """Checks that files are whole and messages true; returns a description of the outcome."""
    new = [path for path in outputs if outcome.files.get(path) == complete.files[path]]
    for path in outputs:
        assert path in new or outcome.files.get(path) == before.get(path), f"{path} is neither old nor new"
    rest = {path: content for path, content in outcome.files.items() if path not in outputs}
    inputs = {path: content for path, content in before.items() if path not in outputs}
    if name == "SIGKILL" and outcome.code == -signal.SIGKILL:
        assert {path: rest[path] for path in inputs} == inputs
        assert all(path.endswith(".part") for path in rest.keys() - inputs.keys())
        return f"killed, {len(new)} new"
    assert rest == inputs, "a file was left behind"
    assert "Traceback" not in outcome.err
    assert "ignored" not in outcome.err, outcome.err
    if outcome.code == 0:
        assert (new, outcome.out) == (list(outputs), complete.out)
        return "complete"
    code, verb = ENDS[name]
    assert outcome.code == code, outcome
    lines = [line for line in outcome.err.splitlines() if line not in complete.err.splitlines()]
    if not lines:
        assert (new, outcome.out) == ([], "")
        return "ended before the run"
    (line,) = lines
    match = re.fullmatch(rf"fw: {verb}(?:; (.*))?", line)
    assert match, line
    stated = match[1] or "nothing was written"
    if "standard output is incomplete" in stated:
        assert complete.out.startswith(outcome.out)
    elif "standard output" in stated:
        assert outcome.out == complete.out
    else:
        assert outcome.out == ""
    named = re.sub(r"(, )?(and )?standard output( is incomplete)?|,? (is|are) complete|nothing was written", "", stated)
    assert [path.strip() for path in re.split(", | and ", named) if path.strip()] == new, outcome
    return stated


def trials(complete: Outcome, lines: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields signals and moments, the same in every run of the test."""
    chance = random.Random(len(complete.out))
    for number in range(12):
        for name in SIGNALS:
            again = chance.choice([0, 1, 3, 10])
            if number % 4:
                first = lines // 2 if number % 2 else 0  # the files are written in the second half
                yield name, {"moment": chance.randrange(first, lines) + 1, "by": "line", "again": again}
            else:
                moment = chance.random() * complete.seconds
                yield name, {"moment": moment, "by": "time", "again": again / 1000 if name != "SIGKILL" else 0}


# 12 moments for each of six commands, without and with files to replace, are 144 moments for each signal
@pytest.mark.slow
@pytest.mark.parametrize("words", COMMANDS)
def test_a_run_ended_at_any_moment_leaves_whole_files_and_says_which(
    words: str, inputs: dict[str, bytes], tmp_path: Path
) -> None:
    outputs = COMMANDS[words]
    runner = Runner(words, tmp_path / "runs" / "folder")
    with runner.process:
        runner.run(inputs)  # the modules that this run imports are imported before all others
        complete = runner.run(inputs)
        assert complete.code == 0, complete.err
        *messages, lines = complete.err.splitlines()
        complete = complete._replace(err="\n".join(messages))
        for before in (inputs, {**inputs, **{path: b"" for path in outputs if "/" not in path}}):
            results = set()
            for name, moment in trials(complete, int(lines)):
                outcome = runner.run(before, name, **moment)
                results.add(checked(outcome, name, before, complete, outputs))
            assert len(results) > 1, results
