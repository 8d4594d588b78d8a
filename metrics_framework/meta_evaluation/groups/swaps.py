"""`Swaps`: metrics whose scores are swapped in pairs, and the `Permutations` that say which cells swap.

A permutation has one sign per cell: 1 keeps the scores of the two metrics, −1 swaps them. It is a product of signs of
rows (systems), of columns (inputs) and of cells; sums over cells that are linear in the signs are products of matrices.
So a sum over the cells of a metric after swaps is that of the metric over the cells that stay, plus that of the other
metric over the cells that swap. For products, scores of one group are shifted by a constant first, the same for all
metrics, which preserves precision.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, Concatenate, ParamSpec, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from metrics_framework.common.arrays import Bools, Floats, Indices
from metrics_framework.common.logs import current_work
from metrics_framework.meta_evaluation.choices import CoefficientOptions, Level
from metrics_framework.meta_evaluation.groups.moments import scaled_down

Signs: TypeAlias = "npt.NDArray[np.int8]"

BLOCK_CELLS = 1 << 21
"""The largest number of cells of one block of permutations, unless a single permutation has more."""

CACHED = 16
"""Blocks of this many times fewer cells fit in the cache."""

_PURPOSES = {"rows": 1, "columns": 2, "cells": 3}
"""Each kind of sign has its own stream of random numbers for one seed."""


@dataclass(frozen=True)
class Permutations:
    """Permutations; the sign of a cell is the product of those of its row, its column and the cell.

    Args:
        count: The number of permutations.
        rows: Signs of systems, shape (permutations, systems); `None` if all are 1.
        columns: Signs of inputs, shape (permutations, inputs); `None` if all are 1.
        cells: Signs of cells, shape (permutations, systems, inputs); `None` if all are 1.
        is_exact: Whether they are all permutations that exist, the observed scores included.
        units: The number of units that swap: systems, clusters of inputs, or cells.
    """

    count: int
    rows: Floats | None = None
    columns: Floats | None = None
    cells: Signs | None = None
    is_exact: bool = False
    units: int = 0

    @property
    def kinds(self) -> list[str]:
        """The signs that it has, of ``rows``, ``columns`` and ``cells``."""
        return [kind for kind in _PURPOSES if getattr(self, kind) is not None]

    @property
    def least_p(self) -> float:
        """The least two-sided p-value that is possible: a permutation and its opposite have the same distance."""
        if self.is_exact:
            return min(1.0, 2 / self.count)
        return 1 / (self.count + 1)

    def share(self, count: int) -> float:
        """Returns the p-value if this many permutations are as extreme as the observed scores."""
        return count / self.count if self.is_exact else (count + 1) / (self.count + 1)

    def transposed(self) -> Permutations:
        """Exchanges rows and columns."""
        cells = None if self.cells is None else self.cells.transpose(0, 2, 1)
        return replace(self, rows=self.columns, columns=self.rows, cells=cells)

    def blocks(self, cells: int) -> Iterator[tuple[slice, Permutations]]:
        """Yields blocks of permutations that fit in memory, each with its position.

        Args:
            cells: The number of numbers that one permutation needs.
        """
        step = max(1, BLOCK_CELLS // max(1, cells))
        for start in range(0, self.count, step):
            block = slice(start, min(start + step, self.count))
            yield block, self.part(block)
            current_work().advance_within(block.stop / self.count)

    def part(self, block: slice) -> Permutations:
        """Returns some of the permutations."""
        rows, columns = (None if one is None else one[block] for one in (self.rows, self.columns))
        cells = None if self.cells is None else self.cells[block]
        return Permutations(block.stop - block.start, rows, columns, cells)

    def dense(self, shape: tuple[int, ...]) -> Floats:
        """Returns the sign of each cell, shape (permutations, systems, inputs)."""
        signs = np.ones((self.count, *shape)) if self.cells is None else self.cells.astype(np.float64)
        if self.rows is not None:
            signs *= self.rows[:, :, None]
        if self.columns is not None:
            signs *= self.columns[:, None, :]
        return signs

    def of_groups(self, wanted: Indices, shape: tuple[int, ...], *, flat: bool) -> Floats:
        """Returns the signs of single columns, or of all cells.

        Args:
            wanted: Pairs of a permutation and a column, shape (k, 2).
            shape: The numbers of systems and inputs.
            flat: Whether all cells are one column.

        Returns:
            Shape (k, rows), or (k, cells).
        """
        numbers, columns = wanted.T
        rows, by_column = (None if one is None else one[numbers] for one in (self.rows, self.columns))
        cells = None if self.cells is None else self.cells[numbers]
        if flat:
            return Permutations(len(wanted), rows, by_column, cells).dense(shape).reshape(len(wanted), -1)
        signs: Floats = np.ones((len(wanted), shape[0])) if rows is None else rows
        if cells is not None:
            signs = signs * cells[np.arange(len(wanted)), :, columns]
        return signs if by_column is None else signs * by_column[np.arange(len(wanted)), columns, None]

    def by_column(self, values: Floats) -> Floats:
        """Sums sign · value over the rows, shape (permutations, inputs); values have shape (systems, inputs)."""
        if self.cells is not None:
            return np.concatenate(
                [np.einsum("bsn,sn->bn", part.dense(values.shape), values) for _, part in self.blocks(values.size)]
            )
        sums = values.sum(axis=0)[None] if self.rows is None else self.rows @ values
        return np.broadcast_to(sums if self.columns is None else sums * self.columns, (self.count, values.shape[1]))

    def totals(self, values: Floats) -> Floats:
        """Sums sign · value over all cells, for several matrices of values.

        Args:
            values: Shape (matrices, systems, inputs).

        Returns:
            Shape (matrices, permutations).
        """
        if self.cells is not None:
            flat = values.reshape(len(values), -1).T
            shape = values.shape[1], values.shape[2]
            parts = [part.dense(shape).reshape(part.count, -1) @ flat for _, part in self.blocks(CACHED * len(flat))]
            return np.asarray(np.concatenate(parts).T)
        if self.rows is None:
            sums = values.sum(axis=1)
            if self.columns is None:
                return np.repeat(sums.sum(axis=1)[:, None], self.count, axis=1)
            return np.asarray(sums @ self.columns.T)
        if self.columns is None:
            return np.asarray(values.sum(axis=2) @ self.rows.T)
        return np.stack([np.einsum("bn,bn->b", self.rows @ matrix, self.columns) for matrix in values])

    def total(self, values: Floats) -> Floats:
        """Sums sign · value over all cells, shape (permutations,); values have shape (systems, inputs)."""
        return np.asarray(self.totals(values[None])[0])


@dataclass(frozen=True)
class SignSource:
    """Signs of units: all that exist if there are few units, otherwise random ones.

    Args:
        count: The number of permutations.
        seed: The seed.
        is_exact: Whether all are enumerated.
        units: The number of units that swap.
        enumerated: The signs if all are enumerated, shape (permutations, units).
    """

    count: int
    seed: int
    is_exact: bool
    units: int
    enumerated: Signs | None = None

    @classmethod
    def of_each(
        cls, units: Sequence[int], resamples: int, seeds: Sequence[int], *, enumerate_all: bool = True
    ) -> list[SignSource]:
        """Enumerates all combinations of the signs of several data sets if there are at most as many as resamples.

        Args:
            units: The number of units of each data set.
            resamples: The number of random permutations.
            seeds: The seed of each data set.
            enumerate_all: Whether to enumerate them if there are few.
        """
        total = sum(units)
        if not (enumerate_all and total < 63 and 2**total <= resamples):
            return [cls(resamples, seed, False, count) for count, seed in zip(units, seeds, strict=True)]
        parts = np.split(all_signs(total), np.cumsum(units)[:-1], axis=1)
        return [cls(2**total, seed, True, len(part.T), part) for part, seed in zip(parts, seeds, strict=True)]

    def signs(self, kind: str) -> Signs:
        """Returns the signs of all units, enumerated or from the stream of this kind, shape (permutations, units).

        Args:
            kind: ``rows``, ``columns`` or ``cells``.
        """
        if self.enumerated is not None:
            return self.enumerated
        generator = np.random.default_rng([self.seed, _PURPOSES[kind]])
        octets = generator.integers(0, 256, size=(self.count, (self.units + 7) // 8), dtype=np.uint8)
        signs: Signs = np.unpackbits(octets, axis=1, count=self.units).astype(np.int8)
        signs *= 2
        signs -= 1
        return signs

    def permutations(
        self, rows: Signs | None = None, columns: Signs | None = None, cells: Signs | None = None
    ) -> Permutations:
        """Returns the permutations with some signs."""
        of_rows, of_columns = (None if one is None else one.astype(np.float64, order="C") for one in (rows, columns))
        return Permutations(self.count, of_rows, of_columns, cells, self.is_exact, self.units)


def all_signs(size: int) -> Signs:
    """Enumerates all signs, shape (2ⁿ, n); the first row keeps everything.

    >>> all_signs(2).tolist()
    [[1, 1], [-1, 1], [1, -1], [-1, -1]]
    """
    numbers = np.arange(2**size)
    return np.where((numbers[:, None] >> np.arange(size)) & 1, -1, 1).astype(np.int8)


Found = TypeVar("Found")
P = ParamSpec("P")


def once(function: Callable[Concatenate[Swaps, P], Found]) -> Callable[Concatenate[Swaps, P], Found]:
    """Keeps what a function of swaps returns, which must not depend on the permutations."""
    return _kept(function, lambda swaps: swaps.of_scores)


def once_per_draw(function: Callable[Concatenate[Swaps, P], Found]) -> Callable[Concatenate[Swaps, P], Found]:
    """Keeps what a function of swaps returns for their permutations."""
    return _kept(function, lambda swaps: swaps.of_permutations)


def _kept(
    function: Callable[Concatenate[Swaps, P], Found], place: Callable[[Swaps], dict[Hashable, Any]]
) -> Callable[Concatenate[Swaps, P], Found]:
    @functools.wraps(function)
    def kept(swaps: Swaps, /, *arguments: P.args, **keywords: P.kwargs) -> Found:
        names = (one if isinstance(one, Hashable) else id(one) for one in arguments)  # as of coefficients, which remain
        values, key = place(swaps), (function, *names, *keywords.items())
        if key not in values:
            values[key] = function(swaps, *arguments, **keywords)
        found: Found = values[key]
        return found

    return kept


@dataclass(frozen=True)
class Swaps:
    """Metrics at one level, and permutations that swap the scores of any two of them.

    Sums over the scores of one metric after swaps serve all pairs: with the sign s of a permutation, the first metric
    of a pair keeps its cells with s = 1 and gets those of the second with s = −1.

    Args:
        human: The human scores, shape (systems, inputs); NaN where missing.
        metrics: Metric to scores of the same shape, NaN in the same cells.
        common: Metric to its scores on the common scale on which they are swapped.
        epsilons: Metric to its largest difference on the common scale that is a tie.
        level: The level.
        permutations: The permutations.
        options: Metric to the options of the coefficient, as they are fitted.
        of_scores: What functions with `once` returned.
        of_permutations: What functions with `once_per_draw` returned.
    """

    human: Floats
    metrics: Mapping[str, Floats]
    common: Mapping[str, Floats]
    epsilons: Mapping[str, float]
    level: Level
    permutations: Permutations
    options: Mapping[str, CoefficientOptions]
    of_scores: dict[Hashable, Any] = field(default_factory=dict, repr=False)
    of_permutations: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    @property
    def present(self) -> Bools:
        """Which cells have all scores, shape (systems, inputs)."""
        return ~np.isnan(self.human)

    def swapped(self, number: int, first: str, second: str) -> tuple[Floats, Floats]:
        """Returns the scores of two metrics on the common scale after the swaps of one permutation."""
        stays = self.permutations.part(slice(number, number + 1)).dense(self.human.shape)[0] > 0
        one, other = self.common[first], self.common[second]
        return np.where(stays, one, other), np.where(stays, other, one)

    def as_columns(self, values: Floats) -> Floats:
        """Arranges the groups of the level ``input`` or ``global`` as columns."""
        return values if self.level == "input" else values.reshape(-1, 1)

    def of_all_pairs(
        self, numbers: int, compute: Callable[[Swaps, str, str], Floats], first: str, second: str
    ) -> Floats:
        """Computes differences of all pairs of metrics at once, so that they share sums that fill the memory.

        Args:
            numbers: The number of numbers that one permutation needs.
            compute: Computes the differences of a pair in a block of permutations.
            first: The name of the first metric.
            second: The name of the second.

        Returns:
            The differences of one pair, shape (permutations,).
        """
        if compute not in self.of_permutations:
            table = {pair: np.empty(self.permutations.count) for pair in combinations(self.metrics, 2)}
            for block, part in self.permutations.blocks(numbers):
                swaps = replace(self, permutations=part, of_permutations={})
                for pair, differences in table.items():
                    differences[block] = compute(swaps, *pair)
            self.of_permutations[compute] = table
        every: dict[tuple[str, str], Floats] = self.of_permutations[compute]
        return every[first, second] if (first, second) in every else -every[second, first]

    @once_per_draw
    def transposed(self) -> Swaps:
        """Exchanges systems and inputs, so that the groups of the level ``within-system`` are columns."""
        metrics, common = ({name: one.T for name, one in each.items()} for each in (self.metrics, self.common))
        permutations = self.permutations.transposed()
        return Swaps(self.human.T, metrics, common, self.epsilons, "input", permutations, self.options)


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


def around_mean(values: Floats, axis: int | None) -> Floats:
    """Subtracts the mean along an axis, or of all values; 0 where missing."""
    present = ~np.isnan(values)
    filled = np.where(present, values, 0)
    return np.where(present, filled - filled.sum(axis=axis) / np.maximum(present.sum(axis=axis), 1), 0)


def shifted_metrics(swaps: Swaps, axis: int | None) -> dict[str, Floats]:
    """Subtracts the mean of all metrics along an axis, or over all cells, from each; 0 where missing."""
    present = swaps.present
    every = {name: np.where(present, swaps.common[name], 0) for name in swaps.metrics}
    numbers = np.maximum(present.sum(axis=axis), 1) * max(1, len(every))
    shift = np.stack([*every.values()]).sum(axis=0).sum(axis=axis) / numbers
    return {name: np.where(present, one - shift, 0) for name, one in every.items()}
