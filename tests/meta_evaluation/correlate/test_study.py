"""Studies of several metrics: comparisons, raters, slices, averages, and results that do not depend on row order."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import numpy as np
import pytest
from coefficient_values import coefficient
from difference_cases import FIRST, HUMAN, SECOND
from messages import EXPECTED_CONFIDENCE, NEGATED_BY_RANKING

import metrics_framework as fw
from metrics_framework.common.errors import FwError, InputError, UnknownChoiceError, UnknownNameError, UsageError
from metrics_framework.meta_evaluation import calibrate
from metrics_framework.meta_evaluation.correlate.request import PRESET_NAMES
from metrics_framework.meta_evaluation.differences.averages import PRESETS

H, A, B = (matrix.tolist() for matrix in (HUMAN, FIRST, SECOND))


def rows(**scores: Any) -> list[dict[str, Any]]:
    """Returns a row per output; scores are matrices of systems × inputs, and None is missing."""
    first = next(iter(scores.values()))
    return [
        {"instance_id": f"i{i}", "summarizer_id": f"s{s}", **{name: values[s][i] for name, values in scores.items()}}
        for s in range(len(first))
        for i in range(len(first[0]))
    ]


QUIET = pytest.mark.filterwarnings("ignore::UserWarning")
pytestmark = QUIET


def value(result: fw.CorrelationResult, metric: str, level: str, name: str) -> float:
    return result[metric].levels[level].estimates[name].value


def test_the_default_test_is_that_of_the_level() -> None:
    result = fw.correlate(rows(h=H, a=A, b=B), ["a", "b"], "h", coefficients="pearson", ci="none", test="default")
    assert {one.level: one.found.test for one in result.comparisons} == {
        "input": "inputs",
        "system": "systems",
        "global": "inputs",
    }
    assert "for other inputs, these 4 systems" in str(result)


def test_a_minus_sign_negates_a_score_and_lower_is_better_is_stated() -> None:
    scores = rows(h=H, ter=[[-x for x in row] for row in A], b=B)
    result = fw.correlate(scores, ["-ter", "ter", "b"], "h", levels="global", ci="none", test="inputs")
    assert value(result, "-ter", "global", "pearson") == pytest.approx(-value(result, "ter", "global", "pearson"))
    comparison = result.comparisons[0]
    assert comparison.negated == ["ter"]
    assert comparison.found.values["ter"] == pytest.approx(0.977516061)
    assert f"lower is better for ter, {NEGATED_BY_RANKING}" in " ".join(str(result).split())
    assert "-ter is ter negated" in str(result)
    both = rows(**{"h": H, "-ter": A, "ter": B})  # a name that starts with a minus sign is itself
    found = fw.correlate(both, "-ter", "h", levels="global", ci="none")
    assert value(found, "-ter", "global", "pearson") == pytest.approx(coefficient(H, A, "pearson"))


def test_results_do_not_depend_on_the_order_of_rows() -> None:
    options: dict[str, Any] = {"test": "default", "resamples": 40, "coefficients": "pearson,acc-eq,spa"}
    options |= {"levels": "input,system"}
    scores = rows(h=[[[x, x + 1] for x in row] for row in H], a=A, b=B)
    expected = fw.correlate(scores, ["a", "b"], "h", **options).to_json()
    random.Random(3).shuffle(scores)
    assert fw.correlate(scores, ["a", "b"], "h", **options).to_json() == expected


def test_epsilon_is_given_or_from_another_data_set() -> None:
    data = rows(h=H, a=A)
    options: dict[str, Any] = {"coefficients": "acc-eq", "levels": "input", "ci": "none"}
    given = fw.correlate(data, "a", "h", epsilon=0.05, **options)
    assert value(given, "a", "input", "acc-eq") == coefficient(H, A, "acc-23", level="input", epsilon=0.05)
    other = fw.correlate(data, "a", "h", epsilon_from=rows(h=H, a=B), **options)
    epsilon = calibrate(H, B).epsilon
    assert value(other, "a", "input", "acc-eq") == coefficient(H, A, "acc-23", level="input", epsilon=epsilon)
    details = other["a"].levels["input"].estimates["acc-eq"].details
    assert (details["epsilon"], details["epsilon_source"]) == (epsilon, "calibrated on another data set")


def test_averages_over_data_sets_and_power() -> None:
    data = rows(h=H, a=A, b=B)
    for row in data:
        row["pair"] = "en-de" if row["instance_id"] < "i3" else "en-fr"
    result = fw.correlate(
        data, ["a", "b"], "h", levels="global", coefficients="pearson", ci="none", data_sets="pair", test="inputs",
        detectable=True, resamples=99,
    )  # fmt: skip
    found = result.study.averages[0].found
    parts = [coefficient([r[s] for r in H], [r[s] for r in A], "pearson") for s in (slice(3), slice(3, 6))]
    assert found.averages["a"] == pytest.approx((sum(parts) / 2 + 1) / 2)
    power = result.comparisons[0].found.power["a", "b"][0]  # of the first data set, as nothing is pooled
    other = coefficient([row[:3] for row in H], [row[:3] for row in B], "pearson")
    assert power.difference == pytest.approx(parts[0] - other)
    preset = fw.correlate(data, ["a", "b"], "h", ci="none", data_sets="pair", preset="wmt24", resamples=19)
    assert list(preset.study.averages[0].found.weights) == ["en-de spa", "en-de acc-eq", "en-fr spa", "en-fr acc-eq"]


def test_the_table_names_the_permutations_and_the_power_of_both_tests() -> None:
    generator = np.random.default_rng(4)
    human, one, other = (generator.normal(size=(8, 24)).tolist() for _ in range(3))
    options = {"levels": "input", "coefficients": "pearson", "ci": "none", "resamples": 300}
    printed = str(fw.correlate(rows(h=human, a=one, b=other), ["a", "b"], "h", test="both", detectable=True, **options))
    assert "inputs 300 permutations; systems all 256 permutations" in printed
    for test in ("inputs", "systems"):
        assert re.search(rf"a vs\. b|b vs\. a\s+{test}\s", printed)
        assert re.search(rf"\d {test}$", printed, re.MULTILINE)


def test_the_presets_are_those_of_the_averages() -> None:
    assert tuple(PRESETS) == PRESET_NAMES


RATED = [[[x, x + 1, 5 - x if x > 4 else x] for x in row] for row in H]


def test_ratings_have_a_ceiling_and_may_be_metrics() -> None:
    result = fw.correlate(rows(h=RATED, a=A), "a", "h", levels="global", ci="none", humans_as_metrics=True)
    (ceiling,) = result.study.ceilings
    assert (ceiling.num_raters, ceiling.num_outputs) == (3, 24)
    assert [one.metric1 for one in result.study.raters] == ["rater:1", "rater:2", "rater:3"]
    assert json.loads(result.to_json())["ceilings"]["h"]["num_raters"] == 3
    assert "(one rater)" in str(result)


def test_one_rating_per_output_cannot_be_standardized() -> None:
    with pytest.raises(UsageError, match="no ratings of several people"):
        fw.correlate(rows(h=H, a=A), "a", "h", aggregate="zscore-mean")


HOSTILE = "<b>x</b>\x1b[31m\n| & _ $"


def test_hostile_names_are_shown_as_text() -> None:
    scores = rows(**{"h": H, HOSTILE: A, "b": B})
    result = fw.correlate(scores, [HOSTILE, "b"], "h", levels="global", ci="none", test="inputs")
    for name in ("table", "markdown", "latex", "csv", "tsv", "html"):
        text = result.table(name)
        assert "\x1b" not in text
        assert "<b>" not in text or name != "html"


MISTAKES: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"coefficients": "perason"}, UnknownChoiceError, "did you mean 'pearson'"),
    ({"levels": ["document"]}, UnknownChoiceError, "input, system, global"),
    ({"summarizer_type": "peers"}, UnknownChoiceError, "peer, reference, all"),
    ({"ci": "bootstrap-all"}, UnknownChoiceError, "bootstrap-both"),
    ({"confidence": 0}, InputError, rf"must be {re.escape(EXPECTED_CONFIDENCE)}, got 0"),
    ({"confidence": 1}, InputError, "got 1"),
    ({"confidence": 100}, InputError, "got 100"),
    ({"duplicates": "ccc"}, FwError, "ccc"),
    ({"cluster": "ccc"}, FwError, "ccc"),
    ({"slices": "kinds"}, UnknownNameError, "kinds"),
    ({"data_sets": "ccc"}, FwError, "ccc"),
    ({"epsilon": "ccc"}, FwError, "ccc"),
    ({"preset": "wmt22"}, UnknownChoiceError, "wmt23, wmt24, wmt25"),
    ({"test": "permutation"}, UnknownChoiceError, "must be one of"),
    ({"correct": "bonferroni"}, UnknownChoiceError, "holm"),
    ({"sentinels": True}, UsageError, "sentinels need the texts"),
    ({"partial": "length"}, UnknownNameError, "length"),
    ({"two_tailed": False, "confidence": 40}, InputError, "above 50"),
]


@pytest.mark.parametrize(("options", "error", "message"), MISTAKES)
def test_mistakes_are_explained(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        fw.correlate(rows(h=H, a=A), "a", "h", **options)


def test_partial_correlation_at_equal_length() -> None:
    data = rows(h=H, a=A, words=B)
    result = fw.correlate(data, "a", "h", levels="global", ci="none", partial="words")
    found = {one.coefficient: one.found for one in result.study.partials}
    assert found["pearson"].uncontrolled == pytest.approx(0.977516061)
    assert found["pearson"].outputs == 24
    with pytest.raises(UsageError, match="at a level of"):
        fw.correlate(data, "a", "h", levels="system", ci="none", partial="words")


@pytest.mark.parametrize("name", ["system", "summarizer_id", "domain"])
def test_partial_correlation_at_equal_categories(name: str) -> None:
    data = [{**row, "domain": f"of {row['summarizer_id']}"} for row in rows(h=H, a=A)]
    study = fw.correlate(data, "a", "h", levels="global", ci="none", partial=name).study
    (found,) = [one for one in study.partials if one.coefficient == "pearson"]
    centred = [np.subtract(scores, np.mean(scores, axis=1, keepdims=True)).ravel() for scores in (H, A)]
    assert found.found.value == pytest.approx(np.corrcoef(*centred)[0, 1])
    assert found.as_json()["categories"] == [name]
    assert "Spearman ρ of residuals" in fw.correlate(data, "a", "h", ci="none", partial=name).table()


@pytest.mark.parametrize("name", ["instance_id", "document"])
def test_a_column_that_identifies_each_input_is_no_covariate(name: str) -> None:
    data = [{**row, "document": f"of {row['instance_id']}"} for row in rows(h=H, a=A)]
    with pytest.raises(InputError, match=f"covariate '{name}' .* inputs; leave it out"):
        fw.correlate(data, "a", "h", levels="global", ci="none", partial=name)


def test_an_interval_that_leaves_out_its_coefficient_is_reported() -> None:
    generator = np.random.default_rng(6)
    human = generator.normal(size=(6, 10))
    metric = human + 2 * generator.normal(size=human.shape)
    scores = rows(h=human.tolist(), m=metric.tolist())
    options = {"levels": ["system"], "coefficients": ["spearman"]}
    found = fw.correlate(scores, "m", "h", ci="jackknife-inputs", **options)
    estimate = found["m"].levels["system"].estimates["spearman"]
    assert (estimate.lower, estimate.upper) == (None, None)
    assert "does not contain the value" in estimate.reason
    note = "no interval of spearman at the system level: the interval [-0.996, 0.0853] does not contain the value; "
    assert f"{note}the option 'ci' bootstrap-inputs is for other inputs" in " ".join(found.table().split())
    assert fw.correlate(scores, "m", "h", **options)["m"].levels["system"].estimates["spearman"].reason == ""


REASONS = [  # systems, metrics of five outputs of each, options, parts of the table
    (3, {"m": 1, "n": 2}, {"test": "williams"}, ["the test is undefined for both", "it needs 4 systems or more"]),
    (5, {"m": 0}, {"coefficients": "pearson"}, ["the coefficient is +1 or -1; the option 'ci' bootstrap-inputs"]),
    (3, {"m": 0}, {"ci": "bootstrap-inputs", "coefficients": "pearson", "data": 0}, ["'ci' bootstrap-both is for"]),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("systems", "noise", "options", "parts"), REASONS)
def test_what_is_undefined_has_its_reason(
    systems: int, noise: dict[str, float], options: dict[str, Any], parts: list[str]
) -> None:
    generator = np.random.default_rng(4)
    human = np.arange(systems)[:, None] + generator.normal(size=(systems, 5)) * options.pop("data", 1)
    metrics = {name: human + by * generator.normal(size=human.shape) for name, by in noise.items()}
    scores = rows(h=human.tolist(), **{name: one.tolist() for name, one in metrics.items()})
    found = " ".join(fw.correlate(scores, [*noise], "h", levels="system", **options).table().split())
    assert [part for part in parts if part not in found] == [], found


def test_the_interval_of_a_shrunken_coefficient_is_extended_to_the_coefficient() -> None:
    human = np.arange(6)[:, None] + np.linspace(0, 0.5, 4)
    found = fw.correlate(rows(h=human.tolist(), m=(human**2).tolist()), "m", "h", levels=["system"])
    for name, lower in (("spearman", 0.405629453), ("kendall-b", 0.664499614)):
        estimate = found["m"].levels["system"].estimates[name]
        assert estimate.lower == pytest.approx(lower, abs=1e-9)
        assert estimate.upper == estimate.value == 1
    assert "the shrunken coefficient, which is nearer to 0 than the printed one" in found.table()
    assert "extended to the printed one if that is outside" in found.table()


def test_means_over_slices_are_below_their_coefficients() -> None:
    generator = np.random.default_rng(3)
    scores = {name: (np.arange(5)[:, None] + generator.normal(size=(5, 6))).tolist() for name in ("m", "h")}
    table = [{**row, "kind": "xy"[int(row["instance_id"][1]) % 2]} for row in rows(**scores)]
    names = ["pairwise-accuracy", "pearson"]
    found = fw.correlate(table, "m", "h", slices="kind", levels=["input", "system"], coefficients=names, ci="none")
    changes = found.study.changes
    means = {(one.level, one.coefficient): f"{one.mean_of_slices:.3f} ({one.change:+.3f})" for one in changes}
    lines = found.table().splitlines()
    head = next(line for line in lines if line.startswith("kind"))
    of_input, of_system = (line for line in lines if "2 slices" in line)
    place = head.index("Pearson r")
    assert of_input[place:].strip() == means["input", "pearson"]
    assert of_system[place:].strip() == means["system", "pearson"]
    assert of_system[head.index("pairwise accuracy") : place].strip() == means["system", "pairwise-accuracy"]


def test_a_slice_without_joint_outputs_is_shown() -> None:
    scores = rows(m=[[1, 2, 3], [2, 1, 4], [5, 3, 1]], h=[[1, 2, None], [2, 2, None], [4, 3, None]])
    table = [{**row, **({"kind": "x"} if row["h"] is None else {})} for row in scores]
    found = fw.correlate(table, "m", "h", slices="kind", coefficients=["pearson"], ci="none")
    assert re.search(r"^x +m +h +0 outputs$", found.table(), re.MULTILINE)
    assert re.search(r"^mean of slices \(change\) +m +h +input +0 slices +undefined", found.table(), re.MULTILINE)


def test_undefined_resamples_of_each_coefficient_are_counted() -> None:
    human = [[1, 2, 3, 4], [2, 1, 4, 3], [3, 5, 1, 2]]
    metric = [[1, 1, 1, 1], [1, 1, 2, 1], [1, 1, 1, 1]]
    options = {"levels": ["global"], "ci": "bootstrap-inputs", "resamples": 40}
    scores = rows(m=metric, h=human)
    found = fw.correlate(scores, "m", "h", coefficients=["acc-23", "pearson"], **options)
    count = found["m"].levels["global"].estimates["pearson"].undefined_resamples
    assert count
    assert f"undefined resamples, skipped: {count} of pearson at the global level\n" in found.table()
    alone = fw.correlate(scores, "m", "h", coefficients=["pearson"], **options)
    assert f"undefined resamples, skipped: {count} at the global level\n" in alone.table()


@pytest.mark.parametrize(
    ("metrics", "options", "draws"),
    [
        (3, {}, 1000),
        (6, {}, 2999),
        (6, {"alpha": 0.1}, 1499),
        (6, {"correct": "none"}, 1000),
        (6, {"ranking": "wmt"}, 1000),
        (6, {"resamples": 200}, 200),
    ],
)
def test_draws_follow_from_the_number_of_pairs(metrics: int, options: dict[str, Any], draws: int) -> None:
    generator = np.random.default_rng(0)
    names = [f"m{number}" for number in range(metrics)]
    human = generator.normal(size=(5, 30))
    scores = {name: (human + generator.normal(size=human.shape)).tolist() for name in names}
    data = rows(h=human.tolist(), **scores)
    found = fw.correlate(data, names, "h", test="inputs", levels="input", coefficients="pearson", ci="none", **options)
    (comparison,) = found.study.comparisons
    assert comparison.found.permutations == draws
    assert ("the test cannot find a difference" in " ".join(found.table().split())) is (draws == 200)


def test_the_test_of_williams_has_its_level_and_coefficient() -> None:
    human = np.arange(8)[:, None] + np.linspace(0, 1, 5)
    data = rows(h=human.tolist(), m=(human**2).tolist(), o=np.sin(human).tolist())
    found = fw.correlate(data, ["m", "o"], "h", test="williams")
    assert [(one.level, one.coefficient) for one in found.study.comparisons] == [("system", "pearson")]
    with pytest.raises(InputError, match="valid for 'pearson' at level 'system' only"):
        fw.correlate(data, ["m", "o"], "h", test="williams", levels="input")


def test_an_answer_begins_with_metrics_that_all_correlate_negatively() -> None:
    human = np.arange(8)[:, None] + np.linspace(0, 1, 5)
    data = rows(h=human.tolist(), m=(-human).tolist(), o=(-(human**2)).tolist())
    options = {"levels": "system", "coefficients": "pearson"}
    text = " ".join(fw.correlate(data, ["m", "o"], "h", **options).table().split())
    assert text.startswith("All metrics correlate negatively with h, so that none is named. Not ranked, because")
    text = " ".join(fw.correlate(data, ["m"], "h", **options).table().split())
    assert text.startswith("The metric correlates negatively. Only metric for h: m (")
