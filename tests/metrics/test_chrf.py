"""chrF: sacreBLEU itself to the last bit, and what the options do."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kept_results import kept
from sacrebleu import __version__ as sacrebleu_version
from sacrebleu.metrics import CHRF

from metrics_framework.common.errors import InputError, UsageError
from metrics_framework.common.options import options_of
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.signature import SACREBLEU_VERSION
from metrics_framework.integrations import hugging_face
from metrics_framework.metrics.base.metric import Metric, load
from metrics_framework.metrics.chrf import Chrf

pytestmark = pytest.mark.usefixtures("kernels")

SharedPath = Callable[[str], Path]

SYSTEMS = ["SBMT-SARI", "PBMT-R", "Dress-Ls", "Hybrid"]
FILES = {"detok": "test.truecase.detok.simp", "tokenized": "test.8turkers.tok.turk"}
ORDERS = [(6, 0), (6, 2), (6, 1), (1, 0), (3, 4), (0, 2), (9, 0)]  # of characters, of words
COMBINATIONS: list[dict[str, Any]] = [
    dict(zip(("char_order", "word_order", "beta", "lowercase", "whitespace", "eps_smoothing"), values, strict=True))
    for values in (
        (*orders, beta, *switches)
        for orders, beta, switches in itertools.product(
            ORDERS, (2, 1, 3, 0), itertools.product([False, True], repeat=3)
        )
    )
]


def by_sacrebleu(
    options: dict[str, Any], summaries: Sequence[str], references_list: Sequence[Sequence[str]]
) -> tuple[dict[str, float], list[dict[str, float]]]:
    """Returns the score of the corpus and of each sentence, for the price of one of them."""
    metric = CHRF(**options)
    statistics = metric._extract_corpus_statistics(summaries, list(itertools.zip_longest(*references_list)))
    scores = [metric._aggregate_and_compute(part).score for part in (statistics, *([one] for one in statistics))]
    corpus, *sentences = ({"chrf": score} for score in scores)
    return corpus, sentences


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")


def turkcorpus(shared_path: SharedPath, form: str, system: str) -> tuple[list[str], list[list[str]]]:
    folder = shared_path(f"data/turkcorpus/{form}")
    columns = [lines(folder / f"{FILES[form]}.{index}") for index in range(8)]
    outputs = lines(shared_path(f"data/turkcorpus/outputs/{form}/{system}.txt"))
    return outputs, [list(row) for row in zip(*columns, strict=True)]


kept_by_sacrebleu = kept(by_sacrebleu)


# ---- by hand --------------------------------------------------------------------------------------------------------

CASES = [  # summary, references, options, score, why
    ("abc", ["abc"], {}, 100.0, "equal texts, of orders 1 to 3"),
    ("a b c", ["abc"], {}, 100.0, "white space is no character"),
    ("a b", ["ab"], {"whitespace": True, "char_order": 1, "beta": 1}, 80.0, "with it P = 2/3, R = 1"),
    ("abc", ["abd"], {}, 100 * (2 / 3 + 1 / 2) / 3, "a and b, ab, nothing of order 3: P = R"),
    ("ab", ["abcd"], {"char_order": 1}, 100 * 5 * 1 * 0.5 / (4 * 1 + 0.5), "P = 1, R = 1/2, recall four times"),
    ("ab", ["abcd"], {"char_order": 1, "beta": 0}, 100.0, "beta 0: precision alone"),
    ("aab", ["ab"], {"char_order": 1, "beta": 1}, 80.0, "the second a has no counterpart: P = 2/3, R = 1"),
    ("ab", ["ab"], {"char_order": 6, "eps_smoothing": True}, 100 * 2 / 6, "orders without n-grams count as 0"),
    ("a b", ["a c"], {"char_order": 0, "word_order": 1}, 50.0, "words: one of two"),
    ("(hi)", ["(hi!"], {"char_order": 0, "word_order": 1}, 50.0, "only the mark at the end is cut off: (hi is shared"),
    ("(hi", ["( hi"], {"char_order": 0, "word_order": 1}, 100.0, "at the start where there is none at the end"),
    ("", ["a"], {}, 0.0, "an empty summary"),
    ("a", [""], {}, 0.0, "an empty reference"),
    ("", [""], {}, 0.0, "both"),
    ("ÄB", ["äb"], {"lowercase": True}, 100.0, "case does not count"),
    ("ab", ["xy", "ab", "a"], {}, 100.0, "the best reference counts"),
    (["ab", "c"], [["abc"]], {}, 100.0, "lists of sentences"),
]


@pytest.mark.parametrize(("summary", "references", "options", "expected", "why"), CASES)
def test_scores_by_hand(summary: Any, references: Any, options: dict[str, Any], expected: float, why: str) -> None:
    assert load("chrf", **options).score(summary, references)["chrf"] == pytest.approx(expected, abs=1e-9), why


def test_the_numbers_of_the_best_reference_are_those_that_are_added_up() -> None:
    # "ab" against "abc": 2 of 2, 2 of 3.  "x" against "y", "xz", "x": the last.
    metric = Chrf(char_order=1, beta=1)
    summaries, references_list = ["ab", "x"], [["abc", "b"], ["y", "xz", "x"]]
    assert metric.statistics_multi_all([["ab"], ["x"]], references_list) == [[[2, 3, 2]], [[1, 1, 1]]]
    macro, micro = metric.evaluate(summaries, references_list)
    assert macro["chrf"] == pytest.approx(100 * 2 * 3 / (3 + 4))
    assert [scores["chrf"] for scores in micro] == pytest.approx([80.0, 100.0])


def test_of_references_that_score_alike_the_first_counts() -> None:
    assert Chrf(char_order=1).statistics_multi_all([["a"]], [["bc", "d"]]) == [[[1, 2, 0]]]


# ---- sacreBLEU on TurkCorpus ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("word_order", [0, 2])
@pytest.mark.parametrize("system", SYSTEMS)
def test_scores_of_systems_equal_those_of_sacrebleu(word_order: int, system: str, shared_path: SharedPath) -> None:
    form = "tokenized" if word_order else "detok"
    summaries, references_list = turkcorpus(shared_path, form, system)
    expected = kept_by_sacrebleu({"word_order": word_order}, summaries, references_list)
    assert Chrf(word_order=word_order).evaluate(summaries, references_list) == expected


def test_scores_under_all_options_equal_those_of_sacrebleu(shared_path: SharedPath) -> None:
    for index, options in enumerate(COMBINATIONS):
        summaries, references_list = turkcorpus(shared_path, ("detok", "tokenized")[index % 2], SYSTEMS[index % 4])
        chosen = slice(7 * index % 350, 7 * index % 350 + 5)
        sample = summaries[chosen], references_list[chosen]
        assert Chrf(**options).evaluate(*sample) == kept_by_sacrebleu(options, *sample)


# ---- sacreBLEU on any text ------------------------------------------------------------------------------------------

PIECES = [
    *("the", "The", "cat", "cat's", "a", "b", "A.", "b,", "3.5", "2-3", "(x)", "?!", "(", ")", "&amp;", "-"),
    *("漢字", "かな、", "。", "ΣΑΣ", "σας", "İ", "i̇", "\ud800", "\n"),
    *("\x1c", "\x1f", "\x85", "\xa0", "\ufeff", "\u200b", "\u2028", "\u3000"),
]
SEGMENTS = st.lists(st.sampled_from(PIECES), max_size=14).map(" ".join) | st.text(
    st.sampled_from("aAbB .,-'\x1d\u2029漢、"), max_size=25
)
OUTPUTS = st.lists(st.tuples(SEGMENTS, st.lists(SEGMENTS, min_size=1, max_size=4)), min_size=1, max_size=4)


@settings(deadline=None, max_examples=300)
@given(OUTPUTS, st.sampled_from(COMBINATIONS))
def test_scores_equal_those_of_sacrebleu_on_any_text(
    outputs: list[tuple[str, list[str]]], options: dict[str, Any]
) -> None:
    summaries, references_list = map(list, zip(*outputs, strict=True))
    assert Chrf(**options).evaluate(summaries, references_list) == by_sacrebleu(options, summaries, references_list)


def test_every_white_space_is_that_of_sacrebleu() -> None:
    blanks = [chr(code) for code in range(0x3001) if chr(code).isspace()]
    assert len(blanks) == 29
    for blank, whitespace in itertools.product(blanks, (False, True)):
        options = {"whitespace": whitespace, "word_order": 2}
        sample = [f"{blank}a,{blank}b 3.{blank}"], [[f"a, b{blank}3.", f"{blank}"]]
        assert Chrf(word_order=2, whitespace=whitespace).evaluate(*sample) == by_sacrebleu(options, *sample)


# ---- statistics -----------------------------------------------------------------------------------------------------


@settings(deadline=None)
@given(st.lists(st.lists(SEGMENTS, max_size=3), min_size=1, max_size=3), st.lists(SEGMENTS, min_size=1, max_size=3))
def test_groups_score_as_their_outputs_do(summaries_list: list[list[str]], references: list[str]) -> None:
    references_list = [references[: index + 1] for index in range(len(summaries_list))]
    metric = Chrf(word_order=2)
    grouped = metric.score_multi_all(summaries_list, references_list)
    assert grouped == [
        [metric.score(summary, own) for summary in summaries]
        for summaries, own in zip(summaries_list, references_list, strict=True)
    ]


@settings(deadline=None)
@given(OUTPUTS)
def test_the_score_of_all_is_that_of_the_sum_of_the_statistics(outputs: list[tuple[str, list[str]]]) -> None:
    metric = Chrf(word_order=2)
    summaries, references_list = map(list, zip(*outputs, strict=True))
    groups = metric.statistics_multi_all([[summary] for summary in summaries], references_list)
    summed = [sum(numbers) for numbers in zip(*(vector for (vector,) in groups), strict=True)]
    assert all(isinstance(number, int) for number in summed)
    assert metric.score_statistics(summed) == metric.evaluate(summaries, references_list)[0]


# ---- options, signatures, errors ------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", COMBINATIONS[::5], ids=str)
@pytest.mark.parametrize(
    ("references", "refs"), [([["a"]], "1"), ([["a"]] * 8, "8"), ([["a", "b"], [None, "c"]], "1-2")]
)
def test_signature_of_sacrebleu(options: dict[str, Any], references: list[list[str]], refs: str) -> None:
    metric = CHRF(**options)
    metric.corpus_score(["a"] * len(references[0]), references)
    expected = str(metric.get_signature()).replace(f"version:{sacrebleu_version}", f"version:{SACREBLEU_VERSION}")
    assert Chrf(**options).other_signatures(refs) == {"sacrebleu": expected}


def test_signature_says_what_is_computed() -> None:
    assert Chrf().signature().startswith("chrf|case:mixed|eff:yes|nc:6|nw:0|space:no|beta:2|fw:")
    metric = Chrf(4, 2, 1.5, True, True, True)
    assert metric.signature().startswith("chrf|case:lc|eff:no|nc:4|nw:2|space:yes|beta:1.5|fw:")
    assert load("chrf", beta="2").signature() == Chrf().signature()


def test_options_are_flags() -> None:
    found = {option.name: (option.kind, option.default) for option in options_of(Chrf, Metric)}
    assert found == {
        "char_order": ("int", 6),
        "word_order": ("int", 0),
        "beta": ("float", 2),
        "lowercase": ("bool", False),
        "whitespace": ("bool", False),
        "eps_smoothing": ("bool", False),
    }
    assert all(option.help for option in options_of(Chrf, Metric))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"char_order": -1}, "must be non-negative"),
        ({"word_order": -1}, "must be non-negative"),
        ({"char_order": 0}, "not both 0"),
        ({"char_order": 1001}, "'char_order' must be at most 1000, got 1001"),
        ({"word_order": 10**9}, "'word_order' must be at most 1000"),
        ({"beta": -1}, "number from 0"),
        ({"beta": math.nan}, "number from 0"),
        ({"beta": math.inf}, "number from 0"),
    ],
)
def test_options_that_cannot_be_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Chrf(**options)


@pytest.mark.parametrize(
    ("summaries", "references_list", "message"),
    [
        (["a", "b"], [["a"]], "same number of entries"),
        (["a"], ["a"], "non-empty list of texts"),
        (["a"], [[]], "non-empty list of texts"),
        ([], [], "no outputs to evaluate"),
    ],
)
def test_what_does_not_fit_is_refused(summaries: Any, references_list: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Chrf().evaluate(summaries, references_list)


def test_what_the_class_declares() -> None:
    metric = Chrf()
    assert metric.fields == ("summary", "references")
    assert (metric.name, metric.higher_is_better, metric.score_range) == ("chrf", True, (0, 100))
    assert metric.jackknifer is not None
    assert "popovic-2015-chrf" in metric.citation
    assert "popovic-2017-chrf" in metric.citation


def test_the_adapter_has_the_name_of_the_card() -> None:
    computed = hugging_face.load("chrf").compute(predictions=["a cat"], references=["the cat"])
    score = CHRF().corpus_score(["a cat"], [["the cat"]])
    assert computed == {name: getattr(score, name) for name in ("score", "char_order", "word_order", "beta")}
    assert MetricsDict(Chrf().score("a cat", ["the cat"])) == {"chrf": computed["score"]}
