"""Confidence intervals of coefficients: `interval` for one, `shared_intervals` for many that share resamples."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, cast

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation.choices import checked_choice
from metrics_framework.meta_evaluation.coefficients.coefficient import Coefficient, resampled_values
from metrics_framework.meta_evaluation.coefficients.fisher import UNDEFINED, Ends
from metrics_framework.meta_evaluation.coefficients.lookup import checked_coefficient
from metrics_framework.meta_evaluation.coefficients.options import CoefficientOptions
from metrics_framework.meta_evaluation.estimates import Interval
from metrics_framework.meta_evaluation.intervals.formulas import jackknife_ends, percentile_ends
from metrics_framework.meta_evaluation.intervals.methods import FORMULAS, INTERVAL_METHODS
from metrics_framework.meta_evaluation.intervals.populations import (
    Population,
    WeightBlock,
    bootstrap_weights,
    jackknife_weights,
)
from metrics_framework.meta_evaluation.levels import Level
from metrics_framework.meta_evaluation.sums.score_pair import ScorePair
from metrics_framework.significance.clusters import Clusters
from metrics_framework.significance.confidence_level import as_fraction
from metrics_framework.significance.interval_methods import bca_interval

Key: TypeAlias = tuple[Level, str]
"""The level and the name of a coefficient."""
Wanted: TypeAlias = Mapping[Key, tuple[Coefficient, CoefficientOptions]]
"""The coefficients wanted, with their options."""
Values: TypeAlias = dict[Key, Floats]
"""The values of coefficients in all resamples."""


def interval(
    human: Any,
    metric: Any,
    name: str,
    *,
    level: str,
    method: str,
    confidence: float = 95,
    resamples: int = 1000,
    seed: int = 0,
    clusters: Sequence[Hashable] | None = None,
    epsilon: float = 0.0,
) -> Interval:
    """Computes a coefficient and its confidence interval.

    Args:
        human: The human scores, shape (systems, inputs); NaN where missing.
        metric: The scores of the metric, of the same shape.
        name: The coefficient.
        level: The level.
        method: A name of `INTERVAL_METHODS`.
        confidence: The confidence level, in percent or as a fraction.
        resamples: The number of bootstrap resamples.
        seed: The seed of the bootstrap.
        clusters: The cluster of each input, such as its document; clusters are drawn and left out as a whole.
        epsilon: The largest difference of tied scores; for a coefficient with a threshold, that threshold.

    Returns:
        The interval; NaN where undefined.

    Raises:
        InputError: if an argument is out of range, or the method is undefined for the coefficient.

    >>> human = np.array([[3, 1, 4, 1, 5, 2], [2, 2, 3, 3, 4, 1], [5, 3, 4, 2, 5, 4], [1, 2, 2, 1, 3, 1]])
    >>> metric = np.array([[61, 22, 75, 31, 88, 40], [45, 38, 52, 60, 71, 29], [83, 55, 70, 36, 93, 77],
    ...                    [30, 41, 35, 18, 66, 15]])
    >>> found = interval(human, metric, "pearson", level="input", method="jackknife-systems")
    >>> round(found.value, 6), round(found.lower, 6), round(found.upper, 6)
    (0.974258, 0.770756, 0.999042)
    """
    request = IntervalRequest(method, confidence, resamples, seed, clusters)
    found, at, options = checked_coefficient(name, level, epsilon)
    scores = ScorePair(human, metric)
    key = at, found.name
    return shared_intervals([(scores, {key: (found, found.fitted(scores, at, options)[0])})], request)[0][key]


@dataclass(frozen=True)
class IntervalRequest:
    """How confidence intervals are computed.

    Args:
        method: A name of `INTERVAL_METHODS`.
        confidence: The confidence level, in percent or as a fraction.
        resamples: The number of bootstrap resamples.
        seed: The seed of the bootstrap.
        clusters: The cluster of each input.
        tail: The fraction of the distribution beyond each end; by default half of what the confidence level leaves.

    Raises:
        InputError: if a value is out of range.
    """

    method: str
    confidence: float = 95
    resamples: int = 1000
    seed: int = 0
    clusters: Sequence[Hashable] | None = None
    tail: float = field(default=math.nan)

    def __post_init__(self) -> None:
        checked_choice(self.method, INTERVAL_METHODS, "method")
        if self.resamples < 1 or self.seed < 0:
            raise InputError(
                f"'resamples' must be at least 1 and 'seed' at least 0, got {self.resamples} and {self.seed}"
            )
        if math.isnan(self.tail):
            object.__setattr__(self, "tail", round((1 - as_fraction(self.confidence)) / 2, 12))

    @property
    def kind(self) -> str:
        """The formula of the ends, one of `_ENDS`."""
        return self.method if self.method in FORMULAS else self.method.split("-")[0]

    @property
    def is_drawn(self) -> bool:
        """Whether the method draws resamples."""
        return self.kind in ("bootstrap", "bca")

    @property
    def leaves_out(self) -> bool:
        """Whether the method leaves out one unit at a time."""
        return self.kind in ("jackknife", "bca")

    @property
    def population(self) -> Population:
        """What is drawn or left out; undefined for formulas without resamples."""
        return cast("Population", self.method.split("-")[1])

    def check(self, level: Level, coefficient: Coefficient) -> None:
        """Refuses what is known not to cover, or is undefined.

        Raises:
            InputError: if the method is no interval of the coefficient at this level.
        """
        if self.method == "bca-inputs" and level == "system":
            raise InputError(
                "'bca-inputs' is refused at the system level, where its 95 % intervals cover 67 to 83 %; use "
                "bootstrap-inputs"
            )
        if self.method == "fisher-shrunken" and level != "system":
            raise InputError(f"'fisher-shrunken' is an interval over systems, of the system level only, got '{level}'")
        if not has_interval(coefficient, self.method):
            raise InputError(
                f"'{self.method}' is undefined for '{coefficient.name}'; use {coefficient.default_interval(level)}"
            )


def shared_intervals(scores: Sequence[tuple[ScorePair, Wanted]], request: IntervalRequest) -> list[dict[Key, Interval]]:
    """Computes intervals of several coefficients of several pairs of scores from the same resamples.

    Resamples are drawn and used in blocks, so memory does not grow with the number of scores.

    Args:
        scores: Pairs of scores, all of the same shape, and the coefficients wanted of each, with fitted options.
        request: How intervals are computed.

    Returns:
        For each pair of scores, its interval at each key.

    Raises:
        InputError: if shapes differ, or the method is undefined for a coefficient at its level.
    """
    for _, wanted in scores:
        for (level, _), (coefficient, _) in wanted.items():
            request.check(level, coefficient)
    kept, clusters = _nonempty(scores, request.clusters)
    shape = kept[0][0].shape if kept else (0, 0)
    if not min(shape):
        undefined = request.resamples if request.is_drawn else None
        return [{key: Interval(math.nan, undefined_resamples=undefined) for key in wanted} for _, wanted in scores]
    left_out: list[Values] = [{} for _ in kept]
    drawn: list[Values] = [{} for _ in kept]
    if request.leaves_out:
        left_out = _collected(kept, jackknife_weights(request.population, shape, clusters))
    if request.is_drawn:
        blocks = bootstrap_weights(request.population, shape, request.resamples, request.seed, clusters)
        drawn = _collected(kept, blocks)
    return [
        {key: _interval(pair, key, wanted[key], request, of_draws, without) for key in wanted}
        for (pair, wanted), of_draws, without in zip(kept, drawn, left_out, strict=True)
    ]


def _nonempty(
    scores: Sequence[tuple[ScorePair, Wanted]], clusters: Sequence[Hashable] | None
) -> tuple[list[tuple[ScorePair, Wanted]], Sequence[Hashable] | None]:
    """Removes systems and inputs for which no pair of scores has a cell, and the clusters of these inputs."""
    if not scores:
        return [], clusters
    shapes = {pair.shape for pair, _ in scores}
    if len(shapes) > 1:
        raise InputError(f"all scores must have one shape, got {sorted(shapes)}")
    present = np.logical_or.reduce([pair.present for pair, _ in scores])
    rows, columns = present.any(axis=1), present.any(axis=0)
    if clusters is not None:
        Clusters.of(clusters, len(columns))
        clusters = [label for label, kept in zip(clusters, columns, strict=True) if kept]
    if rows.all() and columns.all():
        return [*scores], clusters
    kept = np.ix_(rows, columns)
    return [(ScorePair(pair.human[kept], pair.metric[kept]), wanted) for pair, wanted in scores], clusters


def _collected(scores: Sequence[tuple[ScorePair, Wanted]], blocks: Iterable[WeightBlock]) -> list[Values]:
    """Computes every coefficient of every pair of scores in all blocks of resamples."""
    parts: list[dict[Key, list[Floats]]] = [{key: [] for key in wanted} for _, wanted in scores]
    for rows, columns in blocks:
        for (pair, wanted), found in zip(scores, parts, strict=True):
            for level in dict.fromkeys(level for level, _ in wanted):
                at_level = {name: one for (at, name), one in wanted.items() if at == level}
                for name, values in resampled_values(pair, level, at_level, rows, columns).items():
                    found[level, name].append(values)
    return [{key: np.concatenate(part) for key, part in found.items() if part} for found in parts]


@dataclass(frozen=True)
class _Found:
    """What the ends of an interval are computed from.

    Args:
        scores: The scores.
        level: The level.
        coefficient: The coefficient.
        value: Its value.
        tail: The fraction of the distribution beyond each end.
        drawn: Its value in each bootstrap resample; empty if the method draws none.
        left_out: Its value without each unit; empty if the method leaves out none.
    """

    scores: ScorePair
    level: Level
    coefficient: Coefficient
    value: float
    tail: float
    drawn: Floats
    left_out: Floats

    def fisher(self) -> Ends | None:
        return self.coefficient.fisher_interval(self.value, self.scores.points(self.level), self.tail)

    def shrunken(self) -> Ends | None:
        return self.coefficient.shrunken_interval(self.scores, self.value, self.tail)

    def jackknife(self) -> Ends:
        return jackknife_ends(self.coefficient, self.value, self.left_out, self.tail)

    def percentiles(self) -> Ends:
        return percentile_ends(self.drawn, self.tail)

    def bca(self) -> Ends:
        found = bca_interval(self.drawn, np.array([self.value]), self.left_out, self.tail)
        return found.low, found.high


_ENDS: dict[str, Callable[[_Found], Ends | None]] = {
    "fisher": _Found.fisher,
    "fisher-shrunken": _Found.shrunken,
    "jackknife": _Found.jackknife,
    "bootstrap": _Found.percentiles,
    "bca": _Found.bca,
}


def _interval(
    pair: ScorePair,
    key: Key,
    wanted: tuple[Coefficient, CoefficientOptions],
    request: IntervalRequest,
    drawn: Values,
    left_out: Values,
) -> Interval:
    (level, _), (coefficient, options) = key, wanted
    value = float(coefficient.resampled(pair, level, None, None, options)[0])
    none = np.empty(0)
    found = _Found(pair, level, coefficient, value, request.tail, drawn.get(key, none), left_out.get(key, none))
    undefined = int(np.isnan(found.drawn).sum()) if request.is_drawn else None
    ends = UNDEFINED if math.isnan(value) else _ENDS[request.kind](found) or UNDEFINED
    return Interval(value, *ends, undefined)


def has_interval(coefficient: Coefficient, method: str) -> bool:
    """Returns whether a coefficient has the interval of a formula; resampled ones are defined for all coefficients."""
    if method == "fisher":
        return coefficient.fisher_interval(0.5, 10, 0.025) is not None
    one = ScorePair([[0.0], [1.0]], [[0.0], [1.0]])
    return method != "fisher-shrunken" or coefficient.shrunken_interval(one, 0.5, 0.025) is not None
