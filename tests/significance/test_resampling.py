"""Intervals and tests from resampled inputs: against sacreBLEU and SciPy, by hand, and the laws they keep."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics_framework.common.errors import InputError
from metrics_framework.metrics.base.metric import load
from metrics_framework.significance import bootstrap, paired_tests
from metrics_framework.significance import resampling as draws
from metrics_framework.significance.bootstrap import Interval, bootstrap_intervals
from metrics_framework.significance.multiple_testing import holm, is_significant
from metrics_framework.significance.paired_tests import paired_p_values
from metrics_framework.significance.resampling import Resampling
from metrics_framework.significance.score_vectors import ScoreVectors

WORDS = [*["the", "cat", "sat", "on", "a", "red", "mat", "under", "its", "old", "tree", "and", "slept", "all", "day"]]
USUAL = Resampling()


class Texts:
    """Outputs of two systems with three references each, as many as asked for."""

    def __init__(self, count: int, seed: int = 1) -> None:
        words = random.Random(seed)
        self.ids = [str(number + 1) for number in range(count)]
        references = [words.choices(WORDS, k=words.randrange(4, 14)) for _ in range(count)]
        self.references_list = [[" ".join(one), " ".join(reversed(one)), " ".join(one[1:])] for one in references]
        self.good = [" ".join(self.noisy(one, words, 0.2)) for one in references]
        self.bad = [" ".join(self.noisy(one, words, 0.24)) for one in references]

    @staticmethod
    def noisy(text: list[str], words: random.Random, share: float) -> list[str]:
        return [words.choice(WORDS) if words.random() < share else word for word in text]

    def streams(self) -> list[list[str]]:
        return [list(column) for column in zip(*self.references_list, strict=True)]

    def outputs(self, metric: Any, texts: Sequence[str]) -> ScoreVectors:
        groups = metric.statistics_multi_all([[text] for text in texts], self.references_list)
        return ScoreVectors.of_statistics(metric, self.ids, [vector for (vector,) in groups])


def interval_of(outputs: ScoreVectors, name: str, resampling: Resampling = USUAL) -> Interval:
    (found,) = bootstrap_intervals([outputs], resampling)
    one = found[name]
    assert isinstance(one, Interval)
    return one


# ---- sacreBLEU -------------------------------------------------------------------------------------------------------

CORPUS_METRICS = [("bleu", "BLEU"), ("chrf", "CHRF"), ("ter", "TER")]


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


def test_an_interval_of_bleu_holds_the_very_scores_that_sacrebleu_computes_of_its_resamples() -> None:
    """Without its single precision: the draws of sacreBLEU, summed in whole numbers and scored by it."""
    metrics = pytest.importorskip("sacrebleu.metrics")
    texts = Texts(83)
    bleu = metrics.BLEU()
    statistics = np.array(bleu._extract_corpus_statistics(texts.good, texts.streams()))
    draws = np.random.default_rng(12345).choice(83, size=(1000, 83), replace=True)
    scores = sorted(bleu._compute_score_from_stats(statistics[draw].sum(0).tolist()).score for draw in draws)
    found = interval_of(texts.outputs(load("bleu"), texts.good), "bleu")
    assert (found.low, found.high) == (scores[25], scores[974])


@pytest.mark.parametrize(("ours", "theirs"), CORPUS_METRICS)
def test_randomization_is_that_of_sacrebleu_but_for_ties(ours: str, theirs: str) -> None:
    """sacreBLEU does not count trials whose difference is as large as the one observed; here they count."""
    metrics, significance = pytest.importorskip("sacrebleu.metrics"), pytest.importorskip("sacrebleu.significance")
    texts, metric, resampling = Texts(90, seed=5), load(ours), Resampling(2000)
    systems = [("good", texts.good), ("bad", texts.bad)]
    test = significance.PairedTest(systems, {theirs: getattr(metrics, theirs)()}, texts.streams(), "ar", 2000)
    _, scores = test()
    (name,) = [name for name in scores if name != "System"]
    pair = texts.outputs(metric, texts.good), texts.outputs(metric, texts.bad)
    (found,) = paired_p_values([pair], resampling=resampling)
    (trials,) = paired_tests._randomized([pair], resampling)
    good, bad = (one.scores_of(one.vectors.sum(0, keepdims=True))[ours][0] for one in pair)
    ties = (abs(abs(trials[ours]) - abs(good - bad)) < 1e-9).sum()
    assert found.p_values[ours] == pytest.approx(scores[name][1].p_value + ties / 2001, abs=1e-12)
    assert 0.001 < scores[name][1].p_value < 0.999
    assert (ties > 0) == (ours == "ter")


def test_the_resampled_differences_are_those_of_sacrebleu_though_the_test_is_two_sided() -> None:
    """sacreBLEU takes the absolute difference before it centres them, which makes its bootstrap test one-sided."""
    metrics, significance = pytest.importorskip("sacrebleu.metrics"), pytest.importorskip("sacrebleu.significance")
    texts, metric = Texts(90, seed=5), load("bleu")
    systems = [("good", texts.good), ("bad", texts.bad)]
    _, scores = significance.PairedTest(systems, {"BLEU": metrics.BLEU()}, texts.streams(), "bs", 1000)()
    pair = texts.outputs(metric, texts.good), texts.outputs(metric, texts.bad)
    (centred,) = paired_tests._bootstrapped([pair], Resampling())
    good, bad = (one.scores_of(one.vectors.sum(0, keepdims=True))["bleu"][0] for one in pair)
    draws = np.random.default_rng(12345).choice(90, size=(1000, 90), replace=True)
    first, second = (one.scores_of(one.vectors[draws].sum(1))["bleu"] for one in pair)
    one_sided = abs(first - second) - abs(first - second).mean()
    expected = ((one_sided > abs(good - bad)).sum() + 1) / 1001
    assert scores["BLEU"][1].p_value == pytest.approx(expected, abs=1e-12)
    assert centred["bleu"] == pytest.approx((first - second) - (first - second).mean(), abs=1e-12)
    (found,) = paired_p_values([pair], "bootstrap")
    assert found.p_values["bleu"] == ((abs(centred["bleu"]) >= abs(good - bad)).sum() + 1) / 1001


# ---- SciPy -----------------------------------------------------------------------------------------------------------


def means(values: Sequence[float], ids: Sequence[str] | None = None) -> ScoreVectors:
    return ScoreVectors.of_scores(ids or [str(number) for number in range(len(values))], [{"m": one} for one in values])


def some_numbers(count: int, seed: int, shift: float = 0.0) -> list[float]:
    return (np.random.default_rng(seed).normal(size=count) + shift).tolist()


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


@pytest.mark.parametrize("shift", [0.0, 0.35])
def test_randomization_of_means_agrees_with_all_permutations(shift: float) -> None:
    """SciPy goes through all 2^13 swaps; 20,000 of them drawn at random have a standard error below .004."""
    from scipy.stats import permutation_test

    one, other = some_numbers(13, 3), some_numbers(13, 4, shift)
    exact = permutation_test(
        (one, other), lambda x, y: np.mean(x) - np.mean(y), permutation_type="samples", n_resamples=np.inf
    )
    (found,) = paired_p_values([(means(one), means(other))], resampling=Resampling(resamples=20_000))
    assert found.p_values["m"] == pytest.approx(exact.pvalue, abs=0.015)


# ---- by hand ---------------------------------------------------------------------------------------------------------


def test_an_interval_leaves_out_so_many_resamples_at_either_side(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two inputs with 0 and 1; a resample that draws the second one k times has the mean k / 2."""
    blocks = [np.array([[2.0, 0.0]] * 2 + [[1.0, 1.0]] * 2), np.array([[1.0, 1.0]] * 14 + [[0.0, 2.0]] * 2)]
    monkeypatch.setattr(bootstrap, "bootstrap_weights", lambda inputs, resampling: iter(blocks))
    outputs = means([0.0, 1.0])
    assert interval_of(outputs, "m", Resampling(20, level=0.9)) == (0.0, 1.0, 0)  # one at each side goes
    assert interval_of(outputs, "m", Resampling(20, level=0.8)) == (0.5, 0.5, 0)  # two
    assert interval_of(outputs, "m", Resampling(20, level=0.9)).half_width == 0.5


