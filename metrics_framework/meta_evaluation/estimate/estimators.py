"""The mean of few ratings with the help of an automatic score, and the share of good outputs from a judge that errs."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from metrics_framework.common.arrays import Floats
from metrics_framework.common.errors import InputError, UnknownChoiceError
from metrics_framework.common.overriding import overrides
from metrics_framework.meta_evaluation.estimate.request import TUNINGS, Tuning
from metrics_framework.meta_evaluation.groups.moments import power_of_two
from metrics_framework.meta_evaluation.study import Finding
from metrics_framework.significance.clusters import Clusters
from metrics_framework.significance.confidence_level import as_fraction
from metrics_framework.significance.interval_methods import (
    Interval,
    Scale,
    score_ends,
    student_interval,
    student_quantile,
)
from metrics_framework.significance.non_inferiority import skewness

IntervalName = Literal["t", "score", "normal"]
INTERVALS: tuple[IntervalName, ...] = get_args(IntervalName)
VariancesName = Literal["sample", "population"]
VARIANCES: tuple[VariancesName, ...] = get_args(VariancesName)
FEWEST_RATINGS = 4  # from which a regression has a standard error
_NO_ERROR = 1e-12  # a standard error of a share that can only come from rounding


@dataclass(frozen=True)
class PredictedMean(Finding):
    """A prediction-powered mean with its confidence interval.

    Attributes:
        value: The estimate of the mean rating; with the interval ``score`` limited to [0, 1].
        lower: The lower end of its interval; NaN for fewer than two ratings, or clusters of ratings (four with
            ``regression``), and, unless λ is 0, for fewer than two other scores, or clusters.
        upper: The upper end.
        tuning: λ, the weight of the scores; 0 is the classical mean.
        standard_error: The standard error; NaN likewise.
        classical: The mean of the ratings, with the same kind of interval.
        rated: The number of outputs with a rating and a score, n.
        unrated: The number of outputs with a score only, N.
        ratings_saved: How many more ratings the classical mean needs for the same standard error,
            n (SE₀² / SE² − 1); NaN if the standard error is 0.
        imbalance: How much larger the mean score of rated outputs is than that of others, in standard errors; NaN
            without unrated outputs.
        interval: The kind of the intervals: ``t``, ``score`` or ``normal``.
        degrees_of_freedom: Those of Student's t: the number of ratings, or of clusters with ratings, minus 1, or minus
            2 if λ is found by ``regression``.
        skewness: The skewness of the ratings, Σd³/n / (Σd²/n)^1.5 with d = Y − Ȳ, or d summed over each cluster; NaN
            if all ratings are equal.
        rarer: The number of ratings, or of clusters with ratings, of the rarer class if all are 0 or 1, else `None`.
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
    interval: IntervalName
    degrees_of_freedom: int
    skewness: float
    rarer: int | None

    @overrides
    def as_json(self) -> dict[str, Any]:
        classical = {**self.classical.as_json(), "undefined_resamples": None, "reason": self.classical.reason}
        return {**asdict(self), "classical": classical}


