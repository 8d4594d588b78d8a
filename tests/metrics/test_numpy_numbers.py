"""Metrics that compute with NumPy: scores and statistics become Python's own numbers before anything is summed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from twins import with_statistics

from metrics_framework.common.errors import InputError
from metrics_framework.data.eval_instance import ColumnBatch, EvalInstance
from metrics_framework.data.jackknifers import ReferencesJackknifer
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.evaluation.scoring import PlainScorer
from metrics_framework.io.jsonl import to_json
from metrics_framework.metrics.base.metric import CorpusMetric, LabelledMetric
from metrics_framework.metrics.base.shapes import ReferenceBasedMetric
from metrics_framework.metrics.sari import Sari
from metrics_framework.metrics.ter import Ter


class Given(ReferenceBasedMetric):
    """Gives a score that was made before."""

    jackknifer = ReferencesJackknifer()

    def __init__(self, score: Any) -> None:
        super().__init__()
        self.given = score

    def score_multi_all(self, summaries_list: Any, references_list: Any) -> Any:
        return [[{"given": self.given} for _ in summaries] for summaries in summaries_list]


class Counts(CorpusMetric, ReferenceBasedMetric):
    """Gives statistics, and a score of their sum, in the widths of NumPy."""

    def __init__(self, vector: Any, width: Any = float) -> None:
        super().__init__()
        self.vector, self.width = vector, width

    def statistics(self, summary: Any, references: Any) -> Any:
        return self.vector

    def score_statistics(self, statistics: Sequence[float]) -> MetricsDict:
        return MetricsDict({"sum": self.width(statistics[0])})


VALUES = [  # a score, what it becomes, why
    (np.float32(0.1), float(np.float32(0.1)), "half as wide"),
    (np.float64(0.1), 0.1, "a float in disguise"),
    (np.float16(0.5), 0.5, "a quarter as wide"),
    (np.int8(3), 3, "a narrow whole number"),
    (np.array(2.5), 2.5, "an array of no dimension"),
    (np.array([0.5, 2.0], dtype=np.float32), [0.5, 2.0], "an array"),
    ([np.float32(0.5), 1], [0.5, 1], "a list of both"),
    ((np.int32(1), 2.0), [1, 2.0], "a tuple"),
    ({"x": {"y": np.float32(0.5)}, "z": np.array([1])}, {"x": {"y": 0.5}, "z": [1]}, "nested"),
    ({"x": MetricsDict({"y": np.float32(0.5)})}, {"x": {"y": 0.5}}, "nested in our own dictionaries"),
    (True, 1, "the answer of an exact match"),
    (np.False_, 0, "and one of NumPy's"),
    ([True, 0.5], [1, 0.5], "and in a list"),
    (None, None, "nothing"),
    (np.array([[1.0, 2.0]]), [[1.0, 2.0]], "two dimensions"),
]


def kinds(value: Any) -> Any:
    """Returns the types of a value, in its shape."""
    if isinstance(value, dict):
        return {name: kinds(one) for name, one in value.items()}
    return [kinds(one) for one in value] if isinstance(value, list) else type(value)


@pytest.mark.parametrize(("value", "expected", "why"), VALUES)
def test_scores_become_pythons_own_numbers(value: Any, expected: Any, why: str) -> None:
    metric = Given(value)
    output = EvalInstance("1", "system", "peer", {"summary": "a", "references": ["b"]})
    for found in (
        metric.score("a", ["b"]),
        metric.score_multi_all([["a"]], [["b"]])[0][0],
        PlainScorer([LabelledMetric(metric, "given")])(ColumnBatch([output]))[0].scores[0],
    ):
        assert found == {"given": expected}, why
        assert kinds(found) == kinds({"given": expected}), why
        assert type(found) is MetricsDict
    assert json.loads(to_json(found)) == {"given": expected}


WORDS = [np.str_("good"), np.array(["good"]), {"x": {"y": "good"}}, b"good", {1}, [1.0, "good"], np.array([None, "a"])]


@pytest.mark.parametrize("value", WORDS, ids=repr)
def test_what_is_no_number_is_refused_at_every_depth(value: Any) -> None:
    with pytest.raises(InputError, match="'Given' must return numbers, got"):
        Given(value).score("a", ["b"])


def test_narrow_floats_are_summed_as_pythons_are() -> None:
    """Added up as 32 bits, 16,777,216 and 1 are 16,777,216."""
    macro, micro = Given(np.float32(16_777_216.0)).evaluate(["a"] * 3, [["b"]] * 3)
    assert (macro, type(macro["given"])) == ({"given": 16_777_216.0}, float)
    total = Given(np.float32(0.1)).new_total()
    for scores in (*micro, MetricsDict({"given": 1.0}), MetricsDict({"given": 1.0})):
        total.add(scores, None)
    assert total.score() == {"given": (3 * 16_777_216.0 + 2) / 5}


@pytest.mark.parametrize(
    "vector",
    [
        np.array([2_000_000_000, 1], dtype=np.int32),
        [np.int32(2_000_000_000), np.int32(1)],
        (np.int32(2_000_000_000), 1),
    ],
    ids=["array", "list", "tuple"],
)
def test_statistics_of_32_bits_do_not_overflow(vector: Any) -> None:
    macro, micro = Counts(vector).evaluate(["a"] * 3, [["b"]] * 3)
    assert macro == {"sum": 6_000_000_000.0}
    assert micro == [{"sum": 2_000_000_000.0}] * 3
    statistics = Counts(vector).statistics_multi_all([["a"]], [["b"]])[0][0]
    assert [(type(number), number) for number in statistics] == [(int, 2_000_000_000), (int, 1)]


def test_scores_of_sums_become_pythons_own_numbers() -> None:
    metric = Counts([0.1], np.float32)
    macro, micro = metric.evaluate(["a"], [["b"]])
    scores = [macro, *micro, metric.score("a", ["b"]), with_statistics(metric)([["a"]], [["b"]])[0][0]]
    assert [type(one["sum"]) for one in scores] == [float] * 4


@pytest.mark.parametrize("vector", [5.0, "abc", {"x": 1}, None], ids=repr)
def test_statistics_that_are_no_vector_are_refused(vector: Any) -> None:
    with pytest.raises(InputError, match="'Counts' must return a vector of statistics"):
        Counts(vector).score("a", ["b"])


def test_arrays_count_as_lists_of_texts() -> None:
    summaries, references = ["b a", "a cat sat"], [["a b", "b"], ["a cat", "it sat"]]
    sources = ["b a c", "the cat sat"]
    as_arrays = [np.array(one) for one in references]
    assert Ter().evaluate(np.array(summaries), np.array(references)) == Ter().evaluate(summaries, references)
    assert Ter().evaluate(summaries, as_arrays) == Ter().evaluate(summaries, references)
    assert Ter().score("b a", np.array(["a b", "b"])) == Ter().score("b a", ["a b", "b"])
    expected = Sari().evaluate(summaries, references, sources)
    assert Sari().evaluate(np.array(summaries), as_arrays, np.array(sources)) == expected
    groups = [[summary] for summary in summaries]
    assert Ter().score_multi_all(groups, as_arrays) == Ter().score_multi_all(groups, references)


@pytest.mark.parametrize("references", [np.array([1.0]), np.array([])], ids=repr)
def test_arrays_of_something_else_than_texts_are_refused(references: Any) -> None:
    with pytest.raises(InputError, match=r"not a text|has no reference"):
        Ter().score_multi_all([["a"]], [references])
