"""`alt_test`: the alternative annotator test, which asks whether a judge may replace raters."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from metrics_framework.common.errors import InputError, UnknownChoiceError
from metrics_framework.common.plurals import counted
from metrics_framework.meta_evaluation.judges.judgements import matrices_of
from metrics_framework.meta_evaluation.judges.scorings import SCORINGS, Scoring, wins
from metrics_framework.meta_evaluation.judges.signed_rank import signed_rank_p
from metrics_framework.significance.arrays import Bools, Floats, Indices
from metrics_framework.significance.multiple_testing import ROUNDING, benjamini_yekutieli

FEWEST_UNITS = 30
"""Below this many units, the signed-rank test replaces the t-test."""
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
            ``ranks`` (the same for ranks within each rater).
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
    return alt_test_of(judgements, ratings, raters, settings)


def alt_test_of(judge: Floats, ratings: Floats, raters: Sequence[str], settings: AltTestSettings) -> AltTest:
    """Like `alt_test`, given arrays.

    Args:
        judge: Shape (units,), NaN without a judgement.
        ratings: Shape (raters, units), NaN without a rating.
        raters: The names of the raters.
        settings: The options.
    """
    judged, enough = ~np.isnan(judge), (~np.isnan(ratings)).sum(axis=0) >= settings.min_humans
    used = judged & enough
    judge, ratings = judge[used], ratings[:, used]
    counts = (~np.isnan(ratings)).sum(axis=1)
    tested = counts >= settings.min_instances
    left_out = {name: int(n) for name, n, kept in zip(raters, counts, tested, strict=True) if not kept}
    if not tested.any():
        raise InputError(_too_few(counts, settings, int(used.sum())))
    tests = _tests(judge, ratings, raters, tested, settings)
    return AltTest(
        winning_rate=sum(test.is_rejected for test in tests) / len(tests),
        advantage_probability=math.fsum(test.judge_wins for test in tests) / len(tests),
        raters=tuple(tests),
        scoring=settings.scoring,
        epsilon=settings.epsilon,
        q=settings.q,
        units=int(used.sum()),
        left_out_raters=left_out,
        left_out_units={"no judgement": int((~judged).sum()), "too few raters": int((judged & ~enough).sum())},
    )


def _too_few(counts: Indices, settings: AltTestSettings, units: int) -> str:
    return (
        f"no rater has {counted(settings.min_instances, 'unit')} with a judgement and {settings.min_humans} or more "
        f"raters; there are {counted(units, 'such unit')}, and at most {int(counts.max(initial=0))} of one rater"
    )


def _tests(
    judge: Floats, ratings: Floats, raters: Sequence[str], tested: Bools, settings: AltTestSettings
) -> list[RaterTest]:
    by_judge, by_rater = wins(judge, ratings, settings.scoring)
    rows = [
        (of_judge[~np.isnan(of_judge)], of_rater[~np.isnan(of_rater)])
        for of_judge, of_rater in zip(by_judge[tested], by_rater[tested], strict=True)
    ]
    p_values = [difference_p(of_rater - of_judge, settings.epsilon) for of_judge, of_rater in rows]
    adjusted = benjamini_yekutieli(p_values)
    names = [name for name, kept in zip(raters, tested, strict=True) if kept]
    return [
        RaterTest(
            rater=name,
            n=len(of_judge),
            judge_wins=float(of_judge.mean()),
            rater_wins=float(of_rater.mean()),
            p_value=p,
            p_adjusted=p_adjusted,
            is_rejected=p_adjusted <= settings.q * (1 + ROUNDING),
        )
        for name, (of_judge, of_rater), p, p_adjusted in zip(names, rows, p_values, adjusted, strict=True)
    ]


def difference_p(differences: Floats, epsilon: float) -> float:
    """Returns the one-sided p-value of mean(d) ≥ ε.

    Args:
        differences: d of each unit: −1, 0 or 1; shape (units,).
        epsilon: ε.
    """
    from scipy.special import stdtr

    n = len(differences)
    if (differences == differences[0]).all():
        return 0.0 if differences[0] < epsilon else 1.0
    if n < FEWEST_UNITS:
        return signed_rank_p(differences - epsilon)
    error = differences.std(ddof=1) / math.sqrt(n)
    return float(stdtr(n - 1, (differences.mean() - epsilon) / error))
