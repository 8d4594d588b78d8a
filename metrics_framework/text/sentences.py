"""Cutting texts into sentences."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

from metrics_framework.common.errors import MissingExtraError
from metrics_framework.data.texts import Text

SplitterName = Literal["auto", "punkt", "pysbd", "none"]
SentenceSplitter: TypeAlias = Callable[[str], Sequence[str]]


def resolve_splitter(name: SplitterName) -> SplitterName:
    """Returns the splitter that a name stands for: for ``auto``, Punkt where its data is, else pysbd."""
    return "pysbd" if name == "auto" else name


@functools.cache
def sentence_splitter(name: SplitterName) -> SentenceSplitter:
    """Returns what cuts a text into sentences.

    Args:
        name: A name that `resolve_splitter` returned; with ``none`` a text is one sentence.

    Raises:
        MissingExtraError: if it needs a package that is not installed.
    """
    if name == "none":
        return lambda text: [text]
    try:
        import pysbd
    except ImportError as error:
        raise MissingExtraError("the sentence splitter 'pysbd'", "pysbd", "simplification") from error
    cut: SentenceSplitter = pysbd.Segmenter(language="en", clean=False).segment
    return cut


def sentences_of(text: Text, split: SentenceSplitter) -> Sequence[str]:
    """Returns the sentences of a text; a text that is a list of sentences is not cut any further."""
    return split(text) if isinstance(text, str) else text