def predicted_mean(
    labels: npt.ArrayLike,
    predictions: npt.ArrayLike,
    unlabelled: npt.ArrayLike,
    *,
    tuning: Tuning = "regression",
    variances: VariancesName = "sample",
    interval: IntervalName | None = None,
    confidence: float = 95,
    clusters: Sequence[Hashable] | None = None,
    unlabelled_clusters: Sequence[Hashable] | None = None,
) -> PredictedMean:
    """Estimates the mean rating of outputs of which n have a rating Y and a score F, and N more a score U only.

    θ = λŪ + mean(Y − λF), with SE² = var(λU)/N + var(Y − λF)/n. The estimate is unbiased for every fixed λ if the rated
    outputs are a random sample. The best λ is cov(Y, F) / ((1 + n/N) v), where v is the variance of F (``regression``)
    or of F ∪ U (``free``): λ of the latter is biased if some ratings are far from the rest. λ is 0 if all F are equal.

    The interval is θ ± t·SE with Student's quantile t for n − 1 degrees of freedom. Ratings of 0 and 1 have the score
    interval instead: with p = θ limited to [0, 1], g = p limited to [1/(n + 2), 1 − 1/(n + 2)] and
    h = t² SE² / (g(1 − g)), or t²/n if SE is 0, its ends are (p + h/2 ± √(h(p(1 − p) + h/4))) / (1 + h). For both,
    ``regression`` multiplies var(Y − λF) by (n − 1)/(n − 3), and has n − 2 degrees of freedom. With G clusters with
    ratings, G replaces n in degrees of freedom, the factor and t²/n, and sums over clusters replace items in variances.

    Args:
        labels: The ratings Y, shape (n,).
        predictions: The scores F of the same outputs, shape (n,).
        unlabelled: The scores U of the other outputs, shape (N,).
        tuning: ``regression`` or ``free`` for the best λ, that of ``free`` for the score interval, because a judge that
            is right about all few rated verdicts leaves no error to a regression; ``clipped`` to limit that of ``free``
            to [0, 1], which suits scores on the scale of the ratings only; or λ.
        variances: ``sample`` to divide sums of squares by the number of items, or clusters, minus 1; ``population`` to
            divide them by the number, as ppi-python does.
        interval: ``t``, ``score``, or ``normal`` for θ ± z·SE as in ppi-python, which is too short for few ratings; by
            default ``score`` if all ratings are 0 or 1, else ``t``.
        confidence: The confidence level, a fraction or in percent.
        clusters: The cluster of each rated output; items of a cluster are dependent.
        unlabelled_clusters: The cluster of each other output.

    Raises:
        InputError: if the shapes differ, there is no rating, a number is not finite, the interval is ``score`` and a
            rating is neither 0 nor 1, or there are fewer than four ratings for ``regression``.

    Source: Angelopoulos et al. (Science, 2023); λ as in Angelopoulos, Duchi and Zrnic (2023), "PPI++". The score
    interval is that of Wilson (1927) for g(1 − g)/SE² ratings, the number with the same standard error.

    >>> estimate = predicted_mean([3, 4, 2, 5, 1], [3.5, 4, 2.5, 4.5, 2], [3, 2, 4, 4.5, 1.5, 2.5, 3.5, 5, 2, 3])
    >>> round(estimate.tuning, 9), round(estimate.value, 9), round(estimate.lower, 9), round(estimate.upper, 9)
    (1.007751938, 2.798449612, 1.172923105, 4.42397612)
    """
    y, f, u = _checked(labels, predictions, unlabelled)
    is_binary = bool(((y == 0) | (y == 1)).all())
    kind = _kind(interval, is_binary)
    tuning = "free" if kind == "score" and tuning == "regression" else tuning
    if variances not in VARIANCES:
        raise UnknownChoiceError("variances", variances, VARIANCES)
    groups = _clusters(clusters, unlabelled_clusters, len(y), len(u))
    rated_groups, other_groups = np.split(groups.codes, [len(y)])
    units = len(np.unique(rated_groups))
    if tuning == "regression" and len(u) and len(y) < FEWEST_RATINGS:
        raise InputError(
            f"the weight of the scores by regression needs {FEWEST_RATINGS} outputs with a rating and a score, "
            f"got {len(y)}; rate more, or set 'tuning' to free"
        )
    y_scale, score_scale = power_of_two(y), power_of_two(f, u)
    if not isinstance(tuning, str):
        y_scale = max(y_scale, power_of_two(tuning * f, tuning * u))  # λ may be large for scaled ratings
    y, f, u = y / y_scale, f / score_scale, u / score_scale
    fitted = int(tuning == "regression" and kind != "normal" and bool(len(u) and np.ptp(f)))
    weight = _weight(y, f, u, tuning, y_scale / score_scale, variances)
    intervals = _Intervals(kind, as_fraction(confidence), len(y), units, y_scale)
    factors = _factor(units, variances, fitted), _factor(len(np.unique(other_groups)), variances)
    value, error = _estimate(y, f, u, weight, groups, factors)
    mean, classical_error = _estimate(y, f, u, 0.0, groups, (_factor(units, variances), 1.0))
    estimate = intervals.around(value, error, fitted)
    sums = np.bincount(rated_groups, weights=y - y.mean()).astype(np.float64)
    return PredictedMean(
        value=estimate.value,
        lower=estimate.lower,
        upper=estimate.upper,
        tuning=weight * (y_scale / score_scale),
        standard_error=error * y_scale,
        classical=intervals.around(mean, classical_error),
        rated=len(y),
        unrated=len(u),
        ratings_saved=len(y) * ((classical_error / error) ** 2 - 1) if error > 0 else math.nan,
        imbalance=_imbalance(f, u, groups),
        interval=kind,
        degrees_of_freedom=units - 1 - fitted,
        skewness=skewness(sums[np.unique(rated_groups)]),
        rarer=min(len(np.unique(rated_groups[good])) for good in (y > 0, y == 0)) if is_binary else None,
    )


