"""Simulates the intervals of `fw estimate` under known truth: how often 95 % intervals contain it.

Run it with ``python benchmarks/estimate_coverage.py``. It prints four tables: shares of good outputs from ratings of 0
and 1, as normal and score intervals; means of ratings of other shapes; differences of two systems; and shares
corrected for the errors of a pass/fail judge. Ratings of clusters are in the first and second table. The standard
error of a cell is .008 with the default of 700 simulations.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from metrics_framework.common.arrays import Floats, Indices
from metrics_framework.meta_evaluation import misclassification, predicted_mean
from metrics_framework.meta_evaluation.estimate.estimators import IntervalName
from metrics_framework.meta_evaluation.estimate.request import Tuning

SIMULATIONS = 700
UNRATED = 1000
RATED = (10, 30, 100, 300)


class Sample(NamedTuple):
    """Ratings and scores of outputs, of which the first ones are rated.

    Attributes:
        ratings: Shape (outputs,).
        scores: Shape (outputs,).
        clusters: The cluster of each output; `None` for independent outputs.
    """

    ratings: Floats
    scores: Floats
    clusters: Indices | None = None


Draw = Callable[[np.random.Generator, int], Sample]
"""Draws the given number of outputs."""


def coverage(
    draw: Draw,
    truth: float,
    rated: int,
    simulations: int,
    intervals: Sequence[IntervalName | None] = (None,),
    tuning: Tuning = "regression",
) -> list[float]:
    """Returns the share of defined intervals that contain the true mean, for each kind; NaN if none is defined.

    Args:
        draw: Draws outputs.
        truth: The true mean.
        rated: The number of ratings; `UNRATED` more outputs have a score only.
        simulations: The number of simulated data sets.
        intervals: The kinds; `None` for that of `fw estimate`.
        tuning: How λ is chosen.
    """
    covered, defined = np.zeros(len(intervals)), np.zeros(len(intervals))
    for number in range(simulations):
        sample = draw(np.random.default_rng((number, rated)), rated + UNRATED)
        clusters = [None, None] if sample.clusters is None else np.split(sample.clusters, [rated])
        for index, interval in enumerate(intervals):
            found = predicted_mean(
                sample.ratings[:rated],
                sample.scores[:rated],
                sample.scores[rated:],
                tuning=tuning,
                interval=interval,
                clusters=clusters[0],
                unlabelled_clusters=clusters[1],
            )
            covered[index] += found.lower <= truth <= found.upper
            defined[index] += not math.isnan(found.lower)
    return np.divide(covered, defined, out=np.full_like(covered, math.nan), where=defined > 0).tolist()


def verdicts(share: float, accuracy: float = 0.85) -> Draw:
    """Draws ratings of 0 and 1, and a judge who is right with the given probability."""

    def draw(stream: np.random.Generator, outputs: int) -> Sample:
        good = stream.random(outputs) < share
        right = stream.random(outputs) < accuracy
        return Sample(good.astype(float), (good == right).astype(float))

    return draw


def clustered_verdicts(share: float, size: int) -> Draw:
    """Draws ratings of 0 and 1 in clusters of a size, with an intraclass correlation of .3."""
    spread = (1 - 0.3) / 0.3

    def draw(stream: np.random.Generator, outputs: int) -> Sample:
        clusters = np.arange(outputs) // size
        shares = stream.beta(share * spread, (1 - share) * spread, clusters[-1] + 1)
        good = stream.random(outputs) < shares[clusters]
        right = stream.random(outputs) < 0.85
        return Sample(good.astype(float), (good == right).astype(float), clusters)

    return draw


def numbers(shape: Callable[[np.random.Generator, int], Floats], deviation: float, noise: float = 1.0) -> Draw:
    """Draws ratings of a shape, and a judge whose errors have ``noise`` times their standard deviation."""

    def draw(stream: np.random.Generator, outputs: int) -> Sample:
        ratings = shape(stream, outputs)
        return Sample(ratings, ratings + stream.normal(0.3, noise * deviation, outputs))

    return draw


def clustered_numbers(stream: np.random.Generator, outputs: int) -> Sample:
    """Draws normal ratings in clusters, with half the variance between clusters."""
    clusters = np.arange(outputs) // 5
    ratings = stream.normal(size=clusters[-1] + 1)[clusters] + stream.normal(size=outputs)
    return Sample(ratings, ratings + stream.normal(0, 1.4, outputs), clusters)


def differences(share1: float, share2: float) -> Draw:
    """Draws the differences of two systems' ratings of 0 and 1, and of the scores of a judge who is right in 85 %."""
    first, second = verdicts(share1), verdicts(share2)

    def draw(stream: np.random.Generator, outputs: int) -> Sample:
        one, other = first(stream, outputs), second(stream, outputs)
        return Sample(one.ratings - other.ratings, one.scores - other.scores)

    return draw


def five_points(stream: np.random.Generator, outputs: int) -> Floats:
    """Draws ratings from 1 to 5."""
    return np.clip(np.round(stream.normal(3.4, 1.0, outputs)), 1, 5)


def _mean_of_five_points() -> float:
    from scipy.special import ndtr

    return float(5 - ndtr(np.array([1.5, 2.5, 3.5, 4.5]) - 3.4).sum())


FIVE_POINTS = _mean_of_five_points()
SHAPES = {  # name: shape, mean, standard deviation
    "1 to 5": (five_points, FIVE_POINTS, 1.0),
    "normal": (lambda stream, n: stream.normal(size=n), 0.0, 1.0),
    "exponential (skewness 2)": (lambda stream, n: stream.exponential(size=n), 1.0, 1.0),
    "lognormal (skewness 6.2)": (lambda stream, n: stream.lognormal(size=n), math.exp(0.5), 2.16),
}


