"""Labels for the words of a text and of its simplification, from a word alignment of the two.

=============  ====================================================================================================
label          the word of the source
=============  ====================================================================================================
(empty)        is punctuation
``keep``       is aligned to one word, which is equal ignoring case
``move``       is kept, but not at the index that follows from the deletions and additions before it
``replace``    is aligned to a different word, or to several words; or is not the first of several words aligned to
               one word; or is deleted where a word with the same part of speech is added at the same index
``delete``     is not aligned
=============  ====================================================================================================

A word of the target that is not aligned is labelled ``add``, even if it is punctuation. Other punctuation has the empty
label. Any other word has the label of the first source word that it is aligned to, or ``replace`` if that one is
punctuation.

A kept word at index i that is aligned to index j is moved if i - d + a is not j. Here d is the number of words before i
in the source that are deleted (including punctuation) or continue a replacement, and a is the number of words added
before j. A deletion and an addition that form a replacement do not count.

Source: Alva-Manchego, Bingel, Paetzold, Scarton and Specia (IJCNLP 2017), in the form of EASSE (Alva-Manchego, Martin,
Scarton and Specia, EMNLP 2019).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from typing import Literal, NamedTuple, TypeAlias

from metrics_framework.text.parts_of_speech import is_punctuation, part_of_speech

Label: TypeAlias = Literal["", "keep", "move", "replace", "delete", "add"]
Links: TypeAlias = list[list[int]]


class WordLabels(NamedTuple):
    """The labels of the words of both texts."""

    source: list[Label]
    target: list[Label]


def label_words(
    source: Sequence[str],
    target: Sequence[str],
    pairs: Iterable[tuple[int, int]],
    tag: Callable[[str], str] | None = part_of_speech,
) -> WordLabels:
    """Labels the words of a source and a target.

    Args:
        source: The words of the source.
        target: The words of its simplification.
        pairs: The indices of aligned words in source and target, in any order.
        tag: Returns the part of speech of a word; with `None`, a deletion and an addition never form a replacement.

    >>> source, target = "The big cat sat .".split(), "The cat slept there .".split()
    >>> labels = label_words(source, target, [(0, 0), (2, 1), (3, 2), (4, 4)])
    >>> labels.source
    ['keep', 'delete', 'keep', 'replace', '']
    >>> labels.target
    ['keep', 'keep', 'replace', 'add', '']
    """
    to_target, to_source = _links(len(source), len(target), pairs)
    labels = [_label(word, [target[index] for index in links]) for word, links in zip(source, to_target, strict=True)]
    continued = {index for links in to_source for index in links[1:]}
    joined = set() if tag is None else _joined(source, target, labels, to_source, tag)
    for index in continued | joined:
        if labels[index]:
            labels[index] = "replace"
    gone = [(not links and index not in joined) or index in continued for index, links in enumerate(to_target)]
    added = [not links and index not in joined for index, links in enumerate(to_source)]
    _mark_moves(labels, to_target, gone, added)
    of_target = [_label_of_target(word, links, labels) for word, links in zip(target, to_source, strict=True)]
    for index in joined:
        of_target[index] = "replace"
    return WordLabels(labels, of_target)


def _links(of_source: int, of_target: int, pairs: Iterable[tuple[int, int]]) -> tuple[Links, Links]:
    """Returns for each index of one text the aligned indices of the other text, sorted."""
    to_target: Links = [[] for _ in range(of_source)]
    to_source: Links = [[] for _ in range(of_target)]
    for source, target in sorted(set(pairs)):
        to_target[source].append(target)
        to_source[target].append(source)
    return to_target, to_source


def _label(word: str, aligned: Sequence[str]) -> Label:
    if is_punctuation(word):
        return ""
    if not aligned:
        return "delete"
    return "keep" if len(aligned) == 1 and aligned[0].lower() == word.lower() else "replace"


def _joined(
    source: Sequence[str], target: Sequence[str], labels: Sequence[Label], to_source: Links, tag: Callable[[str], str]
) -> set[int]:
    """Returns the indices where a word is deleted and a word of the same part of speech is added."""
    return {
        index
        for index, (label, links) in enumerate(zip(labels, to_source, strict=False))
        if label == "delete" and not links and tag(source[index]) == tag(target[index])
    }


def _mark_moves(labels: list[Label], to_target: Links, gone: Sequence[bool], added: Sequence[bool]) -> None:
    added_before = [0, *accumulate(added)]
    gone_before = [0, *accumulate(gone)]
    for index, links in enumerate(to_target):
        if labels[index] == "keep" and index - gone_before[index] + added_before[links[0]] != links[0]:
            labels[index] = "move"


def _label_of_target(word: str, links: Sequence[int], labels: Sequence[Label]) -> Label:
    if not links:
        return "add"
    return "" if is_punctuation(word) else labels[links[0]] or "replace"