@dataclass(frozen=True)
class _Intervals:
    """Intervals of estimates from one sample; see `predicted_mean`.

    Args:
        kind: Their kind.
        confidence: The confidence level, a fraction.
        rated: The number of ratings.
        units: The number of clusters with ratings; the number of ratings without clusters.
        scale: What estimates and errors are multiplied by.
    """

    kind: IntervalName
    confidence: float
    rated: int
    units: int
    scale: float

    def around(self, value: float, error: float, fitted: int = 0) -> Interval:
        """Returns an estimate with its interval, from the scaled estimate and its standard error.

        Args:
            value: The estimate.
            error: Its standard error.
            fitted: The number of coefficients that a regression has fitted.
        """
        probability, freedom = (1 + self.confidence) / 2, self.units - 1 - fitted
        if self.kind != "score":
            found = student_interval(value, error, probability, math.inf if self.kind == "normal" else freedom)
            return found.scaled(self.scale)
        quantile = student_quantile(probability, freedom)
        values, errors = np.array([value * self.scale]), np.array([error * self.scale])
        ends = share_ends(values, errors, quantile, self.rated, self.units)
        p, lower, upper = (float(each[0]) for each in ends)
        return Interval(p, lower, upper)


def share_ends(
    values: Floats, errors: Floats, quantile: float, rated: int, units: int
) -> tuple[Floats, Floats, Floats]:
    """Computes score intervals of shares; see `predicted_mean`.

    Args:
        values: The estimates, shape (studies,).
        errors: Their standard errors; NaN for no interval.
        quantile: The quantile t.
        rated: The number of ratings.
        units: The number of clusters with ratings.

    Returns:
        The estimates, limited to [0, 1], and both ends.
    """
    p, least = np.clip(values, 0.0, 1.0), 1 / (rated + 2)
    g = np.clip(p, least, 1 - least)
    ratio = np.where(errors < _NO_ERROR, 1 / math.sqrt(units), errors / np.sqrt(g * (1 - g)))
    return p, *score_ends(p, (quantile * ratio) ** 2)


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


def _kind(interval: IntervalName | None, is_binary: bool) -> IntervalName:
    if interval is None:
        return "score" if is_binary else "t"
    if interval not in INTERVALS:
        raise UnknownChoiceError("interval", interval, INTERVALS)
    if interval == "score" and not is_binary:
        raise InputError("the interval 'score' needs ratings of 0 and 1; use 't'")
    return interval


def _weight(y: Floats, f: Floats, u: Floats, tuning: Tuning, scale: float, variances: VariancesName) -> float:
    """Returns λ for scaled values; ``scale`` is what λ must be multiplied by for the original ones."""
    if isinstance(tuning, str) and tuning not in TUNINGS:
        raise UnknownChoiceError("tuning", tuning, (*TUNINGS, "a number"))
    if not len(u):
        return 0.0  # the scores say nothing about other outputs
    if not isinstance(tuning, str):
        if not math.isfinite(tuning):
            raise InputError(f"'tuning' must be {', '.join(TUNINGS)} or a finite number, got {tuning}")
        return tuning / scale
    items = max(1, len(y) - (variances == "sample"))
    covariance = float((y - y.mean()) @ (f - f.mean())) / items
    scores, count = (f, items) if tuning == "regression" else (np.concatenate([f, u]), len(f) + len(u) - 1)
    variance = float(np.sum((scores - scores.mean()) ** 2)) / count if np.ptp(scores) else 0.0
    if not variance:
        return 0.0
    best = covariance / ((1 + len(f) / len(u)) * variance)
    return min(max(best, 0.0), 1 / scale) if tuning == "clipped" else best


def _clusters(
    labelled: Sequence[Hashable] | None, unlabelled: Sequence[Hashable] | None, n: int, others: int
) -> Clusters:
    """Numbers the clusters of rated outputs, followed by the other outputs."""
    if labelled is None and unlabelled is None:
        return Clusters.of(None, n + others)
    labels = [label for part in (labelled, unlabelled) if part is not None for label in part]
    return Clusters.of(labels, n + others)


def _factor(units: int, variances: VariancesName, fitted: int = 0) -> float:
    """Returns what the mean square of units is multiplied by; NaN for too few."""
    if units < 2 + 2 * fitted:
        return math.nan
    return (1.0 if variances == "population" else units / (units - 1)) * (units - 1) / (units - 1 - 2 * fitted)


def _estimate(
    y: Floats, f: Floats, u: Floats, weight: float, clusters: Clusters, factors: Sequence[float]
) -> tuple[float, float]:
    """Returns the estimate for a λ, and its standard error: the root of the squared sums over clusters.

    ``factors`` are those of the variances of rated and of unrated outputs.
    """
    value, parts = 0.0, []
    for values, factor in zip((y - weight * f, weight * u), factors if weight else (factors[0], 1.0), strict=True):
        mean = float(values.mean()) if len(values) else 0.0
        value += mean
        parts.append((values - mean) * (math.sqrt(factor) / max(1, len(values))))
    return value, float(np.linalg.norm(clusters.sums(np.concatenate(parts))))