def test_outputs_without_a_score_are_left_out_of_means_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mean of 1 and 3 where both are drawn, 1 or 3 where one is, and none where only the undefined one is."""
    blocks = [np.array([[1.0, 1.0, 1.0]] * 18 + [[2.0, 0.0, 1.0], [0.0, 0.0, 3.0]])]
    monkeypatch.setattr(bootstrap, "bootstrap_weights", lambda inputs, resampling: iter(blocks))
    found = interval_of(means([1.0, 3.0, math.nan]), "m", Resampling(20, level=0.9))
    assert found == (1.0, 2.0, 1)  # of 1, 2, …, 2, which are 19, ⌊19 · .05⌋ = 0 go


def test_a_score_that_no_output_has_is_undefined() -> None:
    found = interval_of(means([math.nan, math.nan]), "m")
    assert (math.isnan(found.low), math.isnan(found.high), found.undefined) == (True, True, 1000)
    (compared,) = paired_p_values([(means([math.nan]), means([1.0]))])
    assert math.isnan(compared.p_values["m"])


@pytest.mark.parametrize("test", ["randomization", "bootstrap"])
def test_a_score_that_no_output_has_has_no_p_value(test: Literal["randomization", "bootstrap"]) -> None:
    none = means([math.nan, math.nan])
    (compared,) = paired_p_values([(none, none)], test, Resampling(50))
    assert math.isnan(float(compared.p_values["m"]))
    assert math.isnan(float(compared.differences["m"]))


def test_an_infinite_score_has_no_interval() -> None:
    found = interval_of(means([1.0, math.inf]), "m")
    assert math.isnan(found.low)


def test_every_swap_counts_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scores 3 1 and 1 0: d = 2 - .5 = 1.5; swaps of none, the first, the second, both: 1.5, -.5, .5, -1.5."""
    swaps = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    monkeypatch.setattr(
        paired_tests, "swap_weights", lambda inputs, resampling: iter([swaps, swaps, swaps, swaps, swaps])
    )
    (found,) = paired_p_values([(means([3.0, 1.0]), means([1.0, 0.0]))], resampling=Resampling(20, level=0.9))
    assert found == ({"m": (10 + 1) / (20 + 1)}, 2, {"m": -1.5})


