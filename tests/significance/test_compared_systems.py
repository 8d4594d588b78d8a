"""Intervals, effect sizes and tests of several systems: against sacreBLEU, SciPy, and straightforward twins."""

from __future__ import annotations

import itertools
import math
import operator
from fractions import Fraction
from typing import Any, Literal

import numpy as np
import pytest
from samples import sampled
from scipy import stats
from significance_cases import CORPUS_METRICS, Texts, means, some_numbers

import metrics_framework as fw
from metrics_framework.common.arrays import Floats
from metrics_framework.significance.compared_systems import ComparedSystems, bootstrap_intervals
from metrics_framework.significance.interval_methods import NO_VARIATION
from metrics_framework.significance.paired_tests import paired_p_values
from metrics_framework.significance.resampling import Resampling
from metrics_framework.significance.score_vectors import ScoreVectors


@pytest.mark.parametrize("kind", sampled(["bs", "ar"], 1))
def test_several_systems_have_the_p_values_and_intervals_of_sacrebleu(kind: Literal["bs", "ar"]) -> None:
    """sacreBLEU 2.6.0 sums in single precision, so that its intervals differ in the seventh digit."""
    metrics, significance = pytest.importorskip("sacrebleu.metrics"), pytest.importorskip("sacrebleu.significance")
    texts = Texts(70, seed=5)
    systems = {"good": texts.good, "bad": texts.bad, "mixed": [*texts.good[:20], *texts.bad[20:]], "copy": texts.good}
    scorers = {theirs: getattr(metrics, theirs)() for _, theirs in CORPUS_METRICS}
    test = significance.PairedTest([*systems.items()], scorers, texts.streams(), kind, 300)
    _, expected = test()
    columns = [values for name, values in expected.items() if name != "System"]
    result = fw.compare(
        [ours for ours, _ in CORPUS_METRICS],
        systems,
        references=texts.references_list,
        baseline="good",
        test=f"paired-{kind}",
        trials=300,
        resamples=300,
        correct="none",
        ci="percentile",
        checks=False,  # of two systems with equal outputs
    )
    for (name, _), values in zip(CORPUS_METRICS, columns, strict=True):
        found = {pair.first: pair.p_value for pair in result[name].pairs}
        assert found.pop("copy") == 1.0  # sacreBLEU: 1 / 301
        for system, value in zip(["bad", "mixed"], values[1:3], strict=True):
            assert found[system] == pytest.approx(value.p_value, abs=1e-12), (name, system)
        if kind == "bs":
            widths = {system.system: system.interval.half_width for system in result[name].systems}
            for system, value in zip(systems, values, strict=True):
                assert widths[system] == pytest.approx(value.ci, abs=1e-4), (name, system)


def test_intervals_of_differences_are_those_of_scipy_for_the_same_draws() -> None:
    """SciPy's percentiles interpolate, so they lie between two neighbouring resamples."""
    from scipy.stats import bootstrap

    first, second = some_numbers(30, 1), some_numbers(30, 2, 0.4)
    differences = np.subtract(first, second)
    scipy_methods: dict[Any, Any] = {"percentile": "percentile", "bca": "BCa"}
    for method, theirs in scipy_methods.items():
        resampling = Resampling(4000, method=method)
        compared = ComparedSystems([means(first), means(second)], "m", resampling)
        (found,) = compared.intervals([(0, 1)])
        expected = bootstrap(
            (differences,), np.mean, n_resamples=4000, method=theirs, rng=np.random.default_rng(resampling.seed)
        ).confidence_interval
        assert found.lower == pytest.approx(expected.low, abs=0.02)
        assert found.upper == pytest.approx(expected.high, abs=0.02)


def studentized(values: Floats, resampling: Resampling) -> tuple[float, float]:
    """The bootstrap-t interval of a mean as in textbooks: standard deviations of each resample."""
    n = len(values)
    draws = np.random.default_rng(resampling.seed).integers(n, size=(resampling.resamples, n))
    t = []
    for draw in draws:
        resample = values[draw]
        if resample.std() > 0:
            t.append((resample.mean() - values.mean()) / (resample.std() / math.sqrt(n)))
    t.sort()
    outside = math.floor(len(t) * resampling.tail + 1e-9)
    error = values.std() / math.sqrt(n)
    return values.mean() - t[-1 - outside] * error, values.mean() - t[outside] * error


@pytest.mark.parametrize("count", [4, 12, 40])
def test_the_studentized_interval_of_a_mean_and_of_a_difference(count: int) -> None:
    resampling = Resampling(500, method="studentized")
    first, second = some_numbers(count, 1), some_numbers(count, 2, 0.4)
    compared = ComparedSystems([means(first), means(second)], "m", resampling)
    expected = [studentized(np.array(first), resampling), studentized(np.subtract(first, second), resampling)]
    found = [*compared.intervals([(0,)]), *compared.intervals([(0, 1)])]
    for interval, ends in zip(found, expected, strict=True):
        assert (interval.lower, interval.upper) == pytest.approx(ends, rel=1e-9)
    (of_run,) = bootstrap_intervals([means(first)], resampling)
    assert of_run["m"] == found[0]


