"""Prediction-powered means of systems and of their differences, and corrected shares of pass/fail judges."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation.estimates import Interval
from metrics_framework.meta_evaluation.estimation.misclassified_shares import misclassification
from metrics_framework.meta_evaluation.estimation.names import FEWEST_PAIRS, ErrorsOf, Tuning
from metrics_framework.meta_evaluation.estimation.predicted_means import PredictedMean, predicted_mean
from metrics_framework.significance.arrays import Bools, Floats
from metrics_framework.significance.multiple_testing import holm
from metrics_framework.significance.proportions import Proportion, wilson


@dataclass(frozen=True)
class RatedScores:
    """Ratings of some outputs, and a judge's scores of these and others.

    Args:
        systems: The systems.
        ratings: Shape (systems, inputs), NaN without a rating.
        scores: Shape (systems, inputs), NaN without a score.
        clusters: The cluster of each input; by default each input is one.
    """

    systems: Sequence[str]
    ratings: Floats
    scores: Floats
    clusters: Sequence[Hashable] | None = None

    def clusters_of(self, inputs: Bools) -> list[Hashable] | None:
        """Returns the clusters of some inputs."""
        if self.clusters is None:
            return None
        return [cluster for cluster, used in zip(self.clusters, inputs, strict=True) if used]


@dataclass(frozen=True)
class SystemMean:
    """The mean of a system.

    Attributes:
        system: The system.
        mean: The estimate; `None` without an output that has a rating and a score.
        ratings_without_score: The number of ratings that are not used, because the output has no score.
    """

    system: str
    mean: PredictedMean | None
    ratings_without_score: int


@dataclass(frozen=True)
class MeanDifference:
    """The difference of two systems on the same inputs.

    Attributes:
        system1: The first system.
        system2: The second system.
        rated: The number of inputs whose outputs are both rated.
        mean: The mean of the first minus the second; `None` for fewer than ten such inputs.
        p_value: The two-sided p-value of no difference; NaN if undefined.
        p_adjusted: The same with Holm's correction.
    """

    system1: str
    system2: str
    rated: int
    mean: PredictedMean | None
    p_value: float
    p_adjusted: float


@dataclass(frozen=True)
class ShareEstimate:
    """The share of good outputs of a system, by a pass/fail judge.

    Attributes:
        system: The system.
        rated: The share of good ones among the rated outputs, with Wilson's interval.
        predicted: The prediction-powered share, within [0, 1]; `None` without rated outputs.
        corrected: The share corrected for the errors of the judge (Rogan and Gladen); NaN if undefined.
        judged: The share that the judge calls good among the unrated outputs, with Wilson's interval.
        sensitivity: The share that the judge calls good among good outputs, with Wilson's interval.
        specificity: The share that it calls bad among bad outputs, with Wilson's interval.
        counts: The number of unrated outputs, of bad and of good rated ones: n, m₀ and m₁.
        reason: Why the corrected share is undefined; empty if it is not.
    """

    system: str
    rated: Proportion
    predicted: PredictedMean | None
    corrected: Interval
    judged: Proportion
    sensitivity: Proportion
    specificity: Proportion
    counts: tuple[int, int, int]
    reason: str


def system_means(data: RatedScores, tuning: Tuning = "free", confidence: float = 95) -> list[SystemMean]:
    """Estimates the mean rating of each system; see `predicted_mean`."""
    rows = zip(data.systems, data.ratings, data.scores, strict=True)
    return [
        SystemMean(
            system, _mean(ratings, scores, data, tuning, confidence), int((~np.isnan(ratings) & np.isnan(scores)).sum())
        )
        for system, ratings, scores in rows
    ]


def _mean(
    ratings: Floats, scores: Floats, data: RatedScores, tuning: Tuning, confidence: float
) -> PredictedMean | None:
    scored = ~np.isnan(scores)
    rated, others = scored & ~np.isnan(ratings), scored & np.isnan(ratings)
    if not rated.any():
        return None
    return predicted_mean(
        ratings[rated],
        scores[rated],
        scores[others],
        tuning=tuning,
        confidence=confidence,
        clusters=data.clusters_of(rated),
        unlabelled_clusters=data.clusters_of(others),
    )


def mean_differences(
    data: RatedScores, baseline: str | None = None, tuning: Tuning = "free", confidence: float = 95
) -> list[MeanDifference]:
    """Estimates the differences of systems from their differences on each input.

    Args:
        data: Ratings and scores.
        baseline: The system that all others are compared with; by default all pairs are compared.
        tuning: How λ is chosen.
        confidence: The confidence level.
    """
    numbers = range(len(data.systems))
    pairs = [(a, b) for a in numbers for b in numbers if a < b]
    if baseline is not None:
        against = list(data.systems).index(baseline)
        pairs = [(other, against) for other in numbers if other != against]
    means = []
    counts = []
    for a, b in pairs:
        ratings, scores = data.ratings[a] - data.ratings[b], data.scores[a] - data.scores[b]
        counts.append(int((~np.isnan(ratings + scores)).sum()))
        means.append(_mean(ratings, scores, data, tuning, confidence) if counts[-1] >= FEWEST_PAIRS else None)
    p_values = [math.nan if mean is None else _p_value(mean) for mean in means]
    numbered = zip(pairs, counts, means, p_values, holm(p_values), strict=True)
    return [
        MeanDifference(data.systems[a], data.systems[b], count, mean, p, adjusted)
        for (a, b), count, mean, p, adjusted in numbered
    ]


def _p_value(mean: PredictedMean) -> float:
    from scipy.special import ndtr

    if math.isnan(mean.standard_error):
        return math.nan
    if not mean.standard_error:
        return 1.0 if not mean.value else 0.0
    return float(2 * ndtr(-abs(mean.value / mean.standard_error)))


def share_estimates(
    data: RatedScores, errors_of: ErrorsOf = "system", tuning: Tuning = "free", confidence: float = 95
) -> list[ShareEstimate]:
    """Estimates the share of good outputs of each system from the verdicts of a judge.

    Args:
        data: Ratings and scores: 1 is good, 0 is bad.
        errors_of: Whether the error rates of the judge are estimated from the ratings of the same system, or of all.
        tuning: How λ of the prediction-powered share is chosen.
        confidence: The confidence level.
    """
    return [_share(data, row, errors_of, tuning, confidence) for row in range(len(data.systems))]


def _share(data: RatedScores, row: int, errors_of: ErrorsOf, tuning: Tuning, confidence: float) -> ShareEstimate:
    ratings, verdicts = data.ratings[row], data.scores[row]
    known = (ratings, verdicts) if errors_of == "system" else (data.ratings.ravel(), data.scores.ravel())
    calls_of_good, calls_of_bad = (_known(known[1][known[0] == value]) for value in (1.0, 0.0))
    unrated = _known(verdicts[np.isnan(ratings)])
    judged = _wilson(unrated, confidence)
    sensitivity, specificity = _wilson(calls_of_good, confidence), _wilson(1 - calls_of_bad, confidence)
    counts = (len(unrated), len(calls_of_bad), len(calls_of_good))
    corrected, reason = _corrected(judged, specificity, sensitivity, counts, confidence)
    predicted = _mean(ratings, verdicts, data, tuning, confidence)
    return ShareEstimate(
        data.systems[row],
        _wilson(_known(ratings), confidence),
        None if predicted is None else _limited(predicted),
        corrected,
        judged,
        sensitivity,
        specificity,
        counts,
        reason,
    )


def _known(values: Floats) -> Floats:
    return values[~np.isnan(values)]


def _wilson(values: Floats, confidence: float) -> Proportion:
    return wilson(float(values.sum()), len(values), confidence)


def _limited(mean: PredictedMean) -> PredictedMean:
    value, lower, upper = (
        number if math.isnan(number) else min(1.0, max(0.0, number)) for number in (mean.value, mean.lower, mean.upper)
    )
    return replace(mean, value=value, lower=lower, upper=upper)


def _corrected(
    judged: Proportion, specificity: Proportion, sensitivity: Proportion, counts: tuple[int, int, int], level: float
) -> tuple[Interval, str]:
    n, m0, m1 = counts
    if not (n and m0 and m1):
        missing = ((n, "unrated"), (m0, "rated bad"), (m1, "rated good"))
        absent = [what for count, what in missing if not count]
        return Interval(math.nan), f"no output is {' or '.join(absent)}"
    try:
        estimate = misclassification(
            judged.value, specificity.value, sensitivity.value, n=n, m0=m0, m1=m1, confidence=level
        )
    except InputError as error:
        return Interval(math.nan), str(error)
    return estimate, "" if estimate.is_defined else "too few rated outputs for an interval"
