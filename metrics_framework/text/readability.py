"""Readability: syllables, words and sentences, and the Flesch-Kincaid grade level.

The rules for syllables are those of Greg Fast's Lingua::EN::Syllable (Perl, 1999), in the form that was used for
published readability scores of simplification: a few patterns differ from the original, every final e is removed, and
some words are listed with their count. They are correct for about nine out of ten words, and intended for whole texts.
"""

from __future__ import annotations

import functools
import math
import re
from typing import NamedTuple

from metrics_framework.data.texts import Text
from metrics_framework.text.lexicon import word_list
from metrics_framework.text.sentences import SentenceSplitter, sentences_of
from metrics_framework.text.tokenizers.tokenizer import Tokenize

SYLLABLE_CACHE_SIZE = 2**16

_vowel_groups = re.compile("[aeiouy]+").findall

# Each pattern is applied to the word without its final e's, and counts once even if it matches several times.
_ONE_MORE = (
    "ia",
    "riet",
    "dien",
    "iu",
    "io",
    "ii",
    "[aeiouy]bl$",  # able
    "mbl$",  # tremble
    "[aeiou]{3}",  # previous
    "^mc",
    "ism$",
    r"(.)(?!\1)([aeiouy])\2l$",  # intended for middle and battle, but matches wheel and school
    "[^l]llien",
    "^coa[dglx].",  # coagulate
    r"(.)(?!\1)[gq]ua(.)(?!\2)[aeiou]",  # equality
    "dnt$",  # didnt
)
_ONE_LESS = ("cial", "tia", "cius", "cious", "gui", "ion", "iou", "sia$", ".ely$")
_RULES = [
    (re.compile(pattern).search, change)
    for patterns, change in ((_ONE_MORE, 1), (_ONE_LESS, -1))
    for pattern in patterns
]


@functools.cache
def listed_syllables() -> dict[str, int]:
    """Returns the words that the rules do not apply to, and their numbers of syllables."""
    lines = map(str.split, word_list("syllables.txt").splitlines())
    return {word: int(count) for count, *words in lines for word in words}


@functools.lru_cache(SYLLABLE_CACHE_SIZE)
def syllables(word: str) -> int:
    """Returns the number of syllables of a word, ignoring case; 0 without vowels.

    It is the number of groups of adjacent vowels (including y), plus or minus 1 for each matching pattern.

    >>> [syllables(word) for word in ("cat", "simplification", "Table", "3.5", "the", "he")]
    [1, 5, 2, 0, 1, 0]
    """
    word = word.lower()
    if word in (listed := listed_syllables()):
        return listed[word]
    stem = word.rstrip("e")
    return len(_vowel_groups(stem)) + sum(change for matches, change in _RULES if matches(stem))


class ReadabilityCounts(NamedTuple):
    """Counts that are summed over texts."""

    words: int
    sentences: int
    syllables: int


def readability_counts(text: Text, tokenize: Tokenize, split: SentenceSplitter, lowercase: bool) -> ReadabilityCounts:
    """Counts the words of a text, its sentences and the syllables of its words.

    As in published scores, the text is lower-cased and tokenized *before* it is split into sentences, and every token
    is a word. The items of a list of several sentences are not split further.

    Args:
        text: The text.
        tokenize: Separates tokens with spaces.
        split: Splits the text into sentences.
        lowercase: Whether to lower-case the text first.
    """
    parts = (text,) if isinstance(text, str) else text
    tokenized = [tokenize(part.lower() if lowercase else part) for part in parts]
    words = [word for part in tokenized for word in part.split()]
    return ReadabilityCounts(len(words), len(sentences_of(tokenized, split)), sum(map(syllables, words)))


def grade_level(words: float, sentences: float, syllables: float) -> float:
    """Returns the Flesch-Kincaid grade level, at least 0; NaN without words, which have no grade.

    >>> round(grade_level(words=30, sentences=2, syllables=40), 2)
    5.99
    """
    if not words or not sentences:
        return math.nan
    return max(0.0, 0.39 * (words / sentences) + 11.8 * (syllables / words) - 15.59)
