"""Syllables of English words, counted by rules.

The rules are those of Greg Fast's Lingua::EN::Syllable (Perl, 1999) in the form that readability scores of
simplification were published with: a few of its patterns differ from the original, every final e is left out, and some
words have a number of their own. They are right for about nine words of ten, and meant for text as a whole.
"""

from __future__ import annotations

import functools
import re

MOST_WORDS_KNOWN = 2**16

_vowel_groups = re.compile("[aeiouy]+").findall

# Each pattern that is found in the word without its final e's counts once, however often it is found.
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
    r"(.)(?!\1)([aeiouy])\2l$",  # meant for middle and battle; finds wheel and school
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

_EXCEPTIONS = {
    word: count
    for count, words in {
        1: "brutes chummed flapped foamed gaped h'm lb mimes ms peeped sheered st the",
        2: "60 bepatched capered caressed clattered deafened dr effaced effaces fringed gravesend greyish jr mangroves"
        " messieurs motioned moustaches mr mrs pencilled poleman quivered reclined shivered sidespring slandered sombre"
        " sr stammered suavely tottered trespassed truckle unstained",
        3: "discoloured disinterred hemispheres manoeuvred sepulchre shamefully unexpressed veriest",
        4: "etc sailmaker satiated sententiously",
        5: "particularized unostentatious",
        6: "propitiatory",
    }.items()
    for word in words.split()
}


@functools.lru_cache(MOST_WORDS_KNOWN)
def syllables(word: str) -> int:
    """Counts the syllables of a word, whatever its case; what has no vowel has none.

    The count is that of the groups of neighbouring vowels, y among them, one more or less for each pattern found.

    >>> [syllables(word) for word in ("cat", "simplification", "Table", "3.5", "the", "he")]
    [1, 5, 2, 0, 1, 0]
    """
    word = word.lower()
    if word in _EXCEPTIONS:
        return _EXCEPTIONS[word]
    stem = word.rstrip("e")
    return len(_vowel_groups(stem)) + sum(change for found, change in _RULES if found(stem))
