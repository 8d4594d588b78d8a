"""How closely a judge agrees with raters, how closely raters agree with each other, and how harsh a judge is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metrics_framework.meta_evaluation.coefficients.large_values import power_of_two
from metrics_framework.meta_evaluation.estimates import Interval
from metrics_framework.meta_evaluation.judges.pair_agreement import RatedPairs, judge_pairs, rater_pairs
from metrics_framework.meta_evaluation.judges.unit_resamples import UnitResamples, mean_of_defined
from metrics_framework.significance.arrays import Floats

FEWEST_SHARED = 10
"""Pairs of raters who share fewer units are left out."""


@dataclass(frozen=True)
class PairAgreement:
    """The agreement of two raters, or of a judge with a rater.

    Attributes:
        rater1: The first rater; empty for a judge.
        rater2: The second rater.
        n: The number of units that both rated.
        alpha: Krippendorff's α: nominal for labels, else at the interval level; NaN if undefined.
        kappa: Cohen's κ: unweighted for labels, else with quadratic weights; NaN if undefined.
    """

    rater1: str
    rater2: str
    n: int
    alpha: float
    kappa: float


@dataclass(frozen=True)
class MeanAgreement:
    """The mean agreement of pairs.

    Attributes:
        alpha: The mean of α over the pairs for which it is defined.
        kappa: The mean of κ.
        pairs: The agreement of each pair.
    """

    alpha: Interval
    kappa: Interval
    pairs: Sequence[PairAgreement]


@dataclass(frozen=True)
class JudgeAgreement(MeanAgreement):
    """The agreement of a judge with each rater.

    Attributes:
        signed_error: The mean over units of the judgement minus the mean rating: above 0, the judge is lenient. `None`
            for labels.
        spread: The standard deviation of the judge divided by that of a rater: the roots of their mean variances over
            the units of each rater. `None` for labels.
    """

    signed_error: Interval | None = None
    spread: Interval | None = None


def agreement_of_raters(
    ratings: Floats, raters: Sequence[str], resamples: UnitResamples, *, as_labels: bool
) -> MeanAgreement:
    """Returns the mean pairwise agreement of raters, over the pairs who share at least ten units.

    Args:
        ratings: Shape (raters, units), NaN without a rating.
        raters: The names of the raters.
        resamples: How units are resampled.
        as_labels: Whether numbers are labels.
    """
    pairs, indices = rater_pairs(ratings, FEWEST_SHARED, as_labels=as_labels)
    names = [(raters[first], raters[second]) for first, second in indices]
    alpha, kappa, _ = _means(pairs, resamples)
    return MeanAgreement(alpha, kappa, _by_pair(pairs, names))


def agreement_of_judge(
    judge: Floats, ratings: Floats, raters: Sequence[str], resamples: UnitResamples, *, as_labels: bool
) -> JudgeAgreement:
    """Returns the agreement of a judge with each rater.

    Args:
        judge: Shape (units,), without NaN.
        ratings: Shape (raters, units), NaN without a rating.
        raters: The names of the raters.
        resamples: How units are resampled.
        as_labels: Whether numbers are labels.
    """
    pairs = judge_pairs(judge, ratings, as_labels=as_labels)
    alpha, kappa, spread = _means(pairs, resamples)
    by_pair = _by_pair(pairs, [("", rater) for rater in raters])
    if as_labels:
        return JudgeAgreement(alpha, kappa, by_pair)
    return JudgeAgreement(alpha, kappa, by_pair, _signed_error(judge, ratings, resamples), spread)


def _by_pair(pairs: RatedPairs, names: Sequence[tuple[str, str]]) -> list[PairAgreement]:
    sums = pairs.sums(np.ones(pairs.shape[1]))
    numbers = zip(names, sums.n, sums.alpha(), sums.kappa(), strict=True)
    return [PairAgreement(*name, int(n), float(alpha), float(kappa)) for name, n, alpha, kappa in numbers]


def _means(pairs: RatedPairs, resamples: UnitResamples) -> tuple[Interval, Interval, Interval]:
    """Returns the means over pairs of α and κ, and the ratio of standard deviations."""
    values = _summary(pairs, np.ones((1, pairs.shape[1])))
    drawn = np.hstack([_summary(pairs, weights) for weights in resamples.blocks(pairs.shape[0])])
    alpha, kappa, spread = (
        resamples.normal_interval(float(value[0]), row, largest)
        for value, row, largest in zip(values, drawn, (1.0, 1.0, math.inf), strict=True)
    )
    return alpha, kappa, spread


def _summary(pairs: RatedPairs, weights: Floats) -> Floats:
    """Returns mean α, mean κ and the ratio of standard deviations, shape (3, resamples)."""
    sums = pairs.sums(weights)
    of_x, of_y = (mean_of_defined(np.maximum(variances, 0.0)) for variances in sums.variances())
    positive = of_y > 0
    ratio = np.where(positive, np.sqrt(of_x / np.where(positive, of_y, 1.0)), np.nan)
    return np.array([mean_of_defined(sums.alpha()), mean_of_defined(sums.kappa()), ratio])


def _signed_error(judge: Floats, ratings: Floats, resamples: UnitResamples) -> Interval:
    rated = ~np.isnan(ratings)
    scale = power_of_two(judge, ratings)  # sums near 1e308 would overflow
    errors = np.where(rated, judge / scale - ratings / scale, 0.0).sum(axis=0) / rated.sum(axis=0)
    drawn = np.concatenate([weights @ errors / weights.sum(axis=1) for weights in resamples.blocks()])
    return resamples.interval(float(errors.mean()) * scale, drawn * scale)
