"""Word rarity, from tables of word frequencies."""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import math
from collections.abc import Iterable, Sequence

from metrics_framework.common.errors import DataError, MissingExtraError, Problems
from metrics_framework.text.lexicon import function_words

WORDS_OF_WORDFREQ = 100_000
FREQUENCY_CACHE_SIZE = 2**17  # in addition to the words of the table
NO_RARITY = -1.0


class WordRarity(dict[str, float]):
    """Maps words to their rarity, from a list of words sorted by decreasing frequency.

    The rarity of a word is ln(1 + rank); the rank of the most frequent word is 0. Function words, punctuation and words
    that are not in the list have no rarity (`NO_RARITY`).

    Words are looked up in lower case; a bounded number of results is cached.

    Args:
        name: The name of the list in signatures.
        words: The words in lower case, without duplicates.

    Attributes:
        ranks: Maps each word to its rank.
    """

    def __init__(self, name: str, words: Sequence[str]) -> None:
        super().__init__()
        self.name = name
        self.ranks = {word: rank for rank, word in enumerate(words)}

    def __reduce__(self) -> tuple[type[WordRarity], tuple[str, list[str]]]:
        """Copies the list without the cached results."""
        return WordRarity, (self.name, list(self.ranks))

    def __missing__(self, word: str) -> float:
        lower = word.lower()
        rank = self.ranks.get(lower) if is_content_word(lower) else None
        rarity = NO_RARITY if rank is None else math.log(1 + rank)
        if len(self) < FREQUENCY_CACHE_SIZE:
            self[word] = rarity
        return rarity

    def third_quartile(self, text: str) -> float:
        """Returns the third quartile of the rarities of the words of a text, by linear interpolation.

        If no word has a rarity, the result is ln(1 + N) for a list of N words.

        Args:
            text: Words separated by whitespace.

        >>> from math import e
        >>> round(WordRarity("three words", ["cat", "dog", "sat"]).third_quartile("the cat sat"), 4)  # 3/4 of ln(3)
        0.824
        """
        rarities = sorted([rarity for rarity in map(self.__getitem__, text.split()) if rarity >= 0])
        if not rarities:
            return math.log(1 + len(self.ranks))
        index, quarters = divmod(3 * (len(rarities) - 1), 4)
        lower = rarities[index]
        return lower + (rarities[index + 1] - lower) * quarters / 4 if quarters else lower


def is_content_word(word: str) -> bool:
    """Returns whether a word in lower case contains a letter or digit and is not a function word.

    >>> [word for word in "the mid-1990s , 'cats' of 2 n't".split() if is_content_word(word)]
    ['mid-1990s', "'cats'", '2']
    """
    return word not in function_words() and any(map(str.isalnum, word))


def check_wordfreq() -> None:
    """Checks that the package wordfreq is installed.

    Raises:
        MissingExtraError: if it is not installed.
    """
    if importlib.util.find_spec("wordfreq") is None:
        raise MissingExtraError(
            "lexical complexity (without a file for 'frequencies' and unless 'lexical_complexity' is off)",
            "wordfreq",
            "simplification",
        )


@functools.cache
def rarity_by_wordfreq() -> WordRarity:
    """Returns rarities from the 100,000 most frequent English words of the package wordfreq.

    Raises:
        MissingExtraError: if it is not installed.
    """
    check_wordfreq()
    from wordfreq import top_n_list

    words = top_n_list("en", WORDS_OF_WORDFREQ)
    checksum = hashlib.sha256("\n".join(words).encode()).hexdigest()[:8]
    return WordRarity(f"wordfreq-en-{len(words)}-{checksum}", words)


def rarity_by_table(name: str, lines: Iterable[str], path: str) -> WordRarity:
    r"""Returns rarities from a table of frequencies: a word, a tab and its frequency on each line.

    Equally frequent words are ranked in the order of the table. The frequencies of words that differ only in case are
    summed.

    Args:
        name: The name of the table in signatures.
        lines: The lines.
        path: The file, for error messages.

    Raises:
        DataError: if a line has another form, a word is duplicated, or the table is empty; `DataErrors` for several
            problems.

    >>> rarity_by_table("mine", ["dog\t2", "cat\t7"], "mine.tsv")["dog"] == math.log(2)
    True
    """
    problems, known, frequencies = Problems(), dict[str, int](), dict[str, float]()
    for number, line in enumerate(lines, 1):
        word, tab, written = line.partition("\t")
        frequency = _frequency(written)
        if not tab or not word.strip() or frequency is None:
            problem = f"must be a word, a tab and a frequency (a number of at least 0), got {line[:60]!r}"
            problems.add(DataError(problem, path=path, line=number))
        elif word in known:
            problem = f"duplicate word {word!r} (first on line {known[word]}); remove one of them"
            problems.add(DataError(problem, path=path, line=number))
        else:
            known[word] = number
            frequencies[word.lower()] = frequencies.get(word.lower(), 0.0) + frequency
    problems.raise_any()
    if not frequencies:
        raise DataError("is empty; expected a word, a tab and a frequency on each line", path=path)
    return WordRarity(name, sorted(frequencies, key=lambda word: -frequencies[word]))


def _frequency(written: str) -> float | None:
    try:
        frequency = float(written)
    except ValueError:
        return None
    return frequency if 0 <= frequency < math.inf else None
