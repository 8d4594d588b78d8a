"""Tokenizers by name: from text to tokens with one blank between them.

=========  ===========================================================================================
name       what it does
=========  ===========================================================================================
``13a``    the tokenizer of WMT's mteval-v13a, as sacreBLEU has it
``intl``   the international tokenizer of mteval-v14, as sacreBLEU has it: punctuation of any script
``moses``  the Moses tokenizer for English, without escaping (needs the package sacremoses)
``penn``   the conventions of the Penn Treebank
``char``   every character is a token, as sacreBLEU has it
``zh``     every Chinese character is a token, the rest is cut by 13a, as sacreBLEU has it
``none``   nothing: the text as it stands
=========  ===========================================================================================

None of them changes the case of a letter. They are plain functions, so what holds one can go to another process.
"""

from __future__ import annotations

import functools
import importlib.util
import re
import unicodedata
from collections.abc import Callable

from metrics_framework.common.errors import MissingExtraError, UnknownNameError

Tokenizer = Callable[[str], str]


def get_tokenizer(name: str) -> Tokenizer:
    """Returns the tokenizer of that name.

    Raises:
        UnknownNameError: if there is none.
        MissingExtraError: if it needs a package that is not installed.

    >>> get_tokenizer("13a")("It isn't 3.5% (yet).")
    "It isn't 3.5 % ( yet ) ."
    """
    if name not in TOKENIZERS:
        raise UnknownNameError("tokenizer", name, TOKENIZERS)
    if name == "moses" and importlib.util.find_spec("sacremoses") is None:
        raise MissingExtraError("the tokenizer 'moses'", "sacremoses", "moses")
    return TOKENIZERS[name]


# ---- 13a and intl ---------------------------------------------------------------------------------------------------
#
# Both programs insert blanks in passes, each of which reads from left to right and goes on behind what it matched:
#   1. a mark (of punctuation) behind anything but a number is set apart, together with what stands before it;
#   2. a mark before anything but a number is set apart;
#   3. a symbol is set apart (13a does this first, which comes to the same).
# Here the passes run over a string of the same length that has one letter for the kind of each character:
# '.' a mark, '$' what is always set apart, '0' a number, '-' the hyphen of 13a, ' ' white space, 'a' anything else.
# Marks that are set apart become '$'; the tokens are then cut from the text where the kinds say so.

_MARK_BEHIND_NO_NUMBER = re.compile(r"(?<=[^0.])\.|\.\.")
_MARK_BEFORE_NO_NUMBER = re.compile(r"\.(?=[^0])")
_HYPHEN_BEHIND_NUMBER = re.compile(r"(?<=0)-")
_TOKEN_OF_KINDS = re.compile(r"[^ $]+|\$")


def _cut(text: str, kinds: str) -> str:
    if "." in kinds:
        kinds = _MARK_BEHIND_NO_NUMBER.sub(lambda match: "$" * len(match[0]), kinds)
        kinds = _MARK_BEFORE_NO_NUMBER.sub("$", kinds)
    return " ".join([text[slice(*match.span())] for match in _TOKEN_OF_KINDS.finditer(kinds)])


class _Kinds(dict[int, str]):
    """Code point to kind, filled as characters turn up.

    Args:
        kind: Tells the kind of a character that is not white space.
    """

    def __init__(self, kind: Callable[[str], str]) -> None:
        super().__init__()
        self._kind = kind

    def __missing__(self, code: int) -> str:
        character = chr(code)
        kind = self[code] = " " if character.isspace() else self._kind(character)
        return kind


_SYMBOLS_13A = r"{-~\[-`!-&(-+:-@/"
_KIND_13A = re.compile(rf"(?P<S>[{_SYMBOLS_13A}])|(?P<P>[.,])|(?P<N>[0-9])|(?P<H>-)")
_TOKENS_13A = re.compile(
    rf"(?:[^\s{_SYMBOLS_13A}.,\-]+|(?<=[0-9])[.,](?=[0-9])|(?<![0-9])-)+|[{_SYMBOLS_13A}.,\-]"
).findall
_LETTERS = {"P": ".", "S": "$", "N": "0", "H": "-"}


def _kind_13a(character: str) -> str:
    match = _KIND_13A.match(character)
    return _LETTERS[match.lastgroup or ""] if match else "a"


_KINDS_13A = _Kinds(_kind_13a)


