"""Words as the program ROUGE-1.5.5 compares them."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable

from metrics_framework.data.texts import Text
from metrics_framework.text.lexicon import word_list
from metrics_framework.text.porter import porter_stem

_TOKEN = re.compile("[A-Za-z0-9]+")
_LOWER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")
STOP_WORDS, EXCEPTIONS = "smart_stop_words.txt", "wordnet_exceptions.txt"
_MIN_STEMMED = 4
_SPACES = " \t\n\v\f\r"
_WHITESPACE = re.compile(f"[{_SPACES}]+")


class RougeWords:
    """Splits texts into the words that ROUGE-1.5.5 compares.

    A word is a run of ASCII letters and digits, lowercased. Every other character separates words, hyphens and letters
    with accents too. Stop words are removed before stemming. A word of four or more characters that is in the exception
    lists of WordNet 2.0 is replaced by its base form; others are stemmed (`metrics_framework.text.porter`).

    Args:
        use_porter_stemmer: Whether to replace words by their base forms and stems.
        remove_stopwords: Whether to remove the words of the SMART list.

    >>> RougeWords().words("Dan's café-bars sold children's scones.")
    ['dan', 's', 'caf', 'bar', 'sell', 'child', 's', 'scone']
    >>> RougeWords(use_porter_stemmer=False, remove_stopwords=True).words("The cats slept on it.")
    ['cats', 'slept']
    """

    def __init__(self, use_porter_stemmer: bool = True, remove_stopwords: bool = False) -> None:
        self.use_porter_stemmer = use_porter_stemmer
        self.remove_stopwords = remove_stopwords
        self._stop_words = stop_words() if remove_stopwords else frozenset()
        self._exceptions = exceptions() if use_porter_stemmer else {}

    def words(self, text: str) -> list[str]:
        """Returns the words of a text as they are compared."""
        tokens = _TOKEN.findall(text.translate(_LOWER))
        return [self._compared(token) for token in tokens if token not in self._stop_words]

    def spans(self, text: str) -> list[tuple[str, int, int]]:
        """Returns for each word of a text the word as it is compared, and its start and end in the text.

        >>> RougeWords().spans("Two cats.")
        [('two', 0, 3), ('cat', 4, 8)]
        """
        spans = []
        for match in _TOKEN.finditer(text):
            token = match[0].lower()
            if token not in self._stop_words:
                spans.append((self._compared(token), match.start(), match.end()))
        return spans

    def _compared(self, token: str) -> str:
        if not self.use_porter_stemmer or len(token) < _MIN_STEMMED:
            return token
        base = self._exceptions.get(token)
        return porter_stem(token) if base is None else base


def lines_of(text: Text) -> list[str]:
    """Returns the sentences of a text: the items of a list, and the lines of each string.

    >>> lines_of(["One.", "Two.\\nThree."])
    ['One.', 'Two.', 'Three.']
    """
    return (text if isinstance(text, str) else "\n".join(text)).split("\n")


def first_words(lines: Iterable[str], count: int) -> list[str]:
    """Returns the first words of a text, line by line, as ROUGE-1.5.5 counts them for its option ``-l``.

    Words are separated by ASCII whitespace, before tokenization. Whitespace before the first word of a line counts as a
    word.

    >>> first_words(["a b - c", " d e f"], 6)
    ['a b - c', ' d']
    """
    kept = []
    for line in lines:
        words = _WHITESPACE.split(line.rstrip(_SPACES))[:count] if line.strip(_SPACES) else []
        count -= len(words)
        kept.append(" ".join(words))
    return kept


def first_bytes(lines: Iterable[str], count: int) -> list[str]:
    """Returns the first bytes of a text in UTF-8, line by line, without counting line breaks.

    Characters are replaced by their bytes, each as one character.

    >>> first_bytes(["abc", "de", "fg"], 4)
    ['abc', 'd', '']
    """
    kept = []
    for line in lines:
        kept.append(_bytes(line)[:count])
        count -= len(kept[-1])
    return kept


def first_bytes_of_lines(lines: Iterable[str], count: int) -> list[str]:
    """Returns the first lines of a text, as ROUGE-1.5.5 limits bytes for ROUGE-L and ROUGE-W.

    It does not add up the bytes of the lines: the first line with ``count`` bytes or more is cut, and is the last.

    >>> first_bytes_of_lines(["abc", "de", "fghij", "k"], 4)
    ['abc', 'de', 'fghi']
    """
    kept = []
    for line in lines:
        cut = _bytes(line)
        kept.append(cut[:count])
        if len(cut) >= count:
            break
    return kept


def _bytes(text: str) -> str:
    return text.encode("utf-8", "surrogatepass").decode("latin-1")


@functools.cache
def stop_words() -> frozenset[str]:
    """Returns the stop words of ROUGE-1.5.5: the SMART list, and short names of months, weekdays and news agencies.

    The entries of its list that no word equals, because they have apostrophes or periods, are left out.
    """
    return frozenset(word_list(STOP_WORDS).split())


@functools.cache
def exceptions() -> dict[str, str]:
    """Returns the base forms of the exception lists of WordNet 2.0 (adjectives, adverbs, nouns, verbs).

    If the lists give a form several base forms, it is the last, as in the published database of ROUGE-1.5.5. Some
    entries have hyphens or other characters that no word has.

    >>> len(exceptions()), exceptions()["mice"], exceptions()["better"]
    (5930, 'mouse', 'well')
    """
    return dict(line.split(" ") for line in word_list(EXCEPTIONS).splitlines())
