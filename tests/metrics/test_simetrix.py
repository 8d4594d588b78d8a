"""SIMetrix: the numbers of the published program, cases worked by hand, and laws of divergences."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics_framework.metrics.base.metric import load
from metrics_framework.metrics.simetrix import simetrix_scores

SharedPath = Callable[[str], Path]

HALF_A_DIGIT = 5.01e-6  # the program prints five decimal places
NAMES = ["KLInputSummary", "KLSummaryInput", "unsmoothedJSD", "smoothedJSD", "unigramProb", "multinomialProb"]
OF_A_BACKGROUND_CORPUS = ["cosineAllWords", "percentTopicTokens", "fractionTopicWords", "topicWordOverlap"]


def rows(path: Path) -> list[dict[str, str]]:
    with open(path, encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter=" "))


def test_the_published_program_on_multiling(shared_path: SharedPath) -> None:
    expected = rows(shared_path("golden/simetrix_multiling2011.tsv"))
    folder = shared_path("data/multiling2011")
    outputs, sets = (
        [json.loads(line) for line in (folder / name).read_text(encoding="utf-8").splitlines()]
        for name in ("summaries.jsonl", "documents.jsonl")
    )
    documents = {row["instance_id"]: [document["text"] for document in row["documents"]] for row in sets}
    metric = load("simetrix")
    assert len(expected) == len(outputs) == 12
    assert list(expected[0]) == ["inputId", "sysId", *NAMES[:4], *OF_A_BACKGROUND_CORPUS, *NAMES[4:]]
    for row, output in zip(expected, outputs, strict=True):
        scores = metric.score(output["summary"]["text"], documents[output["instance_id"]])
        assert scores == pytest.approx({name: float(row[name]) for name in NAMES}, abs=HALF_A_DIGIT)


def test_scores_by_hand() -> None:
    """The documents have a, a, a, b, the summary a and x; B is 1.5 · 2 = 3."""
    p = {word: (count + 0.005) / 4.015 for word, count in {"a": 3, "b": 1, "x": 0}.items()}
    q = {word: (count + 0.005) / 2.015 for word, count in {"a": 1, "b": 0, "x": 1}.items()}
    m = {word: (p[word] + q[word]) / 2 for word in p}
    unsmoothed = (3 / 4 * math.log(3 / 4 / (5 / 8)) + 1 / 4 * math.log(2) + math.log(1 / 2 / (5 / 8)) / 2) / 2
    assert simetrix_scores({"a": 1, "x": 1}, {"a": 3, "b": 1}) == pytest.approx(
        {
            "KLInputSummary": sum(p[word] * math.log(p[word] / q[word]) for word in p),
            "KLSummaryInput": sum(q[word] * math.log(q[word] / p[word]) for word in p),
            "unsmoothedJSD": unsmoothed + 1 / 2 * math.log(2) / 2,
            "smoothedJSD": sum(p[w] * math.log(p[w] / m[w]) + q[w] * math.log(q[w] / m[w]) for w in p) / 2,
            "unigramProb": math.log10(3 / 4),
            "multinomialProb": math.log10(3 / 4) + math.log10(2),
        },
        rel=1e-14,
    )


def test_words_are_runs_of_ascii_letters_and_digits_without_stop_words() -> None:
    """Of the first text remain, stemmed: caf, gener, 3, 5, well, known is a stop word."""
    documents = ["caf gener 3 5"]
    assert load("simetrix").score("The CAFé's generously well-known 3.5", documents) == load("simetrix").score(
        "caf gener 3 5", documents
    )
    unchanged = load("simetrix", use_stemmer=False, remove_stopwords=False)
    assert unchanged.score("the cats", ["the cats"])["unsmoothedJSD"] == 0
    assert unchanged.score("the cats", ["a cat"])["unsmoothedJSD"] == pytest.approx(math.log(2))


def test_sentences_and_documents_are_combined() -> None:
    metric = load("simetrix")
    assert metric.score(["cats sleep", "dogs run"], ["cats eat", ["dogs", "run"]]) == metric.score(
        "cats sleep dogs run", ["cats eat dogs run"]
    )


def test_a_summary_without_words() -> None:
    scores = load("simetrix").score("the ...", ["cats sleep"])
    assert math.isnan(scores["unsmoothedJSD"])
    assert (scores["unigramProb"], scores["multinomialProb"]) == (0, 0)
    assert scores["smoothedJSD"] > 0


def test_documents_without_words() -> None:
    assert all(map(math.isnan, load("simetrix").score("cats", ["the", ""]).values()))
    assert all(map(math.isnan, load("simetrix").score("", [""]).values()))


COUNTS = st.dictionaries(st.sampled_from("abcdefg"), st.integers(1, 9), min_size=1)


@given(COUNTS, COUNTS)
def test_jensen_shannon_divergences_are_bounded(summary: dict[str, int], other: dict[str, int]) -> None:
    scores = simetrix_scores(summary, other)
    assert scores["unsmoothedJSD"] >= -1e-15
    assert max(scores["unsmoothedJSD"], scores["smoothedJSD"]) <= math.log(2) + 1e-15
    assert scores["unigramProb"] <= scores["multinomialProb"]


def test_smoothed_probabilities_do_not_add_up_to_1_so_that_divergences_can_be_negative() -> None:
    """B is 1.5, but there is one word: p = 2.005/2.0075 and q = 1.005/1.0075."""
    p, q = 2.005 / 2.0075, 1.005 / 1.0075
    assert simetrix_scores({"a": 1}, {"a": 2})["KLSummaryInput"] == pytest.approx(q * math.log(q / p))
    assert q < p


@given(COUNTS, st.integers(1, 5))
def test_the_same_distribution_has_no_unsmoothed_divergence(counts: dict[str, int], factor: int) -> None:
    larger = {word: factor * count for word, count in counts.items()}
    assert simetrix_scores(counts, larger)["unsmoothedJSD"] == pytest.approx(0, abs=1e-15)
