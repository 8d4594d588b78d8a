"""Krippendorff's alpha, in many weighted samples of outputs at once."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from metrics_framework.meta_evaluation.raters.rated_units import Distance, RatedUnits, pair_sums
from metrics_framework.significance.arrays import Floats

MeasurementLevel = Literal["nominal", "ordinal", "interval", "ratio"]
MEASUREMENT_LEVELS: tuple[MeasurementLevel, ...] = get_args(MeasurementLevel)
_DISTANCES: dict[MeasurementLevel, Distance] = {"nominal": "nominal", "interval": "quadratic", "ratio": "ratio"}


class KrippendorffAlpha:
    """Krippendorff's alpha, 1 − observed / expected disagreement.

    α = 1 − (n − 1) Σ o_ck δ²_ck / Σ n_c n_k δ²_ck: o are the coincidences (each ordered pair of ratings of an output
    with m ratings counts 1 / (m − 1)), n_c their margins, n their sum. δ² is 1 (nominal), (c − k)² (interval),
    ((c − k) / (c + k))² (ratio), or the squared difference of the mean ranks of c and k among all paired ratings
    (ordinal). Outputs with fewer than two ratings are left out.

    Source: Krippendorff (2011), "Computing Krippendorff's alpha-reliability".

    Args:
        units: The ratings.
        level: The level of measurement.
    """

    def __init__(self, units: RatedUnits, level: MeasurementLevel) -> None:
        self._level = level
        self._categories = units.categories
        self._counts = units.counts * units.is_paired[:, None]
        self._per_pair = np.divide(1.0, units.sizes - 1, out=np.zeros_like(units.sizes), where=units.is_paired)

    def estimates(self, weights: Floats) -> Floats:
        """Computes alpha in weighted samples.

        Args:
            weights: How often each sample has each unit, shape (samples, units).

        Returns:
            Shape (samples,); NaN where all ratings are equal.
        """
        margins = weights @ self._counts
        if self._level == "ordinal":
            observed, expected = self._ordinal(weights, margins)
        else:
            distance = _DISTANCES[self._level]
            of_units = pair_sums(self._counts, self._categories, distance) * self._per_pair
            observed, expected = weights @ of_units, pair_sums(margins, self._categories, distance)
        varies = (margins > 0).sum(axis=1) > 1
        ratio = np.divide(observed, expected, out=np.full(len(weights), np.nan), where=varies & (expected > 0))
        alpha: Floats = 1 - (margins.sum(axis=1) - 1) * ratio
        return alpha

    def _ordinal(self, weights: Floats, margins: Floats) -> tuple[Floats, Floats]:
        """Returns observed and expected disagreement of mean ranks, which differ from sample to sample."""
        total = margins.sum(axis=1, keepdims=True)
        ranks = np.cumsum(margins, axis=1) - (margins + total) / 2  # centred: their weighted sum is 0
        sizes = self._counts.sum(axis=1)
        squares = ((weights * (self._per_pair * sizes)) @ self._counts * ranks**2).sum(axis=1)
        sums = ranks @ self._counts.T
        observed = 2 * (squares - (weights * self._per_pair * sums**2).sum(axis=1))
        expected = 2 * total[:, 0] * (margins * ranks**2).sum(axis=1)
        return observed, expected
