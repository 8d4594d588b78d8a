"""Clusters of inputs: items from one document, prompt or dialogue are not independent, and are resampled together.

`drawn_weights` draws the units of every bootstrap, and `Clusters.left_out` leaves them out for every jackknife.

Source: Miller (2024), "Adding Error Bars to Evals".
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from metrics_framework.common.arrays import Bools, Floats, Indices
from metrics_framework.common.errors import InputError
from metrics_framework.significance.confidence_level import as_fraction
from metrics_framework.significance.interval_methods import LINEAR, Interval, Scale, jackknife_interval
from metrics_framework.significance.resampling import BLOCK_WEIGHTS, Resampling


@dataclass(frozen=True)
class Clusters:
    """The cluster of each item.

    Args:
        codes: Item to the number of its cluster, shape (items,); numbered from 0 in the order of their first items.
        count: The number of clusters G.
    """

    codes: Indices
    count: int

    @classmethod
    def of(cls, labels: Sequence[Hashable] | None, items: int) -> Clusters:
        """Numbers the clusters of items; without labels, each item is one cluster.

        Args:
            labels: The cluster of each item.
            items: The number of items.

        Raises:
            InputError: if there is not one label for each item.

        >>> Clusters.of(["b", "a", "b"], 3)
        Clusters(codes=array([0, 1, 0]), count=2)
        """
        if labels is None:
            return cls(np.arange(items), items)
        labels = list(labels)
        if len(labels) != items:
            raise InputError(f"'clusters' must have one label for each of the {items} inputs, got {len(labels)}")
        numbers: dict[Hashable, int] = {}
        codes = [numbers.setdefault(label, len(numbers)) for label in labels]
        return cls(np.asarray(codes, dtype=np.intp), len(numbers))

    def weights(self, cluster_weights: Floats) -> Floats:
        """Turns weights of clusters, shape (…, clusters), into weights of items, shape (…, items)."""
        if self.count == len(self.codes):
            return cluster_weights
        weights: Floats = cluster_weights[..., self.codes]
        return weights

    def left_out(self, rows: int) -> Iterator[Floats]:
        """Yields weights of items that leave out one cluster each, in blocks of shape (rows, items).

        Args:
            rows: The largest number of samples of a block.
        """
        for start in range(0, self.count, rows):
            yield (self.codes != np.arange(start, min(start + rows, self.count))[:, None]).astype(np.float64)

    def sums(self, values: Floats) -> Floats:
        """Sums values of items, shape (items,), over each cluster, shape (clusters,)."""
        sums: Floats = np.bincount(self.codes, weights=values, minlength=self.count).astype(np.float64)
        return sums


def labels_of(labels: Sequence[Hashable] | None, used: npt.ArrayLike) -> list[Hashable] | None:
    """Returns the labels of the items that are used; `None` without labels.

    >>> labels_of("abc", [True, False, True]), labels_of(None, [True])
    (['a', 'c'], None)
    """
    return (
        None if labels is None else [label for label, is_used in zip(labels, np.asarray(used), strict=True) if is_used]
    )


def shared_labels(labels: Sequence[Hashable] | None) -> Sequence[Hashable] | None:
    """Returns the labels of clusters; `None` if each is of one item only, so that items are independent.

    >>> shared_labels("aab"), shared_labels("abc")
    ('aab', None)
    """
    return None if labels is None or len(set(labels)) == len(labels) else labels


def standard_error(values: Floats, clusters: Clusters | None = None, *, corrected: bool = False) -> float:
    """Computes the standard error of a mean, √(Σ_g (Σ_{i∈g} (x_i − x̄))²) / n, over clusters g.

    Args:
        values: Shape (items,), without NaN.
        clusters: The clusters; by default each item is one.
        corrected: Whether to multiply by √(G / (G − 1)) for G clusters.

    Returns:
        The standard error; NaN without values, or if it is corrected and there is one cluster.

    >>> x = np.array([0.2, 0.5, 0.9, 0.4, 0.4, 0.7, 0.1, 0.8, 0.6, 0.3])
    >>> round(standard_error(x, Clusters.of("0001122233", 10)), 9)
    0.026944387
    """
    if not len(values):
        return math.nan
    clusters = clusters or Clusters.of(None, len(values))
    if corrected and clusters.count < 2:
        return math.nan
    squares = math.fsum(clusters.sums(values - values.mean()) ** 2)  # in any order of units
    return math.sqrt(squares * clusters.count / (clusters.count - 1) if corrected else squares) / len(values)


def design_effect(values: Floats, clusters: Clusters) -> float:
    """Returns how many times larger the variance of the mean is with clusters than for independent items.

    NaN if all values are equal.
    """
    independent = standard_error(values)
    return (standard_error(values, clusters) / independent) ** 2 if independent else math.nan


def drawn_weights(kinds: Sequence[Clusters], resamples: int, seed: int, rows: int) -> Iterator[list[Floats]]:
    """Yields how often each bootstrap resample has each item of several kinds, which are drawn after each other.

    A resample draws as many clusters as there are, with replacement, each as a whole. The draws do not depend on the
    number of rows of a block; for one kind and the same number of lines, they are those of sacreBLEU 2.6.0.

    Args:
        kinds: The clusters of the items of each kind.
        resamples: The number of resamples.
        seed: The seed of NumPy's default generator.
        rows: The largest number of resamples of a block.

    Yields:
        For each kind, an array of the shape (rows, items).
    """
    generator = np.random.default_rng(seed)
    for start in range(0, resamples, rows):
        blocks = [np.empty((min(rows, resamples - start), kind.count)) for kind in kinds]
        for of_kinds in zip(*blocks, strict=True):
            for weights in of_kinds:
                size = len(weights)
                weights[:] = np.bincount(generator.integers(size, size=size), minlength=size)
        yield [kind.weights(block) for kind, block in zip(kinds, blocks, strict=True)]


def bootstrap_weights(inputs: int, resampling: Resampling, count: int | None = None) -> Iterator[Floats]:
    """Yields how often each resample draws each input, in blocks of shape (resamples, inputs).

    Args:
        inputs: The number of inputs.
        resampling: How to resample.
        count: The number of resamples, if it is not that of the intervals.
    """
    total, rows = resampling.resamples if count is None else count, max(1, BLOCK_WEIGHTS // inputs)
    if total <= rows:
        yield _single_block(inputs, total, resampling.seed)
        return
    for (weights,) in drawn_weights([Clusters.of(None, inputs)], total, resampling.seed, rows):
        yield weights


@lru_cache(maxsize=1)
def _single_block(inputs: int, resamples: int, seed: int) -> Floats:
    """Returns the weights of all resamples; those of the last call are kept, as several scores have the same draws."""
    ((weights,),) = drawn_weights([Clusters.of(None, inputs)], resamples, seed, resamples)
    weights.flags.writeable = False
    return weights


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
        groups = Clusters(group_of[self.clusters.codes], count)
        if count < 2:  # nothing would be left
            yield np.ones((count, len(groups.codes)))
            return
        yield from groups.left_out(max(1, BLOCK_WEIGHTS // max(width, len(groups.codes), 1)))

    def interval(self, value: float, left_out: Floats, scale: Scale = LINEAR) -> Interval:
        """Returns the jackknife interval of a value; see `jackknife_interval`.

        Args:
            value: The value of all units.
            left_out: The value without each, shape (samples,).
            scale: The scale.
        """
        return jackknife_interval(value, left_out, self.tail, scale)


def mean_of_defined(values: Floats) -> Floats:
    """Returns the mean over the last axis of what is defined; NaN if nothing is."""
    defined = ~np.isnan(values)
    sums, counts = np.where(defined, values, 0.0).sum(axis=-1), defined.sum(axis=-1)
    means: Floats = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    return means
