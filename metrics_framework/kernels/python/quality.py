"""The statistics of the quality features: batches of normalised texts in, integers out.

The indel distance of two texts is the least number of characters (code points) to insert and delete that turns one into
the other: the sum of their lengths minus twice the length of their longest common subsequence. Words are separated by
whitespace; shared words are counted as in the intersection of two multisets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence


def quality_statistics(summaries_list: Sequence[Sequence[str]], sources: Sequence[str]) -> list[list[list[int]]]:
    """Compares summaries with their sources.

    Args:
        summaries_list: Groups of summaries.
        sources: The source of each group.

    Returns:
        For each summary of each group seven numbers: the characters of the summary and of the source, their indel
        distance, 1 if both are equal and otherwise 0, the words of the summary and of the source, and those they share.

    >>> quality_statistics([["the the cat"]], ["the cat sat"])
    [[[11, 11, 6, 0, 3, 3, 2]]]
    """
    results = []
    for summaries, source in zip(summaries_list, sources, strict=True):
        source_words = Counter(source.split())
        group = []
        for summary in summaries:
            words = Counter(summary.split())
            group.append(
                [
                    len(summary),
                    len(source),
                    indel_distance(summary, source),
                    int(summary == source),
                    words.total(),
                    source_words.total(),
                    (words & source_words).total(),
                ]
            )
        results.append(group)
    return results


def indel_distance(first: str, second: str) -> int:
    """Counts the characters to insert and delete.

    >>> indel_distance("kitten", "sitting")
    5
    """
    return len(first) + len(second) - 2 * common_subsequence(first, second)


def common_subsequence(first: str, second: str) -> int:
    """Returns the length of the longest common subsequence of two texts.

    A bit-parallel algorithm: bit k of ``level`` is 0 if the best subsequence of the first k + 1 characters of one text
    is longer than that of the first k, so the number of zeros is the length (Crochemore, Iliopoulos, Pinzon and Reid
    2001, in the form of Hyyrö 2004).

    >>> common_subsequence("kitten", "sitting")
    4
    """
    start = common_length(first, second)
    first, second = first[start:], second[start:]
    end = common_length(first[::-1], second[::-1])
    first, second = first[: len(first) - end], second[: len(second) - end]
    positions: dict[str, int] = {}
    for index, character in enumerate(first):
        positions[character] = positions.get(character, 0) | 1 << index
    everywhere = (1 << len(first)) - 1
    level = everywhere
    for character in second:
        matched = level & positions.get(character, 0)
        level = ((level + matched) | (level - matched)) & everywhere
    return start + end + len(first) - level.bit_count()


def common_length(first: Sequence[str], second: Sequence[str]) -> int:
    """Counts the characters that two texts share at their beginnings.

    >>> common_length("abcx", "abcdef")
    3
    """
    if first == second:
        return len(first)
    pairs = zip(first, second, strict=False)
    return next((index for index, (one, other) in enumerate(pairs) if one != other), min(len(first), len(second)))
