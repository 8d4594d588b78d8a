"""Agreement corrected for chance: Gwet's AC1 and AC2, Fleiss' kappa and Cohen's kappa, in many samples at once."""

from __future__ import annotations

import math
from typing import Literal, get_args

import numpy as np

from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation.raters.rated_units import Distance, RatedUnits, pair_sums, span
from metrics_framework.significance.arrays import Bools, Floats

Weights = Literal["identity", "linear", "quadratic"]
"""How much two different ratings agree: not at all, 1 − |c − k| / range, or 1 − ((c − k) / range)²."""
WEIGHTS: tuple[Weights, ...] = get_args(Weights)
_DISTANCES: dict[Weights, Distance] = {"identity": "nominal", "linear": "linear", "quadratic": "quadratic"}


class ManyRaters:
    """Gwet's AC1 and AC2, and Fleiss' kappa: (p_a − p_e) / (1 − p_e).

    With weights w_kl of two ratings and r_uk of the m_u ratings of output u in category k, p_a is the mean over outputs
    with two ratings or more of Σ_k r_uk (Σ_l w_kl r_ul − 1) / (m_u (m_u − 1)), and π_k the mean over rated outputs of
    r_uk / m_u. Chance agreement p_e is Σ w_kl / (q (q − 1)) · Σ π_k (1 − π_k) for Gwet, Σ w_kl π_k π_l for Fleiss.
    Categories are those of all ratings, also in samples that lack one.

    Sources: Gwet (2014), "Handbook of Inter-Rater Reliability", 4th ed., for any number of ratings per output; Fleiss
    (1971).

    Args:
        units: The ratings.
        weights: The weights.
        is_gwet: Whether chance agreement is Gwet's, else Fleiss'.
    """

    def __init__(self, units: RatedUnits, weights: Weights, is_gwet: bool) -> None:
        self._categories = units.categories
        self._distance = _DISTANCES[weights]
        self._span = span(units.categories, self._distance)
        self._is_gwet = is_gwet
        sizes = np.maximum(units.sizes, 1)
        pairs = np.maximum(units.sizes * (units.sizes - 1), 1)
        self._is_paired = units.is_paired.astype(np.float64)
        self._is_rated = (units.sizes > 0).astype(np.float64)
        self._disagreement = self._distances(units.counts) / pairs
        self._shares = units.counts / sizes[:, None]

    def estimates(self, weights: Floats) -> Floats:
        """Computes the coefficient in weighted samples of units, shape (samples, units); NaN where it is undefined."""
        observed = _ratio(weights @ (self._disagreement * self._is_paired), weights @ self._is_paired)
        shares = _ratio(weights @ self._shares, (weights @ self._is_rated)[:, None])
        return _corrected(observed, self._chance_disagreement(shares), varies=(shares > 0).sum(axis=1) > 1)

    def standard_error(self) -> float:
        """Computes Gwet's analytic standard error over outputs; NaN with fewer than two."""
        everything = np.ones((1, len(self._shares)))
        value = float(self.estimates(everything)[0])
        rated = self._is_rated > 0
        n, paired = int(rated.sum()), int(self._is_paired.sum())
        if n < 2 or math.isnan(value):
            return math.nan
        shares = self._shares[rated].mean(axis=0)
        by_chance = float(self._chance_disagreement(shares[None])[0])
        # In terms of disagreement, 1 − agreement: (p_a − p_e) / (1 − p_e) = 1 − (1 − p_a) / (1 − p_e).
        of_units = np.where(self._is_paired[rated] > 0, 1 - self._disagreement[rated] / by_chance, 0.0) * n / paired
        agreement = of_units + 2 * (1 - value) * (self._chance_of_units(shares)[rated] - by_chance) / by_chance
        return math.sqrt(float(((agreement - value) ** 2).sum()) / (n * (n - 1)))

    def _distances(self, counts: Floats) -> Floats:
        return pair_sums(counts, self._categories, self._distance) / self._span

    def _chance_disagreement(self, shares: Floats) -> Floats:
        """Returns 1 − p_e for shares of the categories, shape (…, categories)."""
        if not self._is_gwet:
            return self._distances(shares)
        differing: Floats = (shares * (1 - shares)).sum(axis=-1)
        return 1 - self._gwet_factor * differing

    def _chance_of_units(self, shares: Floats) -> Floats:
        """Returns 1 − p_e with one of the two shares that of each unit, shape (units,)."""
        if not self._is_gwet:
            both = self._distances(self._shares + shares)
            return (both - self._distances(self._shares) - self._distances(shares)) / 2
        differing: Floats = (self._shares * (1 - shares)).sum(axis=1)
        return 1 - self._gwet_factor * differing

    @property
    def _gwet_factor(self) -> float:
        q = len(self._categories)
        return (q * q - float(self._distances(np.ones(q)))) / (q * (q - 1)) if q > 1 else math.nan


class CohenKappa:
    """Cohen's kappa of two raters on the outputs that both rated, (p_o − p_e) / (1 − p_e), unweighted or weighted.

    Sources: Cohen (1960); Cohen (1968) for weights, which are computed from the ratings themselves, not their ranks.

    Args:
        values: The ratings of both, shape (2, units); NaN where missing.
        weights: The weights.

    Raises:
        InputError: if there are not exactly two raters.
    """

    def __init__(self, values: Floats, weights: Weights) -> None:
        if len(values) != 2:
            raise InputError(f"Cohen's kappa needs two raters, got {len(values)}; use 'fleiss', or two of the raters")
        both = RatedUnits(np.where(np.isfinite(values).all(axis=0), values, np.nan))
        self._categories, self._distance = both.categories, _DISTANCES[weights]
        self._is_paired = both.is_paired.astype(np.float64)
        self._disagreement = self._distances(both.counts) / 2
        self._first, self._second = (RatedUnits(row[None]).counts_of(both.categories) for row in both.values)

    def estimates(self, weights: Floats) -> Floats:
        """Computes kappa in weighted samples of units, shape (samples, units); NaN where it is undefined."""
        total = weights @ self._is_paired
        observed = _ratio(weights @ self._disagreement, total)
        first, second = (_ratio(weights @ counts, total[:, None]) for counts in (self._first, self._second))
        by_chance = self._distances(first + second) - self._distances(first) - self._distances(second)
        varies = ((first > 0) | (second > 0)).sum(axis=1) > 1
        return _corrected(observed, by_chance / 2, varies)

    def _distances(self, counts: Floats) -> Floats:
        return pair_sums(counts, self._categories, self._distance)


def _ratio(sums: Floats, counts: Floats) -> Floats:
    counts = np.broadcast_to(counts, sums.shape)
    ratio: Floats = np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)
    return ratio


def _corrected(observed: Floats, by_chance: Floats, varies: Bools) -> Floats:
    """Returns 1 − observed / chance disagreement; NaN where all ratings are equal."""
    where = varies & (by_chance > 0)
    corrected: Floats = 1 - np.divide(observed, by_chance, out=np.full(len(observed), np.nan), where=where)
    return corrected
