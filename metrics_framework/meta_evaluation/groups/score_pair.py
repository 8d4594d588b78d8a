"""`ScorePair`: human scores and those of a metric, arranged in the groups of each level."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from metrics_framework.common.arrays import Bools, Floats
from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation.choices import AVERAGED, GROUP_AXIS, Level
from metrics_framework.meta_evaluation.groups.moments import means_and_rounding, system_means
from metrics_framework.meta_evaluation.groups.weighted_groups import (
    AllCells,
    Cells,
    WeightedGroups,
    column_groups,
    row_groups,
)

Weights: TypeAlias = Floats | None
"""Integers, shape (resamples, systems) or (resamples, inputs); `None` if all are kept."""

Block: TypeAlias = tuple[slice, slice]
"""The resamples and the groups of a block."""


class ScorePair(Cells):
    """Human scores and those of a metric, with what all resamples share: the cells and their order.

    Args:
        human: The human scores, shape (systems, inputs); NaN where missing.
        metric: The scores of the metric, of the same shape.

    Raises:
        InputError: if the shapes differ or are not those of matrices.
    """

    def __init__(self, human: Any, metric: Any) -> None:
        super().__init__(*checked_pair(human, metric))

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of systems and inputs."""
        return self.human.shape[0], self.human.shape[1]

    @property
    def present(self) -> Bools:
        """Which cells have both scores, shape (systems, inputs)."""
        return ~np.isnan(self.human)

    def vectors(self, level: Level) -> tuple[Floats, Floats]:
        """Returns the points that are correlated at the level ``system`` or ``global``, without missing ones."""
        if level == "system":
            (human, _), (metric, _) = self._means
            return human[~np.isnan(human)], metric[~np.isnan(human)]
        return self.human[self.present], self.metric[self.present]

    @cached_property
    def _means(self) -> list[tuple[Floats, Floats]]:
        """The means of systems, and how much rounding may change them, of the human scores and the metric."""
        return [means_and_rounding(scores) for scores in (self.human, self.metric)]

    def points(self, level: Level) -> int:
        """Returns the number of points that are correlated: systems, inputs (``within-system``) or cells."""
        if level == "global":
            return int(self.present.sum())
        return int(self.present.any(axis=0 if level == "within-system" else 1).sum())

    def groups(self, level: Level, rows: Weights, columns: Weights) -> Iterator[tuple[Block, WeightedGroups]]:
        """Yields the groups of a level in blocks that fit in memory.

        Groups are not weighted themselves: the weights of inputs do not matter to the groups of the level ``input``,
        which are the outputs for one input, nor those of systems at the level ``within-system``.

        Args:
            level: The level.
            rows: The weights of systems.
            columns: The weights of inputs.

        Yields:
            The resamples and the groups of a block. Where no weight matters, there is one resample.
        """
        if level in AVERAGED:
            is_input = level == "input"
            human, metric = (self.human, self.metric) if is_input else (self.human.T, self.metric.T)
            weights = rows if is_input else columns
            kept = np.ones((1, len(human))) if weights is None else weights
            for block, groups in column_groups(human, metric, kept):
                yield (slice(None), block), groups
            return
        of_rows, of_columns = all_weights(rows, columns, self.shape)
        if level == "global":
            yield (slice(None), slice(None)), AllCells(self, of_rows, of_columns)
        elif columns is None:
            human, metric, *rounding = (part[:, None] for parts in zip(*self._means, strict=True) for part in parts)
            for _, groups in column_groups(human, metric, of_rows, rounding):
                yield (slice(None), slice(None)), groups
        else:  # a system without outputs for the drawn inputs is left out
            means = [means_and_rounding(scores, columns) for scores in (self.human, self.metric)]
            human, metric, *rounding = (part for parts in zip(*means, strict=True) for part in parts)
            for block, groups in row_groups(human, metric, of_rows, rounding):
                yield (block, slice(None)), groups


def mean_over_groups(
    values: Floats, importance: Floats | None, level: Level, rows: Weights, columns: Weights
) -> Floats:
    """Averages the defined values of groups, each as often as its input (or system) is drawn.

    Args:
        values: Shape (resamples or 1, groups); NaN where undefined.
        importance: The weight of each group in the mean, of the same shape; `None` if all are equal.
        level: The level.
        rows: The weights of systems.
        columns: The weights of inputs.

    Returns:
        Shape (resamples,); NaN where no group is defined.
    """
    drawn = {"input": columns, "within-system": rows}.get(level)
    defined = ~np.isnan(values) * (1.0 if importance is None else importance)
    weighted = np.where(defined > 0, values, 0) * defined
    if drawn is None:
        sums, counts = weighted.sum(axis=1), defined.sum(axis=1)
    elif len(values) == 1:
        sums, counts = drawn @ weighted[0], drawn @ defined[0]
    else:
        sums, counts = (drawn * weighted).sum(axis=1), (drawn * defined).sum(axis=1)
    return np.asarray(np.where(counts > 0, sums / np.where(counts > 0, counts, 1), np.nan))


