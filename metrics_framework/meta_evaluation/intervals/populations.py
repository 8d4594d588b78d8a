"""Resamples as weights: systems, inputs or clusters of inputs drawn with replacement, or left out one at a time."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Literal, TypeAlias

import numpy as np

from metrics_framework.common.arrays import Floats
from metrics_framework.meta_evaluation.sums.moments import BLOCK_BYTES
from metrics_framework.significance.clusters import Clusters

Population: TypeAlias = Literal["inputs", "systems", "both"]
WeightBlock: TypeAlias = tuple[Floats | None, Floats | None]
"""The weights of systems and of inputs in some resamples, a row each; `None` if all are kept."""

MAX_PAIRS = 8192
"""The largest number of pairs of systems that a resample needs memory for."""


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
    groups = Clusters.of(clusters, inputs)
    generator = np.random.default_rng(seed)
    for count in _block_sizes(shape, resamples):
        rows = np.zeros((count, systems)) if population != "inputs" else None
        drawn = np.zeros((count, groups.count)) if population != "systems" else None
        for index in range(count):
            if rows is not None:
                rows[index] = np.bincount(generator.integers(systems, size=systems), minlength=systems)
            if drawn is not None:
                drawn[index] = np.bincount(generator.integers(groups.count, size=groups.count), minlength=groups.count)
        yield rows, None if drawn is None else groups.weights(drawn)


def jackknife_weights(
    population: Population, shape: tuple[int, int], clusters: Sequence[Hashable] | None = None
) -> Iterator[WeightBlock]:
    """Yields weights that leave out one system, or one cluster of inputs, at a time, in blocks that fit in memory.

    Args:
        population: ``systems`` or ``inputs``.
        shape: The shape of the matrix (systems, inputs).
        clusters: The cluster of each input.
    """
    groups = Clusters.of(clusters, shape[1])
    number = shape[0] if population == "systems" else groups.count
    start = 0
    for count in _block_sizes(shape, number):
        kept = np.ones((count, number))
        kept[np.arange(count), np.arange(start, start + count)] = 0
        yield (kept, None) if population == "systems" else (None, groups.weights(kept))
        start += count


def _block_sizes(shape: tuple[int, int], resamples: int) -> Iterator[int]:
    systems, inputs = shape
    pairs = min(systems * systems // 2, MAX_PAIRS)
    step = max(1, BLOCK_BYTES // (16 * max(1, systems, inputs) + 4 * pairs))
    for start in range(0, resamples, step):
        yield min(step, resamples - start)
