"""Porter's stemmer: as ROUGE-1.5.5 has it, as Porter's own programs have it, and with the extensions of NLTK.

The algorithm removes suffixes in five steps. It treats a word as an alternation of runs of consonants and vowels; a
``y`` after a consonant is a vowel, and everything else that is not one of ``aeiou`` is a consonant. The *measure* of a
stem is the number of vowel runs that a consonant follows: 0 for ``tree``, 1 for ``trouble``, 2 for ``private``.

Sources: Porter, "An algorithm for suffix stripping" (Program 14(3), 1980) for the algorithm; the documentation of
NLTK 3 for the extensions (``PorterStemmer`` in its default mode).
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping

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
    ending = _longest(word, _PUBLISHED_STEP_4)
    if ending != "ion" or word.endswith(("sion", "tion")):
        word = _shortened(word, ending)
    return _step_5(word)


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
        return word[:-1] if _measure(word[:-3]) > 0 else word
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


def _step_5(word: str) -> str:
    if word.endswith("e"):
        remaining = _measure(word[:-1])
        if remaining > 1 or (remaining == 1 and not _is_short(word[:-1])):
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
_PLURALS = {"sses": "ss", "ies": "i", "ss": "ss", "s": ""}
_ENDINGS = {**_STEP_2, "fulli": "ful"}
_SUFFIXES = dict.fromkeys(_PUBLISHED_STEP_4, "")


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
    word = _without_participle(_without_plural(word))
    if word.endswith("y") and len(word) > 2 and _shape(word[:-1])[-1] == "c":
        word = word[:-1] + "i"
    word = _replaced_above(_without_adverb(word), _STEP_3, 0)
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


def _replaced_above(word: str, rules: Mapping[str, str], above: int) -> str:
    """Applies the first rule with the suffix of a word, if the measure of the rest is above a number."""
    for suffix, replacement in rules.items():
        if word.endswith(suffix):
            rest = word.removesuffix(suffix)
            return rest + replacement if _measure(rest) > above else word
    return word


def _without_plural(word: str) -> str:
    """Step 1a; words like ``dies`` keep their e."""
    if word.endswith("ies") and len(word) == 4:
        return word[:-1]
    return _replaced_above(word, _PLURALS, -1)


def _without_participle(word: str) -> str:
    """Step 1b; words like ``died`` keep their e."""
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return _replaced_above(word, {"eed": "ee"}, 0)
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
    return rest + "e" if _measure(rest) == 1 and _ends_in_short_syllable(rest) else rest


def _without_adverb(word: str) -> str:
    """Step 2; first -alli becomes -al, and -logi becomes -log after any vowel and the l."""
    while word.endswith("alli") and _measure(word[:-4]) > 0:
        word = word[:-2]
    if word.endswith("logi"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    return _replaced_above(word, _ENDINGS, 0)


def _without_suffix(word: str) -> str:
    """Step 4; -ion is removed only after s and t, which remain."""
    if word.endswith("ion"):
        return word[:-3] if word[-4:-3] in ("s", "t") and _measure(word[:-3]) > 1 else word
    return _replaced_above(word, _SUFFIXES, 1)


def _without_last_letter(word: str) -> str:
    """Step 5: removes a final e, and then one l of two."""
    rest = word.removesuffix("e")
    remaining = _measure(rest) if rest != word else 0
    if remaining > 1 or (remaining == 1 and not _ends_in_short_syllable(rest)):
        word = rest
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word