def all_weights(rows: Weights, columns: Weights, shape: tuple[int, int]) -> tuple[Floats, Floats]:
    """Returns the weights of rows and columns, 1 where all are kept; one resample if both are."""
    count = next((len(weights) for weights in (rows, columns) if weights is not None), 1)
    return (
        np.ones((count, shape[0])) if rows is None else rows,
        np.ones((count, shape[1])) if columns is None else columns,
    )


def without_small_groups(scores: Floats, level: Level, min_group: int) -> Floats:
    """Leaves out the outputs of groups that are too small.

    Args:
        scores: Shape (systems, inputs); NaN where missing.
        level: The level: groups are inputs, systems (``within-system``), or all outputs, which are always kept.
        min_group: The least number of outputs of a group. Groups of one output have no coefficient anyway, so that 2
            leaves out none.

    >>> without_small_groups(np.array([[1.0, 2], [3, np.nan], [4, 5]]), "input", 3).tolist()
    [[1.0, nan], [3.0, nan], [4.0, nan]]
    """
    if level not in GROUP_AXIS or min_group <= 2:
        return scores
    sizes = (~np.isnan(scores)).sum(axis=GROUP_AXIS[level], keepdims=True)
    return np.where(sizes < min_group, np.nan, scores)


def checked_pair(human: Any, metric: Any) -> tuple[Floats, Floats]:
    """Converts two matrices of scores, and makes both NaN where one of them is.

    Args:
        human: The human scores, shape (systems, inputs); NaN where missing.
        metric: The scores of the metric, of the same shape.

    Raises:
        InputError: if a matrix is invalid, or their shapes differ.
    """
    x, z = checked_scores(human, "human"), checked_scores(metric, "metric")
    if x.shape != z.shape:
        raise InputError(f"'human' and 'metric' must have the same shape, got {x.shape} and {z.shape}")
    missing = np.isnan(x) | np.isnan(z)
    return np.where(missing, np.nan, x), np.where(missing, np.nan, z)


def as_matrices(scores: Sequence[Any], level: str) -> tuple[Sequence[Any], str]:
    """Returns vectors of points as matrices of systems with one input, to be correlated at the level ``system``.

    Matrices of different inputs of the same systems become the means of systems at that level.

    >>> as_matrices(([1, 2], [3, 1]), "global")
    ([array([[1.],
           [2.]]), array([[3.],
           [1.]])], 'system')
    """
    if all(np.ndim(one) == 1 and len(one) and np.ndim(one[0]) == 0 for one in scores):
        return [checked_scores([one], "a vector of scores").T for one in scores], "system"
    if level == "system" and len({np.shape(one) for one in scores}) > 1:
        return [system_means(checked_scores(one, "scores"))[:, None] for one in scores], level
    return scores, level


def checked_scores(values: Any, argument: str) -> Floats:
    """Converts scores to a matrix of floats.

    Args:
        values: An array-like, shape (systems, inputs); NaN where missing.
        argument: The name of the argument, for error messages.

    Raises:
        InputError: if the values are not a matrix of numbers, or one of them is infinite.

    >>> checked_scores([[1, None], [2, 3]], "human").tolist()
    [[1.0, nan], [2.0, 3.0]]
    """
    try:
        given = np.ma.filled(values.astype(float), np.nan) if np.ma.isMaskedArray(values) else np.asarray(values)
        if given.dtype.kind not in "biufO":
            raise ValueError(f"its type is {given.dtype}")
        matrix = given.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"'{argument}' must be a matrix of numbers with NaN for missing ones: {error}") from None
    if matrix.ndim != 2:
        raise InputError(
            f"'{argument}' must have the shape (systems, inputs), got {matrix.shape}; "
            "pass two vectors of outputs as matrices with one row, [x] and [y]"
        )
    if np.isinf(matrix).any():
        raise InputError(f"'{argument}' must be finite, or NaN where missing, got infinite values")
    return matrix
