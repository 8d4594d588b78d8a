"""Resamples as weights, and `Interval`: systems, inputs or clusters are drawn with replacement, or left out in turn."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from metrics_framework.common.arrays import Bools, Floats, Indices
from metrics_framework.meta_evaluation.choices import Population
from metrics_framework.meta_evaluation.groups.moments import BLOCK_BYTES
from metrics_framework.meta_evaluation.study import NOT_IN_JSON, OMITTED_IF_EMPTY, OMITTED_IF_NONE, Finding
from metrics_framework.significance.clusters import Clusters
from metrics_framework.significance.confidence_level import as_fraction
from metrics_framework.significance.interval_methods import LINEAR, Scale, jackknife_ends

WeightBlock: TypeAlias = tuple[Floats | None, Floats | None]
"""The weights of systems and of inputs in some resamples, a row each; `None` if all are kept."""

MAX_PAIRS = 8192
"""The largest number of pairs of systems that a resample needs memory for."""

_BLOCK_WEIGHTS = 1 << 22


@dataclass(frozen=True)
class Interval(Finding):
    """An estimate with its confidence interval: what functions on arrays return.

    Args:
        value: The estimate; NaN if undefined.
        lower: The lower end; NaN if undefined.
        upper: The upper end; NaN if undefined.
        undefined_resamples: The number of resamples in which the estimate is undefined; they are excluded. `None` for
            methods without resamples.
        reason: Why a value has no interval; empty if it has one.
        p_value: The two-sided p-value of no correlation; `None` if there is none.
        draws: The value in each resample, or without each unit, if requested.
    """

    value: float
    lower: float = math.nan
    upper: float = math.nan
    undefined_resamples: int | None = field(default=None, metadata=OMITTED_IF_NONE)
    reason: str = field(default="", metadata=OMITTED_IF_EMPTY)
    p_value: float | None = field(default=None, metadata=OMITTED_IF_NONE)
    draws: Floats | None = field(default=None, repr=False, compare=False, metadata=NOT_IN_JSON)

    @property
    def is_defined(self) -> bool:
        """Whether both ends are defined."""
        return not (math.isnan(self.lower) or math.isnan(self.upper))


MAX_LEFT_OUT = 1000
"""Of more units, random groups of about equal size are left out."""


@dataclass(frozen=True)
class Units:
    """What intervals of agreement take as independent, and leave out in turn: units, or clusters of them.

    Args:
        clusters: The clusters of units.
        confidence: The level of the intervals, a fraction or in percent.
        seed: The seed of NumPy's default generator, for the groups of more than a thousand units or clusters.
        used: Which units count, shape (units,); by default all.
    """

    clusters: Clusters
    confidence: float = 95
    seed: int = 0
    used: Bools | None = None

    @property
    def tail(self) -> float:
        """The fraction beyond each end of an interval."""
        return (1 - as_fraction(self.confidence)) / 2

    @property
    def codes(self) -> Indices:
        """The numbers of the clusters that count, shape (clusters,)."""
        codes = self.clusters.codes
        found: Indices = np.unique(codes if self.used is None else codes[self.used])
        return found

    def blocks(self, width: int = 1) -> Iterator[Floats]:
        """Yields weights of units of which each sample lacks one cluster, in blocks of shape (samples, units).

        Args:
            width: The number of values that are computed for each sample, to bound the size of a block.
        """
        codes = self.codes
        group_of = np.full(self.clusters.count, -1)
        count = min(len(codes), MAX_LEFT_OUT)
        order = codes if count == len(codes) else np.random.default_rng(self.seed).permutation(codes)
        group_of[order] = np.arange(len(codes)) * count // max(1, len(codes))
        groups = group_of[self.clusters.codes]
        rows = max(1, _BLOCK_WEIGHTS // max(width, len(groups), 1))
        if count < 2:  # nothing would be left
            yield np.ones((count, len(groups)))
            return
        for start in range(0, count, rows):
            yield (groups != np.arange(start, min(start + rows, count))[:, None]).astype(np.float64)

    def interval(self, value: float, left_out: Floats, scale: Scale = LINEAR) -> Interval:
        """Returns the jackknife interval of a value; see `jackknife_ends`.

        Args:
            value: The value of all units.
            left_out: The value without each, shape (samples,).
            scale: The scale.
        """
        lower, upper, reason = jackknife_ends(value, left_out, self.tail, scale)
        return Interval(value, lower, upper, reason="" if math.isnan(value) else reason)


def mean_of_defined(values: Floats) -> Floats:
    """Returns the mean over the last axis of what is defined; NaN if nothing is."""
    defined = ~np.isnan(values)
    sums, counts = np.where(defined, values, 0.0).sum(axis=-1), defined.sum(axis=-1)
    means: Floats = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    return means


def bootstrap_weights(
    population: Population,
    shape: tuple[int, int],
    resamples: int,
    seed: int,
    clusters: Sequence[Hashable] | None = None,
) -> Iterator[WeightBlock]:
    """Yields the weights of bootstrap resamples, systems drawn before inputs, in blocks that fit in memory.

    Args:
        population: What is drawn with replacement.
        shape: The shape of the matrix (systems, inputs).
        resamples: The number of resamples.
        seed: The seed of NumPy's default generator.
        clusters: The cluster of each input; clusters are drawn as a whole.
    """
    systems, inputs = shape
    units = Clusters.of(clusters, inputs)
    generator = np.random.default_rng(seed)
    for count in _block_sizes(shape, resamples):
        rows = np.zeros((count, systems)) if population != "inputs" else None
        drawn = np.zeros((count, units.count)) if population != "systems" else None
        for index in range(count):
            if rows is not None:
                rows[index] = np.bincount(generator.integers(systems, size=systems), minlength=systems)
            if drawn is not None:
                drawn[index] = np.bincount(generator.integers(units.count, size=units.count), minlength=units.count)
        yield rows, None if drawn is None else units.weights(drawn)


def jackknife_weights(
    population: Population, shape: tuple[int, int], clusters: Sequence[Hashable] | None = None
) -> Iterator[WeightBlock]:
    """Yields weights that leave out one system, or one cluster of inputs, at a time, in blocks that fit in memory.

    Args:
        population: ``systems`` or ``inputs``.
        shape: The shape of the matrix (systems, inputs).
        clusters: The cluster of each input.
    """
    units = Clusters.of(clusters, shape[1])
    number = shape[0] if population == "systems" else units.count
    start = 0
    for count in _block_sizes(shape, number):
        kept = np.ones((count, number))
        kept[np.arange(count), np.arange(start, start + count)] = 0
        yield (kept, None) if population == "systems" else (None, units.weights(kept))
        start += count


def _block_sizes(shape: tuple[int, int], resamples: int) -> Iterator[int]:
    systems, inputs = shape
    pairs = min(systems * systems // 2, MAX_PAIRS)
    step = max(1, BLOCK_BYTES // (16 * max(1, systems, inputs) + 4 * pairs))
    for start in range(0, resamples, step):
        yield min(step, resamples - start)
