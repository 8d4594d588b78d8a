"""TER on lists of words: the edits from a summary to a reference, where moving a block of words counts as one.

The edits of a pair are found by passes. Each looks for the move of a block that brings the summary nearer to the
reference and makes it, until none does; then what is left is counted by the edit distance (`banded_distance`).

What a pass examines. The words of summary and reference are aligned. A block is 1 to 10 words of the summary that the
reference has too, from a place at most 50 words away, such that not all of them are matched already, on neither side,
and such that the alignment does not put the block's first word of the reference inside the block. It can go to where
the word of the reference before it is aligned, or behind each of its own words there. The best move is the one that
gains most, then the longest, then the one that starts first, then the one that goes to the earliest place.

When 1,000 moves of a pair have been examined, over all passes, the pass ends there and nothing is moved any more.

What need not be looked at, with the same result: the edit distance of no order of the words is below
``Reference.least_distance``; the moves of a pass can be counted before one is made; a move gains at most twice the
words that it takes past others, so the longest go first and the rest need not be made if they cannot win.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

from metrics_framework.kernels.python.banded_distance import (
    Alignment,
    Matches,
    Reference,
    Rows,
    aligned,
    banded_steps,
    is_path_within_band,
    is_within_band,
)

LONGEST_BLOCK = 10
LONGEST_WAY = 50
MOST_MOVES = 1000

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
        For each summary of each group its edits, least over the references; the words of all references together; and
        the number of references.

    >>> ter_statistics([[["b", "a"], ["a"]]], [[["a", "b"], ["a", "b", "c"]]])
    [[(1, 5, 2), (1, 5, 2)]]
    """
    return [
        _group_statistics(summaries, references)
        for summaries, references in zip(summaries_list, references_list, strict=True)
    ]


def _group_statistics(summaries: Sequence[Words], references: Sequence[Words]) -> list[tuple[int, int, int]]:
    ready = [Reference(words) for words in dict.fromkeys(map(tuple, references))]
    keys = [tuple(words) for words in summaries]
    edits = {words: _least_edits(words, ready) for words in dict.fromkeys(keys)}
    length = sum(map(len, references))
    return [(edits[words], length, len(references)) for words in keys]


