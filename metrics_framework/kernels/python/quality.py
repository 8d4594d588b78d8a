"""The statistics of the quality features: batches of normalised texts in, integers out.

The indel distance of two texts is the least number of characters (code points) to insert and delete that turns one into
the other: the sum of their lengths minus twice the length of their longest common subsequence. Words are separated by
whitespace; shared words are counted as in the intersection of two multisets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from metrics_framework.kernels.python.edits import without_common_ends
from metrics_framework.kernels.python.google_rouge import common_subsequence


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
    rest, other = without_common_ends(first, second)
    return len(rest) + len(other) - 2 * common_subsequence(rest, other)
