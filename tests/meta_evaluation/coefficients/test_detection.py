"""Coefficients of detection: the numbers of the definition, thresholds that are never fitted on what they report."""

from __future__ import annotations

import math

import numpy as np
import pytest
from brute_force.coefficients import Options
from brute_force.coefficients import coefficient as by_loops

import metrics_framework as fw
from metrics_framework.common.errors import DataError, InputError
from metrics_framework.meta_evaluation import coefficient, difference

SCORES = [0.9, 0.8, 0.7, 0.7, 0.4, 0.2]
GOLD = [1, 1, 0, 1, 0, 0]
WORKED = [  # coefficient, threshold, value: from 0.7 on, 3 of 4 are good, and 3 of 3 good ones are found
    ("auroc", None, (3 + 3 + 2.5) / 9),  # of the 9 pairs of a good and a bad one, one is tied
    ("f1", 0.7, 2 * 3 / (4 + 3)),
    ("mcc", 0.7, (3 * 2 - 1 * 0) / math.sqrt(4 * 3 * 2 * 3)),
    ("precision-at-recall:0.9", None, 3 / 4),
    ("precision-at-recall:0.6", None, 1.0),
    ("precision-at-recall", None, 3 / 4),
]


@pytest.mark.parametrize(("name", "threshold", "expected"), WORKED)
def test_worked_example(name, threshold, expected):
    for gold, scores in ((GOLD, SCORES), ([GOLD], [SCORES])):
        assert coefficient(gold, scores, name, threshold=threshold).value == pytest.approx(expected, abs=1e-12)
    rounded = {"auroc": 0.944444, "f1": 0.857143, "mcc": 0.707107}
    assert round(expected, 6) == rounded.get(name, expected)


@pytest.mark.parametrize("name", ["f1", "mcc"])
@pytest.mark.parametrize("folds", [2, 5, 40])
def test_thresholds_are_those_of_the_other_folds(name, folds):
    generator = np.random.default_rng(folds)
    gold = generator.integers(0, 2, (3, 14)).astype(float)
    metric = np.round(gold + generator.normal(size=gold.shape), 1)
    gold[0, :2] = np.nan
    metric[np.isnan(gold)] = np.nan
    expected = by_loops(name, gold, metric, "global", Options(folds=folds, seed=3))
    assert coefficient(gold, metric, name, folds=folds, seed=3).value == pytest.approx(expected, abs=1e-12)


def test_noise_scores_better_than_nothing_only_if_thresholds_are_fitted_on_what_they_report():
    generator = np.random.default_rng(0)
    values = {"cross-fitted": [], "fitted": []}
    for _ in range(60):
        gold, noise = generator.integers(0, 2, 40).astype(float), generator.normal(size=40)
        values["cross-fitted"].append(coefficient(gold, noise, "mcc", ci="none").value)
        best = max(coefficient(gold, noise, "mcc", threshold=one, ci="none").value for one in sorted(noise)[1:])
        values["fitted"].append(best)
    assert abs(np.mean(values["cross-fitted"])) < 0.1
    assert np.mean(values["fitted"]) > 0.2


def test_outputs_of_one_document_are_in_one_fold():
    gold, scores = [[1, 1, 0, 0]], [[4.0, 3, 2, 1]]
    apart = coefficient(gold, scores, "f1", clusters=["a", "b", "a", "b"], folds=2)
    # The best threshold of b, for a, is 3; that of a, for b, is 4, which misses the output with 3.
    assert apart.value == pytest.approx(2 * 1 / (1 + 2))
    one = coefficient(gold, scores, "f1", clusters=["a"] * 4)
    assert math.isnan(one.value), "one document has no other folds"


UNDEFINED = [  # coefficient, gold, scores, threshold, why
    ("mcc", [1, 1, 1], [1, 2, 3], 2, "every output is good"),
    ("mcc", [0, 0, 0], [1, 2, 3], 2, "no output is good"),
    ("mcc", [1, 0, 1], [1, 2, 3], 0, "every output is called good"),
    ("mcc", [1, 0, 1], [1, 2, 3], 9, "no output is called good"),
    ("f1", [0, 0, 0], [1, 2, 3], 9, "no output is good"),
    ("precision-at-recall", [0, 0, 0], [1, 2, 3], None, "no output is good"),
    ("auroc", [1, 1, 1], [1, 2, 3], None, "every output is good"),
    ("mcc", [1, 1, 1], [1, 2, 3], None, "too few outputs, or no threshold fits the other folds"),
]


