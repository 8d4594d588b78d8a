"""The edit distance of TER: a banded programme of unit costs, and the alignment of words that it finds.

The programme has a row for each word of the summary and a column for each word of the reference. D(i, j) is the least
number of insertions, deletions and substitutions between the first i words of the one and the first j of the other; of
several ways to it the first counts of::

    diagonal   a match or a substitution         from D(i - 1, j - 1)
    up         a deletion of a summary word      from D(i - 1, j)
    left       an insertion of a reference word  from D(i, j - 1)

Only a band of columns is worked on (`band`): what lies outside cannot be reached. `banded_steps` is this programme
cell by cell. `Rows` is the programme without the band, a row at a time: Myers (1999) and Hyyrö (2003) keep the
differences of neighbouring cells as the bits of whole numbers. Both find the same where `is_within_band` or
`is_path_within_band` says so, which is nearly always; else the first decides.

A word of the summary is given by where the reference has it: a whole number whose bit j says that the two words
match. Of the words themselves nothing more is asked.
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
    """The words of a reference, ready to be compared with summaries.

    Args:
        words: The words.

    Attributes:
        length: How many there are.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self.length = len(words)
        self._places: dict[str, int] = {}
        for index, word in enumerate(words):
            self._places[word] = self._places.get(word, 0) | 1 << index

    def matches(self, words: Sequence[str]) -> Matches:
        """Returns for each word of a summary where the reference has it.

        >>> [f"{places:03b}" for places in Reference(["a", "b", "a"]).matches(["a", "c", "b"])]
        ['101', '000', '010']
        """
        places = self._places.get
        return [places(word, 0) for word in words]

    def least_distance(self, matches: Matches) -> int:
        """Returns what no order of the summary's words goes below: the words that the longer side has over."""
        common = sum(min(count, places.bit_count()) for places, count in Counter(matches).items())
        return max(len(matches), self.length) - common


class Steps(NamedTuple):
    """How a programme came to its cells, a row each, as bits; row 0 and column 0 can only be come to one way.

    Attributes:
        sideways: Bit j - 1 says that the step to column j is not diagonal.
        up: Of such a step, bit j - 1 says that it is up.
    """

    sideways: Sequence[int]
    up: Sequence[int]


class Alignment(NamedTuple):
    """Which words of summary and reference stand together.

    Attributes:
        targets: For j = 0 … length of the reference, how many words of the summary the path has behind it when it
            comes to column j: reference word j - 1 is aligned with summary word targets[j] - 1.
        summary_errors: Bit i says that word i of the summary is not matched.
        reference_errors: Bit j says that word j of the reference is not matched.
    """

    targets: list[int]
    summary_errors: int
    reference_errors: int


def aligned(matches: Matches, length: int, steps: Steps) -> Alignment:
    """Goes back from the last cell to the first.

    Args:
        matches: The words of the summary.
        length: The number of words of the reference.
        steps: The steps of the programme.
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
    """Yields for each row below row 0 the first column of the band, and the one behind the last.

    The band follows the diagonal of a rectangle. It is 25 columns wide to either side, or as wide as it must be for
    rows to overlap, and the last row goes to the end. Row 0 is whole.

    Args:
        rows: The number of words of the summary.
        length: The number of words of the reference.
    """
    ratio = length / rows if rows else 1.0
    half_width = math.ceil(ratio / 2 + HALF_WIDTH) if ratio / 2 > HALF_WIDTH else HALF_WIDTH
    for row in range(1, rows + 1):
        centre = math.floor(row * ratio)  # a product of doubles: it can lie below the quotient of whole numbers
        end = length + 1 if row == rows else min(length + 1, centre + half_width)
        yield max(0, centre - half_width), end


def banded_steps(matches: Matches, length: int) -> tuple[int, Steps]:
    """Works the programme out cell by cell; returns the distance and the steps.

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
    """Tells whether a distance found without the band is small enough for the band to change nothing.

    A path of that cost stays on diagonals k = j - i with |k| + |length - rows - k| ≤ distance. The centre of the band
    goes from diagonal 0 to diagonal length - rows, so that the band has all of them, and with them all best paths, as
    long as this holds.
    """
    return distance + abs(length - rows) <= 2 * HALF_WIDTH - 2


def is_path_within_band(targets: Sequence[int], rows: int) -> bool:
    """Tells whether an alignment found without the band can only be what the band finds too.

    It is if its path does not leave the band: the cells of the path then have the same values, no cell has a lesser
    one, and so each step is the first of the best again.

    Args:
        targets: Those of the alignment.
        rows: The number of words of the summary.
    """
    length = len(targets) - 1
    limits = [(0, length + 1), *band(rows, length)]
    for column, (top, bottom) in enumerate(zip(targets, (*targets[1:], rows), strict=True)):
        if bottom and not limits[bottom][0] <= column < limits[max(top, 1)][1]:
            return False
    return True


class Rows:
    """The programme without the band: rows of whole numbers, kept so that another order of words can start from them.

    ``rises`` has bit j - 1 set where D(i, j) is greater by one than D(i, j - 1), ``falls`` where it is less by one.
    D(i, 0) is i, so that a row's last value is i, and the bits of ``rises``, less those of ``falls``.

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
        """Works out the rows below ``start``, in the place of those that are there."""
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
        """Returns the distance of the summary that has other words than this one from ``start`` on."""
        everything, rise, fall = self._all, self._rises[start], self._falls[start]
        for match in tail:
            level = (((match & rise) + rise) ^ rise) | match | fall
            more = ((fall | ((rise | level) ^ everything)) << 1) | 1
            rise = (((rise & level) << 1) | ((more | level) ^ everything)) & everything
            fall = more & level
        return start + len(tail) + rise.bit_count() - (fall & everything).bit_count()

    def steps(self) -> Steps:
        """Returns the steps: one that is not diagonal is up where the row above falls, as D(i, j) = D(i - 1, j - 1)."""
        return Steps(self._sideways, [0, *self._falls])
