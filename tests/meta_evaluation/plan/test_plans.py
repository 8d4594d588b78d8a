"""Plans: numbers by hand and by statsmodels, designs that achieve what they promise, and pilots."""

from __future__ import annotations

import math

import numpy as np
import pytest

import metrics_framework as fw
from metrics_framework.meta_evaluation import alt_test, predicted_mean
from metrics_framework.meta_evaluation.judge.request import AltTestSettings
from metrics_framework.meta_evaluation.plan.judge_tests import NormalRatings, latent_correlation, passes
from metrics_framework.meta_evaluation.plan.precision import Assumptions, Precision, nested_variances
from metrics_framework.meta_evaluation.plan.request import MAX_INPUTS

FEW = {"simulations": 50}
SLOW = pytest.mark.slow


def test_the_half_width_of_a_mean_by_hand() -> None:
    # sd 2, agreement .25: between 1, within 3; with 3 raters the variance of an output is 1 + 3/3 = 2, and with 50
    # inputs the error is .2; Student's 97.5 % quantile with 49 degrees of freedom is 2.009575; χ² is below 57.07863 in
    # 80 % of studies and below 48.33497 in 50 %
    options = {"sd": 2, "agreement": 0.25, "raters": [3], "inputs": [50], "systems": 4}
    for assurance, chi2 in ((0.8, 57.07863), (0.5, 48.33497)):
        design = fw.plan("mean", **options, assurance=assurance, **FEW)[3]
        assert design.achieved == pytest.approx(0.2 * 2.009575 * math.sqrt(chi2 / 49), abs=1e-4)
    assert design.ratings == 3 * 50 * 4


def test_the_variance_with_a_judge_by_hand() -> None:
    # sd 1, agreement .5, judge .6: explained .36; 2 raters: .5 + .5/2 = .75; 40 of 100 judged outputs rated
    found = Precision(Assumptions(0.5, 0.5, 0.36), 100, None, 95)
    assert found.error(2, 40) == pytest.approx(math.sqrt((0.75 - 0.36 * 0.6) / 40))
    assert found.error(2, 100) == pytest.approx(math.sqrt(0.75 / 100)), "all are rated, so the judge adds nothing"


def test_differences_cancel_what_inputs_have_in_common() -> None:
    known = fw.plan("difference", half_width=0.3, sd=2, agreement=0.5, correlation=0.75, **FEW).assumptions
    assert known is not None
    assert (known.between, known.within) == (pytest.approx(2 * 2 * 0.25), pytest.approx(4))


def test_power_is_that_of_statsmodels() -> None:
    power = pytest.importorskip("statsmodels.stats.power").TTestPower()
    for size, inputs, level in ((0.2, 60, 95), (0.5, 12, 99), (0.05, 4000, 90), (3.0, 2, 95)):
        found = Precision(Assumptions(1.0, 0.0), None, size, level).achieved(1, inputs)
        assert found == pytest.approx(power.power(size, inputs, 1 - level / 100), abs=1e-4)


def test_power_is_defined_for_large_effects_and_few_inputs() -> None:
    # |Z + 31| > 12.706 |Z'|, of two standard normal numbers: simulated with four million pairs
    found = Precision(Assumptions(1.0, 0.0), None, 31 / math.sqrt(2), 95).achieved(1, 2)
    assert found == pytest.approx(0.9850, abs=2e-4)
    assert Precision(Assumptions(1.0, 0.0), None, 1e6, 95).achieved(1, 2) == pytest.approx(1, abs=1e-4)
    assert Precision(Assumptions(0.0, 0.0), None, 1.0, 95).achieved(1, 9) == 1


def test_power_of_many_inputs_is_normal() -> None:
    precision = Precision(Assumptions(1.0, 0.0), None, 0.008, 95, 1, 4000)
    assert precision.achieved(1, 100_001) == pytest.approx(precision.achieved(1, 100_002), abs=1e-4)
    assert Precision(Assumptions(1.0, 0.0), None, 50.0, 95).achieved(1, 5) == pytest.approx(1)
    assert precision.simulated(1, 100_001) == pytest.approx(precision.achieved(1, 100_001), abs=0.02)


