"""The edit distance of TER: unit costs, computed in a band around the diagonal, and the alignment of words it finds.

The matrix has a row for each word of the summary and a column for each word of the reference. D(i, j) is the least
number of insertions, deletions and substitutions between the first i words of the summary and the first j words of the
reference. If several steps lead to it, the first of these counts::

    diagonal   a match or a substitution         from D(i - 1, j - 1)
    up         a deletion of a summary word      from D(i - 1, j)
    left       an insertion of a reference word  from D(i, j - 1)

Only a band of columns is computed (`band`); cells outside of it are unreachable. `banded_steps` computes it cell by
cell, and is the definition. `Rows` computes the distance without the band, a row at a time: Myers (1999) and Hyyrö
(2003) store the differences of adjacent cells as the bits of integers. Both give the same result if `is_within_band` or
`is_path_within_band` holds, which is nearly always.

A word of the summary is represented by its positions in the reference: an integer whose bit j is set if it is equal to
word j of the reference.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

HALF_WIDTH = 25
_UNREACHABLE = 2**40

Matches: TypeAlias = list[int]


class Reference:
    """The words of a reference, indexed for comparison with summaries.

    Args:
        words: The words.

    Attributes:
        length: The number of words.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self.length = len(words)
        self._places: dict[str, int] = {}
        for index, word in enumerate(words):
            self._places[word] = self._places.get(word, 0) | 1 << index

    def matches(self, words: Sequence[str]) -> Matches:
        """Returns for each word of a summary its positions in the reference.

        >>> [f"{positions:03b}" for positions in Reference(["a", "b", "a"]).matches(["a", "c", "b"])]
        ['101', '000', '010']
        """
        positions = self._places.get
        return [positions(word, 0) for word in words]

    def least_distance(self, matches: Matches) -> int:
        """Returns a lower bound of the distance for any order of words: the longer length minus the common words."""
        common = sum(min(count, positions.bit_count()) for positions, count in Counter(matches).items())
        return max(len(matches), self.length) - common


class Steps(NamedTuple):
    """The steps that lead to the cells of each row, as bits. There is only one way to the cells of row 0 and column 0.

    Attributes:
        sideways: Bit j - 1 is set if the step to column j is not diagonal.
        up: Bit j - 1 is set if such a step is up.
    """

    sideways: Sequence[int]
    up: Sequence[int]


class Alignment(NamedTuple):
    """Which words of summary and reference are aligned.

    Attributes:
        targets: For j = 0 … length of the reference, the number of words of the summary before the point where the
            path enters column j: reference word j - 1 is aligned with summary word targets[j] - 1.
        summary_errors: Bit i is set if word i of the summary is not matched.
        reference_errors: Bit j is set if word j of the reference is not matched.
    """

    targets: list[int]
    summary_errors: int
    reference_errors: int


def aligned(matches: Matches, length: int, steps: Steps) -> Alignment:
    """Follows the steps back from the last cell to the first.

    Args:
        matches: The words of the summary.
        length: The number of words of the reference.
        steps: The steps that lead to the cells.
    """
    row, column = len(matches), length
    targets = [0] * (length + 1)
    summary_errors, reference_errors = (1 << row) - 1, (1 << length) - 1
    sideways, up = steps
    while row and column:
        targets[column] = row
        bit = 1 << column - 1
        if not sideways[row] & bit:
            row -= 1
            column -= 1
            if matches[row] & bit:
                summary_errors ^= 1 << row
                reference_errors ^= bit
        elif up[row] & bit:
            row -= 1
        else:
            column -= 1
    return Alignment(targets, summary_errors, reference_errors)


# ---- cell by cell ---------------------------------------------------------------------------------------------------


def band(rows: int, length: int) -> Iterator[tuple[int, int]]:
    """Yields for each row from row 1 on the first column of the band and the column after the last.

    The band follows the diagonal of the matrix. It is 25 columns wide to either side, or wide enough for adjacent rows
    to overlap; the last row extends to the end. Row 0 is not restricted.

    Args:
        rows: The number of words of the summary.
        length: The number of words of the reference.
    """
    ratio = length / rows if rows else 1.0
    half_width = math.ceil(ratio / 2 + HALF_WIDTH) if ratio / 2 > HALF_WIDTH else HALF_WIDTH
    for row in range(1, rows + 1):
        centre = math.floor(row * ratio)  # a product of doubles, as in sacreBLEU: can be below the exact quotient
        end = length + 1 if row == rows else min(length + 1, centre + half_width)
        yield max(0, centre - half_width), end


