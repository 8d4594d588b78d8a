"""Intervals: against sacreBLEU and SciPy, worked by hand, and for scores that are undefined or constant."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from significance_cases import AS_SACREBLEU, CORPUS_METRICS, Texts, interval_of, means, some_numbers
from sums_of_floats import rounded

from metrics_framework.common.logs import Log
from metrics_framework.metrics.base.metric import load
from metrics_framework.significance import compared_systems
from metrics_framework.significance.compared_systems import bootstrap_intervals
from metrics_framework.significance.confidence import Confidence, warn_of_undefined, within_range
from metrics_framework.significance.interval_methods import Interval, bca_interval
from metrics_framework.significance.resampling import SACREBLEU, SACREBLEU_SEED, Resampling
from metrics_framework.significance.score_vectors import ScoreVectors

BCA, JACKKNIFE = Resampling(seed=SACREBLEU_SEED, method="bca"), Resampling(method="jackknife")


@pytest.mark.parametrize(("ours", "theirs"), CORPUS_METRICS)
@pytest.mark.parametrize("count", [1, 7, 120])
def test_intervals_are_those_of_sacrebleu(ours: str, theirs: str, count: int) -> None:
    """The resamples are the same; sacreBLEU sums them in single precision, which is what the tolerance is for."""
    metrics = pytest.importorskip("sacrebleu.metrics")
    texts = Texts(count)
    score = getattr(metrics, theirs)().corpus_score(texts.good, texts.streams(), n_bootstrap=1000)
    found = interval_of(texts.outputs(load(ours), texts.good), ours)
    assert found.half_width == pytest.approx(score._ci, rel=1e-5, abs=1e-5)
    assert found.undefined_resamples == 0


def test_the_ends_of_a_bleu_interval_are_scores_that_sacrebleu_computes() -> None:
    """Without its single precision: the draws of sacreBLEU, summed in whole numbers and scored by it."""
    metrics = pytest.importorskip("sacrebleu.metrics")
    texts = Texts(83)
    bleu = metrics.BLEU()
    statistics = np.array(bleu._extract_corpus_statistics(texts.good, texts.streams()))
    draws = np.random.default_rng(12345).choice(83, size=(1000, 83), replace=True)
    scores = sorted(bleu._compute_score_from_stats(statistics[draw].sum(0).tolist()).score for draw in draws)
    found = interval_of(texts.outputs(load("bleu"), texts.good), "bleu")
    assert (found.lower, found.upper) == (rounded(scores[25]), rounded(scores[974]))


def test_an_interval_excludes_the_tails(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two inputs with 0 and 1; a resample that draws the second one k times has the mean k / 2."""
    blocks = [np.array([[2.0, 0.0]] * 2 + [[1.0, 1.0]] * 2), np.array([[1.0, 1.0]] * 14 + [[0.0, 2.0]] * 2)]
    monkeypatch.setattr(compared_systems, "bootstrap_weights", lambda *arguments: iter(blocks))
    outputs = means([0.0, 1.0])
    one, two = (interval_of(outputs, "m", Resampling(20, level=level, **SACREBLEU)) for level in (0.9, 0.8))
    assert (*one.numbers, one.undefined_resamples, one.mean) == (0.5, 0.0, 1.0, 0, 0.5)  # one at each side goes
    assert two.numbers == (0.5, 0.5, 0.5)  # two
    assert one.half_width == 0.5