@pytest.mark.parametrize(
    ("goal", "options"),
    [
        ("mean", {"half_width": 0.15, "sd": 1, "agreement": 0.4}),
        ("mean", {"difference": 0.2, "power": 0.9, "sd": 1, "agreement": 0.4}),
        pytest.param("difference", {"difference": -0.3, "sd": 1, "agreement": 0.4, "systems": 4}, marks=SLOW),
        pytest.param(
            "estimate",
            {"half_width": 0.15, "sd": 1, "agreement": 0.4, "judge_agreement": 0.5, "judged": 500},
            marks=SLOW,
        ),
    ],
)
def test_the_smallest_number_of_inputs_is_found(goal, options) -> None:
    result = fw.plan(goal, **options, simulations=400)
    for design in result.designs:
        assert design.inputs is not None
        fewer = fw.plan(
            goal,
            **{**options, "power": None, "half_width": None},
            raters=[design.raters],
            **FEW,
            inputs=[design.inputs - 1],
        )
        sign = 1 if result.quantity == "power" else -1
        assert sign * fewer.designs[0].achieved < sign * result.request.target <= sign * design.achieved
        assert design.simulated == pytest.approx(design.achieved, abs=0.06 if sign == 1 else 0.01)


def test_more_systems_need_more_inputs_unless_they_are_compared_with_a_baseline() -> None:
    found = [
        fw.plan("difference", difference=0.3, sd=1, agreement=0.4, raters=[2], systems=systems, comparisons=kind, **FEW)
        for systems, kind in ((2, None), (4, "baseline"), (4, "all"))
    ]
    assert [result.request.tests for result in found] == [1, 3, 6]
    numbers = [result[2].inputs for result in found]
    assert numbers == sorted(numbers)
    assert numbers[0] < numbers[2]


def test_what_cannot_be_achieved_is_none_with_a_warning() -> None:
    with pytest.warns(UserWarning, match="up to 60 inputs do not achieve a half-width of 0.01 with 1 raters"):
        result = fw.plan(
            "estimate", half_width=0.01, sd=1, agreement=0.5, judge_agreement=0.4, judged=60, raters=[1], **FEW
        )
    assert result[1].inputs is None
    assert "none" in result.table()
    assert result.to_records()[0]["half_width"] is None
    with pytest.warns(UserWarning, match=f"up to {MAX_INPUTS} inputs"):
        assert fw.plan("mean", half_width=1e-4, sd=1, raters=[1], **FEW)[1].ratings is None
    with pytest.raises(KeyError):
        result[7]


def test_a_plan_is_the_same_for_the_same_seed() -> None:
    options = {"agreement": 0.4, "judge_agreement": 0.5, "raters": [3], "inputs": [60], "simulations": 200}
    first, again, other = (fw.plan("alt-test", **options, seed=seed) for seed in (1, 1, 2))
    assert first.to_json() == again.to_json()
    assert (first[3].achieved, first[3].simulated) != (other[3].achieved, other[3].simulated)
    assert "seed 1" in first.table()


# ---- clusters of inputs ----------------------------------------------------------------------------------------------

CLUSTERS = {"cluster_size": 5, "cluster_correlation": 0.25}


def test_the_half_width_of_clustered_inputs_by_hand() -> None:
    # sd 2, agreement .25: between 1, within 3; 5 inputs of a cluster that correlate by .25 double the variance between
    # outputs: 2 + 3/3 = 3; 50 inputs are 10 clusters, with 9 degrees of freedom, the quantile 2.262157 and χ² 12.24215
    design = fw.plan("mean", sd=2, agreement=0.25, raters=[3], inputs=[50], **CLUSTERS, **FEW)[3]
    assert design.achieved == pytest.approx(math.sqrt(3 / 50) * 2.262157 * math.sqrt(12.24215 / 9), abs=1e-4)
    assert (design.inputs, design.clusters, design.ratings) == (50, 10, 150)


def test_the_variance_with_a_judge_and_clusters_by_hand() -> None:
    # between .5, explained .36, within .5; correlation .2 in clusters of 4: quality × 1.6; 40 of 100 outputs rated
    known = Assumptions(0.5, 0.5, 0.36, clustered=0.1, cluster_size=4)
    assert known.design_effect(2) == pytest.approx((0.5 * 1.6 + 0.25) / 0.75)
    expected = (1.6 * (0.5 - 0.36 * 0.6) + 0.25) / 40
    assert Precision(known, 100, None, 95).error(2, 40) == pytest.approx(math.sqrt(expected))


@pytest.mark.parametrize(
    ("goal", "options"),
    [
        ("mean", {"half_width": 0.2}),
        ("difference", {"difference": 0.4}),
        ("estimate", {"difference": 0.2, "judge_agreement": 0.4, "judged": 600}),
    ],
)
def test_clusters_need_more_inputs_in_whole_clusters_and_simulations_agree(goal, options) -> None:
    known = {"sd": 1, "agreement": 0.4, "raters": [2], "simulations": 500}
    independent, clustered = (fw.plan(goal, **known, **options, **more)[2] for more in ({}, CLUSTERS))
    assert clustered.inputs > independent.inputs
    assert clustered.inputs == 5 * clustered.clusters
    assert clustered.simulated == pytest.approx(clustered.achieved, abs=0.06)


