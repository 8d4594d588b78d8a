"""Porter's stemmer: as ROUGE-1.5.5 has it, as Porter's own programs have it, and with the extensions of NLTK.

The algorithm removes suffixes in five steps. It treats a word as an alternation of runs of consonants and vowels; a
``y`` after a consonant is a vowel, and everything else that is not one of ``aeiou`` is a consonant. The *measure* of a
stem is the number of vowel runs that a consonant follows: 0 for ``tree``, 1 for ``trouble``, 2 for ``private``.

Sources: Porter, "An algorithm for suffix stripping" (Program 14(3), 1980) for the algorithm; the documentation of
NLTK 3 for the extensions (``PorterStemmer`` in its default mode).
"""

from __future__ import annotations

import functools
from collections.abc import Iterable

STEM_CACHE_SIZE = 2**14

_STEP_2 = {
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
_STEP_3 = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}
_STEP_4 = (
    *("al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement"),
    *("ou", "ism", "ate", "iti", "ous", "ive", "ize"),
)
_PUBLISHED_STEP_4 = (*_STEP_4, "ment", "ent", "ion")


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
    word = _replaced(word, _STEP_2)
    word = _replaced(word, _STEP_3)
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
    word = _replaced(_replaced(_step_1(word), _STEP_2), _STEP_3)
    return _step_5(_published_step_4(word))


def _measure(stem: str) -> int:
    """Counts the sequences of vowels that are followed by a consonant; a y after a consonant is a vowel."""
    count, was_vowel = 0, False
    for position, letter in enumerate(stem):
        is_vowel = letter in "aeiou" or (letter == "y" and position > 0 and not was_vowel)
        count += was_vowel and not is_vowel
        was_vowel = is_vowel
    return count


def _has_vowel(stem: str) -> bool:
    return any(letter in "aeiou" or (letter == "y" and position > 0) for position, letter in enumerate(stem))


def _is_short(stem: str, of_nltk: bool) -> bool:
    """Returns whether a stem is consonants, a vowel and a consonant but w, x and y; for NLTK also two such letters."""
    if of_nltk and len(stem) == 2:
        return stem[0] in "aeiou" and stem[1] not in "aeiou"
    return len(stem) > 2 and stem[-1] not in "aeiouwxy" and stem[-2] in "aeiouy" and not _has_vowel(stem[:-2])


def _longest(word: str, endings: Iterable[str]) -> str:
    return max((ending for ending in endings if word.endswith(ending)), key=len, default="")


def _step_1(word: str) -> str:
    word = _without_past(_without_plural(word))
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    return word


def _without_plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _without_past(word: str, of_nltk: bool = False) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    ending = _longest(word, ("ed", "ing"))
    stem = word.removesuffix(ending)
    if not ending or not _has_vowel(stem):
        return word
    if stem.endswith(("at", "bl", "iz")) or _is_short(stem, of_nltk):
        return stem + "e"
    vowels = "aeiou" if of_nltk and _measure(stem) > _measure(stem[:-1]) else "aeiouy"
    doubled = len(stem) > 1 and stem[-1] == stem[-2] and stem[-1] not in f"{vowels}lsz"
    return stem[:-1] if doubled else stem


def _replaced(word: str, endings: dict[str, str]) -> str:
    ending = _longest(word, endings)
    stem = word.removesuffix(ending)
    return stem + endings[ending] if ending and _measure(stem) > 0 else word


def _shortened(word: str, ending: str) -> str:
    """Removes an ending if two sequences of vowels and consonants remain."""
    stem = word.removesuffix(ending)
    return stem if _measure(stem) > 1 else word


def _step_4(word: str) -> str:
    for endings in (_STEP_4, ("ment",)):
        word = _shortened(word, _longest(word, endings))
    if word.endswith("ent"):
        return _shortened(word, "ent")
    return _shortened(word, "ion") if word.endswith(("sion", "tion")) else word


def _published_step_4(word: str) -> str:
    ending = _longest(word, _PUBLISHED_STEP_4)
    return word if ending == "ion" and not word.endswith(("sion", "tion")) else _shortened(word, ending)


def _step_5(word: str, of_nltk: bool = False) -> str:
    if word.endswith("e"):
        remaining = _measure(word[:-1])
        if remaining > 1 or (remaining == 1 and not _is_short(word[:-1], of_nltk)):
            word = word[:-1]
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word


_UNCHANGED = ("news", "inning", "outing", "canning", "howe", "proceed", "exceed", "succeed")
_IRREGULAR = {word: word for word in _UNCHANGED} | {
    "skies": "sky",
    "dying": "die",
    "lying": "lie",
    "tying": "tie",
    "innings": "inning",
    "outings": "outing",
    "cannings": "canning",
}
_NLTK_STEP_2 = {**_STEP_2, "fulli": "ful"}


@functools.lru_cache(STEM_CACHE_SIZE)
def nltk_stem(word: str) -> str:
    """Returns the stem of a word by Porter's stemmer with the extensions of NLTK, as its documentation has them.

    Args:
        word: A word in lower case; words of one or two characters are not changed.

    >>> [nltk_stem(word) for word in ("generously", "ponies", "dies", "flies", "hopping", "enjoyment", "dying")]
    ['gener', 'poni', 'die', 'fli', 'hop', 'enjoy', 'die']
    """
    if len(word) <= 2 or word in _IRREGULAR:
        return _IRREGULAR.get(word, word)
    word = word[:-1] if word.endswith("ies") and len(word) == 4 else _without_plural(word)
    if word.endswith("ied"):
        word = word[:-1] if len(word) == 4 else word[:-2]
    else:
        word = _without_past(word, of_nltk=True)
    if word.endswith("y") and len(word) > 2 and _measure(f"{word}b") > _measure(word):  # after a consonant
        word = word[:-1] + "i"
    while word.endswith("alli") and _measure(word[:-4]) > 0:
        word = word[:-2]
    if word.endswith("logi"):  # -log after any vowel and the l
        word = word[:-1] if _measure(word[:-3]) > 0 else word
    else:
        word = _replaced(word, _NLTK_STEP_2)
    return _step_5(_published_step_4(_replaced(word, _STEP_3)), of_nltk=True)
