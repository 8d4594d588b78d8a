"""`agreement`: how well raters agree, by any coefficient of agreement, with a confidence interval.

The coefficients are computed in many weighted samples at once.

Krippendorff's alpha; agreement corrected for chance: Gwet's AC1 and AC2, Fleiss' kappa and Cohen's kappa; intraclass
correlations, the reliability of one rating, and of the mean of k ratings.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from metrics_framework.common.arrays import Bools, Floats
from metrics_framework.common.errors import InputError, UnknownChoiceError
from metrics_framework.common.overriding import overrides
from metrics_framework.meta_evaluation.rater_agreement.rated_units import (
    Distance,
    RatedUnits,
    distances_to,
    pair_sums,
    rating_matrix,
    scaled,
    span,
)
from metrics_framework.meta_evaluation.rater_agreement.request import WEIGHTS
from metrics_framework.meta_evaluation.study import Finding
from metrics_framework.significance.clusters import Clusters, Units, standard_error
from metrics_framework.significance.interval_methods import Interval, Scale, f_ends

_ORDINAL, _RATIO = "ordinal", "ratio"
_DISTANCES_OF_ALPHA: dict[str, Distance] = {"nominal": "nominal", "interval": "quadratic", _RATIO: "ratio"}
_UNWEIGHTED = "identity"
_DISTANCES_OF_KAPPA: dict[str, Distance] = {_UNWEIGHTED: "nominal", "linear": "linear", "quadratic": "quadratic"}
"""Weights to the distance: two different ratings agree not at all, 1 − |c − k| / range, or 1 − ((c − k) / range)²."""
_ROUNDING = 1e-24
"""Residuals of additive ratings are rounding errors: squares below this share of all are 0."""


@dataclass(frozen=True)
class Agreement(Finding):
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
        reason: Why the coefficient or its interval is undefined, or empty.
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
    reason: str = ""

    @property
    def title(self) -> str:
        """The heading of a table, such as "Krippendorff α, ordinal"."""
        return COEFFICIENTS[self.name].title(self.weights)


def agreement(
    ratings: Any,
    name: str,
    *,
    weights: str | None = None,
    confidence: float = 95,
    seed: int = 0,
    clusters: Sequence[Hashable] | None = None,
    categories: Sequence[float] = (),
) -> Agreement:
    """Computes a coefficient of agreement between raters.

    Intervals of ``icc`` are from the F distribution, which takes units as independent. All other intervals, and those
    of ``icc`` if units share clusters, are from the jackknife on the scale artanh, which leaves out each unit, or whole
    clusters of units; see `jackknife_interval`.

    Args:
        ratings: Shape (raters, units); NaN or `None` where a rater did not rate a unit.
        name: ``krippendorff`` (alpha), ``gwet`` (AC1, or AC2 with weights), ``fleiss`` (kappa), ``cohen`` (kappa of two
            raters) or ``icc``.
        weights: The level of measurement for ``krippendorff``: ``nominal``, ``ordinal``, ``interval`` (default) or
            ``ratio``. For ``gwet``, ``fleiss`` and ``cohen``: ``identity`` (default), ``linear`` or ``quadratic``. For
            ``icc``: ``1,1``, ``2,1`` (default), ``3,1``, ``1,k``, ``2,k`` or ``3,k``.
        confidence: The level of the interval: a fraction (0.95) or in percent (95).
        seed: The seed of the groups that are left out of more than a thousand units or clusters.
        clusters: The cluster of each unit, such as its document, length (units,); by default each unit is one.
        categories: The possible ratings, on which ``gwet`` depends; by default those that occur.

    Returns:
        The coefficient; NaN with the reason if it is undefined: fewer than two ratings of each unit, or equal ratings.

    Raises:
        InputError: if ratings are not a matrix of finite numbers, or ``cohen`` gets other than two raters.
        UnknownChoiceError: if there is no coefficient of this name, or it has no such weights.

    >>> first, second = [1, 2, 3, 3, 2, 1, 4], [1, 2, 3, 3, 2, 2, 4]
    >>> round(agreement([first, second], "krippendorff", weights="ordinal").value, 3)
    0.929
    >>> round(agreement([[1, 2, 5, 5, 1, 1, 5], [1, 2, 5, 1, 2, 1, 5]], "gwet", categories=range(1, 6)).value, 3)
    0.66
    """
    coefficient = coefficient_of(ratings, name, weights, categories)
    groups = Clusters.of(clusters, len(coefficient.is_used))
    found = coefficient.interval(Units(groups, confidence, seed))
    used, rated = int(coefficient.is_used.sum()), np.isfinite(coefficient.units.values)
    return Agreement(
        *(name, coefficient.weights, found.value, found.lower, found.upper),
        *(int(rated.any(axis=1).sum()), used, rated.shape[1] - used, int(rated.sum())),
        standard_error=coefficient.standard_error(groups),
        reason=coefficient.undefined_reason if math.isnan(found.value) else found.reason,
    )


def coefficient_of(
    ratings: Any, name: str, weights: str | None = None, categories: Sequence[float] = ()
) -> AgreementCoefficient:
    """Returns a coefficient of agreement of ratings; see `agreement`."""
    if name not in COEFFICIENTS:
        raise UnknownChoiceError("name", name, COEFFICIENTS)
    kind = COEFFICIENTS[name]
    given = rating_matrix(ratings)
    both = scaled(np.append(given, np.asarray(categories, dtype=np.float64)))
    values, stated = both[: given.size].reshape(given.shape), both[given.size :]
    return kind(values, kind.default_weights if weights is None else weights, stated)


class AgreementCoefficient(ABC):
    """A coefficient of agreement of ratings.

    Args:
        values: The ratings, shape (raters, units); NaN where missing. No coefficient depends on their scale.
        weights: The level of measurement, the weights or the form: one of `all_weights`.
        stated: Ratings that are possible although they may not occur; `None` for none.

    Attributes:
        name: The name of the coefficient.
        citation: The papers to cite, by their keys in ``citations.bib``.
        heading: The heading of a table, with ``{}`` for the weights.
        all_weights: What `weights` may be.
        default_weights: What it is unless chosen.
        label_weights: What it is for categories that are text; `None` if the coefficient needs numbers.
        raters: The number of raters that it is defined for; `None` for any.
        units: The ratings that it uses.

    Raises:
        UnknownChoiceError: if the coefficient has no such weights.
    """

    name: ClassVar[str]
    citation: ClassVar[str]
    heading: ClassVar[str]
    all_weights: ClassVar[tuple[str, ...]]
    default_weights: ClassVar[str]
    label_weights: ClassVar[str | None] = None
    raters: ClassVar[int | None] = None

    def __init__(self, values: Floats, weights: str, stated: Floats | None = None) -> None:
        if weights not in self.all_weights:
            raise UnknownChoiceError(f"weights of {self.name}", weights, self.all_weights)
        self.weights = weights
        self.units = RatedUnits(values, stated)

    @classmethod
    def title(cls, weights: str) -> str:
        """Returns the heading of a table, such as "Krippendorff α, ordinal"."""
        return cls.heading.format(weights)

    @classmethod
    def weights_for(cls, values: Floats) -> list[str]:
        """Returns the weights that are defined for ratings."""
        return [*cls.all_weights]

    @abstractmethod
    def estimates(self, weights: Floats) -> Floats:
        """Computes the coefficient in weighted samples.

        Args:
            weights: How often each sample has each unit, shape (samples, units).

        Returns:
            Shape (samples,); NaN where it is undefined.
        """

    @property
    def is_used(self) -> Bools:
        """Whether each unit is used, shape (units,)."""
        return self.units.is_paired

    @property
    def undefined_reason(self) -> str:
        """Why the coefficient is undefined, if it is."""
        return self.units.undefined_reason or "chance agreement is complete"

    def value(self) -> float:
        """Computes the coefficient of all ratings; NaN if it is undefined."""
        units = len(self.is_used)
        return float(self.estimates(np.ones((1, units)))[0]) if units else math.nan

    def standard_error(self, clusters: Clusters) -> float:
        """Computes the analytic standard error over clusters of units; NaN if there is none."""
        return math.nan

    def interval(self, units: Units) -> Interval:
        """Computes the coefficient with its confidence interval: by default, that of the jackknife on the scale artanh.

        Args:
            units: The units, or their clusters, of which those that the coefficient uses are left out in turn.
        """
        value, units = self.value(), replace(units, used=self.is_used)
        if math.isnan(value):
            return Interval(value)
        left_out = [self.estimates(block) for block in units.blocks(len(self.units.categories))]
        return units.interval(value, np.concatenate(left_out), Scale.artanh())


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
    citation: ClassVar[str] = "krippendorff-2011-computing"
    heading: ClassVar[str] = "Krippendorff α, {}"
    all_weights: ClassVar[tuple[str, ...]] = WEIGHTS["krippendorff"]
    default_weights: ClassVar[str] = "interval"
    label_weights: ClassVar[str | None] = "nominal"

    def __init__(self, values: Floats, weights: str, stated: Floats | None = None) -> None:
        super().__init__(values, weights, stated)
        units = self.units
        if weights not in self.weights_for(values):
            raise InputError("the ratio level needs ratings that are not negative; use 'interval'")
        self._counts = RatedUnits(np.where(units.is_paired, values, np.nan)).counts_of(units.categories)
        self._per_pair = np.divide(1.0, units.sizes - 1, out=np.zeros_like(units.sizes), where=units.is_paired)

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
            categories, distance = self.units.categories, _DISTANCES_OF_ALPHA[self.weights]
            of_units = self.units.pair_sums(distance) * self._per_pair
            observed, expected = weights @ of_units, pair_sums(margins, categories, distance)
        varies = (margins > 0).sum(axis=1) > 1
        ratio = np.divide(observed, expected, out=np.full(len(weights), np.nan), where=varies & (expected > 0))
        return np.asarray(1 - (margins.sum(axis=1) - 1) * ratio)

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


class WeightedCoefficient(AgreementCoefficient):
    """A coefficient with weights of pairs of categories."""

    all_weights: ClassVar[tuple[str, ...]] = WEIGHTS["gwet"]
    default_weights: ClassVar[str] = _UNWEIGHTED
    label_weights: ClassVar[str | None] = _UNWEIGHTED
    _span = 1.0

    def __init__(self, values: Floats, weights: str, stated: Floats | None = None) -> None:
        super().__init__(values, weights, stated)
        self._distance = _DISTANCES_OF_KAPPA[weights]

    @classmethod
    @overrides
    def title(cls, weights: str) -> str:
        return cls.heading if weights == _UNWEIGHTED else f"{cls.heading}, {weights}"

    def _distances(self, counts: Floats) -> Floats:
        return pair_sums(counts, self.units.categories, self._distance) / self._span


class ManyRaters(WeightedCoefficient):
    """A coefficient of any number of ratings per output, (p_a − p_e) / (1 − p_e).

    With weights w_kl of two ratings and r_uk of the m_u ratings of output u in category k, p_a is the mean over outputs
    with two ratings or more of Σ_k r_uk (Σ_l w_kl r_ul − 1) / (m_u (m_u − 1)), and π_k the mean over rated outputs of
    r_uk / m_u, from which the chance agreement p_e is computed. Categories are those of all ratings, or those that are
    stated, also in samples that lack one.

    Source: Gwet (2014), "Handbook of Inter-Rater Reliability", 4th ed.
    """

    def __init__(self, values: Floats, weights: str, stated: Floats | None = None) -> None:
        super().__init__(values, weights, stated)
        units = self.units
        self._span = span(units.categories, self._distance)
        pairs = np.maximum(units.sizes * (units.sizes - 1), 1)
        self._is_paired = units.is_paired.astype(np.float64)
        self._is_rated = (units.sizes > 0).astype(np.float64)
        self._disagreement = units.pair_sums(self._distance) / self._span / pairs
        self._shares = units.counts.multiply(1 / np.maximum(units.sizes, 1)[:, None]).tocsr()

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
        shares = self._is_rated @ self._shares / n
        by_chance = float(self._chance_disagreement(shares[None])[0])
        # In terms of disagreement, 1 − agreement: (p_a − p_e) / (1 − p_e) = 1 − (1 − p_a) / (1 − p_e).
        of_units = np.where(self._is_paired[rated] > 0, 1 - self._disagreement[rated] / by_chance, 0.0) * n / paired
        agreement = of_units + 2 * (1 - value) * (self._chance_of_units(shares)[rated] - by_chance) / by_chance
        return standard_error(agreement, Clusters.of(clusters.codes[rated].tolist(), n), corrected=True)


class Gwet(ManyRaters):
    """Gwet's AC1, and AC2 with weights: p_e = Σ w_kl / (q (q − 1)) · Σ π_k (1 − π_k) for q categories.

    Source: Gwet (2014), for any number of ratings per output.
    """

    name: ClassVar[str] = "gwet"
    citation: ClassVar[str] = "gwet-2014-handbook"
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
        differing: Floats = self._shares @ (1 - shares)
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
    citation: ClassVar[str] = "fleiss-1971-measuring"
    heading: ClassVar[str] = "Fleiss κ"

    @overrides
    def _chance_disagreement(self, shares: Floats) -> Floats:
        return self._distances(shares)

    @overrides
    def _chance_of_units(self, shares: Floats) -> Floats:
        return np.asarray(self._shares @ distances_to(shares, self.units.categories, self._distance) / self._span)


class CohenKappa(WeightedCoefficient):
    """Cohen's kappa of two raters on the outputs that both rated, (p_o − p_e) / (1 − p_e), unweighted or weighted.

    Sources: Cohen (1960); Cohen (1968) for weights, which are computed from the ratings themselves, not their ranks.

    Raises:
        InputError: if there are not exactly two raters.
    """

    name: ClassVar[str] = "cohen"
    citation: ClassVar[str] = "cohen-1960-coefficient"
    heading: ClassVar[str] = "Cohen κ"
    raters: ClassVar[int | None] = 2

    def __init__(self, values: Floats, weights: str, stated: Floats | None = None) -> None:
        if len(values) != self.raters:
            raise InputError(f"Cohen's kappa needs two raters, got {len(values)}; use 'fleiss', or two of the raters")
        super().__init__(np.where(np.isfinite(values).all(axis=0), values, np.nan), weights, stated)
        both = self.units
        self._is_paired = both.is_paired.astype(np.float64)
        self._disagreement = both.pair_sums(self._distance) / 2
        self._first, self._second = (RatedUnits(row[None]).counts_of(both.categories) for row in both.values)

    @overrides
    def estimates(self, weights: Floats) -> Floats:
        total = weights @ self._is_paired
        observed = _ratio(weights @ self._disagreement, total)
        first, second = (_ratio(weights @ counts, total[:, None]) for counts in (self._first, self._second))
        by_chance = self._distances(first + second) - self._distances(first) - self._distances(second)
        varies = ((first > 0) | (second > 0)).sum(axis=1) > 1
        return _corrected(observed, by_chance / 2, varies)


def _ratio(sums: Floats, counts: Floats) -> Floats:
    counts = np.broadcast_to(counts, sums.shape)
    return np.asarray(np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0))


def _corrected(observed: Floats, by_chance: Floats, varies: Bools) -> Floats:
    """Returns 1 − observed / chance disagreement; NaN where all ratings are equal."""
    where = varies & (by_chance > 0)
    return np.asarray(1 - np.divide(observed, by_chance, out=np.full(len(observed), np.nan), where=where))


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
    are those of the jackknife.

    Sources: Shrout and Fleiss (1979); McGraw and Wong (1996) for the intervals; Searle (1971) for unequal numbers of
    ratings.
    """

    name: ClassVar[str] = "icc"
    citation: ClassVar[str] = "shrout-fleiss-1979-intraclass"
    heading: ClassVar[str] = "ICC({})"
    all_weights: ClassVar[tuple[str, ...]] = WEIGHTS["icc"]
    default_weights: ClassVar[str] = "2,1"

    def __init__(self, values: Floats, weights: str, stated: Floats | None = None) -> None:
        super().__init__(values, weights, stated)
        self._model, self._unit = weights.split(",")
        self._complete: Bools = np.atleast_1d(np.isfinite(values).all(axis=0))
        self._is_crossed = len(values) >= 2 and int(self._complete.sum()) >= 2
        self._is_defined = self._is_crossed or self._model == "1"

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
    def interval(self, units: Units) -> Interval:
        codes = units.clusters.codes[self.is_used]
        if len(set(codes)) < len(codes):
            return super().interval(units)
        value = self.value()
        if math.isnan(value):
            return Interval(value)
        squares = self._mean_squares(np.ones((1, len(self.is_used))))
        freedom = float(squares.outputs[0]) - 1, self._freedom(squares)
        rows = f_ends(float(squares.rows[0]), *freedom, units.tail)
        if value == 1:
            return Interval(value, value, value)
        ends = (_coefficient(squares._replace(rows=np.array([one])), self._model, self._unit) for one in rows)
        lower, upper = (float(end[0]) for end in ends)
        return Interval(value, lower, upper)

    def _freedom(self, squares: MeanSquares) -> float:
        """Returns the degrees of freedom of the error of outputs; Satterthwaite's for form 2."""
        n, k, _, _, columns, error, within_freedom = (float(number[0]) for number in squares)
        if self._model != "2":
            return within_freedom if self._model == "1" else (n - 1) * (k - 1)
        single = float(_coefficient(squares, "2", "1")[0])
        of_raters = k * single * columns
        of_error = (n * (1 + (k - 1) * single) - k * single) * error
        below = of_raters**2 + of_error**2 / (n - 1)
        return (k - 1) * (of_raters + of_error) ** 2 / below if below else math.nan

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
    return np.asarray(np.divide(rows - rest, below, out=np.full(len(n), np.nan), where=below != 0))


_COEFFICIENTS = (KrippendorffAlpha, Gwet, FleissKappa, CohenKappa, IntraclassCorrelation)
COEFFICIENTS: dict[str, type[AgreementCoefficient]] = {kind.name: kind for kind in _COEFFICIENTS}
"""Name to coefficient of agreement, in the order of tables."""
