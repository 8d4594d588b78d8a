"""SARI: every published number, and what its options do."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from public_texts import SYSTEMS, lines, simplicity_da, turkcorpus
from samples import sampled

from metrics_framework.metrics.sari import VARIANTS, Sari
from metrics_framework.reports.charts import Row

SharedPath = Callable[[str], Path]

SOURCE = "About 95 species are currently accepted."
REFERENCES = [
    "About 95 species are currently known.",
    "About 95 species are now accepted.",
    "95 species are now accepted.",
]
TOYS = ["About 95 you now get in .", "About 95 species are now agreed .", "About 95 species are currently agreed ."]
TOY_SOURCE = "About 95 species are currently accepted ."
TOY_REFERENCES = [
    "About 95 species are currently known .",
    "About 95 species are now accepted .",
    "95 species are now accepted .",
]
COMPONENTS = {"sari": "sari", "add": "sari_add", "keep": "sari_keep", "delete": "sari_del"}
EVERY_VARIANT = sorted(VARIANTS)


def exactly(expected: Any) -> Any:
    return pytest.approx(expected, rel=1e-9, abs=1e-12)


# ---- published numbers ----------------------------------------------------------------------------------------------

CORPUS_ROWS: dict[str, dict[str, Any]] = {  # row of golden/sari.json: options
    "easse": {},
    "easse_precision_deletion": {"deletion": "precision"},
    "easse_paper_version": {"variant": "easse-paper"},
    "easse_moses_cased_precision_deletion": {"tokenizer": "moses", "lowercase": False, "deletion": "precision"},
    "easse_intl": {"tokenizer": "intl"},
    "easse_untokenized_lowercase": {"tokenizer": "none"},
    "star_legacy": {"variant": "star"},
    "xu2016": {"variant": "xu2016"},
    "hf_mean": {"variant": "hf"},
    "t2t_whitespace_lowercase": {"variant": "t2t", "lowercase": True},
    "set_based_add_precision_union": {"variant": "set"},
}
MODIFIED_ROWS = {"sari_precision_deletion": "precision", "sari_f1_deletion": "f1"}


def golden(shared_path: SharedPath) -> dict[str, Any]:
    published: dict[str, Any] = json.loads(shared_path("golden/sari.json").read_text(encoding="utf-8"))
    return published


@pytest.mark.parametrize("system", sampled(SYSTEMS, 1))
@pytest.mark.parametrize("form", sampled(["detok", "tokenized"], 1))
def test_corpus_scores_are_those_of_the_published_programs(form: str, system: str, shared_path: SharedPath) -> None:
    summaries, references_list, sources = turkcorpus(shared_path, form, system)
    published = golden(shared_path)["corpus"][f"{form}/{system}"]
    unused = set(published) - set(CORPUS_ROWS) - {"modified", "bleu_13a_cased", "bleu_13a_lowercase"}
    assert not unused
    rows = [(options, published[row]) for row, options in CORPUS_ROWS.items() if row in published]
    rows += [
        ({"variant": "modified", "deletion": deletion}, {"sari": published["modified"][row]})
        for row, deletion in MODIFIED_ROWS.items()
    ]
    for options, expected in rows:
        scores, _ = Sari(**options).evaluate(summaries, references_list, sources)
        assert {name: scores[COMPONENTS[name]] for name in expected} == exactly(expected), options


IN_ORDER = ["sari", "sari_keep", "sari_add", "sari_del"]  # of the t2t rows
IN_ORDER_OF_SET = ["sari", "sari_keep", "sari_del", "sari_add"]


@pytest.mark.parametrize("index", range(19))
def test_edge_cases_are_those_of_the_published_programs(index: Any, shared_path: SharedPath) -> None:
    cases = list(golden(shared_path)["edge_cases"].values())
    assert len(cases) == 19
    case, expected = cases[index], cases[index]["expected"]

    def score(**options: Any) -> dict[str, float]:
        metric = Sari(tokenizer="none", **options)
        return metric.score(case["summary"], case["references"], case["source"])

    def listed(names: list[str], **options: Any) -> list[float]:
        scores = score(**options)
        return [scores[one] for one in names]

    assert len(expected) == 8
    assert score(variant="xu2016")["sari"] == exactly(expected["xu2016"])
    assert score(variant="hf")["sari"] == exactly(expected["hf"])
    assert listed(IN_ORDER, variant="t2t") == exactly(expected["t2t"])
    for row, deletion in (("easse", "f1"), ("easse_precision_deletion", "precision")):
        scores = score(deletion=deletion)
        assert {one: scores[COMPONENTS[one]] for one in expected[row]} == exactly(expected[row])
    totals = [score(variant="modified", deletion=deletion)["sari"] for deletion in ("precision", "f1")]
    assert totals == exactly(expected["modified_precision_f1"])
    for recall in ("union", "intersection"):
        printed = expected[f"set_based_{recall}_sari_keep_del_add"]
        assert listed(IN_ORDER_OF_SET, variant="set", keep_recall=recall) == exactly(printed)


def test_hf_gives_the_numbers_of_its_metric_card() -> None:
    scores = Sari(variant="hf").score("About 95 you now get in.", REFERENCES, SOURCE)
    assert scores == exactly(
        {"sari": 26.953601953601954, "sari_keep": 22.527472527472526, "sari_del": 50.0, "sari_add": 8.333333333333332}
    )


@pytest.mark.parametrize(("variant", "expected"), [("hf", 100.0), ("easse", 100 / 3), ("xu2016", 100 / 3)])
def test_perfect_copy(variant: Any, expected: float) -> None:
    # Nothing to add or delete is a full success where 0/0 is 1, and none where it is 0.
    assert Sari(variant=variant).score("a b c d", ["a b c d"], "a b c d")["sari"] == exactly(expected)


TOY_SCORES = [  # options, scores of the three sentences, source of the numbers
    ({"variant": "xu2016"}, [26.82782411698074, 58.89995423074248, 50.71608864657479], "the authors' script"),
    ({}, [31.350246975246975, 63.23743386243385, 46.72930933800499], "EASSE, one sentence a corpus"),
    ({"deletion": "precision"}, [26.95360195360195, 61.70965608465608, 50.88681849551415], "EASSE"),
]


@pytest.mark.parametrize(("options", "expected", "origin"), TOY_SCORES)
def test_toy_sentences_of_the_authors(options: dict[str, Any], expected: list[float], origin: str) -> None:
    scores = Sari(**options).score_multi(TOYS, TOY_REFERENCES, TOY_SOURCE)
    assert [one["sari"] for one in scores] == exactly(expected), origin


TABLE_2 = {"PBMT-R": "38.56", "Hybrid": "31.40", "SBMT-SARI": "39.96", "Dress-Ls": "37.27"}


@pytest.mark.parametrize("system", sampled(SYSTEMS, 1))
def test_star_gives_table_2_of_the_easse_paper(system: str, shared_path: SharedPath) -> None:
    scores, _ = Sari(variant="star").evaluate(*turkcorpus(shared_path, "tokenized", system))
    assert f"{scores['sari']:.2f}" == TABLE_2[system]


def test_xu2016_gives_table_5_of_its_paper(shared_path: SharedPath) -> None:
    scores, _ = Sari(variant="xu2016").evaluate(*turkcorpus(shared_path, "tokenized", "SBMT-SARI"))
    assert int(100 * scores["sari"]) == 3791  # 37.91, printed truncated


def test_joshua_overflows_as_the_published_program_does(shared_path: SharedPath) -> None:
    scores, _ = Sari(variant="joshua").evaluate(*turkcorpus(shared_path, "tokenized", "SBMT-SARI"))
    assert scores["sari"] / 100 == exactly(0.312514586487282)


def joshua_statistics(**numbers: int) -> list[int]:
    """Returns sums of the four orders: the given numbers for the first order, and 0."""
    names = ("right", "added", "to_add", "shares", "kept", "to_keep", "deleted_right", "deleted", "to_delete")
    return [numbers.get(name, 0) for name in names] + [0] * 27


JOSHUA_CASES = [  # sums of order 1, score, four times its value, why
    ({"shares": 500_000_000, "kept": 1_000, "to_keep": 2_000}, "keep", 50, "P = 5e8/1e9, R = 1/2: no overflow"),
    ({"shares": 10**9, "kept": 2_147, "to_keep": 2_147}, "keep", 200 / (1 + 2.147), "1e6 * 2147 is below 2**31"),
    ({"shares": 10**9, "kept": 2_148, "to_keep": 2_148}, "keep", 0, "1e6 * 2148 is -2146967296: P < 0, so F1 = 0"),
    ({"shares": 10**9, "kept": 5_000, "to_keep": 5_000}, "keep", 200 / (1 + 0.705032704), "5e9 is 705032704"),
    ({"shares": 2**31 - 1, "kept": 2_000, "to_keep": 2_000}, "keep", 200 / (1 + 2e9 / (2**31 - 1)), "the largest sum"),
    ({"shares": 2**31, "kept": 2_000, "to_keep": 2_000}, "keep", 0, "one more is -2**31"),
    ({"shares": 2**32 + 10**9, "kept": 2_000, "to_keep": 2_000}, "keep", 200 / 3, "2**32 more is the same: P = 1/2"),
    ({"shares": 10**9, "kept": -3_000, "to_keep": -3_000}, "keep", 0, "P = 0 unless KC > 0; 1e6 * KC is 1294967296"),
    ({"shares": 10**9, "kept": 2_000, "to_keep": 2**31 + 1}, "keep", 0, "R < 0"),
    ({"right": 1, "added": 2**32 + 2, "to_add": 1}, "add", 200 / 3, "2**32 + 2 is 2: P = 1/2, R = 1"),
    ({"right": 2**31, "added": 2**31, "to_add": 2**31}, "add", 100, "P = R = 1 of negative numbers"),
    ({"deleted_right": 3 * 2**30, "deleted": 2**30}, "del", -100, "3 * 2**30 is -2**30; DELETE is not an F1"),
    ({"deleted_right": 1, "deleted": 2**32}, "del", 0, "2**32 is 0, and 1/0 is 0"),
]


@pytest.mark.parametrize(("numbers", "score", "expected", "why"), JOSHUA_CASES)
def test_joshua_overflows_by_hand(numbers: dict[str, int], score: str, expected: float, why: str) -> None:
    scores = Sari(variant="joshua").score_statistics(joshua_statistics(**numbers))
    assert scores[f"sari_{score}"] == exactly(expected / 4), why
    assert scores["sari"] == exactly(expected / 12)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sari", "sari_add", "sari_keep", "sari_del"])
def test_sentence_scores_published_with_simplicity_da(name: str, shared_path: SharedPath) -> None:
    summaries, references_list, sources, published = simplicity_da(shared_path, name)
    metric = Sari(tokenizer="moses", lowercase=False, deletion="precision")
    scores = metric.score_all(summaries, references_list, sources)
    assert [score[name] for score in scores] == exactly(published)


DOCUMENTATION = Path(__file__).resolve().parent.parent.parent / "docs" / "explanation" / "sari-variants.md"


def documented_rows() -> list[tuple[dict[str, Any], list[str]]]:
    """Reads the table of scores: the options that the first column names, and the numbers."""
    rows = []
    for line in lines(DOCUMENTATION):
        if line.startswith("| `"):
            label, *numbers = (cell.strip() for cell in line.strip("|").split("|"))
            variant, *options = re.findall("`([^`]+)`", label)
            rows.append(({"variant": variant, **dict(option.split("=") for option in options)}, numbers))
    return rows


def test_table_of_the_documentation_has_every_variant() -> None:
    assert {options["variant"] for options, _ in documented_rows()} == set(VARIANTS)


@pytest.mark.slow
def test_numbers_of_the_documentation(shared_path: SharedPath) -> None:
    data = [turkcorpus(shared_path, "tokenized", system) for system in SYSTEMS]
    _, references_list, sources = data[0]
    for options, numbers in documented_rows():
        scores = [Sari(**options).evaluate(*one)[0] for one in (*data, (sources, references_list, sources))]
        assert [f"{score['sari']:.2f}" for score in scores] == numbers, options


@pytest.mark.slow
def test_copying_is_rewarded_where_nothing_of_nothing_is_one(shared_path: SharedPath) -> None:
    data = [turkcorpus(shared_path, "tokenized", system) for system in SYSTEMS]
    _, references_list, sources = data[0]

    def above(variant: Any) -> list[bool]:
        metric = Sari(variant=variant)
        copied, _ = metric.evaluate(sources, references_list, sources)
        return [copied["sari"] > metric.evaluate(*one)[0]["sari"] for one in data]

    assert above("hf") == above("t2t") == [True] * 4
    assert above("easse") == above("easse-paper") == above("star") == [False] * 4


# ---- laws -----------------------------------------------------------------------------------------------------------

TEXTS = st.lists(st.sampled_from(["a", "b", "C", "d.", "", "3,5"]), max_size=7).map(" ".join)
ROWS = st.lists(st.tuples(TEXTS, st.lists(TEXTS, min_size=1, max_size=3), TEXTS), min_size=1, max_size=4)


@settings(max_examples=50)
@given(st.sampled_from(EVERY_VARIANT), ROWS)
def test_score_of_the_sum_of_statistics_is_the_corpus_score(variant: Any, rows: list[Row]) -> None:
    metric = Sari(variant=variant)
    summaries, references_list, sources = (list(column) for column in zip(*rows, strict=True))
    vectors = [vector for (vector,) in metric.statistics_multi_all([[s] for s in summaries], references_list, sources)]
    total = [sum(numbers) for numbers in zip(*vectors, strict=True)]
    macro, micro = metric.evaluate(summaries, references_list, sources)
    assert metric.score_statistics(total) == pytest.approx(macro, abs=1e-9)
    assert micro == metric.score_all(summaries, references_list, sources)
    assert micro == [metric.score(*row) for row in rows]


# ---- modified: added n-grams that deleting words of the source can produce -------------------------------------------

MODIFIED_CASES = [  # summary, reference, source, SARI, why
    ("a c", "a c", "a b c", 100 / 3, "KEEP 1/4, DELETE 3/4; ADD 0, because 'a c' remains when 'b' is deleted"),
    (
        "a c ",
        "a c ",
        "a b",
        45.83333333333333,
        "KEEP 1/4, DELETE 2/4, ADD (.5 + 1 + 1)/4: the empty token is no addition",
    ),
    ("a  c", "a  c", "a b", 41.66666666666667, "ADD (.5 + .5 + 1)/4: 'a ' splits into 'a', which is in the source"),
    (
        "a\u00a0b",
        "a\u00a0b",
        "a x b",
        25.0,
        "DELETE 3/4; ADD 0, because the only token splits into two words of the source",
    ),
    ("a\u00a0b", "a\u00a0b", "b x a", 100 / 3, "ADD 1/4: the two words are in another order"),
    ("ab c", "ab c", "ab\tc", 25 / 3, "DELETE 1/4; ADD 0: the tab separates words of the source, in this check only"),
    ("a c", "a c", "A b c", 41.66666666666667, "KEEP 1/4, DELETE 3/4, ADD 1/4: 'a c' is not in the cased source"),
]


@pytest.mark.parametrize(("summary", "reference", "source", "expected", "why"), MODIFIED_CASES)
def test_modified_by_hand(summary: str, reference: str, source: str, expected: float, why: str) -> None:
    assert Sari(variant="modified").score(summary, [reference], source)["sari"] == exactly(expected), why


def defined_addition(summary: str, references: list[str], source: str) -> float:
    """Returns ADD of ``modified`` as its definition states it, on strings."""
    total = 0.0
    for order in range(1, 5):
        own, of_source = ngrams_of(summary, order), ngrams_of(source, order)
        wanted = set().union(*(ngrams_of(reference, order) for reference in references))
        added = own - of_source
        good = sum(not is_subsequence(ngram.split(), source.split()) for ngram in added & wanted)
        precision = good / len(added) if added else 0.0
        recall = good / len(wanted - of_source) if wanted - of_source else 0.0
        total += 2 * precision * recall / (precision + recall) if good else 0.0
    return 100 * total / 4


def ngrams_of(text: str, order: int) -> set[str]:
    tokens = text.lower().split(" ")
    return {" ".join(tokens[start : start + order]) for start in range(len(tokens) - order + 1)}


def is_subsequence(words: list[str], text: list[str]) -> bool:
    rest = iter(text)
    return all(word in rest for word in words)


SPACED = st.lists(st.sampled_from([*"aAbBc", " ", " ", "\t", "\u00a0", "\x1c", "\u3000", "\u200b", "é"])).map("".join)


@given(SPACED, st.lists(SPACED, min_size=1, max_size=3), SPACED)
def test_modified_adds_as_defined(summary: str, references: list[str], source: str) -> None:
    scores = Sari(variant="modified").score(summary, references, source)
    assert scores["sari_add"] == pytest.approx(defined_addition(summary, references, source))


# ---- options --------------------------------------------------------------------------------------------------------


def test_options_given_override_the_text_of_a_variant() -> None:
    scored = Sari(variant="xu2016", tokenizer="13a").score("A cat.", ["a cat ."], "the cat.")
    assert scored == Sari(variant="xu2016").score("a cat .", ["a cat ."], "the cat .")
    assert Sari(lowercase=False).score("A b", ["a b"], "c") != Sari().score("A b", ["a b"], "c")


def test_star_takes_the_source_as_it_is() -> None:
    # Against the source "cat." the token "cat" of the summary is an addition.
    assert Sari(variant="star").score("cat.", ["cat."], "cat.")["sari_add"] > 0
    assert Sari(variant="star").score("cat.", ["cat."], "cat .")["sari_add"] == 0
