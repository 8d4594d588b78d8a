"""``fw score`` and ``fw evaluate`` of four metrics, whole processes, against a bare loop over the same rows.

Both run without ``PYTHONDONTWRITEBYTECODE``, which would make every run compile the package again.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from corpora import Corpus, pairs, with_references
from settings import Settings
from tables import Line, Table, absent
from timing import in_turns, ratios, spread

COMMAND = Table(
    "fw score --metric sari --metric ter --metric bleu --metric chrf, whole processes",
    ("what", "against", "input", "ratio", "checked"),
    (30, 24, 46, 26, 0),
)
METRICS = ("sari", "ter", "bleu", "chrf")
BARE_LOOP = Path(__file__).resolve().parent / "bare_loop.py"
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
FILES = ("macro.json", "micro.jsonl")
SHAPES = 100  # rows whose scores the bare loop writes


def score_command(settings: Settings) -> Iterator[Line]:
    """Compares rows with one reference, and with all references and jackknifed scores."""
    many = pairs(settings.corpus, settings.sizes.score_rows)
    for corpus in (with_references(many, 1), many):
        with tempfile.TemporaryDirectory() as folder:
            yield from against_bare_loop(corpus, Path(folder), settings.repetitions)
    if not has_jobs():
        yield absent(COMMAND, "fw score --jobs 2", "fw score", "fw score --help names no --jobs")


def against_bare_loop(corpus: Corpus, folder: Path, repetitions: int) -> Iterator[Line]:
    """Compares ``fw score``, and ``fw evaluate`` with and without its files, with the loop on the rows of a corpus."""
    write_rows(corpus, folder / "rows.jsonl")
    command, loop = fw_score(folder, "fw.jsonl"), bare_loop(folder)
    command()
    loop()
    checked = check_rows(folder)
    rouge = ("google-rouge",)
    evaluations = {
        ("fw evaluate", "table only"): fw_evaluate(folder, METRICS),
        ("fw evaluate", "with files of scores"): fw_evaluate(folder, METRICS, *FILES),
        ("fw evaluate -m google-rouge", "table only"): fw_evaluate(folder, rouge),
        ("fw evaluate -m google-rouge", "with files of scores"): fw_evaluate(folder, rouge, *FILES),
    }
    tasks = {"score": command, "loop": loop} | {" ".join(name): task for name, task in evaluations.items()}
    seconds = in_turns(tasks, repetitions)
    yield line("fw score", "bare loop, CPU", corpus, seconds["score"], seconds["loop"], checked)
    for what, files in evaluations:
        yield line(what, "bare loop, CPU", corpus, seconds[f"{what} {files}"], seconds["loop"], files)
    if has_jobs():
        yield from with_jobs(corpus, folder, repetitions)


def with_jobs(corpus: Corpus, folder: Path, repetitions: int) -> Iterator[Line]:
    """Compares two jobs with one, in elapsed time and in CPU time."""
    alone, jobs = fw_score(folder, "fw.jsonl"), fw_score(folder, "jobs.jsonl", "--jobs", "2")
    jobs()
    if (folder / "jobs.jsonl").read_bytes() != (folder / "fw.jsonl").read_bytes():
        raise SystemExit(f"fw score --jobs 2, {corpus}: the bytes differ from those without")
    wall = in_turns({"jobs": jobs, "alone": alone}, repetitions, time.perf_counter)
    cpu = in_turns({"jobs": jobs, "alone": alone}, repetitions)
    for clock, seconds in (("elapsed time", wall), ("CPU", cpu)):
        yield line("fw score --jobs 2", f"fw score, {clock}", corpus, seconds["jobs"], seconds["alone"], "bytes equal")


def line(what: str, against: str, corpus: Corpus, above: list[float], below: list[float], checked: str) -> Line:
    """Returns the table line of a ratio."""
    ratio = ratios(above, below)
    numbers = {"seconds": above, "against_seconds": below, "ratios": ratio}
    cells = (what, against, str(corpus), f"× {spread(ratio)}", checked)
    return Line(COMMAND, cells, {"what": what, "peer": against, "input": str(corpus), "checked": checked} | numbers)


def write_rows(corpus: Corpus, path: Path) -> None:
    """Writes the outputs as rows of one system."""
    with open(path, "w", encoding="utf-8") as stream:
        for number, (summary, references, source) in enumerate(corpus.rows()):
            author = {"instance_id": str(number), "summarizer_id": "system", "summarizer_type": "peer"}
            texts = {"summary": summary, "references": references, "source": source}
            stream.write(json.dumps(author | texts) + "\n")


def fw_score(folder: Path, out: str, *flags: str) -> Callable[[], object]:
    """Returns the task that scores the rows."""
    words = [sys.executable, "-m", "metrics_framework", "score", str(folder / out), "--silent", *flags]
    words += [word for metric in METRICS for word in ("--metric", metric)]
    return lambda: subprocess.run([*words, "--input-files", str(folder / "rows.jsonl")], check=True, env=ENVIRONMENT)


def fw_evaluate(folder: Path, metrics: Sequence[str], *files: str) -> Callable[[], object]:
    """Returns the task that prints the table of metrics, or writes files of scores."""
    words = [sys.executable, "-m", "metrics_framework", "evaluate", *(str(folder / file) for file in files)]
    words += ["--input-files", str(folder / "rows.jsonl")]
    words += [word for metric in metrics for word in ("--metric", metric)]
    return lambda: subprocess.run(words, check=True, env=ENVIRONMENT, capture_output=True)


def bare_loop(folder: Path) -> Callable[[], object]:
    """Returns the task of the bare loop, which writes scores computed by ``fw score``."""
    files = [str(folder / name) for name in ("rows.jsonl", "scores.json", "loop.jsonl")]

    def run() -> None:
        if not os.path.exists(files[1]):
            rows = read_rows(folder / "fw.jsonl")[:SHAPES]
            Path(files[1]).write_text(json.dumps([row["metrics"] for row in rows]), encoding="utf-8")
        subprocess.run([sys.executable, str(BARE_LOOP), *files], check=True, env=ENVIRONMENT)

    return run


def read_rows(path: Path) -> list[Any]:
    """Reads rows of scores."""
    return [json.loads(text) for text in path.read_text(encoding="utf-8").splitlines()]


def check_rows(folder: Path) -> str:
    """Checks that both wrote the same outputs and shapes of scores; returns the number of scores per row."""
    ours, bare = (read_rows(folder / name) for name in ("fw.jsonl", "loop.jsonl"))
    if sorted(map(identity, ours)) != sorted(map(identity, bare)):
        raise SystemExit("fw score and the bare loop wrote rows of different outputs or shapes")
    return f"same keys and {len(identity(ours[0])[1])} numbers per row"


def identity(row: dict[str, Any]) -> tuple[str, list[str]]:
    """Returns the output of a row and the names of its scores, repeated for each number of a list."""
    names = [name for name, value in row["metrics"].items() for _ in (value if isinstance(value, list) else [value])]
    return f"{row['instance_id']} {row['summarizer_id']} {row['summarizer_type']}", names


def has_jobs() -> bool:
    """Returns whether ``fw score`` has ``--jobs``."""
    words = [sys.executable, "-m", "metrics_framework", "score", "--help"]
    return bool(re.search(r"--jobs\b", subprocess.run(words, check=True, capture_output=True, text=True).stdout))