def test_means_of_many_clusters_are_drawn_instead_of_ratings() -> None:
    known = Assumptions(0.4, 0.6, clustered=0.1, cluster_size=5)
    wanted = Precision(known, None, None, 95, 1, 400)
    assert wanted.simulated(1, 10_005) == pytest.approx(wanted.achieved(1, 10_005), rel=0.01)


def test_a_pilot_shows_the_correlation_of_inputs_of_a_cluster() -> None:
    stream = np.random.default_rng(3)
    rows = []
    for document in range(300):
        shared = stream.normal(0, math.sqrt(0.3))
        for number in range(1 + document % 5):  # 1 to 5 inputs, 3 on average
            quality = shared + stream.normal(0, math.sqrt(0.7))
            for rater in range(1 + number % 2):
                rating = quality + stream.normal()
                rows.append({"id": f"{document}-{number}", "doc": str(document), "rater": str(rater), "y": rating})
    found = known_of(rows, cluster="doc")
    assert found.correlation == pytest.approx(0.3, abs=0.08)
    assert found.between == pytest.approx(1, abs=0.2)
    assert found.within == pytest.approx(1, abs=0.15)
    assert (found.cluster_size, found.clusters, found.degrees_of_freedom) == (3, 300, 299)
    assert known_of(rows, cluster="doc", cluster_size=7).cluster_size == 7
    table = fw.plan("mean", rows, rating="y", cluster="doc", half_width=0.1, raters=[1], **FEW).table()
    assert "900 rated outputs in 300 clusters" in table
    assert "design effect" in table


def test_nested_variances_of_a_balanced_table_by_hand() -> None:
    # clusters of means 2 and 8: mean square 2·2·(3² + 3²) = 72; outputs 2, 2 | 7, 9: 2·(1 + 1)/2 = 2; within
    # (1 + 1)·2/4 = 1: outputs (2 − 1)/2 = .5, clusters (72 − 2)/4 = 17.5
    ratings = np.array([[1.0, 3.0], [2.0, 2.0], [6.0, 8.0], [9.0, 9.0]])
    assert nested_variances([ratings], np.array([0, 0, 1, 1])) == pytest.approx((17.5, 0.5, 1.0, 1))
    assert nested_variances([ratings], np.array([0, 1, 0, 1])).clusters == 0, "the estimate is below 0"
    single = nested_variances([ratings[:, :1]], np.array([0, 0, 1, 1]))
    assert single.ratings is None


# ---- the alternative annotator test ----------------------------------------------------------------------------------


@pytest.mark.parametrize("scoring", ["neg_rmse", "accuracy", "ranks"])
@pytest.mark.parametrize(("raters", "units"), [(2, 30), (3, 45), (5, 31)])
def test_passing_is_decided_as_the_test_decides_it(scoring, raters, units) -> None:
    settings = AltTestSettings(scoring, 0.1, 0.2)
    judge, ratings = NormalRatings(0.4, 0.45, 3).draw(np.random.default_rng(5), raters, units, 25)
    expected = [
        alt_test(
            dict(enumerate(judge[study].tolist())),
            {str(rater): dict(enumerate(row[study].tolist())) for rater, row in enumerate(ratings)},
            scoring=scoring,
            epsilon=0.1,
            q=0.2,
        ).passes
        for study in range(len(judge))
    ]
    assert passes(judge, ratings, settings).tolist() == expected
    assert len(set(expected)) == 2


def test_a_judge_that_equals_raters_everywhere_passes() -> None:
    equal = np.tile(np.arange(40.0) % 3, (2, 1))
    assert passes(equal, np.stack([equal] * 3), AltTestSettings("neg_rmse", 0.1)).tolist() == [True, True]
    assert passes(equal, np.stack([equal] * 3), AltTestSettings("neg_rmse", 0.0)).tolist() == [False, False]


@pytest.mark.parametrize("points", [2, 5])
def test_simulated_ratings_have_the_stated_correlations(points) -> None:
    judge, ratings = NormalRatings(0.4, 0.5, points).draw(np.random.default_rng(1), 2, 100_000, 1)
    found = np.corrcoef([judge[0], *ratings[:, 0]])
    assert set(np.unique(ratings)) == set(range(points))
    assert found[1, 2] == pytest.approx(0.4, abs=0.01)
    assert found[0, 1:] == pytest.approx([0.5, 0.5], abs=0.01)


