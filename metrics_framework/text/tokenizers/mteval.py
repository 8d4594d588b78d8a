"""The tokenizers of mteval: ``13a``, ``intl`` and ``zh``.

mteval inserts spaces in passes; each reads from left to right and continues after its last match:

1. a punctuation mark after anything but a number is separated, together with the character before it;
2. a punctuation mark before anything but a number is separated;
3. a symbol is separated (13a does this first, with the same result).

Here the passes run over a string of the same length that has one letter for the kind of each character: ``.`` for a
punctuation mark, ``$`` for a character that is always separated, ``0`` for a number, ``-`` for the hyphen of 13a, a
space for whitespace, and ``a`` for anything else. A separated mark becomes ``$``; the tokens follow from the kinds.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Callable

from metrics_framework.common.overriding import overrides
from metrics_framework.text.lexicon import word_list
from metrics_framework.text.tokenizers.tokenizer import Tokenizer

_KIND_OF_CLASS = {"P": ".", "S": "$", "N": "0", "H": "-"}
"""The letters of punctuation, symbols, numbers and the hyphen of 13a."""
_HYPHEN_AFTER_NUMBER = re.compile(r"(?<=0)-")
_MARK_AFTER_NO_NUMBER = re.compile(r"(?<=[^0.])\.|\.\.")
_MARK_BEFORE_NO_NUMBER = re.compile(r"\.(?=[^0])")
_TOKEN_OF_KINDS = re.compile(r"[^ $]+|\$")


class _CharacterKinds(dict[int, str]):
    """Code point to the letter of its kind, filled on demand, for `str.translate`.

    Args:
        kind: Returns the letter for a character that is not whitespace.
    """

    def __init__(self, kind: Callable[[str], str]) -> None:
        super().__init__()
        self._kind = kind

    def __missing__(self, code: int) -> str:
        character = chr(code)
        kind = self[code] = " " if character.isspace() else self._kind(character)
        return kind


def _tokens_by_kinds(text: str, kinds: str) -> str:
    """Runs the passes on a text whose characters are of these kinds."""
    if "." in kinds:
        kinds = _MARK_AFTER_NO_NUMBER.sub(lambda match: "$" * len(match[0]), kinds)
        kinds = _MARK_BEFORE_NO_NUMBER.sub("$", kinds)
    return " ".join([text[slice(*match.span())] for match in _TOKEN_OF_KINDS.finditer(kinds)])


_SYMBOLS = r"{-~\[-`!-&(-+:-@/"
_KIND_13A = re.compile(rf"(?P<S>[{_SYMBOLS}])|(?P<P>[.,])|(?P<N>[0-9])|(?P<H>-)")
_TOKENS_13A = re.compile(rf"(?:[^\s{_SYMBOLS}.,\-]+|(?<=[0-9])[.,](?=[0-9])|(?<![0-9])-)+|[{_SYMBOLS}.,\-]").findall


def _kind_13a(character: str) -> str:
    """Returns the letter for the kind of a character that is not whitespace."""
    match = _KIND_13A.match(character)
    return _KIND_OF_CLASS[match.lastgroup or ""] if match else "a"


_KINDS_13A = _CharacterKinds(_kind_13a)


@Tokenizer.register("13a")
class Mteval13a(Tokenizer):
    """WMT's mteval-v13a, as in sacreBLEU: separates ASCII symbols, and periods and commas outside numbers."""

    sacrebleu_name = "13a"

    @overrides
    def tokenize(self, text: str) -> str:
        text = text.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
        if "&" in text:
            text = text.replace("&quot;", '"').replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">")
        if ".." in text or ",," in text or ".," in text or ",." in text:
            text = f" {text} "
            return _tokens_by_kinds(text, _HYPHEN_AFTER_NUMBER.sub("$", text.translate(_KINDS_13A)))
        # Without two adjacent marks, no match hides another from the next pass: one expression finds all tokens.
        return " ".join(_TOKENS_13A(text))


@functools.cache
def _newer() -> dict[str, str]:
    """Returns the class of each character that Unicode 14 to 17 added: tokens depend on no version of Python."""
    classes = {}
    for letter, *ranges in map(str.split, word_list("newer_characters.txt").splitlines()):
        for ends in ranges:
            first, _, last = ends.partition("-")
            classes.update(dict.fromkeys(map(chr, range(int(first, 16), int(last or first, 16) + 1)), letter))
    return classes


def _kind_intl(character: str) -> str:
    category = unicodedata.category(character)
    if category == "Cn":
        category = _newer().get(character, category)
    return _KIND_OF_CLASS.get(category[0], "a")


_KINDS_INTL = _CharacterKinds(_kind_intl)


@Tokenizer.register("intl")
class MtevalIntl(Tokenizer):
    """mteval-v14 with international tokenization, as in sacreBLEU: separates symbols and punctuation of any script.

    Digits, punctuation and symbols are as in Unicode 17. As in the original, punctuation between numbers is not
    separated, and neither is a period after a number at the end of the text.

    >>> MtevalIntl().tokenize("«Ça coûte 3,50 €», dit-il en 1999.")
    '« Ça coûte 3,50 € » , dit - il en 1999.'
    """

    sacrebleu_name = "intl"

    @overrides
    def tokenize(self, text: str) -> str:
        return _tokens_by_kinds(text, text.translate(_KINDS_INTL))


# Ideographs and their parts, phonetic symbols, punctuation, full-width forms, and everything from U+2001 to U+2A6D,
# including dashes and arrows. The last range is a quirk of sacreBLEU: it means U+20000 to U+2A6D6, but Python reads
# only four of the five digits.
# Compiling the class takes some milliseconds, so it is deferred to the first use.
_CHINESE = (
    "[\u2001-\u2a6d\u2e80-\u2fdf\u2ff0-\u303f\u3100-\u312f\u31a0-\u31bf\u31c0-\u31ef\u3200-\u4db5\u4e00-\u9fbb"
    "\uf900-\ufa2d\ufa30-\ufa6a\ufa70-\ufad9\ufe10-\ufe1f\ufe30-\ufe4f\uff00-\uffef]"
)


def _kind_zh(character: str) -> str:
    return "$" if re.match(_CHINESE, character) else _kind_13a(character)


_KINDS_ZH = _CharacterKinds(_kind_zh)


@Tokenizer.register("zh")
class Chinese(Tokenizer):
    """Every Chinese character is a token, the rest is tokenized by the rules of 13a, as in sacreBLEU.

    XML entities are not decoded, and a period or comma between a digit and an end of the text is not separated.

    >>> Chinese().tokenize("他有3.5元(约),共3.")
    '他 有 3.5 元 ( 约 ) , 共 3.'
    """

    unit = "character"
    sacrebleu_name = "zh"

    @overrides
    def tokenize(self, text: str) -> str:
        text = text.strip()
        return _tokens_by_kinds(text, _HYPHEN_AFTER_NUMBER.sub("$", text.translate(_KINDS_ZH)))
