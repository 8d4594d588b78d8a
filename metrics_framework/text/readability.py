"""Readability: counts of words, sentences and syllables, and the Flesch-Kincaid grade level."""

from __future__ import annotations

import math
from typing import NamedTuple

from metrics_framework.data.texts import Text
from metrics_framework.text.sentences import SentenceSplitter, sentences_of
from metrics_framework.text.syllables import syllables
from metrics_framework.text.tokenizers.tokenizer import Tokenize


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
