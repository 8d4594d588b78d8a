"""Small versions of the simulations in `benchmarks/`: intervals, tests and plans keep what they promise."""

from __future__ import annotations

import math
from argparse import Namespace

import pytest
from benchmark_modules import ROOT, benchmark
from samples import sampled

from metrics_framework.meta_evaluation.choices import LEVELS
from metrics_framework.meta_evaluation.coefficients.lookup import load_coefficient


def error(expected: float, simulations: int) -> float:
    """Returns three standard errors of a share."""
    return 3 * math.sqrt(expected * (1 - expected) / simulations)


# ---- correlations ----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_default_intervals_cover_and_percentiles_of_systems_at_the_input_level_do_not(monkeypatch) -> None:
    program = benchmark("correlation_coverage")
    monkeypatch.setattr(program, "OTHER_INPUTS", 8)
    monkeypatch.setattr(program, "MANY_SYSTEMS", 200)
    keys = program.keys_of(("pearson", "kendall-b", "acc-23", "pdp", "spa:normal"), LEVELS)
    arguments = Namespace(seed=1, simulations=120, inputs=30, resamples=200, spread=0.5, error=0.25)
    defaults = {(level, name): load_coefficient(name).default_interval(level) for level, name in keys}
    arguments.methods = sorted({*defaults.values(), "bootstrap-systems"})
    everywhere = program.true_values(keys, arguments)
    found = program.covered(keys, 10, arguments, everywhere)
    for key in keys:  # .95 ± 4 standard errors, and the coverage of the worst default, .92
        assert 0.86 < found[defaults[key], key] <= 1, key
    assert found["bootstrap-systems", ("input", "pearson")] < 0.9
    assert found["bootstrap-systems", ("input", "acc-23")] < 0.85


RIGHT = [  # coefficient, level, test, models in which the metrics have no error that the test ignores
    ("pearson", "input", "inputs", "AC"),
    ("pearson", "input", "systems", "AB"),
    ("acc-23", "input", "inputs", "AC"),
    ("pearson", "system", "systems", "AB"),
    ("pearson", "system", "williams", "AB"),
    ("pearson", "global", "inputs", "AC"),
    ("pearson", "global", "systems", "AB"),
    ("spa:normal", "system", "systems", "AB"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "level", "test", "models"), RIGHT)
def test_a_test_finds_one_false_difference_in_twenty_in_its_population(name, level, test, models) -> None:
    for model in models:
        share = benchmark("correlation_tests").rejected(model, name, level, test, 300, resamples=199)
        assert 0.015 <= share <= 0.095, model  # .05 within 3.6 standard errors


@pytest.mark.slow
def test_a_test_finds_differences_that_are_none_outside_its_population() -> None:
    assert benchmark("correlation_tests").rejected("B", "pearson", "input", "inputs", 300) > 0.1


# ---- plans -----------------------------------------------------------------------------------------------------------

PLANS = 38


@pytest.mark.slow
@pytest.mark.parametrize("index", range(PLANS))
def test_every_plan_from_assumptions_achieves_what_it_promises(index) -> None:
    plans = benchmark("plan")
    rows = [row for row in plans.rows() if not row.pilot]
    assert len(rows) == PLANS, "each plan has a test of its own, so that processes share the work"
    raters = 1 if "share" in rows[index].options else 3  # a share is that of single verdicts
    line, difference = plans.check(rows[index], raters, 400)
    assert abs(difference) <= rows[index].allowed + 0.01, line


@pytest.mark.slow
@pytest.mark.parametrize("index", [0, -1])
def test_studies_achieve_the_mean_promise_of_pilots(index, monkeypatch) -> None:
    plans = benchmark("plan")
    monkeypatch.setattr(plans, "PILOTS", 3)
    row = [row for row in plans.pilot_rows() if row.pilot >= 400][index]
    line, difference = plans.check(row, 3, 300)
    assert abs(difference) <= 0.15, line


# ---- preferences and agreement ---------------------------------------------------------------------------------------


