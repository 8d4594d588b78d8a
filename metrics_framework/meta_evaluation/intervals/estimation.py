"""Confidence intervals of coefficients: `interval` for one, `shared_intervals` for many that share resamples."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, cast

import numpy as np

from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation.coefficients.checks import checked_choice, checked_coefficient, checked_pair
from metrics_framework.meta_evaluation.coefficients.groups import coefficient
from metrics_framework.meta_evaluation.estimates import Interval
from metrics_framework.meta_evaluation.intervals.formulas import (
    FISHER_COEFFICIENTS,
    UNDEFINED,
    Ends,
    fisher_interval,
    jackknife_ends,
    percentile_ends,
)
from metrics_framework.meta_evaluation.intervals.populations import (
    Population,
    WeightBlock,
    bootstrap_weights,
    jackknife_weights,
)
from metrics_framework.meta_evaluation.intervals.resampled import ResampledScores
from metrics_framework.meta_evaluation.names import INTERVAL_METHODS, Coefficient, Level
from metrics_framework.significance.arrays import Floats
from metrics_framework.significance.clusters import Clusters
from metrics_framework.significance.confidence_level import as_fraction
from metrics_framework.significance.interval_methods import bca_interval

Key: TypeAlias = tuple[str, str]
"""The level and the name of a coefficient."""


def interval(
    human: Floats,
    metric: Floats,
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
        name: A name of `COEFFICIENTS`.
        level: A name of `LEVELS`.
        method: A name of `INTERVAL_METHODS`.
        confidence: The confidence level, in percent or as a fraction.
        resamples: The number of bootstrap resamples.
        seed: The seed of the bootstrap.
        clusters: The cluster of each input, such as its document; clusters are drawn and left out as a whole.
        epsilon: The largest difference of tied scores; for ``kendall-like`` the least human difference that counts.

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
    checked, at = checked_coefficient(name, level, epsilon)
    key = at, checked
    return shared_intervals([(human, metric)], [key], request, epsilons={name: epsilon})[0][key]


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
        """``fisher``, ``bootstrap``, ``bca`` or ``jackknife``."""
        return self.method.split("-")[0]

    @property
    def population(self) -> Population:
        """What is drawn or left out."""
        return cast("Population", self.method.split("-")[1])


def shared_intervals(
    scores: Sequence[tuple[Floats, Floats]],
    keys: Sequence[Key],
    request: IntervalRequest,
    epsilons: Mapping[str, float] | None = None,
) -> list[dict[Key, Interval]]:
    """Computes intervals of several coefficients of several pairs of scores from the same resamples.

    Resamples are drawn and used in blocks, so memory does not grow with the number of scores.

    Args:
        scores: Human scores and those of a metric, all of the same shape (systems, inputs); NaN where missing.
        keys: Level and name of each coefficient.
        request: How intervals are computed.
        epsilons: Coefficient to the largest difference of tied scores.

    Returns:
        For each pair of scores, its interval at each key.
    """
    epsilons = epsilons or {}
    if request.kind == "fisher" and (other := [name for _, name in keys if name not in FISHER_COEFFICIENTS]):
        fisher_interval(other[0], 0, 0, request.tail)
    kept, clusters = _nonempty(scores, request.clusters)
    pairs = [ResampledScores(*one, epsilons) for one in kept]
    shape = pairs[0].human.shape if pairs else (0, 0)
    if not min(shape):
        undefined = request.resamples if request.kind in ("bootstrap", "bca") else None
        return [{key: Interval(math.nan, undefined_resamples=undefined) for key in keys} for _ in pairs]
    left_out, drawn = {}, {}
    if request.kind in ("jackknife", "bca"):
        left_out = _collected(pairs, keys, jackknife_weights(request.population, shape, clusters))
    if request.kind in ("bootstrap", "bca"):
        blocks = bootstrap_weights(request.population, shape, request.resamples, request.seed, clusters)
        drawn = _collected(pairs, keys, blocks)
    return [
        {
            key: _interval(
                pair, key, _value(pair, key, epsilons), request, _at(drawn, key, index), _at(left_out, key, index)
            )
            for key in keys
        }
        for index, pair in enumerate(pairs)
    ]


def _value(pair: ResampledScores, key: Key, epsilons: Mapping[str, float]) -> float:
    level, name = cast("Level", key[0]), cast("Coefficient", key[1])
    return coefficient(pair.human, pair.metric, name, level=level, epsilon=epsilons.get(name, 0.0))


def _at(values: Mapping[Key, Sequence[Floats]], key: Key, index: int) -> Floats:
    return values[key][index] if values else np.empty(0)


def _nonempty(
    scores: Sequence[tuple[Floats, Floats]], clusters: Sequence[Hashable] | None
) -> tuple[list[tuple[Floats, Floats]], Sequence[Hashable] | None]:
    """Removes systems and inputs for which no pair of scores has a cell, and the clusters of these inputs."""
    matrices = [checked_pair(*one) for one in scores]
    if any(human.shape != matrices[0][0].shape for human, _ in matrices):
        raise InputError(f"all scores must have one shape, got {sorted({human.shape for human, _ in matrices})}")
    if not matrices:
        return [], clusters
    present = np.logical_or.reduce([~np.isnan(human) for human, _ in matrices])
    rows, columns = present.any(axis=1), present.any(axis=0)
    if clusters is not None:
        Clusters.of(clusters, len(columns))
        clusters = [label for label, kept in zip(clusters, columns, strict=True) if kept]
    return [(human[rows][:, columns], metric[rows][:, columns]) for human, metric in matrices], clusters


def _collected(
    pairs: Sequence[ResampledScores], keys: Sequence[Key], blocks: Iterable[WeightBlock]
) -> dict[Key, list[Floats]]:
    """Computes every coefficient of every pair of scores in all blocks of resamples."""
    by_level: dict[str, list[str]] = {}
    for level, name in keys:
        by_level.setdefault(level, []).append(name)
    parts: dict[Key, list[list[Floats]]] = {key: [[] for _ in pairs] for key in keys}
    for rows, columns in blocks:
        for index, pair in enumerate(pairs):
            for level, names in by_level.items():
                for name, values in pair.values(level, names, rows, columns).items():
                    parts[level, name][index].append(values)
    return {
        key: [np.concatenate(part) if part else np.empty(0) for part in of_pairs] for key, of_pairs in parts.items()
    }


def _interval(
    pair: ResampledScores, key: Key, value: float, request: IntervalRequest, drawn: Floats, left_out: Floats
) -> Interval:
    level, name = key
    ends: Ends = UNDEFINED
    if request.kind == "fisher":
        ends = fisher_interval(name, value, pair.points(level), request.tail)
    elif request.kind == "jackknife":
        ends = jackknife_ends(name, value, left_out, request.tail)
    elif request.kind == "bootstrap":
        ends = percentile_ends(drawn, request.tail)
    elif not math.isnan(value):
        found = bca_interval(drawn, np.array([value]), left_out, request.tail)
        ends = found.low, found.high
    undefined = int(np.isnan(drawn).sum()) if request.kind in ("bootstrap", "bca") else None
    return Interval(value, *ends, undefined)