def tokenize_13a(text: str) -> str:
    """Tokenizes as mteval-v13a: sets ASCII symbols apart, and points and commas that do not stand between digits."""
    text = text.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    if "&" in text:
        text = text.replace("&quot;", '"').replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">")
    if ".." in text or ",," in text or ".," in text or ",." in text:
        text = f" {text} "
        return _cut(text, _HYPHEN_BEHIND_NUMBER.sub("$", text.translate(_KINDS_13A)))
    # Without two marks in a row nothing that one match takes can be missed by the next: one pass gives the tokens.
    return " ".join(_TOKENS_13A(text))


# Characters of the three classes that came to Unicode after version 13, up to version 17: with them the tokens do not
# depend on the version of Unicode that Python was built with.
_NEWER = {
    "P": (
        "61D 1B4E-1B4F 1B7D-1B7F 2E53-2E5D 2E60-2E63 10D6E 10ED0 10F86-10F89 113D4-113D5 113D7-113D8 116B9 11B00-11B09"
        " 11BE1 11F43-11F4F 12FF1-12FF2 16D6D-16D6F 1E5FF"
    ),
    "S": (
        "888 20C0-20C4 2427-2429 2B96 2FFC-2FFF 31E4-31E5 31EF FBC2-FBD2 FD40-FD4F FD90-FD91 FDC8-FDCF FDFE-FDFF"
        " 10D8E-10D8F 10EC9-10ECA 10ED1-10ED8 1CC00-1CCEF 1CCFA-1CCFC 1CD00-1CEB3 1CEBA-1CED0 1CED2-1CED4 1CEDD-1CEFD"
        " 1CF50-1CFC3 1D1E9-1D1FF 1D253-1D25A 1D25D-1D25E 1D260-1D27F 1DB00-1DB1C 1F1AE 1F6D8-1F6D9 1F6DC-1F6DF"
        " 1F774-1F77F 1F7D9-1F7DB 1F7F0-1F7FF 1F8B2-1F8BB 1F8C0-1F8C1 1F8D0-1F8D8 1F979 1F9CC 1FA54-1FA57 1FA75-1FA77"
        " 1FA7B-1FA7C 1FA87-1FA8F 1FAA9-1FAAF 1FAB7-1FABF 1FAC3-1FAC6 1FAC8 1FACC-1FACF 1FAD7-1FADD 1FADF-1FAEB"
        " 1FAEF-1FAFA 1FBCB-1FBEF 1FBFA"
    ),
    "N": (
        "10D40-10D49 116D0-116E3 11BF0-11BF9 11DE0-11DE9 11F50-11F59 1246F 12475-1247F 12550-12686 16130-16139"
        " 16AC0-16AC9 16D70-16D79 16FF4-16FF6 1CCF0-1CCF9 1D2C0-1D2D3 1E4F0-1E4F9 1E5F1-1E5FA"
    ),
}


@functools.cache
def _newer() -> dict[str, str]:
    kinds = {}
    for category, ranges in _NEWER.items():
        for ends in ranges.split():
            first, _, last = ends.partition("-")
            kinds.update(dict.fromkeys(map(chr, range(int(first, 16), int(last or first, 16) + 1)), category))
    return kinds


def _kind_intl(character: str) -> str:
    category = unicodedata.category(character)
    if category == "Cn":
        category = _newer().get(character, category)
    return _LETTERS.get(category[0], "a")


_KINDS_INTL = _Kinds(_kind_intl)


def tokenize_intl(text: str) -> str:
    """Tokenizes as mteval-v14: sets symbols of any script apart, and punctuation that does not stand between numbers.

    Digits, punctuation and symbols are those of Unicode 17. A full stop behind a number stays with it at the end of the
    text, as it does in the original.

    >>> tokenize_intl("«Ça coûte 3,50 €», dit-il en 1999.")
    '« Ça coûte 3,50 € » , dit - il en 1999.'
    """
    return _cut(text, text.translate(_KINDS_INTL))


# ---- char and zh ----------------------------------------------------------------------------------------------------


def tokenize_char(text: str) -> str:
    """Sets every character apart.

    >>> tokenize_char("猫, 犬")
    '猫 ,   犬'
    """
    return " ".join(text)


# What zh sets apart: ideographs and their parts, phonetic signs, punctuation and full-width forms, and all from U+2001
# to U+2A6D, dashes and arrows among it: sacreBLEU means the five digits of 20000 to 2A6D6, but Python reads four.
# Compiling it takes some milliseconds, so that it is left to the first use.
_CHINESE = (
    "[\u2001-\u2a6d\u2e80-\u2fdf\u2ff0-\u303f\u3100-\u312f\u31a0-\u31bf\u31c0-\u31ef\u3200-\u4db5\u4e00-\u9fbb"
    "\uf900-\ufa2d\ufa30-\ufa6a\ufa70-\ufad9\ufe10-\ufe1f\ufe30-\ufe4f\uff00-\uffef]"
)


