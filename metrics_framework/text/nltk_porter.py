"""Porter's stemmer with the extensions of NLTK: stems of English words, such as ``generous`` for ``generously``.

The algorithm removes suffixes in five steps. It treats a word as an alternation of runs of consonants and vowels; a
``y`` after a consonant is a vowel, and everything else that is not one of ``aeiou`` is a consonant. The *measure* of a
stem is the number of vowel runs that a consonant follows: 0 for ``tree``, 1 for ``trouble``, 2 for ``private``.

Sources: Porter, "An algorithm for suffix stripping" (Program 14(3), 1980) for the algorithm; the documentation of
NLTK 3 for the extensions (``PorterStemmer`` in its default mode).
"""

from __future__ import annotations

import functools
from collections.abc import Mapping

from metrics_framework.text.porter import PUBLISHED_STEP_4, STEM_CACHE_SIZE, STEP_2, STEP_3, measure

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
_PLURALS = {"sses": "ss", "ies": "i", "ss": "ss", "s": ""}
_ENDINGS = {**STEP_2, "fulli": "ful"}
_SUFFIXES = dict.fromkeys(PUBLISHED_STEP_4, "")


@functools.lru_cache(STEM_CACHE_SIZE)
def stem(word: str) -> str:
    """Returns the stem of a word.

    Args:
        word: A word in lower case; words of one or two characters are not changed.

    >>> [stem(word) for word in ("generously", "ponies", "dies", "flies", "motoring", "hopping", "enjoyment", "dying")]
    ['gener', 'poni', 'die', 'fli', 'motor', 'hop', 'enjoy', 'die']
    """
    if len(word) <= 2 or word in _IRREGULAR:
        return _IRREGULAR.get(word, word)
    word = _without_participle(_without_plural(word))
    if word.endswith("y") and len(word) > 2 and _shape(word[:-1])[-1] == "c":
        word = word[:-1] + "i"
    word = _replaced(_without_adverb(word), STEP_3, 0)
    return _without_last_letter(_without_suffix(word))


def _shape(word: str) -> str:
    """Returns ``c`` for each consonant and ``v`` for each vowel.

    >>> _shape("toyyy")
    'cvcvc'
    """
    shape = ""
    for character in word:
        is_vowel = character in "aeiou" or (character == "y" and shape[-1:] == "c")
        shape += "v" if is_vowel else "c"
    return shape


def _ends_in_short_syllable(word: str) -> bool:
    """Returns whether a word ends in consonant, vowel and a consonant other than w, x and y, or is vowel, consonant."""
    shape = _shape(word)
    return shape == "vc" or (shape.endswith("cvc") and word[-1] not in "wxy")


def _replaced(word: str, rules: Mapping[str, str], above: int) -> str:
    """Applies the first rule with the suffix of a word, if the measure of the rest is above a number."""
    for suffix, replacement in rules.items():
        if word.endswith(suffix):
            rest = word.removesuffix(suffix)
            return rest + replacement if measure(rest) > above else word
    return word


def _without_plural(word: str) -> str:
    """Step 1a; words like ``dies`` keep their e."""
    if word.endswith("ies") and len(word) == 4:
        return word[:-1]
    return _replaced(word, _PLURALS, -1)


def _without_participle(word: str) -> str:
    """Step 1b; words like ``died`` keep their e."""
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return _replaced(word, {"eed": "ee"}, 0)
    for suffix in ("ed", "ing"):
        rest = word.removesuffix(suffix)
        if rest != word and "v" in _shape(rest):
            return _repaired(rest)
    return word


def _repaired(rest: str) -> str:
    """Restores the end of a word that lost -ed or -ing: a silent e, or a single consonant."""
    if rest.endswith(("at", "bl", "iz")):
        return rest + "e"
    if len(rest) > 1 and rest[-1] == rest[-2] and _shape(rest)[-1] == "c":
        return rest if rest[-1] in "lsz" else rest[:-1]
    return rest + "e" if measure(rest) == 1 and _ends_in_short_syllable(rest) else rest


def _without_adverb(word: str) -> str:
    """Step 2; first -alli becomes -al, and -logi becomes -log after any vowel and the l."""
    while word.endswith("alli") and measure(word[:-4]) > 0:
        word = word[:-2]
    if word.endswith("logi"):
        return word[:-1] if measure(word[:-3]) > 0 else word
    return _replaced(word, _ENDINGS, 0)


def _without_suffix(word: str) -> str:
    """Step 4; -ion is removed only after s and t, which remain."""
    if word.endswith("ion"):
        return word[:-3] if word[-4:-3] in ("s", "t") and measure(word[:-3]) > 1 else word
    return _replaced(word, _SUFFIXES, 1)


def _without_last_letter(word: str) -> str:
    """Step 5: removes a final e, and then one l of two."""
    rest = word.removesuffix("e")
    remaining = measure(rest) if rest != word else 0
    if remaining > 1 or (remaining == 1 and not _ends_in_short_syllable(rest)):
        word = rest
    return word[:-1] if word.endswith("ll") and measure(word[:-1]) > 1 else word