def test_a_system_is_not_better_than_itself() -> None:
    """sacreBLEU, which counts only greater differences, gives 1 / (n + 1) here."""
    one = means(some_numbers(9, 8))
    for test in ("randomization", "bootstrap"):
        (found,) = paired_p_values([(one, one)], test)
        assert found.p_values == {"m": 1.0}


def test_systems_are_compared_on_the_inputs_that_both_have() -> None:
    one, other = some_numbers(6, 1), some_numbers(6, 2)
    more = means([*one, 99.0], [*"abcdef", "only here"]), means([-5.0, *other], ["10", *"abcdef"])
    (found,) = paired_p_values([more])
    (expected,) = paired_p_values([(means(one, "abcdef"), means(other, "abcdef"))])
    assert found == expected
    assert found.inputs == 6


def test_a_difference_is_that_on_the_inputs_that_both_have() -> None:
    one = ScoreVectors.of_scores(["a", "b", "c"], [{"s": 9.0}, {"s": 1.0}, {"s": 2.0}])
    other = ScoreVectors.of_scores(["b", "c"], [{"s": 3.0}, {"s": 5.0}])
    (compared,) = paired_p_values([(one, other)])
    assert compared.differences == {"s": 2.5}


def test_systems_without_a_common_input_cannot_be_compared() -> None:
    with pytest.raises(InputError, match="two systems that share no input"):
        paired_p_values([(means([1.0], ["a"]), means([1.0], ["b"]))])


