"""CPU time for starting ``fw``, divided by that of ``python -c pass``: ``python benchmarks/startup.py``.

Runs the commands alternately, so that a busy machine slows all of them equally. Each time is that of a new process,
divided by that of bare Python in the same round; the output has medians and quartiles, and the limit where there is
one. The processes run in a new virtual environment, because an editable installation adds imports to each start. With
``--before CHECKOUT``, an older checkout runs in turns, and its ratios are printed beside ours. Start it twice: the
first run compiles modules.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sysconfig
import tempfile
import venv
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "datasets" / "simplification"
BARE = ["-c", "pass"]
LIMITS = {"fw --help": 5, "fw sari evaluate --help": 8, "fw ter evaluate, 2 lines of text": 11}
"""The greatest ratio that a command may have."""


def commands(folder: Path) -> dict[str, list[str]]:
    """Writes small files into a folder, and returns the commands to measure: their arguments by name."""
    lines = (DATA / "outputs.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)[:100]
    rows, tiny, text, references = (str(folder / name) for name in ("rows.jsonl", "tiny.jsonl", "out.txt", "ref.txt"))
    Path(rows).write_text("".join(lines), encoding="utf-8")
    Path(tiny).write_text("".join(lines[:2]), encoding="utf-8")
    Path(text).write_text("a cat sat\nthe dog\n", encoding="utf-8")
    Path(references).write_text("the cat sat\na dog\n", encoding="utf-8")
    fw = ["-m", "metrics_framework"]
    return {
        "fw --help": [*fw, "--help"],
        "fw sari evaluate --help": [*fw, "sari", "evaluate", "--help"],
        "fw ter evaluate, 2 lines of text": [*fw, "ter", "evaluate", "--outputs", text, "--references", references],
        "fw ter evaluate, 2 rows": [*fw, "ter", "evaluate", "--input-files", tiny],
        "fw correlate --help": [*fw, "correlate", "--help"],
        'fw.load("ter")': ["-c", "import metrics_framework as fw; fw.load('ter')"],
        "fw sari evaluate, 100 rows": [*fw, "sari", "evaluate", "--input-files", rows],
        "import argparse, json, typing": ["-c", "import argparse, json, typing"],
        "import numpy": ["-c", "import numpy"],
        "import scipy.stats": ["-c", "import scipy.stats"],
    }


def cpu(python: Path, words: list[str], tree: Path = ROOT) -> float:
    """Returns the CPU seconds, user and system, of one run of Python in a checkout."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPATH"] = sysconfig.get_path("platlib")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([python, *words], check=True, capture_output=True, cwd=tree, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0], allow_abbrev=False)
    parser.add_argument("rounds", nargs="?", type=int, default=15)
    parser.add_argument("--before", type=Path, metavar="CHECKOUT", help="an older checkout, with its kernels built")
    arguments = parser.parse_args()
    trees = [ROOT, *([arguments.before.resolve()] if arguments.before else [])]
    with tempfile.TemporaryDirectory() as folder:
        venv.create(Path(folder, "env"))
        python, named = Path(folder, "env", "bin", "python"), commands(Path(folder))
        ratios: dict[str, list[list[float]]] = {name: [] for name in named}
        for _ in range(arguments.rounds):
            bare = statistics.mean(cpu(python, BARE) for _ in range(3))
            for name, words in named.items():
                ratios[name].append([cpu(python, words, tree) / bare for tree in trees])
    print(f"{'CPU / bare Python':34}{'now':>8}{'quartiles':>14}{'before':>10}{'quartiles':>14}{'limit':>7}")
    for name, runs in ratios.items():
        columns = [_median_and_quartiles(ratio) for ratio in zip(*runs, strict=True)] + [""] * (2 - len(trees))
        print(f"{name:34}{columns[0]:>22}{columns[1]:>24}{LIMITS.get(name, ''):>7}")


def _median_and_quartiles(values: Sequence[float]) -> str:
    low, middle, high = statistics.quantiles(values, n=4)
    return f"{middle:.2f}{f'{low:.2f} – {high:.2f}':>14}"


if __name__ == "__main__":
    main()
