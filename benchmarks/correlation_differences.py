"""Times permutation tests of the difference between two metrics against nlpstats, on the same random matrices.

Run it with ``python benchmarks/correlation_differences.py``. It checks that both find the same difference, then prints
how many times more CPU time nlpstats takes, as the median and the range over repetitions in turns. nlpstats is timed
with fewer resamples, and its time is scaled up. It also times the matrix of many metrics.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
from nlpstats.correlations import correlate
from nlpstats.correlations.permutation import permutation_test
from timing import in_turns, ratios, spread

from metrics_framework.common.arrays import Floats
from metrics_framework.meta_evaluation import difference, difference_matrix

NAMES = {"pearson": "pearson", "spearman": "spearman", "kendall": "kendall-b"}
CASES = (
    ("input", "pearson", "systems"),
    ("input", "pearson", "inputs"),
    ("input", "kendall", "systems"),
    ("input", "kendall", "inputs"),
    ("global", "pearson", "systems"),
    ("global", "spearman", "systems"),
    ("global", "kendall", "systems"),
    ("system", "pearson", "systems"),
    ("system", "spearman", "systems"),
    ("system", "kendall", "systems"),
)


def scores(systems: int, inputs: int, metrics: int = 2) -> tuple[Floats, list[Floats]]:
    """Makes ratings on a scale with ties, and metrics that follow them loosely."""
    generator = np.random.default_rng(0)
    quality = generator.normal(size=(systems, 1)) + generator.normal(size=(systems, inputs))
    human = np.round(2 * quality) / 2
    return human, [quality + generator.normal(size=quality.shape) for _ in range(metrics)]


def check(level: str, key: str, human: Floats, metrics: list[Floats]) -> None:
    """Ends the program when the two disagree."""
    mine = difference(human, metrics[0], metrics[1], NAMES[key], level=level, test="inputs", resamples=10).difference
    theirs = correlate(metrics[0], human, level, key) - correlate(metrics[1], human, level, key)
    if abs(mine - theirs) > 1e-9:
        raise SystemExit(f"{level} {key}: ours is {mine}, nlpstats says {theirs}")


def compare(
    case: tuple[str, str, str], human: Floats, metrics: list[Floats], resamples: int, fewer: int, repetitions: int
) -> list[float]:
    """Returns how many times longer nlpstats takes, once a repetition."""
    level, key, scheme = case
    check(level, key, human, metrics)
    tasks = {
        "ours": lambda: difference(
            human, metrics[0], metrics[1], NAMES[key], level=level, test=scheme, resamples=resamples
        ),
        "theirs": lambda: permutation_test(metrics[0], metrics[1], human, level, key, scheme, n_resamples=fewer),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        seconds = in_turns(tasks, repetitions)
    return [ratio * resamples / fewer for ratio in ratios(seconds["theirs"], seconds["ours"])]


def main() -> None:
    """Prints one line per case."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--systems", type=int, default=15)
    parser.add_argument("--inputs", type=int, default=1000)
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument("--peer-resamples", type=int, default=5, help="resamples of nlpstats (default: %(default)s)")
    parser.add_argument("--metrics", type=int, default=20, help="metrics of the matrix (default: %(default)s)")
    parser.add_argument("--repetitions", type=int, default=3)
    arguments = parser.parse_args()
    human, metrics = scores(arguments.systems, arguments.inputs, arguments.metrics)
    print(f"{arguments.systems} systems x {arguments.inputs} inputs, {arguments.resamples} arrangements")
    print("CPU time of nlpstats / ours: median (least to greatest)")
    for case in CASES:
        found = compare(case, human, metrics, arguments.resamples, arguments.peer_resamples, arguments.repetitions)
        level, key, scheme = case
        print(f"{level:7} {key:9} {scheme:8} {spread(found)}", flush=True)
    print(f"CPU seconds of a matrix of {arguments.metrics} metrics")
    table = {str(index): metric for index, metric in enumerate(metrics)}
    for level, name, test in (
        ("input", "pearson", "inputs"),
        ("input", "acc-eq", "inputs"),
        ("global", "pearson", "cells"),
        ("global", "kendall-b", "inputs"),
        ("system", "spa", "systems"),
    ):
        start = time.process_time()
        difference_matrix(human, table, name, level=level, test=test, resamples=arguments.resamples)
        print(f"{level:7} {name:9} {test:8} {time.process_time() - start:.1f}", flush=True)


if __name__ == "__main__":
    main()
