"""ROUGE: equal to ROUGE-1.5.5, by frozen outputs of the program, by hand, and by laws."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins import under

from metrics_framework.kernels import dispatch
from metrics_framework.kernels.dispatch import Request
from metrics_framework.metrics.rouge import PARTS, Rouge

NAMES = {"-n": "max_ngram", "-2": "skip_bigram_gap_length", "-w": "wlcs_weight", "-p": "alpha"}
IMPLEMENTATIONS = ["python", *(["native"] if dispatch.native_module is not None else [])]


def options_of(flags: list[str]) -> dict[str, Any]:
    """Returns the constructor options for flags of the program."""
    options: dict[str, Any] = {"compute_rouge_l": True}
    rest: Iterator[str] = iter(flags)
    for flag in rest:
        if flag in ("-m", "-s"):
            options[{"-m": "use_porter_stemmer", "-s": "remove_stopwords"}[flag]] = True
        elif flag in ("-b", "-l"):
            options[{"-b": "max_bytes", "-l": "max_words"}[flag]] = int(next(rest))
        elif flag == "-f":
            options["scoring_function"] = {"A": "average", "B": "max"}[next(rest)]
        elif flag in NAMES:
            options[NAMES[flag]] = json.loads(next(rest))
    return {"use_porter_stemmer": False, **options}


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
def test_frozen_outputs_of_the_program(shared_path: Callable[[str], Path], implementation: str) -> None:
    frozen = json.loads(shared_path("golden/rouge155.json").read_text("utf-8"))
    assert frozen["order"] == "recall, precision, f"
    compared = 0
    for case in frozen["cases"]:
        metric = Rouge(**options_of(case["options"]))
        found = under(implementation, metric.score, case["peer"], case["references"])
        expected = {
            name: dict(zip(PARTS, (round(value * 100, 3) for value in values), strict=True))
            for name, values in case["scores"].items()
        }
        assert found == expected, case["options"]
        compared += len(expected) * len(PARTS)
    assert compared == 224 * 8 * 3


MULTILING = {  # the averages that the program prints (Perl 5.36), recall, precision and F
    "rouge-1": (46.365, 47.293, 46.737),
    "rouge-su4": (19.999, 20.405, 20.161),
}


def test_the_average_of_the_program(shared_path: Callable[[str], Path]) -> None:
    lines = shared_path("data/multiling2011/summaries.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    summaries = [row["summary"]["text"] for row in rows]
    references = [[reference["text"] for reference in row["references"]] for row in rows]
    official, _ = Rouge(skip_bigram_gap_length=4, official_average=True).evaluate(summaries, references)
    for name, values in MULTILING.items():
        assert tuple(official[name].values()) == values
    plain, _ = Rouge().evaluate(summaries, references)
    assert [round(value, 2) for value in plain["rouge-1"].values()] == [46.36, 47.29, 46.73]


# R, P and F of small cases, as the program prints them
SMALL: list[tuple[str, Any, list[Any], dict[str, Any], dict[str, tuple[float, float, float]]]] = [
    ("nothing in common", "a b", ["c d"], {}, {"rouge-1": (0.0, 0.0, 0.0)}),
    ("no words", "", [""], {}, {"rouge-1": (0.0, 0.0, 0.0), "rouge-w-1.2": (0.0, 0.0, 0.0)}),
    ("hits are clipped", "a a a", ["a a b"], {}, {"rouge-1": (66.667, 66.667, 66.667)}),
    ("hits and units are summed", "a b", ["a b", "a x x x"], {}, {"rouge-1": (50.0, 75.0, 60.0)}),
    (
        "the best recall counts, the first of two",
        "a b c",
        ["x y", "a x", "a b x x"],
        {"scoring_function": "max"},
        {"rouge-1": (50.0, 33.333, 40.0)},
    ),
    ("alpha 1 is precision", "a b", ["a b c d"], {"alpha": 1}, {"rouge-1": (50.0, 100.0, 100.0)}),
    ("alpha 0 is recall", "a b", ["a b c d"], {"alpha": 0}, {"rouge-1": (50.0, 100.0, 50.0)}),
    ("a list is sentences", ["a b", "c d"], [["c d", "a b"]], {}, {"rouge-l": (100.0, 100.0, 100.0)}),
    ("lines are sentences", "a b\nc d", ["c d\na b"], {}, {"rouge-l": (100.0, 100.0, 100.0)}),
    ("a string is a sentence", "a b c d", ["c d a b"], {}, {"rouge-l": (50.0, 50.0, 50.0)}),
    ("the last word is no unigram of SU", "a", ["a"], {}, {"rouge-su4": (0.0, 0.0, 0.0)}),
    ("runs weigh more", "a b c", ["a b c"], {"wlcs_weight": 2.0}, {"rouge-w-2.0": (33.333, 100.0, 50.0)}),
    (
        "1 / 64 is a tie at five decimal places, rounded to even",
        " ".join(["a", *"bcdefghijklmnopqrstuvwxyz0123456789", *["z"] * 28]),
        ["a"],
        {"use_porter_stemmer": False},
        {"rouge-1": (100.0, 1.562, 3.076)},
    ),
]


@pytest.mark.parametrize(("why", "summary", "references", "options", "expected"), SMALL)
@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
def test_small_cases(
    why: str,
    summary: Any,
    references: list[Any],
    options: dict[str, Any],
    expected: dict[str, Any],
    implementation: str,
) -> None:
    metric = Rouge(**{"compute_rouge_l": True, "skip_bigram_gap_length": 4, "wlcs_weight": 1.2, **options})
    scores = under(implementation, metric.score, summary, references)
    assert {name: tuple(scores[name].values()) for name in expected} == expected


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
@pytest.mark.parametrize("option", ["max_bytes", "max_words", "skip_bigram_gap_length"])
def test_limits_beyond_all_texts(option: str, implementation: str) -> None:
    metric = Rouge(max_ngram=1, **{option: 10**30})  # the values of all three are integers
    assert under(implementation, metric.score, "a b c d", ["a b"])["rouge-1"]["precision"] == 50.0


def test_the_names_of_scores() -> None:
    metric = Rouge(max_ngram=1, compute_rouge_l=True, wlcs_weight=1.2, skip_bigram_gap_length=4)
    assert list(metric.score("a", ["a"])) == ["rouge-1", "rouge-l", "rouge-w-1.2", "rouge-s4", "rouge-su4"]
    metric = Rouge(max_ngram=2, wlcs_weight=2, skip_bigram_gap_length=-1)
    assert list(metric.score("a", ["a"])) == ["rouge-1", "rouge-2", "rouge-w-2.0", "rouge-s*", "rouge-su*"]


WORDS = st.lists(st.sampled_from(["a", "b", "cats", "cat", "the", "-", "é"]), max_size=12).map(" ".join)
TEXTS = WORDS | st.lists(WORDS, max_size=4)


@given(TEXTS)
def test_a_text_equals_itself(text: Any) -> None:
    scores = Rouge(max_ngram=1, compute_rouge_l=True).score(text, [text])
    assert set(scores["rouge-1"].values()) in ({100.0}, {0.0})
    assert scores["rouge-l"] == scores["rouge-1"]


@given(TEXTS, TEXTS)
def test_swapping_the_texts_swaps_recall_and_precision(one: Any, other: Any) -> None:
    metric = Rouge(max_ngram=2, skip_bigram_gap_length=1)
    there, back = metric.score(one, [other]), metric.score(other, [one])
    for name, values in there.items():
        assert values["recall"] == back[name]["precision"]


# ---- sentences -------------------------------------------------------------------------------------------------------

ONE_LINE = "The cat sat on the mat. It slept there. Dan left."
OTHER_LINE = "Dan left. The cat sat on the mat. It slept there."


def in_lines(text: str, separator: str = "\n") -> str:
    return text.replace(". ", f".{separator}")


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
@pytest.mark.parametrize("options", [{}, {"wlcs_weight": 1.2}, {"max_words": 7}, {"max_bytes": 30}, {"alpha": 0.2}])
def test_separated_sentences_have_the_scores_of_lines(options: dict[str, Any], implementation: str) -> None:
    by_line = Rouge(compute_rouge_l=True, **options)
    expected = under(implementation, by_line.score, in_lines(ONE_LINE), [in_lines(OTHER_LINE), in_lines(ONE_LINE[9:])])
    by_separator = Rouge(compute_rouge_l=True, sentences="<q>", **options)
    texts = in_lines(ONE_LINE, "<q>"), [in_lines(OTHER_LINE, "<q>"), in_lines(ONE_LINE[9:], "<q>")]
    assert under(implementation, by_separator.score, *texts) == expected
    assert under(implementation, by_line.score, *texts) != expected  # the separator is a word


@pytest.mark.parametrize("splitter", ["pysbd", "own"])
@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
def test_split_sentences_have_the_scores_of_lines(implementation: str, splitter: Any) -> None:
    if splitter == "pysbd":
        pytest.importorskip("pysbd")
    expected = Rouge(compute_rouge_l=True).score(in_lines(ONE_LINE), [in_lines(OTHER_LINE)])
    assert expected["rouge-l"]["f1"] == 100.0
    metric = Rouge(compute_rouge_l=True, sentences=splitter)
    assert under(implementation, metric.score, ONE_LINE, [OTHER_LINE]) == expected
    assert under(implementation, metric.score, in_lines(ONE_LINE), [in_lines(OTHER_LINE).split("\n")]) == expected
    whole = Rouge(compute_rouge_l=True, sentences="none")
    assert under(implementation, whole.score, in_lines(ONE_LINE), [in_lines(OTHER_LINE)])["rouge-l"]["f1"] < 100


SENTENCES = WORDS | st.lists(WORDS, max_size=4).map("<q>".join) | st.lists(WORDS, max_size=4).map("\n".join)


@settings(max_examples=30)
@given(SENTENCES, st.lists(SENTENCES | st.lists(SENTENCES, max_size=3), min_size=1, max_size=4))
def test_both_implementations_split_alike(summary: str, references: list[Any]) -> None:
    for name in ("<q>", "none", "own"):
        metric = Rouge(compute_rouge_l=True, wlcs_weight=1.2, sentences=name)
        scores = [under(one, metric.score_multi, [summary], references) for one in IMPLEMENTATIONS]
        jackknifed = [
            under(one, metric.score_batch, Request.SCORES | Request.JACKKNIFED, [[summary]], [references])
            for one in IMPLEMENTATIONS
        ]
        assert scores[0] == scores[-1]
        assert [one.jackknifed for one in jackknifed] == [jackknifed[0].jackknifed] * len(jackknifed)


def test_pairs_are_split() -> None:
    metric = Rouge(compute_rouge_l=True, sentences="<q>")
    texts = [in_lines(ONE_LINE, "<q>"), in_lines(OTHER_LINE, "<q>")]
    assert metric.pairwise(texts, score="rouge-l_f1").tolist() == [[100.0, 100.0], [100.0, 100.0]]
