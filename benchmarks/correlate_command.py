"""Times ``fw correlate`` on the scores of many metrics, as a whole command.

Run it with ``python benchmarks/correlate_command.py`` (some minutes); ``--only`` selects cases by the start of their
names. The scores are drawn at random: 20 metrics of 15 systems on 2,000 inputs, and 32 metrics of three language pairs
as large as those of WMT 2023. Human scores and every third metric have ties. With ``--before CHECKOUT``, an older
checkout runs in turns, and its CPU time is divided by ours; a run that takes longer than ``--limit`` seconds counts as
that long.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from timing import spread

ROOT = Path(__file__).resolve().parent.parent
PAIRS = {"en-de": (12, 460), "he-en": (13, 820), "zh-en": (15, 1177)}
"""Language pair to its numbers of systems and segments, which have MQM ratings."""


class Case(NamedTuple):
    """A run.

    Attributes:
        name: What it computes.
        file: The file of scores.
        words: The flags.
    """

    name: str
    file: str
    words: str


CASES = (
    Case("no test", "matrix", ""),
    Case("all levels and coefficients, default tests", "matrix", "--test"),
    *(
        Case(f"one test: {level}, {name}", "matrix", f"--test --ci none --level {level} --coefficient {name}")
        for level in ("input", "system", "global")
        for name in ("pearson", "spearman", "kendall-b")
    ),
    Case("SPA, 32 metrics, one language pair", "zh-en", "--test --ci none --level system --coefficient spa"),
    Case("preset wmt23, three language pairs", "pairs", "--test --ci none --preset wmt23 --task-column lp"),
)


def write_scores(path: Path, sets: dict[str, tuple[int, int]], metrics: int) -> None:
    """Writes a row of scores for each output of each data set.

    Args:
        path: The file.
        sets: Data set to its numbers of systems and inputs.
        metrics: The number of metrics.
    """
    generator = np.random.default_rng(5)
    with path.open("w", encoding="utf-8") as file:
        for name, (systems, inputs) in sets.items():
            quality = 0.5 * generator.normal(size=(systems, 1)) + generator.normal(size=(systems, inputs))
            human = np.round(4 * quality) / 4
            noise = generator.normal(size=(metrics, systems, inputs))
            scores = quality + np.linspace(0.5, 3, metrics)[:, None, None] * noise
            scores[::3] = np.round(4 * scores[::3]) / 4
            for system in range(systems):
                for number in range(inputs):
                    of_metrics = {f"m{metric}": float(scores[metric, system, number]) for metric in range(metrics)}
                    row = {"instance_id": str(number), "summarizer_id": f"s{system}", "lp": name}
                    row_scores = {**of_metrics, "human": float(human[system, number])}
                    file.write(json.dumps({**row, "metrics": row_scores}) + "\n")


def cpu_seconds(tree: Path, words: Sequence[str], limit: float) -> float:
    """Returns the CPU time of a run of ``fw`` from a checkout; `limit` if it takes longer."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "metrics_framework", *words]
    process = subprocess.Popen(command, cwd=tree, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        _, errors = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return limit
    if process.returncode:
        raise SystemExit(f"{' '.join(words)}: {errors.decode()}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Runs the cases."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0], allow_abbrev=False)
    parser.add_argument("--before", type=Path, metavar="CHECKOUT", help="an older checkout, with its kernels built")
    parser.add_argument("--only", nargs="+", default=[""], metavar="NAME", help="cases that start with these words")
    parser.add_argument("--metrics", type=int, default=20, help="metrics of the matrix (default: %(default)s)")
    parser.add_argument("--inputs", type=int, default=2000, help="inputs of the matrix (default: %(default)s)")
    parser.add_argument("--wmt-metrics", type=int, default=32, help="metrics of the pairs (default: %(default)s)")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--limit", type=float, default=300, help="seconds of a run (default: %(default)s)")
    arguments = parser.parse_args()
    trees = [ROOT, *([arguments.before.resolve()] if arguments.before else [])]
    with tempfile.TemporaryDirectory() as folder:
        metrics = {"matrix": arguments.metrics, "pairs": arguments.wmt_metrics, "zh-en": arguments.wmt_metrics}
        sets = {"matrix": {"": (15, arguments.inputs)}, "pairs": PAIRS, "zh-en": {"zh-en": PAIRS["zh-en"]}}
        for name, data_sets in sets.items():
            write_scores(Path(folder, f"{name}.jsonl"), data_sets, metrics[name])
        for case in CASES:
            if not case.name.startswith(tuple(arguments.only)):
                continue
            flags = [word for number in range(metrics[case.file]) for word in ("--metric", f"m{number}")]
            words = ["correlate", f"{folder}/{case.file}.jsonl", *flags, "--human", "human", *case.words.split()]
            runs = [[cpu_seconds(tree, words, arguments.limit) for tree in trees] for _ in range(arguments.repetitions)]
            line = f"{case.name}: {spread([run[0] for run in runs])} s"
            if arguments.before:
                before = statistics.median(run[1] for run in runs)
                least = "at least " if before >= arguments.limit else ""
                line += f"; before {least}× {spread([run[1] / run[0] for run in runs])}"
            print(line, flush=True)


if __name__ == "__main__":
    main()
