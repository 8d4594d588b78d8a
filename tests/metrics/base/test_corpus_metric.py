from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from messages import ONE_RESULT_FOR_EACH_SUMMARY
from twins import kernels, requires_native, with_statistics

from metrics_framework.common.errors import InputError
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.metrics.base.metric import CorpusMetric, load
from metrics_framework.metrics.base.shapes import ReferenceBasedMetric, ReferenceFreeMetric
from metrics_framework.metrics.base.totals import MeanTotal, StatisticsTotal


class Ratio(CorpusMetric, ReferenceBasedMetric):
    """Divides the letters of the summary by those of the first reference."""

    def statistics(self, summary: str, references: Sequence[str]) -> list[int]:
        return [len(summary), len(references[0])]

    def score_statistics(self, statistics: Sequence[float]) -> MetricsDict:
        letters, reference_letters = statistics
        return MetricsDict(ratio=letters / reference_letters if reference_letters else math.nan)


class BatchRatio(CorpusMetric, ReferenceBasedMetric):
    """The same, for whole groups."""

    def statistics_multi_all(self, summaries_list, references_list):
        return [
            [[len(summary), len(own[0])] for summary in summaries]
            for summaries, own in zip(summaries_list, references_list, strict=True)
        ]

    def score_statistics(self, statistics: Sequence[float]) -> MetricsDict:
        return Ratio().score_statistics(statistics)


class LateRatio(ReferenceBasedMetric, CorpusMetric):
    """The same, with the bases the other way round."""

    statistics = Ratio.statistics
    score_statistics = Ratio.score_statistics


CORPUS_METRICS = [Ratio(), BatchRatio(), LateRatio()]
EACH_CORPUS_METRIC = pytest.mark.parametrize("metric", CORPUS_METRICS, ids=lambda metric: metric.name)


@EACH_CORPUS_METRIC
def test_the_corpus_score_is_that_of_the_summed_statistics(metric: Any) -> None:
    # By hand: 1/2 and 6/4 are the scores of the outputs, (1 + 6) / (2 + 4) that of the corpus; their mean is 1.
    macro, micro = metric.evaluate(["a", "abcdef"], [["ab"], ["abcd", "x"]])
    assert micro == [{"ratio": 0.5}, {"ratio": 1.5}]
    assert macro == {"ratio": 7 / 6}


@EACH_CORPUS_METRIC
def test_a_corpus_metric_scores_single_outputs_by_their_own_statistics(metric: Any) -> None:
    assert metric.score("a", ["ab"]) == {"ratio": 0.5}
    assert metric.score_multi(["a", "ab"], ["ab"]) == [{"ratio": 0.5}, {"ratio": 1.0}]
    assert metric.score_all(["a", "ab"], [["ab"], ["a"]]) == [{"ratio": 0.5}, {"ratio": 2.0}]
    assert with_statistics(metric)([["a"]], [["ab"]]) == [({"ratio": 0.5}, [1, 2])]


@EACH_CORPUS_METRIC
def test_an_output_without_a_score_still_counts_in_the_corpus(metric: Any) -> None:
    macro, micro = metric.evaluate(["abc", "a"], [[""], ["ab"]])
    assert math.isnan(micro[0]["ratio"])
    assert macro == {"ratio": 2.0}


def test_statistics_must_be_given_for_each_summary() -> None:
    class Careless(BatchRatio):
        def statistics_multi_all(self, summaries_list, references_list):
            return [[[1, 2]] for _ in summaries_list]

    with pytest.raises(InputError, match=f"statistics_multi_all of 'Careless' {ONE_RESULT_FOR_EACH_SUMMARY}"):
        Careless().score_multi(["a", "b"], ["r"])


def test_a_corpus_metric_may_look_at_nothing_but_the_summary() -> None:
    class Letters(CorpusMetric, ReferenceFreeMetric):
        def statistics(self, summary: str) -> list[int]:
            return [len(summary), 1]

        def score_statistics(self, statistics: Sequence[float]) -> MetricsDict:
            return MetricsDict(letters=statistics[0] / statistics[1])

    metric = Letters()
    assert metric.score_multi(["a", "abc"]) == [{"letters": 1.0}, {"letters": 3.0}]
    assert metric.evaluate(["a", "abc"]) == ({"letters": 2.0}, [{"letters": 1.0}, {"letters": 3.0}])


# --- totals ---


def test_the_mean_leaves_out_what_is_not_defined_and_counts_it() -> None:
    total = MeanTotal()
    for a, b in ((1.0, math.nan), (math.nan, math.nan), (4.0, math.nan)):
        total.add(MetricsDict({"a": a, "n": {"b": b, "c": 3}}), None)
    assert total.score().approx_equal({"a": 2.5, "n": {"b": math.nan, "c": 3}}, abs=0)
    assert (total.count, total.undefined) == (3, {"a": 1, "n_b": 3})


def test_lists_of_numbers_are_averaged_place_by_place() -> None:
    total = MeanTotal()
    total.add(MetricsDict(a=[1, 2]), None)
    total.add(MetricsDict(a=[3, 6]), None)
    assert total.score() == {"a": [2, 4]}


def test_statistics_of_unequal_length_are_refused() -> None:
    total = StatisticsTotal("a", lambda statistics: MetricsDict(a=statistics[0]))
    total.add(MetricsDict(), [1, 2])
    with pytest.raises(InputError, match="the statistics of 'a' must have 2 numbers for every output, got 3"):
        total.add(MetricsDict(), [1, 2, 3])
    with pytest.raises(InputError, match="must return the statistics of every output"):
        total.add(MetricsDict(), None)


def test_summing_does_not_change_the_statistics_of_an_output() -> None:
    total, first = StatisticsTotal("a", lambda statistics: MetricsDict(a=statistics[0])), [1, 2]
    total.add(MetricsDict(), first)
    total.add(MetricsDict(), [3, 4])
    assert first == [1, 2]
    assert total.score() == {"a": 4}


@pytest.mark.parametrize("total", [MeanTotal(), StatisticsTotal("a", lambda statistics: MetricsDict())])
def test_the_score_of_nothing_is_not_defined(total: Any) -> None:
    with pytest.raises(InputError, match="cannot compute the score of zero outputs"):
        total.score()


@pytest.mark.parametrize("implementation", ["python", pytest.param("native", marks=requires_native)])
def test_one_score_looks_up_one_kernel_and_checks_its_arguments_once(implementation: str) -> None:
    called: Counter[str] = Counter()
    with kernels(implementation):
        sys.setprofile(lambda frame, event, _: called.update([frame.f_code.co_name] * (event == "call")))
        try:
            load("ter").score("a cat sat", ["the cat sat", "a cat sat down"])
        finally:
            sys.setprofile(None)
    assert (called["native_kernel"], called["check_groups"]) == (1, 1)
