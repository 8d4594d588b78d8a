"""Krippendorff's α and weighted κ of pairs of raters, from sums over units: fast enough for every resample.

Ratings are vectors φ: one number, or for labels an indicator for each label. With the squared distance |φ_x − φ_y|²,
both coefficients are 1 − observed/expected distance. For numbers, these are α at the interval level and Cohen's κ with
quadratic weights; for labels, nominal α and unweighted κ (whose distances are all doubled, so that they cancel).

What κ of two raters consists of: their agreement, the prevalence of a label, and their bias towards it.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np

from metrics_framework.common.arrays import Floats, Indices
from metrics_framework.common.errors import InputError
from metrics_framework.inputs.ratings import LongTables, Unit, input_clusters
from metrics_framework.meta_evaluation.groups.moments import power_of_two
from metrics_framework.meta_evaluation.judge.request import JudgeRequest
from metrics_framework.meta_evaluation.rater_agreement.agreement_coefficients import KrippendorffAlpha
from metrics_framework.meta_evaluation.study import NOT_IN_JSON, OMITTED_IF_NONE, Finding
from metrics_framework.significance.clusters import Clusters, Units, labels_of, mean_of_defined
from metrics_framework.significance.interval_methods import Interval, Scale
from metrics_framework.significance.proportions import EffectiveTrials

MIN_SHARED = 10
"""Pairs of raters who share fewer units are left out."""
_ROUNDING = 1e-12


@dataclass(frozen=True)
class PairAgreement(Finding):
    """The agreement of two raters, or of a judge with a rater.

    Attributes:
        rater1: The first rater; empty for a judge.
        rater2: The second rater.
        n: The number of units that both rated.
        alpha: Krippendorff's α: nominal for labels, else at the interval level; NaN if undefined.
        kappa: Cohen's κ: unweighted for labels, else with quadratic weights; NaN if undefined.
    """

    rater1: str = field(metadata={"omitted if": ""})
    rater2: str
    n: int
    alpha: float
    kappa: float


@dataclass(frozen=True)
class KappaParts(Finding):
    """What κ depends on besides agreement, as means over raters (Byrt, Bishop and Carlin, 1993).

    With two labels and one rater, κ = (PABAK − PI² + BI²) / (1 − PI² + BI²), where PI = 2 prevalence − 1 and BI = bias.

    Attributes:
        label: The commonest label of the ratings.
        agreement: The share of units with equal labels.
        prevalence: The share of this label, mean of both sides.
        bias: How much more often the judge gives this label than a rater, as a difference of shares; between raters,
            the mean absolute difference.
        adjusted: The agreement corrected for chance as if all k labels were equally common, (k · agreement − 1) /
            (k − 1); for two labels, the prevalence-adjusted bias-adjusted kappa, PABAK. A scale states labels that do
            not occur.
    """

    label: str | float
    agreement: float
    prevalence: float
    bias: float
    adjusted: float


@dataclass(frozen=True)
class MeanAgreement(Finding):
    """The mean agreement of pairs.

    Attributes:
        alpha: The mean of α over the pairs for which it is defined.
        kappa: The mean of κ.
        parts: What κ consists of; `None` for ratings on a scale.
        pairs: The agreement of each pair.
    """

    alpha: Interval
    kappa: Interval
    parts: KappaParts | None = field(default=None, metadata={"json": "kappa_parts", **OMITTED_IF_NONE})
    pairs: Sequence[PairAgreement] = ()


@dataclass(frozen=True)
class JudgeAgreement(MeanAgreement):
    """The agreement of a judge with each rater.

    Attributes:
        signed_error: The mean over units of the judgement minus the mean rating: above 0, the judge is lenient. `None`
            for labels.
        spread: The standard deviation of the judge divided by that of a rater: the roots of their mean variances over
            the units of each rater. `None` for labels.
    """

    signed_error: Interval | None = field(default=None, metadata=NOT_IN_JSON)
    spread: Interval | None = field(default=None, metadata=NOT_IN_JSON)


def _vectors(x: Floats, y: Floats, *, as_labels: bool) -> tuple[Floats, Floats]:
    """Returns ratings as vectors, shape (dimensions, entries) each.

    Args:
        x: The first ratings, shape (entries,), without NaN.
        y: The second ratings.
        as_labels: Whether numbers are labels.
    """
    both = np.concatenate([x, y])
    if as_labels:
        vectors = (both == np.unique(both)[:, None]).astype(np.float64)
    else:
        origin = both[:1]  # a constant becomes exactly 0, and differences lose no digits to a large mean
        largest = float(np.abs(both / 2 - origin / 2).max(initial=0.0))
        vectors = (both / 2 - origin / 2)[None] / (largest or 1.0)
    return vectors[:, : len(x)], vectors[:, len(x) :]


@dataclass(frozen=True)
class PairSums:
    """Sums over the units that both raters of a pair rated, each of shape (…, pairs).

    Args:
        n: The number of units.
        x: The sum of the first rater's vectors, shape (dimensions, …, pairs).
        y: The sum of the second rater's vectors.
        squares_x: The sum of |φ_x|².
        squares_y: The sum of |φ_y|².
        distances: The sum of |φ_x − φ_y|².
    """

    n: Floats
    x: Floats
    y: Floats
    squares_x: Floats
    squares_y: Floats
    distances: Floats

    def alpha(self) -> Floats:
        """Returns Krippendorff's α of each pair; NaN if both give one value only, or for fewer than two units."""
        n = np.where(self.n >= 2, self.n, np.nan)
        squares = self.squares_x + self.squares_y
        pooled = squares - ((self.x + self.y) ** 2).sum(axis=0) / (2 * n)
        expected = 2 * pooled / (2 * n - 1)
        return self._ratio(expected, squares / n)

    def kappa(self) -> Floats:
        """Returns Cohen's weighted κ of each pair; NaN if both give one value only, or for fewer than two units."""
        n = np.where(self.n >= 2, self.n, np.nan)
        squares = self.squares_x + self.squares_y
        expected = squares / n - 2 * (self.x * self.y).sum(axis=0) / n**2
        return self._ratio(expected, squares / n)

    def variances(self) -> tuple[Floats, Floats]:
        """Returns the variances of both raters, with n in the denominator."""
        n = np.where(self.n >= 2, self.n, np.nan)
        of_x = self.squares_x / n - (self.x**2).sum(axis=0) / n**2
        of_y = self.squares_y / n - (self.y**2).sum(axis=0) / n**2
        return of_x, of_y

    def _ratio(self, expected: Floats, size: Floats) -> Floats:
        varies = expected > _ROUNDING * size
        observed = self.distances / np.where(self.n >= 2, self.n, np.nan)
        return np.asarray(np.where(varies, 1 - observed / np.where(varies, expected, 1.0), np.nan))


