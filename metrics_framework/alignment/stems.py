"""The aligner ``stems``: words of one language, aligned by their form and by what stands around them."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from overrides import overrides

from metrics_framework.alignment.aligner import Aligner
from metrics_framework.text.parts_of_speech import CONTENT, parts_of_speech
from metrics_framework.text.stemmer import stem

LONGEST_RUN = 4  # words; a longer run that two texts share holds one of four words
REACH = 3  # words to each side that may support a pair
NEAREST = 2  # places to each side of an expected one that are tried: a word may be there a thousand times
ROUNDS = 3  # each round supports pairs of the next
FREE = -1
Place: TypeAlias = "tuple[int, int]"


@Aligner.register("stems")
class StemsAligner(Aligner):
    """Aligns identical words, then forms of one English word, then what stands in the same place between aligned words.

    Every word is aligned once at most; case makes no difference. In this order:

    1. runs of four, three, two words and one that both texts hold once, if a content word is among them, and what is
       equal on both sides of them;
    2. what both texts begin and end with;
    3. other equal words, those first with most aligned words around both, and then those nearest to the place that
       the aligned words before or behind let expect; a function word or a punctuation mark needs one such neighbour;
    4. words of equal stem in the same way;
    5. words of one part of speech at the same place of two gaps of equally many words, of which both lie between the
       same aligned words, or between one and an end of the texts.

    The time it takes grows as the texts do: no step compares all words with all.

    Source: the order of evidence is that of Sultan, Bethard and Sumner (TACL 2014), whose aligner asks a parser and a
    table of paraphrases where this one has stems and gaps.
    """

    @overrides
    def align(self, source: Sequence[str], target: Sequence[str]) -> list[tuple[int, int]]:
        """Returns the places of aligned words, as pairs of one in the source and one in the target, sorted.

        Args:
            source: The words of the source.
            target: The words of the other text.

        >>> StemsAligner().align("The group formed in 1990 .".split(), "In 1990 the band was forming .".split())
        [(0, 2), (2, 5), (3, 0), (4, 1), (5, 6)]
        """
        return _Pairing(source, target).pairs()


class _Pairing:
    """Two texts, and what of them is aligned so far.

    Attributes:
        to_target: For each place of the source that of the target, or `FREE`.
        to_source: The reverse.
    """

    def __init__(self, source: Sequence[str], target: Sequence[str]) -> None:
        self.source = [word.lower() for word in source]
        self.target = [word.lower() for word in target]
        self.tags_of_source = parts_of_speech(self.source)
        self.tags_of_target = parts_of_speech(self.target)
        self.to_target = [FREE] * len(source)
        self.to_source = [FREE] * len(target)

    def pairs(self) -> list[tuple[int, int]]:
        """Aligns the texts and returns the pairs of places."""
        for length in range(LONGEST_RUN, 0, -1):
            self.align_unique_runs(length)
        self.extend(-1, -1, 1)
        self.extend(len(self.source), len(self.target), -1)
        self.align_nearest(self.source, self.target)
        self.align_nearest([stem(word) for word in self.source], [stem(word) for word in self.target])
        self.align_gaps()
        return [(one, other) for one, other in enumerate(self.to_target) if other != FREE]

    def pair(self, one: int, other: int) -> None:
        """Aligns a place of the source with one of the target."""
        self.to_target[one] = other
        self.to_source[other] = one

    def has_free(self) -> bool:
        """Tells whether both texts have words left."""
        return FREE in self.to_target and FREE in self.to_source

    def are_free(self, one: int, other: int) -> bool:
        """Tells whether neither place is aligned."""
        return self.to_target[one] == FREE == self.to_source[other]

    # ---- runs -------------------------------------------------------------------------------------------------------

    def align_unique_runs(self, length: int) -> None:
        """Aligns runs of so many words that both texts hold once, and extends them."""
        if not self.has_free():
            return
        in_target = _unique_runs(self.target, self.tags_of_target, self.to_source, length)
        for run, one in _unique_runs(self.source, self.tags_of_source, self.to_target, length).items():
            other = in_target.get(run, FREE)
            if one != FREE != other and all(self.are_free(one + step, other + step) for step in range(length)):
                for step in range(length):
                    self.pair(one + step, other + step)
                self.extend(one, other, -1)
                self.extend(one + length - 1, other + length - 1, 1)

    def extend(self, one: int, other: int, step: int) -> None:
        """Aligns equal words next to two places, as far as they go."""
        one, other = one + step, other + step
        while (
            0 <= one < len(self.source)
            and 0 <= other < len(self.target)
            and self.source[one] == self.target[other]
            and self.are_free(one, other)
        ):
            self.pair(one, other)
            one, other = one + step, other + step

    # ---- equal keys -------------------------------------------------------------------------------------------------

    def align_nearest(self, of_source: Sequence[str], of_target: Sequence[str]) -> None:
        """Aligns words of equal keys by the words around them.

        Args:
            of_source: The key of each word of the source.
            of_target: The key of each word of the target.
        """
        for _ in range(ROUNDS):
            if not self.has_free():
                return
            candidates = sorted(self.candidates(of_source, of_target))
            if not candidates:
                return
            for _, _, one, other in candidates:
                if self.are_free(one, other):
                    self.pair(one, other)

    def candidates(self, of_source: Sequence[str], of_target: Sequence[str]) -> Iterator[tuple[int, int, int, int]]:
        """Gives pairs of free places of equal keys: how little supports them, how far they are off, and the places."""
        places = defaultdict(list)
        for other, key in enumerate(of_target):
            if self.to_source[other] == FREE:
                places[key].append(other)
        free = [one for one, key in enumerate(of_source) if self.to_target[one] == FREE and key in places]
        if not free:
            return
        anchors = list(zip(self.anchors_before(), self.anchors_behind(), strict=True))
        for one in free:
            expected = [other + one - anchor for anchor, other in anchors[one]]
            for other in _nearest(places[of_source[one]], expected):
                support = self.support(one, other)
                if support or self.tags_of_source[one] in CONTENT:
                    yield -support, min(abs(other - place) for place in expected), one, other

    def support(self, one: int, other: int) -> int:
        """Counts aligned words around two places: two for a neighbour at equal distance, one for one on that side."""
        found = 0
        for step in range(-REACH, REACH + 1):
            place = one + step
            if 0 <= place < len(self.to_target):
                distance = self.to_target[place] - other
                if self.to_target[place] != FREE and abs(distance) <= REACH:
                    found += 2 if distance == step else distance * step > 0
        return found

    def anchors_before(self) -> list[Place]:
        """Returns for each place of the source the last aligned pair before it, or the pair before both texts."""
        anchors, last = [], (-1, -1)
        for one, other in enumerate(self.to_target):
            anchors.append(last)
            if other != FREE:
                last = (one, other)
        return anchors

    def anchors_behind(self) -> list[Place]:
        """Returns for each place of the source the first aligned pair behind it, or the pair behind both texts."""
        anchors, last = [], (len(self.to_target), len(self.to_source))
        for one in range(len(self.to_target) - 1, -1, -1):
            anchors.append(last)
            if self.to_target[one] != FREE:
                last = (one, self.to_target[one])
        return anchors[::-1]

    # ---- gaps -------------------------------------------------------------------------------------------------------

    def align_gaps(self) -> None:
        """Aligns words of one part of speech at the same place of gaps of equal length."""
        for start, stop in _gaps(self.to_target):
            low = self.to_target[start - 1] + 1 if start else 0
            high = self.to_target[stop] if stop < len(self.to_target) else len(self.to_source)
            everything = stop - start == len(self.to_target)
            if high - low == stop - start and not everything and all(link == FREE for link in self.to_source[low:high]):
                for one, other in zip(range(start, stop), range(low, high), strict=True):
                    if self.tags_of_source[one] == self.tags_of_target[other]:
                        self.pair(one, other)


def _unique_runs(
    words: Sequence[str], tags: Sequence[str], links: Sequence[int], length: int
) -> dict[tuple[str, ...], int]:
    """Returns runs of free words with a content word among them, and where each begins; `FREE` if it is there twice."""
    found: dict[tuple[str, ...], int] = {}
    free, content = 0, -1
    for end, link in enumerate(links):
        if link != FREE:
            free = 0
            continue
        free += 1
        if tags[end] in CONTENT:
            content = end
        start = end - length + 1
        if free >= length and content >= start:
            run = tuple(words[start : end + 1])
            found[run] = FREE if run in found else start
    return found


def _nearest(places: Sequence[int], expected: Sequence[int]) -> set[int]:
    """Returns the places nearest to those expected; places are in order."""
    if len(places) <= 2 * NEAREST:
        return set(places)
    found: set[int] = set()
    for place in expected:
        index = bisect_left(places, place)
        found.update(places[max(0, index - NEAREST) : index + NEAREST])
    return found


def _gaps(links: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Gives start and stop of each run of free places."""
    start = FREE
    for place, link in enumerate(links):
        if link != FREE and start != FREE:
            yield start, place
            start = FREE
        elif link == FREE and start == FREE:
            start = place
    if start != FREE:
        yield start, len(links)
