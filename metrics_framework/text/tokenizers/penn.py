"""The tokenizers ``penn``, as in sacremoses, and ``treebank``: conventions of the Penn Treebank, for one sentence."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Sequence
from typing import TypeAlias

from metrics_framework.common.overriding import overrides
from metrics_framework.text.tokenizers.tokenizer import Tokenizer

_Rules: TypeAlias = Sequence[tuple[re.Pattern[str], str]]


def _compiled(rules: Sequence[tuple[str, str]]) -> _Rules:
    return [(re.compile(pattern), replacement) for pattern, replacement in rules]


def _substituted(text: str, rules: _Rules) -> str:
    for pattern, replacement in rules:
        text = pattern.sub(replacement, text)
    return text


# ---- penn ------------------------------------------------------------------------------------------------------------

# The tables of sacremoses end at U+FFFF; they lack newer characters, and some others.
_NO_SYMBOLS = (
    r"\u07fe\u07ff\u0888\u0d4f\u166d\u20be-\u20c4\u218a\u218b\u23fb-\u23ff\u2427-\u2429\u2b96\u2b97\u2bba-\u2bbc\u2bc9"
    r"\u2bd2-\u2bff\u2e50\u2e51\u2e80-\u2e99\u2e9b-\u2ef3\u2f00-\u2fd5\u2ffc-\u2fff\u31e4\u31e5\u31ef\u32ff"
    r"\ufbc2-\ufbd2\ufd40-\ufd4f\ufd90\ufd91\ufdc8-\ufdcf\ufdfe\ufdff"
)
_NO_NUMBERS = r"\u0d58-\u0d5e\u0d76-\u0d78\u3007\u3021-\u3029\u3038-\u303a"
_NO_LETTERS = r"\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3"
_QUOTES = [  # each applies to texts with its first item
    ("`", r"^``", "`` "),
    ('"', r'^"', "`` "),
    ("`", r"^`([^`])", r"` \1"),
    ("'", r"^'", "` "),
    ('"', r'([ (\[{<])"', r"\1 `` "),
    ("`", r"([ (\[{<])``", r"\1 `` "),
    ("`", r"([ (\[{<])`([^`])", r"\1 ` \2"),
    ("'", r"'(?<=[ (\[{<]')", " ` "),
]
_AFTER_APOSTROPHES = [
    (r"'(?=(?:[smdSMD]|ll|re|ve|LL|RE|VE) )", " '"),
    (r" '([Tt])is ", r" '\1 is "),
    (r" '([Tt])was ", r" '\1 was "),
]
_CONTRACTIONS = [
    (" ([Cc]an)not ", r" \1 not "),
    (" ([Gg]im)me ", r" \1 me "),
    (" ([Gg]on)na ", r" \1 na "),
    (" ([Gg]ot)ta ", r" \1 ta "),
    (" ([Ll]em)me ", r" \1 me "),
    (" ([Ww]an)na ", r" \1 na "),
]
_ABBREVIATIONS = (
    "[A-Z]|Adj|Adm|Adv|Asst|Bart|Bldg|Brig|Bros|Capt|Cmdr|Col|Comdr|Con|Corp|Cpl|DR|Dr|Drs|Ens|Gen|Gov|Hon|Hr|Hosp|Insp"
    "|Lt|MM|MR|MRS|MS|Maj|Messrs|Mlle|Mme|Mr|Mrs|Ms|Msgr|Op|Ord|Pfc|Ph|Prof|Pvt|Rep|Reps|Res|Rev|Rt|Sen|Sens|Sfc|Sgt|Sr"
    "|St|Supt|Surg|v|vs|rev|Rs|Nos|Nr|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
)
_ELLIPSIS, _SLASH = "_ELLIPSIS_", "\1"
_NAMES = [
    *((_ELLIPSIS, r"\.\.\."), ("&", "&amp;"), ("|", "&#124;"), ("<", "&lt;"), (">", "&gt;"), ("'", "&apos;")),
    *(("(", "-LRB-"), (")", "-RRB-"), ("[", "-LSB-"), ("]", "-RSB-"), ("{", "-LCB-"), ("}", "-RCB-")),
]


class _PennRules:
    """The rules of ``penn``, compiled on first use: help texts list this tokenizer without them.

    Args:
        end: The end of the range of code points in the texts, up to that of the tables: less is compiled for ASCII.
    """

    def __init__(self, end: int) -> None:
        kinds: dict[str, list[str]] = {kind: [] for kind in ("Nd", "Nl", "No", "Sc", "So")}
        for character in map(chr, range(end)):
            if (kind := unicodedata.category(character)) in kinds:
                kinds[kind].append(character)
        decimals, letters, fractions, currencies, others = map("".join, kinds.values())
        numbers = re.sub(f"[{_NO_NUMBERS}]", "", decimals + letters + fractions)
        symbols = re.sub(f"[{_NO_SYMBOLS}]", "", currencies + others)
        number, other, letter = f"[{numbers}]", f"[^{numbers}]", rf"(?![{fractions}{_NO_LETTERS}])[^\W\d_]"
        pairs = (other, other), (number, other), (other, number)
        self.quotes = [(quote, re.compile(pattern), replacement) for quote, pattern, replacement in _QUOTES]
        self.commas = _compiled([(f"({before}),({after})", r"\1 , \2") for before, after in pairs])
        self.slash = re.compile(rf"(?:{letter}|\d)/(?:{letter}|\d)")
        self.period = re.compile(r"""\.(?<=[^.]\.)([\])}>"']*) ?$""")
        self.separated = re.compile(rf"[;:@#$%&?!()\[\]{{}}<>{symbols}]")
        self.after_apostrophes, self.contractions = _compiled(_AFTER_APOSTROPHES), _compiled(_CONTRACTIONS)
        self.may_be_contracted = re.compile("annot|imme|onna|otta|emme|anna").search
        self.word_and_period = re.compile(r"\.(?<=[^ ]\.) ").search
        self.is_known, self.has_letter = re.compile(_ABBREVIATIONS).fullmatch, re.compile(letter).search


