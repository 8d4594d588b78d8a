"""Intraclass correlations: the reliability of one rating, and of the mean of k ratings."""

from __future__ import annotations

import math
from typing import ClassVar, NamedTuple

import numpy as np

from metrics_framework.common.arrays import Bools, Floats
from metrics_framework.common.overriding import overrides
from metrics_framework.meta_evaluation.estimates import Interval
from metrics_framework.meta_evaluation.rater_agreement.agreement_coefficient import AgreementCoefficient
from metrics_framework.meta_evaluation.rater_agreement.option_names import WEIGHTS
from metrics_framework.meta_evaluation.unit_resamples import UnitResamples

_ROUNDING = 1e-24
"""Residuals of additive ratings are rounding errors: squares below this share of all are 0."""


class MeanSquares(NamedTuple):
    """The analysis of variance of ratings in samples of outputs, each of shape (samples,).

    Args:
        outputs: The number of outputs n.
        ratings: The number of ratings per output k; if it varies, (N − Σ m² / N) / (n − 1) for N ratings, m per output.
        rows: The mean square of outputs.
        within: The mean square within outputs.
        columns: The mean square of raters; NaN if raters differ from output to output.
        error: The residual mean square; NaN if raters differ.
        within_freedom: The degrees of freedom of `within`.
    """

    outputs: Floats
    ratings: Floats
    rows: Floats
    within: Floats
    columns: Floats
    error: Floats
    within_freedom: Floats


class IntraclassCorrelation(AgreementCoefficient):
    """An intraclass correlation: the reliability of one rating (``1``), or of the mean of k ratings (``k``).

    By its form, raters differ from output to output (1), are a sample of raters (2) or are the only raters (3). With
    mean squares of outputs R, raters C, within outputs W and residual E, for n outputs and k raters: (1,1) is
    (R − W) / (R + (k − 1)W), (2,1) (R − E) / (R + (k − 1)E + k(C − E) / n), (3,1) (R − E) / (R + (k − 1)E), (1,k)
    (R − W) / R, (2,k) (R − E) / (R + (C − E) / n) and (3,k) (R − E) / R.

    Outputs that not all raters rated are left out. If there are not two complete outputs, raters differ from output to
    output, as in crowdsourcing: then (1,1) and (1,k) use all outputs with two ratings or more, and the other forms are
    undefined. Intervals are from the F distribution, which takes outputs as independent; if outputs have clusters, they
    are percentiles of a bootstrap.

    Sources: Shrout and Fleiss (1979); McGraw and Wong (1996) for the intervals; Searle (1971) for unequal numbers of
    ratings.
    """

    name: ClassVar[str] = "icc"
    all_weights: ClassVar[tuple[str, ...]] = WEIGHTS["icc"]
    default_weights: ClassVar[str] = "2,1"

    def __init__(self, values: Floats, weights: str) -> None:
        super().__init__(values, weights)
        self._model, self._unit = weights.split(",")
        self._complete: Bools = np.atleast_1d(np.isfinite(values).all(axis=0))
        self._is_crossed = len(values) >= 2 and int(self._complete.sum()) >= 2
        self._is_defined = self._is_crossed or self._model == "1"

    @classmethod
    @overrides
    def title(cls, weights: str) -> str:
        return f"ICC({weights})"

    @property
    @overrides
    def is_used(self) -> Bools:
        return self.units.is_paired if self._is_defined and not self._is_crossed else self._complete

    @property
    @overrides
    def undefined_reason(self) -> str:
        outputs = int(self.is_used.sum())
        if not self._is_defined:
            return f"forms 2 and 3 need two outputs that all raters rated, got {outputs}"
        if outputs < 2:
            return f"needs two outputs with two ratings, got {outputs}"
        return "the means of outputs do not differ"

    @overrides
    def estimates(self, weights: Floats) -> Floats:
        if not self._is_defined or self.is_used.sum() < 2:
            return np.full(len(weights), np.nan)
        return _coefficient(self._mean_squares(weights), self._model, self._unit)

    @overrides
    def interval(self, resamples: UnitResamples) -> Interval:
        codes = resamples.clusters.codes[self.is_used]
        if len(set(codes)) < len(codes):
            return super().interval(resamples)
        value = self.value()
        if math.isnan(value):
            return Interval(value)
        squares = self._mean_squares(np.ones((1, len(self.is_used))))
        return Interval(value, *_f_interval(squares, self._model, self._unit, resamples.tail, value))

    def _mean_squares(self, weights: Floats) -> MeanSquares:
        ratings, drawn = self.units.values[:, self.is_used].T, weights[:, self.is_used]
        return _two_way(ratings, drawn) if self._is_crossed else _one_way(ratings, drawn)