class RatedPairs:
    """The units that each pair of raters shares.

    Args:
        first: The vectors of the first raters, shape (dimensions, entries): one entry for each unit of each pair.
        second: The vectors of the second raters.
        pairs: The pair of each entry, sorted.
        units: The unit of each entry.
        shape: The numbers of pairs and units.
    """

    def __init__(self, first: Floats, second: Floats, pairs: Indices, units: Indices, shape: tuple[int, int]) -> None:
        from scipy.sparse import csr_matrix

        def matrix(values: Floats) -> csr_matrix:
            return csr_matrix((values, (pairs, units)), shape=shape)

        ones = np.ones(len(pairs))
        self.shape = shape
        self._n = matrix(ones)
        self._x = [matrix(row) for row in first]
        self._y = [matrix(row) for row in second]
        self._squares = [matrix((part**2).sum(axis=0)) for part in (first, second, first - second)]

    def sums(self, weights: Floats) -> PairSums:
        """Sums over units with weights, shape (…, units)."""

        def product(matrix: Any) -> Floats:
            return np.asarray((matrix @ weights.T).T)

        x, y = (np.array([product(matrix) for matrix in part]) for part in (self._x, self._y))
        return PairSums(product(self._n), x, y, *map(product, self._squares))


def judge_pairs(judge: Floats, ratings: Floats, *, as_labels: bool) -> RatedPairs:
    """Returns the pairs of a judge with each rater.

    Args:
        judge: Shape (units,), without NaN.
        ratings: Shape (raters, units), NaN without a rating.
        as_labels: Whether numbers are labels.
    """
    raters, units = np.nonzero(~np.isnan(ratings))
    vectors = _vectors(judge[units], ratings[raters, units], as_labels=as_labels)
    return RatedPairs(*vectors, raters, units, ratings.shape)