_penn_rules = functools.cache(_PennRules)


@Tokenizer.register("penn")
class Penn(Tokenizer):
    """The rules for the Penn Treebank of the package sacremoses, with its XML entities and its quirks.

    Symbols, commas outside numbers and two hyphens are separated. Opening quotation marks become backquotes, closing
    ones apostrophes, and brackets names. A period is separated at the end, and after a word that is no abbreviation if
    the next word is not in lower case. Apostrophes are tokens (``don &apos; t``); ``cannot``, ``gonna``, ``gotta``,
    ``wanna``, ``gimme`` and ``lemme`` are two. Quirks of the package are kept: ``and/or`` becomes
    ``an$1 \\@\\/\\@ $2r``, and ``...`` has backslashes. Only beside slashes and inner periods, combining marks and
    letters that are newer than its tables may have other tokens.

    Source: ``MosesTokenizer().penn_tokenize`` of sacremoses 0.0.53, which raises an error since version 0.1.

    >>> Penn().tokenize('"They cannot (save) $5,300," Mr. Li\\'s son said.')
    '`` They can not -LRB- save -RRB- $ 5,300 , &apos; &apos; Mr. Li &apos; s son said .'
    """

    definition = 2

    @overrides
    def tokenize(self, text: str) -> str:
        rules = _penn_rules(0x80 if text.isascii() else 0x10000)
        if not text.isprintable() or "  " in text:
            text = re.sub(r"[\0-\x1f]", "", re.sub(r"\s+", " ", text))
        for quote, pattern, replacement in rules.quotes:
            if quote in text:
                text = pattern.sub(replacement, text)
        text = text.replace("...", f" {_ELLIPSIS} ")
        if "," in text:
            text = _substituted(text, rules.commas)
        if "/" in text:
            text = rules.slash.sub(_SLASH, text)
        text = rules.separated.sub(r" \g<0> ", rules.period.sub(r" .\1", text))
        text = f" {text} ".replace("--", " -- ").replace('"', " '' ")
        if "'" in text:
            text = _substituted(re.sub("(?<!')'", " ' ", text), rules.after_apostrophes)
        if rules.may_be_contracted(text):
            text = _substituted(text, rules.contractions)
        text = _with_final_periods(text.replace(_SLASH, r"$1 \@\/\@ $2"), rules)
        for name, replacement in _NAMES:
            text = text.replace(name, replacement)
        return text


def _with_final_periods(text: str, rules: _PennRules) -> str:
    """Separates periods after words that are no abbreviations."""
    words = text.split()
    if rules.word_and_period(text):
        for index, (word, following) in enumerate(zip(words, [*words[1:], ""], strict=True)):
            stem = word[:-1]
            if word.endswith(".") and stem and not _is_abbreviation(stem, following, rules):
                words[index] = f"{stem} ."
    return " ".join(words)


def _is_abbreviation(stem: str, following: str, rules: _PennRules) -> bool:
    """Returns whether the period after a word is part of it."""
    if ("." in stem and rules.has_letter(stem)) or rules.is_known(stem) or following[:1].islower():
        return True
    return stem in ("No", "Art", "pp") and "0" <= following[:1] <= "9"


# ---- treebank --------------------------------------------------------------------------------------------------------

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
def _treebank_rules() -> tuple[_Rules, _Rules, _Rules]:
    return _compiled(_BEFORE_PADDING), _compiled(_APOSTROPHES), _compiled([(_CONTRACTED, r"\1\3\5\7 \2\4\6\8")])


@Tokenizer.register("treebank")
class Treebank(Tokenizer):
    """The conventions of the Penn Treebank, for one sentence.

    Double quotes become two backquotes or two apostrophes. Punctuation and brackets are separated; brackets are not
    renamed; commas and colons between digits are not separated; a period is separated only at the end of the text.
    Contractions and possessives are separated (``do n't``, ``they 'll``, ``the boys '``), and ``cannot``, ``gonna``,
    ``gotta``, ``wanna``, ``gimme``, ``lemme``, ``d'ye``, ``more'n``, ``'tis`` and ``'twas`` are two words.

    >>> Treebank().tokenize('"They\\'ll save $5,300," Mr. Li said; "I can\\'t."')
    "`` They 'll save $ 5,300 , '' Mr. Li said ; `` I ca n't . ''"
    """

    @overrides
    def tokenize(self, text: str) -> str:
        before_padding, apostrophes, contracted = _treebank_rules()
        text = f" {_substituted(text, before_padding)} "
        if "'" in text:
            text = _substituted(text, apostrophes)
        return " ".join(_substituted(text, contracted).split())
