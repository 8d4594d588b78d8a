"""`Swaps`: metrics whose scores are swapped in pairs, with the sums that all pairs share.

In a permutation with signs s, a metric keeps the cells with s = 1 and gets those of the other metric with s = −1. So a
sum over its cells is that of the one metric over the cells that stay, plus that of the other over the cells that swap.
For products, scores of one group are shifted by a constant first, the same for all metrics, which preserves precision.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from metrics_framework.common.arrays import Bools, Floats, Indices
from metrics_framework.meta_evaluation.levels import Level
from metrics_framework.meta_evaluation.sums.means import EPSILON, scaled_down, without_rounding
from metrics_framework.meta_evaluation.sums.moments import CANCELLATION
from metrics_framework.meta_evaluation.sums.permutations import Permutations

if TYPE_CHECKING:
    from metrics_framework.meta_evaluation.coefficients.options import CoefficientOptions


Found = TypeVar("Found")


@dataclass(frozen=True)
class CommonScale:
    """A metric on the scale that it shares with others.

    Args:
        scores: The scores, shape (systems, inputs); NaN where missing.
        unit: The difference of the original scores that is 1 on this scale.
    """

    scores: Floats
    unit: float

    def of(self, difference: float) -> float:
        """Returns a difference of original scores on this scale."""
        return difference / self.unit if self.unit else 0.0


@dataclass(frozen=True)
class Swaps:
    """Metrics at one level, and permutations that swap the scores of any two of them.

    Sums over the scores of one metric after swaps serve all pairs: with the sign s of a permutation, the first metric
    of a pair keeps its cells with s = 1 and gets those of the second with s = −1.

    Args:
        human: The human scores, shape (systems, inputs); NaN where missing.
        metrics: Metric to scores of the same shape, NaN in the same cells.
        on_common_scale: Returns a metric on the scale on which scores are swapped.
        level: The level.
        permutations: The permutations.
        options: Metric to the options of the coefficient, as they are fitted.
        jobs: The number of threads.
    """

    human: Floats
    metrics: Mapping[str, Floats]
    on_common_scale: Callable[[str], CommonScale]
    level: Level
    permutations: Permutations
    options: Mapping[str, CoefficientOptions]
    jobs: int = 1
    _of_scores: dict[Hashable, Any] = field(default_factory=dict, repr=False)
    _of_permutations: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    @property
    def present(self) -> Bools:
        """Which cells have all scores, shape (systems, inputs)."""
        return ~np.isnan(self.human)

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of systems and inputs."""
        return self.human.shape[0], self.human.shape[1]

    def common(self, metric: str) -> Floats:
        """Returns the scores of a metric on the common scale."""
        return self.on_common_scale(metric).scores

    def epsilon(self, metric: str) -> float:
        """Returns the largest difference of a metric that is a tie."""
        return self.options[metric].epsilon or 0.0

    def common_epsilon(self, metric: str) -> float:
        """Returns the same on the common scale."""
        return self.on_common_scale(metric).of(self.epsilon(metric))

    def swapped(self, number: int, first: str, second: str) -> tuple[Floats, Floats]:
        """Returns the scores of two metrics on the common scale after the swaps of one permutation."""
        stays = self.permutations.part(slice(number, number + 1)).dense(self.shape)[0] > 0
        one, other = self.common(first), self.common(second)
        return np.where(stays, one, other), np.where(stays, other, one)

    def once(self, key: Hashable, compute: Callable[[], Found]) -> Found:
        """Computes what does not depend on the permutations when it is first asked for, and keeps it."""
        return _kept(self._of_scores, key, compute)

    def once_per_draw(self, key: Hashable, compute: Callable[[], Found]) -> Found:
        """Computes what depends on the permutations when it is first asked for, and keeps it."""
        return _kept(self._of_permutations, key, compute)

    def blocks(self, numbers: int) -> Iterator[tuple[slice, Swaps]]:
        """Yields blocks of permutations, which share what does not depend on them.

        Args:
            numbers: The number of numbers that one permutation needs.
        """
        for block, part in self.permutations.blocks(numbers):
            yield block, replace(self, permutations=part, _of_permutations={})

    def of_all_pairs(
        self, key: Hashable, numbers: int, compute: Callable[[Swaps, str, str], Floats], first: str, second: str
    ) -> Floats:
        """Computes differences of all pairs of metrics at once, so that they share sums that fill the memory.

        Args:
            key: What is computed.
            numbers: The number of numbers that one permutation needs.
            compute: Computes the differences of a pair in a block of permutations.
            first: The name of the first metric.
            second: The name of the second.

        Returns:
            The differences of one pair, shape (permutations,).
        """
        names = list(self.metrics)
        pairs = [(one, other) for index, one in enumerate(names) for other in names[index + 1 :]]

        def table() -> dict[tuple[str, str], Floats]:
            found = {pair: np.empty(self.permutations.count) for pair in pairs}
            for block, part in self.blocks(numbers):
                for pair in pairs:
                    found[pair][block] = compute(part, *pair)
            return found

        every = self.once_per_draw(key, table)
        return every[first, second] if (first, second) in every else -every[second, first]

    def transposed(self) -> Swaps:
        """Exchanges systems and inputs, so that the groups of the level ``within-system`` are columns."""

        def compute() -> Swaps:
            return Swaps(
                self.human.T,
                {name: scores.T for name, scores in self.metrics.items()},
                lambda name: replace(self.on_common_scale(name), scores=self.common(name).T),
                "input",
                self.permutations.transposed(),
                self.options,
                self.jobs,
            )

        return self.once_per_draw("transposed", compute)


