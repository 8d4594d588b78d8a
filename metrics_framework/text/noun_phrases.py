"""Noun phrases of English, by a rule over coarse parts of speech.

A noun phrase is a longest sequence of determiners, possessives, adjectives, numbers and nouns of a sentence, without
punctuation between them, from which the words after the last noun or number are removed; it must have a noun or a
number. A determiner or a possessive begins a new phrase. A word with a capital letter that is not the first of its
sentence is a noun, whatever its ending, unless it is a function word.

The parts of speech come from word lists and endings, not from a parser, so phrases are sometimes too long or too short.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from metrics_framework.text.lexicon import ADJECTIVE, ADVERB, DETERMINER, NOUN, NUMBER, VERB
from metrics_framework.text.parts_of_speech import part_of_speech

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