def rater_pairs(ratings: Floats, fewest: int, *, as_labels: bool) -> tuple[RatedPairs, list[tuple[int, int]]]:
    """Returns the pairs of raters who share enough units, and the raters of each pair.

    Args:
        ratings: Shape (raters, units), NaN without a rating.
        fewest: The least number of shared units.
        as_labels: Whether numbers are labels.
    """
    rated = ~np.isnan(ratings)
    shared = rated.astype(np.float64) @ rated.T.astype(np.float64)
    first, second = np.nonzero(np.triu(shared >= fewest, k=1))
    entries = [np.flatnonzero(rated[a] & rated[b]) for a, b in zip(first, second, strict=True)]
    units = np.concatenate([*entries, np.zeros(0, dtype=np.intp)])
    pairs = np.repeat(np.arange(len(first)), [len(entry) for entry in entries])
    vectors = _vectors(ratings[first[pairs], units], ratings[second[pairs], units], as_labels=as_labels)
    names = [(int(a), int(b)) for a, b in zip(first, second, strict=True)]
    return RatedPairs(*vectors, pairs, units, (len(first), ratings.shape[1])), names


def agreement_of_raters(ratings: Floats, raters: Sequence[str], units: Units, *, as_labels: bool) -> MeanAgreement:
    """Returns the mean pairwise agreement of raters, over the pairs who share at least ten units.

    Args:
        ratings: Shape (raters, units), NaN without a rating.
        raters: The names of the raters.
        units: What is left out in turn for intervals.
        as_labels: Whether numbers are labels.
    """
    pairs, indices = rater_pairs(ratings, MIN_SHARED, as_labels=as_labels)
    names = [(raters[first], raters[second]) for first, second in indices]
    alpha, kappa, _ = _means(pairs, units)
    return MeanAgreement(alpha, kappa, pairs=_by_pair(pairs, names))


def agreement_of_judge(
    judge: Floats, ratings: Floats, raters: Sequence[str], units: Units, *, as_labels: bool
) -> JudgeAgreement:
    """Returns the agreement of a judge with each rater.

    Args:
        judge: Shape (units,), without NaN.
        ratings: Shape (raters, units), NaN without a rating.
        raters: The names of the raters.
        units: What is left out in turn for intervals.
        as_labels: Whether numbers are labels.
    """
    pairs = judge_pairs(judge, ratings, as_labels=as_labels)
    alpha, kappa, spread = _means(pairs, units)
    by_pair = _by_pair(pairs, [("", rater) for rater in raters])
    if as_labels:
        return JudgeAgreement(alpha, kappa, pairs=by_pair)
    error = _signed_error(judge, ratings, units)
    return JudgeAgreement(alpha, kappa, pairs=by_pair, signed_error=error, spread=spread)


def _by_pair(pairs: RatedPairs, names: Sequence[tuple[str, str]]) -> list[PairAgreement]:
    sums = pairs.sums(np.ones(pairs.shape[1]))
    numbers = zip(names, sums.n, sums.alpha(), sums.kappa(), strict=True)
    return [PairAgreement(*name, int(n), float(alpha), float(kappa)) for name, n, alpha, kappa in numbers]


