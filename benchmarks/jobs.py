"""Speed-up by processes: ``python benchmarks/jobs.py [--rows N] [--jobs N] [--repetitions N] [--metric NAME …]``.

Runs with one process and with several alternate, and must write the same bytes. The program prints

- the elapsed time of one process over that of several, which other work on the machine lowers;
- the total CPU time of several processes over that of one: the cost of sending rows and results;
- the CPU time of one process over that of the main process of several, which reads, validates, adds and writes: the
  limit of the speed-up for any number of processes.
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
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from streaming import ROOT, WORDS

RUN = """
import resource, sys, time
from metrics_framework.commands.app import main
start = time.perf_counter()
code = main(sys.argv[1:])
wall = time.perf_counter() - start
used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
print(wall, *(one.ru_utime + one.ru_stime for one in used), file=sys.stderr)
sys.exit(code)
"""
OUTPUTS = {"score": ["scores.jsonl"], "evaluate": ["macro.json", "micro.jsonl"]}


class Times(NamedTuple):
    """Seconds that a run took."""

    wall: float
    main: float
    others: float

    @property
    def cpu(self) -> float:
        """CPU time of all processes."""
        return self.main + self.others


def write_rows(path: Path, rows: int, references: int) -> None:
    """Writes rows of sentence length for four systems."""
    words = random.Random(0)
    with open(path, "w", encoding="utf-8") as stream:
        for number in range(rows):
            if number % 4 == 0:
                source, *others = (" ".join(words.choices(WORDS, k=16)) for _ in range(1 + references))
            row = {
                "instance_id": str(number // 4),
                "summarizer_id": f"system-{number % 4}",
                "summary": " ".join(words.choices(WORDS, k=15)),
                "references": others,
                "source": source,
            }
            stream.write(json.dumps(row) + "\n")


def run(command: str, jobs: int, metrics: Sequence[str], folder: Path) -> tuple[Times, list[bytes]]:
    """Runs ``fw`` and returns its times and what it wrote."""
    words = [command, *OUTPUTS[command], "--silent", "--jobs", str(jobs), "--input-files", "rows.jsonl"]
    for metric in metrics:
        words += ["--metric", metric]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", RUN, *words], check=True, capture_output=True, text=True, cwd=folder, env=environment
    )
    times = Times(*map(float, done.stderr.splitlines()[-1].split()))
    return times, [(folder / name).read_bytes() for name in OUTPUTS[command]]


def shown(ratios: Sequence[float]) -> str:
    """Returns median, least and greatest."""
    return f"× {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--metric", action="append", help="default: sari, ter and bleu together")
    given = parser.parse_args()
    metrics = given.metric or ["sari", "ter", "bleu"]
    print(f"{given.rows:,} rows, {given.jobs} worker processes, {' '.join(metrics)}\n")
    print(f"{'references':>10}  {'command':<10}{'elapsed time':<26}{'total CPU time':<26}{'limit'}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for references in (1, 8):
            write_rows(folder / "rows.jsonl", given.rows, references)
            for command in OUTPUTS:
                pairs = []
                for _ in range(given.repetitions):
                    one, expected = run(command, 1, metrics, folder)
                    several, written = run(command, given.jobs, metrics, folder)
                    if written != expected:
                        sys.exit(f"{command}: {given.jobs} processes write other bytes than one")
                    pairs.append((one, several))
                wall = shown([one.wall / several.wall for one, several in pairs])
                cpu = shown([several.cpu / one.cpu for one, several in pairs])
                limit = shown([one.cpu / several.main for one, several in pairs])
                print(f"{references:>10}  {command:<10}{wall:<26}{cpu:<26}{limit}", flush=True)


if __name__ == "__main__":
    main()
