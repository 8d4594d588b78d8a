"""CPU time for starting ``fw``, in milliseconds over that of ``python -c pass``: ``python benchmarks/startup.py``.

Runs the commands alternately, so that a busy machine slows all of them equally. Each time is that of a new process less
that of bare Python in the same round; the output has medians and quartiles. With ``--before CHECKOUT``, an older
checkout runs in turns, and the last columns divide its time by ours. Start it twice: the first run compiles modules.
"""

from __future__ import annotations

import argparse
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


def commands(rows: str, tiny: str) -> dict[str, list[str]]:
    """Returns the commands to measure: their arguments by name."""
    fw = ["-m", "metrics_framework"]
    return {
        "fw --help": [*fw, "--help"],
        "fw sari evaluate --help": [*fw, "sari", "evaluate", "--help"],
        "fw ter evaluate, 2 rows": [*fw, "ter", "evaluate", "--input-files", tiny],
        "fw correlate --help": [*fw, "correlate", "--help"],
        'fw.load("ter")': ["-c", "import metrics_framework as fw; fw.load('ter')"],
        "fw sari evaluate, 100 rows": [*fw, "sari", "evaluate", "--input-files", rows],
        "import argparse, json, typing": ["-c", "import argparse, json, typing"],
        "import numpy": ["-c", "import numpy"],
        "import scipy.stats": ["-c", "import scipy.stats"],
    }


def cpu(words: list[str], tree: Path = ROOT) -> float:
    """Returns the CPU milliseconds, user and system, of one run of Python in a checkout."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *words], check=True, capture_output=True, cwd=tree, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0], allow_abbrev=False)
    parser.add_argument("rounds", nargs="?", type=int, default=15)
    parser.add_argument("--before", type=Path, metavar="CHECKOUT", help="an older checkout, with its kernels built")
    arguments = parser.parse_args()
    trees = [ROOT, *([arguments.before.resolve()] if arguments.before else [])]
    lines = (DATA / "outputs.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)[:100]
    with tempfile.TemporaryDirectory() as folder:
        rows, tiny = Path(folder, "rows.jsonl"), Path(folder, "tiny.jsonl")
        rows.write_text("".join(lines), encoding="utf-8")
        tiny.write_text("".join(lines[:2]), encoding="utf-8")
        named = commands(str(rows), str(tiny))
        times: dict[str, list[list[float]]] = {name: [] for name in named}
        for _ in range(arguments.rounds):
            bare = statistics.mean(cpu(BARE) for _ in range(3))
            for name, words in named.items():
                times[name].append([max(0.1, cpu(words, tree) - bare) for tree in trees])
    print(f"{'CPU over bare Python':34}{'ms':>8}{'quartiles':>16}" + ("   before ×" if arguments.before else ""))
    for name, runs in times.items():
        line = f"{name:34}{_median_and_quartiles([run[0] for run in runs])}"
        if arguments.before:
            line += _median_and_quartiles([run[1] / run[0] for run in runs])
        print(line)


def _median_and_quartiles(values: list[float]) -> str:
    low, middle, high = statistics.quantiles(values, n=4)
    return f"{middle:8.1f}{f'{low:.1f} – {high:.1f}':>16}"


if __name__ == "__main__":
    main()
