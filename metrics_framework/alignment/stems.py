"""The aligner ``stems``: words of one language, aligned by their form and their context."""

from __future__ import annotations

import functools
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from metrics_framework.alignment.aligner import Aligner
from metrics_framework.common.overriding import overrides
from metrics_framework.text.lexicon import word_list
from metrics_framework.text.parts_of_speech import CONTENT, parts_of_speech

MAX_RUN = 4  # words; a longer common run contains one of four words
CONTEXT = 3  # words on each side that may support a pair
NEAREST = 2  # candidates on each side of an expected index: a word may occur a thousand times
ROUNDS = 3  # the pairs of a round support those of the next
FREE = -1
Pair: TypeAlias = "tuple[int, int]"


@Aligner.register("stems")
class StemsAligner(Aligner):
    """Aligns equal words, then words with the same stem, then words between aligned words (English).

    Every word is aligned at most once; case is ignored. The steps are:

    1. runs of four, three, two words and one word that are unique in both texts and contain a content word, extended
       by equal words on both sides;
    2. the common prefix and suffix of the texts;
    3. other equal words: first those with the most aligned words around both, then those nearest to the position
       expected from the aligned words before or after them; a function word or a punctuation mark needs an aligned word
       in its context;
    4. words with the same stem, as in step 3;
    5. words of the same part of speech at the same position of two gaps of equal length between the same aligned words
       (or between an aligned word and an end of the texts).

    The time is linear in the length of the texts: no step compares all pairs of words.

    Source: the order of the steps follows Sultan, Bethard and Sumner (TACL 2014), whose aligner uses a parser and a
    paraphrase database instead of stems and gaps.
    """

    @overrides
    def align(self, source: Sequence[str], target: Sequence[str]) -> list[tuple[int, int]]:
        """Returns the indices of aligned words, as sorted pairs of an index in the source and one in the target.

        Args:
            source: The words of the source.
            target: The words of the other text.

        >>> StemsAligner().align("The group formed in 1990 .".split(), "In 1990 the band was forming .".split())
        [(0, 2), (2, 5), (3, 0), (4, 1), (5, 6)]
        """
        return _Alignment(source, target).pairs()


class _Alignment:
    """Two texts and their alignment so far.

    Attributes:
        to_target: For each index of the source the aligned index of the target, or `FREE`.
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
        """Aligns the texts and returns the pairs of indices."""
        for length in range(MAX_RUN, 0, -1):
            self.align_unique_runs(length)
        self.extend(-1, -1, 1)
        self.extend(len(self.source), len(self.target), -1)
        self.align_nearest(self.source, self.target)
        self.align_nearest([stem(word) for word in self.source], [stem(word) for word in self.target])
        self.align_gaps()
        return [(i, j) for i, j in enumerate(self.to_target) if j != FREE]

    def pair(self, i: int, j: int) -> None:
        """Aligns index i of the source with index j of the target."""
        self.to_target[i] = j
        self.to_source[j] = i

    def has_free(self) -> bool:
        """Returns whether both texts have words that are not aligned."""
        return FREE in self.to_target and FREE in self.to_source

    def are_free(self, i: int, j: int) -> bool:
        """Returns whether neither index is aligned."""
        return self.to_target[i] == FREE == self.to_source[j]

    # ---- runs -------------------------------------------------------------------------------------------------------

    def align_unique_runs(self, length: int) -> None:
        """Aligns runs of this length that are unique in both texts, and extends them."""
        if not self.has_free():
            return
        in_target = _unique_runs(self.target, self.tags_of_target, self.to_source, length)
        for run, i in _unique_runs(self.source, self.tags_of_source, self.to_target, length).items():
            j = in_target.get(run, FREE)
            if i != FREE != j and all(self.are_free(i + step, j + step) for step in range(length)):
                for step in range(length):
                    self.pair(i + step, j + step)
                self.extend(i, j, -1)
                self.extend(i + length - 1, j + length - 1, 1)

    def extend(self, i: int, j: int, step: int) -> None:
        """Aligns equal words next to two indices, up to the first difference."""
        i, j = i + step, j + step
        while (
            0 <= i < len(self.source)
            and 0 <= j < len(self.target)
            and self.source[i] == self.target[j]
            and self.are_free(i, j)
        ):
            self.pair(i, j)
            i, j = i + step, j + step

    # ---- equal keys -------------------------------------------------------------------------------------------------

    def align_nearest(self, of_source: Sequence[str], of_target: Sequence[str]) -> None:
        """Aligns words with equal keys, in the order of their support.

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
            for _, _, i, j in candidates:
                if self.are_free(i, j):
                    self.pair(i, j)

    def candidates(self, of_source: Sequence[str], of_target: Sequence[str]) -> Iterator[tuple[int, int, int, int]]:
        """Yields pairs of free indices with equal keys: negative support, distance from the expected index, pair."""
        indices = defaultdict(list)
        for j, key in enumerate(of_target):
            if self.to_source[j] == FREE:
                indices[key].append(j)
        free = [i for i, key in enumerate(of_source) if self.to_target[i] == FREE and key in indices]
        if not free:
            return
        anchors = list(zip(self.anchors(1), self.anchors(-1), strict=True))
        for i in free:
            expected = [j + i - anchor for anchor, j in anchors[i]]
            for j in _nearest(indices[of_source[i]], expected):
                support = self.support(i, j)
                if support or self.tags_of_source[i] in CONTENT:
                    yield -support, min(abs(j - index) for index in expected), i, j

    def support(self, i: int, j: int) -> int:
        """Counts the aligned words around two indices: 2 for a pair at equal distance, 1 for one on the same side."""
        found = 0
        for step in range(-CONTEXT, CONTEXT + 1):
            index = i + step
            if 0 <= index < len(self.to_target):
                distance = self.to_target[index] - j
                if self.to_target[index] != FREE and abs(distance) <= CONTEXT:
                    found += 2 if distance == step else distance * step > 0
        return found

    def anchors(self, step: int) -> list[Pair]:
        """Returns for each index of the source the nearest aligned pair before it, or after it with the step -1.

        If there is none, it is the pair before or after both texts.
        """
        anchors, last = [], (-1, -1) if step == 1 else (len(self.to_target), len(self.to_source))
        for i, j in list(enumerate(self.to_target))[::step]:
            anchors.append(last)
            if j != FREE:
                last = (i, j)
        return anchors[::step]

    # ---- gaps -------------------------------------------------------------------------------------------------------

    def align_gaps(self) -> None:
        """Aligns words of the same part of speech at the same position of gaps of equal length."""
        for start, stop in _gaps(self.to_target):
            low = self.to_target[start - 1] + 1 if start else 0
            high = self.to_target[stop] if stop < len(self.to_target) else len(self.to_source)
            whole_text = stop - start == len(self.to_target)
            if high - low == stop - start and not whole_text and all(link == FREE for link in self.to_source[low:high]):
                for i, j in zip(range(start, stop), range(low, high), strict=True):
                    if self.tags_of_source[i] == self.tags_of_target[j]:
                        self.pair(i, j)


