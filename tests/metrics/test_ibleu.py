"""iBLEU and FKBLEU: by hand, BLEU and FKGL themselves as oracles, and published values."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from public_texts import simplicity_da
from strategies import references, texts

from metrics_framework.metrics.base.metric import load
from metrics_framework.metrics.ibleu import FkBleu, IBleu

SharedPath = Callable[[str], Path]

OPTIONS: list[dict[str, Any]] = [
    {},
    {"smooth_method": "floor", "smooth_value": 0.0, "effective_order": False},
    {"smooth_method": "add-k", "max_ngram_order": 2, "tokenizer": "penn", "lowercase": True},
    {"tokenizer": "none", "max_ngram_order": 1},
]
ROWS = st.lists(st.tuples(texts(), references(3), texts()), min_size=1, max_size=4)


# ---- by hand --------------------------------------------------------------------------------------------------------


def test_scores_by_hand() -> None:
    one = {"max_ngram_order": 1, "smooth_method": "none"}
    # 3 of 4 words are in the reference, 2 of 4 in the source: 0.9 · 75 − 0.1 · 50
    assert load("ibleu", **one).score("a b c x", ["a b c d"], "a x e f") == {"ibleu": pytest.approx(62.5)}
    assert load("ibleu", alpha=0.5, **one).score("a b c x", ["a b c d"], "a x e f")["ibleu"] == pytest.approx(12.5)
    # 4 words of 4 syllables and 4 of 6: FKGL is 0 and 0.39 · 4 + 11.8 · 1.5 − 15.59 = 3.67
    scores = load("fkbleu", splitter="none", **one).score("mat but can x", ["mat but can d"], "mat x able able")
    assert scores["fkbleu"] == pytest.approx(62.5 / (1 + math.exp(grade("mat x able able"))))


def grade(text: str) -> float:
    found: float = load("fkgl", splitter="none").score(text)["fkgl"]
    return found


def test_a_copy_of_the_source_is_below_zero_and_one_of_the_reference_near_90() -> None:
    metric = IBleu()
    assert metric.score("a b c d", ["e f g h"], "a b c d")["ibleu"] == pytest.approx(-10)
    assert metric.score("a b c d", ["a b c d"], "e f g h")["ibleu"] == pytest.approx(90)


def test_an_output_of_two_words_has_a_score_by_default() -> None:
    assert IBleu().score("a b", ["a b"], "c")["ibleu"] == pytest.approx(90)
    assert IBleu(effective_order=False).score("a b", ["a b"], "c")["ibleu"] == 0


def test_the_factor_of_fkbleu_is_a_half_for_equal_grades_and_goes_to_0_and_1() -> None:
    metric, hard = FkBleu(splitter="none", max_ngram_order=1), "incomprehensibility " * 3000
    assert metric.score("a b", ["a b"], "c d")["fkbleu"] == pytest.approx(45)
    assert metric.score("a b", ["a b"], hard)["fkbleu"] == 0
    assert metric.score(hard, [hard], "c d")["fkbleu"] == pytest.approx(90)


# ---- BLEU and FKGL themselves ---------------------------------------------------------------------------------------


def bleu(options: dict[str, Any], summaries: list[str], references_list: list[list[str]]) -> list[float]:
    """Returns BLEU of all outputs, then of each."""
    macro, micro = load("bleu", **{"effective_order": True, **options}).evaluate(summaries, references_list)
    return [scores["bleu"] for scores in (macro, *micro)]


def expected_of(options: dict[str, Any], rows: list[tuple[str, list[str], str]]) -> tuple[list[float], list[float]]:
    summaries, references_list, sources = map(list, zip(*rows, strict=True))
    against_references = bleu(options, summaries, references_list)
    against_sources = bleu(options, summaries, [[source] for source in sources])
    fkgl = load("fkgl", splitter="pysbd", tokenizer=options.get("tokenizer", "13a"))
    grades = []
    for column in (summaries, sources):
        macro, micro = fkgl.evaluate(column)
        grades.append([scores["fkgl"] if scores["fkgl_words"] else 0.0 for scores in (macro, *micro)])
    ibleu = [0.9 * one - 0.1 * other for one, other in zip(against_references, against_sources, strict=True)]
    return ibleu, [score / (1 + math.exp(before - after)) for score, after, before in zip(ibleu, *grades, strict=True)]


@settings(max_examples=25)
@given(ROWS, st.sampled_from(OPTIONS))
def test_scores_are_made_of_those_of_bleu_and_fkgl(
    rows: list[tuple[str, list[str], str]], options: dict[str, Any]
) -> None:
    ibleu, fkbleu = expected_of(options, rows)
    columns = [list(column) for column in zip(*rows, strict=True)]
    for metric, name, expected in (
        (IBleu(**options), "ibleu", ibleu),
        (FkBleu(splitter="pysbd", **options), "fkbleu", fkbleu),
    ):
        macro, micro = metric.evaluate(*columns)
        assert [scores[name] for scores in (macro, *micro)] == pytest.approx(expected, abs=1e-9)


# ---- published numbers ----------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_scores_published_with_simplicity_da(shared_path: SharedPath) -> None:
    """The published scores smooth the BLEU against the references with floor 0, that against the source with exp.

    So iBLEU is equal where the source needs no smoothing, for 551 of 600, and the formula with both parts for all but
    one, whose exp-smoothed BLEU without any match was not 0 in sacreBLEU 1.
    """
    summaries, references_list, sources, expected = simplicity_da(shared_path, "ibleu")
    floor = {"smooth_method": "floor", "smooth_value": 0.0, "tokenizer": "moses"}
    found = [scores["ibleu"] for scores in IBleu(**floor).score_all(summaries, references_list, sources)]
    assert equal(found, expected) == 551

    to_references = load("sent-bleu", **floor).score_all(summaries, references_list)
    to_sources = load("bleu", tokenizer="moses").score_all(summaries, [[source] for source in sources])
    both = [0.9 * a["sent-bleu"] - 0.1 * b["bleu"] for a, b in zip(to_references, to_sources, strict=True)]
    assert equal(both, expected) == 599


@pytest.mark.usefixtures("by_punkt")
def test_factors_published_with_simplicity_da(shared_path: SharedPath) -> None:
    """FKBLEU is the published iBLEU with the factor that this metric takes, for all outputs."""
    summaries, _, sources, ibleu = simplicity_da(shared_path, "ibleu")
    expected = simplicity_da(shared_path, "fkbleu")[-1]
    metric = FkBleu(tokenizer="moses", splitter="punkt", alpha=1.0, max_ngram_order=1)
    scores = metric.score_all(summaries, [[text] for text in summaries], sources)
    assert len(scores) == 600
    found = [score["fkbleu"] / 100 * value for score, value in zip(scores, ibleu, strict=True)]
    assert equal(found, expected) == 600


def equal(found: list[float], expected: list[float]) -> int:
    return sum(abs(one - other) < 1e-6 for one, other in zip(found, expected, strict=True))
