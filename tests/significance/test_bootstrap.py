"""Bootstrap intervals: against sacreBLEU and SciPy, and worked by hand."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from significance_cases import CORPUS_METRICS, Texts, interval_of, means, some_numbers
from sums_of_floats import rounded

from metrics_framework.metrics.base.metric import load
from metrics_framework.significance import interval_methods as bootstrap
from metrics_framework.significance.resampling import Resampling
from metrics_framework.significance.score_vectors import ScoreVectors


@pytest.mark.parametrize(("ours", "theirs"), CORPUS_METRICS)
@pytest.mark.parametrize("count", [1, 7, 120])
def test_intervals_are_those_of_sacrebleu(ours: str, theirs: str, count: int) -> None:
    """The resamples are the same; sacreBLEU sums them in single precision, which is what the tolerance is for."""
    metrics = pytest.importorskip("sacrebleu.metrics")
    texts = Texts(count)
    score = getattr(metrics, theirs)().corpus_score(texts.good, texts.streams(), n_bootstrap=1000)
    found = interval_of(texts.outputs(load(ours), texts.good), ours)
    assert found.half_width == pytest.approx(score._ci, rel=1e-5, abs=1e-5)
    assert found.undefined == 0


def test_the_ends_of_a_bleu_interval_are_scores_that_sacrebleu_computes() -> None:
    """Without its single precision: the draws of sacreBLEU, summed in whole numbers and scored by it."""
    metrics = pytest.importorskip("sacrebleu.metrics")
    texts = Texts(83)
    bleu = metrics.BLEU()
    statistics = np.array(bleu._extract_corpus_statistics(texts.good, texts.streams()))
    draws = np.random.default_rng(12345).choice(83, size=(1000, 83), replace=True)
    scores = sorted(bleu._compute_score_from_stats(statistics[draw].sum(0).tolist()).score for draw in draws)
    found = interval_of(texts.outputs(load("bleu"), texts.good), "bleu")
    assert (found.low, found.high) == (rounded(scores[25]), rounded(scores[974]))


@pytest.mark.parametrize(("ours", "theirs"), CORPUS_METRICS[:1])
def test_bleu_intervals_on_turkcorpus_are_those_of_sacrebleu(
    ours: str, theirs: str, shared_path: Callable[[str], Path]
) -> None:
    metrics = pytest.importorskip("sacrebleu.metrics")
    folder = shared_path("data/turkcorpus")

    def lines(name: str) -> list[str]:
        return (folder / name).read_text(encoding="utf-8").removesuffix("\n").split("\n")

    streams = [lines(f"detok/test.truecase.detok.simp.{number}") for number in range(8)]
    summaries = lines("outputs/detok/SBMT-SARI.txt")
    score = getattr(metrics, theirs)().corpus_score(summaries, streams, n_bootstrap=1000)
    metric = load(ours)
    groups = metric.statistics_multi_all(
        [[one] for one in summaries], [list(one) for one in zip(*streams, strict=True)]
    )
    ids = [str(number + 1) for number in range(len(summaries))]
    found = interval_of(ScoreVectors.of_statistics(metric, ids, [one for (one,) in groups]), ours)
    assert found.half_width == pytest.approx(score._ci, rel=1e-5)


def test_intervals_of_means_are_those_of_scipy() -> None:
    from scipy.stats import bootstrap

    values = some_numbers(60, 2)
    theirs = bootstrap((values,), np.mean, method="percentile", n_resamples=1000, rng=np.random.default_rng(12345))
    expected = np.sort(theirs.bootstrap_distribution)
    found = interval_of(means(values), "m")
    assert (found.low, found.high) == pytest.approx((expected[25], expected[974]), abs=1e-12)
    ends = theirs.confidence_interval  # interpolated between two of the sorted scores
    assert expected[24] <= ends.low <= expected[25]
    assert expected[974] <= ends.high <= expected[975]


def test_an_interval_excludes_the_tails(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two inputs with 0 and 1; a resample that draws the second one k times has the mean k / 2."""
    blocks = [np.array([[2.0, 0.0]] * 2 + [[1.0, 1.0]] * 2), np.array([[1.0, 1.0]] * 14 + [[0.0, 2.0]] * 2)]
    monkeypatch.setattr(bootstrap, "bootstrap_weights", lambda *arguments: iter(blocks))
    outputs = means([0.0, 1.0])
    assert interval_of(outputs, "m", Resampling(20, level=0.9)) == (0.0, 1.0, 0, 0.5)  # one at each side goes
    assert interval_of(outputs, "m", Resampling(20, level=0.8)) == (0.5, 0.5, 0, 0.5)  # two
    assert interval_of(outputs, "m", Resampling(20, level=0.9)).half_width == 0.5


def test_outputs_without_a_score_are_left_out_of_means_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mean of 1 and 3 where both are drawn, 1 or 3 where one is, and none where only the undefined one is."""
    blocks = [np.array([[1.0, 1.0, 1.0]] * 18 + [[2.0, 0.0, 1.0], [0.0, 0.0, 3.0]])]
    monkeypatch.setattr(bootstrap, "bootstrap_weights", lambda *arguments: iter(blocks))
    found = interval_of(means([1.0, 3.0, math.nan]), "m", Resampling(20, level=0.9))
    assert found[:3] == (1.0, 2.0, 1)  # of 1, 2, …, 2, which are 19, ⌊19 · .05⌋ = 0 go


def test_an_infinite_score_has_no_interval() -> None:
    found = interval_of(means([1.0, math.inf]), "m")
    assert math.isnan(found.low)


def test_all_outputs_for_an_input_are_drawn_together() -> None:
    """Where each input has an output that is as much above 0 as another is below, no resample is off."""
    found = interval_of(means([5.0, 1.0, -1.0, -5.0], ["a", "b", "b", "a"]), "m")
    assert found == (0.0, 0.0, 0, 0.0)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=12), st.integers(0, 2**32))
@settings(max_examples=50)
def test_intervals_lie_between_the_least_and_the_greatest_score(values: list[float], seed: int) -> None:
    found = interval_of(means(values), "m", Resampling(50, seed))
    slack = 1e-9 * max(map(abs, values))
    assert min(values) - slack <= found.low <= found.high <= max(values) + slack