def _means(pairs: RatedPairs, units: Units) -> tuple[Interval, Interval, Interval]:
    """Returns the means over pairs of α and κ, and the ratio of standard deviations."""
    values = _summary(pairs, np.ones((1, pairs.shape[1])))
    left_out = np.hstack([_summary(pairs, weights) for weights in units.blocks(pairs.shape[0])])
    scales = Scale.artanh(), Scale.artanh(), Scale.log()
    alpha, kappa, spread = (
        units.interval(float(value[0]), *row) for value, *row in zip(values, left_out, scales, strict=True)
    )
    return alpha, kappa, spread


def _summary(pairs: RatedPairs, weights: Floats) -> Floats:
    """Returns mean α, mean κ and the ratio of standard deviations, shape (3, resamples)."""
    sums = pairs.sums(weights)
    of_x, of_y = (mean_of_defined(np.maximum(variances, 0.0)) for variances in sums.variances())
    positive = of_y > 0
    ratio = np.where(positive, np.sqrt(of_x / np.where(positive, of_y, 1.0)), np.nan)
    return np.array([mean_of_defined(sums.alpha()), mean_of_defined(sums.kappa()), ratio])


def _signed_error(judge: Floats, ratings: Floats, units: Units) -> Interval:
    rated = ~np.isnan(ratings)
    scale = power_of_two(judge, ratings)  # sums near 1e308 would overflow
    errors = np.where(rated, judge / scale - ratings / scale, 0.0).sum(axis=0) / rated.sum(axis=0)
    left_out = np.concatenate([weights @ errors / weights.sum(axis=1) for weights in units.blocks()])
    found = units.interval(float(errors.mean()), left_out)
    return replace(found, value=found.value * scale, lower=found.lower * scale, upper=found.upper * scale)


def commonest(values: Floats) -> float:
    """Returns the commonest value, the least of several."""
    different, counts = np.unique(values, return_counts=True)
    return float(different[counts.argmax()])


def kappa_parts(
    judge: Floats | None,
    ratings: Floats,
    labels: Sequence[str] = (),
    categories: Sequence[float] = (),
    *,
    as_labels: bool,
) -> KappaParts | None:
    """Returns the parts of κ as means over pairs; `None` for ratings on a scale.

    Args:
        judge: Shape (units,), without NaN, which is paired with each rater; `None` for the pairs of raters who share
            ten units, whose bias is a mean absolute one.
        ratings: Shape (raters, units), NaN without a rating.
        labels: The labels, if ratings are text.
        categories: The possible ratings, if they are stated; others may be among them.
        as_labels: Whether numbers are labels; otherwise only two different ones are.
    """
    rated = ~np.isnan(ratings)
    known = ratings[rated]
    if judge is None:
        shared = ((*pair, rated[pair[0]] & rated[pair[1]]) for pair in combinations(range(len(ratings)), 2))
        pairs = [(ratings[a, both], ratings[b, both]) for a, b, both in shared if both.sum() >= MIN_SHARED]
    else:
        pairs = [(judge[units], row[units]) for row, units in zip(ratings, rated, strict=True) if units.any()]
    classes = np.unique(np.concatenate([known, categories, () if judge is None else judge]))
    if not pairs or len(classes) < 2 or not (as_labels or len(classes) == 2):
        return None
    answer = commonest(known)
    first, second = (np.array([(side[number] == answer).mean() for side in pairs]) for number in (0, 1))
    agreement = math.fsum((x == y).mean() for x, y in pairs) / len(pairs)
    bias = np.abs(first - second) if judge is None else first - second
    return KappaParts(
        label=labels[int(answer)] if labels else answer,
        agreement=agreement,
        prevalence=float((first + second).mean()) / 2,
        bias=float(bias.mean()),
        adjusted=(len(classes) * agreement - 1) / (len(classes) - 1),
    )


