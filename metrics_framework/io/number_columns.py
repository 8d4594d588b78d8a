"""Columns of tables whose cells are numbers or missing, of which a cell takes little memory."""

from __future__ import annotations

import math
from array import array
from collections import Counter

from metrics_framework.data.missing_values import is_missing


class NumberColumn:
    """The cells of a column: numbers, and missing values by their spelling; only counts once a cell is text.

    Attributes:
        missing: The counts of missing values by their spelling.
        text: The line and the content of the first cell that is neither a number nor missing; `None` if there is none.
        numbers: The number of cells that a person would read as a number: a decimal comma is allowed.
        cells: The number of cells that are not missing.

    >>> column = NumberColumn()
    >>> for line, cell in enumerate(["4.5", "NA", "3"], 2):
    ...     column.add(line, cell)
    >>> [column.number(row) for row in range(3)], column.missing
    ([4.5, None, 3.0], Counter({'NA': 1}))
    """

    def __init__(self) -> None:
        self.missing: Counter[str] = Counter()
        self.text: tuple[int, str] | None = None
        self.numbers = 0
        self.cells = 0
        self._values = array("d")
        self._spelling_of = bytearray()  # 0 for a number
        self._spellings: dict[str, int] = {}

    def add(self, line: int, cell: str) -> None:
        """Adds the cell of the next row."""
        try:
            number = float(cell)
        except ValueError:
            number = math.nan
        if not math.isfinite(number) or "_" in cell:
            self._add_other(line, cell.strip())
            return
        self.numbers += 1
        self.cells += 1
        if self.text is None:
            self._values.append(number)
            self._spelling_of.append(0)

    def _add_other(self, line: int, cell: str) -> None:
        if is_missing(cell):
            self.missing[cell] += 1
            if self.text is None:
                self._values.append(math.nan)
                self._spelling_of.append(self._spellings.setdefault(cell, len(self._spellings) + 1))
            return
        self.cells += 1
        self.numbers += _is_finite(cell.replace(",", "."))
        if self.text is None:
            self.text = line, cell
            del self._values[:], self._spelling_of[:]

    def number(self, row: int) -> float | None:
        """Returns the number in a row; `None` if it is missing."""
        return None if self._spelling_of[row] else self._values[row]

    def spelling(self, row: int) -> str | None:
        """Returns how the missing value in a row is written; `None` for a number."""
        index = self._spelling_of[row]
        return [*self._spellings][index - 1] if index else None


def _is_finite(cell: str) -> bool:
    try:
        return math.isfinite(float(cell)) and "_" not in cell
    except ValueError:
        return False
