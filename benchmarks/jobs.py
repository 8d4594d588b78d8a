"""CPU time of several processes: ``python benchmarks/jobs.py [--before CHECKOUT] [--rows N] [--command score]``.

Runs with one process and with ``--jobs`` alternate, and must write the same bytes. The program prints median and range
over the repetitions of

- the CPU time of all processes over that of one process, and over that of ``--jobs`` of an older checkout;
- the share of the main process, which starts the others, adds up their results and writes;
- the most memory of the main process and of any other;
- the speed-up over one process that idle CPUs allow for 2 to 64 processes, *worked out* from these times. The lower
  number is one / (main + others / N), as if the other processes waited for the main process; the higher one is
  one / max(main, others / N), as if they never did. Part of the work of the main process, such as its start, is done
  while the others wait, so that the truth is in between.

``benchmarks/clusters.py`` measures the same for Ray and Dask.
"""

from __future__ import annotations

import argparse
import hashlib
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
import resource, sys
from metrics_framework.commands.app import main
code = main(sys.argv[1:])
for one in (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)):
    print(one.ru_utime + one.ru_stime, one.ru_maxrss / 1024, file=sys.stderr)
sys.exit(code)
"""
OUTPUTS = {"score": ["scores.jsonl"], "evaluate": ["macro.json", "micro.jsonl"]}
PROCESSES = (2, 4, 8, 16, 32, 64)


class Cost(NamedTuple):
    """CPU seconds and the most memory, in MB, of the main process and of the other processes together."""

    main: float
    memory: float
    others: float
    memory_of_others: float

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


def run(checkout: Path, command: str, words: Sequence[str], folder: Path) -> tuple[Cost, list[str]]:
    """Runs ``fw`` and returns its cost, and hashes of what it wrote."""
    environment = {**os.environ, "PYTHONPATH": str(checkout)}
    words = [command, *words, "--silent", "--force", "--input-files", "rows.jsonl"]
    done = subprocess.run(
        [sys.executable, "-c", RUN, *words], capture_output=True, text=True, cwd=folder, env=environment
    )
    if done.returncode:
        sys.exit(done.stderr)
    main, others = (map(float, line.split()) for line in done.stderr.splitlines()[-2:])
    return Cost(*main, *others), [hash_of(folder / name) for name in OUTPUTS[command]]


def hash_of(path: Path) -> str:
    """Returns the hash of a file, which is too large to be kept."""
    found = hashlib.blake2b()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            found.update(block)
    return found.hexdigest()


def shown(values: Sequence[float]) -> str:
    """Returns median, least and greatest."""
    return f"× {statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f})"


def measured(given: argparse.Namespace, folder: Path) -> dict[str, list[Cost]]:
    """Runs all ways in turn."""
    files = OUTPUTS[given.command]
    metrics = [word for name in given.metric or ["sari", "ter", "bleu"] for word in ("--metric", name)]
    ways = {
        "one": (ROOT, [*files, *metrics]),
        "before": (given.before, [*files, *metrics, "--jobs", str(given.jobs)]),
        "--jobs": (ROOT, [*files, *metrics, "--jobs", str(given.jobs)]),
    }
    costs: dict[str, list[Cost]] = {way: [] for way, (checkout, _) in ways.items() if checkout}
    for _ in range(given.repetitions):
        written = {}
        for way in costs:
            cost, written[way] = run(*ways[way][:1], given.command, ways[way][1], folder)
            costs[way].append(cost)
        if any(hashes != written["one"] for hashes in written.values()):
            sys.exit(f"the files differ: {written}")
    return costs


def report(costs: dict[str, list[Cost]]) -> None:
    """Prints what was measured of ``--jobs``, and the speed-ups."""
    for other in ("one", "before"):
        if other in costs:
            ratios = [mine.cpu / theirs.cpu for mine, theirs in zip(costs["--jobs"], costs[other], strict=True)]
            print(f"  CPU time over that of {other:<9}{shown(ratios)}")
    shares = [cost.main / cost.cpu for cost in costs["--jobs"]]
    print(f"  share of the main process      {statistics.median(shares):.1%} ({min(shares):.1%} to {max(shares):.1%})")
    print(f"  memory of the main process     {max(cost.memory for cost in costs['--jobs']):.0f} MB")
    print(f"  memory of another process      {max(cost.memory_of_others for cost in costs['--jobs']):.0f} MB")
    one = statistics.median(cost.cpu for cost in costs["one"])
    main = statistics.median(cost.main for cost in costs["--jobs"])
    others = statistics.median(cost.others for cost in costs["--jobs"])
    for number in PROCESSES:
        low, high = one / (main + others / number), one / max(main, others / number)
        print(f"  {number:>2} processes, worked out       × {low:.1f} to × {high:.1f}")


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--before", type=Path, help="an older checkout with built kernels")
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--references", type=int, default=2)
    parser.add_argument("--command", choices=OUTPUTS, default="evaluate")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--metric", action="append", help="default: sari, ter and bleu together")
    given = parser.parse_args()
    print(f"fw {given.command}, {given.rows:,} rows, {given.references} references, {given.jobs} processes")
    with tempfile.TemporaryDirectory() as name:
        write_rows(Path(name) / "rows.jsonl", given.rows, given.references)
        report(measured(given, Path(name)))


if __name__ == "__main__":
    main()
