"""Word lists of English, in lower case.

`function_words` are excluded from lexical complexity: determiners, pronouns, prepositions, conjunctions, auxiliary
verbs, particles, the most general adverbs, parts of contractions, and the bracket names of the Penn Treebank.
`listed_parts_of_speech` has words whose part of speech does not follow from their ending.

Scores depend on both lists: a change to the first needs a new `FUNCTION_WORDS_NAME`.
"""

from __future__ import annotations

import functools
from importlib.resources import files

FUNCTION_WORDS_NAME = "fw-en-1"  # part of signatures
NOUN, VERB, ADJECTIVE, ADVERB, NUMBER, PUNCTUATION = "noun", "verb", "adjective", "adverb", "number", "punctuation"
DETERMINER = "determiner"


@functools.cache
def word_list(name: str) -> str:
    """Returns the content of a file of words of this package."""
    return files("metrics_framework.text").joinpath("data").joinpath(name).read_text("ascii")


@functools.cache
def function_words() -> frozenset[str]:
    """Returns the function words of all classes."""
    lines = word_list("function_words.txt").splitlines()
    return frozenset(word for line in lines for word in line.partition(":")[2].split())


@functools.cache
def listed_parts_of_speech() -> dict[str, str]:
    """Returns the part of speech of each listed word: of several, the first in the file."""
    classes = [line.partition(":") for line in word_list("words_by_part_of_speech.txt").splitlines()]
    return {word: tag for tag, _, words in reversed(classes) for word in words.split()}


@functools.cache
def nltk_stop_words() -> frozenset[str]:
    """Returns the English stop words of NLTK, which SUPERT leaves out."""
    return frozenset(word_list("nltk_stop_words.txt").split())
