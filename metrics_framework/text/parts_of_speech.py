"""Coarse parts of speech of English words, from word lists and endings."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence

from metrics_framework.text.lexicon import (
    ADJECTIVE,
    ADVERB,
    DETERMINER,
    NOUN,
    NUMBER,
    PUNCTUATION,
    VERB,
    listed_parts_of_speech,
)

TAG_CACHE_SIZE = 2**14

CONTENT = frozenset((NOUN, VERB, ADJECTIVE, ADVERB, NUMBER))
_BRACKETS = frozenset(("-lrb-", "-rrb-", "-lsb-", "-rsb-", "-lcb-", "-rcb-"))
_ENDINGS = (
    (ADVERB, ("ly", "wards")),
    (NOUN, ("tion", "sion", "ment", "ness", "ity", "ship", "ism", "ance", "ence", "hood", "dom", "logy")),
    (VERB, ("ed", "ing", "ize", "ise", "ify", "izes", "ises", "ifies")),
    (ADJECTIVE, ("ous", "ful", "less", "able", "ible", "ive", "ical", "ish", "ary", "ic", "al", "est")),
)


def is_punctuation(word: str) -> bool:
    """Returns whether a word has neither letters nor digits, or is a bracket name of the Penn Treebank.

    >>> [is_punctuation(word) for word in (",", "...", "-LRB-", "''", "'s", "%")]
    [True, True, True, True, False, True]
    """
    return not any(map(str.isalnum, word)) or word.lower() in _BRACKETS


@functools.lru_cache(maxsize=TAG_CACHE_SIZE)
def part_of_speech(word: str) -> str:
    """Returns the most frequent part of speech of a word, ignoring case.

    Function words and common verbs are in lists; numbers are recognized by their digits, other words by their endings;
    the rest are nouns.

    >>> [part_of_speech(word) for word in ("The", "armed", "group", "quickly", "of", "1990s", ".")]
    ['determiner', 'verb', 'noun', 'adverb', 'preposition', 'number', 'punctuation']
    """
    word = word.lower()
    if (listed := listed_parts_of_speech().get(word)) is not None:
        return listed
    if is_punctuation(word):
        return PUNCTUATION
    if any(map(str.isdigit, word)):
        return NUMBER
    for tag, endings in _ENDINGS:
        if len(word) > 4 and word.endswith(endings):
            return tag
    return NOUN


def parts_of_speech(words: Sequence[str]) -> list[str]:
    """Returns the part of speech of each word."""
    return [part_of_speech(word) for word in words]


POSSESSIVE = "possessive"
_POSSESSIVES = frozenset(("my", "your", "his", "her", "its", "our", "their"))
_find_words = re.compile(r"\w+(?:[.,'’&-]\w+)*").finditer
_Word = tuple[int, int, str]  # start, end, part of speech


def noun_phrases(sentence: str) -> list[tuple[int, int]]:
    """Returns the start and the end of each noun phrase of a sentence, in order.

    >>> sentence = "The old bakery near Cape Town sold 12 warm scones to his friends."
    >>> [sentence[start:end] for start, end in noun_phrases(sentence)]
    ['The old bakery', 'Cape Town', '12 warm scones', 'his friends']
    """
    phrases = [_without_tail(run) for run in _runs(sentence)]
    return [(phrase[0][0], phrase[-1][1]) for phrase in phrases if phrase]


def _runs(sentence: str) -> Iterator[list[_Word]]:
    run: list[_Word] = []
    for match in _find_words(sentence):
        tag = _tag(match.group(), not sentence[: match.start()].strip())
        is_next = bool(run) and sentence[run[-1][1] : match.start()].isspace()
        if run and (not is_next or tag in ("", DETERMINER, POSSESSIVE)):
            yield run
            run = []
        if tag:
            run.append((match.start(), match.end(), tag))
    if run:
        yield run


def _tag(word: str, is_first: bool) -> str:
    """Returns the part of speech of a word that can be in a noun phrase, else an empty string."""
    if word.lower() in _POSSESSIVES:
        return POSSESSIVE
    tag = part_of_speech(word)
    if word[0].isupper() and not is_first and tag in (VERB, ADVERB, ADJECTIVE):
        return NOUN
    return tag if tag in (DETERMINER, ADJECTIVE, NUMBER, NOUN) else ""


def _without_tail(run: Sequence[_Word]) -> Sequence[_Word]:
    last = max((index for index, (_, _, tag) in enumerate(run) if tag in (NOUN, NUMBER)), default=-1)
    return run[: last + 1]
