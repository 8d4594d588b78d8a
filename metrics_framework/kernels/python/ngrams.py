"""N-gram matches of BLEU and chrF: batches of texts in, integers out.

Counts are clipped: an n-gram matches at most as often as it occurs in the other text; with several references, in the
reference that has it most often.

A unit of a text is a string of one character or a tuple of one word; n-grams are concatenations of adjacent units.
"""

from __future__ import annotations

import functools
import operator
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

MAX_TEXTS_KNOWN = 64  # consecutive jackknifed groups share references
Tokens: TypeAlias = "tuple[str, ...]"
Counts: TypeAlias = "Mapping[Any, int]"


def bleu_statistics(
    summaries_list: Sequence[Sequence[Tokens]], references_list: Sequence[Sequence[Tokens]], max_order: int
) -> list[list[list[int]]]:
    """Counts the n-grams of summaries that occur in references, clipped to the maximum over the references.

    Args:
        summaries_list: Groups of summaries, each a tuple of words.
        references_list: The references of each group.
        max_order: The longest n-grams, from 1.

    Returns:
        For each summary of each group ``2 + 2 * max_order`` numbers: its length; the length of the reference closest in
        length, the shorter of two; for each order the n-grams that match; for each order all n-grams.

    >>> bleu_statistics([[("a", "a", "b")]], [[("a", "b"), ("a", "c", "a", "d")]], 2)
    [[[3, 2, 3, 1, 3, 2]]]
    """
    counted = functools.lru_cache(MAX_TEXTS_KNOWN)(functools.partial(_counted, max_order=max_order))
    results = []
    for summaries, references in zip(summaries_list, references_list, strict=True):
        lengths = [len(reference) for reference in references]
        most = [_most(counts) for counts in zip(*map(counted, references), strict=True)]
        group = []
        for summary in summaries:
            length = len(summary)
            matches = [_shared(*both) for both in zip(counted(summary), most, strict=True)]
            group.append([length, _closest(length, lengths), *matches, *_totals(length, max_order)])
        results.append(group)
    return results


def matches_with_each_reference(
    summaries_list: Sequence[Sequence[Any]], references_list: Sequence[Sequence[Any]], max_order: int
) -> list[list[list[list[int]]]]:
    """Counts the n-grams that a summary shares with each reference.

    Args:
        summaries_list: Groups of summaries, all of them strings of characters or all of them tuples of words.
        references_list: The references of each group, of the same kind.
        max_order: The longest n-grams; 0 for none.

    Returns:
        For each summary of each group and each reference ``3 * max_order`` numbers: for each order the n-grams of the
        summary (0 if the reference has none of that order), those of the reference, and those they share.

    >>> matches_with_each_reference([["aab"]], [["ab", "caad"]], 2)
    [[[[3, 2, 2, 2, 1, 1], [3, 4, 2, 2, 3, 1]]]]
    >>> matches_with_each_reference([[("aa", "b")]], [[("aa",)]], 2)
    [[[[2, 1, 1, 0, 0, 0]]]]
    """
    counted = functools.lru_cache(MAX_TEXTS_KNOWN)(functools.partial(_counted, max_order=max_order))
    results = []
    for summaries, references in zip(summaries_list, references_list, strict=True):
        others = [(counted(reference), _totals(len(reference), max_order)) for reference in references]
        group = []
        for summary in summaries:
            counts, totals = counted(summary), _totals(len(summary), max_order)
            group.append([_compared(counts, totals, *other) for other in others])
        results.append(group)
    return results


def _compared(
    counts: list[Counts], totals: list[int], counts_of_reference: list[Counts], totals_of_reference: list[int]
) -> list[int]:
    """Returns three numbers for each order."""
    numbers = []
    orders = zip(counts, totals, counts_of_reference, totals_of_reference, strict=True)
    for own, total, others, total_of_reference in orders:
        numbers += [total if others else 0, total_of_reference, _shared(own, others)]
    return numbers


def _counted(text: str | Tokens, max_order: int) -> list[Counts]:
    """Counts the n-grams of each order."""
    units: Sequence[Any] = text if isinstance(text, str) else [(word,) for word in text]
    found: list[Counts] = []
    ngrams = list(units)
    for order in range(1, max_order + 1):
        if order > 1:
            ngrams = list(map(operator.add, ngrams, units[order - 1 :]))  # map() stops at the shorter list
        found.append(Counter(ngrams))
    return found


def _most(several: Sequence[Counts]) -> Counts:
    """Returns the maximum count of each n-gram over several texts."""
    most = dict(several[0])
    get = most.get
    for counts in several[1:]:
        for ngram, count in counts.items():
            if count > get(ngram, 0):
                most[ngram] = count
    return most


def _shared(counts: Counts, others: Counts) -> int:
    """Returns the number of n-grams that two texts share."""
    shared = 0
    get = others.get
    for ngram, count in counts.items():
        other = get(ngram)
        if other:
            shared += count if count < other else other
    return shared


def _closest(length: int, lengths: Sequence[int]) -> int:
    return min(lengths, key=lambda other: (abs(length - other), other))


def _totals(length: int, max_order: int) -> list[int]:
    return [max(0, length - order + 1) for order in range(1, max_order + 1)]