def _imbalance(f: Floats, u: Floats, clusters: Clusters) -> float:
    if not len(u) or len(f) < 2:
        return math.nan
    parts = np.concatenate([(f - f.mean()) / len(f), (u.mean() - u) / len(u)])
    error = float(np.linalg.norm(clusters.sums(parts)))
    difference = float(f.mean() - u.mean())
    return difference / error if error else (0.0 if not difference else math.copysign(math.inf, difference))


def misclassification(
    share: float, specificity: float, sensitivity: float, *, n: float, m0: float, m1: float, confidence: float = 95
) -> Interval:
    """Estimates the share of good outputs from the share that a judge calls good, its specificity and sensitivity.

    θ = (p + q₀ − 1) / (q₀ + q₁ − 1), limited to [0, 1]. With z the normal quantile, p̃ = (np + z²/2) / (n + z²),
    ñ = n + z², q̃ = (mq + 1) / (m + 2), m̃ = m + 2 and θ̃ computed from these, the interval has the centre
    θ̃ + 2z² (θ̃ q̃₁(1 − q̃₁)/m̃₁ − (1 − θ̃) q̃₀(1 − q̃₀)/m̃₀) and
    SE² = (p̃(1 − p̃)/ñ + (1 − θ̃)² q̃₀(1 − q̃₀)/m̃₀ + θ̃² q̃₁(1 − q̃₁)/m̃₁) / (q̃₀ + q̃₁ − 1)².

    Args:
        share: The share p that the judge calls good, of ``n`` outputs without ratings.
        specificity: The share q₀ that it calls bad, of ``m0`` bad outputs.
        sensitivity: The share q₁ that it calls good, of ``m1`` good outputs.
        n: The number of judged outputs, of independent ones if they are dependent within clusters; NaN if unknown.
        m0: The number of outputs that are bad according to people, likewise.
        m1: The number of outputs that are good according to people, likewise.
        confidence: The confidence level, a fraction or in percent.

    Returns:
        The share with its interval, limited to [0, 1]; the ends are NaN if q̃₀ + q̃₁ ≤ 1, which needs very few ratings.

    Raises:
        InputError: if a number is out of range, or q₀ + q₁ ≤ 1: such a judge is no better than chance.

    Source: Rogan and Gladen (American Journal of Epidemiology, 1978); the interval is that of Lee et al. (2026).

    >>> estimate = misclassification(0.8, 0.9, 0.85, n=1000, m0=60, m1=140)
    >>> round(estimate.value, 9), round(estimate.lower, 9), estimate.upper
    (0.933333333, 0.859106267, 1.0)
    """
    for name, value in (("share", share), ("specificity", specificity), ("sensitivity", sensitivity)):
        if not 0 <= value <= 1:
            raise InputError(f"'{name}' must be between 0 and 1, got {value:g}")
    for name, count in (("n", n), ("m0", m0), ("m1", m1)):
        if count <= 0:
            raise InputError(f"'{name}' must be positive, got {count}")
    if specificity + sensitivity <= 1:
        raise InputError(
            f"the judge is no better than chance: specificity {specificity:.3g} + sensitivity {sensitivity:.3g} ≤ 1, "
            "so its verdicts say nothing about the share of good outputs"
        )
    value = (share + specificity - 1) / (specificity + sensitivity - 1)
    value = min(1.0, max(0.0, value))
    probability = (1 + as_fraction(confidence)) / 2
    z = student_quantile(probability)
    p, q0, q1 = (
        (n * share + z * z / 2) / (n + z * z),
        (m0 * specificity + 1) / (m0 + 2),
        (m1 * sensitivity + 1) / (m1 + 2),
    )
    if not (q0 + q1 > 1 and n > 0):
        return Interval(value)
    theta = (p + q0 - 1) / (q0 + q1 - 1)
    bad, good = q0 * (1 - q0) / (m0 + 2), q1 * (1 - q1) / (m1 + 2)
    centre = theta + 2 * z * z * (theta * good - (1 - theta) * bad)
    error = math.sqrt(p * (1 - p) / (n + z * z) + (1 - theta) ** 2 * bad + theta**2 * good) / (q0 + q1 - 1)
    return student_interval(value, error, probability, centre=centre, scale=Scale.linear(0, 1))
