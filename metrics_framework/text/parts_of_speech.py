"""Coarse parts of speech of English words, from word lists and endings."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from metrics_framework.text.lexicon import ADJECTIVE, ADVERB, NOUN, NUMBER, PUNCTUATION, VERB, WORDS_BY_PART_OF_SPEECH

TAG_CACHE_SIZE = 2**14

CONTENT = frozenset((NOUN, VERB, ADJECTIVE, ADVERB, NUMBER))
_PART_OF_SPEECH = {word: tag for tag, words in reversed(WORDS_BY_PART_OF_SPEECH.items()) for word in words.split()}
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
    if word in _PART_OF_SPEECH:
        return _PART_OF_SPEECH[word]
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
