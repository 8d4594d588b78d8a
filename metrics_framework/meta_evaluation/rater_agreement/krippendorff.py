"""Krippendorff's alpha."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.common.errors import InputError
from metrics_framework.common.overriding import overrides
from metrics_framework.meta_evaluation.rater_agreement.agreement_coefficient import AgreementCoefficient
from metrics_framework.meta_evaluation.rater_agreement.option_names import WEIGHTS
from metrics_framework.meta_evaluation.rater_agreement.rated_units import Distance, pair_sums

_ORDINAL, _RATIO = "ordinal", "ratio"
_DISTANCES: dict[str, Distance] = {"nominal": "nominal", "interval": "quadratic", _RATIO: "ratio"}


class KrippendorffAlpha(AgreementCoefficient):
    """Krippendorff's alpha, 1 − observed / expected disagreement.

    α = 1 − (n − 1) Σ o_ck δ²_ck / Σ n_c n_k δ²_ck: o are the coincidences (each ordered pair of ratings of an output
    with m ratings counts 1 / (m − 1)), n_c their margins, n their sum. δ² is 1 (nominal), (c − k)² (interval),
    ((c − k) / (c + k))² (ratio), or the squared difference of the mean ranks of c and k among all paired ratings
    (ordinal). Outputs with fewer than two ratings are left out.

    Source: Krippendorff (2011), "Computing Krippendorff's alpha-reliability".

    Raises:
        InputError: if ratings are negative at the ratio level.
    """

    name: ClassVar[str] = "krippendorff"
    all_weights: ClassVar[tuple[str, ...]] = WEIGHTS["krippendorff"]
    default_weights: ClassVar[str] = "interval"
    label_weights: ClassVar[str | None] = "nominal"

    def __init__(self, values: Floats, weights: str) -> None:
        super().__init__(values, weights)
        units = self.units
        if weights not in self.weights_for(values):
            raise InputError("the ratio level needs ratings that are not negative; use 'interval'")
        self._counts = units.counts * units.is_paired[:, None]
        self._per_pair = np.divide(1.0, units.sizes - 1, out=np.zeros_like(units.sizes), where=units.is_paired)

    @classmethod
    @overrides
    def title(cls, weights: str) -> str:
        return f"Krippendorff α, {weights}"

    @classmethod
    @overrides
    def weights_for(cls, values: Floats) -> list[str]:
        is_negative = bool((values < 0).any())
        return [level for level in cls.all_weights if not (is_negative and level == _RATIO)]

    @overrides
    def estimates(self, weights: Floats) -> Floats:
        margins = weights @ self._counts
        if self.weights == _ORDINAL:
            observed, expected = self._ordinal(weights, margins)
        else:
            categories, distance = self.units.categories, _DISTANCES[self.weights]
            of_units = pair_sums(self._counts, categories, distance) * self._per_pair
            observed, expected = weights @ of_units, pair_sums(margins, categories, distance)
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