def test_systems_under_different_metrics_cannot_be_compared() -> None:
    texts = Texts(3)
    with pytest.raises(InputError, match=r"by the same metric, got bleu.* and ter"):
        paired_p_values([(texts.outputs(load("bleu"), texts.good), texts.outputs(load("ter"), texts.good))])
    with pytest.raises(InputError, match=r"by the same metric, got m .* and k .*, m"):
        paired_p_values([(means([1.0]), ScoreVectors.of_scores(["0"], [{"m": 1.0, "k": 1.0}]))])


def test_the_order_of_scores_does_not_matter() -> None:
    one = ScoreVectors.of_scores(["1", "2"], [{"a": 1.0, "b": [5.0, 6.0]}, {"b": [7.0, 8.0], "a": 2.0}])
    other = ScoreVectors.of_scores(["1", "2"], [{"b": [5.0, 6.0], "a": 1.0}, {"b": [7.0, 8.0], "a": 2.0}])
    assert list(one.scores_of(one.vectors)) == ["a", "b"]
    (found,) = paired_p_values([(one, other)])
    assert found.p_values == {"a": 1.0, "b": [1.0, 1.0]}
    both = ScoreVectors.joined([one, other])
    assert bootstrap_intervals([both]) == bootstrap_intervals([ScoreVectors.joined([other, one])])


def test_joined_systems_are_resampled_with_all_their_outputs() -> None:
    one, other = means([1.0, 2.0, 4.0], ["c", "a", "b"]), means([8.0, 16.0], ["b", "d"])
    together = means([1.0, 2.0, 4.0, 8.0, 16.0], ["c", "a", "b", "b", "d"])
    both = ScoreVectors.joined([one, other])
    assert both.inputs == together.inputs == ["a", "b", "c", "d"]
    assert both.vectors.tolist() == together.vectors.tolist() == [[2, 1], [12, 2], [1, 1], [16, 1]]


def test_all_outputs_for_an_input_are_drawn_together() -> None:
    """Where each input has an output that is as much above 0 as another is below, no resample is off."""
    found = interval_of(means([5.0, 1.0, -1.0, -5.0], ["a", "b", "b", "a"]), "m")
    assert found == (0.0, 0.0, 0)


def test_lists_of_numbers_have_an_interval_and_a_p_value_each() -> None:
    ids = ["1", "2", "3"]
    one = ScoreVectors.of_scores(ids, [{"a": [1.0, 2.0], "b": {"c": value}} for value in (4.0, 5.0, 6.0)])
    other = ScoreVectors.of_scores(ids, [{"a": [0.0, 2.0], "b": {"c": value}} for value in (4.0, 5.0, 6.0)])
    (found,) = bootstrap_intervals([one])
    assert found["a"] == [(1.0, 1.0, 0), (2.0, 2.0, 0)]
    assert list(found) == ["a", "b_c"]
    (compared,) = paired_p_values([(one, other)])
    first, second = compared.p_values["a"]
    assert first < 0.5
    assert (second, compared.p_values["b_c"]) == (1.0, 1.0)


HOLM = [  # p-values, adjusted, why
    ([], [], "nothing is compared"),
    ([0.03], [0.03], "one comparison needs no correction"),
    ([0.01, 0.04], [0.02, 0.04], "the least counts twice"),
    ([0.04, 0.03], [0.06, 0.06], "none is less than one before it"),
    ([0.9, 0.8], [1.0, 1.0], "none is greater than 1"),
    ([math.nan, 0.02], [math.nan, 0.02], "what is undefined is no comparison"),
]


