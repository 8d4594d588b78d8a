"""`alt_test`: the alternative annotator test, which asks whether a judge may replace raters."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from metrics_framework.common.errors import InputError, UnknownChoiceError
from metrics_framework.common.plurals import counted
from metrics_framework.meta_evaluation.judges.judgements import matrices_of
from metrics_framework.meta_evaluation.judges.names import FEWEST_UNITS, SCORINGS, Scoring
from metrics_framework.meta_evaluation.judges.scorings import Wins, wins
from metrics_framework.meta_evaluation.judges.signed_rank import signed_rank_p
from metrics_framework.significance.arrays import Floats, Indices
from metrics_framework.significance.multiple_testing import ROUNDING, benjamini_yekutieli

PASSING = 0.5
"""A judge passes if its winning rate is at least this."""


@dataclass(frozen=True)
class RaterTest:
    """The comparison of a judge with one rater.

    Attributes:
        rater: The rater.
        n: The number of units.
        judge_wins: The share of units in which the judge is at least as good as the rater.
        rater_wins: The share of units in which the rater is at least as good as the judge.
        p_value: The one-sided p-value of the null hypothesis that the rater wins by at least ε.
        p_adjusted: The same after Benjamini and Yekutieli's correction.
        is_rejected: Whether the null hypothesis is rejected: the judge may replace this rater.
    """

    rater: str
    n: int
    judge_wins: float
    rater_wins: float
    p_value: float
    p_adjusted: float
    is_rejected: bool


@dataclass(frozen=True)
class AltTest:
    """The result of the alternative annotator test.

    Attributes:
        winning_rate: The share of raters whose null hypothesis is rejected, ω.
        advantage_probability: The mean over raters of the share of units in which the judge is at least as good, ρ.
        raters: The comparison with each rater.
        scoring: How judge and rater are scored.
        epsilon: How much worse than a rater a judge may be, because it costs less.
        q: The false discovery rate.
        units: The number of units used.
        left_out_raters: Rater to its number of units, for those with too few.
        left_out_units: The number of units left out, by cause.
    """

    winning_rate: float
    advantage_probability: float
    raters: tuple[RaterTest, ...]
    scoring: Scoring
    epsilon: float
    q: float
    units: int
    left_out_raters: Mapping[str, int] = field(default_factory=dict)
    left_out_units: Mapping[str, int] = field(default_factory=dict)

    @property
    def passes(self) -> bool:
        """Whether the winning rate is at least ½."""
        return self.winning_rate >= PASSING


@dataclass(frozen=True)
class AltTestSettings:
    """The options of the test; see `alt_test`.

    Raises:
        InputError: if an option is out of range.
    """

    scoring: Scoring
    epsilon: float
    q: float = 0.05
    min_humans: int = 2
    min_instances: int = FEWEST_UNITS

    def __post_init__(self) -> None:
        if self.scoring not in SCORINGS:
            raise UnknownChoiceError("scoring", self.scoring, SCORINGS)
        if not 0 <= self.epsilon <= 1:
            raise InputError(f"'epsilon' must be between 0 and 1, got {self.epsilon:g}")
        if not 0 < self.q < 1:
            raise InputError(f"'q' must be between 0 and 1, got {self.q:g}")
        if self.min_humans < 2:
            raise InputError(f"'min_humans' must be 2 or more: a rater needs others, got {self.min_humans}")
        if self.min_instances < 1:
            raise InputError(f"'min_instances' must be 1 or more, got {self.min_instances}")


def alt_test(
    judge: Mapping[Hashable, Any],
    humans: Mapping[str, Mapping[Hashable, Any]],
    *,
    scoring: Scoring,
    epsilon: float,
    q: float = 0.05,
    min_humans: int = 2,
    min_instances: int = FEWEST_UNITS,
) -> AltTest:
    """Tests whether a judge may replace raters: the alternative annotator test.

    For each rater j and unit i, the judge and the rater are scored against the *other* raters of i. With
    d = [rater at least as good] − [judge at least as good], the null hypothesis mean(d) ≥ ε is tested by a one-sided
    t-test; Benjamini and Yekutieli's correction over raters. If d is constant, p is 0 for d < ε, otherwise 1. Below 30
    units, which must be allowed by ``min_instances``, Wilcoxon's signed-rank test of d − ε is used.

    A judge that always answers the mean of all ratings can pass with ``neg_rmse``: compare with `sentinels`.

    Args:
        judge: Unit to judgement.
        humans: Rater to the rating of each unit that it rated. `None` and NaN are missing.
        scoring: ``accuracy`` (share of the other raters who agree; labels may be of any type), ``neg_rmse`` or
            ``ranks`` (the same for ranks within each rater,
            with probabilities over random orders of tied values).
        epsilon: How much worse than a rater the judge may be: .2 for experts, .15 for skilled raters, .1 for a crowd.
        q: The false discovery rate.
        min_humans: Units with fewer ratings are left out.
        min_instances: Raters with fewer units are left out.

    Raises:
        InputError: if an argument is invalid, or no rater has enough units.

    Source: Calderon, Reichart and Dror (ACL 2025).

    >>> ratings = {name: {unit: unit % 3 for unit in range(60)} for name in ("ann", "bob", "eve")}
    >>> test = alt_test(ratings["ann"], ratings, scoring="accuracy", epsilon=0.1)
    >>> test.winning_rate, test.advantage_probability, test.passes
    (1.0, 1.0, True)
    """
    settings = AltTestSettings(scoring, epsilon, q, min_humans, min_instances)
    judgements, ratings, raters = matrices_of(judge, humans, as_labels=scoring == "accuracy")
    return compare(judgements, ratings, raters, settings).test()


@dataclass(frozen=True)
class Comparison:
    """A judge compared with each rater who has enough units.

    Args:
        raters: The raters.
        wins: Who is at least as good as the other, shape (raters, units).
        settings: The options.
        left_out_raters: Rater to its number of units, for those with too few.
        left_out_units: The number of units left out, by cause.
    """

    raters: Sequence[str]
    wins: Wins
    settings: AltTestSettings
    left_out_raters: Mapping[str, int]
    left_out_units: Mapping[str, int]

    @cached_property
    def differences(self) -> RaterDifferences:
        """The differences d of each rater."""
        pairs = zip(self.wins.judge, self.wins.rater, strict=True)
        rows = (of_rater - of_judge for of_judge, of_rater in pairs)
        return RaterDifferences([row[~np.isnan(row)] for row in rows])

    def winning_rate(self, epsilon: float) -> float:
        """Returns the winning rate for another ε."""
        return float(np.mean(self._rejected(benjamini_yekutieli(self.differences.p_values(epsilon)))))

    def _rejected(self, adjusted: Sequence[float]) -> list[bool]:
        return [p <= self.settings.q * (1 + ROUNDING) for p in adjusted]

    def test(self) -> AltTest:
        """Returns the result of the test."""
        p_values = self.differences.p_values(self.settings.epsilon)
        adjusted = benjamini_yekutieli(p_values)
        shares = zip(np.nanmean(self.wins.judge, axis=1), np.nanmean(self.wins.rater, axis=1), strict=True)
        raters = tuple(
            RaterTest(name, n, float(of_judge), float(of_rater), p, p_adjusted, is_rejected)
            for name, n, (of_judge, of_rater), p, p_adjusted, is_rejected in zip(
                self.raters, self.differences.n, shares, p_values, adjusted, self._rejected(adjusted), strict=True
            )
        )
        return AltTest(
            winning_rate=sum(rater.is_rejected for rater in raters) / len(raters),
            advantage_probability=math.fsum(rater.judge_wins for rater in raters) / len(raters),
            raters=raters,
            scoring=self.settings.scoring,
            epsilon=self.settings.epsilon,
            q=self.settings.q,
            units=self.wins.judge.shape[1],
            left_out_raters=self.left_out_raters,
            left_out_units=self.left_out_units,
        )


def compare(judge: Floats, ratings: Floats, raters: Sequence[str], settings: AltTestSettings) -> Comparison:
    """Compares a judge with each rater.

    Args:
        judge: Shape (units,), NaN without a judgement.
        ratings: Shape (raters, units), NaN without a rating.
        raters: The names of the raters.
        settings: The options.

    Raises:
        InputError: if no rater has enough units.
    """
    judged, enough = ~np.isnan(judge), (~np.isnan(ratings)).sum(axis=0) >= settings.min_humans
    used = judged & enough
    counts = (~np.isnan(ratings[:, used])).sum(axis=1)
    tested = counts >= settings.min_instances
    if not tested.any():
        raise InputError(_too_few(counts, settings, int(used.sum())))
    by_judge, by_rater = wins(judge[used], ratings[:, used], settings.scoring)
    return Comparison(
        [name for name, kept in zip(raters, tested, strict=True) if kept],
        Wins(by_judge[tested], by_rater[tested]),
        settings,
        {name: int(n) for name, n, kept in zip(raters, counts, tested, strict=True) if not kept},
        {"no judgement": int((~judged).sum()), "too few raters": int((judged & ~enough).sum())},
    )


def _too_few(counts: Indices, settings: AltTestSettings, units: int) -> str:
    return (
        f"no rater has {counted(settings.min_instances, 'unit')} with a judgement and {settings.min_humans} or more "
        f"raters; {counted(units, 'unit')} in all, and at most {int(counts.max(initial=0))} of one rater"
    )


class RaterDifferences:
    """The differences d = [rater at least as good] − [judge at least as good] of each rater.

    Args:
        differences: For each rater, −1, 0 or 1 for each unit (any number between for ranks); shape (units,).
    """

    def __init__(self, differences: Sequence[Floats]) -> None:
        self._differences = differences
        self.n = [len(row) for row in differences]
        self._means = np.array([row.mean() for row in differences])
        deviations = [row.std(ddof=1) if len(row) > 1 else 0.0 for row in differences]
        self._errors = np.array(deviations) / np.sqrt(self.n)
        self._constant = np.array([bool((row == row[0]).all()) for row in differences])

    def p_values(self, epsilon: float) -> list[float]:
        """Returns the one-sided p-value of mean(d) ≥ ε for each rater."""
        from scipy.special import stdtr

        errors = np.where(self._constant, 1.0, self._errors)
        p_values = stdtr(np.maximum(1, np.array(self.n) - 1), (self._means - epsilon) / errors)
        p_values[self._constant] = np.where(self._means < epsilon, 0.0, 1.0)[self._constant]
        for index, row in enumerate(self._differences):
            if self.n[index] < FEWEST_UNITS and not self._constant[index]:
                p_values[index] = signed_rank_p(row - epsilon)
        return [float(p) for p in p_values]
