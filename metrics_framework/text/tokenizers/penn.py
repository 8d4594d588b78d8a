"""The tokenizer ``penn``."""

from __future__ import annotations

import re

from metrics_framework.common.overriding import overrides
from metrics_framework.text.tokenizers.tokenizer import Tokenizer

_BEFORE_PADDING: list[tuple[re.Pattern[str], str]] = [
    (re.compile(r'^"'), "`` "),
    (re.compile(r'([\s(\[{<])"'), r"\1 `` "),
    (re.compile(r"\.\.\."), " ... "),
    (re.compile(r"(?<![0-9])[,:]|[,:](?![0-9])"), r" \g<0> "),  # 5,300 and 12:30 are one token
    (re.compile(r"[;@#$%&?!\[\](){}<>]|--"), r" \g<0> "),
    (re.compile(r"""([^.])(\.)(?=[\s\])}>"']*$)"""), r"\1 \2 "),  # only the last full stop ends a sentence
    (re.compile(r'"'), " '' "),
]
_APOSTROPHES: list[tuple[re.Pattern[str], str]] = [
    (re.compile(r"([^'\s])'(?=\s)"), r"\1 ' "),  # the boys' -> the boys '
    (re.compile(r"(?i)(?<=\S)('(?:s|m|d|ll|re|ve))(?=\s)"), r" \1"),
    (re.compile(r"(?i)(?<=\S)(n't)(?=\s)"), r" \1"),
    (re.compile(r"(?i)\b(d')(ye)\b|\b(more)('n)\b|(?<!\S)('t)(is|was)\b"), r"\1\3\5 \2\4\6"),
]
_CONTRACTED = re.compile(r"(?i)\b(can)(not)\b|\b(gim|lem)(me)\b|\b(gon|wan)(na)\b|\b(got)(ta)\b")


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
        for pattern, replacement in _BEFORE_PADDING:
            text = pattern.sub(replacement, text)
        text = f" {text} "
        if "'" in text:
            for pattern, replacement in _APOSTROPHES:
                text = pattern.sub(replacement, text)
        return " ".join(_CONTRACTED.sub(r"\1\3\5\7 \2\4\6\8", text).split())