def _kept(store: dict[Hashable, Any], key: Hashable, compute: Callable[[], Found]) -> Found:
    if key not in store:
        store[key] = compute()
    found: Found = store[key]
    return found


def standardized(values: Floats) -> Floats:
    """Subtracts the mean of all cells and divides by their standard deviation (population), so that scales are equal.

    >>> standardized(np.array([[1.0, 3.0, np.nan]])).tolist()
    [[-1.0, 1.0, nan]]
    """
    present = ~np.isnan(values)
    if not present.any():
        return values
    scaled = scaled_down(values)
    centred = scaled - scaled[present].mean()
    largest = float(np.abs(centred[present]).max())
    if not largest:
        return np.asarray(centred)
    centred = centred / largest
    return np.asarray(centred / np.sqrt((centred[present] ** 2).mean()))


def scale_of(values: Floats) -> float:
    """Returns the standard deviation of all cells (population); infinite if it exceeds the largest float.

    >>> scale_of(np.array([[1.0, 3.0, np.nan]]))
    1.0
    """
    present = values[~np.isnan(values)]
    largest = float(np.abs(present).max(initial=0))
    with np.errstate(over="ignore"):
        return float((present / largest).std() * largest) if largest else 0.0


@dataclass(frozen=True)
class Shifted:
    """Human scores and metrics, shifted to a common mean of each group; 0 where missing.

    Args:
        human: The human scores around the mean of their group, divided by their norm; 0 in groups without differences.
        metrics: Metric to its scores on the common scale, around the mean of all metrics.
        counts: The number of outputs of each group, shape (groups,).
        has_differences: Whether the human scores of a group differ.
    """

    human: Floats
    metrics: dict[str, Floats]
    counts: Floats
    has_differences: Bools


def shifted(swaps: Swaps) -> Shifted:
    """Shifts scores so that sums over groups keep their precision; groups are columns, or all cells (``global``)."""
    axis = 0 if swaps.level == "input" else None
    people = around_mean(standardized(swaps.human), axis)
    norms = np.sqrt((people**2).sum(axis=axis))
    distinct = _distinct(swaps.human, axis)
    divided = np.where(distinct, people / np.where(norms > 0, norms, 1), 0)
    counts = np.atleast_1d(np.maximum(swaps.present.sum(axis=axis), 1))
    return Shifted(divided, shifted_metrics(swaps, axis), counts, np.atleast_1d(distinct))


def around_mean(values: Floats, axis: int | None) -> Floats:
    """Subtracts the mean along an axis, or of all values; 0 where missing."""
    present = ~np.isnan(values)
    filled = np.where(present, values, 0)
    return np.where(present, filled - filled.sum(axis=axis) / np.maximum(present.sum(axis=axis), 1), 0)


def shifted_metrics(swaps: Swaps, axis: int | None) -> dict[str, Floats]:
    """Subtracts the mean of all metrics along an axis, or over all cells, from each; 0 where missing."""
    present = swaps.present
    every = {name: np.where(present, swaps.common(name), 0) for name in swaps.metrics}
    numbers = np.maximum(present.sum(axis=axis), 1) * max(1, len(every))
    shift = np.stack([*every.values()]).sum(axis=0).sum(axis=axis) / numbers
    return {name: np.where(present, one - shift, 0) for name, one in every.items()}


