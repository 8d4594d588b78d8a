"""The ratings of a campaign, and a report on each rater: time, attention, repetition, agreement, severity."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from metrics_framework.inputs.pearmut import seconds_between
from metrics_framework.meta_evaluation.ratings.rating_format import Rating
from metrics_framework.significance.interval_methods import Interval
from metrics_framework.significance.proportions import EffectiveTrials

_MIN_SHARED = 3
"""With fewer outputs that others rate, too, there is no correlation with them."""


class RaterReport(NamedTuple):
    """What the ratings of a rater say about their quality.

    Attributes:
        rater: The rater.
        ratings: The number of ratings that count.
        minutes: The median of the minutes per segment; NaN if times are unknown.
        checks: The number of attention checks.
        passed: The share of passed ones, with its score interval: answers as they should be, or degraded outputs that
            have a lower score than the original.
        p_value: The one-sided p-value of the sign test: how often a rater without attention passes as many of the
            degraded outputs whose score differs; NaN without such outputs.
        repeats: The number of outputs that were rated a second time to see how much ratings differ.
        repeat_difference: The mean absolute difference between both ratings; NaN without repeats.
        shared: The number of outputs that others rate, too.
        correlation: Pearson's r of the ratings of these with the mean of the others'.
        severity: The mean difference between the ratings of these and the mean of the others'; below 0 is severe.
        commonest: The share of the most frequent score.
    """

    rater: str
    ratings: int
    minutes: float
    checks: int
    passed: Interval
    p_value: float
    repeats: int
    repeat_difference: float
    shared: int
    correlation: float
    severity: float
    commonest: float

    def numbers(self) -> dict[str, float]:
        """Returns the numbers of the report by name; the passed share without its interval."""
        numbers = {**self._asdict(), "passed": self.passed.value}
        del numbers["rater"]
        return numbers


def raters_report(
    ratings: Iterable[Rating], checks: Iterable[tuple[str, bool]] = (), confidence: float = 95
) -> list[RaterReport]:
    """Returns a report on each rater, sorted by rater.

    A degraded output (kind ``bad``) and a repeated one (``duplicate``) are compared with the last rating of the same
    output by the same rater that counts.

    Args:
        ratings: All ratings, also those that do not count.
        checks: The rater of each attention check that has a right answer, and whether it was given.
        confidence: The confidence level of the intervals of shares.
    """
    by_kind: dict[str, list[Rating]] = defaultdict(list)
    for rating in sorted(ratings, key=lambda one: one.end):
        by_kind[rating.kind].append(rating)
    counted = {(one.rater, *one.output): one for one in by_kind[""]}
    scores = {key: one.score for key, one in counted.items() if not math.isnan(one.score)}
    degraded, repeated = (_pairs(scores, by_kind[kind]) for kind in ("bad", "duplicate"))
    answered: dict[str, list[bool]] = defaultdict(list)
    for rater, is_right in checks:
        answered[rater].append(is_right)
    by_output: dict[tuple[str, ...], dict[str, float]] = defaultdict(dict)
    for (rater, *output), score in scores.items():
        by_output[tuple(output)][rater] = score
    gaps = _gaps(one for of_kind in by_kind.values() for one in of_kind)
    found = []
    for rater in sorted({rater for rater, *_ in counted}):
        of_rater = [one for one in counted.values() if one.rater == rater]
        lower = [first > second for first, second in degraded[rater]]
        passes = [*answered[rater], *lower]
        unequal = sum(first != second for first, second in degraded[rater])
        seconds = [one.seconds for one in of_rater if not math.isnan(one.seconds)] or gaps[rater]
        differences = [abs(first - second) for first, second in repeated[rater]]
        own = [one.score for one in of_rater if not math.isnan(one.score)]
        passed, p = EffectiveTrials.of(passes).interval(confidence), _sign_p(sum(lower), unequal)
        minutes = float(np.median(seconds)) / 60 if seconds else math.nan
        difference = math.fsum(differences) / len(differences) if differences else math.nan
        shared = _against_others(rater, by_output.values())
        commonest = max(Counter(own).values()) / len(own) if own else math.nan
        attention = minutes, len(passes), passed, p
        found.append(RaterReport(rater, len(own), *attention, len(differences), difference, *shared, commonest))
    return found


def _pairs(scores: Mapping[tuple[str, ...], float], ratings: Sequence[Rating]) -> dict[str, list[tuple[float, float]]]:
    """Returns by rater the scores of outputs that count, and those of their second ratings."""
    found: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for one in ratings:
        first = scores.get((one.rater, *one.output), math.nan)
        if not math.isnan(first) and not math.isnan(one.score):
            found[one.rater].append((first, one.score))
    return found


def _gaps(ratings: Iterable[Rating]) -> dict[str, list[float]]:
    """Returns by rater the seconds between the ends of consecutive items, of which long ones count less."""
    ends: dict[str, set[float]] = defaultdict(set)
    for one in ratings:
        ends[one.rater].update([one.end] * (one.end > 0))
    return {rater: seconds_between(times) for rater, times in ends.items()}


def _sign_p(lower: int, unequal: int) -> float:
    """Returns the probability of as many lower scores if each of two is the lower one with probability ½."""
    from scipy.special import bdtrc

    return float(bdtrc(lower - 1, unequal, 0.5)) if unequal else math.nan


def _against_others(rater: str, outputs: Iterable[Mapping[str, float]]) -> tuple[int, float, float]:
    """Returns the number of outputs that others rate, too, the correlation with their means, and the severity."""
    own, others = [], []
    for by_rater in outputs:
        if rater in by_rater and len(by_rater) > 1:
            own.append(by_rater[rater])
            others.append((math.fsum(by_rater.values()) - own[-1]) / (len(by_rater) - 1))
    if not own:
        return 0, math.nan, math.nan
    varies = len(own) >= _MIN_SHARED and np.ptp(own) > 0 and np.ptp(others) > 0
    correlation = float(np.corrcoef(own, others)[0, 1]) if varies else math.nan
    return len(own), correlation, float(np.mean(np.subtract(own, others)))