def test_the_latent_correlation_of_verdicts_is_the_sine() -> None:
    assert latent_correlation(1 / 3, 2) == pytest.approx(math.sin(math.pi / 2 / 3), abs=1e-4)


def test_the_power_of_the_test_grows_with_agreement() -> None:
    options = {"agreement": 0.4, "raters": [3], "inputs": [60], "simulations": 300}
    numbers = [fw.plan("alt-test", **options, judge_agreement=judge)[3].achieved for judge in (0.3, 0.4, 0.55)]
    assert numbers == sorted(numbers)
    assert numbers[0] < 0.6 < numbers[2]


def test_a_planned_number_of_outputs_has_the_power_that_is_printed() -> None:
    """For five raters, the curve through the simulated powers is at 79 outputs, whose power is 0.787."""
    designs = fw.plan("alt-test", agreement=0.4, judge_agreement=0.5, raters=[5]).designs
    assert [design.achieved >= 0.8 for design in designs] == [True]


# ---- pilots ----------------------------------------------------------------------------------------------------------


def pilot_rows(inputs=400, raters=3, systems=("a", "b"), seed=1, missing=0.0):
    """Returns ratings of variance 1 between outputs, half of it common to systems, and 2 within; the judge has .5."""
    stream = np.random.default_rng(seed)
    rows = []
    for number in range(inputs):
        common = stream.normal(0, math.sqrt(0.5))
        for system in systems:
            quality = common + stream.normal(0, math.sqrt(0.5))
            judge = 0.7 * quality + stream.normal(0, 0.5)
            for rater in range(raters):
                if stream.random() >= missing:
                    rating = 3 + quality + stream.normal(0, math.sqrt(2))
                    rows.append({"id": str(number), "system": system, "rater": str(rater), "y": rating, "judge": judge})
    return rows


def known_of(rows, goal="mean", **options):
    return fw.plan(goal, rows, rating="y", half_width=0.2, raters=[1], **options, **FEW).assumptions


@pytest.mark.parametrize("missing", [pytest.param(0.0, marks=SLOW), 0.4])
def test_a_pilot_shows_variances(missing) -> None:
    rows = pilot_rows(inputs=1500, missing=missing)
    found = known_of(rows)
    assert found.between == pytest.approx(1, abs=0.1)
    assert found.within == pytest.approx(2, abs=0.1)
    # systems share half of the quality: 2 · (1 − .5) = 1 between inputs, and 2 · 2 within
    differences = known_of(rows, "difference")
    assert differences.between == pytest.approx(1, abs=0.25)
    assert differences.within == pytest.approx(4, abs=0.5)


def test_variances_of_a_pilot_are_those_of_the_analysis_of_variance() -> None:
    values = np.array([[1.0, 2.0], [4.0, 4.0], [2.0, 5.0], [3.0, 1.0]])
    rows = [
        {"id": str(i), "rater": str(r), "y": value}
        for i, row in enumerate(values.tolist())
        for r, value in enumerate(row)
    ]
    found = known_of(rows)
    between = 2 * values.mean(axis=1).var(ddof=1)  # mean square between outputs
    within = values.var(axis=1, ddof=1).mean()
    assert found.within == pytest.approx(within)
    assert found.between == pytest.approx(max(0.0, (between - within) / 2))
    assert (found.outputs, found.degrees_of_freedom, found.raters) == (4, 3, 2)


def test_a_pilot_shows_what_a_judge_explains() -> None:
    found = known_of(pilot_rows(), "estimate", judge="judge", judged=1000)
    # cov(judge, rating) = .7, var(judge) = .49 + .25
    assert found.explained == pytest.approx(0.49 / 0.74, abs=0.15)


def test_a_pilot_with_single_ratings_plans_for_single_ratings_only() -> None:
    rows = pilot_rows(raters=1)
    assert fw.plan("mean", rows, rating="y", half_width=0.2, raters=[1], **FEW)[1].inputs is not None


def test_a_pilot_of_the_alternative_annotator_test_is_resampled() -> None:
    rows = pilot_rows(inputs=60)
    options = {
        "rating": "y",
        "judge": "judge",
        "raters": [3, 2],
        "inputs": [40],
        "simulations": 100,
        "scoring": "ranks",
    }
    result, even = (fw.plan("alt-test", rows, **options, assurance=chance) for chance in (0.9, 0.5))
    assert result[3].achieved < even[3].achieved
    assert (result.pilot_outputs, result.assumptions) == (120, None)
    assert [0 <= design.achieved <= 1 for design in result.designs] == [True, True]
    with pytest.raises(fw.InputError, match="the pilot has 3 raters, so it cannot show a test with 4"):
        fw.plan("alt-test", rows, rating="y", judge="judge", raters=[4], inputs=[40])
    with pytest.raises(fw.InputError, match="needs 20 outputs with a judgement that all 3 raters rated, got 18"):
        fw.plan("alt-test", pilot_rows(inputs=9), rating="y", judge="judge", raters=[3], inputs=[40])


