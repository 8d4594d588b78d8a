"""Permutations of the scores of two metrics: which cells swap.

A permutation has one sign per cell: 1 keeps the scores of the two metrics, −1 swaps them. It is a product of signs of
rows (systems), of columns (inputs) and of cells; sums over cells that are linear in the signs are products of matrices.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from metrics_framework.common.arrays import Floats, Indices
from metrics_framework.common.logs import share_is_done

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
    def least_p(self) -> float:
        """The least two-sided p-value that is possible: a permutation and its opposite have the same distance."""
        if self.is_exact:
            return min(1.0, 2 / self.count)
        return 1 / (self.count + 1)

    def share(self, count: int) -> float:
        """Returns the p-value if this many permutations are as extreme as the observed scores."""
        return count / self.count if self.is_exact else (count + 1) / (self.count + 1)

    @property
    def has_members(self) -> bool:
        """Whether cells of one column may have different signs."""
        return self.rows is not None or self.cells is not None

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
            share_is_done(block.stop / self.count)

    def part(self, block: slice) -> Permutations:
        """Returns some of the permutations."""
        rows, columns = (None if one is None else one[block] for one in (self.rows, self.columns))
        cells = None if self.cells is None else self.cells[block]
        return Permutations(block.stop - block.start, rows, columns, cells)

    def dense(self, shape: tuple[int, int]) -> Floats:
        """Returns the sign of each cell, shape (permutations, systems, inputs)."""
        signs = np.ones((self.count, *shape)) if self.cells is None else self.cells.astype(np.float64)
        if self.rows is not None:
            signs *= self.rows[:, :, None]
        if self.columns is not None:
            signs *= self.columns[:, None, :]
        return signs

    def of_groups(self, wanted: Indices, shape: tuple[int, int], *, flat: bool) -> Floats:
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

    def by_row(self, values: Floats) -> Floats:
        """Sums sign · value over the columns, shape (permutations, systems); values have shape (systems, inputs)."""
        return self.transposed().by_column(values.T)

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

    def random(self, size: int, kind: str) -> Signs:
        """Draws signs, shape (permutations, size), from the stream of this kind and seed.

        Args:
            size: The number of signs of each permutation.
            kind: ``rows``, ``columns`` or ``cells``.
        """
        generator = np.random.default_rng([self.seed, _PURPOSES[kind]])
        octets = generator.integers(0, 256, size=(self.count, (size + 7) // 8), dtype=np.uint8)
        signs: Signs = np.unpackbits(octets, axis=1, count=size).astype(np.int8)
        signs *= 2
        signs -= 1
        return signs

    def signs(self, kind: str) -> Signs:
        """Returns the signs of all units, enumerated or from the stream of this kind, shape (permutations, units)."""
        return self.random(self.units, kind) if self.enumerated is None else self.enumerated

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
