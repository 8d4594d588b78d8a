"""Tokenizers: 13a, intl, char and zh against sacreBLEU, moses and penn against sacremoses, treebank by a table."""

from __future__ import annotations

import functools
import importlib.util
import pickle
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
from sacrebleu.tokenizers.tokenizer_char import TokenizerChar
from sacrebleu.tokenizers.tokenizer_intl import TokenizerV14International
from sacrebleu.tokenizers.tokenizer_zh import TokenizerZh
from samples import sampled

from metrics_framework.common.errors import MissingExtraError
from metrics_framework.common.options import options_of
from metrics_framework.common.registrable import Registry
from metrics_framework.metrics.base.metric import Metric
from metrics_framework.text import tokenizers
from metrics_framework.text.tokenizers.tokenizer import load_tokenizer, tokenizer_names

SACREBLEU = {"13a": Tokenizer13a(), "intl": TokenizerV14International(), "char": TokenizerChar(), "zh": TokenizerZh()}
ANYTHING = st.text(st.characters(exclude_categories=()))
# Pieces that meet in ways the passes of the two programs treat differently.
CHARACTERS = [".", ",", "-", "'", "$", "€", "«", "。", "(", "5", "٣", "Ⅷ", "a", "é", "中", "\ud800", "\U0001fae8"]
BLANKS = [" ", "\t", "\n", "\u3000", "\x85"]
ENTITIES = ["-\n", "<skipped>", "&quot;", "&amp;", "&lt;", "&gt;", "&amp;lt;", "&", "..."]
PIECES = st.lists(st.sampled_from([*CHARACTERS, *BLANKS, *ENTITIES]), max_size=12).map("".join)


@settings(max_examples=50)
@given(st.sampled_from(sorted(SACREBLEU)), ANYTHING | PIECES)
def test_tokens_equal_those_of_sacrebleu_on_any_text(name: str, text: str) -> None:
    assert load_tokenizer(name).tokenize(text) == SACREBLEU[name](text)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(SACREBLEU))
def test_every_character_of_unicode_is_of_the_kind_sacrebleu_takes_it_for(name: str) -> None:
    # With a version of Unicode newer than 17 in sacreBLEU's tables, the ranges in mteval_intl.py need new rows.
    # Planes 4 to 13 are empty, 15 and 16 are for private use.
    for start in (*range(0, 0x40000, 64), *range(0xE0000, 0xF0000, 64), 0xFFFC0, sys.maxunicode - 63):
        characters = map(chr, range(start, start + 64))
        text = "".join(f"a{one}1{one}1{one}{one}b{one}{one}1 " for one in characters)
        assert load_tokenizer(name).tokenize(text) == SACREBLEU[name](text), hex(start)


@pytest.mark.parametrize("name", sampled(sorted(SACREBLEU), 1))
@pytest.mark.parametrize("folder", ["turkcorpus/detok", "turkcorpus/tokenized", "asset", "pwkp"])
def test_tokens_equal_those_of_sacrebleu_on_published_texts(
    name: str, folder: str, shared_path: Callable[[str], Path]
) -> None:
    for path in sorted(shared_path(f"data/{folder}").iterdir()):
        for line in path.read_text(encoding="utf-8").split("\n"):
            assert load_tokenizer(name).tokenize(line) == SACREBLEU[name](line)


TRAPS = [  # of marks beside digits, entities, line ends, and characters that only some count as marks
    *("", "3.5 and 3,500.", "a-b 5-6 5--6 -5", "5...5 $..5", "it's &quot;x&quot;", "hyphen-\nated <skipped>text"),
    *("in 1999.", "in 1999. And", "(5)", "a «b» 5€", "\U0001fae8x", "他有3.5元", "约3元($5).", "5. ", "&amp;"),
    *("a→b–c€", "a\u3000b", "𠀀𠀁"),
]


