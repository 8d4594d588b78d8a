"""Times bootstrap intervals of correlations against nlpstats, on the same random matrix and the same draws.

Run it with ``python benchmarks/correlate.py``. It checks that both give the same coefficients and the same intervals,
then prints how many times more CPU time nlpstats takes, as the median and the range over repetitions in turns.
"""

from __future__ import annotations

import argparse
import statistics
import time
import warnings
from collections.abc import Callable, Iterator

import numpy as np
from nlpstats.correlations import bootstrap as nlpstats_bootstrap
from nlpstats.correlations import correlate as nlpstats_correlate

from metrics_framework.meta_evaluation import coefficient
from metrics_framework.meta_evaluation.intervals.bootstrap import Resample, bootstrap, percentile_interval
from metrics_framework.meta_evaluation.settings import COEFFICIENTS, LEVELS
from metrics_framework.significance.arrays import Floats

SYSTEMS, INPUTS, RESAMPLES, REPETITIONS = 15, 200, 100, 3

Interval = tuple[float, float]


def scores(systems: int, inputs: int) -> tuple[Floats, Floats]:
    """Makes ratings on a scale with ties, and a metric that follows them loosely."""
    generator = np.random.default_rng(0)
    quality = generator.normal(size=(systems, 1)) + generator.normal(size=(systems, inputs))
    return quality + generator.normal(size=quality.shape), np.round(2 * quality) / 2


def value(level: str, name: str, x: Floats, z: Floats) -> float:
    """Computes a coefficient of ours."""
    return coefficient(z, x, "kendall-b" if name == "kendall" else name, level=level)


def draws(shape: tuple[int, ...], count: int) -> Iterator[Resample]:
    """Draws rows and columns as nlpstats does, from NumPy's older generator."""
    stream = np.random.RandomState(0)
    for _ in range(count):
        yield stream.choice(shape[0], shape[0]), stream.choice(shape[1], shape[1])


def ours(level: str, name: str, x: Floats, z: Floats, resamples: int) -> Interval:
    """Makes an interval of ours, drawing included."""
    values = bootstrap(x, z, draws(x.shape, resamples), [level], [name])
    interval = percentile_interval(values[level, name], 0.025)
    if interval is None:
        raise SystemExit(f"no resample defines {name} at the {level} level")
    return interval


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


def check(level: str, name: str, data: tuple[Floats, Floats], mine: Interval, other: Interval) -> None:
    """Ends the program when the two disagree."""
    expected = nlpstats_correlate(*data, level, name)
    found = value(level, name, *data)
    if abs(found - expected) > 1e-9:
        raise SystemExit(f"{level} {name}: ours is {found}, nlpstats says {expected}")
    if max(abs(a - b) for a, b in zip(mine, other, strict=True)) > 1e-9:
        raise SystemExit(f"{level} {name}: our interval is {mine}, that of nlpstats {other}")


def compare(level: str, name: str, data: tuple[Floats, Floats], resamples: int, repetitions: int) -> list[float]:
    """Returns how many times longer nlpstats takes, once a repetition."""
    ours(level, name, *data, 2)
    ratios = []
    for _ in range(repetitions):
        seconds, mine = timed(lambda: ours(level, name, *data, resamples))
        other_seconds, other = timed(lambda: theirs(level, name, *data, resamples))
        check(level, name, data, mine, other)
        ratios.append(other_seconds / seconds)
    return ratios


def main() -> None:
    """Prints one line a level and coefficient."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--systems", type=int, default=SYSTEMS)
    parser.add_argument("--inputs", type=int, default=INPUTS)
    parser.add_argument("--resamples", type=int, default=RESAMPLES)
    parser.add_argument("--repetitions", type=int, default=REPETITIONS)
    arguments = parser.parse_args()
    data = scores(arguments.systems, arguments.inputs)
    print(f"{arguments.systems} systems x {arguments.inputs} inputs, {arguments.resamples} resamples of both")
    print("CPU time of nlpstats / ours: median (least to greatest)")
    for level in LEVELS:
        for name in COEFFICIENTS:
            ratios = compare(level, name, data, arguments.resamples, arguments.repetitions)
            spread = f"{statistics.median(ratios):7.1f}  ({min(ratios):.1f} to {max(ratios):.1f})"
            print(f"{level:7} {name:9} {spread}", flush=True)


if __name__ == "__main__":
    main()