def _unique_runs(
    words: Sequence[str], tags: Sequence[str], links: Sequence[int], length: int
) -> dict[tuple[str, ...], int]:
    """Returns the start of each run of free words that contains a content word; `FREE` if the run is not unique."""
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


def _nearest(indices: Sequence[int], expected: Sequence[int]) -> set[int]:
    """Returns the indices nearest to the expected ones.

    Args:
        indices: Indices, sorted.
        expected: The expected indices.
    """
    if len(indices) <= 2 * NEAREST:
        return set(indices)
    found: set[int] = set()
    for index in expected:
        middle = bisect_left(indices, index)
        found.update(indices[max(0, middle - NEAREST) : middle + NEAREST])
    return found


def _gaps(links: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yields start and stop of each run of free indices."""
    start = FREE
    for index, link in enumerate(links):
        if link != FREE and start != FREE:
            yield start, index
            start = FREE
        elif link == FREE and start == FREE:
            start = index
    if start != FREE:
        yield start, len(links)


_DERIVED = (
    *("ational", "ation", "ments", "ment", "ness", "ance", "ence", "able", "ible", "ally", "ical", "ship"),
    *("ful", "ity", "ive", "ion", "ist", "ism", "ous", "est", "al", "er", "or", "ic", "ly"),
)
_VOWELS = frozenset("aeiouy")
_MIN_DERIVED = 4  # minimal number of remaining letters: "formation" becomes "form", but "nation" not "n"


@functools.cache
def _bases() -> dict[str, str]:
    """Returns the base forms of irregular forms."""
    groups = map(str.split, word_list("irregular_forms.txt").splitlines())
    return {form: forms[0] for forms in groups for form in forms}


@functools.lru_cache(maxsize=2**14)
def stem(word: str) -> str:
    """Returns the stem of an English word; the forms of a word have the same stem.

    Irregular forms are replaced by their base form; other words lose the ending of a plural, past tense or participle,
    and one derivational ending if four letters remain. Words of up to three letters, and words with
    characters other than letters, are not changed.

    Args:
        word: A word in lower case.

    >>> [stem(word) for word in ("cities", "city", "formed", "formation", "running", "ran", "is", "was", "1990s")]
    ['citi', 'citi', 'form', 'form', 'run', 'run', 'be', 'be', '1990s']
    """
    bases = _bases()
    if word in bases:
        return _finished(bases[word])
    if len(word) <= 3 or not word.isalpha():
        return word
    inflected = _without_inflection(word)
    return _finished(bases[inflected] if inflected in bases else _without_derivation(inflected))


def _without_inflection(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes", "zes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    for ending in ("ing", "ed"):
        rest = word.removesuffix(ending)
        if rest != word and len(rest) > 1 and not _VOWELS.isdisjoint(rest):
            is_doubled = len(rest) > 3 and rest[-1] == rest[-2] and rest[-1] not in "lsz"
            return rest[:-1] if is_doubled else rest
    return word


def _without_derivation(word: str) -> str:
    for ending in _DERIVED:
        rest = word.removesuffix(ending)
        if rest != word and len(rest) >= _MIN_DERIVED:
            return rest
    return word


def _finished(word: str) -> str:
    if len(word) > 3 and word.endswith("e"):
        return word[:-1]
    return word[:-1] + "i" if word.endswith("y") and len(word) > 3 else word
