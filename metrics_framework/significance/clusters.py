"""Clusters of inputs: items from one document, prompt or dialogue are not independent, and are resampled together.

Source: Miller (2024), "Adding Error Bars to Evals".
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from metrics_framework.common.arrays import Floats, Indices
from metrics_framework.common.errors import InputError


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
        weights: Floats = cluster_weights[..., self.codes]
        return weights

    def draws(self, resamples: int, seed: int, rows: int) -> Iterator[Floats]:
        """Yields how often each bootstrap resample has each item, in blocks of shape (rows, items).

        A resample draws as many clusters as there are, with replacement, each as a whole. The draws do not depend on
        the number of rows of a block.

        Args:
            resamples: The number of resamples.
            seed: The seed of NumPy's default generator.
            rows: The largest number of resamples of a block.
        """
        generator = np.random.default_rng(seed)
        for start in range(0, resamples, rows):
            size = min(rows, resamples - start)
            drawn = generator.integers(self.count, size=(size, self.count)) + self.count * np.arange(size)[:, None]
            counts = np.bincount(drawn.ravel(), minlength=size * self.count).reshape(size, self.count)
            yield self.weights(counts.astype(np.float64))

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
    error = float(np.linalg.norm(clusters.sums(values - values.mean()))) / len(values)
    if not corrected:
        return error
    return error * math.sqrt(clusters.count / (clusters.count - 1)) if clusters.count > 1 else math.nan


def design_effect(values: Floats, clusters: Clusters) -> float:
    """Returns how many times larger the variance of the mean is with clusters than for independent items.

    NaN if all values are equal.
    """
    independent = standard_error(values)
    return (standard_error(values, clusters) / independent) ** 2 if independent else math.nan
