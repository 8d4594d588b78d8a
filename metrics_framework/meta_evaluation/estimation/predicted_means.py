"""`predicted_mean`: the mean rating of many outputs of which few are rated, with the help of an automatic score."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from metrics_framework.common.errors import InputError, UnknownChoiceError
from metrics_framework.meta_evaluation.coefficients.large_values import power_of_two
from metrics_framework.meta_evaluation.estimates import Interval
from metrics_framework.meta_evaluation.estimation.names import TUNINGS, Tuning
from metrics_framework.significance.arrays import Floats
from metrics_framework.significance.clusters import Clusters
from metrics_framework.significance.confidence_level import as_fraction


@dataclass(frozen=True)
class PredictedMean:
    """A prediction-powered mean with its confidence interval.

    Attributes:
        value: The estimate of the mean rating.
        lower: The lower end of its interval; NaN for fewer than two ratings.
        upper: The upper end.
        tuning: λ, the weight of the scores; 0 is the classical mean.
        standard_error: The standard error.
        classical: The mean of the ratings, with its normal interval.
        rated: The number of outputs with a rating and a score, n.
        unrated: The number of outputs with a score only, N.
        ratings_saved: How many more ratings the classical mean needs for the same standard error,
            n (SE₀² / SE² − 1); NaN if the standard error is 0.
        imbalance: How much larger the mean score of rated outputs is than that of others, in standard errors; NaN
            without unrated outputs.
    """

    value: float
    lower: float
    upper: float
    tuning: float
    standard_error: float
    classical: Interval
    rated: int
    unrated: int
    ratings_saved: float
    imbalance: float


def predicted_mean(
    labels: npt.ArrayLike,
    predictions: npt.ArrayLike,
    unlabelled: npt.ArrayLike,
    *,
    tuning: Tuning = "free",
    confidence: float = 95,
    clusters: Sequence[Hashable] | None = None,
    unlabelled_clusters: Sequence[Hashable] | None = None,
) -> PredictedMean:
    """Estimates the mean rating of outputs of which n have a rating Y and a score F, and N more a score U only.

    θ = λŪ + mean(Y − λF), with SE² = var(λU)/N + var(Y − λF)/n (population variances) and a normal interval. The
    estimate is unbiased for every λ if the rated outputs are a random sample. The best λ is
    cov(Y, F) / ((1 + n/N) var(F ∪ U)).

    Args:
        labels: The ratings Y, shape (n,).
        predictions: The scores F of the same outputs, shape (n,).
        unlabelled: The scores U of the other outputs, shape (N,).
        tuning: ``free`` for the best λ; ``clipped`` to limit it to [0, 1], which suits scores on the scale of the
            ratings only; or λ.
        confidence: The confidence level, a fraction or in percent.
        clusters: The cluster of each rated output; items of a cluster are dependent.
        unlabelled_clusters: The cluster of each other output.

    Raises:
        InputError: if the shapes differ, there is no rating, or a number is not finite.

    Source: Angelopoulos et al. (Science, 2023); λ as in Angelopoulos, Duchi and Zrnic (2023), "PPI++".

    >>> estimate = predicted_mean([3, 4, 2, 5, 1], [3.5, 4, 2.5, 4.5, 2], [3, 2, 4, 4.5, 1.5, 2.5, 3.5, 5, 2, 3])
    >>> round(estimate.tuning, 9), round(estimate.value, 9), round(estimate.lower, 9), round(estimate.upper, 9)
    (0.742857143, 2.851428571, 2.033161153, 3.66969599)
    """
    y, f, u = _checked(labels, predictions, unlabelled)
    y_scale, score_scale = power_of_two(y), power_of_two(f, u)
    if not isinstance(tuning, str):
        y_scale = max(y_scale, power_of_two(tuning * f, tuning * u))  # λ may be large for scaled ratings
    y, f, u = y / y_scale, f / score_scale, u / score_scale
    weight = _weight(y, f, u, tuning, y_scale / score_scale)
    groups = _clusters(clusters, unlabelled_clusters, len(y), len(u))
    z = _normal_quantile(confidence)
    value, error = _estimate(y, f, u, weight, groups)
    mean, classical_error = _estimate(y, f, u, 0.0, groups)
    lower, upper = _ends(value, z * error)
    below, above = _ends(mean, z * classical_error)
    return PredictedMean(
        value=value * y_scale,
        lower=lower * y_scale,
        upper=upper * y_scale,
        tuning=weight * (y_scale / score_scale),
        standard_error=error * y_scale,
        classical=Interval(mean * y_scale, below * y_scale, above * y_scale),
        rated=len(y),
        unrated=len(u),
        ratings_saved=len(y) * ((classical_error / error) ** 2 - 1) if error > 0 else math.nan,
        imbalance=_imbalance(f, u, groups),
    )


def _checked(labels: npt.ArrayLike, predictions: npt.ArrayLike, unlabelled: npt.ArrayLike) -> tuple[Floats, ...]:
    arrays = []
    for name, values in (("labels", labels), ("predictions", predictions), ("unlabelled", unlabelled)):
        array = np.asarray(values, dtype=np.float64)
        if array.ndim != 1:
            raise InputError(f"'{name}' must have the shape (items,), got {array.shape}")
        if not np.isfinite(array).all():
            raise InputError(f"'{name}' must be finite numbers; leave out outputs without a score")
        arrays.append(array)
    if len(arrays[0]) != len(arrays[1]):
        raise InputError(f"'predictions' must have one score for each of {len(arrays[0])} labels, got {len(arrays[1])}")
    if not len(arrays[0]):
        raise InputError("'labels' must have at least one rating, got none")
    return tuple(arrays)


def _weight(y: Floats, f: Floats, u: Floats, tuning: Tuning, scale: float) -> float:
    """Returns λ for scaled values; ``scale`` is what λ must be multiplied by for the original ones."""
    if isinstance(tuning, str) and tuning not in TUNINGS:
        raise UnknownChoiceError("tuning", tuning, (*TUNINGS, "a number"))
    if not len(u):
        return 0.0  # the scores say nothing about other outputs
    if not isinstance(tuning, str):
        if not math.isfinite(tuning):
            raise InputError(f"'tuning' must be free, clipped or a finite number, got {tuning}")
        return tuning / scale
    scores = np.concatenate([f, u])
    if (scores == scores[0]).all():
        return 0.0
    covariance = float(((y - y.mean()) * (f - f.mean())).mean())
    best = covariance / ((1 + len(f) / len(u)) * float(scores.var(ddof=1)))
    return best if tuning == "free" else min(max(best, 0.0), 1 / scale)


def _clusters(
    labelled: Sequence[Hashable] | None, unlabelled: Sequence[Hashable] | None, n: int, others: int
) -> Clusters:
    """Numbers the clusters of rated outputs, followed by the other outputs."""
    if labelled is None and unlabelled is None:
        return Clusters.of(None, n + others)
    return Clusters.of([*(labelled or ()), *(unlabelled or ())], n + others)


def _estimate(y: Floats, f: Floats, u: Floats, weight: float, clusters: Clusters) -> tuple[float, float]:
    """Returns the estimate for a λ, and its standard error: the root of the squared sums over clusters."""
    rectified = y - weight * f
    unrated = weight * u if len(u) else np.zeros(0)
    parts = [(rectified - rectified.mean()) / len(y)]
    parts.append((unrated - unrated.mean()) / len(u) if len(u) else unrated)
    value = float(rectified.mean()) + (float(unrated.mean()) if len(u) else 0.0)
    return value, float(np.linalg.norm(clusters.sums(np.concatenate(parts)))) if len(y) > 1 else math.nan


def _ends(value: float, half_width: float) -> tuple[float, float]:
    return value - half_width, value + half_width


def _normal_quantile(confidence: float) -> float:
    from scipy.special import ndtri

    return float(ndtri((1 + as_fraction(confidence)) / 2))


def _imbalance(f: Floats, u: Floats, clusters: Clusters) -> float:
    if not len(u) or len(f) < 2:
        return math.nan
    parts = np.concatenate([(f - f.mean()) / len(f), (u.mean() - u) / len(u)])
    error = float(np.linalg.norm(clusters.sums(parts)))
    difference = float(f.mean() - u.mean())
    return difference / error if error else (0.0 if not difference else math.copysign(math.inf, difference))
