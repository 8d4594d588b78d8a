"""Tables of words by frequency, and how rare the words of a text are."""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import math
from collections.abc import Iterable, Sequence

from metrics_framework.common.errors import DataError, MissingExtraError, Problems
from metrics_framework.text.lexicon import FUNCTION_WORDS

WORDS_OF_WORDFREQ = 100_000
MOST_WORDS_KNOWN = 2**17  # beside those of the table itself
NO_RARITY = -1.0


class WordRarity(dict[str, float]):
    """How rare words are, by a table of words in which the most frequent stands first.

    The rarity of a word is ln(1 + rank), and its rank the number of words that stand before it in the table, from 0 on.
    Words that are no content words, or that the table does not have, have none.

    Words are looked up in lower case. What is looked up is kept, within a bound.

    Args:
        name: What the table is called in signatures.
        words: Its words in lower case, each once.

    Attributes:
        ranks: Word to rank.
    """

    def __init__(self, name: str, words: Sequence[str]) -> None:
        super().__init__()
        self.name = name
        self.ranks = {word: rank for rank, word in enumerate(words)}

    def __reduce__(self) -> tuple[type[WordRarity], tuple[str, list[str]]]:
        """Copies the table, not what was looked up."""
        return WordRarity, (self.name, list(self.ranks))

    def __missing__(self, word: str) -> float:
        lower = word.lower()
        rank = self.ranks.get(lower) if is_content_word(lower) else None
        rarity = NO_RARITY if rank is None else math.log(1 + rank)
        if len(self) < MOST_WORDS_KNOWN:
            self[word] = rarity
        return rarity

    def third_quartile(self, text: str) -> float:
        """Returns the third quartile of the rarities of a text's words; ln(1 + N), of N words in the table, of none.

        Between two words it lies on the line between their rarities.

        Args:
            text: Words with white space between them.

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
    """Tells whether a word in lower case is more than punctuation, and not one of the function words.

    >>> [word for word in "the mid-1990s , 'cats' of 2 n't".split() if is_content_word(word)]
    ['mid-1990s', "'cats'", '2']
    """
    return word not in FUNCTION_WORDS and any(map(str.isalnum, word))


def check_wordfreq() -> None:
    """Refuses to go on without the package.

    Raises:
        MissingExtraError: if wordfreq is not installed.
    """
    if importlib.util.find_spec("wordfreq") is None:
        raise MissingExtraError(
            "lexical complexity (unless 'frequencies' names a file of words, or 'lexical_complexity' is off)",
            "wordfreq",
            "simplification",
        )


@functools.cache
def rarity_by_wordfreq() -> WordRarity:
    """Returns rarities by the 100,000 most frequent English words of the package wordfreq.

    Raises:
        MissingExtraError: if it is not installed.
    """
    check_wordfreq()
    from wordfreq import top_n_list

    words = top_n_list("en", WORDS_OF_WORDFREQ)
    checksum = hashlib.sha256("\n".join(words).encode()).hexdigest()[:8]
    return WordRarity(f"wordfreq-en-{len(words)}-{checksum}", words)


def rarity_by_table(name: str, lines: Iterable[str], path: str) -> WordRarity:
    r"""Returns rarities by a table of frequencies: on each line a word, a tab and how often it comes.

    Of words that are equally frequent, those that stand first are taken for the more frequent. Words that differ in
    case alone are one, as frequent as both together.

    Args:
        name: What the table is called in signatures.
        lines: The lines.
        path: Their file, for messages.

    Raises:
        DataError: if a line is something else, a word stands twice, or there is no line; `DataErrors` for several.

    >>> rarity_by_table("mine", ["dog\t2", "cat\t7"], "mine.tsv")["dog"] == math.log(2)
    True
    """
    problems, known, frequencies = Problems(), dict[str, int](), dict[str, float]()
    for number, line in enumerate(lines, 1):
        word, tab, written = line.partition("\t")
        frequency = _frequency(written)
        if not tab or not word.strip() or frequency is None:
            problem = f"must be a word, a tab and a frequency (a number from 0 on), got {line[:60]!r}"
            problems.add(DataError(problem, path=path, line=number))
        elif word in known:
            problem = f"the word {word!r} stands on line {known[word]} already; leave one of them out"
            problems.add(DataError(problem, path=path, line=number))
        else:
            known[word] = number
            frequencies[word.lower()] = frequencies.get(word.lower(), 0.0) + frequency
    problems.raise_any()
    if not frequencies:
        raise DataError("is empty; it must have a word, a tab and a frequency on each line", path=path)
    return WordRarity(name, sorted(frequencies, key=lambda word: -frequencies[word]))


def _frequency(written: str) -> float | None:
    try:
        frequency = float(written)
    except ValueError:
        return None
    return frequency if 0 <= frequency < math.inf else None
