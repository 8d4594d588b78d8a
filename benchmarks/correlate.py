"""Times bootstrap intervals of correlations against nlpstats, on the same random matrix and the same draws.

Run it with ``python benchmarks/correlate.py``. It checks that both give the same coefficients and the same intervals,
then prints how many times more CPU time nlpstats takes, as the median and the range over repetitions in turns. As
nlpstats takes minutes at the input level, it computes only the first resamples there (``--peer-resamples``), and its
time is scaled to all of them; its time is proportional to their number.

``--sizes`` times our intervals alone: all coefficients and levels on matrices of many systems or many inputs.
"""

from __future__ import annotations

import argparse
import statistics
import time
import warnings
from collections.abc import Callable, Iterator
from typing import cast

import numpy as np
from nlpstats.correlations import bootstrap as nlpstats_bootstrap
from nlpstats.correlations import correlate as nlpstats_correlate

from metrics_framework.common.arrays import Floats
from metrics_framework.meta_evaluation import coefficient, resampled
from metrics_framework.meta_evaluation.choices import CoefficientOptions, Level
from metrics_framework.meta_evaluation.coefficients.lookup import load_coefficient
from metrics_framework.meta_evaluation.groups.score_pair import ScorePair
from metrics_framework.meta_evaluation.intervals import IntervalRequest, shared_intervals

SYSTEMS, INPUTS, RESAMPLES, PEER_RESAMPLES, REPETITIONS = 15, 1000, 1000, 4, 3
LEVELS: tuple[Level, ...] = ("input", "system", "global")
NAMES = ("pearson", "spearman", "kendall")
"""The names of nlpstats, which are ours or aliases."""
SIZES = ((1500, 4), (40, 2000))

Interval = tuple[float, float]


def scores(systems: int, inputs: int) -> tuple[Floats, Floats]:
    """Makes a metric, and ratings on a scale with ties that it follows loosely."""
    generator = np.random.default_rng(0)
    quality = generator.normal(size=(systems, 1)) + generator.normal(size=(systems, inputs))
    return quality + generator.normal(size=quality.shape), np.round(2 * quality) / 2


def weights(shape: tuple[int, ...], count: int) -> Iterator[tuple[Floats, Floats]]:
    """Draws rows and columns as nlpstats does, from NumPy's older generator, in blocks of weights."""
    stream = np.random.RandomState(0)
    for start in range(0, count, 500):
        drawn = tuple(np.zeros((min(500, count - start), size)) for size in shape)
        for index in range(len(drawn[0])):
            for one, size in zip(drawn, shape, strict=True):
                one[index] = np.bincount(stream.choice(size, size), minlength=size)
        yield drawn[0], drawn[1]


def ours(level: str, name: str, x: Floats, z: Floats, resamples: int) -> Interval:
    """Makes an interval of ours, drawing included."""
    values = [
        resampled(z, x, name, level=level, rows=rows, columns=columns) for rows, columns in weights(x.shape, resamples)
    ]
    lower, upper = np.percentile(np.concatenate(values), [2.5, 97.5])
    return float(lower), float(upper)


def theirs(level: str, name: str, x: Floats, z: Floats, resamples: int) -> Interval:
    """Makes an interval of nlpstats."""
    np.random.seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = nlpstats_bootstrap(x, z, level, name, "both", n_resamples=resamples)
    return float(found.lower), float(found.upper)


def timed(function: Callable[[], Interval]) -> tuple[float, Interval]:
    """Runs a function and returns its CPU time and its result."""
    start = time.process_time()
    result = function()
    return time.process_time() - start, result


def check(level: str, name: str, data: tuple[Floats, Floats], resamples: int) -> None:
    """Ends the program when the two disagree on the first resamples."""
    x, z = data
    expected = nlpstats_correlate(x, z, level, name)
    found = coefficient(z, x, name, level=cast("Level", level), ci="none").value
    if abs(found - expected) > 1e-9:
        raise SystemExit(f"{level} {name}: ours is {found}, nlpstats says {expected}")
    mine, other = ours(level, name, x, z, resamples), theirs(level, name, x, z, resamples)
    if max(abs(a - b) for a, b in zip(mine, other, strict=True)) > 1e-9:
        raise SystemExit(f"{level} {name}: our interval is {mine}, that of nlpstats {other}")


def compare(level: str, name: str, data: tuple[Floats, Floats], arguments: argparse.Namespace) -> list[float]:
    """Returns how many times longer nlpstats takes, once a repetition."""
    fewer = min(arguments.peer_resamples, arguments.resamples) if level == "input" else arguments.resamples
    check(level, name, data, min(fewer, 20))
    ratios = []
    for _ in range(arguments.repetitions):
        seconds, _ = timed(lambda: ours(level, name, *data, arguments.resamples))
        other_seconds, _ = timed(lambda: theirs(level, name, *data, fewer))
        ratios.append(other_seconds * arguments.resamples / fewer / seconds)
    return ratios


def time_sizes(resamples: int) -> None:
    """Prints the CPU time of our intervals of all coefficients and levels, one line for each size and method."""
    for systems, inputs in SIZES:
        metric, human = scores(systems, inputs)
        wanted = {(level, name): (load_coefficient(name), CoefficientOptions()) for level in LEVELS for name in NAMES}
        for method in ("default", "bootstrap-both"):
            start = time.process_time()
            scored = ScorePair(human, metric)
            methods = {
                key: one.default_interval(key[0]) if method == "default" else method for key, (one, _) in wanted.items()
            }
            for chosen in dict.fromkeys(methods.values()):
                of_method = {key: one for key, one in wanted.items() if methods[key] == chosen}
                shared_intervals([(scored, of_method)], IntervalRequest(chosen, resamples=resamples))
            seconds = time.process_time() - start
            print(f"{systems} systems x {inputs} inputs, {method}: {seconds:.2f} s of CPU", flush=True)


def main() -> None:
    """Prints one line a level and coefficient."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--systems", type=int, default=SYSTEMS)
    parser.add_argument("--inputs", type=int, default=INPUTS)
    parser.add_argument("--resamples", type=int, default=RESAMPLES)
    parser.add_argument("--peer-resamples", type=int, default=PEER_RESAMPLES, help="of nlpstats, at the input level")
    parser.add_argument("--repetitions", type=int, default=REPETITIONS)
    parser.add_argument("--sizes", action="store_true", help="time our intervals of other sizes instead")
    arguments = parser.parse_args()
    if arguments.sizes:
        time_sizes(arguments.resamples)
        return
    data = scores(arguments.systems, arguments.inputs)
    print(f"{arguments.systems} systems x {arguments.inputs} inputs, {arguments.resamples} resamples of both")
    print("CPU time of nlpstats / ours: median (least to greatest)")
    for level in LEVELS:
        for name in NAMES:
            ratios = compare(level, name, data, arguments)
            spread = f"{statistics.median(ratios):7.1f}  ({min(ratios):.1f} to {max(ratios):.1f})"
            print(f"{level:7} {name:9} {spread}", flush=True)


if __name__ == "__main__":
    main()
