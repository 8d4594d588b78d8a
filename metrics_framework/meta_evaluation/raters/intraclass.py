"""Intraclass correlations: the reliability of one rating, and of the mean of k ratings."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np

from metrics_framework.significance.arrays import Floats

Form = Literal["1,1", "2,1", "3,1", "1,k", "2,k", "3,k"]
"""Raters differ from output to output (1), are a sample of raters (2) or are the only ones (3); one rating, or k."""
FORMS: tuple[Form, ...] = get_args(Form)


@dataclass(frozen=True)
class MeanSquares:
    """The analysis of variance of ratings: outputs in rows, raters in columns.

    Args:
        outputs: The number of outputs n.
        ratings: The number of ratings per output k; if it varies, (N − Σ m² / N) / (n − 1) for N ratings, m per output.
        rows: The mean square of outputs.
        within: The mean square within outputs.
        columns: The mean square of raters; NaN if raters differ from output to output.
        error: The residual mean square; NaN if raters differ.
        within_freedom: The degrees of freedom of `within`.
    """

    outputs: int
    ratings: float
    rows: float
    within: float
    columns: float
    error: float
    within_freedom: int


class IntraclassCorrelation(NamedTuple):
    """An intraclass correlation with its interval from the F distribution.

    Args:
        value: The estimate; NaN if undefined.
        lower: The lower end; NaN if undefined.
        upper: The upper end; NaN if undefined.
        outputs: The number of outputs used.
        reason: Why it is undefined, or empty.
    """

    value: float
    lower: float
    upper: float
    outputs: int
    reason: str = ""


def intraclass(values: Floats, form: Form, confidence: float) -> IntraclassCorrelation:
    """Computes an intraclass correlation.

    With mean squares of outputs R, raters C, within outputs W and residual E, for n outputs and k raters: (1,1) is
    (R − W) / (R + (k − 1)W), (2,1) (R − E) / (R + (k − 1)E + k(C − E) / n), (3,1) (R − E) / (R + (k − 1)E), (1,k)
    (R − W) / R, (2,k) (R − E) / (R + (C − E) / n) and (3,k) (R − E) / R.

    Outputs that not all raters rated are left out. If there are not two complete outputs, raters differ from output to
    output, as in crowdsourcing: then (1,1) and (1,k) use all outputs with two ratings or more, and the other forms are
    undefined.

    Sources: Shrout and Fleiss (1979); McGraw and Wong (1996) for the intervals; Searle (1971) for unequal numbers of
    ratings.

    Args:
        values: The ratings, shape (raters, units); NaN where missing.
        form: The form.
        confidence: The confidence level, a fraction.
    """
    complete = np.isfinite(values).all(axis=0)
    if complete.sum() >= 2 and len(values) >= 2:
        squares: MeanSquares | None = _two_way(values[:, complete].T)
    elif form.startswith("1"):
        squares = _one_way(values)
    else:
        reason = f"forms 2 and 3 need two outputs that all raters rated, got {int(complete.sum())}"
        return IntraclassCorrelation(math.nan, math.nan, math.nan, int(complete.sum()), reason)
    if squares is None:
        outputs = int((np.isfinite(values).sum(axis=0) >= 2).sum())
        reason = f"needs two outputs with two ratings, got {outputs}"
        return IntraclassCorrelation(math.nan, math.nan, math.nan, outputs, reason)
    value = _value(squares, form)
    if math.isnan(value):
        return IntraclassCorrelation(value, value, value, squares.outputs, "the means of outputs do not differ")
    return IntraclassCorrelation(value, *_interval(squares, form, confidence, value), squares.outputs)


def _two_way(ratings: Floats) -> MeanSquares:
    """Analyses ratings of the shape (outputs, raters), without NaN."""
    n, k = ratings.shape
    centred = ratings - ratings.mean()
    row_means, column_means = centred.mean(axis=1, keepdims=True), centred.mean(axis=0, keepdims=True)
    rows, columns = k * float((row_means**2).sum()), n * float((column_means**2).sum())
    within = float(((centred - row_means) ** 2).sum())
    error = float(((centred - row_means - column_means) ** 2).sum())
    # Residuals of additive ratings are rounding errors.
    error = 0.0 if error <= 1e-24 * float((centred**2).sum()) else error
    freedom = (n - 1) * (k - 1)
    return MeanSquares(
        n, k, rows / (n - 1), within / (n * (k - 1)), columns / (k - 1), error / freedom, within_freedom=n * (k - 1)
    )


def _one_way(values: Floats) -> MeanSquares | None:
    sizes = np.isfinite(values).sum(axis=0)
    kept = values[:, sizes >= 2]
    sizes = sizes[sizes >= 2].astype(np.float64)
    n, total = len(sizes), float(sizes.sum())
    if n < 2:
        return None
    kept = kept - np.nanmean(kept)
    means = np.nanmean(kept, axis=0)
    grand = float((sizes * means).sum()) / total
    rows = float((sizes * (means - grand) ** 2).sum())
    within, freedom = float(np.nansum((kept - means) ** 2)), int(total) - n
    ratings = (total - float((sizes**2).sum()) / total) / (n - 1)
    return MeanSquares(n, ratings, rows / (n - 1), within / freedom, math.nan, math.nan, freedom)


def _value(squares: MeanSquares, form: Form) -> float:
    n, k, rows, columns = squares.outputs, squares.ratings, squares.rows, squares.columns
    model, unit = form.split(",")
    rest = squares.within if model == "1" else squares.error
    raters = (columns - squares.error) / n if model == "2" else 0.0
    below = rows + (k - 1) * rest + k * raters if unit == "1" else rows + raters
    return (rows - rest) / below if below else math.nan


def _interval(squares: MeanSquares, form: Form, confidence: float, value: float) -> tuple[float, float]:
    k = squares.ratings
    model, unit = form.split(",")
    if model == "2":
        ends = _two_way_random(squares, confidence, _value(squares, "2,1"))
        return ends if unit == "1" else (_of_mean(ends[0], k), _of_mean(ends[1], k))
    rest = squares.within if model == "1" else squares.error
    freedom = squares.within_freedom if model == "1" else (squares.outputs - 1) * (k - 1)
    if not rest:
        return value, value
    ratio = squares.rows / rest
    low = ratio / _f_quantile(squares.outputs - 1, freedom, confidence)
    high = ratio * _f_quantile(freedom, squares.outputs - 1, confidence)
    if unit == "k":
        return 1 - 1 / low if low else -math.inf, 1 - 1 / high if high else -math.inf
    return (low - 1) / (low + k - 1), (high - 1) / (high + k - 1)


def _two_way_random(squares: MeanSquares, confidence: float, single: float) -> tuple[float, float]:
    """Returns the interval of form (2,1), with Satterthwaite's degrees of freedom."""
    n, k = squares.outputs, squares.ratings
    rows, columns, error = squares.rows, squares.columns, squares.error
    if not error and not columns:
        return single, single
    a = k * single * columns + (n * (1 + (k - 1) * single) - k * single) * error
    below = (k * single * columns) ** 2 + ((n * (1 + (k - 1) * single) - k * single) * error) ** 2 / (n - 1)
    if not below:
        return math.nan, math.nan
    freedom = (k - 1) * a**2 / below
    low, high = _f_quantile(n - 1, freedom, confidence), _f_quantile(freedom, n - 1, confidence)
    rest = k * columns + (k * n - k - n) * error
    lower = n * (rows - low * error) / (low * rest + n * rows)
    upper = n * (high * rows - error) / (rest + n * high * rows)
    return lower, upper


def _of_mean(single: float, k: float) -> float:
    """Returns the reliability of a mean of k ratings (Spearman and Brown)."""
    return k * single / (1 + (k - 1) * single)


def _f_quantile(numerator: float, denominator: float, confidence: float) -> float:
    from scipy.special import fdtri

    return float(fdtri(numerator, denominator, 1 - (1 - confidence) / 2))
