"""FKGL: by hand, published values, and what decides the value."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from public_texts import lines, simplicity_da
from strategies import texts

from metrics_framework.metrics.base.metric import load
from metrics_framework.metrics.fkgl import Fkgl
from metrics_framework.text.readability import grade_level

SharedPath = Callable[[str], Path]


# ---- by hand --------------------------------------------------------------------------------------------------------

CASES = [  # text, options, words, sentences, syllables, why
    ("The cat sat.", {}, 4, 1, 3, "the full stop is a word of no syllables"),
    ("The cat sat.", {"tokenizer": "none"}, 3, 1, 3, "here it is not"),
    ("A cat. It sat.", {"splitter": "none"}, 6, 1, 4, "one text, one sentence"),
    ("A cat. It sat.", {"splitter": "pysbd"}, 6, 2, 4, "two sentences"),
    (["A cat.", "It sat."], {"splitter": "none"}, 6, 2, 4, "a list of sentences"),
    (["A cat", "it sat"], {"splitter": "pysbd"}, 4, 2, 4, "none goes on into the next"),
    (["A cat. It sat.", "In St. Louis"], {"splitter": "pysbd"}, 10, 2, 8, "several are not cut any further"),
    (["A cat. It sat.", ""], {"splitter": "pysbd"}, 6, 2, 4, "an empty one is none; one alone is cut"),
    ("In St. Louis", {"splitter": "pysbd"}, 4, 2, 4, "once tokenized, St is no abbreviation: st . | louis"),
    ("", {}, 0, 0, 0, "nothing"),
    (" \n", {}, 0, 0, 0, "white space only"),
    ([], {}, 0, 0, 0, "no sentences"),
]


@pytest.mark.parametrize(("text", "options", "words", "sentences", "syllables", "why"), CASES)
def test_counts_by_hand(text: Any, options: Any, words: int, sentences: int, syllables: int, why: str) -> None:
    scores = load("fkgl", **{"splitter": "none", **options}).score(text)
    counts = [scores["fkgl_words"], scores["fkgl_sentences"], scores["fkgl_syllables"]]
    assert counts == [words, sentences, syllables], why
    assert all(type(count) is int for count in counts)


def test_the_formula_by_hand() -> None:
    assert grade_level(10, 2, 20) == pytest.approx(0.39 * 5 + 11.8 * 2 - 15.59)
    assert grade_level(10, 10, 10) == 0.0  # below 0


@pytest.mark.parametrize("text", ["", " \n", [], ["", " "]])
def test_a_text_without_words_has_no_grade_instead_of_the_best(text: Any) -> None:
    assert math.isnan(Fkgl(splitter="none").score(text)["fkgl"])
    macro, micro = Fkgl(splitter="none").evaluate([text, text])
    assert math.isnan(macro["fkgl"])
    assert math.isnan(micro[1]["fkgl"])
    assert [macro["fkgl_words"], macro["fkgl_sentences"], macro["fkgl_syllables"]] == [0, 0, 0]


def test_the_score_of_a_corpus_is_that_of_the_sums_and_not_the_mean() -> None:
    macro, micro = Fkgl(splitter="none").evaluate(["incomprehensibility", "a cat sat on a mat"])
    # 7 words, 2 sentences, 8 + 6 syllables; the mean would be (79.2 + 0) / 2
    assert [scores["fkgl_syllables"] for scores in micro] == [8, 6]
    assert macro["fkgl"] == pytest.approx(0.39 * 7 / 2 + 11.8 * 14 / 7 - 15.59)


@settings(max_examples=30)
@given(st.lists(texts(), min_size=1, max_size=4))
def test_an_empty_text_changes_nothing(summaries: list[str]) -> None:
    metric = Fkgl(splitter="pysbd")
    longer, given = metric.evaluate([*summaries, "", " "])[0], metric.evaluate(summaries)[0]
    assert longer == given or (longer["fkgl_words"] == 0 and math.isnan(longer["fkgl"]) and math.isnan(given["fkgl"]))


def test_upper_case_decides_nothing_but_the_sentences() -> None:
    cased, lower = Fkgl(lowercase=False, splitter="none"), Fkgl(splitter="none")
    assert cased.score("The THEORY is Able.") == lower.score("The THEORY is Able.")


# ---- published numbers ----------------------------------------------------------------------------------------------


def grades(shared_path: SharedPath, splitter: Any) -> list[float]:
    folder = shared_path("data/turkcorpus/tokenized")
    texts = [lines(folder / f"test.8turkers.tok.{name}") for name in ("norm", "turk.0")]
    return [round(Fkgl(splitter=splitter).evaluate(text)[0]["fkgl"], 4) for text in texts]


def published(shared_path: SharedPath, splitter: Any) -> int:
    """Returns how many of the 600 outputs of Simplicity-DA have the published score."""
    summaries, _, _, expected = simplicity_da(shared_path, "fkgl")
    scores = Fkgl(tokenizer="moses", splitter=splitter).score_all(summaries)
    return sum(score["fkgl"] == pytest.approx(value, abs=1e-9) for score, value in zip(scores, expected, strict=True))


TURKCORPUS = {  # FKGL of the source and of the first reference, as EASSE computes it with each splitter
    "punkt": (9.9431, 8.2212),
    "pysbd": (10.0101, 8.2788),
    "none": (10.4105, 8.5816),
}


@pytest.mark.parametrize("splitter", ["pysbd", "none"])
def test_scores_of_turkcorpus(splitter: str, shared_path: SharedPath) -> None:
    assert grades(shared_path, splitter) == list(TURKCORPUS[splitter])


@pytest.mark.usefixtures("by_punkt")
def test_scores_of_turkcorpus_with_punkt(shared_path: SharedPath) -> None:
    assert grades(shared_path, "punkt") == list(TURKCORPUS["punkt"])


@pytest.mark.usefixtures("by_punkt")
def test_scores_published_with_simplicity_da(shared_path: SharedPath) -> None:
    assert published(shared_path, "punkt") == 600


@pytest.mark.slow
def test_other_splitters_give_other_scores_for_some_of_the_published(shared_path: SharedPath) -> None:
    assert published(shared_path, "pysbd") == 581
    assert published(shared_path, "none") == 564
