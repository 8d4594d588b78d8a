"""TER on lists of words: the edits from a summary to a reference, where shifting a block of words is one edit.

A greedy search shifts blocks of words. Each pass applies the shift that reduces the edit distance most, until no shift
reduces it. The result is the number of shifts plus the remaining edit distance (`banded_distance`).

Candidates of a pass: the words of summary and reference are aligned. A block is 1 to 10 words of the summary that also
occur in the reference, at most 50 positions away. At least one of its words must be unmatched on each side, and the
alignment must not map the start of its occurrence in the reference into the block itself. The block may be shifted to
where the reference word before the occurrence is aligned, or after each word of the occurrence. The best shift has the
greatest gain, then the longest block, then the earliest start, then the earliest target.

After 1,000 candidates of a pair, over all passes, the search ends without another shift.

Shortcuts with the same result: no order of the words has an edit distance below ``Reference.least_distance``, and each
shift costs an edit; candidates are counted before a shift is applied; a shift gains at most twice the number of words
that change sides, so that the longest blocks come first and shifts that cannot win are not evaluated.
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


MAX_SHIFT_SIZE = 10
MAX_SHIFT_DISTANCE = 50
MAX_SHIFT_CANDIDATES = 1000

Words: TypeAlias = Sequence[str]


# ---- batches --------------------------------------------------------------------------------------------------------


def ter_statistics(
    summaries_list: Sequence[Sequence[Words]], references_list: Sequence[Sequence[Words]]
) -> list[list[tuple[int, int, int]]]:
    """Counts edits and words for groups of summaries that share references.

    Args:
        summaries_list: The words of each summary of each group.
        references_list: The words of each reference of each group, one reference at least.

    Returns:
        For each summary of each group: its edits to the closest reference, the total length of the references, and
        their number.

    >>> ter_statistics([[["b", "a"], ["a"]]], [[["a", "b"], ["a", "b", "c"]]])
    [[(1, 5, 2), (1, 5, 2)]]
    """
    statistics = []
    for summaries, references in zip(summaries_list, references_list, strict=True):
        ready = [Reference(words) for words in dict.fromkeys(map(tuple, references))]
        keys = [tuple(words) for words in summaries]
        edits = {words: _least_edits(words, ready) for words in dict.fromkeys(keys)}
        length = sum(map(len, references))
        statistics.append([(edits[words], length, len(references)) for words in keys])
    return statistics


def _least_edits(words: Words, references: Sequence[Reference]) -> int:
    """Returns the edits to the closest reference; references that cannot be closer are skipped."""
    pairs = []
    for reference in references:
        matches = reference.matches(words)
        pairs.append((reference.least_distance(matches), matches, reference.length))
    pairs.sort(key=lambda pair: pair[0])
    best = len(words) + max(reference.length for reference in references) + 1
    for least, matches, length in pairs:
        if least >= best:
            break
        best = min(best, _edits(matches, length, least, best))
    return best


# ---- one pair -------------------------------------------------------------------------------------------------------


def ter_edits(summary_words: Words, reference_words: Words) -> int:
    """Returns the number of edits from a summary to one reference.

    Args:
        summary_words: The words of the summary.
        reference_words: The words of the reference.

    >>> ter_edits("d e f g h a b c".split(), "a b c d e f g h".split())
    1
    """
    return _least_edits(summary_words, [Reference(reference_words)])


class Pair:
    """A summary, with the shifts applied so far, and a reference.

    Args:
        matches: The words of the summary.
        length: The number of words of the reference.

    Attributes:
        matches: The words of the summary, in their current order.
        distance: The edit distance.
    """

    def __init__(self, matches: Matches, length: int) -> None:
        self.matches = matches
        self._length = length
        self._rows = Rows(length)
        self._compare(0)

    def _compare(self, changed_from: int) -> None:
        matches, length, rows = self.matches, self._length, self._rows
        rows.extend(matches, changed_from)
        self.distance: int = rows.distance
        self._alignment: Alignment | None = None
        if not is_within_band(rows.distance, len(matches), length):
            self._alignment = aligned(matches, length, rows.steps())
            if not is_path_within_band(self._alignment.targets, len(matches)):
                self.distance, steps = banded_steps(matches, length)
                self._alignment = aligned(matches, length, steps)

    def alignment(self) -> Alignment:
        """Aligns the words."""
        return self._alignment or aligned(self.matches, self._length, self._rows.steps())

    def apply(self, shift: Shift) -> None:
        """Applies a shift."""
        self.matches = self.matches[: shift.first_changed] + shift.tail(self.matches)
        self._compare(shift.first_changed)

    def best_shift(self, blocks: Sequence[Block], alignment: Alignment, least: int) -> Shift | None:
        """Returns the shift with the greatest gain, `None` if no shift can lower the number of edits.

        Args:
            blocks: The candidates.
            alignment: The alignment of the words.
            least: A lower bound of the edit distance for any order of the words.
        """
        # At a distance of ``least + 2``, a shift that gains 1 would be the last: it saves as many edits as it costs.
        best, gain = None, int(self.distance == least + 2)
        over = self.distance - self._rows.distance  # a shift may also regain what the band costs
        for block in sorted(blocks, key=lambda block: (-block.length, block.start)):
            if 2 * block.length + over <= gain or self.distance - least <= gain:
                break
            for target in block.targets(alignment):
                shift = Shift(block.start, block.length, target)
                if 2 * min(shift.length, shift.passed) + over > gain:
                    gained = self.distance - self._distance_after(shift, self.distance - gain)
                    if gained > gain:
                        best, gain = shift, gained
        return best

    def _distance_after(self, shift: Shift, enough: int) -> int:
        """Returns the edit distance after a shift if it is below ``enough``, otherwise any number not below it."""
        tail = shift.tail(self.matches)
        distance = self._rows.distance_with(tail, shift.first_changed)
        if distance >= enough or is_within_band(distance, len(self.matches), self._length):
            return distance
        return Pair(self.matches[: shift.first_changed] + tail, self._length).distance


def _edits(matches: Matches, length: int, least: int, enough: int) -> int:
    """Returns the edits of a pair if they are below ``enough``, otherwise any number not below it.

    Args:
        matches: The words of the summary.
        length: The number of words of the reference.
        least: A lower bound of the edit distance for any order of the words.
        enough: The number of edits to stay below.
    """
    pair = Pair(matches, length)
    applied = examined = 0
    while pair.distance > least + 1 and applied + 1 + least < enough:  # a shift is an edit itself
        alignment = pair.alignment()
        blocks = []
        for block in shiftable_blocks(pair.matches, alignment):
            blocks.append(block)
            examined += block.shifts(alignment)
            if examined >= MAX_SHIFT_CANDIDATES:
                return applied + pair.distance
        shift = pair.best_shift(blocks, alignment, least)
        if shift is None:
            break
        pair.apply(shift)
        applied += 1
    return applied + pair.distance


# ---- candidates -----------------------------------------------------------------------------------------------------


class Block(NamedTuple):
    """Words of the summary that can be shifted.

    Attributes:
        start: The first word.
        length: The number of words.
        positions: Bit j is set if the block occurs at word j of the reference and that occurrence allows a shift.
    """

    start: int
    length: int
    positions: int

    def shifts(self, alignment: Alignment) -> int:
        """Counts the shifts; those of different occurrences count separately."""
        targets = alignment.targets
        return sum(len(set(targets[position : position + self.length + 1])) for position in bits(self.positions))

    def targets(self, alignment: Alignment) -> list[int]:
        """Returns the words of the summary before which the block can go, ascending and without duplicates."""
        found: set[int] = set()
        for position in bits(self.positions):
            found.update(alignment.targets[position : position + self.length + 1])
        return sorted(found)


def bits(number: int) -> Iterator[int]:
    """Yields the positions of the bits that are set, ascending."""
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest


def shiftable_blocks(matches: Matches, alignment: Alignment) -> Iterator[Block]:
    """Yields the blocks of a summary that have a shift."""
    targets, summary_errors, reference_errors = alignment
    inside = _aligned_before(targets, len(matches))
    is_long = max(len(matches), len(targets)) > MAX_SHIFT_DISTANCE
    for start, positions in enumerate(matches):
        if is_long:  # only positions within the maximum shift distance
            first = max(0, start - MAX_SHIFT_DISTANCE)
            positions &= (1 << start + MAX_SHIFT_DISTANCE + 1) - (1 << first)
        some_error = 0
        for length in range(1, min(MAX_SHIFT_SIZE, len(matches) - start) + 1):
            positions &= matches[start + length - 1] >> (length - 1)
            if not positions:
                break
            some_error |= reference_errors >> (length - 1)
            if not summary_errors >> start & ((1 << length) - 1):
                continue
            allowed = positions & some_error & ~(inside[start + length] ^ inside[start])
            if allowed:
                yield Block(start, length, allowed)


def _aligned_before(targets: Sequence[int], number: int) -> list[int]:
    """Returns for i = 0 … number the reference words aligned with a summary word before word i, as bits."""
    counts = [0] * (number + 1)
    for target in targets[1:]:
        counts[target] += 1
    masks, total = [], 0
    for count in counts:
        total += count
        masks.append((1 << total) - 1)
    return masks


# ---- shifts ---------------------------------------------------------------------------------------------------------


class Shift(NamedTuple):
    """A block of a summary and its target.

    Attributes:
        start: The block's first word.
        length: The number of its words.
        target: The word before which it goes; inside the block, the number of words it goes to the right.
    """

    start: int
    length: int
    target: int

    @property
    def passed(self) -> int:
        """The number of words the block is shifted past, at most."""
        return self.start - self.target if self.target < self.start else self._end - self.start - self.length

    @property
    def first_changed(self) -> int:
        """The first position that gets another word."""
        return min(self.start, self.target)

    def tail(self, matches: Matches) -> Matches:
        """Returns the words from the first changed position on."""
        start, length, target = self
        block, after = matches[start : start + length], start + length
        if target < start:
            return block + matches[target:start] + matches[after:]
        return matches[after : self._end] + block + matches[self._end :]

    @property
    def _end(self) -> int:
        """The word before which a block goes that is shifted to the right."""
        after = self.start + self.length
        return self.target if self.target > after else self.target + self.length