def _kind_zh(character: str) -> str:
    return "$" if re.match(_CHINESE, character) else _kind_13a(character)


_KINDS_ZH = _Kinds(_kind_zh)


def tokenize_zh(text: str) -> str:
    """Sets every Chinese character apart, and cuts what stands between them by the rules of 13a.

    Entities stay as they are, and so does a point or comma between a digit and an end of the text.

    >>> tokenize_zh("他有3.5元(约),共3.")
    '他 有 3.5 元 ( 约 ) , 共 3.'
    """
    return _cut(text.strip(), _HYPHEN_BEHIND_NUMBER.sub("$", text.strip().translate(_KINDS_ZH)))


# ---- moses ----------------------------------------------------------------------------------------------------------


@functools.cache
def _moses() -> Callable[..., str]:
    try:
        from sacremoses import MosesTokenizer
    except ImportError as error:
        raise MissingExtraError("the tokenizer 'moses'", "sacremoses", "moses") from error
    tokenize: Callable[..., str] = MosesTokenizer(lang="en").tokenize
    return tokenize


def tokenize_moses(text: str) -> str:
    """Tokenizes as the Moses tokenizer for English does, leaving ``&``, ``<`` and the like as they are.

    Raises:
        MissingExtraError: if the package sacremoses is not installed.
    """
    return _moses()(text, return_str=True, escape=False)


# ---- penn -----------------------------------------------------------------------------------------------------------

_PENN_BEFORE_PADDING: list[tuple[re.Pattern[str], str]] = [
    (re.compile(r'^"'), "`` "),
    (re.compile(r'([\s(\[{<])"'), r"\1 `` "),
    (re.compile(r"\.\.\."), " ... "),
    (re.compile(r"(?<![0-9])[,:]|[,:](?![0-9])"), r" \g<0> "),  # 5,300 and 12:30 are one token
    (re.compile(r"[;@#$%&?!\[\](){}<>]|--"), r" \g<0> "),
    (re.compile(r"""([^.])(\.)(?=[\s\])}>"']*$)"""), r"\1 \2 "),  # only the last full stop ends a sentence
    (re.compile(r'"'), " '' "),
]
_PENN_APOSTROPHES: list[tuple[re.Pattern[str], str]] = [
    (re.compile(r"([^'\s])'(?=\s)"), r"\1 ' "),  # the boys' -> the boys '
    (re.compile(r"(?i)(?<=\S)('(?:s|m|d|ll|re|ve))(?=\s)"), r" \1"),
    (re.compile(r"(?i)(?<=\S)(n't)(?=\s)"), r" \1"),
    (re.compile(r"(?i)\b(d')(ye)\b|\b(more)('n)\b|(?<!\S)('t)(is|was)\b"), r"\1\3\5 \2\4\6"),
]
_PENN_WORDS = re.compile(r"(?i)\b(can)(not)\b|\b(gim|lem)(me)\b|\b(gon|wan)(na)\b|\b(got)(ta)\b")


def tokenize_penn(text: str) -> str:
    """Tokenizes one sentence by the conventions of the Penn Treebank.

    Double quotes become two backquotes or two apostrophes; punctuation and brackets are set apart, brackets as they
    stand; commas and colons between digits stay; a full stop is set apart only at the end of the text; verbs lose their
    contractions (``do n't``, ``they 'll``), nouns their possessive (``the boys '``), and ``cannot``, ``gonna``,
    ``gotta``, ``wanna``, ``gimme``, ``lemme``, ``d'ye``, ``more'n``, ``'tis`` and ``'twas`` are two words.

    >>> tokenize_penn('"They\\'ll save $5,300," Mr. Li said; "I can\\'t."')
    "`` They 'll save $ 5,300 , '' Mr. Li said ; `` I ca n't . ''"
    """
    for pattern, replacement in _PENN_BEFORE_PADDING:
        text = pattern.sub(replacement, text)
    text = f" {text} "
    if "'" in text:
        for pattern, replacement in _PENN_APOSTROPHES:
            text = pattern.sub(replacement, text)
    return " ".join(_PENN_WORDS.sub(r"\1\3\5\7 \2\4\6\8", text).split())


# ---- none -----------------------------------------------------------------------------------------------------------


def tokenize_none(text: str) -> str:
    """Returns the text as it stands."""
    return text


TOKENIZERS: dict[str, Tokenizer] = {
    "13a": tokenize_13a,
    "intl": tokenize_intl,
    "moses": tokenize_moses,
    "penn": tokenize_penn,
    "char": tokenize_char,
    "zh": tokenize_zh,
    "none": tokenize_none,
}
