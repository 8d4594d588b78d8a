"""Sentences: the real packages, texts that need not be given to them, and what is said where one is missing."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pysbd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import sampled

from metrics_framework.common.errors import MissingExtraError, UnknownChoiceError, UsageError
from metrics_framework.metrics.base.metric import load
from metrics_framework.text import sentences
from metrics_framework.text.sentences import (
    SentenceLines,
    SplitterName,
    pysbd_sentences,
    resolve_splitter,
    sentence_splitter,
    sentences_of,
)
from metrics_framework.text.tokenizers.tokenizer import load_tokenizer

tokenize_13a = load_tokenizer("13a").tokenize

SharedPath = Callable[[str], Path]

# What the two packages have rules for: abbreviations, numbers of lists, initials, quotes, brackets, ellipses, blanks.
ORDINARY = ["the", "cat", "Mr", "St", "No", "i", "xv", "a", "B", "1", "12", "13", "3.5", "2008", "Yahoo", "é", "İ", "ſ"]
MARKS = [".", "!", "?", "...", ",", ";", ":", "'", '"', "“", "”", "’", "(", ")", "[", "]", "-", "--", "/", "$", "'s"]
ODD = ["…", "。", "«", "\\", "\n", "\r", "\t", "\x1c", "\x85", "\u2028", "\u00a0", "ȸ", "∯", "ƪ", "&ᓴ&", "°", "U.S."]
NEAR_ORDINARY = st.lists(st.sampled_from([*ORDINARY, *MARKS, *[" "] * 12]), max_size=14).map("".join)
TEXTS = (
    st.tuples(NEAR_ORDINARY, st.sampled_from(["", ".", "?", "!", " ."])).map("".join)
    | st.lists(st.sampled_from([*ORDINARY, *MARKS, *ODD, *[" "] * 12]), max_size=14).map("".join)
    | st.text(st.characters(exclude_categories=()), max_size=12)
)
FILES = [
    *(f"data/turkcorpus/tokenized/test.8turkers.tok.{name}" for name in ("norm", "simp", "turk.0", "turk.5")),
    *(f"data/turkcorpus/detok/test.truecase.detok.{name}" for name in ("orig", "simp.1", "simp.7")),
    *(f"data/asset/asset.test.{name}" for name in ("orig", "simp.0", "simp.4", "simp.9")),
    *(f"data/pwkp/pwkp.test.{name}" for name in ("orig", "simp")),
    "data/turkcorpus/outputs/detok/Hybrid.txt",
    "data/turkcorpus/outputs/tokenized/SBMT-SARI.txt",
]


def by_pysbd(text: str) -> list[str]:
    found: list[str] = pysbd.Segmenter(language="en", clean=False).segment(text)
    return found


@pytest.fixture
def no_punkt_data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """Lets nltk search an empty folder only."""
    data = pytest.importorskip("nltk.data")
    monkeypatch.setattr(data, "path", [str(tmp_path)])
    sentences._punkt.cache_clear()
    yield tmp_path
    sentences._punkt.cache_clear()


# ---- the real packages ----------------------------------------------------------------------------------------------


@settings(max_examples=150)
@given(TEXTS)
def test_sentences_equal_those_of_pysbd_on_any_text(text: str) -> None:
    assert list(pysbd_sentences(text)) == by_pysbd(text)


def test_sentences_equal_those_of_punkt_on_any_text(by_punkt: Callable[[str], list[str]]) -> None:
    @settings(max_examples=500)
    @given(TEXTS)
    def check(text: str) -> None:
        assert list(sentence_splitter("punkt")(text)) == by_punkt(text)

    check()


def data_lines(shared_path: SharedPath, name: str) -> list[str]:
    """Returns the different lines of a file, as they are and as they are counted."""
    lines = shared_path(name).read_text(encoding="utf-8").split("\n")
    return list(dict.fromkeys([*lines, *(tokenize_13a(line.lower()) for line in lines)]))


@pytest.mark.parametrize("name", sampled(FILES, 1))
def test_sentences_of_data_equal_those_of_pysbd(name: str, shared_path: SharedPath) -> None:
    texts = data_lines(shared_path, name)
    whole = [text for text in texts if sentences._is_one_sentence_for_pysbd(text)]
    assert len(whole) > len(texts) / 2
    for text in [*whole, *texts[::5]]:
        assert list(pysbd_sentences(text)) == by_pysbd(text)


@pytest.mark.parametrize("name", sampled(FILES, 1))
def test_sentences_of_data_equal_those_of_punkt(
    name: str, shared_path: SharedPath, by_punkt: Callable[[str], list[str]]
) -> None:
    split = sentence_splitter("punkt")
    for text in data_lines(shared_path, name):
        assert list(split(text)) == by_punkt(text)


def test_pysbd_gets_every_kind_of_text_that_is_left_whole_right() -> None:
    for text in (
        "The cat sat on the mat .",
        "It cost 3.5 % (of all) in \"May\" -- 'so' it was",
        "He lives in St. Louis .",
        "a) one b) two",
        "See (1) and (2) now",
        "It is post-' New",
        "  two blanks.",
        "a  b",
    ):
        assert list(pysbd_sentences(text)) == by_pysbd(text), text


# ---- what the splitters do ------------------------------------------------------------------------------------------

CASES = [  # splitter, text, sentences, why
    ("pysbd", "One. Two.", ("One. ", "Two."), "the white space between two belongs to the first"),
    ("pysbd", "Mr. Li came.\nHe sat.", ("Mr. Li came.\n", "He sat."), "a line end ends a sentence"),
    ("pysbd", "one\ntwo", ("one\n", "two"), "without a mark too"),
    ("pysbd", "a ", ("a ",), "white space at the end stays"),
    ("pysbd", "", (), "nothing"),
    ("pysbd", " \n", (), "white space only"),
    ("own", "One. Two.", ("One.", "Two."), "without whitespace at the ends"),
    (
        "own",
        "It cost 3.5. 4 left! “Why?” (He knew.) So …",
        ("It cost 3.5.", "4 left!", "“Why?”", "(He knew.)", "So …"),
        "",
    ),
    (
        "own",
        "Mr. J. Li of the U.S. met Dr. Wu, e.g. here.",
        ("Mr. J. Li of the U.S. met Dr. Wu, e.g. here.",),
        "no ends",
    ),
    ("own", "he sat . she left ! yes", ("he sat .", "she left !", "yes"), "a mark by itself always ends a sentence"),
    ("own", "No! it said... nothing", ("No! it said... nothing",), "no capital, no end"),
    ("own", "Is it (st.)? St.! Ok", ("Is it (st.)?", "St.!", "Ok"), "only a period abbreviates"),
    ("own", " One\n\ntwo. ", ("One", "two."), "a line break ends a sentence"),
    ("own", "", (), "nothing"),
    ("own", " \n", (), "white space only"),
    ("lines", "One. Two.\n \nThree<q>.", ("One. Two.", "Three<q>."), "lines with more than white space"),
    ("<q>", "One. Two.<q>Three\n.<q>", ("One. Two.", "Three", "."), "lines, too"),
    ("none", "One. Two.", ("One. Two.",), "a text is a sentence"),
    ("none", "", (), "nothing"),
    ("none", " \n", (), "white space only"),
]
CASES_OF_PUNKT = [
    ("One. Two.", ("One.", "Two."), "no white space between them"),
    ("Mr. Li came.\nHe sat.", ("Mr. Li came.", "He sat."), "an abbreviation that its data knows"),
    ("one\ntwo", ("one\ntwo",), "a line end is white space"),
    ("he sat . she", ("he sat .", "she"), "a mark by itself always ends a sentence"),
    ("on may 5. it was", ("on may 5. it was",), "no capital, no sentence"),
    (" a cat. ", (" a cat.",), "white space stays at the start only"),
    ("", (), "nothing"),
    (" \n", (), "white space only"),
]


@pytest.mark.parametrize(("name", "text", "expected", "why"), CASES)
def test_sentences_by_hand(name: Any, text: str, expected: tuple[str, ...], why: str) -> None:
    assert tuple(sentence_splitter(name)(text)) == expected, why


@pytest.mark.usefixtures("by_punkt")
@pytest.mark.parametrize(("text", "expected", "why"), CASES_OF_PUNKT)
def test_sentences_of_punkt_by_hand(text: str, expected: tuple[str, ...], why: str) -> None:
    assert tuple(sentence_splitter("punkt")(text)) == expected, why


def test_a_list_of_sentences_is_not_cut() -> None:
    split = sentence_splitter("pysbd")
    assert sentences_of("One. Two.", split) == ("One. ", "Two.")
    assert sentences_of(["One. Two.", " ", "Three."], split) == ["One. Two.", "Three."]


def test_a_list_of_one_sentence_is_cut_as_that_is() -> None:
    split = sentence_splitter("pysbd")
    for text in ("One. Two.", ["One. Two."], ["", "One. Two.", " "]):
        assert sentences_of(text, split) == ("One. ", "Two.")
    assert list(sentences_of([" "], split)) == list(sentences_of([], split)) == []


def test_a_splitter_can_go_to_another_process() -> None:
    split = sentence_splitter("pysbd")
    assert pickle.loads(pickle.dumps(split)) is split


def test_texts_that_were_cut_are_known_and_only_these() -> None:
    sentences._split_by_pysbd.cache_clear()
    for text in ("The cat sat.", "It is. It was.", "It is. It was."):
        pysbd_sentences(text)
    assert sentences._split_by_pysbd.cache_info()[:2] == (1, 1)  # hits, misses
    assert sentences._split_by_pysbd.cache_info().maxsize is not None


def test_long_texts_are_not_known_for_they_would_fill_the_memory() -> None:
    sentences._split_by_pysbd.cache_clear()
    text = "It is. It was. " * 200
    assert [list(pysbd_sentences(text)) for _ in range(2)] == [by_pysbd(text)] * 2
    assert sentences._split_by_pysbd.cache_info().currsize == 0


def test_long_texts_are_not_known_to_punkt_either(by_punkt: Callable[[str], list[str]]) -> None:
    sentences._split_by_punkt.cache_clear()
    text = "It is. It was. " * 200
    assert [list(sentence_splitter("punkt")(text)) for _ in range(2)] == [by_punkt(text)] * 2
    assert sentences._split_by_punkt.cache_info().currsize == 0


@pytest.mark.parametrize("name", ["fkgl", "fkbleu", "quality-estimation"])
def test_signatures_have_the_version_of_the_splitter(name: str) -> None:
    options = {"lexical_complexity": False} if name == "quality-estimation" else {}
    assert f"|split:pysbd.{version('pysbd')}|" in load(name, splitter="pysbd", **options).signature()


# ---- names, and what is missing -------------------------------------------------------------------------------------


@pytest.mark.usefixtures("by_punkt")
def test_auto_is_punkt_where_its_data_is_and_the_signature_says_so() -> None:
    assert resolve_splitter("auto") == "punkt"
    assert f"|split:punkt.{version('nltk')}|" in load("fkgl").signature()


def test_auto_is_pysbd_without_the_data_of_punkt_and_the_signature_says_so(no_punkt_data: Path) -> None:
    assert resolve_splitter("auto") == "pysbd"
    assert f"|split:pysbd.{version('pysbd')}|" in load("fkgl").signature()


def test_auto_is_pysbd_without_nltk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nltk.data", None)
    monkeypatch.setitem(sys.modules, "nltk", None)
    sentences._punkt.cache_clear()
    assert resolve_splitter("auto") == "pysbd"
    with pytest.raises(MissingExtraError, match=r"'punkt' needs the package 'nltk'.*metrics-framework\[punkt\]"):
        sentence_splitter("punkt")


def test_without_pysbd_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pysbd", None)
    sentences._pysbd.cache_clear()
    with pytest.raises(MissingExtraError, match=r"'fkgl' needs the package 'pysbd' for .*metrics-framework\[simplif"):
        load("fkgl", splitter="pysbd")


def test_punkt_without_its_data_says_which_and_how_to_get_it(no_punkt_data: Path) -> None:
    with pytest.raises(UsageError) as caught:
        load("fkgl", splitter="punkt")
    message = str(caught.value)
    assert "tokenizers/punkt_tab/english/" in message
    assert str(no_punkt_data) in message
    assert "python -m nltk.downloader punkt_tab" in message
    assert "NLTK_DATA" in message


def test_no_warning_of_pysbd_reaches_anybody(tmp_path: Path) -> None:
    """Python warns of its escapes when it is compiled for the first time."""
    script = (
        "from metrics_framework.text.sentences import pysbd_sentences as cut; print(cut('It is. He asked \"Why?\"'))"
    )
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(tmp_path)}
    command = [sys.executable, "-W", "error", "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert (done.stdout, done.stderr) == ("('It is. ', 'He asked \"Why?\"')\n", "")


CASES_OF_LINES: list[tuple[Any, Any, str, str]] = [
    ("lines", "It rained. Dan left.\nYes.", "It rained. Dan left.\nYes.", "line breaks alone"),
    ("lines", ["It rained. Dan left.", "Yes."], "It rained. Dan left.\nYes.", "the items of a list"),
    ("<q>", "It rained.<q>Dan left.\nYes. <q> No.", "It rained.\nDan left.\nYes. \n No.", "line breaks too"),
    ("|||", "It rained. ||| Dan left.\nYes.", "It rained.\nDan left.\nYes.", "any separator"),
    ("<q>", ["It rained.<q>Dan left.", "Yes."], "It rained.\nDan left.\nYes.", "within the items of a list"),
    ("pysbd", "It rained. Dan\nleft. Yes.", "It rained. \nDan \nleft. \nYes.", "pysbd also splits at line breaks"),
    ("pysbd", ["It rained. Dan left.", "Yes."], "It rained. Dan left.\nYes.", "a list of sentences stays as it is"),
    ("pysbd", ["It rained. Dan left."], "It rained. \nDan left.", "a list of one string is a string"),
    ("none", "It rained.\nDan left.", "It rained. Dan left.", "one sentence"),
    ("own", "It rained. Dan\nleft. yes.", "It rained.\nDan\nleft. yes.", "a line break ends a sentence"),
    ("own", ["It rained. Dan left.", "Yes."], "It rained. Dan left.\nYes.", "a list of sentences stays as it is"),
]


@pytest.mark.parametrize(
    ("name", "text", "expected", "why"), CASES_OF_LINES, ids=[f"{row[0]}: {row[3]}" for row in CASES_OF_LINES]
)
def test_sentences_are_on_lines(name: SplitterName, text: Any, expected: str, why: str) -> None:
    if name == "pysbd":
        pytest.importorskip("pysbd")
    assert [line.strip() for line in SentenceLines(name)(text).split("\n")] == [
        line.strip() for line in expected.split("\n")
    ]


def test_signatures_name_all_but_the_default() -> None:
    assert SentenceLines("lines").signature_options() == {}
    assert SentenceLines("<q>").signature_options() == {"split": "<q>"}
    assert SentenceLines("a|b;%").signature_options() == {"split": "a%7Cb%3B%25"}
    assert SentenceLines("none").signature_options() == {"split": "none"}


def test_unknown_names_are_refused() -> None:
    with pytest.raises(
        UnknownChoiceError, match="'sentences' must be one of auto, own, punkt, pysbd, none, lines, <q>"
    ):
        SentenceLines("spacy")
