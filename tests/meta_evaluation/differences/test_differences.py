"""Tests of differences: published and exact p-values, matrices of metrics, options, and degenerate data."""

from __future__ import annotations

import numpy as np
import pytest
from difference_cases import DEGENERATE, FIRST, HUMAN, SECOND
from samples import sampled

from metrics_framework.common.errors import InputError
from metrics_framework.common.logs import long_work
from metrics_framework.meta_evaluation import (
    Task,
    average_matrix,
    difference,
    difference_matrix,
    soft_pairwise_accuracy,
)
from metrics_framework.meta_evaluation.choices import CoefficientOptions
from metrics_framework.meta_evaluation.coefficients.lookup import load_coefficient
from metrics_framework.meta_evaluation.differences.compared_metrics import compare_metrics
from metrics_framework.meta_evaluation.differences.difference_test import (
    MetricSet,
    MetricTable,
    TestSettings,
    load_test,
)
from metrics_framework.meta_evaluation.differences.stat_sig import williams


@pytest.mark.parametrize(
    ("r12", "r13", "r23", "n", "one_tail", "two_tails"),
    [  # formula of Steiger (1980); computed with R's psych::r.test and by hand
        (0.62, 0.55, 0.7, 50, 0.213516325, 0.427032651),
        (-0.62, 0.55, -0.3, 50, None, 3.47643102e-9),
    ],
)
def test_williams(r12, r13, r23, n, one_tail, two_tails):
    found = williams(r12, r13, r23, n)
    assert found.p_value == pytest.approx(two_tails, rel=1e-8)
    if one_tail is not None:
        assert found.p_greater == pytest.approx(one_tail, abs=5e-10)
    assert found.p_greater + found.p_less == pytest.approx(1)


def test_williams_equals_nlpstats_for_positive_correlations():
    nlpstats = pytest.importorskip("nlpstats.correlations")
    found = difference(HUMAN, FIRST, SECOND, "pearson", level="system", test="williams")
    assert found.p_value == pytest.approx(nlpstats.williams_test(FIRST, SECOND, HUMAN, "system", "pearson").pvalue)


def test_williams_keeps_the_sign_of_correlations():
    assert williams(-0.9, 0.9, -0.7, 24).p_value < 1e-6


@pytest.mark.parametrize(("r12", "r13", "r23"), [(1.0, 0.5, 0.5), (0.5, 0.5, 1.0), (0.6, 0.8, 0.96)])
def test_williams_is_undefined_if_correlations_are_singular(r12, r13, r23):
    assert np.isnan(williams(r12, r13, r23, 20).p_value)


@pytest.mark.parametrize(("name", "level"), [("kendall-b", "system"), ("spearman", "system"), ("pearson", "global")])
def test_williams_is_refused_where_it_is_invalid(name, level):
    with pytest.raises(InputError, match="use the test 'systems'"):
        difference(HUMAN, FIRST, SECOND, name, level=level, test="williams")


@pytest.mark.parametrize("population", ["inputs", "systems"])
def test_the_bootstrap_counts_both_tails(population):
    generator = np.random.default_rng(1)
    human = generator.normal(size=(8, 30))
    first, second = human + generator.normal(size=human.shape), human + 1.5 * generator.normal(size=human.shape)
    one = difference(human, first, second, "pearson", level="global", test=f"bootstrap-{population}")
    other = difference(human, second, first, "pearson", level="global", test=f"bootstrap-{population}")
    assert one.p_value == other.p_value == pytest.approx(2 * min(one.p_greater, one.p_less))
    assert one.p_greater == other.p_less < 0.5


def test_seeds_decide_the_draws():
    results = [
        difference(HUMAN, FIRST, SECOND, "pearson", level="system", test="cells", seed=seed).p_value
        for seed in (1, 1, 2)
    ]
    assert results[0] == results[1] != results[2]


def test_given_epsilons_are_those_of_each_metric():
    calibrated = difference(HUMAN, FIRST, SECOND, "acc-eq", level="input", test="systems")
    given = difference(HUMAN, FIRST, SECOND, "acc-23", level="input", test="systems", epsilon=calibrated.epsilons)
    assert (given.value1, given.p_value) == (calibrated.value1, calibrated.p_value)


LEVELS = [
    ("pearson", "input"),
    ("kendall-b", "global"),
    ("acc-eq", "input"),
    ("spearman", "system"),
    ("spa", "system"),
    ("pdp", "input"),
    ("kendall-b", "within-system"),
]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("data", sampled(DEGENERATE, 6))
@pytest.mark.parametrize("test", ["inputs", "systems", "both", "cells", "williams"])
def test_degenerate_data_have_a_defined_answer(data, test):
    human, first = (np.array(scores, float) for scores in DEGENERATE[data])
    second = first[::-1] + np.eye(*first.shape)
    for name, level in LEVELS:
        if test == "williams":
            name, level = "pearson", "system"
        found = difference(human, first, second, name, level=level, test=test, resamples=20)
        if np.isnan(found.difference):
            assert np.isnan(found.p_value)
        else:
            assert 0 < found.p_value <= 1 or test == "williams"


