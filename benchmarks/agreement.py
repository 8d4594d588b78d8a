"""Times Krippendorff's alpha with a bootstrap interval against the package krippendorff, on the same ratings.

Run it with ``python benchmarks/agreement.py``. Both compute alpha of the ratings and of the same resamples of outputs;
the program checks that all values are equal, then prints how many times more CPU time the package takes for a resample,
as the median and the range over repetitions in turns. Then it prints how many times longer alpha and its interval take
for twice the outputs of two raters, if all ratings differ.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import krippendorff
import numpy as np
from timing import ratios, spread

from metrics_framework.common.arrays import Floats
from metrics_framework.meta_evaluation.rater_agreement.agreement_coefficients import KrippendorffAlpha, agreement
from metrics_framework.significance.clusters import Clusters, drawn_weights

RATERS, OUTPUTS, OURS, THEIRS, REPETITIONS = 15, 600, 1000, 10, 5
MANY = 25_000


def ratings(raters: int, outputs: int) -> Floats:
    """Makes ratings from 0 to 100 that follow a quality, a tenth of them missing."""
    generator = np.random.default_rng(0)
    values = np.clip(50 + 20 * generator.normal(size=outputs) + 20 * generator.normal(size=(raters, outputs)), 0, 100)
    return np.where(generator.random(values.shape) < 0.1, np.nan, np.round(values))


def ours(values: Floats, level: str, resamples: int) -> Floats:
    """Computes alpha in resamples, counting and drawing included."""
    alpha = KrippendorffAlpha(values, level)
    return np.concatenate(
        [alpha.estimates(block) for (block,) in drawn_weights([Clusters.of(None, values.shape[1])], resamples, 0, 500)]
    )


def theirs(values: Floats, level: str, resamples: int) -> Floats:
    """Computes alpha in the same resamples, one by one."""
    blocks = (block for (block,) in drawn_weights([Clusters.of(None, values.shape[1])], resamples, 0, 500))
    drawn = [np.repeat(values, weights.astype(int), axis=1) for block in blocks for weights in block]
    return np.array([krippendorff.alpha(reliability_data=one, level_of_measurement=level) for one in drawn])


def seconds(function: Callable[[Floats, str, int], Floats], *arguments: object) -> tuple[float, Floats]:
    """Returns the CPU time per resample, and the result."""
    start = time.process_time()
    result = function(*arguments)  # type: ignore[arg-type]
    return (time.process_time() - start) / len(result), result


def seconds_of_different_ratings(outputs: int, level: str) -> float:
    """Returns the CPU time of alpha and its interval for two raters whose ratings are all different."""
    values = np.random.default_rng(0).random((2, outputs))
    start = time.process_time()
    agreement(values, "krippendorff", weights=level)
    return time.process_time() - start


def main() -> None:
    """Compares all levels of measurement."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--outputs", type=int, default=OUTPUTS)
    parser.add_argument("--many", type=int, default=MANY, help="number of outputs, of which twice as many are timed")
    parser.add_argument("--raters", type=int, default=RATERS)
    parser.add_argument("--repetitions", type=int, default=REPETITIONS)
    arguments = parser.parse_args()
    values = ratings(arguments.raters, arguments.outputs)
    print(f"{arguments.raters} raters, {arguments.outputs} outputs; CPU time of krippendorff / ours, per resample")
    for level in KrippendorffAlpha.all_weights:
        above, below = [], []
        for _ in range(arguments.repetitions):
            other, expected = seconds(theirs, values, level, THEIRS)
            mine, found = seconds(ours, values, level, OURS)
            if np.abs(found[:THEIRS] - expected).max() > 1e-9:
                raise SystemExit(f"{level}: ours are {found[:THEIRS]}, theirs {expected}")
            above.append(other)
            below.append(mine)
        print(f"{level:10} × {spread(ratios(above, below))}")
    for level in ("nominal", "ordinal", "interval"):  # "ratio" compares all pairs of different ratings
        once, twice = (seconds_of_different_ratings(outputs, level) for outputs in (arguments.many, 2 * arguments.many))
        print(f"twice {arguments.many} outputs, {level:10} × {twice / once:.2f}")


if __name__ == "__main__":
    main()