@pytest.mark.parametrize("shift", [0.0, 0.4, 2.0])
def test_the_bootstrap_t_test_counts_resamples_with_as_large_a_t(shift: float) -> None:
    resampling = Resampling(200, trials=300, seed=4)
    first, second = some_numbers(12, 1, shift), some_numbers(12, 2)
    d = np.subtract(first, second)
    drawn = d[np.random.default_rng(4).integers(12, size=(300, 12))]
    t = abs(drawn.mean(axis=1) - d.mean()) / drawn.std(axis=1)
    (found,) = paired_p_values([(means(first), means(second))], "bootstrap-t", resampling)
    assert found.p_values["m"] == ((t >= abs(d.mean()) / d.std()).sum() + 1) / 301


def test_a_studentized_interval_needs_two_inputs_and_variation() -> None:
    resampling = Resampling(200, method="studentized")
    for scores in ([3.0], [2.0, 2.0, 2.0]):
        (interval,) = ComparedSystems([means(scores)], "m", resampling).intervals([(0,)])
        assert math.isnan(interval.lower)
    (interval,) = ComparedSystems([means([1.0, 2.0])], "m", resampling).intervals([(0,)])
    assert interval.method == "jackknife", "half of the resamples repeat one input and have no standard error"


def test_clusters_have_the_standard_error_of_their_sums() -> None:
    """Standard errors .026944387 with the clusters and .082259751 √.9 without (statsmodels; n, not n - 1)."""
    values = [0.2, 0.5, 0.9, 0.4, 0.4, 0.7, 0.1, 0.8, 0.6, 0.3]
    clusters = {str(number): label for number, label in enumerate("0001122233")}
    compared = ComparedSystems([means(values)], "m", Resampling(method="jackknife"), clusters)
    assert compared.num_units == 4
    assert compared.design_effect(0) == pytest.approx((0.026944387 / 0.082259751) ** 2 / 0.9, rel=1e-6)


def test_swaps_of_clusters_are_enumerated() -> None:
    first, second = some_numbers(9, 3), some_numbers(9, 4, 0.9)
    labels = "aabbbcddd"
    clusters = {str(number): label for number, label in enumerate(labels)}
    (found,) = paired_p_values([(means(first), means(second))], clusters=clusters)
    differences = np.subtract(first, second)
    sums = [differences[[label == one for label in labels]].sum() for one in "abcd"]
    totals = [np.dot(signs, sums) for signs in itertools.product([1, -1], repeat=4)]
    assert (found.trials, found.exact, found.inputs) == (8, True, 9)
    assert found.p_values["m"] == np.mean([abs(total) >= abs(sum(sums)) - 1e-12 for total in totals])


def test_p_values_do_not_depend_on_what_else_is_compared() -> None:
    """All pairs share draws, and the size of blocks depends on their number."""
    systems = [means(some_numbers(40, seed, 0.1 * seed)) for seed in range(5)]
    pairs = list(itertools.combinations(systems, 2))
    for test in ("randomization", "bootstrap", "paired-ar", "paired-bs"):
        together = paired_p_values(pairs, test, Resampling(trials=200))
        alone = [paired_p_values([pair], test, Resampling(trials=200))[0] for pair in pairs]
        assert together == alone
    assert together == paired_p_values(pairs[::-1], test, Resampling(trials=200))[::-1]


def test_equal_outputs_count_as_equal_in_sums_of_fractions() -> None:
    """Systems that differ in one input: half of the swaps change the sign, and none makes the difference larger."""
    shared = some_numbers(24, 9)
    first, second = [*shared, 1.0], [*shared, 0.3]
    (found,) = paired_p_values([(means(first), means(second))], resampling=Resampling(trials=500))
    assert found.p_values["m"] == 1.0


def test_outcomes_count_inputs_and_ties() -> None:
    compared = ComparedSystems([means([1.0, 2.0, 3.0, 0.1 + 0.2]), means([1.0, 3.0, 1.0, 0.3])], "m", Resampling())
    assert compared.outcomes([(0, 1)])[0] == (1, 2, 1)
    assert compared.outcomes([(0, 1)], higher_is_better=False)[0] == (1, 2, 1)


def test_a_score_is_kept_without_inputs_where_it_is_undefined() -> None:
    outputs = ScoreVectors.of_scores(
        ["1", "2", "3"], [{"m": 1.0, "k": 5.0}, {"m": math.nan, "k": 6.0}, {"m": 3.0, "k": 7.0}]
    )
    only = outputs.only_score("m", "renamed")
    assert only is not None
    assert only.inputs == ["1", "3"]
    assert only.score()["renamed"].tolist() == [2.0]
    none = ScoreVectors.of_scores(["1"], [{"m": math.nan}])
    assert none.only_score("m", "m") is None


