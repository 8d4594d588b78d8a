"""`agreement`: how well raters agree, by any coefficient of agreement, with a confidence interval."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

import numpy as np

from metrics_framework.common.errors import InputError, UnknownChoiceError
from metrics_framework.meta_evaluation.raters.chance_corrected import WEIGHTS, CohenKappa, ManyRaters
from metrics_framework.meta_evaluation.raters.intraclass import FORMS, intraclass
from metrics_framework.meta_evaluation.raters.krippendorff import MEASUREMENT_LEVELS, KrippendorffAlpha
from metrics_framework.meta_evaluation.raters.rated_units import RatedUnits, rating_matrix, scaled
from metrics_framework.significance.arrays import Floats
from metrics_framework.significance.clusters import Clusters
from metrics_framework.significance.confidence_level import as_fraction
from metrics_framework.significance.interval_methods import percentile_interval

WEIGHTS_OF: dict[str, tuple[str, ...]] = {
    "krippendorff": MEASUREMENT_LEVELS,
    "gwet": WEIGHTS,
    "fleiss": WEIGHTS,
    "cohen": WEIGHTS,
    "icc": FORMS,
}
"""Each coefficient of agreement to its weights: the level of measurement, the weights, or the form of the ICC."""
STATISTICS = tuple(WEIGHTS_OF)
DEFAULT_WEIGHTS = {
    "krippendorff": "interval",
    "gwet": "identity",
    "fleiss": "identity",
    "cohen": "identity",
    "icc": "2,1",
}
_MOST_CELLS = 4_000_000  # of the largest array of a block of resamples


@dataclass(frozen=True)
class Agreement:
    """A coefficient of agreement with its confidence interval.

    Args:
        name: The coefficient: ``krippendorff``, ``gwet``, ``fleiss``, ``cohen`` or ``icc``.
        weights: The level of measurement, the weights, or the form of the ICC.
        value: The estimate; NaN if undefined.
        lower: The lower end of the interval; NaN if undefined.
        upper: The upper end; NaN if undefined.
        raters: The number of raters with a rating.
        units: The number of outputs used.
        units_left_out: The number of outputs left out: with fewer than two ratings, or for an ICC not rated by all.
        ratings: The number of ratings.
        standard_error: Gwet's analytic standard error over outputs (``gwet`` and ``fleiss``); else NaN.
        undefined_resamples: The number of resamples in which the coefficient is undefined; `None` without resamples.
        reason: Why the coefficient is undefined, or empty.
    """

    name: str
    weights: str
    value: float
    lower: float
    upper: float
    raters: int
    units: int
    units_left_out: int
    ratings: int
    standard_error: float = math.nan
    undefined_resamples: int | None = None
    reason: str = ""

    def as_json(self) -> dict[str, Any]:
        """Returns the numbers by name; NaN is written as ``null``."""
        return asdict(self)


def agreement(
    ratings: Any,
    name: str,
    *,
    weights: str | None = None,
    confidence: float = 95,
    resamples: int = 1000,
    seed: int = 0,
    clusters: Sequence[Hashable] | None = None,
) -> Agreement:
    """Computes a coefficient of agreement between raters.

    Intervals of ``icc`` are from the F distribution. All other intervals are percentiles of a bootstrap, which draws
    units with replacement, or whole clusters of units; they are undefined for a single unit or cluster.

    Args:
        ratings: Shape (raters, units); NaN or `None` where a rater did not rate a unit.
        name: ``krippendorff`` (alpha), ``gwet`` (AC1, or AC2 with weights), ``fleiss`` (kappa), ``cohen`` (kappa of two
            raters) or ``icc``.
        weights: The level of measurement for ``krippendorff``: ``nominal``, ``ordinal``, ``interval`` (default) or
            ``ratio``. For ``gwet``, ``fleiss`` and ``cohen``: ``identity`` (default), ``linear`` or ``quadratic``. For
            ``icc``: ``1,1``, ``2,1`` (default), ``3,1``, ``1,k``, ``2,k`` or ``3,k``.
        confidence: The level of the interval: a fraction (0.95) or in percent (95).
        resamples: The number of bootstrap resamples; 0 for no interval.
        seed: The seed of the bootstrap.
        clusters: The cluster of each unit, such as its document, length (units,); by default each unit is one.

    Returns:
        The coefficient; NaN with the reason if it is undefined: fewer than two ratings of each unit, or equal ratings.

    Raises:
        InputError: if ratings are not a matrix of finite numbers, or ``cohen`` gets other than two raters.
        UnknownChoiceError: if there is no coefficient of this name, or it has no such weights.

    >>> first, second = [1, 2, 3, 3, 2, 1, 4], [1, 2, 3, 3, 2, 2, 4]
    >>> round(agreement([first, second], "krippendorff", weights="ordinal").value, 3)
    0.929
    """
    chosen = _weights(name, weights)
    values = scaled(rating_matrix(ratings))  # no coefficient depends on the scale
    level = as_fraction(confidence)
    units = RatedUnits(values)
    groups = Clusters.of(clusters, values.shape[1])
    if name == "icc":
        return _intraclass(units, chosen, level)
    if name == "cohen" and len(values) == 2:
        units = RatedUnits(np.where(np.isfinite(values).all(axis=0), values, np.nan))
    statistic = _statistic(name, chosen, values, units)
    value = _single(statistic, values.shape[1])
    lower = upper = math.nan
    undefined = None
    if resamples and not math.isnan(value) and len(set(groups.codes[units.is_paired])) > 1:
        drawn = resampled_agreement(statistic, groups, resamples, seed, width=len(units.categories))
        lower, upper, undefined, _ = percentile_interval(drawn, (1 - level) / 2)
    error = statistic.standard_error() if isinstance(statistic, ManyRaters) else math.nan
    reason = units.undefined_reason or "chance agreement is complete"
    return Agreement(
        *(name, chosen, value, lower, upper),
        *_sizes(units, int(units.is_paired.sum())),
        standard_error=error,
        undefined_resamples=undefined,
        reason=reason if math.isnan(value) else "",
    )


class Statistic(Protocol):
    """A coefficient of agreement that can be computed in many weighted samples at once."""

    def estimates(self, weights: Floats) -> Floats:
        """Computes the coefficient, shape (samples,), for weights of the shape (samples, units)."""


def resampled_agreement(statistic: Statistic, clusters: Clusters, resamples: int, seed: int, width: int) -> Floats:
    """Computes a coefficient in bootstrap resamples of clusters.

    Args:
        statistic: The coefficient.
        clusters: The cluster of each unit.
        resamples: The number of resamples.
        seed: The seed.
        width: The number of categories, which bounds the memory.

    Returns:
        Shape (resamples,); NaN where undefined.
    """
    rows = max(1, _MOST_CELLS // max(len(clusters.codes), width, 1))
    blocks = cluster_draws(clusters.count, resamples, seed, rows)
    return np.concatenate([statistic.estimates(clusters.weights(block)) for block in blocks])


def cluster_draws(count: int, resamples: int, seed: int, rows: int) -> Iterator[Floats]:
    """Yields how often each resample draws each cluster, in blocks of shape (rows, clusters).

    The draws do not depend on the number of rows of a block.
    """
    generator = np.random.default_rng(seed)
    for start in range(0, resamples, rows):
        size = min(rows, resamples - start)
        drawn = generator.integers(count, size=(size, count)) + count * np.arange(size)[:, None]
        yield np.bincount(drawn.ravel(), minlength=size * count).reshape(size, count).astype(np.float64)


def _weights(name: str, weights: str | None) -> str:
    if name not in STATISTICS:
        raise UnknownChoiceError("name", name, STATISTICS)
    chosen = DEFAULT_WEIGHTS[name] if weights is None else weights
    if chosen not in WEIGHTS_OF[name]:
        raise UnknownChoiceError(f"weights of {name}", chosen, WEIGHTS_OF[name])
    return chosen


def _statistic(name: str, weights: Any, values: Floats, units: RatedUnits) -> Statistic:
    if name == "cohen":
        return CohenKappa(values, weights)
    if name == "krippendorff":
        if weights == "ratio" and (units.categories < 0).any():
            raise InputError("the ratio level needs ratings that are not negative; use 'interval'")
        return KrippendorffAlpha(units, weights)
    return ManyRaters(units, weights, is_gwet=name == "gwet")


def _single(statistic: Statistic, units: int) -> float:
    return float(statistic.estimates(np.ones((1, units)))[0]) if units else math.nan


def _sizes(units: RatedUnits, used: int) -> tuple[int, int, int, int]:
    rated = np.isfinite(units.values)
    return int(rated.any(axis=1).sum()), used, rated.shape[1] - used, int(rated.sum())


def _intraclass(units: RatedUnits, form: Any, confidence: float) -> Agreement:
    result = intraclass(units.values, form, confidence)
    sizes = _sizes(units, result.outputs)
    return Agreement("icc", form, result.value, result.lower, result.upper, *sizes, reason=result.reason)