def ratings_saved(noise: float, rated: int, simulations: int) -> float:
    """Returns the mean share of ratings from 1 to 5 that a judge saves."""
    draw, saved = numbers(five_points, 1.0, noise), 0.0
    for number in range(simulations):
        sample = draw(np.random.default_rng((number, rated)), rated + UNRATED)
        found = predicted_mean(sample.ratings[:rated], sample.scores[:rated], sample.scores[rated:])
        saved += found.ratings_saved / rated
    return saved / simulations


def coverage_of_shares(share: float, rated: int, simulations: int, seed: int = 0) -> float:
    """Returns the coverage of Rogan and Gladen's shares, for a judge with specificity .8 and sensitivity .9."""
    stream = np.random.default_rng((seed, rated, int(100 * share)))
    covered = used = 0
    for _ in range(simulations):
        good = int(stream.binomial(rated, share))
        bad = rated - good
        if not (good and bad):
            continue
        sensitivity = stream.binomial(good, 0.9) / good
        specificity = stream.binomial(bad, 0.8) / bad
        if sensitivity + specificity <= 1:
            continue
        judged = stream.binomial(UNRATED, share * 0.9 + (1 - share) * 0.2) / UNRATED
        found = misclassification(judged, specificity, sensitivity, n=UNRATED, m0=bad, m1=good)
        covered += found.lower <= share <= found.upper
        used += 1
    return covered / used


Table = dict[str, list[float]]
FEW = (5, 10, 20, 30, 100, 300)
PAIRS = ((0.5, 0.5), (0.3, 0.1), (0.1, 0.1), (0.1, 0.03), (0.03, 0.03))


def _rows(
    name: str, draw: Draw, truth: float, sizes: Sequence[int], simulations: int, kinds: Sequence[IntervalName]
) -> Table:
    """Returns a row of each kind of interval, with the coverage for each number of ratings."""
    found = np.array([coverage(draw, truth, rated, simulations, kinds) for rated in sizes])
    return {f"{name}, {kind}": found[:, index].tolist() for index, kind in enumerate(kinds)}


def shares_of_verdicts(simulations: int) -> Table:
    """Returns the coverage of shares: three kinds of intervals, other judges, and clusters."""
    rows: Table = {}
    for share in (0.1, 0.03):
        rows |= _rows(f"{share:.0%} good", verdicts(share), share, RATED, simulations, ("normal", "score"))
    for right in (0.5, 0.95):
        name = f"10% good, judge right in {right:.0%}"
        rows |= _rows(name, verdicts(0.1, right), 0.1, RATED, simulations, ("score",))
    for share, size in ((0.1, 5), (0.03, 5), (0.1, 20), (0.03, 20)):
        name = f"{share:.0%} good, clusters of {size}"
        rows |= _rows(name, clustered_verdicts(share, size), share, RATED, simulations, ("score",))
    others: Sequence[tuple[str, float, Tuning]] = (("λ = 1", 0.85, 1), ("judge right in 95%, λ free", 0.95, "free"))
    for name, right, tuning in others:
        found = [coverage(verdicts(0.1, right), 0.1, rated, simulations, ("score",), tuning) for rated in RATED]
        rows[f"10% good, {name}, score"] = [share for (share,) in found]
    return rows


def means_of_numbers(simulations: int) -> Table:
    """Returns the coverage of means of ratings of several shapes."""
    rows: Table = {}
    for name, (shape, mean, deviation) in SHAPES.items():
        rows |= _rows(name, numbers(shape, deviation), mean, FEW, simulations, ("normal", "t"))
    name = "normal, clusters of 5"
    return rows | _rows(name, clustered_numbers, 0.0, FEW, simulations, ("t",))


def differences_of_verdicts(simulations: int) -> Table:
    """Returns the coverage of differences of shares."""
    rows: Table = {}
    for p, q in PAIRS:
        rows |= _rows(f"{p:.0%} and {q:.0%} good", differences(p, q), p - q, RATED, simulations, ("t",))
    return rows


def corrected_shares(simulations: int) -> Table:
    """Returns the coverage of shares that are corrected for the errors of a judge."""
    return {
        f"{share:.0%} good": [coverage_of_shares(share, rated, simulations) for rated in (50, 100, 200)]
        for share in (0.2, 0.5, 0.8)
    }


def print_table(title: str, sizes: Sequence[int], rows: Table) -> None:
    """Prints a table in Markdown."""
    print(f"\n| {title}; ratings | {' | '.join(map(str, sizes))} |\n|---|{'---|' * len(sizes)}")
    for name, row in rows.items():
        cells = ["" if math.isnan(value) else f"{value:.3f}".removeprefix("0") for value in row]
        print(f"| {name} | {' | '.join(cells)} |")


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--simulations", type=int, default=SIMULATIONS)
    simulations = parser.parse_args().simulations
    print(f"Share of 95 % intervals that contain the truth; {simulations} simulations, {UNRATED} unrated outputs")
    print_table("0/1 ratings", RATED, shares_of_verdicts(simulations))
    print_table("other ratings", FEW, means_of_numbers(simulations))
    print_table("differences of 0/1 ratings", RATED, differences_of_verdicts(simulations))
    print_table("corrected shares", (50, 100, 200), corrected_shares(simulations))
    saved = (f"{ratings_saved(noise, 100, simulations):.0%}" for noise in (0.5, 1.0, 2.0))
    print(f"\n100 ratings from 1 to 5 saved by judges with errors of .5, 1 and 2: {', '.join(saved)}")


if __name__ == "__main__":
    main()