# By ``scipy.stats.permutation_test`` (``permutation_type="samples"``, all permutations) and by enumerating all swaps.
EXACT = [  # coefficient, level, values of both metrics, p-values of the tests `systems` and `inputs`
    ("pearson", "input", 0.974258305, 0.503394255, 0.125, 0.03125),
    ("pearson", "system", 0.996039968, 0.989547706, 0.625, 0.8125),
    ("pearson", "global", 0.977516061, 0.700741000, 0.125, 0.03125),
    ("pearson", "within-system", 0.972778523, 0.642373698, None, None),
    ("kendall-b", "input", 0.927392441, 0.384972390, 0.125, 0.0625),
    ("kendall-b", "global", 0.906897882, 0.510163600, 0.125, 0.03125),
    ("acc-eq", "input", 0.916666667, 0.611111111, None, 0.03125),
    ("pdp", "input", 0.965716870, 0.538739795, None, None),
]


@pytest.mark.parametrize(("name", "level", "first", "second", "systems", "inputs"), EXACT)
def test_p_values_of_all_permutations(name, level, first, second, systems, inputs):
    for test, p_value, permutations in (("systems", systems, 16), ("inputs", inputs, 64)):
        found = difference(HUMAN, FIRST, SECOND, name, level=level, test=test)
        assert (found.value1, found.value2) == pytest.approx((first, second), abs=1e-9)
        assert (found.permutations, found.is_exact) == (permutations, True)
        if p_value is not None:
            assert found.p_value == p_value


def test_a_matrix_has_the_p_values_of_its_pairs():
    metrics = {"b": SECOND, "a": FIRST, "constant": np.ones_like(FIRST), "reversed": -FIRST}
    found = difference_matrix(HUMAN, metrics, "pearson", level="input", test="inputs", correct="holm")
    assert found.metrics == ("a", "b", "reversed")
    assert found.undefined == ("constant",)
    pair = difference(HUMAN, FIRST, SECOND, "pearson", level="input", test="inputs")
    assert found.p_values[0, 1] == found.p_values[1, 0] == pair.p_value
    assert found.p_in_favour[0, 1] == pair.p_greater
    assert found.adjusted[0, 1] == pytest.approx(3 * pair.p_value)
    assert {*found.ranks.values()} == {(1, 1, 3)}  # 24 inputs and 3 pairs are too few for corrected p-values
    wmt = difference_matrix(HUMAN, metrics, "pearson", level="input", test="inputs", ranking="wmt")
    assert {name: one.cluster for name, one in wmt.ranks.items()} == {"a": 1, "b": 2, "reversed": 3}
    assert (wmt.adjusted[0, 1], wmt.ranking_p_values[0, 1]) == (found.adjusted[0, 1], found.p_in_favour[0, 1])


def study(systems: int = 8, inputs: int = 10, metrics: str = "ab", seed: int = 5):
    generator = np.random.default_rng(seed)
    human = generator.normal(size=(systems, 1)) + generator.normal(size=(systems, inputs))
    return human, {name: human + (1 + index) * generator.normal(size=human.shape) for index, name in enumerate(metrics)}


@pytest.fixture
def with_gaps():
    human, metrics = study()
    metrics["b"][4:] = np.nan
    metrics["b"][:, 5:] = np.nan
    return human, metrics


def test_systems_and_inputs_without_a_joint_cell_are_dropped_first(with_gaps):
    human, metrics = with_gaps
    found = difference_matrix(human, metrics, "pearson", level="system", test="systems")
    assert (found.shape, found.permutations, found.least_p) == ((4, 5), 16, 0.125)
    assert found.notes == ("there are only 16 permutations of 4 systems: no p-value below 0.125 is possible",)
    assert found.population == "for other systems, these 5 inputs"
    assert (found.cells, found.dropped) == (20, 60)
    assert difference(human, *metrics.values(), "pearson", level="system", test="inputs").permutations == 32


def test_averages_and_both_tests_count_joint_cells_only(with_gaps):
    human, metrics = with_gaps
    sets = [(human[:, odd::2], {name: one[:, odd::2] for name, one in metrics.items()}) for odd in (0, 1)]
    tasks = [Task(str(number), "pearson", "system", [one]) for number, one in enumerate(sets)]
    found = average_matrix(tasks, test="inputs")
    assert (found.permutations, found.is_exact) == (2**5, True)  # 3 inputs of one data set and 2 of the other
    found = difference_matrix(*sets[0], "pearson", level="system", test="both")
    assert [part.permutations for part in found.parts] == [2**3, 2**4]


def test_clusters_are_dropped_with_their_inputs(with_gaps):
    human, metrics = with_gaps
    found = difference(human, *metrics.values(), "pearson", level="global", test="inputs", clusters="aabbcddeef")
    assert found.permutations == 2**3


