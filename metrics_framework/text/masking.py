"""Masked sentences with help, the inputs of BLANC-help, as lists of tokens.

Source: Vasilyev, Dharnidharka and Bohannon (Eval4NLP 2020), and the package blanc 0.3.4, for the
details: which tokens are long enough to be masked, which tokens are masked together, and what is left out of an input
that is too long for the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

CONTINUATION = "##"
"""The prefix of tokens that continue a word, in WordPiece vocabularies."""


@dataclass(frozen=True)
class Masks:
    """Which tokens of a sentence are masked.

    Args:
        gap: The number of inputs made from a sentence: each masks some of every ``gap`` tokens.
        gap_mask: The number of neighbouring tokens, of every ``gap``, that an input masks.
        normal: The fewest characters of a masked token that is a word.
        lead: The fewest characters of a masked token that begins a word of several tokens.
        followup: The fewest characters, without the prefix, of a masked token that continues a word.
    """

    gap: int
    gap_mask: int
    normal: int
    lead: int
    followup: int

    def of(self, tokens: Sequence[str]) -> list[list[int]]:
        """Returns the indices of the masked tokens of each input; an input without any is left out.

        >>> Masks(2, 1, 4, 2, 100).of(["jack", "drove", "his", "mini", "##van"])
        [[0], [1, 3]]
        """
        long_enough = [index for index in range(len(tokens)) if self._is_long_enough(tokens, index)]
        gap = min(self.gap, len(tokens))
        inputs = [[index for index in long_enough if self._is_masked(index % gap, i, gap)] for i in range(gap)]
        return [indices for indices in inputs if indices]

    def _is_masked(self, offset: int, first: int, gap: int) -> bool:
        end = first + self.gap_mask
        if gap == 1:
            return True
        if end >= gap:
            return offset >= first or offset < end % gap
        return first <= offset < end

    def _is_long_enough(self, tokens: Sequence[str], index: int) -> bool:
        token = tokens[index]
        if token.startswith(CONTINUATION):
            return len(token) - len(CONTINUATION) >= self.followup
        is_lead = index + 1 < len(tokens) and tokens[index + 1].startswith(CONTINUATION)
        return len(token) >= (self.lead if is_lead else self.normal)


def fitted(
    sentence: Sequence[str], summary: Sequence[Sequence[str]], space: int, least_sentence: int
) -> tuple[list[str], list[str]]:
    """Shortens a sentence and a summary until both fit into an input.

    The end of the sentence is removed first, but ``least_sentence`` tokens remain; then the last sentences of the
    summary. If its first sentence alone does not fit, the start of that sentence is removed.

    Args:
        sentence: The tokens of a sentence of a document.
        summary: The tokens of each sentence of the summary.
        space: The number of tokens that an input has for both.
        least_sentence: The number of tokens of the sentence that are kept.

    Returns:
        The tokens of the sentence and of the summary.

    >>> fitted("a b c d".split(), [["e", "f"], ["g"]], space=5, least_sentence=3)
    (['a', 'b', 'c'], ['e', 'f'])
    """
    words = list(chain.from_iterable(summary))
    excess = len(words) + len(sentence) - space
    if excess <= 0:
        return list(sentence), words
    kept = list(sentence[: max(len(sentence) - excess, min(len(sentence), least_sentence))])[:space]
    return kept, _first_sentences(summary, space - len(kept))


def _first_sentences(summary: Sequence[Sequence[str]], space: int) -> list[str]:
    """Returns the tokens of as many first sentences as fit; of the first sentence, its last tokens if it does not."""
    words: list[str] = []
    for number, sentence in enumerate(summary):
        if len(words) + len(sentence) > space:
            return words if number else list(sentence[len(sentence) - space :])
        words += sentence
    return words


def relative(neither: int, helped: int, harmed: int, both: int) -> float:
    """Returns the measure ``relative``: the accuracy with the summary minus the accuracy with the filler.

    Args:
        neither: The number of masked tokens that are predicted wrongly with both.
        helped: The number that is predicted correctly with the summary only.
        harmed: The number that is predicted correctly with the filler only.
        both: The number that is predicted correctly with both. At least one number is positive.

    >>> relative(5, 3, 1, 7)
    0.125
    """
    return (helped - harmed) / (neither + helped + harmed + both)


def improve(neither: int, helped: int, harmed: int, both: int) -> float:
    """Returns the measure ``improve``: ``helped`` / (``neither`` + ``helped`` + ``both``), 0 if all are harmed.

    The arguments are those of `relative`.

    >>> improve(5, 3, 1, 7)
    0.2
    """
    return helped / (neither + helped + both) if neither + helped + both else 0.0