LARGE = [  # scores of two systems, why
    ([10**15 + n % 3 + 1 for n in range(10)], [10**15 + n % 2 for n in range(10)], "differences far below the scores"),
    ([10**13, 3, 1, 2, 5, 4], [10**13 + 2, 1, 1, 0, 2, 3], "an outlier of both systems"),
    ([10**10, 3, 1, 2, 5, 4], [0, 1, 1, 0, 2, 3], "an outlier of one system"),
    ([0.1, 0.3, 0.7, 0.2], [0.2, 0.1, 0.4, 0.2], "decimals, which floats round"),
    ([10**8 + 0.1, 10**8 + 0.3, 10**8 + 0.7, 10**8 + 0.2], [10**8 + 0.2, 10**8 + 0.1, 10**8 + 0.4, 10**8], "both"),
    ([1e-20, 3e-20, 4e-20], [2e-20, 1e-20, 3e-20], "small scores"),
]


@pytest.mark.parametrize("clusters", [None, {str(number): str(number // 2) for number in range(10)}])
@pytest.mark.parametrize(("first", "second", "why"), LARGE, ids=[why for *_, why in LARGE])
def test_ties_do_not_depend_on_the_size_of_scores(
    first: list[float], second: list[float], why: str, clusters: dict[str, str] | None
) -> None:
    """All swaps and all inputs, in the decimals of the scores."""
    exact = [Fraction(str(one)) - Fraction(str(other)) for one, other in zip(first, second, strict=True)]
    size = 1 if clusters is None else 2
    units = [sum(exact[start : start + size]) for start in range(0, len(exact), size)]
    totals = [sum(map(operator.mul, signs, units)) for signs in itertools.product([1, -1], repeat=len(units))]
    pair = means(list(map(float, first))), means(list(map(float, second)))
    (found,) = paired_p_values([pair], resampling=Resampling(10_000), clusters=clusters)
    assert found.p_values["m"] == sum(abs(total) >= abs(sum(units)) for total in totals) / len(totals)
    compared = ComparedSystems(pair, "m", Resampling(), clusters)
    expected = sum(d > 0 for d in exact), sum(d == 0 for d in exact), sum(d < 0 for d in exact)
    assert compared.outcomes([(0, 1)])[0] == expected
    assert compared.standardized_differences([(0, 1)])[0] == pytest.approx(
        float(sum(exact)) / len(exact) / np.std(np.array(exact, float), ddof=1), rel=1e-6
    )


@pytest.mark.parametrize("size", [1.0, 1e10, 1e14])
def test_equal_differences_have_no_standardized_difference(size: float) -> None:
    first = [size * (1 + n / 7) for n in range(9)]
    for shift, expected in ((0.0, 0.0), (size / 8, math.nan)):
        compared = ComparedSystems([means([one + shift for one in first]), means(first)], "m", Resampling())
        assert compared.standardized_differences([(0, 1)])[0] == pytest.approx(expected, nan_ok=True)


def test_scores_of_0_and_1_have_score_intervals_and_the_jackknife_for_differences() -> None:
    """Studentized intervals of 20 verdicts of which 18 are 1 contain the share in 63 % of simulations."""
    values = {"a": [1.0] * 18 + [0.0] * 2, "b": [1.0] * 12 + [0.0] * 8}
    rows = [
        {"instance_id": number, "summarizer_id": system, "solved": value}
        for system, of_system in values.items()
        for number, value in enumerate(of_system)
    ]
    result = fw.compare(scores=rows, log=lambda _: None)
    (first, _), (pair,) = result["solved"].systems, result["solved"].pairs
    share = stats.binomtest(18, 20).proportion_ci(method="wilson")
    assert (first.interval.lower, first.interval.upper) == pytest.approx((share.low, share.high))
    differences = np.array(values["a"]) - np.array(values["b"])
    ends = stats.t.interval(0.95, 19, differences.mean(), stats.sem(differences))
    assert (pair.interval.lower, pair.interval.upper) == pytest.approx(ends)
    assert "of scores that are 0 or 1: score intervals" in " ".join(result.table().split())


def test_equal_scores_of_0_or_1_are_shares_only_beside_both() -> None:
    """The number of sentences of copies, for one, is 1 for all inputs but no share."""
    resampling = Resampling(200, method="studentized")
    constant, mixed = means([1.0] * 40), means([1.0] * 35 + [0.0] * 5)
    for alone in ([constant], [means([0.0] * 40)], [constant, means([0.0] * 40)], [constant, means([1.0, 2.0] * 20)]):
        first = ComparedSystems(alone, "m", resampling).intervals([(0,)])[0]
        assert (math.isnan(first.lower), first.reason) == (True, NO_VARIATION)
    for found in ComparedSystems([constant, mixed], "m", resampling).intervals([(0,), (1,)]):
        share = stats.binomtest(round(40 * found.value), 40).proportion_ci(method="wilson")
        assert (found.lower, found.upper) == pytest.approx((share.low, share.high))