def test_power_has_the_units_of_the_test(with_gaps):
    human, metrics = with_gaps
    scores, options = MetricTable(human, metrics), dict.fromkeys("ab", CoefficientOptions())
    settings = TestSettings("systems", power=True)
    found = compare_metrics(scores, load_coefficient("pearson"), "system", options, settings)
    (power,) = found.power[found.metrics]
    assert (power.unit, power.units, power.test) == ("systems", 4, "systems")
    assert np.isnan(power.least_detectable)
    assert power.reason == "the least possible p-value is 0.125, above 0.05"


@pytest.mark.parametrize("asked", [{}, {"stream": "mt-metrics-eval"}, {"sign_flips": 60, "seed": 3}])
@pytest.mark.parametrize("test", ["systems", "inputs"])
def test_permutations_of_soft_pairwise_accuracy_heed_the_sign_flips(asked, test):
    human, metrics = study(5, 5)
    options = dict.fromkeys("ab", CoefficientOptions(**asked))
    settings = TestSettings(test, 32)
    found = compare_metrics(MetricTable(human, metrics), load_coefficient("spa"), "system", options, settings)
    z = [(values - values.mean()) / values.std() for values in metrics.values()]
    observed = abs(found.values["a"] - found.values["b"])
    drawn = load_test(test).draw([MetricSet.of(human, metrics)], settings, [0])[0]
    large = 0
    for signs in drawn.dense(human.shape):
        sides = [soft_pairwise_accuracy(human, np.where(side * signs > 0, *z), **asked).value for side in (1, -1)]
        large += abs(sides[0] - sides[1]) >= observed - 1e-12
    assert found.p_values[0, 1] == large / 32


def test_both_lists_the_permutations_and_the_power_of_its_tests():
    human, metrics = study(5, 30)
    options, settings = dict.fromkeys("ab", CoefficientOptions()), TestSettings("both", 100, power=True)
    found = compare_metrics(MetricTable(human, metrics), load_coefficient("pearson"), "input", options, settings)
    parts = {part.test: (part.permutations, part.is_exact, part.population) for part in found.parts}
    assert parts == {
        "inputs": (100, False, "for other inputs, these 5 systems"),
        "systems": (32, True, "for other systems, these 30 inputs"),
    }
    assert [one["permutations"] for one in found.as_json()["parts"]] == [100, 32]
    assert [(one.test, one.units) for one in found.power[found.metrics]] == [("inputs", 30), ("systems", 5)]
    assert found.p_values[0, 1] == max(part.p_value for part in found.parts)


@pytest.mark.parametrize(
    ("errors", "coefficient", "level", "clusters", "noted"),
    [  # the scale of the errors of inputs, …, why
        (1.5, "pearson", "global", None, "large errors of few inputs"),
        (0.1, "pearson", "global", None, ""),  # nearly normal
        (1.5, "spearman", "global", None, ""),  # ranks have no tails
        (1.5, "pearson", "input", None, ""),  # within inputs, their errors cancel
        (2.5, "pearson", "global", [number // 2 for number in range(50)], "large errors of few clusters"),
    ],
)
def test_heavy_tails_of_inputs_are_noted(errors, coefficient, level, clusters, noted):
    stream = np.random.default_rng(0)
    human = stream.normal(size=(8, 50))
    one, other = (human + np.exp(errors * stream.normal(size=50)) + stream.normal(size=(8, 50)) for _ in range(2))
    found = difference(human, one, other, coefficient, level=level, test="inputs", resamples=50, clusters=clusters)
    assert len(found.notes) == bool(noted)
    assert not noted or ("spearman" in found.notes[0] and noted.split()[-1] in found.notes[0])


def test_undefined_resamples_are_counted():
    human, metrics = study(3, 4)
    found = difference(human, *metrics.values(), "pearson", level="system", test="bootstrap-systems", resamples=50)
    assert (found.permutations, found.resamples) == (0, 50)
    assert found.undefined_draws > 0
    assert found.notes == (f"{found.undefined_draws} resamples of 50 left out, in which a coefficient is undefined",)
    written = found.as_json()
    assert (written["resamples"], written["undefined_resamples"]) == (50, found.undefined_draws)
    assert "permutations" not in written


def test_a_removed_test_names_its_replacement():
    with pytest.raises(InputError, match=r"'bootstrap-both' is gone, .*use the test 'both'"):
        load_test("bootstrap-both")


def test_permutations_can_be_read_by_their_former_name_with_a_warning():
    found = difference(HUMAN, FIRST, SECOND, "pearson", level="input", test="inputs")
    with pytest.warns(DeprecationWarning, match="'arrangements'.* use 'permutations'"):
        assert found.arrangements == found.permutations == 64


def test_progress_is_reported():
    human, metrics = study(5, 8, "abcd")
    options = dict.fromkeys("abcd", CoefficientOptions())
    with long_work("testing", 6, "fewer resamples take less", "tested", "pairs") as work:
        compared = MetricTable(human, metrics), load_coefficient("pearson"), "input", options
        compare_metrics(*compared, TestSettings("systems", 32))
        assert work.done == 6