def _least_edits(words: Words, references: Sequence[Reference]) -> int:
    """Returns the edits to the nearest reference; one that cannot be nearer than another is passed over."""
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
    """A summary and a reference, as far as moves have brought them.

    Args:
        matches: The words of the summary.
        length: The number of words of the reference.

    Attributes:
        matches: The words of the summary, in the order they have now.
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

    def make(self, move: Move) -> None:
        """Moves a block."""
        self.matches = self.matches[: move.first_changed] + move.tail(self.matches)
        self._compare(move.first_changed)

    def best_move(self, blocks: Sequence[Block], alignment: Alignment, least: int) -> Move | None:
        """Returns the move that gains most, `None` if none gains anything.

        Args:
            blocks: What can be moved.
            alignment: The alignment of the words.
            least: What the edit distance of no order of the words is below.
        """
        best, gain = None, 0
        over = self.distance - self._rows.distance  # what the band keeps from being found can be gained as well
        for block in sorted(blocks, key=lambda block: (-block.length, block.start)):
            if 2 * block.length + over <= gain or self.distance - least <= gain:
                break
            for target in block.targets(alignment):
                move = Move(block.start, block.length, target)
                if 2 * min(move.length, move.way) + over > gain:
                    gained = self.distance - self._distance_after(move, self.distance - gain)
                    if gained > gain:
                        best, gain = move, gained
        return best

    def _distance_after(self, move: Move, enough: int) -> int:
        """Returns the edit distance after a move, or a number not below ``enough`` where it is not less."""
        tail = move.tail(self.matches)
        distance = self._rows.distance_with(tail, move.first_changed)
        if distance >= enough or is_within_band(distance, len(self.matches), self._length):
            return distance
        return Pair(self.matches[: move.first_changed] + tail, self._length).distance


def _edits(matches: Matches, length: int, least: int, enough: int) -> int:
    """Returns the edits of a pair, or a number not below ``enough`` where there are that many.

    Args:
        matches: The words of the summary.
        length: The number of words of the reference.
        least: What the edit distance of no order of the words is below.
        enough: A number of edits that is to be beaten.
    """
    pair = Pair(matches, length)
    made = examined = 0
    while pair.distance > least and made + 1 + least < enough:
        alignment = pair.alignment()
        blocks = []
        for block in movable_blocks(pair.matches, alignment):
            blocks.append(block)
            examined += block.moves(alignment)
            if examined >= MOST_MOVES:
                return made + pair.distance
        move = pair.best_move(blocks, alignment, least)
        if move is None:
            break
        pair.make(move)
        made += 1
    return made + pair.distance


# ---- what can be moved ----------------------------------------------------------------------------------------------


class Block(NamedTuple):
    """Words of the summary that can be moved.

    Attributes:
        start: The first of them.
        length: How many they are.
        places: Bit j says that the reference has them from word j on, and that they may go there.
    """

    start: int
    length: int
    places: int

    def moves(self, alignment: Alignment) -> int:
        """Counts the moves, with those that come to the same."""
        targets = alignment.targets
        return sum(len(set(targets[place : place + self.length + 1])) for place in bits(self.places))

    def targets(self, alignment: Alignment) -> list[int]:
        """Returns where the block can go: before which words of the summary, in order and each once."""
        found: set[int] = set()
        for place in bits(self.places):
            found.update(alignment.targets[place : place + self.length + 1])
        return sorted(found)


def bits(number: int) -> Iterator[int]:
    """Yields the places of the bits that are set, from the lowest up."""
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest


def movable_blocks(matches: Matches, alignment: Alignment) -> Iterator[Block]:
    """Yields the blocks of a summary that can be moved somewhere."""
    targets, summary_errors, reference_errors = alignment
    inside = _aligned_before(targets, len(matches))
    is_long = max(len(matches), len(targets)) > LONGEST_WAY
    for start, places in enumerate(matches):
        if is_long:
            places &= _near(start)
        some_error = 0
        for length in range(1, min(LONGEST_BLOCK, len(matches) - start) + 1):
            places &= matches[start + length - 1] >> (length - 1)
            if not places:
                break
            some_error |= reference_errors >> (length - 1)
            if not summary_errors >> start & ((1 << length) - 1):
                continue
            allowed = places & some_error & ~(inside[start + length] ^ inside[start])
            if allowed:
                yield Block(start, length, allowed)


def _near(start: int) -> int:
    """Returns the places of the reference from which a block that starts there may be taken, as bits."""
    first = max(0, start - LONGEST_WAY)
    return (1 << start + LONGEST_WAY + 1) - (1 << first)


def _aligned_before(targets: Sequence[int], number: int) -> list[int]:
    """Returns for i = 0 … number the words of the reference that are aligned with a word before word i, as bits."""
    counts = [0] * (number + 1)
    for target in targets[1:]:
        counts[target] += 1
    masks, total = [], 0
    for count in counts:
        total += count
        masks.append((1 << total) - 1)
    return masks


# ---- a move ---------------------------------------------------------------------------------------------------------


class Move(NamedTuple):
    """A block of a summary and where it goes.

    Attributes:
        start: The block's first word.
        length: The number of its words.
        target: The word before which it goes; inside the block, how far it goes to the right.
    """

    start: int
    length: int
    target: int

    @property
    def way(self) -> int:
        """How many words the block goes past, at most."""
        return self.start - self.target if self.target < self.start else self._end - self.start - self.length

    @property
    def first_changed(self) -> int:
        """The first word whose place another takes."""
        return min(self.start, self.target)

    def tail(self, matches: Matches) -> Matches:
        """Returns the words from the first changed one on."""
        start, length, target = self
        block, behind = matches[start : start + length], start + length
        if target < start:
            return block + matches[target:start] + matches[behind:]
        return matches[behind : self._end] + block + matches[self._end :]

    @property
    def _end(self) -> int:
        """The word before which a block goes that moves to the right."""
        behind = self.start + self.length
        return self.target if self.target > behind else self.target + self.length
