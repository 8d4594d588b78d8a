"""Pieces of texts that are compared with each other: sentences, pairs of sentences, paragraphs, or whole texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from metrics_framework.common.errors import UnknownChoiceError

Granularity = Literal["sentence", "document", "paragraph", "2sents"]
WORDS_PER_CHUNK = 350


def granularities(name: str) -> tuple[Granularity, Granularity]:
    """Returns the granularities of document and summary.

    Args:
        name: One for both, or two joined by a hyphen.

    Raises:
        UnknownChoiceError: if there is none of this name.

    >>> granularities("paragraph-sentence"), granularities("sentence")
    (('paragraph', 'sentence'), ('sentence', 'sentence'))
    """
    document, _, summary = name.partition("-")
    known: tuple[Granularity, ...] = get_args(Granularity)
    chosen = [one for wanted in (document, summary or document) for one in known if one == wanted]
    if len(chosen) != 2:
        raise UnknownChoiceError("granularity", name, [*known, "two of them joined by -"])
    return chosen[0], chosen[1]


def pieces_of(text: str, sentences: Sequence[str], granularity: Granularity) -> list[str]:
    """Returns the pieces of a text.

    Args:
        text: The text.
        sentences: Its sentences.
        granularity: What a piece is. Pairs of sentences overlap.

    >>> pieces_of("A. B. C.", ["A.", "B.", "C."], "2sents")
    ['A. B.', 'B. C.', 'C.']
    """
    if granularity == "document":
        return [text]
    if granularity == "paragraph":
        return [part.strip() for part in text.split("\n\n" if "\n\n" in text else "\n")]
    if granularity == "2sents":
        return [" ".join(sentences[start : start + 2]) for start in range(len(sentences))]
    return list(sentences)


def chunks_of(sentences: Sequence[str], text: str) -> list[str]:
    """Joins the sentences of a text to chunks of about 350 words.

    >>> chunks_of(["One.", "Two.", "Three."], "One. Two. Three. " * 120)
    ['One.', 'Two.', 'Three.']
    """
    size = max(len(sentences) // (len(text.split()) // WORDS_PER_CHUNK + 1), 1)
    return [" ".join(sentences[start : start + size]) for start in range(0, len(sentences), size)] or [text]
