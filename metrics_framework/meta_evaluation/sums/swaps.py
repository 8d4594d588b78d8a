"""`Swaps`: metrics whose scores are swapped in pairs, with the sums that all pairs share."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from metrics_framework.common.arrays import Bools, Floats
from metrics_framework.meta_evaluation.levels import Level
from metrics_framework.meta_evaluation.sums.large_values import scaled_down
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