def correlate(*arguments, **options):
    return fw.correlate(*arguments, ci="none", **options)


def rows(gold, scores, **labels):
    return [
        {"instance_id": str(number), "summarizer_id": "s", "gold": good, "m": score, **labels}
        for number, (good, score) in enumerate(zip(gold, scores, strict=True))
    ]


@pytest.mark.parametrize(("name", "gold", "scores", "threshold", "why"), UNDEFINED)
def test_an_undefined_value_has_its_reason(name, gold, scores, threshold, why):
    found = correlate(
        rows(gold, scores),
        "m",
        "gold",
        coefficients=name,
        levels="global",
        threshold=threshold if name in ("f1", "mcc") else None,
    )
    estimate = found["m"].levels["global"].estimates[name]
    assert math.isnan(estimate.value)
    assert estimate.details["undefined"].startswith(why)
    assert why in found.table()


def test_correlate_reports_thresholds_and_what_calling_every_output_good_scores():
    found = correlate(rows(GOLD, SCORES), "m", "gold", coefficients=["f1", "precision-at-recall:0.6"], threshold=0.7)
    details = {name: one.details for name, one in found["m"].levels["global"].estimates.items()}
    assert details["f1"] == {"score_threshold": 0.7, "always_good": pytest.approx(2 / 3)}
    assert details["precision-at-recall:0.6"] == {"always_good": 0.5}
    crossed = correlate(rows(GOLD * 2, SCORES * 2), "m", "gold", coefficients="f1", folds=3)
    assert len(crossed["m"].levels["global"].estimates["f1"].details["score_thresholds"]) == 3


def test_a_threshold_is_fitted_on_other_data():
    development = rows([1, 0, 1, 0], [5, 4, 6, 1])
    found = correlate(
        rows(GOLD, [10 * one for one in SCORES]), "m", "gold", coefficients="mcc", threshold_from=development
    )
    estimate = found["m"].levels["global"].estimates["mcc"]
    assert estimate.details["score_threshold"] == 5
    assert estimate.value == coefficient(GOLD, SCORES, "mcc", threshold=0.5).value
    with pytest.raises(DataError, match="good and bad"):
        correlate(rows(GOLD, SCORES), "m", "gold", coefficients="mcc", threshold_from=rows([1, 1], [1, 2]))


def test_human_scores_above_a_bound_are_good():
    found = correlate(
        rows([90, 85, 86, 70], [4, 3, 2, 1]), "m", "gold", coefficients=["auroc", "f1"], good_above=85, threshold=2
    )
    values = {name: one.value for name, one in found["m"].levels["global"].estimates.items()}
    assert values == {"auroc": 0.75, "f1": pytest.approx(4 / 5)}


def test_metrics_of_other_scales_swap_what_they_call_good():
    generator = np.random.default_rng(5)
    gold = generator.integers(0, 2, (1, 60)).astype(float)
    one, other = gold + 0.4 * generator.normal(size=gold.shape), generator.normal(size=gold.shape)
    plain, scaled = (
        difference(gold, one, scale * other, "f1", level="global", test="inputs", resamples=200) for scale in (1, 1000)
    )
    assert plain.p_value == scaled.p_value < 0.05


def test_lower_is_better_is_refused_with_the_name_of_the_negated_score():
    result = fw.evaluate("ter", {"s": ["a b", "c d"]}, references=["a b", "c e"])
    people = [{"instance_id": str(number), "summarizer_id": "s", "gold": good} for number, good in ((1, 1), (2, 0))]
    with pytest.raises(InputError, match="name it '-ter'"):
        correlate([result, people], "ter", "gold", coefficients="f1")
    found = correlate([result, people], "-ter", "gold", coefficients="f1", threshold=-50)
    assert found["-ter"].levels["global"].estimates["f1"].value == pytest.approx(2 / 3)