@dataclass(frozen=True)
class RepeatedRuns(Finding):
    """The agreement of repeated runs of a judge.

    Attributes:
        runs: The columns.
        outputs: The number of outputs with the scores of two runs or more.
        left_out: The number of outputs with the score of one run only.
        level: The level of measurement of alpha.
        alpha: Krippendorff's alpha of the runs, with an interval over outputs.
        flips: The share of outputs whose score is not the same in all runs.
        differing_pairs: The share of pairs of runs that differ, mean over outputs.
    """

    runs: Sequence[str]
    outputs: int
    left_out: int
    level: str
    alpha: Interval
    flips: Interval
    differing_pairs: float


def runs_of(tables: LongTables, request: JudgeRequest) -> RepeatedRuns:
    """Returns how far the columns of `request` with the scores of repeated runs agree; texts are labels.

    Raises:
        InputError: if no output has the scores of two runs.
        UnknownNameError: if there is no column of a name.
        DataError: if a value is not a number, or contradicts another row.
    """
    columns = request.repeated
    is_text = any(tables.holds_text(name) for name in columns)
    found: list[Mapping[Unit, Any]] = [(tables.labels if is_text else tables.numbers)(name) for name in columns]
    units = sorted({unit for run in found for unit in run})
    try:
        return repeated_runs(
            _numbered(found, units),
            columns,
            as_labels=is_text,
            clusters=input_clusters(tables, request.cluster, [instance for instance, _ in units]),
            confidence=request.confidence,
            seed=request.seed,
        )
    except InputError as error:
        raise InputError(f"{error}; the columns are {', '.join(columns)}") from None


def _numbered(runs: Sequence[Mapping[Unit, Any]], units: Sequence[Unit]) -> Floats:
    """Returns the scores of each run and output; labels are numbered."""
    texts = sorted({value for run in runs for value in run.values() if isinstance(value, str)})
    codes = {text: float(number) for number, text in enumerate(texts)}
    rows = [[codes.get(run[unit], run[unit]) if unit in run else math.nan for unit in units] for run in runs]
    return np.array(rows, dtype=np.float64)


def repeated_runs(
    values: Floats,
    runs: Sequence[str],
    *,
    as_labels: bool = False,
    clusters: Sequence[Hashable] | None = None,
    confidence: float = 95,
    seed: int = 0,
) -> RepeatedRuns:
    """Computes the agreement of repeated runs.

    Args:
        values: The scores, shape (runs, outputs); NaN where missing; labels are numbered.
        runs: The names of the runs.
        as_labels: Whether scores are labels.
        clusters: The cluster of each output; by default outputs are independent.
        confidence: The level of the intervals, in percent.
        seed: The seed of the groups of outputs that are left out of more than a thousand.

    Raises:
        InputError: if no output has the scores of two runs.

    >>> import numpy as np
    >>> found = repeated_runs(np.array([[1.0, 2, 3, 4], [1, 2, 3, 3], [1, 2, np.nan, 4]]), ["a", "b", "c"])
    >>> found.flips.value, found.differing_pairs, round(found.alpha.value, 3)
    (0.25, 0.16666666666666666, 0.928)
    """
    scored = (~np.isnan(values)).sum(axis=0)
    used = values[:, scored > 1]
    if not used.shape[1]:
        raise InputError("no output has the scores of two runs")
    level = KrippendorffAlpha.label_weights if as_labels else KrippendorffAlpha.default_weights
    labels = labels_of(clusters, scored > 1)
    units = Units(Clusters.of(labels, used.shape[1]), confidence, seed)
    flips = np.nanmax(used, axis=0) != np.nanmin(used, axis=0)
    return RepeatedRuns(
        list(runs),
        used.shape[1],
        int((scored == 1).sum()),
        str(level),
        KrippendorffAlpha(used, str(level)).interval(units),
        EffectiveTrials.of(flips, labels).interval(confidence),
        float(np.mean([np.mean([a != b for a, b in combinations(row[~np.isnan(row)].tolist(), 2)]) for row in used.T])),
    )
