"""CPU time for starting ``fw``, relative to starting Python with ``python -c pass``.

Runs the commands alternately, so that a busy machine slows all of them equally, and prints the median of the ratios
with quartiles: ``python benchmarks/startup.py [rounds]``.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "datasets" / "simplification"
BARE = ["-c", "pass"]


def commands(rows: str) -> dict[str, list[str]]:
    """Returns the commands to measure: their arguments by name."""
    return {
        "import argparse, json, typing": ["-c", "import argparse, json, typing"],
        "fw --help": ["-m", "metrics_framework", "--help"],
        "fw sari evaluate --help": ["-m", "metrics_framework", "sari", "evaluate", "--help"],
        "fw correlate --help": ["-m", "metrics_framework", "correlate", "--help"],
        "fw sari evaluate, 100 rows": ["-m", "metrics_framework", "sari", "evaluate", "--input-files", rows],
        "import numpy": ["-c", "import numpy"],
        "import scipy.stats": ["-c", "import scipy.stats"],
    }


def cpu(words: list[str]) -> float:
    """Returns the CPU seconds, user and system, of one run of Python."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=ROOT)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Measures and prints."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    lines = (DATA / "outputs.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)[:100]
    with tempfile.TemporaryDirectory() as folder:
        rows = os.path.join(folder, "rows.jsonl")
        Path(rows).write_text("".join(lines), encoding="utf-8")
        named = commands(rows)
        for words in named.values():
            cpu(words)
        ratios: dict[str, list[float]] = {name: [] for name in named}
        for _ in range(rounds):
            bare = statistics.mean(cpu(BARE) for _ in range(3))
            for name, words in named.items():
                ratios[name].append(cpu(words) / bare)
    print(f"{'CPU time relative to bare Python':34}{'median':>8}{'quartiles':>16}")
    for name, values in ratios.items():
        low, middle, high = statistics.quantiles(values, n=4)
        print(f"{name:34}{middle:8.1f}{f'{low:.1f} – {high:.1f}':>16}")


if __name__ == "__main__":
    main()
