"""What was done to each word when a text was rewritten, told from the words of both texts that are aligned.

=============  ====================================================================================================
label          of a word of the source
=============  ====================================================================================================
(empty)        it is punctuation
``keep``       it is aligned to one word, which is equal but for case
``move``       it is kept, but stands elsewhere than what was deleted and added before it explains
``replace``    it is aligned to another word, or to several; or it is not the first of several that are aligned to
               one word; or it is deleted where, at the same index, a word of its part of speech is added
``delete``     it is aligned to nothing
=============  ====================================================================================================

A word of the target is added (``add``) if it is aligned to nothing, punctuation too; else it has the label of the first
word of the source that it is aligned to, with ``replace`` for a word that is aligned to punctuation, and none if it is
punctuation itself.

A kept word of index i that is aligned to index j has moved if i - d + a is not j: d counts what stands before i in the
source and is deleted, punctuation too, or continues a replacement; a counts what is added before j. A deletion and an
addition that are one replacement count as neither.

Source: Alva-Manchego, Bingel, Paetzold, Scarton and Specia (IJCNLP 2017), in the form that EASSE reports
(Alva-Manchego, Martin, Scarton and Specia, EMNLP 2019).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from typing import Literal, NamedTuple, TypeAlias

from metrics_framework.text.parts_of_speech import is_punctuation, part_of_speech

Label: TypeAlias = Literal["", "keep", "move", "replace", "delete", "add"]
Links: TypeAlias = list[list[int]]


class WordLabels(NamedTuple):
    """The label of each word of both texts."""

    source: list[Label]
    target: list[Label]


def label_words(
    source: Sequence[str],
    target: Sequence[str],
    pairs: Iterable[tuple[int, int]],
    tag: Callable[[str], str] | None = part_of_speech,
) -> WordLabels:
    """Says what was done to each word of a source to make it the target.

    Args:
        source: The words of the source.
        target: The words of what it became.
        pairs: The places of aligned words in source and target, in any order.
        tag: Tells the part of speech of a word; with `None`, additions and deletions never become replacements.

    >>> source, target = "The big cat sat .".split(), "The cat slept there .".split()
    >>> labels = label_words(source, target, [(0, 0), (2, 1), (3, 2), (4, 4)])
    >>> labels.source
    ['keep', 'delete', 'keep', 'replace', '']
    >>> labels.target
    ['keep', 'keep', 'replace', 'add', '']
    """
    to_target, to_source = _links(len(source), len(target), pairs)
    labels = [_label(word, [target[place] for place in links]) for word, links in zip(source, to_target, strict=True)]
    continued = {place for links in to_source for place in links[1:]}
    joined = set() if tag is None else _joined(source, target, labels, to_source, tag)
    for place in continued | joined:
        if labels[place]:
            labels[place] = "replace"
    gone = [(not links and place not in joined) or place in continued for place, links in enumerate(to_target)]
    added = [not links and place not in joined for place, links in enumerate(to_source)]
    _mark_moves(labels, to_target, gone, added)
    of_target = [_label_of_target(word, links, labels) for word, links in zip(target, to_source, strict=True)]
    for place in joined:
        of_target[place] = "replace"
    return WordLabels(labels, of_target)


def _links(of_source: int, of_target: int, pairs: Iterable[tuple[int, int]]) -> tuple[Links, Links]:
    """Returns for each place of one text the places of the other that it is aligned to, in order."""
    to_target: Links = [[] for _ in range(of_source)]
    to_source: Links = [[] for _ in range(of_target)]
    for one, other in sorted(set(pairs)):
        to_target[one].append(other)
        to_source[other].append(one)
    return to_target, to_source


def _label(word: str, aligned: Sequence[str]) -> Label:
    if is_punctuation(word):
        return ""
    if not aligned:
        return "delete"
    return "keep" if len(aligned) == 1 and aligned[0].lower() == word.lower() else "replace"


def _joined(
    source: Sequence[str],
    target: Sequence[str],
    labels: Sequence[Label],
    to_source: Links,
    tag: Callable[[str], str],
) -> set[int]:
    """Returns the indices at which a word is deleted and one of its part of speech is added."""
    return {
        place
        for place, (label, links) in enumerate(zip(labels, to_source, strict=False))
        if label == "delete" and not links and tag(source[place]) == tag(target[place])
    }


def _mark_moves(labels: list[Label], to_target: Links, gone: Sequence[bool], added: Sequence[bool]) -> None:
    added_before = [0, *accumulate(added)]
    gone_before = [0, *accumulate(gone)]
    for place, links in enumerate(to_target):
        if labels[place] == "keep" and place - gone_before[place] + added_before[links[0]] != links[0]:
            labels[place] = "move"


def _label_of_target(word: str, links: Sequence[int], labels: Sequence[Label]) -> Label:
    if not links:
        return "add"
    return "" if is_punctuation(word) else labels[links[0]] or "replace"
