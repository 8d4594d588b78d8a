"""Stems of English words: the forms of a word have the same stem."""

from __future__ import annotations

import functools

STEM_CACHE_SIZE = 2**14

# Base forms with their irregular forms, separated by bars.
_IRREGULAR = """\
be am is are was were been being 'm 're|have has had having 've|do does did done doing|go goes went gone|
make made|take took taken|give gave given|get got gotten|come came|become became|begin began begun|
see saw seen|say said|know knew known|think thought|find found|leave left|lead led|hold held|
bring brought|build built|buy bought|catch caught|choose chose chosen|draw drew drawn|drive drove driven|
eat ate eaten|fall fell fallen|feel felt|fight fought|fly flew flown|forget forgot forgotten|
grow grew grown|hear heard|hide hid hidden|keep kept|lay laid|lie lain lying|lose lost|mean meant|
meet met|pay paid|rise rose risen|run ran|sell sold|send sent|shoot shot|show shown|sing sang sung|
sink sank sunk|sit sat|speak spoke spoken|spend spent|stand stood|steal stole stolen|strike struck|
swim swam swum|teach taught|tell told|throw threw thrown|understand understood|wear wore worn|win won|
write wrote written|break broke broken|die dying|tie tying|man men|woman women|child children|foot feet|
tooth teeth|mouse mice|person people|life lives|wife wives|knife knives|half halves|
wolf wolves|good better best|bad worse worst|a an|i me my mine|he him his|she her hers|it its|
we us our ours|they them their theirs|you your yours|not n't|will 'll wo|can ca|who whom whose|
this these|that those
"""
_BASES = {
    form: forms[0] for forms in (group.split() for group in _IRREGULAR.replace("\n", "").split("|")) for form in forms
}
_DERIVED = (
    *("ational", "ation", "ments", "ment", "ness", "ance", "ence", "able", "ible", "ally", "ical", "ship"),
    *("ful", "ity", "ive", "ion", "ist", "ism", "ous", "est", "al", "er", "or", "ic", "ly"),
)
_VOWELS = frozenset("aeiouy")
_MIN_DERIVED = 4  # minimal number of remaining letters: "formation" becomes "form", but "nation" not "n"


@functools.lru_cache(maxsize=STEM_CACHE_SIZE)
def stem(word: str) -> str:
    """Returns the stem of a word.

    Irregular forms are replaced by their base form; other words lose the ending of a plural, past tense or participle,
    and one derivational ending if four letters remain. Words of up to three letters, and words with
    characters other than letters, are not changed.

    Args:
        word: A word in lower case.

    >>> [stem(word) for word in ("cities", "city", "formed", "formation", "running", "ran", "is", "was", "1990s")]
    ['citi', 'citi', 'form', 'form', 'run', 'run', 'be', 'be', '1990s']
    """
    if word in _BASES:
        return _finished(_BASES[word])
    if len(word) <= 3 or not word.isalpha():
        return word
    inflected = _without_inflection(word)
    return _finished(_BASES[inflected] if inflected in _BASES else _without_derivation(inflected))


def _without_inflection(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes", "zes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    for ending in ("ing", "ed"):
        rest = word.removesuffix(ending)
        if rest != word and len(rest) > 1 and not _VOWELS.isdisjoint(rest):
            return _undoubled(rest)
    return word


def _undoubled(word: str) -> str:
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
        return word[:-1]
    return word


def _without_derivation(word: str) -> str:
    for ending in _DERIVED:
        rest = word.removesuffix(ending)
        if rest != word and len(rest) >= _MIN_DERIVED:
            return rest
    return word


def _finished(word: str) -> str:
    if len(word) > 3 and word.endswith("e"):
        return word[:-1]
    return word[:-1] + "i" if word.endswith("y") and len(word) > 3 else word
