"""Token F1: by hand, and a counter of words as an oracle."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import texts

from metrics_framework.metrics.base.metric import load
from metrics_framework.metrics.token_f1 import TokenF1
from metrics_framework.text.tokenizers.tokenizer import load_tokenizer

pytestmark = pytest.mark.usefixtures("kernels")

CASES = [  # summary, references, options, score, why
    ("A cat.", ["a cat ."], {}, 100.0, "lower-cased and tokenized"),
    ("A cat.", ["a cat ."], {"lowercase": False}, 100 * 4 / 6, "A is not a"),
    ("A cat.", ["a cat ."], {"tokenizer": "none"}, 100 * 2 / 5, "cat. is not cat"),
    ("", ["a", ""], {}, 100.0, "nothing, and nothing wanted"),
    (["a b", "c"], [["a", "b c"]], {}, 100.0, "lists of sentences"),
]


@pytest.mark.parametrize(("summary", "references", "options", "expected", "why"), CASES)
def test_scores_by_hand(summary: Any, references: Any, options: dict[str, Any], expected: float, why: str) -> None:
    assert load("token-f1", **options).score(summary, references)["token-f1"] == pytest.approx(expected), why


def by_counters(summary: str, references: list[str], tokenizer: str) -> float:
    def words(text: str) -> Counter[str]:
        return Counter(load_tokenizer(tokenizer).tokenize(text.lower().rstrip()).split())

    def f1(one: Counter[str], other: Counter[str]) -> float:
        total = one.total() + other.total()
        return 100 * (2 * (one & other).total() / total if total else 1.0)

    return max(f1(words(summary), words(reference)) for reference in references)


@settings(max_examples=40)
@given(
    st.lists(st.tuples(texts(), st.lists(texts(), min_size=1, max_size=3)), min_size=1, max_size=4),
    st.sampled_from(["13a", "none", "penn", "char"]),
)
def test_scores_equal_those_of_counters(rows: list[tuple[str, list[str]]], tokenizer: Any) -> None:
    summaries, references_list = map(list, zip(*rows, strict=True))
    scores = TokenF1(tokenizer=tokenizer).score_all(summaries, references_list)
    expected = [by_counters(summary, references, tokenizer) for summary, references in rows]
    assert [score["token-f1"] for score in scores] == expected


def test_the_score_of_a_system_is_the_mean_of_its_outputs() -> None:
    assert TokenF1().evaluate(["a", "a b c d"], [["b"], ["a b c d"]])[0] == {"token-f1": 50.0}
