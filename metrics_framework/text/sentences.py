"""Cutting texts into sentences.

=========  ===========================================================================================
name       what it does
=========  ===========================================================================================
``punkt``  nltk's Punkt with its English data (needs the package nltk, and the data)
``pysbd``  the rules of pysbd for English (needs the package pysbd)
``none``   nothing: a text is one sentence
``auto``   Punkt where nltk and its data are there, else pysbd
=========  ===========================================================================================

A text without anything but white space has no sentence. What the two packages return is kept as it is: the sentences of
Punkt have no white space at their ends, but for that before the first; those of pysbd keep what follows them.

Both packages are slow. Most texts are one sentence, and for most of these that can be told from the text alone: the
packages are not asked. What they answered is remembered, but of long texts. The time of pysbd grows with the square of
the length of a text: of 20,000 words it takes some ninety times as long as Punkt, whose time grows with the length.
"""

from __future__ import annotations

import functools
import re
import warnings
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias

from metrics_framework.common.errors import MissingExtraError, UsageError
from metrics_framework.data.texts import Text

SplitterName = Literal["auto", "punkt", "pysbd", "none"]
SentenceSplitter: TypeAlias = Callable[[str], Sequence[str]]
PUNKT_DATA = "tokenizers/punkt_tab/english/"
MOST_TEXTS_KNOWN = 2**14
LONGEST_TEXT_KNOWN = 2**11  # characters; with the number of texts it bounds the memory


class NoPunktData(UsageError):  # noqa: N818 - what is wrong
    """nltk is there, but not its English Punkt data."""

    def __init__(self, folders: Sequence[str]) -> None:
        super().__init__(
            f"the sentence splitter 'punkt' needs nltk's English Punkt data, the folder {PUNKT_DATA}, which is not in "
            f"{', '.join(folders) or 'any folder: nltk searches none'}; "
            "get it with: python -m nltk.downloader punkt_tab, or set NLTK_DATA to a folder that has it"
        )


def resolve_splitter(name: SplitterName) -> SplitterName:
    """Returns the splitter that a name stands for: for ``auto``, Punkt where its data is, else pysbd.

    Raises:
        UnknownNameError: if there is none of that name.
    """
    if name != "auto":
        return name
    try:
        _punkt()
    except (MissingExtraError, NoPunktData):
        return "pysbd"
    return "punkt"


def sentence_splitter(name: SplitterName) -> SentenceSplitter:
    """Returns what cuts a text into sentences: a plain function, so what holds it can go to another process.

    Args:
        name: A name that `resolve_splitter` returned; with ``none`` a text is one sentence.

    Raises:
        MissingExtraError: if it needs a package that is not installed.
        NoPunktData: if it needs the data of Punkt, which is not there.
    """
    if name == "punkt":
        _punkt()
        return punkt_sentences
    if name == "pysbd":
        _pysbd()
        return pysbd_sentences
    return whole_text


def splitter_signature(name: SplitterName) -> str:
    """Returns what a signature says of a splitter: its name and the version of its package, which decides with it.

    Args:
        name: A name that `resolve_splitter` returned.

    Raises:
        MissingExtraError: if it needs a package that is not installed.

    >>> splitter_signature("none")
    'none'
    """
    if name == "punkt":
        return f"punkt.{_nltk().__version__}"
    if name == "pysbd":
        _pysbd()
        from pysbd.about import __version__

        return f"pysbd.{__version__}"
    return name


def sentences_of(text: Text, split: SentenceSplitter) -> Sequence[str]:
    """Returns the sentences of a text; those of a list are not cut any further, unless there is only one.

    Entries without anything but white space are no sentences.
    """
    if isinstance(text, str):
        return split(text)
    sentences = [sentence for sentence in text if sentence and not sentence.isspace()]
    return sentences if len(sentences) > 1 else split("".join(sentences))


def whole_text(text: str) -> Sequence[str]:
    """Returns the text as its one sentence.

    >>> whole_text("One. Two."), whole_text(" ")
    (('One. Two.',), ())
    """
    return (text,) if text and not text.isspace() else ()


# ---- punkt ----------------------------------------------------------------------------------------------------------

# Punkt asks of every mark whether a sentence ends there, if white space and something else follow it, or one of some
# punctuation marks. Where nothing of the kind follows any mark, it has nothing to ask.
_may_be_cut_by_punkt = re.compile(r"[.?!](?:\s+\S|[^\w\s])").search


def punkt_sentences(text: str) -> Sequence[str]:
    """Cuts a text as nltk's ``sent_tokenize`` does.

    Raises:
        MissingExtraError: if nltk is not installed.
        NoPunktData: if its data is not there.
    """
    if _may_be_cut_by_punkt(text):
        return _cut_by_punkt(text) if len(text) <= LONGEST_TEXT_KNOWN else _cut_by_punkt.__wrapped__(text)
    sentence = text.rstrip()
    return (sentence,) if sentence else ()


@functools.lru_cache(MOST_TEXTS_KNOWN)
def _cut_by_punkt(text: str) -> tuple[str, ...]:
    return tuple(_punkt().tokenize(text))


@functools.cache
def _punkt() -> Any:
    nltk = _nltk()
    try:
        return nltk.tokenize.punkt.PunktTokenizer("english")
    except LookupError:
        raise NoPunktData(list(map(str, nltk.data.path))) from None


def _nltk() -> Any:
    try:
        import nltk.data
        import nltk.tokenize.punkt
    except ImportError as error:
        raise MissingExtraError("the sentence splitter 'punkt'", "nltk", "punkt") from error
    return nltk


# ---- pysbd ----------------------------------------------------------------------------------------------------------

# Texts that pysbd leaves whole: they begin with a letter or digit, have no mark that can end a sentence but at their
# end or between digits, nothing that looks like the number of a list, as "a)" and "12)" do, and no quote behind a
# hyphen, where it cuts too.
_is_left_whole_by_pysbd = re.compile(
    r"""[0-9A-Za-zÀ-ſ]
    (?: [0-9A-Za-zÀ-ſ ,;:'"“”‘’(\[\]/%$&+–—]
      | -(?!["'“”])
      | \.(?<=[0-9]\.)(?=[0-9])
      | \)(?:(?<=\ \))|(?<=[A-Za-z]{6}\)))
    )*
    (?:[.?!]|(?<!\ ))""",
    re.VERBOSE,
).fullmatch


def pysbd_sentences(text: str) -> Sequence[str]:
    """Cuts a text as pysbd's ``Segmenter(language="en", clean=False)`` does.

    Raises:
        MissingExtraError: if pysbd is not installed.
    """
    if _is_left_whole_by_pysbd(text):
        return (text,)
    return _cut_by_pysbd(text) if len(text) <= LONGEST_TEXT_KNOWN else _cut_by_pysbd.__wrapped__(text)


@functools.lru_cache(MOST_TEXTS_KNOWN)
def _cut_by_pysbd(text: str) -> tuple[str, ...]:
    return tuple(_pysbd()(language="en", clean=False).segment(text))  # a segmenter holds the text: one for each


@functools.cache
def _pysbd() -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes that Python does not know, when it is compiled
            import pysbd
    except ImportError as error:
        raise MissingExtraError("the sentence splitter 'pysbd'", "pysbd", "simplification") from error
    return pysbd.Segmenter