@pytest.mark.parametrize(("p_values", "expected", "why"), HOLM, ids=[why for *_, why in HOLM])
def test_holm(p_values: list[float], expected: list[float], why: str) -> None:
    assert holm(p_values) == pytest.approx(expected, nan_ok=True), why


TRIALS = [  # comparisons, trials, level, trials that are enough, why
    (19, 200, 0.95, 380, "19 / 201 is above 0.05"),
    (19, 379, 0.95, 380, "19 / 380 is 0.05, which is not below it, though rounding makes 19 * (1 / 380) less"),
    (19, 380, 0.95, None, "19 / 381 is below 0.05"),
    (19, 1000, 0.99, 1900, "19 / 1901 is the first below 0.01"),
    (1, 40, 0.95, None, "one comparison needs 20, and an interval 40"),
    (2, 40, 0.95, None, "2 / 41 is below 0.05"),
    (0, 40, 0.95, None, "nothing is compared"),
]


@pytest.mark.parametrize(("comparisons", "trials", "level", "enough", "why"), TRIALS, ids=[why for *_, why in TRIALS])
def test_too_few_trials_for_so_many_comparisons_are_told(
    comparisons: int, trials: int, level: float, enough: int | None, why: str
) -> None:
    told = Resampling(trials, level=level).too_few_for(comparisons)
    assert told == (
        None
        if enough is None
        else f"{comparisons} comparisons with {trials} trials cannot be significant at {1 - level:.2g}; "
        f"use --resamples {enough} or more"
    )


@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
def test_so_many_trials_as_are_told_to_be_enough_are_the_fewest_that_let_something_be_significant(level: float) -> None:
    error = round(1 - level, 12)
    for comparisons in range(1, 200):
        trials = math.ceil(2 / error)  # the fewest that an interval can have
        told = Resampling(trials, level=level).too_few_for(comparisons)
        enough = trials if told is None else int(told.split("--resamples ")[1].split()[0])
        assert is_significant(holm([1 / (enough + 1)] * comparisons)[0], error)
        assert enough == trials or not is_significant(holm([1 / enough] * comparisons)[0], error)


# ---- laws ------------------------------------------------------------------------------------------------------------


def metric_outputs(texts: Texts, order: Sequence[int]) -> list[ScoreVectors]:
    """The same outputs, in some order: as statistics that are whole, as statistics that are not, and as scores."""
    found = []
    for spec in ("bleu", "sari:variant=hf"):
        metric = load(spec)
        more = [texts.references_list[place][0] + " tree" for place in order]
        groups = metric.statistics_multi_all(
            [[texts.good[place]] for place in order],
            [texts.references_list[place] for place in order],
            *([more] if spec != "bleu" else []),
        )
        found.append(
            ScoreVectors.of_statistics(metric, [texts.ids[place] for place in order], [one for (one,) in groups])
        )
    scores = load("sent-bleu").score_all(
        [texts.good[place] for place in order], [texts.references_list[place] for place in order]
    )
    return [*found, ScoreVectors.of_scores([texts.ids[place] for place in order], scores)]


@given(st.permutations(range(25)))
@settings(max_examples=15)
def test_the_order_of_the_outputs_does_not_matter(order: list[int]) -> None:
    texts = Texts(25)
    resampling = Resampling(100)
    expected = metric_outputs(texts, range(25))
    shuffled = metric_outputs(texts, order)
    assert bootstrap_intervals(shuffled, resampling) == bootstrap_intervals(expected, resampling)
    pairs, expected_pairs = [(shuffled[0], shuffled[0])], [(expected[0], expected[0])]
    assert paired_p_values(pairs, resampling=resampling) == paired_p_values(expected_pairs, resampling=resampling)


