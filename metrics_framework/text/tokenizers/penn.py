"""The tokenizer ``penn``."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import TypeAlias

from metrics_framework.common.overriding import overrides
from metrics_framework.text.tokenizers.tokenizer import Tokenizer

_Rules: TypeAlias = Sequence[tuple[re.Pattern[str], str]]

_BEFORE_PADDING = [
    (r'^"', "`` "),
    (r'([\s(\[{<])"', r"\1 `` "),
    (r"\.\.\.", " ... "),
    (r"(?<![0-9])[,:]|[,:](?![0-9])", r" \g<0> "),  # 5,300 and 12:30 are one token
    (r"[;@#$%&?!\[\](){}<>]|--", r" \g<0> "),
    (r"""([^.])(\.)(?=[\s\])}>"']*$)""", r"\1 \2 "),  # only the last full stop ends a sentence
    (r'"', " '' "),
]
_APOSTROPHES = [
    (r"([^'\s])'(?=\s)", r"\1 ' "),  # the boys' -> the boys '
    (r"(?i)(?<=\S)('(?:s|m|d|ll|re|ve))(?=\s)", r" \1"),
    (r"(?i)(?<=\S)(n't)(?=\s)", r" \1"),
    (r"(?i)\b(d')(ye)\b|\b(more)('n)\b|(?<!\S)('t)(is|was)\b", r"\1\3\5 \2\4\6"),
]
_CONTRACTED = r"(?i)\b(can)(not)\b|\b(gim|lem)(me)\b|\b(gon|wan)(na)\b|\b(got)(ta)\b"


@functools.cache
def _rules() -> tuple[_Rules, _Rules, re.Pattern[str]]:
    """Compiles the rules, on first use: help texts list this tokenizer without them."""
    before, after = (
        [(re.compile(pattern), replacement) for pattern, replacement in rules]
        for rules in (_BEFORE_PADDING, _APOSTROPHES)
    )
    return before, after, re.compile(_CONTRACTED)


@Tokenizer.register("penn")
class Penn(Tokenizer):
    """The conventions of the Penn Treebank, for one sentence.

    Double quotes become two backquotes or two apostrophes. Punctuation and brackets are separated; brackets are not
    renamed; commas and colons between digits are not separated; a period is separated only at the end of the text.
    Contractions and possessives are separated (``do n't``, ``they 'll``, ``the boys '``), and ``cannot``, ``gonna``,
    ``gotta``, ``wanna``, ``gimme``, ``lemme``, ``d'ye``, ``more'n``, ``'tis`` and ``'twas`` are two words.

    >>> Penn().tokenize('"They\\'ll save $5,300," Mr. Li said; "I can\\'t."')
    "`` They 'll save $ 5,300 , '' Mr. Li said ; `` I ca n't . ''"
    """

    @overrides
    def tokenize(self, text: str) -> str:
        before_padding, apostrophes, contracted = _rules()
        for pattern, replacement in before_padding:
            text = pattern.sub(replacement, text)
        text = f" {text} "
        if "'" in text:
            for pattern, replacement in apostrophes:
                text = pattern.sub(replacement, text)
        return " ".join(contracted.sub(r"\1\3\5\7 \2\4\6\8", text).split())
