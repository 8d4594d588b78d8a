"""Porter's stemmer as the program ROUGE-1.5.5 has it, and as Porter's own programs have it."""

from __future__ import annotations

import functools
from collections.abc import Iterable

STEM_CACHE_SIZE = 2**14

STEP_2 = {
    "ational": "ate",
    "tional": "tion",
    "enci": "ence",
    "anci": "ance",
    "izer": "ize",
    "bli": "ble",
    "alli": "al",
    "entli": "ent",
    "eli": "e",
    "ousli": "ous",
    "ization": "ize",
    "ation": "ate",
    "ator": "ate",
    "alism": "al",
    "iveness": "ive",
    "fulness": "ful",
    "ousness": "ous",
    "aliti": "al",
    "iviti": "ive",
    "biliti": "ble",
    "logi": "log",
}
STEP_3 = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}
_STEP_4 = (
    "al",
    "ance",
    "ence",
    "er",
    "ic",
    "able",
    "ible",
    "ant",
    "ement",
    "ou",
    "ism",
    "ate",
    "iti",
    "ous",
    "ive",
    "ize",
)
PUBLISHED_STEP_4 = (*_STEP_4, "ment", "ent", "ion")


@functools.lru_cache(maxsize=STEM_CACHE_SIZE)
def porter_stem(word: str) -> str:
    """Returns the stem of an English word.

    Porter's algorithm with the two changes of his own later versions (``bli`` for ``abli``, and ``logi``), and with a
    fourth step that tries its endings one after the other: ``ement`` and the endings without -ent, then ``ment``, then
    ``ent`` or ``ion``, each on what the last one left. Porter's step removes at most one ending.

    Source: Porter, "An algorithm for suffix stripping", Program 14 (1980), as changed by C.-Y. Lin in ROUGE-1.5.5.

    Args:
        word: A word of letters a to z and digits; others count as consonants.

    >>> [porter_stem(word) for word in ("relational", "hopping", "ponies", "possibly", "technology")]
    ['relat', 'hop', 'poni', 'possibl', 'technolog']
    >>> [porter_stem(word) for word in ("elements", "occasional", "unrepentant")]  # Porter: element, …
    ['elem', 'occas', 'unrep']
    """
    if len(word) < 3:
        return word
    word = _step_1(word)
    word = _replaced(word, STEP_2)
    word = _replaced(word, STEP_3)
    word = _step_4(word)
    return _step_5(word)


@functools.lru_cache(maxsize=STEM_CACHE_SIZE)
def published_porter_stem(word: str) -> str:
    """Returns the stem of an English word as Porter's own programs do.

    Source: Porter, "An algorithm for suffix stripping", Program 14 (1980), with the two changes of his later versions.

    Args:
        word: A word of letters a to z and digits; others count as consonants.

    >>> [published_porter_stem(word) for word in ("elements", "occasional", "unrepentant", "technology")]
    ['element', 'occasion', 'unrepent', 'technolog']
    """
    if len(word) < 3:
        return word
    word = _replaced(_replaced(_step_1(word), STEP_2), STEP_3)
    ending = _longest(word, PUBLISHED_STEP_4)
    if ending != "ion" or word.endswith(("sion", "tion")):
        word = _shortened(word, ending)
    return _step_5(word)


def measure(stem: str) -> int:
    """Counts the sequences of vowels that are followed by a consonant; a y after a consonant is a vowel."""
    count, was_vowel = 0, False
    for position, letter in enumerate(stem):
        is_vowel = letter in "aeiou" or (letter == "y" and position > 0 and not was_vowel)
        count += was_vowel and not is_vowel
        was_vowel = is_vowel
    return count


def _has_vowel(stem: str) -> bool:
    return any(letter in "aeiou" or (letter == "y" and position > 0) for position, letter in enumerate(stem))


def _is_short(stem: str) -> bool:
    """Returns whether a stem is consonants, a vowel and a consonant other than w, x and y."""
    return len(stem) > 2 and stem[-1] not in "aeiouwxy" and stem[-2] in "aeiouy" and not _has_vowel(stem[:-2])


def _longest(word: str, endings: Iterable[str]) -> str:
    return max((ending for ending in endings if word.endswith(ending)), key=len, default="")


def _step_1(word: str) -> str:
    if word.endswith(("sses", "ies")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    word = _without_past(word)
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    return word


def _without_past(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if measure(word[:-3]) > 0 else word
    ending = _longest(word, ("ed", "ing"))
    stem = word.removesuffix(ending)
    if not ending or not _has_vowel(stem):
        return word
    if stem.endswith(("at", "bl", "iz")) or _is_short(stem):
        return stem + "e"
    doubled = len(stem) > 1 and stem[-1] == stem[-2] and stem[-1] not in "aeiouylsz"
    return stem[:-1] if doubled else stem


def _replaced(word: str, endings: dict[str, str]) -> str:
    ending = _longest(word, endings)
    stem = word.removesuffix(ending)
    return stem + endings[ending] if ending and measure(stem) > 0 else word


def _shortened(word: str, ending: str) -> str:
    """Removes an ending if two sequences of vowels and consonants remain."""
    stem = word.removesuffix(ending)
    return stem if measure(stem) > 1 else word


def _step_4(word: str) -> str:
    for endings in (_STEP_4, ("ment",)):
        word = _shortened(word, _longest(word, endings))
    if word.endswith("ent"):
        return _shortened(word, "ent")
    return _shortened(word, "ion") if word.endswith(("sion", "tion")) else word


def _step_5(word: str) -> str:
    if word.endswith("e"):
        remaining = measure(word[:-1])
        if remaining > 1 or (remaining == 1 and not _is_short(word[:-1])):
            word = word[:-1]
    return word[:-1] if word.endswith("ll") and measure(word) > 1 else word
