"""Agreement corrected for chance: Gwet's AC1 and AC2, Fleiss' kappa and Cohen's kappa."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import ClassVar

import numpy as np

from metrics_framework.common.arrays import Bools, Floats
from metrics_framework.common.errors import InputError
from metrics_framework.common.overriding import overrides
from metrics_framework.meta_evaluation.rater_agreement.agreement_coefficient import AgreementCoefficient
from metrics_framework.meta_evaluation.rater_agreement.option_names import WEIGHTS
from metrics_framework.meta_evaluation.rater_agreement.rated_units import Distance, RatedUnits, pair_sums, span
from metrics_framework.significance.clusters import Clusters, standard_error

_UNWEIGHTED = "identity"
_DISTANCES: dict[str, Distance] = {_UNWEIGHTED: "nominal", "linear": "linear", "quadratic": "quadratic"}
"""Weights to the distance: two different ratings agree not at all, 1 − |c − k| / range, or 1 − ((c − k) / range)²."""


class WeightedCoefficient(AgreementCoefficient):
    """A coefficient with weights of pairs of categories."""

    all_weights: ClassVar[tuple[str, ...]] = WEIGHTS["gwet"]
    default_weights: ClassVar[str] = _UNWEIGHTED
    label_weights: ClassVar[str | None] = _UNWEIGHTED
    heading: ClassVar[str]

    def __init__(self, values: Floats, weights: str) -> None:
        super().__init__(values, weights)
        self._distance = _DISTANCES[weights]

    @classmethod
    @overrides
    def title(cls, weights: str) -> str:
        return cls.heading if weights == _UNWEIGHTED else f"{cls.heading}, {weights}"


class ManyRaters(WeightedCoefficient):
    """A coefficient of any number of ratings per output, (p_a − p_e) / (1 − p_e).

    With weights w_kl of two ratings and r_uk of the m_u ratings of output u in category k, p_a is the mean over outputs
    with two ratings or more of Σ_k r_uk (Σ_l w_kl r_ul − 1) / (m_u (m_u − 1)), and π_k the mean over rated outputs of
    r_uk / m_u, from which the chance agreement p_e is computed. Categories are those of all ratings, also in samples
    that lack one.

    Source: Gwet (2014), "Handbook of Inter-Rater Reliability", 4th ed.
    """

    def __init__(self, values: Floats, weights: str) -> None:
        super().__init__(values, weights)
        units = self.units
        self._span = span(units.categories, self._distance)
        pairs = np.maximum(units.sizes * (units.sizes - 1), 1)
        self._is_paired = units.is_paired.astype(np.float64)
        self._is_rated = (units.sizes > 0).astype(np.float64)
        self._disagreement = self._distances(units.counts) / pairs
        self._shares = units.counts / np.maximum(units.sizes, 1)[:, None]

    @abstractmethod
    def _chance_disagreement(self, shares: Floats) -> Floats:
        """Returns 1 − p_e for shares of the categories, shape (…, categories)."""

    @abstractmethod
    def _chance_of_units(self, shares: Floats) -> Floats:
        """Returns 1 − p_e with one of the two shares that of each unit, shape (units,)."""

    @overrides
    def estimates(self, weights: Floats) -> Floats:
        observed = _ratio(weights @ (self._disagreement * self._is_paired), weights @ self._is_paired)
        shares = _ratio(weights @ self._shares, (weights @ self._is_rated)[:, None])
        return _corrected(observed, self._chance_disagreement(shares), varies=(shares > 0).sum(axis=1) > 1)

    @overrides
    def standard_error(self, clusters: Clusters) -> float:
        """Computes Gwet's analytic standard error over outputs; NaN with fewer than two.

        Of clusters of outputs, the sum of each counts, as for any mean of clustered values.
        """
        rated = self._is_rated > 0
        n, paired = int(rated.sum()), int(self._is_paired.sum())
        value = self.value()
        if n < 2 or math.isnan(value):
            return math.nan
        shares = self._shares[rated].mean(axis=0)
        by_chance = float(self._chance_disagreement(shares[None])[0])
        # In terms of disagreement, 1 − agreement: (p_a − p_e) / (1 − p_e) = 1 − (1 − p_a) / (1 − p_e).
        of_units = np.where(self._is_paired[rated] > 0, 1 - self._disagreement[rated] / by_chance, 0.0) * n / paired
        agreement = of_units + 2 * (1 - value) * (self._chance_of_units(shares)[rated] - by_chance) / by_chance
        return standard_error(agreement, Clusters.of(clusters.codes[rated].tolist(), n), corrected=True)

    def _distances(self, counts: Floats) -> Floats:
        return pair_sums(counts, self.units.categories, self._distance) / self._span


class Gwet(ManyRaters):
    """Gwet's AC1, and AC2 with weights: p_e = Σ w_kl / (q (q − 1)) · Σ π_k (1 − π_k) for q categories.

    Source: Gwet (2014), for any number of ratings per output.
    """

    name: ClassVar[str] = "gwet"
    heading: ClassVar[str] = "Gwet AC2"

    @classmethod
    @overrides
    def title(cls, weights: str) -> str:
        return "Gwet AC1" if weights == _UNWEIGHTED else super().title(weights)

    @overrides
    def _chance_disagreement(self, shares: Floats) -> Floats:
        differing: Floats = (shares * (1 - shares)).sum(axis=-1)
        return 1 - self._factor * differing

    @overrides
    def _chance_of_units(self, shares: Floats) -> Floats:
        differing: Floats = (self._shares * (1 - shares)).sum(axis=1)
        return 1 - self._factor * differing

    @property
    def _factor(self) -> float:
        q = len(self.units.categories)
        return (q * q - float(self._distances(np.ones(q)))) / (q * (q - 1)) if q > 1 else math.nan


class FleissKappa(ManyRaters):
    """Fleiss' kappa: p_e = Σ w_kl π_k π_l.

    Source: Fleiss (1971); Gwet (2014) for any number of ratings per output.
    """

    name: ClassVar[str] = "fleiss"
    heading: ClassVar[str] = "Fleiss κ"

    @overrides
    def _chance_disagreement(self, shares: Floats) -> Floats:
        return self._distances(shares)

    @overrides
    def _chance_of_units(self, shares: Floats) -> Floats:
        both = self._distances(self._shares + shares)
        return (both - self._distances(self._shares) - self._distances(shares)) / 2


class CohenKappa(WeightedCoefficient):
    """Cohen's kappa of two raters on the outputs that both rated, (p_o − p_e) / (1 − p_e), unweighted or weighted.

    Sources: Cohen (1960); Cohen (1968) for weights, which are computed from the ratings themselves, not their ranks.

    Raises:
        InputError: if there are not exactly two raters.
    """

    name: ClassVar[str] = "cohen"
    heading: ClassVar[str] = "Cohen κ"
    raters: ClassVar[int | None] = 2

    def __init__(self, values: Floats, weights: str) -> None:
        if len(values) != self.raters:
            raise InputError(f"Cohen's kappa needs two raters, got {len(values)}; use 'fleiss', or two of the raters")
        super().__init__(np.where(np.isfinite(values).all(axis=0), values, np.nan), weights)
        both = self.units
        self._is_paired = both.is_paired.astype(np.float64)
        self._disagreement = self._distances(both.counts) / 2
        self._first, self._second = (RatedUnits(row[None]).counts_of(both.categories) for row in both.values)

    @overrides
    def estimates(self, weights: Floats) -> Floats:
        total = weights @ self._is_paired
        observed = _ratio(weights @ self._disagreement, total)
        first, second = (_ratio(weights @ counts, total[:, None]) for counts in (self._first, self._second))
        by_chance = self._distances(first + second) - self._distances(first) - self._distances(second)
        varies = ((first > 0) | (second > 0)).sum(axis=1) > 1
        return _corrected(observed, by_chance / 2, varies)

    def _distances(self, counts: Floats) -> Floats:
        return pair_sums(counts, self.units.categories, self._distance)


def _ratio(sums: Floats, counts: Floats) -> Floats:
    counts = np.broadcast_to(counts, sums.shape)
    ratio: Floats = np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)
    return ratio


def _corrected(observed: Floats, by_chance: Floats, varies: Bools) -> Floats:
    """Returns 1 − observed / chance disagreement; NaN where all ratings are equal."""
    where = varies & (by_chance > 0)
    corrected: Floats = 1 - np.divide(observed, by_chance, out=np.full(len(observed), np.nan), where=where)
    return corrected
