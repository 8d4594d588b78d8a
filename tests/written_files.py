"""Writes one small file of each format, from ``datasets``: ``python tests/written_files.py FOLDER``.

``tests/formats`` has those that earlier releases wrote; the tests read them with this release.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

from judge_server import judging

import metrics_framework
from metrics_framework import Accumulator
from metrics_framework.commands.app import main as fw

DATA = Path(__file__).resolve().parent.parent / "datasets"
MANIFEST = Path(metrics_framework.__file__).parent / "datasets" / "manifests" / "wikisplit.json"
ROWS = 12
INPUT = "--metric ter --metric bleu --input-files outputs.jsonl"
QUICK = "--resamples 50 --seed 1"
JUDGE = "--model m --no-cache"
RATED = "scores.jsonl human.jsonl"
JUDGED = "ratings.csv judgements.csv --rating helpfulness --judge model"
COMMANDS = {  # in this order, in one folder: the file, and the arguments
    "macro.json": f"evaluate macro.json micro.jsonl {INPUT} --confidence {QUICK}",
    "scores.jsonl": f"score scores.jsonl {INPUT}",
    "scores.parquet": f"score scores.parquet {INPUT}",
    "compare.json": f"compare {INPUT} --output-file compare.json {QUICK}",
    "correlate.json": f"correlate {RATED} --metric ter --human simplicity --output-file correlate.json",
    "correlate-pair.json": f"correlate {RATED} --metrics ter simplicity --output-file correlate-pair.json",
    "stat-sig-test.json": f"stat-sig-test {RATED} --dependent-metric simplicity --metric-A ter --metric-B bleu "
    f"--output-file stat-sig-test.json {QUICK}",
    "partial-conjunction-test.json": "partial-conjunction-test stat-sig-test.json stat-sig-test.json --names a b "
    "--output-file partial-conjunction-test.json",
    "agreement.json": "agreement ratings.csv --rating helpfulness --output-file agreement.json",
    "judge.json": f"judge {JUDGED} --output-file judge.json",
    "estimate.json": f"estimate {JUDGED} --output-file estimate.json",
    "plan.json": "plan mean --half-width 0.1 --sd 1.1 --agreement 0.4 --output-file plan.json",
    "prefer.json": "prefer preferences.jsonl --output-file prefer.json",
    "answers.jsonl": f"llm-judge evaluate --input-files two.jsonl {JUDGE} --answers answers.jsonl",
    "votes.jsonl": f"write-votes votes.jsonl --input-files two.jsonl {JUDGE}",
    "ratings.jsonl": "ratings esa esa.csv ratings.jsonl",
}
INPUTS = {  # the first lines of files of the example data
    "outputs.jsonl": ("simplification/outputs.jsonl", ROWS),
    "two.jsonl": ("simplification/outputs.jsonl", 4),
    "human.jsonl": ("simplification/human.jsonl", ROWS),
    "preferences.jsonl": ("preferences/judge.jsonl", 40),
    "ratings.csv": ("judging/ratings.csv", None),
    "judgements.csv": ("judging/judgements.csv", None),
}
ESA = "instance_id,summarizer_id,rater_id,esa\n1,a,x,80\n1,a,y,90\n1,b,x,40\n2,a,x,75\n"


@contextmanager
def folder_of_inputs(folder: Path) -> Iterator[None]:
    """Changes to a folder with the inputs of the commands, and removes the inputs at the end."""
    before = os.getcwd()
    folder.mkdir(parents=True, exist_ok=True)
    os.chdir(folder)
    try:
        for name, (source, rows) in INPUTS.items():
            lines = (DATA / source).read_text(encoding="utf-8").splitlines(keepends=True)
            Path(name).write_text("".join(lines[:rows]), encoding="utf-8")
        Path("esa.csv").write_text(ESA, encoding="utf-8")
        yield
    finally:
        for name in [*INPUTS, "esa.csv"]:
            Path(name).unlink(missing_ok=True)
        os.chdir(before)


def write_files(folder: Path, names: Sequence[str] = tuple(COMMANDS)) -> None:
    """Writes the files of some commands.

    Args:
        folder: The folder to write to.
        names: The files, keys of `COMMANDS`.
    """
    with folder_of_inputs(folder), judging() as server:
        os.environ.update(no_proxy="127.0.0.1", OPENAI_BASE_URL=server.url, OPENAI_API_KEY="key")
        for name in names:
            printed = StringIO()
            with redirect_stdout(printed), redirect_stderr(printed):
                code = fw(COMMANDS[name].split())
            if code:
                raise RuntimeError(f"fw {COMMANDS[name]}: {printed.getvalue()}")


def write_state(folder: Path) -> None:
    """Writes the state of an accumulator as Python prints it."""
    accumulator = Accumulator("ter")
    accumulator.update(["a cat"], [["a dog"]])
    (folder / "accumulator.txt").write_text(f"{accumulator.state_dict()}\n", encoding="utf-8")


if __name__ == "__main__":
    shutil.rmtree(sys.argv[1], ignore_errors=True)
    write_files(Path(sys.argv[1]))
    write_state(Path(sys.argv[1]))
    shutil.copy(MANIFEST, Path(sys.argv[1]) / "manifest.json")