def test_outputs_without_a_score_are_left_out_of_means_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mean of 1 and 3 where both are drawn, 1 or 3 where one is, and none where only the undefined one is."""
    blocks = [np.array([[1.0, 1.0, 1.0]] * 18 + [[2.0, 0.0, 1.0], [0.0, 0.0, 3.0]])]
    monkeypatch.setattr(compared_systems, "bootstrap_weights", lambda *arguments: iter(blocks))
    found = interval_of(means([1.0, 3.0, math.nan]), "m", Resampling(20, level=0.9, **SACREBLEU))
    assert (*found.numbers, found.undefined_resamples) == (2.0, 1.0, 2.0, 1)
    # of 1, 2, …, 2, which are 19, ⌊19 · .05⌋ = 0 go


def test_an_infinite_score_has_no_interval() -> None:
    found = interval_of(means([1.0, math.inf]), "m")
    assert math.isnan(found.lower)


def test_all_outputs_for_an_input_are_drawn_together() -> None:
    """Where each input has an output that is as much above 0 as another is below, no resample is off."""
    found = interval_of(means([5.0, 1.0, -1.0, -5.0], ["a", "b", "b", "a"]), "m")
    assert (*found.numbers, found.mean) == (0.0, 0.0, 0.0, 0.0)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=12), st.integers(0, 2**32))
@settings(max_examples=50)
def test_intervals_lie_between_the_least_and_the_greatest_score(values: list[float], seed: int) -> None:
    found = interval_of(means(values), "m", Resampling(50, seed, method="percentile"))
    slack = 1e-9 * max(map(abs, values))
    assert min(values) - slack <= found.lower <= found.upper <= max(values) + slack


def skewed(count: int, seed: int) -> list[float]:
    return np.exp(some_numbers(count, seed)).tolist()


@pytest.mark.parametrize("count", [3, 5, 20, 60])
@pytest.mark.parametrize("level", [0.95, 0.8])
def test_bca_intervals_of_means_are_those_of_scipy(count: int, level: float) -> None:
    """The draws are the same, and so are all digits but the last."""
    from scipy.stats import bootstrap

    values = skewed(count, 7)
    rng = np.random.default_rng(12345)
    theirs = bootstrap((values,), np.mean, method="BCa", n_resamples=1000, confidence_level=level, rng=rng)
    found = interval_of(means(values), "m", replace(BCA, level=level))
    assert (found.lower, found.upper) == pytest.approx(tuple(theirs.confidence_interval), rel=1e-10)
    if count == 60:
        assert (
            found.upper > interval_of(means(values), "m", replace(AS_SACREBLEU, level=level)).upper
        )  # skewed to the right


def test_bca_intervals_of_ratios_are_those_of_scipy() -> None:
    """A corpus score: the ratio of sums of edits and words."""
    from scipy.stats import bootstrap

    texts, ter = Texts(30, seed=3), load("ter")
    outputs = texts.outputs(ter, texts.bad)

    def corpus_score(edits: Any, words: Any, axis: int = -1) -> Any:
        return 100 * edits.sum(axis=axis) / words.sum(axis=axis)

    data = tuple(np.asarray(column) for column in outputs.vectors.T[:2])
    rng = np.random.default_rng(12345)
    theirs = bootstrap(data, corpus_score, paired=True, method="BCa", n_resamples=1000, rng=rng)
    found = interval_of(outputs, "ter", BCA)
    assert (found.lower, found.upper) == pytest.approx(tuple(theirs.confidence_interval), rel=1e-10)


@pytest.mark.parametrize("count", [2, 5, 30])
def test_jackknife_intervals_of_means_are_those_of_students_t(count: int) -> None:
    from scipy.stats import sem, t

    values = skewed(count, 4)
    expected = t.interval(0.95, count - 1, loc=np.mean(values), scale=sem(values))
    found = interval_of(means(values), "m", JACKKNIFE)
    assert (found.lower, found.upper) == pytest.approx(expected, rel=1e-10)


def test_a_jackknife_interval_of_a_ratio_worked_by_hand() -> None:
    """Sums 1/2, 2/2, 3/4 of edits and words: 6/8; without one 5/6, 4/6, 3/4; pseudo-values 3·6/8 − 2·those."""
    ter = load("ter")
    outputs = ScoreVectors.of_statistics(ter, ["1", "2", "3"], [(1, 2.0), (2, 2.0), (3, 4.0)])
    pseudo_values = 100 * np.array([9 / 4 - 10 / 6, 9 / 4 - 8 / 6, 9 / 4 - 6 / 4])
    half = 4.302652729911275 * pseudo_values.std(ddof=1) / math.sqrt(3)  # the 97.5th percentile of t, 2 degrees
    found = interval_of(outputs, "ter", JACKKNIFE)
    assert (found.lower, found.upper) == pytest.approx((pseudo_values.mean() - half, pseudo_values.mean() + half))


@pytest.mark.parametrize("name", ["bleu", "chrf", "ter"])
def test_the_scores_without_an_input_are_those_of_the_other_texts(name: str) -> None:
    texts, metric = Texts(5), load(name)
    found = texts.outputs(metric, texts.bad).without_each_input()[name]
    for index in range(5):
        others = [place for place in range(5) if place != index]
        summaries, references = (
            [texts.bad[place] for place in others],
            [texts.references_list[place] for place in others],
        )
        assert found[index] == pytest.approx(metric.evaluate(summaries, references)[0][name], rel=1e-12)


@pytest.mark.parametrize("method", ["bca", "jackknife"])
def test_lists_have_an_interval_for_each_number(method: Any) -> None:
    texts = Texts(12)
    (found,) = bootstrap_intervals([texts.outputs(load("bleu"), texts.bad)], Resampling(method=method))
    precisions: Any = found["bleu_precisions"]
    assert len(precisions) == 4
    assert all(one.lower < one.upper for one in precisions)


def test_ends_of_components_are_cut_to_their_ranges() -> None:
    intervals: Any = {
        "bleu": Interval(50, -1, 99),
        "bleu_precisions": [Interval(60, 40, 101), Interval(9, -4, 20)],
        "bleu_bp": Interval(0.975, 0.883, 1.034),
        "other": Interval(5, -1, 200),
    }
    assert within_range(load("bleu"), intervals) == {
        "bleu": Interval(50, 0, 99),
        "bleu_precisions": [Interval(60, 40, 100), Interval(9, 0, 20)],
        "bleu_bp": Interval(0.975, 0.883, 1),
        "other": Interval(5, -1, 200),
    }
    counts: Any = {"ter": Interval(30, 10, 120), "ter_num_edits": Interval(12, -0.19, 31.5)}
    assert within_range(load("ter"), counts)["ter_num_edits"] == Interval(12, 0, 31.5)


@pytest.mark.parametrize("method", ["bca", "jackknife"])
def test_equal_scores_have_an_interval_of_zero_width(method: Any) -> None:
    found = interval_of(means([0.1] * 7), "m", Resampling(method=method))
    assert (found.lower, found.upper) == pytest.approx((0.1, 0.1), abs=1e-15)


@pytest.mark.parametrize("method", ["bca", "jackknife"])
@pytest.mark.parametrize("values", [[2.0], [1.0, math.nan, math.nan], [math.nan] * 3])
def test_without_an_input_the_score_is_undefined_and_so_is_the_interval(method: Any, values: list[float]) -> None:
    found = interval_of(means(values), "m", Resampling(method=method))
    assert math.isnan(found.lower)
    assert math.isnan(found.upper)


def test_undefined_outputs_are_excluded_as_from_the_mean() -> None:
    values = [*skewed(9, 2), math.nan]
    found = interval_of(means(values), "m", BCA)
    assert found.lower < np.nanmean(values) < found.upper
    widths = [interval_of(means(one), "m", JACKKNIFE).half_width for one in (values, values[:-1])]
    assert widths[0] == pytest.approx(widths[1], rel=0.1)


def test_resamples_on_one_side_of_the_score_have_no_bca_interval() -> None:
    values, left_out = np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0])
    assert math.isnan(bca_interval(5.0, values, left_out, 0.025).lower)
    assert math.isnan(bca_interval(5.0, values + 9, left_out, 0.025).lower)
    assert bca_interval(5.0, np.array([np.nan, 4.0, 6.0]), left_out, 0.025).undefined_resamples == 1


def test_intervals_of_few_inputs_are_reported_as_too_short() -> None:
    few = AS_SACREBLEU.too_short_for({"A": 19, "B": 20})
    assert few is not None
    assert few.startswith("1 of 2 systems has outputs for fewer than 20 inputs (19 or more)")
    assert "the methods 'studentized' and 'jackknife' (--ci)" in few
    assert BCA.too_short_for({"A": 2}) is not None
    assert AS_SACREBLEU.too_short_for({"A": 20}) is AS_SACREBLEU.too_short_for({"A": 1}) is None
    assert JACKKNIFE.too_short_for({"A": 3}) is None


@pytest.mark.parametrize(("method", "named"), [("bca", ["without", "part"]), ("percentile", [])])
def test_only_scores_with_missing_ends_are_reported(method: str, named: list[str]) -> None:
    """A score that is undefined in all resamples has no interval by any method, so that another would not help."""
    nan, resamples = math.nan, 1000
    intervals: dict[str, Interval | list[Interval]] = {
        "whole": Interval(1.5, 1.0, 2.0),
        "rare": Interval(1.5, 1.0, 2.0, undefined_resamples=resamples - 1),
        "without": Interval(nan, undefined_resamples=resamples - 1),
        "part": [Interval(1.5, 1.0, 2.0), Interval(nan)],
        "nowhere": Interval(nan, undefined_resamples=resamples),
    }
    log = Log(silent=True)
    warn_of_undefined(
        [{"whole": Interval(1.5, 1.0, 2.0)}, intervals], Resampling(method=method, resamples=resamples), log
    )
    of_ends = [warning for warning in log.warnings if "interval of" in warning]
    assert [warning.split(" interval of ")[1].split(" is undefined")[0] for warning in of_ends] == (
        [", ".join(named)] if named else []
    )
    counts = {warning.split("'")[1]: warning.split(" up to ")[1].split()[0] for warning in log.warnings[:3]}
    assert counts == {"rare": "999", "without": "999", "nowhere": "1000"}


@pytest.mark.parametrize(("least", "largest", "has_ends"), [(None, None, False), (None, 5, True), (1, None, False)])
def test_an_interval_with_an_infinite_end_has_a_reason_instead(
    least: float | None, largest: float | None, has_ends: bool
) -> None:
    found = Interval(2, 1, math.inf).within(least, largest)
    assert (found.is_defined, found.reason) == (has_ends, "" if has_ends else "an end exceeds the largest number")


def test_no_number_of_a_list_loses_its_caution() -> None:
    of_list = [Interval(2, reason="of one unit"), Interval(2, 1, 5).within(0, 4), Interval(2, 1, 3)]
    found = Confidence(Resampling(), {}, {"x": {"counts": of_list}})
    missing, cut = found.cautions(["counts"])
    assert missing == "no interval of counts of x: of one unit"
    assert cut.endswith(" cut to it: counts of x")
