"""N-gram matches of BLEU and chrF: whole batches in, whole numbers out.

An n-gram that stands several times in a text matches as often as the other text has it. Here the n-grams of a text are
a set, in which the second occurrence of ``g`` is the element ``(g, 2)``, the third ``(g, 3)``: what two texts share is
then the intersection, and what several references have together, each n-gram as often as the one that has it most
often, is the union.

A unit of a text is a string of one character, or a tuple of one word: n-grams are what ``+`` makes of neighbours.
"""

from __future__ import annotations

import functools
import operator
from collections import Counter
from collections.abc import Sequence
from typing import Any, TypeAlias

MOST_TEXTS_KNOWN = 64  # jackknifed groups of outputs come one behind the other and share references
Tokens: TypeAlias = "tuple[str, ...]"
Numbered: TypeAlias = "set[Any]"


def bleu_statistics(
    summaries_list: Sequence[Sequence[Tokens]], references_list: Sequence[Sequence[Tokens]], max_order: int
) -> list[list[list[int]]]:
    """Counts the n-grams of summaries that stand in any reference, no more often than in the one that has most.

    Args:
        summaries_list: Groups of summaries, each a tuple of words.
        references_list: The references of each group.
        max_order: The longest n-grams, from 1.

    Returns:
        For each summary of each group ``2 + 2 * max_order`` numbers: its length; that of the reference nearest in
        length, the shorter of two; for each order the n-grams that match; for each order all n-grams.

    >>> bleu_statistics([[("a", "a", "b")]], [[("a", "b"), ("a", "c", "a", "d")]], 2)
    [[[3, 2, 3, 1, 3, 2]]]
    """
    numbered = functools.lru_cache(MOST_TEXTS_KNOWN)(functools.partial(_numbered_words, max_order=max_order))
    results = []
    for summaries, references in zip(summaries_list, references_list, strict=True):
        lengths = [len(reference) for reference in references]
        by_order = list(zip(*map(numbered, references), strict=True))
        group = []
        for summary in summaries:
            pairs = zip(numbered(summary), by_order, strict=True)
            matches = [len(ngrams) - len(functools.reduce(operator.sub, others, ngrams)) for ngrams, others in pairs]
            length = len(summary)
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
    numbered = functools.lru_cache(MOST_TEXTS_KNOWN)(functools.partial(_numbered_units, max_order=max_order))
    return [
        [[_compared(numbered(summary), numbered(reference)) for reference in references] for summary in summaries]
        for summaries, references in zip(summaries_list, references_list, strict=True)
    ]


def _compared(ngrams_of_summary: list[Numbered], ngrams_of_reference: list[Numbered]) -> list[int]:
    """Returns three numbers for each order."""
    numbers = []
    for ngrams, others in zip(ngrams_of_summary, ngrams_of_reference, strict=True):
        numbers += [len(ngrams) if others else 0, len(others), len(ngrams & others)]
    return numbers


def _numbered_words(words: Tokens, max_order: int) -> list[Numbered]:
    return _numbered([(word,) for word in words], max_order)


def _numbered_units(text: str | Tokens, max_order: int) -> list[Numbered]:
    return _numbered(text, max_order) if isinstance(text, str) else _numbered_words(text, max_order)


def _numbered(units: Sequence[Any], max_order: int) -> list[Numbered]:
    """Returns for each order the set of n-grams in which each further occurrence is an element of its own."""
    found = []
    ngrams = list(units)
    for order in range(1, max_order + 1):
        if order > 1:
            ngrams = list(map(operator.add, ngrams, units[order - 1 :]))  # the shorter list ends it
        elements = set(ngrams)
        if len(elements) < len(ngrams):
            repeated = [(ngram, count) for ngram, count in Counter(ngrams).items() if count > 1]
            elements.update([(ngram, number) for ngram, count in repeated for number in range(2, count + 1)])
        found.append(elements)
    return found


def _closest(length: int, lengths: Sequence[int]) -> int:
    return min(lengths, key=lambda other: (abs(length - other), other))


def _totals(length: int, max_order: int) -> list[int]:
    return [max(0, length - order + 1) for order in range(1, max_order + 1)]
