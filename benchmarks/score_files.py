"""CPU time and memory of reading scores for ``fw correlate``: ``python benchmarks/score_files.py [--rows N]``.

Each form of input is read by a new process, which prints the CPU time of reading and of selecting all scores as
matrices, and by how many bytes a row the peak of its resident memory rose. `read` is that program.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

from memory import peak

SYSTEMS, METRICS, REPETITIONS = 15, 20, 3
NAMES = [*(f"metric{number:02d}" for number in range(METRICS)), "human"]
FORMS = ("jsonl", "csv", "two files", "nested")


class Cost(NamedTuple):
    """What reading costs.

    Args:
        seconds: CPU seconds.
        bytes_per_row: By how much the peak of the resident memory rose, per row.
    """

    seconds: float
    bytes_per_row: float


def rows(count: int) -> Iterator[dict[str, Any]]:
    """Makes the scores of outputs, 21 in a row."""
    draws = random.Random(0)
    for number in range(count):
        scores = {name: round(100 * draws.random(), 4) for name in NAMES}
        yield {
            "instance_id": str(number // SYSTEMS),
            "summarizer_id": f"system{number % SYSTEMS:02d}",
            "summarizer_type": "peer",
            "metrics": scores,
        }


def write(form: str, count: int, folder: str) -> list[str]:
    """Writes scores in one form; returns the files."""
    path = os.path.join(folder, "scores.csv" if form == "csv" else "scores.jsonl")
    with open(path, "w", encoding="utf-8") as stream:
        if form == "csv":
            stream.write(",".join(("instance_id", "summarizer_id", *NAMES)) + "\n")
        for row in rows(count):
            scores = row["metrics"]
            if form == "csv":
                stream.write(",".join((row["instance_id"], row["summarizer_id"], *map(str, scores.values()))) + "\n")
                continue
            if form == "nested":
                row["metrics"] = {"human": scores.pop("human"), "all": scores}
            elif form == "two files":
                del scores["human"]
            stream.write(json.dumps(row) + "\n")
    if form != "two files":
        return [path]
    other = os.path.join(folder, "human.jsonl")
    with open(other, "w", encoding="utf-8") as stream:
        for row in rows(count):
            stream.write(json.dumps({**row, "metrics": {"human": row["metrics"]["human"]}}) + "\n")
    return [path, other]


def cost(form: str, count: int) -> Cost:
    """Measures one form of input in a new process."""
    with tempfile.TemporaryDirectory() as folder:
        few = write(form, 2 * SYSTEMS, folder)
        for path in few:
            os.rename(path, f"{os.path.dirname(path)}/few-{os.path.basename(path)}")
        files = write(form, count, folder)
        words = [sys.executable, __file__, "--read", *files]
        printed = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    seconds, rise = map(float, printed.split())
    return Cost(seconds, rise / count)


def read(files: list[str]) -> None:
    """Reads the first rows, so that all modules are imported, and then all, and prints the cost."""
    from metrics_framework.inputs.score_files import read_score_files

    few = [os.path.join(os.path.dirname(path), f"few-{os.path.basename(path)}") for path in files]
    for paths in (few, files):
        before, start = peak(), time.process_time()
        files_read = read_score_files(paths)
        columns = files_read.columns(files_read.scores.names)
        seconds, risen = time.process_time() - start, peak() - before
    assert len(columns.scores) == len(NAMES)
    print(seconds, risen)


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=30_000)
    parser.add_argument("--repetitions", type=int, default=REPETITIONS)
    parser.add_argument("--read", nargs="+", help="the program of one process")
    arguments = parser.parse_args()
    if arguments.read:
        read(arguments.read)
        return
    print(f"{arguments.rows:,} rows of {len(NAMES)} scores: CPU time, and peak memory a row; medians")
    for form in FORMS:
        found = [cost(form, arguments.rows) for _ in range(arguments.repetitions)]
        seconds, size = (statistics.median(values) for values in zip(*found, strict=True))
        print(f"{form:10} {seconds:6.2f} s {size:8.0f} bytes", flush=True)


if __name__ == "__main__":
    main()