@pytest.fixture
def preferences(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    return benchmark("preferences")


@pytest.mark.slow
@pytest.mark.parametrize("inputs", [10, 40])
def test_intervals_of_strengths_and_ranks_hold_the_truth(preferences, inputs) -> None:
    """The bounds are three Monte-Carlo errors (intervals of six strengths are not independent) around 93 to 97 %."""
    coverage = preferences.coverage
    independent = coverage(inputs, 250)
    varying = coverage(inputs, 250, spread=1.0, clustered=True)
    ignoring = coverage(inputs, 250, spread=1.0)
    controlled = coverage(inputs, 250, effect=0.5)
    for found in (independent, varying, controlled):
        assert 0.92 < found.strengths < 0.98
        assert found.ranks > 0.93
    assert 0.90 < controlled.coefficient < 0.99
    assert ignoring.strengths < 0.92


@pytest.mark.slow
@pytest.mark.parametrize("name", ["6 systems, the first two swapped", "6 systems, opposite order"])
def test_intervals_of_rankings_hold_the_truth(preferences, name) -> None:
    strengths, order = preferences.ORDERS[name]
    _, _, covered = preferences.coverage_of_rankings(strengths, order, 20, 60, resamples=200)
    assert covered >= 0.9


@pytest.mark.slow
@pytest.mark.parametrize(("share", "outputs", "least", "most"), [(0.05, 20, 0.29, 0.97), (0.1, 100, 0.9, 0.97)])
def test_intervals_of_rare_ratings_cover_as_seldom_as_the_warning_says(share, outputs, least, most) -> None:
    module = benchmark("agreement_coverage")
    setting, simulations = module.Setting("krippendorff", "nominal", 3, 0.9), 300
    truth = module.population(setting, share)
    assert truth == pytest.approx(0.81, abs=0.01)
    covered, _ = module.coverage(setting, share, truth, outputs, simulations)
    assert least - error(0.5, simulations) <= covered <= most + error(0.5, simulations)


# ---- judges ----------------------------------------------------------------------------------------------------------

JUDGEMENTS = 1500


@pytest.mark.slow
@pytest.mark.parametrize("units", [30, 100])
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.2])
def test_the_test_of_one_rater_rejects_five_percent_of_true_null_hypotheses(units, epsilon) -> None:
    assert benchmark("judging").rejections(units, epsilon, JUDGEMENTS, seed=1) <= 0.05 + error(0.05, JUDGEMENTS)


@pytest.mark.slow
def test_the_signed_rank_test_of_few_outputs_rejects_too_often_as_the_warning_says() -> None:
    assert benchmark("judging").rejections(15, 0.1, JUDGEMENTS, seed=1) > 0.15


@pytest.mark.slow
@pytest.mark.parametrize("size", [2, 5])
@pytest.mark.parametrize("clusters", [15, 60])
def test_the_test_of_clusters_rejects_five_percent_where_that_of_outputs_rejects_more(clusters, size) -> None:
    ignored, given = benchmark("judging").rejections_with_clusters(clusters, size, 0.1, JUDGEMENTS, seed=1)
    assert ignored > 0.07
    assert given <= 0.05 + error(0.05, JUDGEMENTS)


@pytest.mark.slow
def test_intervals_of_judges_cover() -> None:
    found = benchmark("judging").coverage_of_judges(200, 200, seed=1)
    assert min(found.values()) >= 0.93 - error(0.05, 200)
    assert len(found) == 6


@pytest.mark.slow
@pytest.mark.parametrize("scoring", ["accuracy", "neg_rmse", "ranks"])
def test_a_jury_as_good_as_the_best_judge_is_rarely_found_to_be_better(scoring) -> None:
    equal, _, _ = benchmark("judging").jury_better([0.3, 1.5, 1.5], 100, scoring, 400, seed=1)
    assert equal <= 0.05 + error(0.05, 400)


# ---- estimated scores ------------------------------------------------------------------------------------------------


def is_near(found: float, expected: float, simulations: int = 700) -> bool:
    """Returns whether shares of two simulations of one size differ by at most three standard errors."""
    return abs(found - expected) <= math.sqrt(2) * error(expected, simulations)


VERDICTS = [  # share of good outputs, ratings, coverage of the normal, Student's and score interval in 700 simulations
    (0.1, 30, (0.831, 0.883, 0.954)),
    (0.03, 100, (0.873, 0.893, 0.964)),
    (0.1, 10, (0.504, 0.524, 0.937)),
    (0.03, 30, (0.539, 0.544, 0.959)),
]


@pytest.mark.parametrize(("share", "rated", "expected"), sampled(VERDICTS, 1))
def test_score_intervals_of_few_good_outputs_cover(share, rated, expected) -> None:
    simulated = benchmark("estimate_coverage")
    found = simulated.coverage(simulated.verdicts(share), share, rated, 700, ("normal", "t", "score"))
    assert all(map(is_near, found, expected)), found
    assert found[2] >= 0.92


@pytest.mark.slow
@pytest.mark.parametrize(("rated", "expected"), [(30, (0.837, 0.851)), (100, (0.916, 0.918)), (300, (0.926, 0.927))])
def test_intervals_of_lognormal_ratings_cover_as_the_warning_says(rated, expected) -> None:
    simulated = benchmark("estimate_coverage")
    draw, mean = simulated.SHAPES["lognormal (skewness 6.2)"][0], math.exp(0.5)
    found = simulated.coverage(simulated.numbers(draw, 2.16), mean, rated, 700, ("normal", "t"))
    assert all(map(is_near, found, expected)), found


@pytest.mark.slow
@pytest.mark.parametrize("noise", [0.5, 2.0])
def test_intervals_of_ratings_from_1_to_5_cover(noise) -> None:
    simulated = benchmark("estimate_coverage")
    draw = simulated.numbers(simulated.five_points, 1.0, noise)
    found = simulated.coverage(draw, simulated.FIVE_POINTS, 100, 1500)
    assert is_near(found[0], 0.95, 1500), found
    assert simulated.ratings_saved(noise, 100, 100) > 0.1, "and are shorter"


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_intervals_of_corrected_shares_cover(share) -> None:
    assert is_near(benchmark("estimate_coverage").coverage_of_shares(share, 100, 1500, seed=1), 0.95, 1500)
