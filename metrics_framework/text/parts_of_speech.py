"""Coarse parts of speech of English words, from lists of function words and from endings."""

from __future__ import annotations

import functools
from collections.abc import Sequence

CACHED_WORDS = 2**14

NOUN, VERB, ADJECTIVE, ADVERB, NUMBER, PUNCTUATION = "noun", "verb", "adjective", "adverb", "number", "punctuation"
DETERMINER, PRONOUN, PREPOSITION, CONJUNCTION = "determiner", "pronoun", "preposition", "conjunction"
AUXILIARY, PARTICLE = "auxiliary", "particle"
CONTENT = frozenset((NOUN, VERB, ADJECTIVE, ADVERB, NUMBER))

_CLOSED = {
    DETERMINER: "a an the this that these those each every either neither some any no all both half such another many"
    " much few several most more less fewer least enough",
    PRONOUN: "i you he she it we they me him her us them my your his its our their mine yours hers ours theirs"
    " myself yourself himself herself itself ourselves yourselves themselves who whom whose which what"
    " whoever whatever someone somebody something anyone anybody anything everyone everybody everything"
    " nobody nothing none one",
    PREPOSITION: "of in to for on with at by from about into through during before after over under between against"
    " without within along across behind beyond except up down out off above below near since until among"
    " around despite towards toward upon onto per via like unlike besides beside inside outside throughout"
    " alongside amid",
    CONJUNCTION: "and or but nor so yet if because although though while whereas unless when whenever where wherever"
    " whether than as once",
    AUXILIARY: "be am is are was were been being have has had having do does did done doing will would shall should"
    " can could may might must ought ca wo 's 're 'm 've 'll 'd",
    PARTICLE: "not n't 't '",
    ADVERB: "also very too just only even still already always never often sometimes usually now then here there"
    " again almost quite rather soon later ago away back perhaps maybe however therefore thus hence"
    " instead together well far ever",
    NUMBER: "zero two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
    " seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand"
    " million billion",
    ADJECTIVE: "good bad new old big small large great little long short high low young early late first last next"
    " other own same different main major important early able few own certain second third",
    VERB: "go goes went gone make makes made take takes took taken give gives gave given get gets got come"
    " comes came become becomes became begin begins began begun see sees saw seen say says said know knows"
    " knew known think thought find finds found leave leaves left lead leads led hold holds held bring"
    " brought build built buy bought choose chose chosen draw drew drawn fall fell fallen feel felt grow"
    " grew grown keep kept lose lost mean means meant meet met pay paid rise rose risen run runs ran sell"
    " sold send sent show shows shown sit sat speak spoke stand stood tell told throw threw thrown"
    " understand wear wore win wins won write writes wrote written let put set use uses call include"
    " includes include help helps work works need needs want wants try tries start starts stop",
}
_OF_WORD = {word: tag for tag, words in reversed(_CLOSED.items()) for word in words.split()}
_BRACKETS = frozenset(("-lrb-", "-rrb-", "-lsb-", "-rsb-", "-lcb-", "-rcb-"))
_OF_ENDING = (
    (ADVERB, ("ly", "wards")),
    (NOUN, ("tion", "sion", "ment", "ness", "ity", "ship", "ism", "ance", "ence", "hood", "dom", "logy")),
    (VERB, ("ed", "ing", "ize", "ise", "ify", "izes", "ises", "ifies")),
    (ADJECTIVE, ("ous", "ful", "less", "able", "ible", "ive", "ical", "ish", "ary", "ic", "al", "est")),
)


def is_punctuation(word: str) -> bool:
    """Tells whether a word holds neither a letter nor a digit, or is a bracket of the Penn Treebank.

    >>> [is_punctuation(word) for word in (",", "...", "-LRB-", "''", "'s", "%")]
    [True, True, True, True, False, True]
    """
    return not any(map(str.isalnum, word)) or word.lower() in _BRACKETS


@functools.lru_cache(maxsize=CACHED_WORDS)
def part_of_speech(word: str) -> str:
    """Returns the part of speech that a word has most often, in any case of its letters.

    Function words and common verbs are known by lists, numbers by their digits, others by their endings; what is left
    are nouns.

    >>> [part_of_speech(word) for word in ("The", "armed", "group", "quickly", "of", "1990s", ".")]
    ['determiner', 'verb', 'noun', 'adverb', 'preposition', 'number', 'punctuation']
    """
    word = word.lower()
    if word in _OF_WORD:
        return _OF_WORD[word]
    if is_punctuation(word):
        return PUNCTUATION
    if any(map(str.isdigit, word)):
        return NUMBER
    for tag, endings in _OF_ENDING:
        if len(word) > 4 and word.endswith(endings):
            return tag
    return NOUN


def parts_of_speech(words: Sequence[str]) -> list[str]:
    """Returns the part of speech of each word."""
    return [part_of_speech(word) for word in words]
