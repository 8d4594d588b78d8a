"""Significance of p-values, corrections for multiple tests, ranks, and where tests and intervals need care."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from metrics_framework.common.errors import listed_names
from metrics_framework.data.sums import plain_sum

ROUNDING = 1e-9
"""Numbers are equal if their relative difference is at most this: it can only come from rounding."""


def is_significant(p: float, alpha: float) -> bool:
    """Returns whether a p-value is below alpha by more than rounding.

    >>> 19 * (1 / 380) < 0.05, is_significant(19 * (1 / 380), 0.05), is_significant(19 / 381, 0.05)
    (True, False, True)
    """
    return p < alpha * (1 - ROUNDING)


MAX_DRAWS = 20_000
"""The largest number of draws of a test that is not asked for, unless fewer could find no difference at all."""


def draws_for(tests: int, alpha: float, least: int) -> int:
    """Returns as many draws as several tests need for a corrected p-value of a tenth of alpha.

    Args:
        tests: The number of tests.
        alpha: The level.
        least: The least number of draws. From `MAX_DRAWS` on, there are as many as can find a difference.

    >>> [draws_for(tests, 0.05, 1000) for tests in (1, 10, 780, 4950)]
    [1000, 1999, 20000, 99000]
    """
    return max(least, min(MAX_DRAWS, math.ceil(10 * tests / alpha) - 1), math.floor(tests / alpha * (1 + ROUNDING)))


FEWEST_UNITS = 5
"""An interval from fewer inputs, clusters or systems is unreliable by every method."""


class TestedDifference(NamedTuple):
    """A difference with its test, and its interval if there is one.

    Attributes:
        name: What differs from what.
        p: The p-value that decides.
        single: The p-value before a correction for several tests.
        lower: The lower end of the interval; NaN without one.
        upper: The upper end.
        least: The least p-value before a correction that inputs and resamples allow; NaN for tests without resamples.
    """

    name: str
    p: float
    single: float
    lower: float = math.nan
    upper: float = math.nan
    least: float = math.nan


def cautions_of_tests(found: Sequence[TestedDifference], alpha: float) -> Iterator[str]:
    """Yields where tests and intervals disagree, and then, in one line, that p-values are the least possible.

    >>> found = [TestedDifference("a − b", 0.06, 0.02, 1.0, 2.0, 0.02), TestedDifference("c − d", 0.01, 0.01, -1, 1)]
    >>> for caution in cautions_of_tests(found, 0.05):
    ...     print(caution)
    interval and test disagree: the interval excludes 0, but p is not below 0.05 after the correction: a − b
    interval and test disagree: the interval contains 0, but p is below 0.05: c − d
    p = 0.02 before the correction is the least that the test can have
    """
    excluded = [one for one in found if one.lower > 0 or one.upper < 0]
    missed = [one for one in excluded if one.p == one.p and not is_significant(one.p, alpha)]
    by_correction = [one for one in missed if is_significant(one.single, alpha)]
    alone = [one for one in missed if not is_significant(one.single, alpha)]
    contained = [one for one in found if one.lower <= 0 <= one.upper and is_significant(one.p, alpha)]
    for group, where, how in (
        (by_correction, "excludes", f"not below {alpha:g} after the correction"),
        (alone, "excludes", f"not below {alpha:g}"),
        (contained, "contains", f"below {alpha:g}"),
    ):
        if group:
            names = listed_names([one.name for one in group])
            yield f"interval and test disagree: the interval {where} 0, but p is {how}: {names}"
    if at_least := [one for one in found if one.single <= one.least * (1 + ROUNDING)]:
        values = dict.fromkeys(f"{one.least:.2g}" for one in at_least)
        before = " before the correction" if any(one.p > one.single for one in at_least) else ""
        yield f"p = {listed_names([*values])}{before} is the least that the test can have"


def caution_of_few(units: Mapping[str, int], unit: str = "input") -> Iterator[str]:
    """Yields which intervals rest on too few units.

    Args:
        units: The name of each interval, and its number of units.
        unit: What is drawn or left out, such as ``input``.

    >>> list(caution_of_few({"a": 4, "b": 5}))
    ['an interval from fewer than 5 inputs is unreliable: a (4)']
    """
    few = [f"{name} ({count})".strip() for name, count in units.items() if 0 < count < FEWEST_UNITS]
    if few:
        yield f"an interval from fewer than {FEWEST_UNITS} {unit}s is unreliable: {listed_names(few)}"


RANGES: Final = "ranges"
"""Ranks are the ranges of ranks that tests leave open, not the numbers of clusters."""
SEPARATED: Final = "separated"
"""Ranks are ranges, beside clusters of which each system is significantly better than all systems of later ones."""


class Rank(NamedTuple):
    """The rank of a system or a metric among all.

    Attributes:
        cluster: The number of its cluster, from 1 for the best.
        best: The best rank it may have: 1 plus the number of systems that are significantly better.
        worst: The worst rank it may have: the number of systems minus those that are significantly worse.
    """

    cluster: int
    best: int
    worst: int


def ranked(beats: Sequence[Sequence[bool]], ranking: str = RANGES) -> list[Rank]:
    """Ranks systems or metrics by which of them are significantly better than which.

    A system starts a new cluster if any system of the current cluster is significantly better. Significance is not
    transitive: a system may share a cluster with a system that is better than one of its members, and systems of
    different clusters need not differ. `SEPARATED` clusters do: a system starts one if every system above is
    significantly better than it and all systems below.

    Args:
        beats: Shape (systems, systems), the system with the best score first: whether the system of a row is
            significantly better than that of a column.
        ranking: What clusters are.

    >>> beats = [[False, False, True], [False, False, False], [False, False, False]]
    >>> [rank.cluster for rank in ranked(beats)], [rank.cluster for rank in ranked(beats, SEPARATED)]
    ([1, 1, 2], [1, 1, 1])
    """
    clusters: list[list[int]] = []
    for system in range(len(beats)):
        if ranking == SEPARATED:
            is_first = all(all(row[system:]) for row in beats[:system])
        else:
            is_first = not clusters or any(beats[member][system] for member in clusters[-1])
        if is_first:
            clusters.append([])
        clusters[-1].append(system)
    numbers = {system: number for number, members in enumerate(clusters, 1) for system in members}
    return [
        Rank(numbers[system], 1 + sum(row[system] for row in beats), len(beats) - sum(beats[system]))
        for system in range(len(beats))
    ]


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusts p-values by Holm's step-down method, which controls the family-wise error rate.

    The smallest of m p-values is multiplied by m, the next by m − 1 and so on. An adjusted p-value is never below a
    smaller one, nor above 1. NaN means no comparison and stays NaN.

    Source: Holm (Scandinavian Journal of Statistics, 1979).

    >>> [round(p, 6) for p in holm([0.04, 0.01, 0.03])]
    [0.06, 0.03, 0.06]
    """
    adjusted = list(p_values)
    ranked = sorted((index for index, p in enumerate(p_values) if p == p), key=lambda index: p_values[index])
    largest = 0.0
    for rank, index in enumerate(ranked):
        largest = max(largest, min(1.0, (len(ranked) - rank) * p_values[index]))
        adjusted[index] = largest
    return adjusted


