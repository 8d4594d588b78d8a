"""Scores of many sums in one call: equal to those of single sums, for every option that changes the formula."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.metrics.base.metric import CorpusMetric, load
from metrics_framework.metrics.bleu import Bleu
from metrics_framework.significance.score_vectors import ScoreVectors, defines_score_sums

METRICS = [
    ("bleu", {}, 10),
    *(("bleu", {"smooth_method": method}, 10) for method in ("none", "floor", "add-k")),
    ("bleu", {"effective_order": True, "max_ngram_order": 2}, 6),
    ("chrf", {}, 18),
    ("chrf", {"word_order": 2, "beta": 3}, 24),
    ("chrf", {"eps_smoothing": True}, 18),
    ("ter", {}, 2),
    ("ibleu", {}, 20),
    ("fkgl", {}, 3),
    ("wer", {}, 4),
    *(("sari", {"variant": variant}, 36) for variant in ("easse", "star", "easse-paper", "joshua")),
    ("sari", {"variant": "easse", "deletion": "precision"}, 36),
]


@pytest.mark.parametrize(("name", "options", "width"), METRICS)
@given(data=st.data())
@settings(max_examples=8, deadline=None)
def test_many_sums_have_the_scores_of_single_sums(name: str, options: dict[str, Any], width: int, data: Any) -> None:
    metric: Any = load(name, **options)
    counts = st.lists(st.integers(0, 40), min_size=width, max_size=width)
    rows = data.draw(st.lists(counts, min_size=1, max_size=4))
    rows = [_consistent(name, row) for row in rows]
    found = metric.score_sums(np.array(rows, dtype=np.float64))
    for index, row in enumerate(rows):
        for key, value in MetricsDict(metric.score_statistics(row)).flatten().items():
            assert found[key][index] == pytest.approx(value, rel=1e-12, abs=1e-12, nan_ok=True), key


@given(data=st.data())
def test_scores_of_swaps_are_those_of_sums_up_to_rounding(data: Any) -> None:
    metric: Any = load("bleu")
    counts = st.lists(st.integers(1, 40), min_size=10, max_size=10)
    sums = np.array([_consistent("bleu", row) for row in data.draw(st.lists(counts, min_size=1, max_size=4))], float)
    exact, rounded = metric.score_sums(sums), metric.score_swaps(sums)
    for name, values in exact.items():
        np.testing.assert_allclose(rounded[name], values, rtol=1e-13)  # tests allow for SCORE_ROUNDING, 1e-12


def _consistent(name: str, row: list[int]) -> list[int]:
    """Returns possible statistics of BLEU: fewer n-grams of higher orders, and no more matches than n-grams."""
    if name not in ("bleu", "ibleu"):
        return row
    if name == "ibleu":
        return [*_consistent("bleu", row[:10]), *_consistent("bleu", row[10:])]
    order = len(row) // 2 - 1
    totals = sorted(row[2 + order :], reverse=True)
    return [*row[:2], *map(min, row[2 : 2 + order], totals), *totals]


def test_a_subclass_with_its_own_scores_is_scored_by_them() -> None:
    """Otherwise, resampled scores would be those of its base."""
    ter: Any = type(load("ter"))

    class Doubled(ter):
        def score_statistics(self, statistics: Any) -> MetricsDict:
            return MetricsDict({"ter": 2.0 * statistics[0]})

    metric: CorpusMetric = Doubled()
    assert defines_score_sums(load("ter"))
    assert not defines_score_sums(metric)
    vectors = ScoreVectors.of_statistics(metric, ["1", "2"], [[1, 4], [2, 4]])
    assert vectors.of_each_input("ter").tolist() == [2.0, 4.0]


def test_swaps_of_a_subclass_with_its_own_sums_are_scored_by_them() -> None:
    class Halved(Bleu):
        def score_sums(self, sums: Any) -> dict[str, Any]:
            return {name: values / 2 for name, values in super().score_sums(sums).items()}

    statistics = [[9, 9, 8, 7, 6, 5, 9, 8, 7, 6], [9, 9, 7, 6, 5, 4, 9, 8, 7, 6]]
    vectors = ScoreVectors.of_statistics(Halved(), ["1", "2"], statistics)
    expected = vectors.scores_of(vectors.vectors)["bleu"].tolist()
    assert vectors.scores_of_swaps(vectors.vectors)["bleu"].tolist() == expected


@pytest.mark.parametrize("order", [1, 2, 4, 7, 8, 9])
@pytest.mark.parametrize("method", ["exp", "floor", "none", "add-k"])
@pytest.mark.parametrize("effective", [True, False])
def test_sums_with_matches_of_every_order_have_the_digits_they_have_beside_others(
    order: int, method: str, effective: bool
) -> None:
    drawn = np.random.default_rng(order)
    totals = drawn.integers(1, 10**6, size=(300, order))
    matches = np.ceil(totals * drawn.random((300, order)))
    lengths = drawn.integers(1, 10**6, size=(300, 2))
    sums = np.concatenate([lengths, matches, totals], axis=1).astype(np.float64)
    value = 0.5 if method in ("floor", "add-k") else None
    metric = Bleu(method, value, max_ngram_order=order, effective_order=effective)
    found = metric.score_sums(np.asfortranarray(sums))
    beside = metric.score_sums(np.concatenate([sums, np.zeros((1, 2 + 2 * order))]))
    for name, values in found.items():
        assert np.array_equal(values, beside[name][:-1]), name
