"""Times sums over pairs of weighted points: CPU time per resample of the native kernel, and of its Python twin over it.

Run it with ``python benchmarks/weighted_points.py``. It first checks that both give equal sums. The points are the
scores of 15 systems on 2,000 inputs. Swaps of inputs or systems double them: each point has weight 0 or 1. Bootstraps
draw inputs, systems or both. Ratings and metrics have distinct values, or 20 to 40 different ones. The twin is timed
with fewer resamples, and its time is scaled up.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from functools import partial
from typing import NamedTuple
from unittest import mock

import numpy as np
from timing import in_turns, ratios, spread

from metrics_framework.common.arrays import Floats
from metrics_framework.kernels import dispatch
from metrics_framework.kernels.python.weighted_points import Wanted
from metrics_framework.meta_evaluation.groups.weighted_groups import EQUAL, Cells, Codes, PointSums, point_sums

SYSTEMS, INPUTS, RESAMPLES, TWIN_RESAMPLES, REPETITIONS = 15, 2000, 1000, 16, 3
DRAWS = ("swaps of inputs", "swaps of systems", "bootstrap of inputs", "bootstrap of systems", "bootstrap of both")
WANTED = {
    "pairs": Wanted.PAIRS,
    "ranks": Wanted.RANKS,
    "pairs and ranks": Wanted.PAIRS | Wanted.RANKS,
}


class Case(NamedTuple):
    """Cells, with the weights of rows and columns in every resample."""

    cells: Cells
    rows: Codes
    columns: Codes

    def sums(self, wanted: Wanted, resamples: int) -> PointSums:
        """Sums over the pairs of cells in the first resamples."""
        points, columns = self.cells.sorted_points(EQUAL)
        return point_sums(points, columns, self.rows[:resamples], self.columns[:resamples], wanted)


def scores(systems: int, inputs: int, ties: bool) -> tuple[Floats, Floats, Floats]:
    """Makes ratings, and two metrics that follow them loosely."""
    generator = np.random.default_rng(0)
    quality = generator.normal(size=(systems, inputs))
    human, first, second = (quality + generator.normal(size=quality.shape) for _ in range(3))
    return (
        (np.round(4 * human) / 4, np.round(4 * first) / 4, np.round(4 * second) / 4) if ties else (human, first, second)
    )


def make_case(systems: int, inputs: int, draws: str, ties: bool, resamples: int) -> Case:
    """Makes the points and weights of swaps or of a bootstrap."""
    human, first, second = scores(systems, inputs, ties)
    generator = np.random.default_rng(1)
    doubled = draws.startswith("swaps")
    axis = int(draws.endswith("inputs"))
    if doubled:
        human, first = np.concatenate([human, human], axis), np.concatenate([first, second], axis)
    weights = [np.ones((resamples, size), dtype=np.int32) for size in human.shape]
    for number, of in enumerate(("systems", "inputs")):
        size = human.shape[number]
        if doubled and number == axis:
            kept = generator.integers(0, 2, (resamples, size // 2))
            weights[number] = np.concatenate([kept, 1 - kept], axis=1).astype(np.int32)
        elif not doubled and draws.endswith((of, "both")):
            weights[number] = generator.multinomial(size, np.full(size, 1 / size), resamples).astype(np.int32)
    return Case(Cells(human, first), *weights)


def task(kernels: str, case: Case, wanted: Wanted, resamples: int) -> Callable[[], PointSums]:
    """Returns a function that sums with one implementation."""

    def run() -> PointSums:
        with mock.patch.dict(os.environ, {dispatch.VARIABLE: kernels}):
            return case.sums(wanted, resamples)

    return run


def compare(case: Case, wanted: Wanted, few: int, repetitions: int) -> str:
    """Returns the time of the kernel, and how many times as long the twin takes."""
    resamples = len(case.rows)
    many = task("native", case, wanted, resamples)
    twin = task("python", case, wanted, few)
    if not np.array_equal(many().sums[:, :few], twin().sums):
        raise SystemExit("the native sums differ from those of the twin")
    seconds = in_turns({"native": many, "python": twin}, repetitions)
    each = spread([1e6 * one / resamples for one in seconds["native"]])
    found = spread([ratio * resamples / few for ratio in ratios(seconds["python"], seconds["native"])])
    return f"{each} µs per resample; the twin takes × {found}"


def main() -> None:
    """Runs the comparisons."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--systems", type=int, default=SYSTEMS, help="(%(default)s)")
    parser.add_argument("--inputs", type=int, default=INPUTS, help="(%(default)s)")
    parser.add_argument("--resamples", type=int, default=RESAMPLES, help="(%(default)s)")
    parser.add_argument("--twin-resamples", type=int, default=TWIN_RESAMPLES, help="(%(default)s)")
    parser.add_argument("--repetitions", type=int, default=REPETITIONS, help="how often each is timed (%(default)s)")
    arguments = parser.parse_args()
    make = partial(make_case, arguments.systems, arguments.inputs)
    for draws in DRAWS:
        for ties in (False, True):
            case = make(draws, ties, arguments.resamples)
            print(f"\n{draws}, {case.cells.human.size:,} points, {'tied' if ties else 'distinct'} values")
            for title, wanted in WANTED.items():
                few = min(arguments.twin_resamples, arguments.resamples)
                print(f"  {title:16} {compare(case, wanted, few, arguments.repetitions)}")


if __name__ == "__main__":
    main()
