"""Measures how often 95 % intervals of coefficients of agreement contain the value of the population.

Run it with ``python benchmarks/agreement_coverage.py``. Each rater gives the true label of an output with some
probability, and else any label by its share; the value of the population is that of a million outputs. Of two labels
(nominal, unweighted) or three (ordinal), the first is the commonest. The program prints a line for each weights, number
of raters and agreement, and at the end the table of ``docs/guides/raters.md``: the range over all of these. Data sets
whose ratings are all equal have no interval; they are counted by themselves.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.meta_evaluation import agreement

COEFFICIENTS = {  # name → weights → whether there are three ordered labels instead of two
    "krippendorff": {"nominal": False, "ordinal": True},
    "gwet": {"identity": False},
    "fleiss": {"identity": False},
    "cohen": {"identity": False},
}
RATERS = (2, 3, 4)
KNOWN = (0.7, 0.9)
"""The probabilities that a rater knows the true label; alpha is about their squares."""
SHARES = (0.05, 0.1, 0.2, 0.5)
"""The shares of ratings that are not the commonest label."""
OUTPUTS = (10, 20, 50, 100, 200)
POPULATION = 1_000_000
SIMULATIONS = 1000


class Setting(NamedTuple):
    """Which data are drawn: the coefficient, its weights, the number of raters, and how well they know the labels."""

    name: str
    weights: str
    raters: int
    known: float

    def ratings(self, share: float, outputs: int, stream: np.random.Generator) -> Floats:
        """Draws ratings, shape (raters, outputs)."""
        shares = [1 - share, 0.6 * share, 0.4 * share] if COEFFICIENTS[self.name][self.weights] else [1 - share, share]
        truth = stream.choice(len(shares), size=outputs, p=shares)
        guesses = stream.choice(len(shares), size=(self.raters, outputs), p=shares)
        is_known = stream.random((self.raters, outputs)) < self.known
        return np.where(is_known, truth, guesses).astype(np.float64)


def population(setting: Setting, share: float, outputs: int = POPULATION) -> float:
    """Returns the coefficient of a very large sample."""
    ratings = setting.ratings(share, outputs, np.random.default_rng(0))
    return agreement(ratings, setting.name, weights=setting.weights).value


def coverage(setting: Setting, share: float, truth: float, outputs: int, simulations: int) -> tuple[float, float]:
    """Returns how often intervals contain the value of the population, and how often there is none.

    Args:
        setting: Which data are drawn.
        share: The share of ratings that are not the commonest label.
        truth: The value of the population.
        outputs: The number of outputs.
        simulations: The number of data sets.
    """
    stream = np.random.default_rng((outputs, setting.raters, int(100 * share), int(100 * setting.known)))
    covered = defined = 0
    for _ in range(simulations):
        ratings = setting.ratings(share, outputs, stream)
        found = agreement(ratings, setting.name, weights=setting.weights)
        defined += found.lower <= found.upper
        covered += found.lower <= truth <= found.upper
    return covered / max(1, defined), 1 - defined / simulations


def settings(name: str) -> Iterator[Setting]:
    """Yields what is measured for a coefficient."""
    for weights in COEFFICIENTS[name]:
        for raters in RATERS if name != "cohen" else (2,):
            for known in KNOWN:
                yield Setting(name, weights, raters, known)


def main() -> None:
    """Prints coverage in all settings, and the range over them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--coefficient", choices=COEFFICIENTS, default="krippendorff")
    parser.add_argument("--simulations", type=int, default=SIMULATIONS)
    parser.add_argument("--population", type=int, default=POPULATION)
    arguments = parser.parse_args()
    print(f"Coverage of 95 % intervals in %, in brackets intervals that are undefined; outputs: {OUTPUTS}")
    ranges: dict[tuple[float, int], list[tuple[float, float]]] = {}
    for setting in settings(arguments.coefficient):
        for share in SHARES:
            truth = population(setting, share, arguments.population)
            found = [coverage(setting, share, truth, outputs, arguments.simulations) for outputs in OUTPUTS]
            for outputs, pair in zip(OUTPUTS, found, strict=True):
                ranges.setdefault((share, outputs), []).append(pair)
            cells = "  ".join(f"{100 * covered:4.0f} ({100 * undefined:2.0f})" for covered, undefined in found)
            print(
                f"{setting.weights:9} {setting.raters} raters, known {setting.known}, share {share:4}  {cells}",
                flush=True,
            )
    print(f"\n| other labels | {' | '.join(f'{n} outputs' for n in OUTPUTS)} |\n|---|{'---|' * len(OUTPUTS)}")
    for share in SHARES:
        row = [ranges[share, n] for n in OUTPUTS]
        spans = [f"{100 * min(cell)[0]:.0f} to {100 * max(cell)[0]:.0f}" for cell in row]
        print(f"| {share:.0%} | {' | '.join(spans)} |")


if __name__ == "__main__":
    main()
