"""SacreROUGE's hypothesis tests: its saved answers from its draws, and the corrections."""

from __future__ import annotations

import json

import numpy as np
import pytest
from coefficient_values import coefficient
from sacrerouge_bootstrap import bootstrap
from samples import sampled

from metrics_framework.api.stat_sig_test import partial_conjunction_test, stat_sig_test
from metrics_framework.meta_evaluation.choices import SACREROUGE_COEFFICIENTS, SACREROUGE_LEVELS, CoefficientOptions
from metrics_framework.meta_evaluation.coefficients.lookup import load_coefficient
from metrics_framework.meta_evaluation.differences.compared_metrics import FIRST, SECOND, paired_scores
from metrics_framework.meta_evaluation.differences.permutation_tests import (
    null_differences,
    permutation_tails,
    swaps_of,
)
from metrics_framework.meta_evaluation.differences.stat_sig import shift_p_value
from metrics_framework.meta_evaluation.groups.swaps import Permutations

SAMPLES = 1000


@pytest.fixture(scope="module")
def golden(shared_path):
    return json.loads(shared_path("golden/sacrerouge.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def scores(golden):
    rows = [row for row in golden["correlate"]["rows"] if row["summarizer_type"] == "peer"]
    systems = sorted({row["summarizer_id"] for row in rows})
    inputs = sorted({row["instance_id"] for row in rows})
    matrices = np.full((3, len(systems), len(inputs)), np.nan)
    for row in rows:
        cell = systems.index(row["summarizer_id"]), inputs.index(row["instance_id"])
        metrics = row["metrics"]
        matrices[(slice(None), *cell)] = np.mean(metrics["grade"]), metrics["rouge"]["f1"], metrics["other"]
    return paired_scores(*matrices)[0]


def stated(golden, method, two_tailed):
    return golden["stat_sig"][f"{method}|two_tailed={two_tailed}|seed 3|1000 samples"]


def drawn_signs(stream, method, shape):
    systems, inputs = shape
    if method == "permutation-system":
        return Permutations(SAMPLES, rows=np.where(stream.rand(SAMPLES, systems) > 0.5, -1.0, 1.0))
    if method == "permutation-input":
        return Permutations(SAMPLES, columns=np.where(stream.rand(SAMPLES, inputs) > 0.5, -1.0, 1.0))
    return Permutations(SAMPLES, cells=np.where(stream.rand(SAMPLES, systems, inputs) > 0.5, -1, 1).astype(np.int8))


@pytest.mark.parametrize("method", sampled(["permutation-both", "permutation-system", "permutation-input"], 1))
def test_permutations_from_the_draws_of_sacrerouge(golden, scores, method):
    expected = {two_tailed: stated(golden, method, two_tailed) for two_tailed in (False, True)}
    stream = np.random.RandomState(3)
    for level, ours in SACREROUGE_LEVELS.items():
        for key, name in SACREROUGE_COEFFICIENTS.items():
            drawn, found = drawn_signs(stream, method, scores.shape), load_coefficient(name)
            options = dict.fromkeys(scores.metrics, CoefficientOptions())
            trials = null_differences(found, swaps_of(scores, found, ours, drawn, options), FIRST, SECOND)
            values = [coefficient(scores.human, metric, name, level=ours) for metric in scores.metrics.values()]
            p_values = permutation_tails(values[0] - values[1], trials, drawn)
            wanted = [expected[two_tailed][level][key]["pvalue"] for two_tailed in (True, False)]
            if (level, key) != ("system_level", "spearman"):
                assert p_values[:2] == pytest.approx(wanted, abs=1e-12)
                continue
            # Six systems have few values of ρ; SacreROUGE loses trials that equal the observed difference by rounding.
            assert p_values[0] > wanted[0]
            assert p_values[1] > wanted[1]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["system", "input", "both"])
def test_bootstrap_from_the_draws_of_sacrerouge(golden, scores, kind):
    expected = {two_tailed: stated(golden, f"bootstrap-{kind}", two_tailed) for two_tailed in (False, True)}
    stream = np.random.RandomState(3)
    systems, inputs = scores.shape
    for level, ours in SACREROUGE_LEVELS.items():
        for key, name in SACREROUGE_COEFFICIENTS.items():
            draws = [
                (
                    stream.choice(systems, systems) if kind != "input" else None,
                    stream.choice(inputs, inputs) if kind != "system" else None,
                )
                for _ in range(SAMPLES)
            ]
            if level == "system_level" and key in ("spearman", "kendall"):
                continue  # of six systems; rounding decides which differences reach twice another
            sides = [bootstrap(metric, scores.human, draws, ours, name) for metric in scores.metrics.values()]
            trials = sides[0] - sides[1]
            values = [coefficient(scores.human, m, name, level=ours) for m in scores.metrics.values()]
            for two_tailed, wanted in expected.items():
                found = shift_p_value(values[0] - values[1], trials, two_tailed, "sacrerouge")
                assert found == pytest.approx(wanted[level][key]["pvalue"], abs=1e-12), (level, key, two_tailed)


@pytest.mark.parametrize("two_tailed", [False, True])
def test_williams_and_all_texts_of_sacrerouge(golden, two_tailed):
    expected = stated(golden, "williams", two_tailed)
    words = golden["correlate"]["rows"], "grade", "rouge_f1", "other"
    results = []
    for definition in ("sacrerouge", "corrected"):
        options = {"method": "williams", "two_tailed": two_tailed, "definition": definition}
        with pytest.warns(UserWarning, match="Williams' test is valid for Pearson's r at the system level only"):
            results.append(stat_sig_test(*words, **options).results)
    found, corrected = results
    valid = [(level, key) for level in SACREROUGE_LEVELS for key, one in corrected[level].items() if one["pvalue"] > 0]
    assert valid == [("system_level", "pearson")]
    for key, value in expected.items():
        if isinstance(value, dict):
            for name, numbers in value.items():
                assert found[key][name]["pvalue"] == pytest.approx(numbers["pvalue"], rel=1e-9)
                assert found[key][name]["is_significant"] == numbers["is_significant"]
        else:
            assert found[key] == value


def test_the_corrected_bootstrap_counts_both_tails(golden):
    one = stat_sig_test(golden["correlate"]["rows"], "grade", "rouge_f1", "other", method="bootstrap-both")
    two = stat_sig_test(
        golden["correlate"]["rows"], "grade", "rouge_f1", "other", method="bootstrap-both", two_tailed=True
    )
    for level in SACREROUGE_LEVELS:
        for key in SACREROUGE_COEFFICIENTS:
            assert two[level][key]["pvalue"] >= one[level][key]["pvalue"]
    assert two["system_level"]["pearson"]["pvalue"] > 1.3 * one["system_level"]["pearson"]["pvalue"]


def test_partial_conjunctions_of_sacrerouge(golden):
    p_values = (0.168, 0.297, 0.357, 0.019, 0.218, 0.001)
    tests = [{"system_level": {key: {"pvalue": p} for key in SACREROUGE_COEFFICIENTS}} for p in p_values]
    for alpha, expected in golden["partial_conjunction"].items():
        found = partial_conjunction_test(tests, list("abcdef"), alpha=float(alpha)).results
        assert (found.pop("command"), found.pop("format")) == ("fw partial-conjunction-test", 1)
        assert found == expected