@pytest.mark.parametrize("name", SACREBLEU)
def test_tokens_of_traps_equal_those_of_sacrebleu(name: str) -> None:
    for text in TRAPS:
        assert load_tokenizer(name).tokenize(text) == SACREBLEU[name](text), text


CASES_TREEBANK = [  # text, tokens, why
    ('"Yes," he said.', "`` Yes , '' he said .", "opening and closing quotes"),
    ('He said ("no").', "He said ( `` no '' ) .", "a quote behind a bracket opens"),
    ("Mr. Li left.", "Mr. Li left .", "only the last full stop is set apart"),
    ("It ended...", "It ended ...", "an ellipsis is one token"),
    ("5,300 at 12:30, so: go", "5,300 at 12:30 , so : go", "commas and colons between digits stay"),
    ("$5 & 10% @home #1", "$ 5 & 10 % @ home # 1", "signs are set apart"),
    ("[a] {b} <c>--d", "[ a ] { b } < c > -- d", "brackets and dashes"),
    ("They don't; we'll, I'm he's", "They do n't ; we 'll , I 'm he 's", "contractions of verbs"),
    ("WE'VE AREN'T", "WE 'VE ARE N'T", "in capitals too"),
    ("the boys' toys", "the boys ' toys", "a possessive without s"),
    ("I cannot, gonna wanna gotta", "I can not , gon na wan na got ta", "words that are two"),
    ("Gimme! Lemme? D'ye more'n 'tis 'Twas", "Gim me ! Lem me ? D' ye more 'n 't is 'T was", "more of them"),
    ("  ", "", "nothing but blanks"),
]


@pytest.mark.parametrize(("text", "tokens", "why"), CASES_TREEBANK)
def test_treebank(text: str, tokens: str, why: str) -> None:
    assert load_tokenizer("treebank").tokenize(text) == tokens, why


CASES_PENN = [  # text, tokens, why
    ("They can't; I'm", "They can &apos; t ; I &apos; m", "an apostrophe is a token"),
    ('"Yes," he "said"', "`` Yes , &apos; &apos; he `` said &apos; &apos;", "closing quotation marks are two tokens"),
    ("at 14:10, 5,300 or a,b,c", "at 14 : 10 , 5,300 or a , b,c", "a comma takes the characters beside it"),
    ("p . (a) & <b>|", "p . -LRB- a -RRB- &amp; &lt; b &gt; &#124;", "names of brackets, entities of XML"),
    ("Mr. Li of the U.S. saw No. 5. No. Yes.", "Mr. Li of the U.S. saw No. 5 . No . Yes .", "periods of abbreviations"),
    ("Well... and/or not", "Well \\.\\.\\. an$1 \\@\\/\\@ $2r not", "replacements that were written for Perl"),
    ("cannot cannot Gimme 'tis", "can not cannot Gim me ` tis", "of two words, the second needs a space before it"),
    ("\x01 ", "", "nothing but a control character"),
]


@pytest.mark.parametrize(("text", "tokens", "why"), CASES_PENN)
def test_penn(text: str, tokens: str, why: str) -> None:
    assert load_tokenizer("penn").tokenize(text) == tokens, why


@pytest.fixture(scope="module")
def penn_of_sacremoses() -> Callable[[str], str]:
    """The function of sacremoses, which needs a rule to be compiled since version 0.1."""
    tokenizer = pytest.importorskip("sacremoses").MosesTokenizer()
    rules = [(re.compile(pattern), replacement) for pattern, replacement in tokenizer.MOSES_PENN_REGEXES_1]
    tokenizer.MOSES_PENN_REGEXES_1 = rules
    return functools.partial(tokenizer.penn_tokenize, return_str=True)


ODD_PIECES = [
    *("cannot", "Gonna", "'tis", "''Twas", "can't", "''ll", "N'T", "Mr.", "No.", "U.S.", "i.e.", "5", "1,000", "14:10"),
    *("a/b", "²/3", "中/国", "...", "..", ".", ",", *";:@#$%&?!()[]{}<>-`'|/\\\"", " ", "  ", "\t", "\x01", "\xa0"),
    *(
        "é",
        "£",
        "©",
        "Ⓐ",
        "😀",
        "ⅷ",
        "½",
        "٣",
        "한",
        "_ELLIPSIS_",
        "\u2e80",
        "\ufd40",
        "〇",
        "\u200b",
        "$1",
        "-LRB-",
        "Word",
    ),
]


