"""The tokens that a model could have written instead of the score of an answer, with their probabilities."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from metrics_framework.language_models.answers import Alternatives

_END = re.compile(r"(?:\s|<[^<>\s]*>)*")
"""What may follow the text of an answer in its tokens: spaces and tokens such as ``<|im_end|>``."""


def alternatives_of(text: str, start: int, end: int, tokens: Sequence[tuple[str, Alternatives]]) -> Alternatives:
    """Returns the alternatives of the token that is the score of an answer; none if the score is not one token.

    Tokens may include reasoning that an endpoint removes from the text, so positions count from the end of the text.

    Args:
        text: The answer.
        start: The position of the first character of the score.
        end: The position after its last character.
        tokens: The tokens of the answer, with their alternatives.
    """
    joined, rest = "".join(token for token, _ in tokens), text[start:].rstrip()
    first = joined.rfind(rest)
    if first < 0 or not _END.fullmatch(joined, first + len(rest)):
        return []
    position = 0
    for index, (token, alternatives) in enumerate(tokens):
        if position <= first < position + len(token):
            following = tokens[index + 1][0] if index + 1 < len(tokens) else ""
            is_whole = token.strip() == text[start:end].strip() and not following[:1].isdigit()
            return alternatives if is_whole else []
        position += len(token)
    return []


def weights_of(alternatives: Alternatives, scale: tuple[float, float]) -> dict[int, float]:
    """Returns the probability of each whole number of the scale."""
    weights: dict[int, float] = {}
    for token, logprob in alternatives:
        word = token.strip()
        if len(word) == 1 and word in "0123456789" and scale[0] <= int(word) <= scale[1]:
            weights[int(word)] = weights.get(int(word), 0.0) + math.exp(min(0.0, logprob))
    return weights
