"""Sentences as lines: each way to split texts, and the signature that names it."""

from __future__ import annotations

from typing import Any

import pytest

from metrics_framework.common.errors import UnknownChoiceError
from metrics_framework.text.sentence_lines import SentenceLines
from metrics_framework.text.sentences import SplitterName

CASES: list[tuple[Any, Any, str, str]] = [
    ("lines", "It rained. Dan left.\nYes.", "It rained. Dan left.\nYes.", "line breaks alone"),
    ("lines", ["It rained. Dan left.", "Yes."], "It rained. Dan left.\nYes.", "the items of a list"),
    ("<q>", "It rained.<q>Dan left.\nYes. <q> No.", "It rained.\nDan left.\nYes. \n No.", "line breaks too"),
    ("<q>", ["It rained.<q>Dan left.", "Yes."], "It rained.\nDan left.\nYes.", "within the items of a list"),
    ("pysbd", "It rained. Dan\nleft. Yes.", "It rained. \nDan \nleft. \nYes.", "pysbd also splits at line breaks"),
    ("pysbd", ["It rained. Dan left.", "Yes."], "It rained. Dan left.\nYes.", "a list of sentences stays as it is"),
    ("pysbd", ["It rained. Dan left."], "It rained. \nDan left.", "a list of one string is a string"),
    ("none", "It rained.\nDan left.", "It rained. Dan left.", "one sentence"),
    ("own", "It rained. Dan\nleft. yes.", "It rained.\nDan\nleft. yes.", "a line break ends a sentence"),
    ("own", ["It rained. Dan left.", "Yes."], "It rained. Dan left.\nYes.", "a list of sentences stays as it is"),
]


@pytest.mark.parametrize(("name", "text", "expected", "why"), CASES, ids=[f"{row[0]}: {row[3]}" for row in CASES])
def test_sentences_are_on_lines(name: SplitterName, text: Any, expected: str, why: str) -> None:
    if name == "pysbd":
        pytest.importorskip("pysbd")
    assert [line.strip() for line in SentenceLines(name)(text).split("\n")] == [
        line.strip() for line in expected.split("\n")
    ]


def test_signatures_name_all_but_the_default() -> None:
    assert SentenceLines("lines").signature_options() == {}
    assert SentenceLines("<q>").signature_options() == {"split": "<q>"}
    assert SentenceLines("none").signature_options() == {"split": "none"}


def test_unknown_names_are_refused() -> None:
    with pytest.raises(
        UnknownChoiceError, match="'sentences' must be one of auto, own, punkt, pysbd, none, lines, <q>"
    ):
        SentenceLines("spacy")  # type: ignore[arg-type]
