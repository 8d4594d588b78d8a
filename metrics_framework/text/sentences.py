"""Sentence splitters.

=========  ===========================================================================================
name       method
=========  ===========================================================================================
``own``    the rules of `own_sentences`, which need no package
``punkt``  nltk's Punkt with its English data (needs the package nltk, and the data)
``pysbd``  the rules of pysbd for English (needs the package pysbd)
``none``   does not split: a text is one sentence
``lines``  the lines of a text
``<q>``    the same, and what is between the separators ``<q>``, which PreSumm writes between sentences
``auto``   Punkt if nltk and its data are installed, else pysbd
=========  ===========================================================================================

A text of only whitespace has no sentences. The sentences are those that the packages return, with their whitespace:
Punkt strips it, except before the first sentence; pysbd keeps the whitespace after a sentence.

These names are the same for all metrics, whether their option is ``splitter`` or ``sentences``.

Both packages are slow. Most texts are one sentence; a regular expression recognizes most of these without calling the
package. Results for short texts are cached. The time of pysbd is quadratic in the length of a text: for
20,000 words it takes about ninety times as long as Punkt, whose time is linear.

`SentenceLines` writes sentences as lines, which metrics of ROUGE compare. With ``lines`` and ``<q>``, the items of a
list are sentences, and are split further at line breaks and separators; other splitters split strings, across their
lines, and leave the items of a list of several sentences as they are.
"""

from __future__ import annotations

import functools
import re
import warnings
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal, TypeAlias, get_args

from metrics_framework.common.errors import MissingExtraError, UnknownChoiceError, UsageError
from metrics_framework.common.options import NamesFrom
from metrics_framework.data.texts import Text

SplitterName = Literal["auto", "own", "punkt", "pysbd", "none", "lines", "<q>"]
SentencesName = Literal["own", "lines", "punkt"]
"""The splitters of metrics whose option ``sentences`` has no default that depends on the installation."""
SentenceSplitter: TypeAlias = Callable[[str], Sequence[str]]


def splitter_or_separator(name: str) -> Any:
    """Returns the name of a splitter, or a separator of sentences: a text that is not of letters and digits alone.

    Raises:
        UnknownChoiceError: if it is neither.
    """
    names = get_args(SplitterName)
    if not name.strip() or (name.strip().isalnum() and name not in names):
        raise UnknownChoiceError("sentences", name, [*names, "a separator such as |||"])
    return name


SentencesOption: TypeAlias = Annotated[str, NamesFrom(lambda: get_args(SplitterName), splitter_or_separator)]
"""How metrics of ROUGE split texts: a splitter, or any text that separates sentences."""
PUNKT_DATA = "tokenizers/punkt_tab/english/"
SPLITTER_CACHE_SIZE = 2**14
MAX_CACHED_TEXT = 2**11  # characters; with the number of texts, this bounds the memory


class NoPunktData(UsageError):  # noqa: N818 - named after the problem
    """nltk is installed, but its English Punkt data is not."""

    def __init__(self, folders: Sequence[str]) -> None:
        super().__init__(
            f"the sentence splitter 'punkt' needs nltk's English Punkt data, the folder {PUNKT_DATA}, which is not in "
            f"{', '.join(folders) or 'any folder: nltk searches none'}; "
            "download it with: python -m nltk.downloader punkt_tab, or set NLTK_DATA to a folder that contains it"
        )


def resolve_splitter(name: SplitterName) -> SplitterName:
    """Returns the name of a splitter: for ``auto``, Punkt if its data is installed, else pysbd."""
    if name != "auto":
        return name
    try:
        _punkt()
    except (MissingExtraError, NoPunktData):
        return "pysbd"
    return "punkt"


def sentence_splitter(name: SplitterName) -> SentenceSplitter:
    """Returns a function that splits a text into sentences, and that can be pickled.

    Args:
        name: A name that `resolve_splitter` returned; with ``none`` a text is one sentence.

    Raises:
        MissingExtraError: if it needs a package that is not installed.
        NoPunktData: if it needs Punkt's data, which is not installed.
    """
    if name == "punkt":
        _punkt()
        return punkt_sentences
    if name == "pysbd":
        _pysbd()
        return pysbd_sentences
    return _SPLITTERS.get(name, whole_text)