def banded_steps(matches: Matches, length: int) -> tuple[int, Steps]:
    """Computes the matrix cell by cell; returns the distance and the steps.

    >>> banded_steps(Reference(["a", "b", "c"]).matches(["b", "c", "d"]), 3)[0]
    2
    """
    sideways, up = [0], [0]
    above = list(range(length + 1))
    for match, (first, end) in zip(matches, band(len(matches), length), strict=True):
        cells = [_UNREACHABLE] * (length + 1)
        row_sideways = row_up = 0
        if first == 0:
            cells[0] = above[0] + 1
            first = 1
        left = cells[first - 1]
        for column in range(first, end):
            bit = 1 << column - 1
            least = above[column - 1] if match & bit else above[column - 1] + 1
            if above[column] + 1 < least:
                least = above[column] + 1
                row_sideways |= bit
                row_up |= bit
            if left + 1 < least:
                least = left + 1
                row_sideways |= bit
                row_up &= ~bit
            cells[column] = left = least
        sideways.append(row_sideways)
        up.append(row_up)
        above = cells
    return above[length], Steps(sideways, up)


# ---- a row at a time ------------------------------------------------------------------------------------------------


def is_within_band(distance: int, rows: int, length: int) -> bool:
    """Returns whether an unbanded distance is so small that the band does not change it.

    A path of that cost stays on diagonals k = j - i with |k| + |length - rows - k| ≤ distance. The centre of the band
    goes from diagonal 0 to diagonal length - rows. If this returns true, the band contains all these diagonals, hence
    all best paths.
    """
    return distance + abs(length - rows) <= 2 * HALF_WIDTH - 2


def is_path_within_band(targets: Sequence[int], rows: int) -> bool:
    """Returns whether an unbanded alignment is also the banded one.

    It is if its path stays inside the band: then the cells of the path have the same values, no cell has a lower one,
    and each step is again the first of the best steps.

    Args:
        targets: The targets of the alignment.
        rows: The number of words of the summary.
    """
    length = len(targets) - 1
    limits = [(0, length + 1), *band(rows, length)]
    for column, (top, bottom) in enumerate(zip(targets, (*targets[1:], rows), strict=True)):
        if bottom and not limits[bottom][0] <= column < limits[max(top, 1)][1]:
            return False
    return True


class Rows:
    """The rows of the matrix without the band, stored so that another order of words can continue from any of them.

    ``rises`` has bit j - 1 set if D(i, j) is D(i, j - 1) + 1, ``falls`` if it is D(i, j - 1) - 1. D(i, 0) is i, so the
    last value of a row is i plus the number of bits in ``rises`` minus the number of bits in ``falls``.

    Args:
        length: The number of words of the reference.

    Attributes:
        distance: The last cell of the last row.
    """

    def __init__(self, length: int) -> None:
        self._all = (1 << length) - 1
        self._rises = [self._all]
        self._falls = [0]
        self._sideways = [0]
        self.distance = length

    def extend(self, matches: Matches, start: int) -> None:
        """Computes the rows after row ``start`` and replaces those stored."""
        everything, rises, falls = self._all, self._rises, self._falls
        sideways = self._sideways
        for rows in (rises, falls, sideways):
            del rows[start + 1 :]
        rise, fall = rises[start], falls[start]
        for match in matches[start:]:
            level = (((match & rise) + rise) ^ rise) | match | fall  # D(i, j) = D(i - 1, j - 1)
            more = ((fall | ((rise | level) ^ everything)) << 1) | 1  # D(i, j - 1) = D(i - 1, j - 1) + 1
            sideways.append(level ^ match)
            rise = (((rise & level) << 1) | ((more | level) ^ everything)) & everything
            fall = more & level
            rises.append(rise)
            falls.append(fall)
        self.distance = len(matches) + rise.bit_count() - (fall & everything).bit_count()

    def distance_with(self, tail: Matches, start: int) -> int:
        """Returns the distance of the summary with other words from ``start`` on."""
        everything, rise, fall = self._all, self._rises[start], self._falls[start]
        for match in tail:
            level = (((match & rise) + rise) ^ rise) | match | fall
            more = ((fall | ((rise | level) ^ everything)) << 1) | 1
            rise = (((rise & level) << 1) | ((more | level) ^ everything)) & everything
            fall = more & level
        return start + len(tail) + rise.bit_count() - (fall & everything).bit_count()

    def steps(self) -> Steps:
        """Returns the steps: one that is not diagonal is up if the row above falls, as D(i, j) = D(i - 1, j - 1)."""
        return Steps(self._sideways, [0, *self._falls])
