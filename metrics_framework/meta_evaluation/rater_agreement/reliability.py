"""`agreement`: how well raters agree, by any coefficient of agreement, with a confidence interval."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from metrics_framework.common.errors import UnknownChoiceError
from metrics_framework.meta_evaluation.intervals.resamples import UnitResamples
from metrics_framework.meta_evaluation.rater_agreement.agreement_coefficients import (
    AgreementCoefficient,
    CohenKappa,
    FleissKappa,
    Gwet,
    IntraclassCorrelation,
    KrippendorffAlpha,
)
from metrics_framework.meta_evaluation.rater_agreement.rated_units import rating_matrix, scaled
from metrics_framework.significance.clusters import Clusters
from metrics_framework.significance.confidence_level import as_fraction

_COEFFICIENTS = (KrippendorffAlpha, Gwet, FleissKappa, CohenKappa, IntraclassCorrelation)
COEFFICIENTS: dict[str, type[AgreementCoefficient]] = {kind.name: kind for kind in _COEFFICIENTS}
"""Name to coefficient of agreement, in the order of tables."""


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

    @property
    def title(self) -> str:
        """The heading of a table, such as "Krippendorff α, ordinal"."""
        return COEFFICIENTS[self.name].title(self.weights)

    @property
    def is_resampled(self) -> bool:
        """Whether the interval is from resamples."""
        return self.undefined_resamples is not None

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

    Intervals of ``icc`` are from the F distribution, which takes units as independent. All other intervals, and those
    of ``icc`` if units share clusters, are percentiles of a bootstrap, which draws units with replacement, or whole
    clusters of units; they are undefined for a single unit or cluster.

    Args:
        ratings: Shape (raters, units); NaN or `None` where a rater did not rate a unit.
        name: ``krippendorff`` (alpha), ``gwet`` (AC1, or AC2 with weights), ``fleiss`` (kappa), ``cohen`` (kappa of two
            raters) or ``icc``.
        weights: The level of measurement for ``krippendorff``: ``nominal``, ``ordinal``, ``interval`` (default) or
            ``ratio``. For ``gwet``, ``fleiss`` and ``cohen``: ``identity`` (default), ``linear`` or ``quadratic``. For
            ``icc``: ``1,1``, ``2,1`` (default), ``3,1``, ``1,k``, ``2,k`` or ``3,k``.
        confidence: The level of the interval: a fraction (0.95) or in percent (95).
        resamples: The number of bootstrap resamples; 0 for no bootstrap interval.
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
    if name not in COEFFICIENTS:
        raise UnknownChoiceError("name", name, COEFFICIENTS)
    kind = COEFFICIENTS[name]
    values = scaled(rating_matrix(ratings))
    coefficient = kind(values, kind.default_weights if weights is None else weights)
    groups = Clusters.of(clusters, values.shape[1])
    found = coefficient.interval(UnitResamples(groups, resamples, seed, as_fraction(confidence)))
    used, rated = int(coefficient.is_used.sum()), np.isfinite(coefficient.units.values)
    return Agreement(
        *(name, coefficient.weights, found.value, found.lower, found.upper),
        *(int(rated.any(axis=1).sum()), used, rated.shape[1] - used, int(rated.sum())),
        standard_error=coefficient.standard_error(groups),
        undefined_resamples=found.undefined_resamples,
        reason=coefficient.undefined_reason if math.isnan(found.value) else "",
    )