def splitter_signature(name: SplitterName) -> str:
    """Returns the value of a splitter in signatures: its name and the version of its package.

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
    """Returns the sentences of a text; the items of a list of several sentences are not split further.

    Items of only whitespace are not sentences.
    """
    if isinstance(text, str):
        return split(text)
    sentences = [sentence for sentence in text if sentence and not sentence.isspace()]
    return sentences if len(sentences) > 1 else split("".join(sentences))


def whole_text(text: str) -> Sequence[str]:
    """Returns the text as one sentence.

    >>> whole_text("One. Two."), whole_text(" ")
    (('One. Two.',), ())
    """
    return (text,) if text and not text.isspace() else ()


# ---- without packages ------------------------------------------------------------------------------------------------

SEPARATOR = "<q>"
"""What PreSumm writes between two sentences."""
_CLOSING = "\"'”’»)]"
_ABBREVIATIONS = {
    *("mr", "mrs", "ms", "dr", "prof", "st", "jr", "sr", "gen", "col", "sgt", "gov", "sen", "rep", "rev", "hon"),
    *("vs", "etc", "fig", "no", "e.g", "i.e", "cf"),
}
_find_words = re.compile(r"\S+").finditer
_is_initial = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]").fullmatch


def own_sentences(text: str) -> Sequence[str]:
    """Splits a text by rules that need neither a package nor data.

    A sentence ends at a line break; at a word of the characters ``.!?…`` alone, as in tokenized texts; and after a word
    that ends with one of them, and with closing quotation marks or brackets, unless the next word begins with a
    lower-case letter. A period after an initial (``J.``, ``U.S.``) or one of some English abbreviations (``Mr.``,
    ``e.g.``) does not end a sentence.

    >>> own_sentences('Dr. J. Li left. "Why?" asked Dan. it rained . he slept .')
    ('Dr. J. Li left.', '"Why?" asked Dan. it rained .', 'he slept .')
    """
    sentences: list[str] = []
    start, before = 0, None
    for word in _find_words(text):
        if before is not None and _ends_sentence(before, word, text):
            sentences.append(text[start : before.end()].strip())
            start = word.start()
        before = word
    if before is not None:
        sentences.append(text[start : before.end()].strip())
    return tuple(sentences)


def _ends_sentence(word: re.Match[str], following: re.Match[str], text: str) -> bool:
    if "\n" in text[word.end() : following.start()]:
        return True
    ending = word[0].rstrip(_CLOSING)
    stem = ending.rstrip(".!?…")
    if stem == ending:
        return False
    if not stem:
        return True
    is_abbreviated = ending[len(stem) :] == "." and (_is_initial(stem) or stem.casefold() in _ABBREVIATIONS)
    return not is_abbreviated and not following[0][0].islower()


def line_sentences(text: str) -> Sequence[str]:
    """Returns the lines of a text that have more than whitespace.

    >>> line_sentences("It rained. Dan left.\\n\\nYes.")
    ('It rained. Dan left.', 'Yes.')
    """
    return tuple(line for line in text.split("\n") if line and not line.isspace())


def separated_sentences(text: str) -> Sequence[str]:
    """Returns what is between the separators ``<q>``, and between line breaks.

    >>> separated_sentences("It rained .<q>Dan left .")
    ('It rained .', 'Dan left .')
    """
    return line_sentences(text.replace(SEPARATOR, "\n"))


_SPLITTERS: dict[str, SentenceSplitter] = {
    "own": own_sentences,
    "lines": line_sentences,
    SEPARATOR: separated_sentences,
}


# ---- punkt ----------------------------------------------------------------------------------------------------------

# Punkt considers a sentence end only after a mark that is followed by whitespace and another character, or by certain
# punctuation marks. Without such a mark, the text is one sentence.
_may_be_split_by_punkt = re.compile(r"[.?!](?:\s+\S|[^\w\s])").search


def punkt_sentences(text: str) -> Sequence[str]:
    """Splits a text like nltk's ``sent_tokenize``.

    Raises:
        MissingExtraError: if nltk is not installed.
        NoPunktData: if Punkt's data is not installed.
    """
    if _may_be_split_by_punkt(text):
        return _split_by_punkt(text) if len(text) <= MAX_CACHED_TEXT else _split_by_punkt.__wrapped__(text)
    sentence = text.rstrip()
    return (sentence,) if sentence else ()


@functools.lru_cache(SPLITTER_CACHE_SIZE)
def _split_by_punkt(text: str) -> tuple[str, ...]:
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

# Texts that pysbd does not split: they begin with a letter or digit; marks that can end a sentence are only at the end
# or between digits; nothing looks like the label of a list item ("a)", "12)"); and no quote follows a hyphen, where
# pysbd splits too.
_is_one_sentence_for_pysbd = re.compile(
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
    """Splits a text like pysbd's ``Segmenter(language="en", clean=False)``.

    Raises:
        MissingExtraError: if pysbd is not installed.
    """
    if _is_one_sentence_for_pysbd(text):
        return (text,)
    return _split_by_pysbd(text) if len(text) <= MAX_CACHED_TEXT else _split_by_pysbd.__wrapped__(text)


@functools.lru_cache(SPLITTER_CACHE_SIZE)
def _split_by_pysbd(text: str) -> tuple[str, ...]:
    return tuple(_pysbd()(language="en", clean=False).segment(text))  # a segmenter stores its text


@functools.cache
def _pysbd() -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about invalid escapes, when pysbd is compiled
            import pysbd
    except ImportError as error:
        raise MissingExtraError("the sentence splitter 'pysbd'", "pysbd", "simplification") from error
    return pysbd.Segmenter


class SentenceLines:
    """Writes each sentence of a text on a separate line.

    Args:
        name: How texts are split into sentences: the name of a splitter, or a separator.

    Attributes:
        name: The same; for ``auto``, the splitter that is used.
        separator: The separator; empty for a splitter.

    Raises:
        UnknownChoiceError: if the name is unknown.
        MissingExtraError: if the splitter needs a package that is not installed.
        NoPunktData: if it needs Punkt's data, which is not installed.

    >>> SentenceLines("|||")("It rained .|||Dan left ."), SentenceLines("none")(" It rained. ")
    ('It rained .\\nDan left .', ' It rained. ')
    """

    def __init__(self, name: str = "lines") -> None:
        self.name: Any = resolve_splitter(splitter_or_separator(name))
        self.separator = self.name if self.name == SEPARATOR or self.name not in get_args(SplitterName) else ""
        self._split = None if self.separator or name == "lines" else sentence_splitter(self.name)

    def __call__(self, text: Text) -> str:
        """Returns a text whose lines are its sentences."""
        if self._split is not None:
            return "\n".join(sentence.replace("\n", " ") for sentence in sentences_of(text, self._split))
        joined = text if isinstance(text, str) else "\n".join(text)
        return joined.replace(self.separator, "\n") if self.separator else joined

    def of_groups(self, groups: Sequence[Sequence[Sequence[Text]]]) -> Sequence[Sequence[Sequence[Text]]]:
        """Returns groups of texts for a native kernel, which splits them at line breaks."""
        if self.name == "lines":
            return groups
        return [[list(map(self, texts)) for texts in texts_list] for texts_list in groups]

    def signature_options(self) -> dict[str, Any]:
        """Returns the entry of a signature; none for ``lines``, the default."""
        if self.separator:
            return {"split": re.sub("[|;%]", lambda found: f"%{ord(found[0]):X}", self.separator)}
        return {} if self.name == "lines" else {"split": splitter_signature(self.name)}


WORDS_PER_CHUNK = 350


def chunks_of(sentences: Sequence[str], text: str) -> list[str]:
    """Joins the sentences of a text to chunks of about 350 words; a text without sentences is one empty chunk.

    >>> chunks_of(["One.", "Two.", "Three."], "One. Two. Three. " * 120)
    ['One.', 'Two.', 'Three.']
    >>> chunks_of([], " ")
    ['']
    """
    size = max(len(sentences) // (len(text.split()) // WORDS_PER_CHUNK + 1), 1)
    return [" ".join(sentences[start : start + size]) for start in range(0, len(sentences), size)] or [""]
