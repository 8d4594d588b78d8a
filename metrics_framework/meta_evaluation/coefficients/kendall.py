"""Kendall's family: coefficients of pairs of outputs that two scores order alike, differently, or tie.

They share intervals of τ; those of accuracies a are intervals of τ = 2a − 1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.common.errors import InputError
from metrics_framework.common.overriding import overrides
from metrics_framework.meta_evaluation.choices import CoefficientOptions, Level
from metrics_framework.meta_evaluation.coefficients.calibration import calibrated
from metrics_framework.meta_evaluation.coefficients.coefficient import (
    UNDEFINED,
    Centre,
    Coefficient,
    GroupCoefficient,
    PairCoefficient,
)
from metrics_framework.meta_evaluation.coefficients.rank_swaps import is_linear, linear_differences
from metrics_framework.meta_evaluation.groups.score_pair import ScorePair
from metrics_framework.meta_evaluation.groups.swaps import Swaps
from metrics_framework.meta_evaluation.groups.weighted_groups import EQUAL, PairSums, Ties, WeightedGroups, shares

MAX_EXACT = 33
"""For up to this many points without ties, the p-value is exact."""


TIES_MATTER = "deutsch-etal-2023-ties"


class GivenEpsilon(Coefficient):
    """A coefficient with an ε that is 0 unless it is given, and is never calibrated."""

    @overrides
    def fitted(
        self, scores: ScorePair, level: Level, options: CoefficientOptions
    ) -> tuple[CoefficientOptions, Mapping[str, Any]]:
        if options.epsilon is None:
            return options, {}
        return options, {"epsilon": options.epsilon, "epsilon_source": options.epsilon_source}


class KendallFamily(GroupCoefficient):
    """A coefficient of pairs of outputs whose interval over systems is that of Kendall's τ."""

    interval_over_systems: ClassVar[str] = "fisher-shrunken"

    @overrides
    def shrunken(self, scores: ScorePair, value: float) -> Centre | None:
        """Returns t = τ·P/(P + 1), P the number of pairs of systems that neither score ties, and Fieller's error."""
        groups = next(groups for _, groups in scores.groups("system", None, None))
        pairs = float(groups.pair_sums(EQUAL).untied[0, 0])
        tau = 2 * self.on_unit_scale(value) - 1
        return (tau * pairs / (pairs + 1), fieller_error(scores.points("system"))) if pairs else UNDEFINED

    @overrides
    def swapped_differences(self, swaps: Swaps, first: str, second: str) -> Floats | None:
        return linear_differences(self, swaps, first, second) if is_linear(self) else None


class Kendall(KendallFamily):
    """One of Kendall's τ."""

    @overrides
    def swapped_differences(self, swaps: Swaps, first: str, second: str) -> Floats | None:
        return linear_differences(self, swaps, first, second)

    @overrides
    def fisher(self, value: float, points: int) -> Centre | None:
        return value, fieller_error(points)


class Accuracy(KendallFamily, PairCoefficient):
    """The share of pairs of outputs that the metric orders, or ties, as people do."""

    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    is_linear: ClassVar[bool] = True
    ceiling_splits: ClassVar[int] = 20  # all pairs of outputs are compared in each

    @overrides
    def of_pairs(self, sums: PairSums) -> Floats:
        return shares(sums.agreeing(), sums.total)


@Coefficient.register("kendall-a")
class KendallA(Kendall, PairCoefficient):
    """Kendall's τ-a = (C − D)/T, of concordant, discordant and all pairs; undefined if a score is constant."""

    title = "Kendall τ-a"
    citation = "kendall-1938-new"

    @overrides
    def of_pairs(self, sums: PairSums) -> Floats:
        defined = (sums.untied_human > 0) & (sums.untied_metric > 0)
        return np.where(defined, shares(sums.surplus, sums.total), np.nan)