def benjamini_hochberg(p_values: Sequence[float], factor: float = 1.0) -> list[float]:
    """Adjusts p-values by Benjamini and Hochberg's step-up method, which controls the false discovery rate.

    The largest of m p-values stays, the next is multiplied by m / (m − 1) and so on, the smallest by m. An adjusted
    p-value is never above a larger one. NaN means no comparison and stays NaN. All are multiplied by the factor, too.

    Source: Benjamini and Hochberg (Journal of the Royal Statistical Society B, 1995).

    >>> [round(p, 6) for p in benjamini_hochberg([0.04, 0.01, 0.03])]
    [0.04, 0.03, 0.04]
    """
    adjusted = list(p_values)
    ranked = sorted((index for index, p in enumerate(p_values) if p == p), key=lambda index: p_values[index])
    smallest = 1.0
    for rank, index in reversed([*enumerate(ranked, 1)]):
        smallest = min(smallest, factor * len(ranked) / rank * p_values[index])
        adjusted[index] = smallest
    return adjusted


def benjamini_yekutieli(p_values: Sequence[float]) -> list[float]:
    """Adjusts p-values like `benjamini_hochberg`, times Σ 1/i for i from 1 to m: valid for dependent tests.

    Source: Benjamini and Yekutieli (Annals of Statistics, 2001).

    >>> [round(p, 6) for p in benjamini_yekutieli([0.04, 0.01, 0.03])]
    [0.073333, 0.055, 0.073333]
    """
    return benjamini_hochberg(p_values, plain_sum(1 / i for i in range(1, sum(p == p for p in p_values) + 1)))


CORRECTIONS: Mapping[str, Callable[[Sequence[float]], list[float]]] = {
    "holm": holm,
    "bh": benjamini_hochberg,
    "by": benjamini_yekutieli,
    "none": list,
}
"""The corrections by name."""
CITATIONS: Mapping[str, str] = {
    "holm": "holm-1979-simple",
    "bh": "benjamini-hochberg-1995-controlling",
    "by": "benjamini-yekutieli-2001-control",
}
"""The papers to cite for the corrections, by their keys in ``citations.bib``."""
