"""`alt_test`: the alternative annotator test, which asks whether a judge may replace raters."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, ClassVar, NamedTuple

import numpy as np

from metrics_framework.common.arrays import Bools, Floats
from metrics_framework.common.errors import InputError, counted
from metrics_framework.common.overriding import overrides
from metrics_framework.data.texts import shown
from metrics_framework.meta_evaluation.groups.moments import power_of_two, tie_ends
from metrics_framework.meta_evaluation.judge.request import MIN_UNITS, AltTestSettings, Scoring, Variance
from metrics_framework.meta_evaluation.study import NOT_IN_JSON, OMITTED_IF_NONE, Finding
from metrics_framework.significance.clusters import Clusters, labels_of, standard_error
from metrics_framework.significance.multiple_testing import ROUNDING, benjamini_yekutieli

PASSING = 0.5
"""A judge passes if its winning rate is at least this."""


@dataclass(frozen=True)
class RaterTest(Finding):
    """The comparison of a judge with one rater.

    Attributes:
        rater: The rater.
        n: The number of units.
        judge_wins: The share of units in which the judge is at least as good as the rater.
        rater_wins: The share of units in which the rater is at least as good as the judge.
        p_value: The one-sided p-value of the null hypothesis that the rater wins by at least ε.
        p_adjusted: The same after Benjamini and Yekutieli's correction.
        is_rejected: Whether the null hypothesis is rejected: the judge may replace this rater.
        clusters: The number of clusters of these units; `None` if units are independent.
        is_by_ranks: Whether the p-value is that of the signed-rank test.
    """

    rater: str
    n: int
    judge_wins: float
    rater_wins: float
    p_value: float
    p_adjusted: float
    is_rejected: bool
    clusters: int | None = field(default=None, metadata=OMITTED_IF_NONE)
    is_by_ranks: bool = field(default=False, metadata=NOT_IN_JSON)


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


def alt_test(
    judge: Mapping[Hashable, Any],
    humans: Mapping[str, Mapping[Hashable, Any]],
    *,
    scoring: Scoring,
    epsilon: float,
    q: float = 0.05,
    min_humans: int = 2,
    min_instances: int = MIN_UNITS,
    variance: Variance = "floor",
    clusters: Mapping[Hashable, Hashable] | None = None,
) -> AltTest:
    """Tests whether a judge may replace raters: the alternative annotator test.

    For each rater j and unit i, the judge and the rater are scored against the *other* raters of i. With
    d = [rater at least as good] − [judge at least as good], the null hypothesis mean(d) ≥ ε is tested by a one-sided
    t-test; Benjamini and Yekutieli's correction over raters. The variance of d is at least ε(1 − ε), the least one of a
    mean of ε, or that of the data (``published``, also for ranks): with it, p is 0 for a constant d < ε, and below 30
    units, which must be allowed by ``min_instances``, Wilcoxon's signed-rank test of d − ε is used. If units share
    clusters, it is always the t-test, with the standard error of clustered values and one degree of freedom less than
    clusters.

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
        variance: ``floor``, or ``published`` for the test of the authors, which rejects 9 to 19 % of true null
            hypotheses if raters nearly always agree.
        clusters: Unit to its cluster, such as its document; by default, units are independent.

    Raises:
        InputError: if an argument is invalid, or no rater has enough units.

    Source: Calderon, Reichart and Dror (ACL 2025).

    >>> ratings = {name: {unit: unit % 3 for unit in range(60)} for name in ("ann", "bob", "eve")}
    >>> test = alt_test(ratings["ann"], ratings, scoring="accuracy", epsilon=0.1)
    >>> test.winning_rate, test.advantage_probability, test.passes
    (1.0, 1.0, True)
    """
    settings = AltTestSettings(scoring, epsilon, q, min_humans, min_instances, variance)
    units, judgements, ratings = matrices_of(judge, humans, as_labels=RULES[scoring].compares_labels)
    without = [unit for unit in units if unit not in clusters] if clusters is not None else []
    if without:
        raise InputError(f"'clusters' must have every unit, but {without[0]!r} is missing")
    groups = None if clusters is None else [clusters[unit] for unit in units]
    return compare(judgements, ratings, list(map(str, humans)), settings, groups).test()


@dataclass(frozen=True)
class Comparison:
    """A judge compared with each rater who has enough units.

    Args:
        raters: The raters.
        wins: Who is at least as good as the other, shape (raters, units).
        clusters: The cluster of each unit; `None` if units are independent.
        settings: The options.
        left_out_raters: Rater to its number of units, for those with too few.
        left_out_units: The number of units left out, by cause.
    """

    raters: Sequence[str]
    wins: Wins
    clusters: Sequence[Hashable] | None
    settings: AltTestSettings
    left_out_raters: Mapping[str, int]
    left_out_units: Mapping[str, int]

    @cached_property
    def differences(self) -> RaterDifferences:
        """The differences d of each rater."""
        rows = [of_rater - of_judge for of_judge, of_rater in zip(self.wins.judge, self.wins.rater, strict=True)]
        rated = [np.flatnonzero(~np.isnan(row)) for row in rows]
        groups = None
        if self.clusters is not None:
            groups = [Clusters.of([self.clusters[unit] for unit in units.tolist()], len(units)) for units in rated]
        return RaterDifferences([row[units] for row, units in zip(rows, rated, strict=True)], groups)

    def winning_rate(self, epsilon: float) -> float:
        """Returns the winning rate for another ε."""
        p_values = self.differences.p_values(epsilon, self.settings.least_variance(epsilon))
        return float(np.mean(self._rejected(benjamini_yekutieli(p_values))))

    def _rejected(self, adjusted: Sequence[float]) -> list[bool]:
        return [p <= self.settings.q * (1 + ROUNDING) for p in adjusted]

    def test(self) -> AltTest:
        """Returns the result of the test."""
        least = self.settings.least_variance(self.settings.epsilon)
        p_values = self.differences.p_values(self.settings.epsilon, least)
        adjusted = benjamini_yekutieli(p_values)
        rejected = self._rejected(adjusted)
        raters = tuple(
            RaterTest(
                rater=name,
                n=self.differences.n[index],
                judge_wins=float(np.nanmean(self.wins.judge[index])),
                rater_wins=float(np.nanmean(self.wins.rater[index])),
                p_value=p_values[index],
                p_adjusted=adjusted[index],
                is_rejected=rejected[index],
                clusters=None if self.clusters is None else self.differences.groups[index],
                is_by_ranks=self.differences.is_by_ranks(index, least),
            )
            for index, name in enumerate(self.raters)
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


def compare(
    judge: Floats,
    ratings: Floats,
    raters: Sequence[str],
    settings: AltTestSettings,
    clusters: Sequence[Hashable] | None = None,
) -> Comparison:
    """Compares a judge with each rater.

    Args:
        judge: Shape (units,), NaN without a judgement.
        ratings: Shape (raters, units), NaN without a rating.
        raters: The names of the raters.
        settings: The options.
        clusters: The cluster of each unit; by default, units are independent.

    Raises:
        InputError: if no rater has enough units.
    """
    judged, enough = ~np.isnan(judge), (~np.isnan(ratings)).sum(axis=0) >= settings.min_humans
    used = judged & enough
    counts = (~np.isnan(ratings[:, used])).sum(axis=1)
    tested = counts >= settings.min_instances
    if not tested.any():
        raise InputError(
            f"no rater has {counted(settings.min_instances, 'unit')} with a judgement and {settings.min_humans} or "
            f"more raters; {counted(int(used.sum()), 'unit')} in all, and at most {int(counts.max(initial=0))} of one "
            "rater"
        )
    by_judge, by_rater = RULES[settings.scoring].wins(judge[used], ratings[:, used])
    return Comparison(
        [name for name, kept in zip(raters, tested, strict=True) if kept],
        Wins(by_judge[tested], by_rater[tested]),
        labels_of(clusters, used),
        settings,
        {name: int(n) for name, n, kept in zip(raters, counts, tested, strict=True) if not kept},
        {"no judgement": int((~judged).sum()), "too few raters": int((judged & ~enough).sum())},
    )


class RaterDifferences:
    """The differences d = [rater at least as good] − [judge at least as good] of each rater.

    Args:
        differences: For each rater, −1, 0 or 1 for each unit (any number between for ranks); shape (units,).
        clusters: For each rater, the clusters of these units; by default, units are independent.
    """

    def __init__(self, differences: Sequence[Floats], clusters: Sequence[Clusters] | None = None) -> None:
        self._differences = differences
        self._clusters = clusters or [Clusters.of(None, len(row)) for row in differences]
        self.n = [len(row) for row in differences]
        self.groups = [groups.count for groups in self._clusters]
        self._means = np.array([row.mean() for row in differences])
        rows = zip(differences, self._clusters, strict=True)
        errors = np.array([standard_error(row, groups, corrected=groups.count > 1) for row, groups in rows])
        constant = [bool((row == row[0]).all()) for row in differences]
        self._errors = np.where(constant, 0.0, errors)  # of a constant, the error is a rounding error

    def p_values(self, epsilon: float, least_variance: float = 0.0) -> list[float]:
        """Returns the one-sided p-value of mean(d) ≥ ε for each rater.

        Args:
            epsilon: ε.
            least_variance: The least variance of d that counts.
        """
        freedom = np.maximum(1, np.array(self.groups) - 1)
        p_values = t_test_p(self._means - epsilon, self._errors, freedom, least_variance / np.array(self.n))
        for index, row in enumerate(self._differences):
            if self.is_by_ranks(index, least_variance):
                p_values[index] = signed_rank_p(row - epsilon)
        return [float(p) for p in p_values]

    def is_by_ranks(self, index: int, least_variance: float = 0.0) -> bool:
        """Whether a rater is tested by the signed-rank test: few independent units, whose variance has no floor."""
        is_few = self.n[index] == self.groups[index] < MIN_UNITS
        return is_few and not least_variance and bool(self._errors[index] > 0)


def t_test_p(means: Floats, errors: Floats, freedom: Any, least_variance: Any) -> Floats:
    """Computes one-sided p-values of means ≥ 0 from their standard errors, of the variance `least_variance` or more.

    Without a standard error, p is 0 for a mean below 0, otherwise 1.
    """
    from scipy.special import stdtr

    errors = np.sqrt(np.maximum(errors**2, least_variance))
    p_values: Floats = stdtr(freedom, means / np.where(errors > 0, errors, 1.0))
    return np.where(errors > 0, p_values, np.where(means < 0, 0.0, 1.0))


def matrices_of(
    judge: Mapping[Hashable, Any], humans: Mapping[str, Mapping[Hashable, Any]], *, as_labels: bool
) -> tuple[list[Hashable], Floats, Floats]:
    """Turns mappings into arrays, with one column for each unit that a rater rated.

    Args:
        judge: Unit to judgement.
        humans: Rater to the rating of each unit.
        as_labels: Whether values are labels, which are numbered.

    Returns:
        The units; the judgements, shape (units,); the ratings, shape (raters, units).

    Raises:
        InputError: if there are no raters, or a value is neither a finite number nor, if ``as_labels``, hashable.
    """
    if not isinstance(judge, Mapping) or not isinstance(humans, Mapping):
        raise InputError("'judge' must map units to judgements, and 'humans' raters to mappings from units to ratings")
    if not humans:
        raise InputError("'humans' must have at least one rater, got none")
    units = list(dict.fromkeys(unit for rated in humans.values() for unit in rated))
    codes: dict[Any, float] | None = {} if as_labels else None
    ratings = [_row(rated, units, f"humans[{rater!r}]", codes) for rater, rated in humans.items()]
    matrix = np.array(ratings, dtype=np.float64).reshape(len(humans), len(units))
    return units, np.array(_row(judge, units, "judge", codes), dtype=np.float64), matrix


def _row(
    values: Mapping[Hashable, Any], units: list[Hashable], name: str, codes: dict[Any, float] | None
) -> list[float]:
    row = []
    for unit in units:
        value = values.get(unit)
        if value is None or (isinstance(value, (float, np.floating)) and math.isnan(value)):
            row.append(math.nan)
        elif codes is None:
            row.append(_number(value, f"{name}[{unit!r}]"))
        else:
            row.append(codes.setdefault(value, float(len(codes))))
    return row


def _number(value: Any, name: str) -> float:
    try:
        number = float(value) if not isinstance(value, str) else math.nan
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"'{name}' must be a finite number, got {shown(value)}; labels need the scoring 'accuracy'")
    return number


def signed_rank_p(differences: Floats) -> float:
    """Computes the one-sided p-value that differences are symmetric around 0, against smaller ones.

    Zeros are dropped. Tied absolute values get the mean of their ranks. The null distribution of the sum of positive
    ranks is computed exactly, given these ranks: each sign is + or − with probability ½.

    Args:
        differences: Shape (n,), without NaN.

    Returns:
        The probability of a sum of positive ranks that is at most the observed one; 1 if all differences are 0.

    Source: Wilcoxon (Biometrics Bulletin, 1945); Pratt (1959) describes the treatment of zeros.

    >>> signed_rank_p(np.array([-1.0, -2.0, -3.0, 0.5]))
    0.125
    """
    differences = differences[differences != 0]
    _, places, counts = np.unique(np.abs(differences), return_inverse=True, return_counts=True)
    doubled = (2 * np.cumsum(counts) - counts + 1)[places]  # mid-ranks are multiples of ½
    return _at_most(tuple(np.sort(doubled).tolist()), int(doubled[differences > 0].sum()))


@lru_cache(maxsize=1024)
def _at_most(ranks: tuple[int, ...], observed: int) -> float:
    """Returns the probability that the sum of ranks with random signs is at most the observed one.

    A sweep over ε changes the differences, but rarely their ranks.
    """
    ways = np.zeros(observed + 1)
    ways[0] = 1.0
    for rank in ranks:
        sums = ways.copy()
        sums[rank:] += ways[: max(0, len(ways) - rank)]
        ways = sums / 2  # probabilities, which stay in the range of floats
    return min(1.0, math.fsum(ways))


_TIE = 1e-12


class Wins(NamedTuple):
    """Who is at least as good as the other; shape (raters, units) each, NaN where a rater has no rating.

    Attributes:
        judge: 1 where the judge is at least as good as the rater, else 0; for ranks, a probability.
        rater: 1 where the rater is at least as good as the judge, else 0; for ranks, a probability.
    """

    judge: Floats
    rater: Floats


class ScoringRule(ABC):
    """Compares a judge with each rater, by how well both agree with the other raters of the same unit.

    Scores that differ by rounding error only are tied, and both are then at least as good as the other.

    Attributes:
        name: The name of the scoring.
        compares_labels: Whether it compares labels, which are numbered.
    """

    name: ClassVar[Scoring]
    compares_labels: ClassVar[bool] = False

    @classmethod
    @abstractmethod
    def wins(cls, judge: Floats, ratings: Floats) -> Wins:
        """Compares a judge with each rater.

        Args:
            judge: The judgement of each unit, shape (units,), or (studies, units), without NaN.
            ratings: Shape (raters, units), or (raters, studies, units); NaN is no rating. Each unit has at least two
                ratings.
        """


class Accuracy(ScoringRule):
    """The share of the other raters who gave the same label."""

    name: ClassVar[Scoring] = "accuracy"
    compares_labels: ClassVar[bool] = True

    @classmethod
    @overrides
    def wins(cls, judge: Floats, ratings: Floats) -> Wins:
        rated = ~np.isnan(ratings)
        by_judge, by_rater = _agreements(judge, ratings, rated)
        return _masked(by_judge >= by_rater, by_rater >= by_judge, rated)


class NegativeError(ScoringRule):
    """The negative root mean squared error, −√(mean squared difference from the other ratings).

    With m the mean of the other ratings, the mean squared difference is (x − m)² plus their variance, so that the
    closer one to m is better.
    """

    name: ClassVar[Scoring] = "neg_rmse"

    @classmethod
    @overrides
    def wins(cls, judge: Floats, ratings: Floats) -> Wins:
        rated = ~np.isnan(ratings)
        scale = power_of_two(judge, ratings)
        judge, ratings = judge / scale, ratings / scale  # sums of ratings near 1e308 would overflow
        means = _means_of_the_others(ratings, rated)
        by_judge, by_rater = np.abs(judge - means), np.abs(ratings - means)
        tolerance = _TIE * np.maximum(np.abs(judge), np.maximum(np.abs(ratings), np.abs(means)))
        return _masked(by_judge <= by_rater + tolerance, by_rater <= by_judge + tolerance, rated)


class Ranks(ScoringRule):
    """The negative error of ranks instead of ratings, for a random order of tied values; see `rank_wins`."""

    name: ClassVar[Scoring] = "ranks"

    @classmethod
    @overrides
    def wins(cls, judge: Floats, ratings: Floats) -> Wins:
        closer = rank_wins(judge, ratings, ~np.isnan(ratings))
        return Wins(closer, 1 - closer)


RULES: dict[Scoring, type[ScoringRule]] = {rule.name: rule for rule in (Accuracy, NegativeError, Ranks)}
"""Name to scoring."""


def _masked(judge: Bools, rater: Bools, rated: Bools) -> Wins:
    return Wins(np.where(rated, judge, np.nan), np.where(rated, rater, np.nan))


def _agreements(judge: Floats, ratings: Floats, rated: Bools) -> tuple[Floats, Floats]:
    """Counts the other raters of each unit who agree with the judge, and with each rater; shape (raters, units)."""
    same = rated & (ratings == judge)
    by_judge = same.sum(axis=0) - same
    units = np.broadcast_to(np.arange(judge.size).reshape(judge.shape), ratings.shape)[rated]
    labels = np.unique(ratings[rated], return_inverse=True)[1]
    pairs = units * (labels.max(initial=0) + 1) + labels
    _, group, sizes = np.unique(pairs, return_inverse=True, return_counts=True)
    by_rater = np.zeros(ratings.shape)
    by_rater[rated] = sizes[group] - 1
    return by_judge.astype(np.float64), by_rater


def _means_of_the_others(ratings: Floats, rated: Bools) -> Floats:
    """Returns for each rating the mean of the other ratings of its unit, shape (raters, units)."""
    others = np.where(rated, np.nansum(ratings, axis=0) - ratings, np.nan)
    return np.asarray(others / (rated.sum(axis=0) - 1))


class _Spans(NamedTuple):
    """The ranks that values may have when ties are broken at random, as fractions: any between two ends."""

    lower: Floats
    upper: Floats


def rank_wins(judge: Floats, ratings: Floats, rated: Bools) -> Floats:
    """Returns the probability that the judge's rank is closer than the rater's to the other raters' mean rank.

    Ranks are fractions, among the units of one rater. The judge is ranked among the units of the rater it is compared
    with. Tied values share a span of ranks, and the probability is that for ranks drawn from both spans. The mean rank
    alone would not do: that of a constant is ½ everywhere, and closer to the others than most raters' ranks.

    Args:
        judge: The judgement of each unit, shape (units,) or (studies, units).
        ratings: Shape (raters, …) of the same units, NaN without a rating.
        rated: Where there is a rating.

    Returns:
        The shape of the ratings, NaN without a rating.
    """
    of_raters = _spans(ratings, rated)
    if rated.all():
        of_judge = _Spans(*(np.broadcast_to(ends, ratings.shape) for ends in _spans(judge, rated[0])))
    else:
        of_judge = _spans(np.where(rated, judge, np.nan), rated)
    middles = (of_raters.lower + of_raters.upper) / 2
    others = np.where(rated, np.nansum(middles, axis=0) - middles, np.nan) / (rated.sum(axis=0) - 1)
    return probability_of_closer(others, of_judge, of_raters)


def _spans(values: Floats, rated: Bools) -> _Spans:
    """Returns the spans of ranks along the last axis, NaN for values that are NaN."""
    order = np.argsort(values, axis=-1)  # NaN last
    ranked = np.take_along_axis(values, order, axis=-1)
    first, last = tie_ends(ranked)
    number = np.maximum(1, rated.sum(axis=-1, keepdims=True))
    found = []
    for edge in (first, last + 1):
        spans = np.empty(values.shape)
        np.put_along_axis(spans, order, edge / number, axis=-1)
        found.append(np.where(rated, spans, np.nan))
    return _Spans(*found)


def probability_of_closer(target: Floats, first: tuple[Floats, Floats], second: tuple[Floats, Floats]) -> Floats:
    """Returns the probability that a uniform number is closer to a target than another one; arrays of one shape.

    The distance of a uniform number from a target is uniform on up to two pieces: twice as dense where both sides of
    the target are in the span.

    Args:
        target: The targets.
        first: The ends of the spans of the first numbers, which differ.
        second: The ends of the spans of the second numbers.

    >>> import numpy as np
    >>> first, second = (np.array([0.4]), np.array([0.6])), (np.array([0.0]), np.array([1.0]))
    >>> probability_of_closer(np.array([0.5]), first, second).round(3)
    array([0.9])
    """
    total = np.zeros(np.shape(target))
    for weight, start, end in _pieces(target, *first):
        for other_weight, other_start, other_end in _pieces(target, *second):
            total = total + weight * other_weight * _smaller(start, end, other_start, other_end)
    return total


def _pieces(target: Floats, lower: Floats, upper: Floats) -> list[tuple[Floats, Floats, Floats]]:
    """Returns the pieces on which a distance is uniform: probability, start and end."""
    below, above = target - lower, upper - target
    near, far = np.minimum(np.abs(below), np.abs(above)), np.maximum(np.abs(below), np.abs(above))
    inside = (below > 0) & (above > 0)
    both_sides = np.where(inside, 2 * near / (upper - lower), 0.0)
    return [(both_sides, np.zeros_like(near), near), (1 - both_sides, near, far)]


def _smaller(start: Floats, end: Floats, other_start: Floats, other_end: Floats) -> Floats:
    """Returns the probability that a uniform number is smaller than another one."""
    width = np.where(end > start, end - start, 1.0)
    other_width = np.where(other_end > other_start, other_end - other_start, 1.0)

    def area(at: Floats) -> Floats:
        """Integrates the distribution function of the first number."""
        return np.asarray(np.clip(at - start, 0.0, width) ** 2 / (2 * width) + np.maximum(at - end, 0.0))

    return np.asarray((area(other_end) - area(other_start)) / other_width)