@settings(deadline=None)
@given(st.lists(st.sampled_from(ODD_PIECES)), st.sampled_from(["", " "]))
def test_penn_is_that_of_sacremoses(
    penn_of_sacremoses: Callable[[str], str], pieces: list[str], separator: str
) -> None:
    text = separator.join(pieces)
    assert load_tokenizer("penn").tokenize(text) == penn_of_sacremoses(text)


@pytest.mark.slow
def test_penn_of_public_texts_is_that_of_sacremoses(
    penn_of_sacremoses: Callable[[str], str], shared_path: Callable[[str], Path]
) -> None:
    tokenize = load_tokenizer("penn").tokenize
    for path in filter(Path.is_file, shared_path("data").rglob("*")):
        for line in path.read_text(encoding="utf-8", errors="replace").split("\n"):
            for text in (line, line.lower()):
                assert tokenize(text) == penn_of_sacremoses(text)


@given(ANYTHING | PIECES)
def test_treebank_sets_tokens_apart_by_one_blank(text: str) -> None:
    tokens = load_tokenizer("treebank").tokenize(text)
    assert tokens == " ".join(tokens.split())


@given(st.text())
def test_none_leaves_the_text_as_it_is(text: str) -> None:
    assert load_tokenizer("none").tokenize(text) == text


@settings(max_examples=15, deadline=None)  # the first call imports sacremoses
@given(PIECES)
def test_moses_is_that_of_sacremoses_without_escaping(text: str) -> None:
    sacremoses = pytest.importorskip("sacremoses")
    expected = sacremoses.MosesTokenizer().tokenize(text, return_str=True, escape=False)
    assert load_tokenizer("moses").tokenize(text) == expected


def test_moses_without_its_package_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"metrics-framework\[moses\]"):
        load_tokenizer("moses")


@pytest.mark.parametrize("name", tokenizer_names("word", "character"))
def test_tokenizers_can_go_to_another_process(name: str) -> None:
    text = "It isn't 3.5% (yet)."
    tokenize = load_tokenizer(name).tokenize
    assert pickle.loads(pickle.dumps(tokenize))(text) == tokenize(text)


NEW_TOKENIZER = '''
"""A tokenizer in one file."""

from metrics_framework.text.tokenizers.tokenizer import Tokenizer


@Tokenizer.register("hyphens")
class Hyphens(Tokenizer):
    """Separates hyphens."""

    def tokenize(self, text):
        return text.replace("-", " - ")
'''


def test_a_file_in_the_folder_of_tokenizers_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "tokenizers_of_a_test"
    shutil.copytree(Path(tokenizers.__path__[0]), package, ignore=shutil.ignore_patterns("__pycache__"))
    (package / "hyphens.py").write_text(NEW_TOKENIZER, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    found = Registry("tokenizer", home="tokenizers_of_a_test").names()
    assert found == sorted([*tokenizers.REGISTRY.names(), "hyphens"])


OFFERED = [  # metric, names that not all metrics offer
    ("sari", []),
    ("token-f1", ["char", "zh"]),
    ("bleu", ["char", "flores101", "flores200", "ja-mecab", "ko-mecab", "spBLEU-1K", "spm", "zh"]),
]


@pytest.mark.parametrize(("metric", "more"), OFFERED)
def test_a_metric_offers_the_tokenizers_that_fit_it(metric: str, more: list[str]) -> None:
    [option] = [one for one in options_of(Metric.by_name(metric), Metric) if one.name == "tokenizer"]
    assert list(option.choices) == sorted(["13a", "intl", "moses", "none", "penn", "treebank", *more])
