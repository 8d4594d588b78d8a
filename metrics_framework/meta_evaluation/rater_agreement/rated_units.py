"""`RatedUnits`: how often each output received each rating, and sums over pairs of ratings."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from scipy.sparse import csr_array

from metrics_framework.common.arrays import Bools, Floats
from metrics_framework.common.errors import InputError, listed_names
from metrics_framework.meta_evaluation.groups.moments import power_of_two, row_means
from metrics_framework.significance.non_inferiority import are_too_few, skewness

Distance = Literal["nominal", "linear", "quadratic", "ratio"]
"""The distance of two ratings c and k: whether they differ, |c − k|, (c − k)², or ((c − k) / (c + k))²."""
_BLOCK = 256
_MAX_EXPONENT = 200


def rating_matrix(ratings: Any) -> Floats:
    """Returns ratings as floats, shape (raters, units); `None` and NaN are missing ratings.

    Raises:
        InputError: if they are not numbers in two dimensions, or a rating is infinite.
    """
    try:
        values = np.asarray(ratings, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("'ratings' must be numbers of the shape (raters, units), with NaN where missing") from None
    if values.ndim != 2:
        raise InputError(f"'ratings' must have the shape (raters, units), got {values.ndim} dimensions")
    if np.isinf(values).any():
        raise InputError("'ratings' must be finite numbers, or NaN where missing")
    return values


def scaled(values: Floats, axis: int | None = None) -> Floats:
    """Divides values by a power of two so that their squares neither overflow nor vanish; moderate values are kept.

    Args:
        values: The values, with NaN.
        axis: The axis along which the largest value decides; `None` for all values.
    """
    largest = np.where(np.isfinite(values), np.abs(values), 0.0).max(axis=axis, keepdims=True, initial=0.0)
    exponent = np.frexp(largest)[1]
    return np.asarray(np.ldexp(values, -np.where(np.abs(exponent) > _MAX_EXPONENT, exponent, 0)))


@dataclass(frozen=True)
class RatedUnits:
    """Ratings of units (outputs), by raters who may differ from unit to unit.

    Args:
        values: Shape (raters, units); NaN where missing.
        stated: Ratings that are possible although they may not occur, shape (categories,); `None` for none.
    """

    values: Floats
    stated: Floats | None = None

    @cached_property
    def categories(self) -> Floats:
        """The different ratings, and those that are stated, sorted, shape (categories,)."""
        found = self.values[np.isfinite(self.values)]
        return np.asarray(np.unique(found if self.stated is None else np.concatenate([found, self.stated])))

    @cached_property
    def counts(self) -> csr_array:
        """How often each unit received each rating, shape (units, categories)."""
        return self.counts_of(self.categories)

    def counts_of(self, categories: Floats) -> csr_array:
        """Counts the ratings of each unit in categories that contain all ratings, shape (units, categories).

        The matrix is sparse, because its size is quadratic in the number of units if most ratings differ.
        """
        units, raters = np.nonzero(np.isfinite(self.values.T))
        codes = np.searchsorted(categories, self.values[raters, units])
        counts = csr_array((np.ones(len(units)), (units, codes)), shape=(self.values.shape[1], len(categories)))
        counts.sum_duplicates()
        return counts

    def pair_sums(self, distance: Distance) -> Floats:
        """Sums the distance of all ordered pairs of ratings of each unit, shape (units,)."""
        counts = self.counts
        starts, lengths = counts.indptr[:-1, None], np.diff(counts.indptr)[:, None]
        places = np.arange(lengths.max(initial=0))
        kept = starts + np.minimum(places, lengths - 1)  # of a unit with fewer ratings, the last again, 0 times
        numbers = np.where(places < lengths, counts.data[kept], 0.0)
        return pair_sums(numbers, self.categories[counts.indices[kept]], distance)

    @cached_property
    def sizes(self) -> Floats:
        """The number of ratings of each unit, shape (units,)."""
        return np.asarray(np.isfinite(self.values).sum(axis=0).astype(np.float64))

    @cached_property
    def is_paired(self) -> Bools:
        """Whether each unit has two ratings or more, shape (units,)."""
        return np.asarray(self.sizes >= 2)

    @property
    def undefined_reason(self) -> str:
        """Why no coefficient of agreement is defined; empty if one is."""
        if not self.is_paired.any():
            return "no output has two ratings"
        paired = self.values[:, self.is_paired]
        return "all ratings are equal" if np.nanmin(paired) == np.nanmax(paired) else ""


def pair_sums(counts: Floats, categories: Floats, distance: Distance) -> Floats:
    """Sums the distance of all ordered pairs of ratings, Σ_c Σ_k n_c n_k d(c, k).

    Args:
        counts: How often each rating occurs, or its share, shape (…, categories).
        categories: The ratings, sorted, shape (categories,), or those of each row of `counts`.
        distance: The distance.

    Returns:
        Shape (…,).

    >>> pair_sums(np.array([1.0, 2.0]), np.array([3.0, 5.0]), "quadratic")
    np.float64(16.0)
    """
    sums: Floats = (counts * distances_to(counts, categories, distance)).sum(axis=-1)
    return sums


def distances_to(counts: Floats, categories: Floats, distance: Distance) -> Floats:
    """Sums the distance of each category to all ratings, Σ_k n_k d(c, k), shape (…, categories); see `pair_sums`."""
    if distance == "ratio":
        return _ratio_distances_to(counts, categories)
    total: Floats = counts.sum(axis=-1, keepdims=True)
    if distance == "nominal":
        return total - counts
    from_first = categories - categories[..., :1]
    sums: Floats = (counts * from_first).sum(axis=-1, keepdims=True)
    if distance == "linear":
        below = np.cumsum(counts, axis=-1) - counts
        return sums + np.cumsum((2 * below - total) * np.diff(from_first, axis=-1, prepend=0), axis=-1)
    squares: Floats = np.square(from_first - sums / np.where(total > 0, total, 1))
    sums = (counts * squares).sum(axis=-1, keepdims=True)
    return total * squares + sums


def _ratio_distances_to(counts: Floats, categories: Floats) -> Floats:
    found, size = np.empty_like(counts), _BLOCK if categories.ndim == 1 else 1
    for start in range(0, categories.shape[-1], size):  # the matrix of all pairs may not fit into memory
        block = slice(start, start + size)
        between = categories[..., None] + categories[..., None, block]
        apart = categories[..., None] - categories[..., None, block]
        ratios = np.divide(apart, between, out=np.zeros_like(between), where=between != 0)
        found[..., block] = (counts[..., None, :] @ ratios**2)[..., 0, :]
    return found


def span(categories: Floats, distance: Distance) -> float:
    """Returns the largest distance of two ratings, by which weights are scaled; 1 for distances that are shares."""
    extent = float(categories[-1] - categories[0]) if len(categories) > 1 else 1.0
    return {"nominal": 1.0, "linear": extent, "quadratic": extent**2, "ratio": 1.0}[distance]


def caution_of_skew(units: Mapping[str, int], ratings: Floats) -> Iterator[str]:
    """Yields which intervals are too short because the mean ratings of outputs are skewed.

    Of two different ratings, skewness says nothing.

    Args:
        units: The name of each interval, and its number of outputs or clusters.
        ratings: Shape (raters, outputs), NaN where missing.
    """
    means = row_means(ratings.T)
    means = means[~np.isnan(means)]
    skew = skewness(means / power_of_two(means)) if len(np.unique(ratings[~np.isnan(ratings)])) > 2 else 0.0
    if few := [f"{name} ({count})" for name, count in units.items() if are_too_few(count, skew)]:
        yield (
            f"intervals of skewed ratings (skewness {skew:.1f}) are too short (95 % intervals of lognormal ratings "
            f"contain the value in about 80 % of cases): {listed_names(few)}; use {math.ceil(25 * skew**2)} or more, "
            "or logarithms of the ratings"
        )
