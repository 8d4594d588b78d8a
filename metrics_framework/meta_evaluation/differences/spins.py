"""Arrangements of the scores of two metrics: which cells swap.

An arrangement has one spin per cell: 1 keeps the scores of the two metrics, −1 swaps them. It is a product of spins of
rows (systems), of columns (inputs) and of cells; sums over cells that are linear in the spins are products of matrices.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from metrics_framework.significance.arrays import Floats, Indices

Signs: TypeAlias = "npt.NDArray[np.int8]"

BLOCK_CELLS = 1 << 21
"""The largest number of cells of one block of arrangements, unless a single arrangement has more."""
CACHED = 16
"""Blocks of this many times fewer cells fit in the cache."""
_PURPOSES = {"rows": 1, "columns": 2, "cells": 3}
"""Each kind of spin has its own stream of random numbers for one seed."""


@dataclass(frozen=True)
class Spins:
    """Arrangements; the spin of a cell is the product of those of its row, its column and the cell.

    Args:
        count: The number of arrangements.
        rows: Spins of systems, shape (arrangements, systems); `None` if all are 1.
        columns: Spins of inputs, shape (arrangements, inputs); `None` if all are 1.
        cells: Spins of cells, shape (arrangements, systems, inputs); `None` if all are 1.
    """

    count: int
    rows: Floats | None = None
    columns: Floats | None = None
    cells: Signs | None = None

    @property
    def has_members(self) -> bool:
        """Whether cells of one column may have different spins."""
        return self.rows is not None or self.cells is not None

    def without_columns(self) -> Spins:
        """Returns the arrangements with all spins of columns 1."""
        return replace(self, columns=None)

    def transposed(self) -> Spins:
        """Exchanges rows and columns."""
        cells = None if self.cells is None else self.cells.transpose(0, 2, 1)
        return Spins(self.count, self.columns, self.rows, cells)

    def blocks(self, cells: int) -> Iterator[tuple[slice, Spins]]:
        """Yields blocks of arrangements that fit in memory, each with its position.

        Args:
            cells: The number of numbers that one arrangement needs.
        """
        step = max(1, BLOCK_CELLS // max(1, cells))
        for start in range(0, self.count, step):
            block = slice(start, min(start + step, self.count))
            yield block, self._part(block)

    def _part(self, block: slice) -> Spins:
        rows, columns = (None if part is None else part[block] for part in (self.rows, self.columns))
        cells = None if self.cells is None else self.cells[block]
        return Spins(block.stop - block.start, rows, columns, cells)

    def dense(self, shape: tuple[int, int]) -> Floats:
        """Returns the spin of each cell, shape (arrangements, systems, inputs)."""
        spins = np.ones((self.count, *shape)) if self.cells is None else self.cells.astype(np.float64)
        if self.rows is not None:
            spins *= self.rows[:, :, None]
        if self.columns is not None:
            spins *= self.columns[:, None, :]
        return spins

    def only_rows(self, used: npt.NDArray[np.bool_]) -> Spins:
        """Keeps the spins of some of the rows."""
        return Spins(
            self.count,
            None if self.rows is None else self.rows[:, used],
            self.columns,
            None if self.cells is None else self.cells[:, used],
        )

    def only_columns(self, used: npt.NDArray[np.bool_]) -> Spins:
        """Keeps the spins of some of the columns."""
        return self.transposed().only_rows(used).transposed()

    def of_columns(self, arrangements: Indices, columns: Indices, rows: int) -> Floats:
        """Returns the spins of single columns.

        Args:
            arrangements: The arrangement of each, shape (k,).
            columns: The column of each, shape (k,).
            rows: The number of rows.

        Returns:
            Shape (rows, k).
        """
        spins: Floats = np.ones((len(columns), rows)) if self.rows is None else self.rows[arrangements]
        if self.cells is not None:
            spins = spins * self.cells[arrangements, :, columns]
        if self.columns is not None:
            spins = spins * self.columns[arrangements, columns, None]
        return np.asarray(spins.T)

    def by_column(self, values: Floats) -> Floats:
        """Sums spin · value over the rows, shape (arrangements, inputs); values have shape (systems, inputs)."""
        if self.cells is not None:
            return np.concatenate(
                [np.einsum("bsn,sn->bn", part.dense(values.shape), values) for _, part in self.blocks(values.size)]
            )
        sums = values.sum(axis=0)[None] if self.rows is None else self.rows @ values
        return np.broadcast_to(sums if self.columns is None else sums * self.columns, (self.count, values.shape[1]))

    def by_row(self, values: Floats) -> Floats:
        """Sums spin · value over the columns, shape (arrangements, systems); values have shape (systems, inputs)."""
        return self.transposed().by_column(values.T)

    def totals(self, values: Floats) -> Floats:
        """Sums spin · value over all cells, for several matrices of values.

        Args:
            values: Shape (matrices, systems, inputs).

        Returns:
            Shape (matrices, arrangements).
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
        """Sums spin · value over all cells, shape (arrangements,); values have shape (systems, inputs)."""
        return np.asarray(self.totals(values[None])[0])


def random_spins(count: int, size: int, kind: str, seed: int) -> Signs:
    """Draws spins, shape (arrangements, size), from the stream of this kind and seed.

    Args:
        count: The number of arrangements.
        size: The number of spins of each.
        kind: ``rows``, ``columns`` or ``cells``.
        seed: The seed.
    """
    generator = np.random.default_rng([seed, _PURPOSES[kind]])
    octets = generator.integers(0, 256, size=(count, (size + 7) // 8), dtype=np.uint8)
    spins: Signs = np.unpackbits(octets, axis=1, count=size).astype(np.int8)
    spins *= 2
    spins -= 1
    return spins


def all_spins(size: int) -> Floats:
    """Enumerates all spins, shape (2ⁿ, n); the first row keeps everything.

    >>> all_spins(2).tolist()
    [[1.0, 1.0], [-1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]]
    """
    numbers = np.arange(2**size)
    return np.where((numbers[:, None] >> np.arange(size)) & 1, -1.0, 1.0)