def _distinct(values: Floats, axis: int | None) -> Bools:
    """Returns which groups have two or more different values."""
    present = ~np.isnan(values)
    largest = np.max(values, axis=axis, initial=-np.inf, where=present)
    return np.asarray(largest > np.min(values, axis=axis, initial=np.inf, where=present))


class Kept(NamedTuple):
    """The sums of a metric over the cells that stay in each permutation, and over those that swap.

    Attributes:
        stay: Sums of m/√n, m² and h·m over the n cells of a group that stay, shape (3, permutations, groups).
        swap: The same over the cells that swap.
    """

    stay: Floats
    swap: Floats


def kept_sums(swaps: Swaps, scores: Shifted, name: str) -> Kept:
    """Sums a metric over the cells that stay and those that swap, once for all its pairs."""

    def compute() -> Kept:
        metric = scores.metrics[name]
        each = np.stack([metric / np.sqrt(scores.counts), metric**2, scores.human * metric])
        if swaps.level == "input":
            totals = each.sum(axis=1)[:, None]
            changes = np.stack([swaps.permutations.by_column(one) for one in each])
        else:
            totals = each.sum(axis=(1, 2))[:, None, None]
            changes = swaps.permutations.totals(each)[:, :, None]
        return Kept((totals + changes) / 2, (totals - changes) / 2)

    return swaps.once_per_draw(("kept", name), compute)


class Side(NamedTuple):
    """Pearson's r of one of two metrics after swaps, shapes (permutations, groups).

    Attributes:
        r: The coefficients; any number where undefined or imprecise.
        imprecise: Where the variance of the metric has lost digits, as that of a constant metric has: pairs of a
            permutation and a group, shape (k, 2).
    """

    r: Floats
    imprecise: Indices


def pearson_sides(swaps: Swaps, scores: Shifted, first: str, second: str) -> Iterator[Side]:
    """Yields Pearson's r of both metrics of a pair after swaps, for each group.

    Args:
        swaps: The metrics and the permutations.
        scores: The shifted scores.
        first: The name of the first metric.
        second: The name of the second.
    """
    sums = [kept_sums(swaps, scores, name) for name in (first, second)]
    for one, other in (sums, sums[::-1]):
        variance = one.stay[0] + other.swap[0]
        np.square(variance, out=variance)
        squares = one.stay[1] + other.swap[1]
        np.subtract(squares, variance, out=variance)
        squares *= CANCELLATION
        imprecise = variance <= squares
        wanted = np.argwhere(imprecise) if imprecise.any() else np.empty((0, 2), dtype=np.intp)
        variance[tuple(wanted.T)] = 1
        r = np.add(one.stay[2], other.swap[2], out=squares)
        r /= np.sqrt(variance, out=variance)
        yield Side(r, wanted)


class _MetricMeans(NamedTuple):
    """What a metric adds to means of systems.

    Attributes:
        kept: Half of its mean and of the part of it that follows the signs, shape (permutations, systems): the part of
            the mean from cells that keep their scores.
        swapped: The part of the mean from cells that swap.
        size: The mean absolute score of each system.
    """

    kept: Floats
    swapped: Floats
    size: Floats


def swapped_means(swaps: Swaps, first: str, second: str) -> tuple[Floats, Floats]:
    """Averages the scores of each system after swaps; means that differ only by rounding become equal.

    Args:
        swaps: The metrics and the permutations.
        first: The name of the first metric.
        second: The name of the second.

    Returns:
        The means of both metrics, shapes (permutations, systems); NaN for a system without scores.
    """
    one, other = (_metric_means(swaps, name) for name in (first, second))
    counts = swaps.present.sum(axis=1)
    rounding = EPSILON * (4 + np.sqrt(counts)) * (one.size + other.size)
    sides = (one.kept + other.swapped, other.kept + one.swapped)
    merged = [without_rounding(means, np.broadcast_to(rounding, means.shape)) for means in sides]
    return merged[0], merged[1]


def _metric_means(swaps: Swaps, name: str) -> _MetricMeans:
    def compute() -> _MetricMeans:
        counts = swaps.present.sum(axis=1)
        divisors = np.where(counts > 0, counts, np.nan)
        scores = np.nan_to_num(swaps.common(name))
        means, changes = scores.sum(axis=1) / divisors, swaps.permutations.by_row(scores) / divisors
        return _MetricMeans((means + changes) / 2, (means - changes) / 2, np.abs(scores).sum(axis=1) / divisors)

    return swaps.once_per_draw(("means", name), compute)
