"""The plain edit distance, with unit costs, of batches of pairs.

The distance of a summary and a reference is the least number of insertions, deletions and substitutions of symbols that
turn one into the other. The symbols of a string are its characters (code points), those of a sequence of strings its
words. Words are compared as plain strings: nothing that a class derived from `str` says of equality counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from metrics_framework.common.errors import InputError
from metrics_framework.kernels.python.edit_distance import Reference, Rows

if TYPE_CHECKING:
    from metrics_framework.data.texts import Text


def edit_distances(summaries: Sequence[Text], references: Sequence[Text]) -> list[int]:
    """Returns the distance of each summary and its reference.

    Args:
        summaries: Strings, or sequences of words.
        references: As many, each of the same kind as its summary.

    Raises:
        InputError: if there are not as many of both, or a pair is a string and a list of words.
        TypeError: if a word is not a string.

    >>> edit_distances(["kitten", ["the", "cat"]], ["sitting", ["a", "cat", "sat"]])
    [3, 2]
    """
    summaries, references = tuple(summaries), tuple(references)
    if len(summaries) != len(references):
        raise InputError(f"there must be as many summaries as references, got {len(summaries)} and {len(references)}")
    pairs = enumerate(zip(summaries, references, strict=True))
    return [edit_distance(*symbols_of_pair(summary, reference, index)) for index, (summary, reference) in pairs]


def symbols_of_pair(summary: Text, reference: Text, index: int) -> tuple[Sequence[str], Sequence[str]]:
    """Returns what the two sides of a pair are made of."""
    if isinstance(summary, str) and isinstance(reference, str):
        return str.__str__(summary), str.__str__(reference)
    if isinstance(summary, str) or isinstance(reference, str):
        string, other = ("summaries", "references") if isinstance(summary, str) else ("references", "summaries")
        raise InputError(
            f"{string}[{index}] is a string and {other}[{index}] is not: "
            "give both as strings, or both as lists of words"
        )
    return plain_words(summary), plain_words(reference)


def plain_words(words: Sequence[str]) -> tuple[str, ...]:
    """Returns words as plain strings.

    Raises:
        TypeError: if one is not a string.
    """
    items = tuple(words)
    for word in items:
        if not isinstance(word, str):
            raise TypeError(f"a word must be a string, not {type(word).__name__}")
    return tuple(map(str.__str__, items))


def edit_distance(summary: Sequence[str], reference: Sequence[str]) -> int:
    """Returns the distance of two sequences of symbols.

    >>> edit_distance("abcd", "bcde")
    2
    """
    start = common_length(summary, reference)
    end = common_length(summary[start:][::-1], reference[start:][::-1])
    summary = summary[start : len(summary) - end]
    reference = reference[start : len(reference) - end]
    return Rows(len(reference)).distance_with(Reference(reference).matches(summary), 0)


def common_length(first: Sequence[str], second: Sequence[str]) -> int:
    """Counts the symbols that two sequences have in common at their beginnings.

    >>> common_length("abcx", "abcdef")
    3
    """
    if first == second:
        return len(first)
    pairs = zip(first, second, strict=False)
    return next((place for place, (one, other) in enumerate(pairs) if one != other), min(len(first), len(second)))