def _two_way(ratings: Floats, weights: Floats) -> MeanSquares:
    """Analyses complete ratings, shape (outputs, raters), in samples with weights of the shape (samples, outputs)."""
    k = ratings.shape[1]
    n = _positive(weights.sum(axis=1))
    freedom = _positive(n - 1)
    centred = ratings - ratings.mean()
    means = centred.mean(axis=1)
    deviations = centred - means[:, None]
    effects = deviations.mean(axis=0)  # of raters, in all outputs
    residuals = deviations - effects
    shifts = weights @ residuals / n[:, None]  # of these effects, in a sample
    rows = k * (weights @ means**2 - (weights @ means) ** 2 / n)
    within = weights @ (deviations**2).sum(axis=1)
    columns = n * ((effects + shifts) ** 2).sum(axis=1)
    error = weights @ (residuals**2).sum(axis=1) - n * (shifts**2).sum(axis=1)
    error = np.where(error <= _ROUNDING * (rows + within), 0.0, error)
    rest = freedom * (k - 1)
    return MeanSquares(
        n,
        np.full(len(n), float(k)),
        rows / freedom,
        within / (n * (k - 1)),
        columns / (k - 1),
        error / rest,
        n * (k - 1),
    )


def _one_way(ratings: Floats, weights: Floats) -> MeanSquares:
    """Analyses ratings of the shape (outputs, raters), with NaN, in samples of weights (samples, outputs)."""
    sizes = np.isfinite(ratings).sum(axis=1).astype(np.float64)
    centred = ratings - np.nanmean(ratings)
    means = np.nanmean(centred, axis=1)
    deviations = np.nansum((centred - means[:, None]) ** 2, axis=1)
    n, total = weights.sum(axis=1), _positive(weights @ sizes)
    freedom, within_freedom = _positive(n - 1), _positive(total - n)
    rows = weights @ (sizes * means**2) - (weights @ (sizes * means)) ** 2 / total
    k = (total - weights @ sizes**2 / total) / freedom
    undefined = np.full(len(n), np.nan)
    within = weights @ deviations / within_freedom
    return MeanSquares(n, k, rows / freedom, within, undefined, undefined, within_freedom)


def _positive(numbers: Floats) -> Floats:
    """Replaces numbers that are not positive by NaN."""
    return np.where(numbers > 0, numbers, np.nan)


def _coefficient(squares: MeanSquares, model: str, unit: str) -> Floats:
    n, k, rows, within, columns, error, _ = squares
    rest = within if model == "1" else error
    raters = (columns - error) / n if model == "2" else np.zeros_like(n)
    below = rows + (k - 1) * rest + k * raters if unit == "1" else rows + raters
    value: Floats = np.divide(rows - rest, below, out=np.full(len(n), np.nan), where=below != 0)
    return value


def _f_interval(squares: MeanSquares, model: str, unit: str, tail: float, value: float) -> tuple[float, float]:
    n, k, rows, within, _, error, within_freedom = (float(number[0]) for number in squares)
    if model == "2":
        ends = _two_way_random(squares, tail)
        return ends if unit == "1" else (_of_mean(ends[0], k), _of_mean(ends[1], k))
    rest, freedom = (within, within_freedom) if model == "1" else (error, (n - 1) * (k - 1))
    if not rest:
        return value, value
    ratio = rows / rest
    low = ratio / _f_quantile(n - 1, freedom, tail)
    high = ratio * _f_quantile(freedom, n - 1, tail)
    if unit == "k":
        return 1 - 1 / low if low else -math.inf, 1 - 1 / high if high else -math.inf
    return (low - 1) / (low + k - 1), (high - 1) / (high + k - 1)


def _two_way_random(squares: MeanSquares, tail: float) -> tuple[float, float]:
    """Returns the interval of form (2,1), with Satterthwaite's degrees of freedom."""
    single = float(_coefficient(squares, "2", "1")[0])
    n, k, rows, _, columns, error, _ = (float(number[0]) for number in squares)
    if not error and not columns:
        return single, single
    a = k * single * columns + (n * (1 + (k - 1) * single) - k * single) * error
    below = (k * single * columns) ** 2 + ((n * (1 + (k - 1) * single) - k * single) * error) ** 2 / (n - 1)
    if not below:
        return math.nan, math.nan
    freedom = (k - 1) * a**2 / below
    low, high = _f_quantile(n - 1, freedom, tail), _f_quantile(freedom, n - 1, tail)
    rest = k * columns + (k * n - k - n) * error
    lower = n * (rows - low * error) / (low * rest + n * rows)
    upper = n * (high * rows - error) / (rest + n * high * rows)
    return lower, upper


def _of_mean(single: float, k: float) -> float:
    """Returns the reliability of a mean of k ratings (Spearman and Brown)."""
    return k * single / (1 + (k - 1) * single)


def _f_quantile(numerator: float, denominator: float, tail: float) -> float:
    from scipy.special import fdtri

    return float(fdtri(numerator, denominator, 1 - tail))