def test_what_a_system_gets_does_not_depend_on_the_others() -> None:
    several = [means(some_numbers(count, count)) for count in (5, 9, 5, 12)]
    assert bootstrap_intervals(several) == [bootstrap_intervals([one])[0] for one in several]
    pairs = [(several[0], several[2]), (several[1], several[1]), (several[1], several[3])]
    assert paired_p_values(pairs) == [paired_p_values([pair])[0] for pair in pairs]


@pytest.mark.parametrize("block", [1, 31, 33, 500, 10_000])
def test_blocks_draw_as_one_call_does(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The generator keeps half a word of integers between calls, but throws bits away: hence whole words of them."""
    monkeypatch.setattr(draws, "BLOCK_WEIGHTS", block)
    resampling = Resampling(100, seed=7)
    drawn = np.concatenate(list(draws.bootstrap_weights(11, resampling)))
    expected = np.random.default_rng(7).integers(11, size=(100, 11))
    assert np.array_equal(drawn, [np.bincount(row, minlength=11) for row in expected])
    swapped = np.concatenate(list(draws.swap_weights(11, resampling)))
    stays = np.random.default_rng(7).integers(2, size=(100, 11), dtype=bool)
    assert np.array_equal(swapped, ~stays)


def test_blocks_are_no_larger_than_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draws, "BLOCK_WEIGHTS", 64)
    assert {len(block) for block in draws.bootstrap_weights(10, Resampling(100))} <= {6, 4}
    assert max(len(block) for block in draws.swap_weights(10, Resampling(100))) <= 6


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=12), st.integers(0, 2**32))
@settings(max_examples=50)
def test_intervals_lie_between_the_least_and_the_greatest_score(values: list[float], seed: int) -> None:
    found = interval_of(means(values), "m", Resampling(50, seed))
    slack = 1e-9 * max(map(abs, values))
    assert min(values) - slack <= found.low <= found.high <= max(values) + slack


@given(st.lists(st.tuples(st.floats(-9, 9), st.floats(-9, 9)), min_size=1, max_size=9))
@settings(max_examples=50)
def test_p_values_do_not_depend_on_who_is_compared_with_whom(pairs: list[tuple[float, float]]) -> None:
    one, other = (means([round(value, 3) for value in values]) for values in zip(*pairs, strict=True))
    for test in ("randomization", "bootstrap"):
        found = paired_p_values([(one, other), (other, one)], test, Resampling(50))
        assert found[0][:2] == found[1][:2]
        assert found[0].differences["m"] == -found[1].differences["m"]
        assert 1 / 51 <= found[0].p_values["m"] <= 1


BAD = [
    ({"level": 1.0}, "between 0 and 1"),
    ({"level": math.nan}, "between 0 and 1"),
    ({"resamples": 39}, "95 % interval needs at least 40 resamples, got 39"),
    ({"resamples": 100, "level": 0.99}, "needs at least 200 resamples"),
    ({"seed": -1}, "non-negative"),
]


@pytest.mark.parametrize(("options", "told"), BAD)
def test_resamplings_that_make_no_sense_are_refused(options: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=told):
        Resampling(**options)


def test_other_mistakes_are_refused() -> None:
    with pytest.raises(InputError, match="'test' must be one of randomization, bootstrap, got 't'"):
        paired_p_values([], "t")
    with pytest.raises(InputError, match="got 0 outputs, 1 ids"):
        ScoreVectors.of_scores(["1"], [])
    with pytest.raises(InputError, match="got 2 outputs, 1 ids"):
        ScoreVectors.of_statistics(load("ter"), ["1"], [[1, 2.0], [1, 2.0]])
    with pytest.raises(InputError, match="at least one, got 0 outputs, 0 ids"):
        ScoreVectors.of_scores([], [])


@pytest.mark.parametrize(("ours", "theirs"), CORPUS_METRICS[:1])
def test_on_turkcorpus_too(ours: str, theirs: str, shared_path: Callable[[str], Path]) -> None:
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
