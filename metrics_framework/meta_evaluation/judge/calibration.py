"""`reliability`: whether stated probabilities are the frequencies that come true, with Brier score and ECE."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from metrics_framework.common.arrays import Floats, Indices
from metrics_framework.common.errors import InputError, UnknownChoiceError
from metrics_framework.common.overriding import overrides
from metrics_framework.meta_evaluation.judge.request import BINNINGS, Binning
from metrics_framework.meta_evaluation.study import Finding
from metrics_framework.significance.clusters import Clusters, Units, design_effect
from metrics_framework.significance.interval_methods import Interval, Scale


@dataclass(frozen=True)
class ReliabilityBin(Finding):
    """The cases of similar probabilities: a point of the reliability diagram.

    Attributes:
        lower: The lower edge, which belongs to the bin below, except in the first bin.
        upper: The upper edge, which belongs to this bin.
        n: The number of cases.
        stated: The mean probability of the cases.
        observed: The mean outcome.
    """

    lower: float
    upper: float
    n: int
    stated: float
    observed: float


@dataclass(frozen=True)
class Reliability(Finding):
    """How well stated probabilities agree with outcomes.

    Attributes:
        n: The number of cases.
        brier: The Brier score, with its interval.
        brier_of_constant: That of a constant that knows the share of the outcomes.
        skill: 1 − Brier score / that of a constant that knows the share of the outcomes; NaN if all are equal.
        overconfidence: The mean probability minus the mean outcome.
        ece: The expected calibration error.
        ece_of_calibrated: The ECE that calibrated probabilities have on as many cases, because of sampling alone.
        base_rate: The mean outcome.
        binning: How the edges of bins are chosen.
        bin_count: The number of bins requested.
        bins: The bins that have cases.
    """

    n: int
    brier: Interval
    brier_of_constant: float
    skill: Interval
    overconfidence: Interval
    ece: float
    ece_of_calibrated: float
    base_rate: float
    binning: Binning
    bin_count: int
    bins: Sequence[ReliabilityBin]


def reliability(
    stated: npt.ArrayLike,
    outcomes: npt.ArrayLike,
    *,
    bins: int = 10,
    binning: Binning = "width",
    clusters: Sequence[Hashable] | None = None,
    confidence: float = 95,
    seed: int = 0,
) -> Reliability:
    """Compares stated probabilities p with outcomes y: Brier score, expected calibration error, reliability diagram.

    An outcome is 1 or 0, or the share of several raters for whom it is 1. The Brier score is the mean of (p − y)² over
    cases, of single raters where there are several: (p − ȳ)² + ȳ(1 − ȳ). With the mean probability and outcome of each
    bin, ECE is Σ n_b |p̄_b − ȳ_b| / n.

    ECE is above 0 also for calibrated probabilities, the more the fewer cases a bin has. ``ece_of_calibrated`` is its
    expectation for a calibrated judge, Σ_b √(2/π · f Σ_{i∈b} p(1 − p)) / n. f is 1 − mean y(1 − y) / (ȳ(1 − ȳ)), which
    is 1 for outcomes of 0 and 1, times the design effect of clusters, if it is above 1. Compare ECE with it, not 0.

    Args:
        stated: The probabilities, shape (cases,).
        outcomes: The outcomes, from 0 to 1, shape (cases,).
        bins: The number of bins.
        binning: ``width`` for bins of equal width, ``mass`` for bins of about equally many cases: edges are quantiles
            (linear), and equal probabilities are in one bin. An edge belongs to the bin below it.
        clusters: The cluster of each case; cases of a cluster are dependent.
        confidence: The level of the intervals, a fraction or in percent.
        seed: The seed of the groups of cases that are left out of more than a thousand.

    Raises:
        InputError: if shapes differ, there is no case, or a number is not from 0 to 1.
        UnknownChoiceError: if there is no binning of the name.

    Sources: Brier (Monthly Weather Review, 1950); Naeini, Cooper and Hauskrecht (AAAI 2015) for ECE.

    >>> found = reliability([0.9, 0.9, 0.9, 0.6, 0.6], [1, 1, 0, 1, 0], bins=5)
    >>> round(found.brier.value, 3), round(found.ece, 3), [(one.n, round(one.observed, 3)) for one in found.bins]
    (0.27, 0.18, [(2, 0.5), (3, 0.667)])
    """
    p, y = _checked(stated, outcomes)
    if binning not in BINNINGS:
        raise UnknownChoiceError("binning", binning, BINNINGS)
    if bins < 1:
        raise InputError(f"'bins' must be 1 or more, got {bins}")
    groups = Clusters.of(clusters, len(p))
    edges = np.arange(1, bins) / bins if binning == "width" else np.quantile(p, np.arange(1, bins) / bins)
    codes = np.searchsorted(edges, p, side="left")
    found = [_bin(np.array([0.0, *edges, 1.0]), code, p[codes == code], y[codes == code]) for code in np.unique(codes)]
    brier, skill, excess = _Scores(p, y).intervals(Units(groups, confidence, seed))
    base_rate = float(y.mean())
    return Reliability(
        n=len(p),
        brier=brier,
        brier_of_constant=base_rate * (1 - base_rate),
        skill=skill,
        overconfidence=excess,
        ece=math.fsum(one.n * abs(one.stated - one.observed) for one in found) / len(p),
        ece_of_calibrated=_by_chance(p, y, codes, groups) / len(p),
        base_rate=base_rate,
        binning=binning,
        bin_count=bins,
        bins=found,
    )


def _checked(stated: npt.ArrayLike, outcomes: npt.ArrayLike) -> tuple[Floats, Floats]:
    arrays = []
    for name, values in (("stated", stated), ("outcomes", outcomes)):
        array = np.asarray(values, dtype=np.float64)
        if array.ndim != 1 or not len(array):
            raise InputError(f"'{name}' must have the shape (cases,) with one case or more, got {array.shape}")
        if not ((array >= 0) & (array <= 1)).all():
            raise InputError(f"'{name}' must be numbers from 0 to 1")
        arrays.append(array)
    if len(arrays[0]) != len(arrays[1]):
        raise InputError(f"'outcomes' must have one number for each of {len(arrays[0])} cases, got {len(arrays[1])}")
    return arrays[0], arrays[1]


def _bin(edges: Floats, code: int, p: Floats, y: Floats) -> ReliabilityBin:
    return ReliabilityBin(float(edges[code]), float(edges[code + 1]), len(p), float(p.mean()), float(y.mean()))


def _by_chance(p: Floats, y: Floats, bins: Indices, clusters: Clusters) -> float:
    """Returns the expected sum over bins of the absolute sum of y − p if probabilities are calibrated."""
    variances, mean = p * (1 - p), float(y.mean())
    within = float((y * (1 - y)).mean())  # 0 for outcomes of 0 and 1
    factor = 1 - within / (mean * (1 - mean)) if 0 < mean < 1 else 1.0
    effect = design_effect(y - p, clusters)
    factor *= max(1.0, effect) if math.isfinite(effect) else 1.0
    return float(np.sqrt(2 / math.pi * factor * np.bincount(bins, weights=variances)).sum())


class _Scores(Finding):
    """The Brier score, its skill, and overconfidence, of all cases and without some.

    Args:
        p: The probabilities.
        y: The outcomes.
    """

    def __init__(self, p: Floats, y: Floats) -> None:
        self._columns = np.array([(p - y) ** 2 + y * (1 - y), y, p - y]).T

    def _values(self, weights: Floats) -> Floats:
        """Returns Brier score, skill and overconfidence, shape (3, samples), for weights (samples, cases)."""
        brier, base_rate, excess = (weights @ self._columns / weights.sum(axis=1, keepdims=True)).T
        constant = base_rate * (1 - base_rate)
        varies = constant > 1e-12
        skill = np.where(varies, 1 - brier / np.where(varies, constant, 1.0), np.nan)
        return np.array([brier, skill, excess])

    def intervals(self, units: Units) -> list[Interval]:
        values = self._values(np.ones((1, len(self._columns))))[:, 0]
        left_out = np.hstack([self._values(weights) for weights in units.blocks()])
        scales = Scale.linear(0, 1), Scale.linear(largest=1), Scale.linear(-1, 1)
        return [units.interval(float(value), *row) for value, *row in zip(values, left_out, scales, strict=True)]


@dataclass(frozen=True)
class JudgeReliability(Finding):
    """Whether the probabilities that a judge states come true.

    Attributes:
        judge: The judge.
        is_stated: Whether they are stated confidence; otherwise, judgements are probabilities of a rating of 1.
        measured: Brier score, expected calibration error and the reliability diagram.
        left_out: The number of units without stated confidence, or without a tested rater.
    """

    judge: str
    is_stated: bool
    measured: Reliability
    left_out: int

    @overrides
    def as_json(self) -> dict[str, Any]:
        kind = "stated confidence" if self.is_stated else "probability"
        return {"judge": self.judge, "kind": kind, "left_out": self.left_out, **self.measured.as_json()}


def judge_reliability(
    judges: Mapping[str, Floats], ratings: Floats, stated: Mapping[str, Floats], units: Units, bins: tuple[int, Binning]
) -> list[JudgeReliability]:
    """Compares the stated confidence of judges, or judgements that are probabilities, with ratings.

    Stated confidence comes true if a rater gives the same rating as the judge. If all ratings are 0 or 1 and the
    judgements are numbers between 0 and 1, they are probabilities of a rating of 1.

    Args:
        judges: The judgements of each judge, shape (units,), without NaN.
        ratings: Shape (raters, units), NaN without a rating.
        stated: Judge to the confidence that it states, shape (units,), NaN without one.
        units: What is left out in turn for intervals.
        bins: The number of bins, and how their edges are chosen.

    Raises:
        InputError: if no rated output has a stated confidence of a judge.
    """
    rated = ~np.isnan(ratings)
    counts = rated.sum(axis=0)
    found = []
    for name, judgements in judges.items():
        if name in stated:
            probabilities, equal = stated[name], (ratings == judgements) & rated
        elif _are_probabilities(judgements, ratings[rated]):
            probabilities, equal = judgements, (ratings == 1) & rated
        else:
            continue
        used = (counts > 0) & ~np.isnan(probabilities)
        if not used.any():
            raise InputError(
                f"no rated output has a stated confidence of '{name}'; do the tables have the same ids of inputs and "
                "systems, and is the confidence neither empty nor null?"
            )
        codes = units.clusters.codes[used].tolist()
        measured = reliability(
            probabilities[used],
            equal.sum(axis=0)[used] / counts[used],
            bins=bins[0],
            binning=bins[1],
            clusters=codes,
            confidence=units.confidence,
            seed=units.seed,
        )
        found.append(JudgeReliability(name, name in stated, measured, int((~used).sum())))
    return found


def _are_probabilities(judgements: Floats, known: Floats) -> bool:
    are_verdicts = bool(np.isin(known, (0.0, 1.0)).all())
    inside = bool(((judgements >= 0) & (judgements <= 1)).all())
    return are_verdicts and inside and not bool(np.isin(judgements, (0.0, 1.0)).all())
