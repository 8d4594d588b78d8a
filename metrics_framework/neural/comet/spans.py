"""Error spans from the labels of tokens, and the score that counts them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

PENALTIES = {"minor": 1, "major": 5, "critical": 10}
MAX_PENALTY = 25
_FORM = {"start": int, "end": int, "severity": str, "confidence": float, "text": str}


class TokenSpan(NamedTuple):
    """A span of tokens that are labelled as errors.

    Attributes:
        first: The index of its first token.
        last: The index of its last token.
        label: The label of its first token.
    """

    first: int
    last: int
    label: int


def token_spans(labels: Sequence[int]) -> Iterator[TokenSpan]:
    """Yields the maximal spans of tokens with a label above 0.

    A span has the severity of its first token, whatever the labels of later ones are. As in the published program, a
    span that reaches the last token is dropped.

    >>> list(token_spans([0, 2, 1, 0, 1, 1]))
    [TokenSpan(first=1, last=2, label=2)]
    """
    first = None
    for index, label in enumerate(labels):
        if label and first is None:
            first = index
        if not label and first is not None:
            yield TokenSpan(first, index - 1, labels[first])
            first = None


def quality_of(severities: Sequence[str]) -> float:
    """Returns 1 minus the penalties of errors / 25, at least 0: 1 for a minor, 5 for a major, 10 for a critical error.

    >>> quality_of(["minor", "major"]), quality_of(["critical"] * 3)
    (0.76, 0.0)
    """
    penalty = min(MAX_PENALTY, sum(PENALTIES.get(severity, 0) for severity in severities))
    return (MAX_PENALTY - penalty) / MAX_PENALTY


def decoded(
    probabilities: Sequence[Sequence[float]],
    ids: Sequence[int],
    offsets: Sequence[tuple[int, int]],
    severities: Sequence[str],
    tokenizer: Any,
) -> list[dict[str, Any]]:
    """Returns the error spans of an output: their first and last characters, severities, texts and confidences.

    Args:
        probabilities: For each token the probability of each label.
        ids: The ids of the tokens.
        offsets: The start and end of each token in the output.
        severities: The severities of the labels from 1 on.
        tokenizer: Decodes the ids of a span to its text.
    """
    labels = [max(range(len(of_token)), key=of_token.__getitem__) for of_token in probabilities]
    spans = []
    for span in token_spans(labels):
        tokens = range(span.first, span.last + 1)
        spans.append(
            {
                "start": offsets[span.first][0],
                "end": offsets[span.last][1],
                "severity": severities[span.label - 1],
                "confidence": _mean([probabilities[token][labels[token]] for token in tokens]),
                "text": tokenizer.decode([ids[token] for token in tokens]),
            }
        )
    return spans


def are_scores(value: Any) -> bool:
    """Returns whether a value of a cache has the form of partial scores."""
    return isinstance(value, dict) and all(isinstance(score, float | int) for score in value.values())


def are_spans(value: Any) -> bool:
    """Returns whether a value of a cache has the form of error spans, `None` for models without."""
    return value is None or (isinstance(value, list) and all(map(_is_span, value)))


def _is_span(value: Any) -> bool:
    return isinstance(value, dict) and {name: type(part) for name, part in value.items()} == _FORM


def _mean(values: Sequence[float]) -> float:
    from math import fsum

    return fsum(values) / len(values)