@pytest.mark.parametrize("share", [0.03, 0.4])
def test_shares_are_planned_by_the_score_interval_that_the_estimate_reports(share) -> None:
    found = fw.plan("mean", share=share, half_width=0.06, **FEW)[1].inputs
    assert found is not None

    def chance(inputs: int) -> float:
        """Returns the chance of a half-width of .06, over the binomial distribution."""
        total, p = 0.0, (1 - share) ** inputs
        for good in range(inputs):
            mean = predicted_mean([1.0] * good + [0.0] * (inputs - good), np.zeros(inputs), [])
            total += p if mean.upper - mean.lower <= 0.12 else 0.0
            p *= (inputs - good) / (good + 1) * share / (1 - share)
        return total

    assert chance(found) >= 0.8 > chance(found - 3), "the chance is not monotone"


@SLOW
def test_four_of_five_pilots_of_ten_inputs_lead_to_the_power() -> None:
    powers = []
    for seed in range(60):
        options = {"difference": 0.4, "raters": [3], "simulations": 1}
        plan = fw.plan("mean", pilot_rows(10, systems=("a",), seed=seed), rating="y", **options)
        assert plan[3].inputs is not None
        known = fw.plan("mean", sd=math.sqrt(3), agreement=1 / 3, inputs=[plan[3].inputs], **options)
        powers.append(known[3].achieved)
    assert np.mean([power >= 0.8 for power in powers]) == pytest.approx(0.8, abs=0.12)


def test_raters_who_agree_on_everything_add_nothing() -> None:
    result = fw.plan("mean", sd=1, agreement=1, half_width=0.2, raters=[1, 5], **FEW)
    assert result[1].inputs == result[5].inputs
    test = {"agreement": 1, "judge_agreement": 0.9, "raters": [3], "inputs": [40], "simulations": 60}
    assert fw.plan("alt-test", **test)[3].achieved is not None


def small_pilot(**options):
    return {"rating": "y", "half_width": 0.1, **options}


BY_SD = {"sd": 1, "agreement": 0.4, "half_width": 0.1}
EQUAL = [{"id": str(i), "rater": "r", "y": 3.0} for i in range(9)]
REFUSED = [  # goal, rows, options, message
    ("mean", None, {**BY_SD, "cluster_size": 5}, "need both"),
    ("mean", None, {**BY_SD, "cluster_correlation": 0.5}, "need both"),
    ("mean", None, {**BY_SD, "cluster_size": 1, "cluster_correlation": 0.5}, "'cluster_size' must be"),
    ("mean", None, {**BY_SD, **CLUSTERS, "half_width": None, "inputs": [12]}, "clusters of 5 inputs, got 12"),
    ("mean", None, {**BY_SD, **CLUSTERS, "half_width": None, "inputs": [5]}, "2 or more clusters of 5 inputs, got 5"),
    ("mean", None, {**BY_SD, "cluster": "doc"}, "'cluster'"),
    (
        "estimate",
        None,
        {**BY_SD, "judge_agreement": 0.4, "judged": 60, "cluster_size": 50, "cluster_correlation": 0.1},
        "'judged' must be 4 or more clusters of 50 inputs, got 60",
    ),
    ("mean", pilot_rows(inputs=30), small_pilot(cluster="id"), "two clusters or more"),
    ("mean", pilot_rows(inputs=30), small_pilot(cluster_size=4), "'cluster' must name the column"),
    ("mean", pilot_rows(raters=1), small_pilot(), "no output of the pilot has two ratings"),
    ("mean", pilot_rows(inputs=1, systems=("a",)), small_pilot(), "two outputs or more of a system"),
    ("mean", EQUAL, small_pilot(raters=[1]), "are all equal"),
    ("difference", pilot_rows(systems=("a",)), small_pilot(), "ratings of two systems or more"),
]


@pytest.mark.parametrize(("goal", "rows", "options", "message"), REFUSED, ids=[message for *_, message in REFUSED])
def test_plans_that_nothing_determines_are_refused(goal, rows, options, message) -> None:
    with pytest.raises(fw.InputError, match=message):
        fw.plan(goal, rows, **options)