@Coefficient.register("kendall-b", "kendall")
class KendallB(Kendall, PairCoefficient):
    """Kendall's τ-b = (C − D)/√((T − T_h)(T − T_m)).

    C and D are concordant and discordant pairs, T all pairs, T_h and T_m those tied in the human scores and in the
    metric.
    """

    title = "Kendall τ-b"
    citation = "kendall-1945-treatment"
    sacrerouge_name = ("kendall", "tau")

    @overrides
    def of_pairs(self, sums: PairSums) -> Floats:
        return shares(sums.surplus, np.sqrt(sums.untied_human * sums.untied_metric))

    @overrides
    def p_value(self, human: Floats, metric: Floats) -> float | None:
        """Returns the two-sided p-value: exact for few points without ties, otherwise asymptotic.

        The choice between the two and the variance with ties follow SciPy's ``kendalltau`` (Kendall 1970).

        >>> KendallB().p_value(np.array([1.0, 2, 3, 4]), np.array([1.0, 2, 4, 3]))
        0.3333333333333333
        """
        n = len(human)
        groups = next(groups for _, groups in ScorePair(human[None], metric[None]).groups("global", None, None))
        sums = groups.pair_sums(EQUAL)
        total, untied_human, untied_metric, untied, surplus = (
            int(one[0, 0]) for one in (sums.total, sums.untied_human, sums.untied_metric, sums.untied, sums.surplus)
        )
        if not untied_human or not untied_metric:
            return math.nan
        fewest = min((untied - surplus) // 2, total - (untied - surplus) // 2)
        if untied_human == untied_metric == total and (n <= MAX_EXACT or fewest <= 1):
            return _exact_kendall_p(n, fewest)
        return math.erfc(abs(surplus) / math.sqrt(_kendall_variance(human, metric)) / math.sqrt(2))


def _exact_kendall_p(n: int, inversions: int) -> float:
    """Returns twice the fraction of the permutations of n that have at most this number of inversions."""
    if n > 170:  # n! exceeds the range of floats; such a p-value is 0
        return 0.0
    counts = [1] + [0] * inversions
    for size in range(2, n + 1):
        running, sums = 0, []
        for index, count in enumerate(counts):
            running += count - (counts[index - size] if index >= size else 0)
            sums.append(running)
        counts = sums
    return min(1.0, 2 * sum(counts) / math.factorial(n))


def _kendall_variance(x: Floats, z: Floats) -> float:
    """Computes the variance of C − D with ties (Kendall 1970)."""
    n = len(x)
    m, sums = n * (n - 1), []
    for values in (x, z):
        c = [int(count) for count in np.unique(values, return_counts=True)[1]]
        pairs, triples = sum(k * (k - 1) // 2 for k in c), sum(k * (k - 1) * (k - 2) for k in c)
        sums.append((pairs, triples, sum(k * (k - 1) * (2 * k + 5) for k in c)))
    of_x, of_z = sums
    variance = (m * (2 * n + 5) - of_x[2] - of_z[2]) / 18 + 2 * of_x[0] * of_z[0] / m
    return variance + (of_x[1] * of_z[1] / (9 * m * (n - 2)) if n > 2 else 0)


@Coefficient.register("kendall-c")
class KendallC(Kendall):
    """Kendall's τ-c = 2(C − D)/(n²(m − 1)/m), m the smaller number of distinct scores; undefined if m is 1."""

    title = "Kendall τ-c"
    citation = "stuart-1953-estimation"

    @overrides
    def of_groups(self, groups: WeightedGroups, options: CoefficientOptions) -> Floats:
        sums, distinct = groups.pair_sums(EQUAL), groups.least_distinct()
        with np.errstate(invalid="ignore", divide="ignore"):
            values = 2 * sums.surplus * distinct / (sums.points**2 * (distinct - 1))
        return np.where(distinct > 1, np.clip(values, -1, 1), np.nan)


@Coefficient.register("kendall-like")
class KendallLike(KendallFamily, PairCoefficient):
    """(C − D)/(C + D) over pairs whose human scores differ by a threshold or more; ties in the metric are discordant.

    The mean over groups pools their pairs. Source: the metrics tasks of WMT until 2020.
    """

    title = "Kendall-like"
    citation = "mathur-etal-2020-results"
    uses: ClassVar[frozenset[str]] = frozenset({"threshold"})
    is_linear: ClassVar[bool] = True

    @overrides
    def ties(self, options: CoefficientOptions) -> Ties:
        return Ties(threshold=options.threshold or 0.0)

    @overrides
    def of_pairs(self, sums: PairSums) -> Floats:
        return shares(sums.surplus - (sums.untied_human - sums.untied), sums.untied_human)

    @overrides
    def importance(self, groups: WeightedGroups, options: CoefficientOptions) -> Floats | None:
        return groups.pair_sums(self.ties(options)).untied_human

    @overrides
    def fitted(
        self, scores: ScorePair, level: Level, options: CoefficientOptions
    ) -> tuple[CoefficientOptions, Mapping[str, Any]]:
        if (threshold := options.threshold or 0.0) < 0:
            raise InputError(f"'threshold' must be at least 0 for 'kendall-like', got {threshold:g}")
        return options, {"threshold": threshold}


@Coefficient.register("tau-23")
class Tau23(GivenEpsilon, KendallFamily, PairCoefficient):
    """τ_23 = (C + T_hm − D − T_h − T_m)/T, which is 2·acc_23 − 1, with a given ε (by default 0).

    C and D are concordant and discordant pairs, T_h and T_m those tied in one score only, T_hm in both, T all pairs.

    Source: Deutsch, Foster and Freitag (2023), "Ties Matter".
    """

    title = "τ_23"
    citation = TIES_MATTER
    uses: ClassVar[frozenset[str]] = frozenset({"epsilon"})
    is_linear: ClassVar[bool] = True

    @overrides
    def of_pairs(self, sums: PairSums) -> Floats:
        return shares(2 * sums.agreeing() - sums.total, sums.total)  # one division of integers, as mt-metrics-eval


@Coefficient.register("acc-23")
class Acc23(GivenEpsilon, Accuracy):
    """acc_23 = (C + T_hm)/T, of concordant pairs, pairs tied in both scores, and all, with a given ε (by default 0).

    Source: Deutsch, Foster and Freitag (2023), "Ties Matter".
    """

    title = "acc_23"
    citation = TIES_MATTER
    uses: ClassVar[frozenset[str]] = frozenset({"epsilon"})


@Coefficient.register("acc-eq")
class AccEq(Accuracy):
    """acc-eq, (C + T_hm)/T with tie calibration: ε is the one that maximizes it, unless one is given.

    Source: Deutsch, Foster and Freitag (2023), "Ties Matter: Meta-Evaluating Modern Metrics with Pairwise Accuracy and
    Tie Calibration".
    """

    title = "acc-eq"
    citation = TIES_MATTER
    uses: ClassVar[frozenset[str]] = frozenset({"epsilon"})
    calibrates_epsilon: ClassVar[bool] = True
    fits = "epsilon"

    @overrides
    def with_given_epsilon(self, options: CoefficientOptions) -> CoefficientOptions:
        raise InputError(
            f"'epsilon' must be 0 for '{self.name}', got {options.epsilon}; it calibrates epsilon on the data: pass a "
            "given one to 'acc-23'"
        )

    @overrides
    def fit(self, scores: ScorePair, level: Level, options: CoefficientOptions) -> Mapping[str, Any]:
        epsilon = calibrated(scores, level).epsilon
        source = "calibrated on another data set"
        return {} if math.isnan(epsilon) else {"epsilon": epsilon, "epsilon_source": source}

    @overrides
    def fitted(
        self, scores: ScorePair, level: Level, options: CoefficientOptions
    ) -> tuple[CoefficientOptions, Mapping[str, Any]]:
        found = calibrated(scores, level)
        at_extremes = {"accuracy_at_zero": found.accuracy_at_zero, "accuracy_all_tied": found.accuracy_all_tied}
        if options.epsilon is not None:
            source = options.epsilon_source
            return options, {"epsilon": options.epsilon, "epsilon_source": source, **at_extremes}
        details = {"epsilon": found.epsilon, "epsilon_source": "calibrated on these data", **at_extremes}
        epsilon = 0.0 if math.isnan(found.epsilon) else found.epsilon
        return replace(options, epsilon=epsilon), {**details, "tied": found.tied}


@Coefficient.register("pairwise-accuracy")
class PairwiseAccuracy(Accuracy):
    """The share of pairs of systems that the means of the metric order, or tie, as those of the human scores do.

    Source: Kocmi et al. (2021), "To Ship or Not to Ship".
    """

    title = "pairwise accuracy"
    citation = "kocmi-etal-2021-ship"
    levels: ClassVar[tuple[Level, ...]] = ("system",)

    @overrides
    def pooling_weight(self, systems: int) -> float | None:
        return systems * (systems - 1) / 2


def fieller_error(points: int) -> float:
    """Returns the standard error √(.437/(n − 4)) of artanh τ; NaN for fewer than five points.

    Source: Fieller, Hartley and Pearson (Biometrika, 1957); the constant as in Bonett and Wright (2000).
    """
    return math.sqrt(0.437 / (points - 4)) if points > 4 else math.nan
