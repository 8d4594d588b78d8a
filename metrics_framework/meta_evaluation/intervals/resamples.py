"""Resamples as weights, and `Interval`: systems, inputs or clusters are drawn with replacement, or left out in turn."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.common.logs import long_work
from metrics_framework.meta_evaluation.choices import Population
from metrics_framework.meta_evaluation.groups.moments import BLOCK_BYTES
from metrics_framework.meta_evaluation.study import OMITTED_IF_NONE, Finding
from metrics_framework.significance.clusters import Clusters
from metrics_framework.significance.confidence_level import as_fraction

WeightBlock: TypeAlias = tuple[Floats | None, Floats | None]
"""The weights of systems and of inputs in some resamples, a row each; `None` if all are kept."""

MAX_PAIRS = 8192
"""The largest number of pairs of systems that a resample needs memory for."""

_BLOCK_WEIGHTS = 1 << 22


@dataclass(frozen=True)
class Interval(Finding):
    """An estimate with its confidence interval.

    Args:
        value: The estimate; NaN if undefined.
        lower: The lower end; NaN if undefined.
        upper: The upper end; NaN if undefined.
        undefined_resamples: The number of resamples in which the estimate is undefined; they are excluded. `None` for
            methods without resamples.
    """

    value: float
    lower: float = math.nan
    upper: float = math.nan
    undefined_resamples: int | None = field(default=None, metadata=OMITTED_IF_NONE)

    @property
    def is_defined(self) -> bool:
        """Whether both ends are defined."""
        return not (math.isnan(self.lower) or math.isnan(self.upper))


@dataclass(frozen=True)
class UnitResamples:
    """How units are resampled.

    Args:
        clusters: The clusters of units, which are drawn as a whole.
        resamples: The number of resamples.
        seed: The seed of NumPy's default generator.
        confidence: The level of the intervals, a fraction or in percent.
    """

    clusters: Clusters
    resamples: int = 1000
    seed: int = 0
    confidence: float = 95

    @property
    def tail(self) -> float:
        """The fraction beyond each end of an interval."""
        return (1 - as_fraction(self.confidence)) / 2

    def blocks(self, width: int = 1) -> Iterator[Floats]:
        """Yields how often each resample draws each unit, in blocks of shape (resamples, units).

        Args:
            width: The number of values that are computed for each resample, to bound the size of a block.
        """
        rows = max(1, _BLOCK_WEIGHTS // max(width, len(self.clusters.codes), 1))
        what = f"computing {self.resamples:,} resamples"
        with long_work(what, self.resamples, "fewer resamples take less", "computed", "resamples") as work:
            for block in self.clusters.draws(self.resamples, self.seed, rows):
                yield block
                work.advance(len(block))

    def normal_interval(self, value: float, drawn: Floats, largest: float = math.inf) -> Interval:
        """Returns a value ± z standard errors, estimated from resamples.

        Repeated units bias coefficients of few units, such as α, so that their percentiles may miss the value itself;
        their standard deviation is not affected.

        Args:
            value: The value in the data.
            drawn: The value in each resample, shape (resamples,); undefined ones are excluded.
            largest: The largest possible value.
        """
        from scipy.special import ndtri

        defined = drawn[~np.isnan(drawn)]
        undefined = len(drawn) - len(defined)
        if math.isnan(value) or len(defined) < 2:
            return Interval(value, undefined_resamples=undefined)
        half_width = float(ndtri(1 - self.tail) * defined.std(ddof=1))
        return Interval(value, value - half_width, min(largest, value + half_width), undefined)

    def interval(self, value: float, drawn: Floats) -> Interval:
        """Returns the percentile interval of a value.

        Args:
            value: The value in the data.
            drawn: The value in each resample, shape (resamples,); undefined ones are excluded.
        """
        defined = drawn[~np.isnan(drawn)]
        undefined = len(drawn) - len(defined)
        if math.isnan(value) or not len(defined):
            return Interval(value, undefined_resamples=undefined)
        lower, upper = np.quantile(defined, [self.tail, 1 - self.tail])
        return Interval(value, float(lower), float(upper), undefined)


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
