"""CPU time and memory of intervals: ``python benchmarks/poisson.py [--rows N …] [--metric NAME …] [--repetitions N]``.

``fw evaluate`` runs without intervals, with draws and with ``--resampling poisson``, in turns. The program prints, for
each number of rows, the CPU time and the memory of both kinds of intervals relative to a run without them, and how far
the ends of the intervals of the two kinds are apart.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from jobs import shown, write_rows
from streaming import ROOT

RUN = """
import resource, sys
from metrics_framework.commands.app import main
code = main(sys.argv[1:])
used = resource.getrusage(resource.RUSAGE_SELF)
print(used.ru_utime + used.ru_stime, used.ru_maxrss, file=sys.stderr)
sys.exit(code)
"""
KINDS = {"none": ["--no-confidence"], "draws": ["--confidence"], "poisson": ["--resampling", "poisson"]}


class Used(NamedTuple):
    """What a run used: seconds of CPU time, and kilobytes of memory."""

    cpu: float
    memory: float


def run(kind: str, metrics: Sequence[str], folder: Path) -> tuple[Used, dict[str, Any]]:
    """Runs ``fw`` in one process, with one thread of BLAS; returns what it used, and its macro file."""
    words = ["evaluate", "macro.json", "--silent", "--input-files", "rows.jsonl", *KINDS[kind], "--metric", *metrics]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", RUN, *words], check=True, capture_output=True, text=True, cwd=folder, env=environment
    )
    return Used(*map(float, done.stderr.split()[-2:])), json.loads((folder / "macro.json").read_text())


def distances(one: dict[str, Any], other: dict[str, Any]) -> list[float]:
    """Returns how far the ends of intervals are apart, of the first score of each metric."""
    return [
        abs(end - other_end)
        for system, intervals in one["intervals"]["systems"].items()
        for name, ends in intervals.items()
        if name in one["signature"]
        for end, other_end in zip(ends, other["intervals"]["systems"][system][name], strict=True)
    ]


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, nargs="+", default=[20_000, 80_000])
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--metric", nargs="+", default=["ter", "bleu"])
    given = parser.parse_args()
    print(f"{' '.join(given.metric)}, 1,000 resamples and trials; relative to a run without intervals\n")
    print(
        f"{'rows':>9}  {'CPU, draws':<26}{'CPU, poisson':<26}{'memory, draws':<15}{'memory, poisson':<17}{'ends apart'}"
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for rows in given.rows:
            write_rows(folder / "rows.jsonl", rows, 1)
            turns: dict[str, list[Used]] = {kind: [] for kind in KINDS}
            macros: dict[str, dict[str, Any]] = {}
            for _ in range(given.repetitions):
                for kind in KINDS:
                    used, macros[kind] = run(kind, given.metric, folder)
                    turns[kind].append(used)
            cells = []
            for kind in ("draws", "poisson"):
                pairs = zip(turns[kind], turns["none"], strict=True)
                cells.append(shown([one.cpu / none.cpu for one, none in pairs]))
            for kind in ("draws", "poisson"):
                pairs = zip(turns[kind], turns["none"], strict=True)
                cells.append(f"× {statistics.median(one.memory / none.memory for one, none in pairs):.2f}")
            apart = f"{max(distances(macros['draws'], macros['poisson'])):.3f} points or less"
            print(f"{rows:>9,}  {cells[0]:<26}{cells[1]:<26}{cells[2]:<15}{cells[3]:<17}{apart}", flush=True)


if __name__ == "__main__":
    main()
