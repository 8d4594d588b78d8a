"""The request of `correlate` is one for all sections: cases in which they once used different settings.

The data have eight systems and 24 inputs, every third input rated for three systems only.
"""

from __future__ import annotations

import math
import random
import re
import warnings

import pytest
from messages import FOR_OTHER_SYSTEMS_AND_INPUTS

import metrics_framework as fw
from metrics_framework import meta_evaluation
from metrics_framework.common.errors import FwError
from metrics_framework.meta_evaluation.coefficients.lookup import coefficient_names, load_coefficient
from metrics_framework.meta_evaluation.differences.difference_test import difference_test_names

SYSTEMS, INPUTS = 8, 24
RATED_FOR_FEW = 2  # every third input, from this one
FEW = 3


def score_rows(seed=1, *, systems=SYSTEMS, inputs=INPUTS, few=FEW, **labels):
    """Returns rows of human scores and of two metrics; every third input has outputs of few systems only."""
    draw = random.Random(seed)
    rows = []
    for index in range(inputs):
        for system in range(few if index % 3 == RATED_FOR_FEW else systems):
            quality = draw.gauss(0.3 * system, 1)
            scores = {name: round(quality + draw.gauss(0, 1.2), 2) for name in ("A", "B")}
            row = {"instance_id": f"{index:02}", "summarizer_id": f"s{system}", "human": round(2 * quality) / 2}
            rows.append({**row, **scores, "doc": f"d{index // 4}", "kind": f"k{system % 2}", **labels})
    return rows


def with_small_groups(rows, winner):
    """Makes one metric perfect for the inputs with few systems, and the other the reverse."""
    loser = "B" if winner == "A" else "A"
    for row in rows:
        if int(row["instance_id"]) % 3 == RATED_FOR_FEW:
            row[winner], row[loser] = row["human"], -row["human"]
    return rows


def correlate(rows, metrics=("A", "B"), **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fw.correlate(rows, list(metrics), "human", **{"ci": "none", "resamples": 300, **options})


def value(result, metric, level, coefficient, data_set=""):
    (found,) = (one for one in result.correlations if (one.metric1, one.data_set) == (metric, data_set))
    return found.levels[level].estimates[coefficient].value


def compared(result, level, coefficient, data_set=""):
    (found,) = (
        one.found
        for one in result.comparisons
        if (one.level, one.coefficient, one.data_set) == (level, coefficient, data_set)
    )
    return found


# ---- 1. the least group ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("winner", ["A", "B"])
def test_small_groups_do_not_reverse_the_ranks_of_a_table(winner):
    rows = with_small_groups(score_rows(), winner)
    options = {"levels": "input", "coefficients": "pearson", "test": "inputs"}
    everything, large = correlate(rows, **options), correlate(rows, min_group=5, **options)
    # Small groups raise one metric and lower the other, so a section that counts them is found.
    changes = {
        metric: value(everything, metric, "input", "pearson") - value(large, metric, "input", "pearson")
        for metric in "AB"
    }
    assert changes[winner] > 0.05 > -0.3 > changes["B" if winner == "A" else "A"]
    for result in (everything, large):
        found = compared(result, "input", "pearson")
        expected = {metric: value(result, metric, "input", "pearson") for metric in "AB"}
        assert found.values == pytest.approx(expected, abs=1e-12)
        assert list(found.metrics) == sorted(expected, key=expected.__getitem__, reverse=True)
    only_large = [row for row in rows if int(row["instance_id"]) % 3 != RATED_FOR_FEW]
    alone = compared(correlate(only_large, **options), "input", "pearson")
    found = compared(large, "input", "pearson")
    assert found.values == pytest.approx(alone.values, abs=1e-12)
    assert found.p_values[0, 1] == alone.p_values[0, 1]
    assert found.shape == (SYSTEMS, INPUTS - INPUTS // 3)


def test_small_groups_count_in_no_section():
    rows = with_small_groups(score_rows(), "A")
    for row in rows:
        row["length"] = len(row["doc"]) + row["B"] ** 2
        row["task"] = f"t{int(row['instance_id']) % 2}"
    only_large = [row for row in rows if int(row["instance_id"]) % 3 != RATED_FOR_FEW]
    options = {
        "levels": "input",
        "coefficients": ["pearson", "acc-eq"],
        "test": "inputs",
        "power": True,
        "data_sets": "task",
        "partial": "length",
    }
    found, alone = correlate(rows, min_group=5, **options).study, correlate(only_large, **options).study
    for one, other in zip(found.averages, alone.averages, strict=True):
        assert one.found.averages == pytest.approx(other.found.averages, abs=1e-12)
    for one, other in zip(found.partials, alone.partials, strict=True):
        assert one.found.value == pytest.approx(other.found.value, abs=1e-12)
    for one, other in zip(found.comparisons, alone.comparisons, strict=True):
        assert {pair: [each.needed for each in powers] for pair, powers in one.found.power.items()} == {
            pair: [each.needed for each in powers] for pair, powers in other.found.power.items()
        }


# ---- 4. systems and inputs without a joint cell ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def sparse():
    """Rows of 8 systems and 10 inputs; B has no score of four of the systems and of five of the inputs."""
    rows = score_rows(seed=3, inputs=10, few=SYSTEMS)
    for row in rows:
        if int(row["summarizer_id"][1:]) >= 4 or int(row["instance_id"]) >= 5:
            del row["B"]
    return rows


def test_tests_count_systems_and_inputs_with_a_joint_cell(sparse):
    joint = [row for row in sparse if "B" in row]
    options = {"levels": "system", "coefficients": "pearson", "test": "systems", "power": True}
    result, alone = correlate(sparse, **options), correlate(joint, **options)
    found = compared(result, "system", "pearson")
    assert found.shape == (4, 5)
    assert found.population == "for other systems, these 5 inputs"
    assert (found.permutations, found.is_exact, found.least_p) == (16, True, 0.125)
    assert found.p_values[0, 1] >= 0.125
    assert any("16 permutations of 4 systems" in note and "0.125" in note for note in found.notes)
    assert repr(found.power) == repr(compared(alone, "system", "pearson").power)  # NaN is not equal to itself
    row = result.study.as_json()["comparisons"][0]
    assert (row["num_systems"], row["num_inputs"], row["permutations"]) == (4, 5, 16)


def test_averages_and_both_tests_count_joint_cells_only(sparse):
    for row in sparse:
        row["task"] = f"t{int(row['instance_id']) % 2}"
    options = {"levels": "system", "coefficients": "pearson", "data_sets": "task"}
    found = correlate(sparse, test="inputs", **options).study.averages[0].found
    assert (found.permutations, found.is_exact) == (2**5, True)  # 3 inputs of one data set and 2 of the other
    found = compared(correlate(sparse, test="both", **options), "system", "pearson", "t0")
    assert [part.permutations for part in found.parts] == [2**3, 2**4]


# ---- 5. one value of SPA ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"stream": "mt-metrics-eval"}, {"sign_flips": 50}], ids=str)
def test_spa_has_one_value_whatever_the_number_of_resamples(options):
    rows = score_rows(few=SYSTEMS)
    found = set()
    for resamples in (20, 50):
        result = correlate(
            rows, levels="system", coefficients="spa", test="systems", resamples=resamples, ci="bootstrap-inputs",
            **options,
        )  # fmt: skip
        matrix = compared(result, "system", "spa")
        for metric in "AB":
            assert matrix.values[metric] == value(result, metric, "system", "spa")
            found.add((metric, matrix.values[metric]))
    assert len(found) == 2


def test_comparisons_have_the_stream_of_the_table():
    rows = score_rows(few=SYSTEMS)
    options = {"levels": "system", "coefficients": "spa", "test": "systems"}
    plain, repeated = (correlate(rows, stream=stream, **options) for stream in ("default", "mt-metrics-eval"))
    values = [compared(result, "system", "spa").values for result in (plain, repeated)]
    assert values[0] != values[1]


# ---- 6. the test of both populations ---------------------------------------------------------------------------------


def test_both_tests_are_reported_with_their_permutations_and_power():
    rows = score_rows()
    options = {"levels": "input", "coefficients": "pearson", "power": True}
    both = compared(correlate(rows, test="both", **options), "input", "pearson")
    each = [compared(correlate(rows, test=test, **options), "input", "pearson") for test in ("inputs", "systems")]
    assert both.population == FOR_OTHER_SYSTEMS_AND_INPUTS
    assert [part.test for part in both.parts] == ["inputs", "systems"]
    assert [part.permutations for part in both.parts] == [300, 2**SYSTEMS]
    assert [part.population for part in both.parts] == [one.population for one in each]
    assert both.p_values[0, 1] == max(one.p_values[0, 1] for one in each)
    for pair, powers in both.power.items():
        assert powers == tuple(power for one in each for power in one.power[pair])
    row = correlate(rows, test="both", **options).study.as_json()["comparisons"][0]
    assert [part["permutations"] for part in row["parts"]] == [300, 2**SYSTEMS]
    assert [power["test"] for power in row["power"]] == ["inputs", "systems"]


def test_the_table_names_the_permutations_and_the_power_of_both_tests():
    printed = str(correlate(score_rows(), test="both", levels="input", coefficients="pearson", power=True))
    assert "inputs 300 permutations; systems all 256 permutations" in printed
    for test in ("inputs", "systems"):
        assert re.search(rf"A vs\. B|B vs\. A\s+{test}\s", printed)
        assert re.search(rf"\d {test}$", printed, re.MULTILINE)


# ---- 7. unknown names ------------------------------------------------------------------------------------------------

HUMAN = [[3, 1, 4, 1], [2, 2, 3, 3], [5, 3, 4, 2]]
METRIC = [[0.6, 0.2, 0.7, 0.3], [0.4, 0.3, 0.5, 0.6], [0.8, 0.5, 0.7, 0.3]]
ONES = [[1, 1, 1]]
UNKNOWN = [
    ("coefficient", lambda: meta_evaluation.coefficient(HUMAN, METRIC, "ccc")),
    ("group_values", lambda: meta_evaluation.group_values(HUMAN, METRIC, "ccc", level="input")),
    ("group_weights", lambda: meta_evaluation.group_weights(HUMAN, METRIC, "ccc", level="input")),
    ("level", lambda: meta_evaluation.coefficient(HUMAN, METRIC, "pearson", level="document")),
    ("resampled", lambda: meta_evaluation.resampled(HUMAN, METRIC, "ccc", level="input", rows=ONES, columns=None)),
    ("interval", lambda: meta_evaluation.interval(HUMAN, METRIC, "ccc", level="input", method="bootstrap-both")),
    ("method", lambda: meta_evaluation.interval(HUMAN, METRIC, "pearson", level="input", method="ccc")),
    ("difference", lambda: meta_evaluation.difference(HUMAN, METRIC, METRIC, "ccc", level="input", test="inputs")),
    ("test", lambda: meta_evaluation.difference(HUMAN, METRIC, METRIC, "pearson", level="input", test="ccc")),
    ("matrix", lambda: meta_evaluation.difference_matrix(HUMAN, {"a": METRIC}, "ccc", level="input", test="inputs")),
    ("task", lambda: meta_evaluation.Task("t", "ccc", "input", ["a"])),
    ("stat_sig_test", lambda: fw.stat_sig_test(score_rows(), "human", "A", "B", levels=["ccc"])),
    *((name, lambda name=name: correlate(score_rows(), **{name: "ccc"})) for name in (
        "coefficients", "levels", "ci", "test", "correct", "preset", "average_test", "stream", "aggregate", "slices",
        "partial", "cluster", "data_sets", "duplicates", "summarizer_type", "epsilon",
    )),
]  # fmt: skip


@pytest.mark.parametrize("call", [call for _, call in UNKNOWN], ids=[name for name, _ in UNKNOWN])
def test_unknown_names_raise(call):
    with pytest.raises(FwError):
        call()


def test_a_registered_name_leads_to_its_own_class():
    # No name falls through to another coefficient: each has a title of its own.
    titles = {load_coefficient(name).title for name in coefficient_names()}
    assert len(titles) == len(coefficient_names())
    assert len(set(difference_test_names())) == len(difference_test_names())


# ---- 8. data sets ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def of_two_pairs():
    """Rows of two language pairs whose inputs and systems have the same ids, with different qualities."""
    first, second = score_rows(seed=1, few=SYSTEMS, task="en-de"), score_rows(seed=5, few=SYSTEMS, task="cs-uk")
    for row in second:
        row["human"] += 100
    return [*first, *second]


@pytest.mark.parametrize("options", [{}, {"preset": "wmt23"}, {"preset": "wmt25"}], ids=str)
def test_nothing_is_pooled_over_data_sets(of_two_pairs, options):
    result = correlate(of_two_pairs, data_sets="task", test="inputs", resamples=40, **options)
    sections = [result.correlations, result.comparisons]
    for section in sections:
        assert {one.data_set for one in section} == {"cs-uk", "en-de"}
    by_name = {name: [row for row in of_two_pairs if row["task"] == name] for name in ("cs-uk", "en-de")}
    for name, rows in by_name.items():
        alone = correlate(rows, data_sets="task", test="inputs", resamples=40, **options)
        for one in alone.correlations:
            for level, found in one.levels.items():
                for coefficient, estimate in found.estimates.items():
                    assert value(result, one.metric1, level, coefficient, name) == pytest.approx(estimate.value)
        for one in alone.comparisons:
            other = compared(result, one.level, one.coefficient, name)
            assert other.p_values == pytest.approx(one.found.p_values, nan_ok=True)
    assert len(result.study.averages) == 1


def test_data_sets_may_be_files_with_the_same_ids(of_two_pairs, tmp_path):
    files = []
    for name in ("cs-uk", "en-de"):
        rows = [row for row in of_two_pairs if row["task"] == name]
        files.append(tmp_path / f"{name}.tsv")
        lines = [[*rows[0]], *([str(cell) for cell in row.values()] for row in rows)]
        files[-1].write_text("".join("\t".join(line) + "\n" for line in lines), encoding="utf-8")
    options = {"data_sets": "task", "levels": "input", "coefficients": "pearson"}
    of_files, of_rows = correlate([*map(str, files)], **options), correlate(of_two_pairs, **options)
    for metric in "AB":
        for name in ("cs-uk", "en-de"):
            assert value(of_files, metric, "input", "pearson", name) == value(of_rows, metric, "input", "pearson", name)
    with pytest.raises(FwError, match="two values"):
        correlate([*map(str, files)], levels="input", coefficients="pearson")


# ---- 9. bootstrap tests ----------------------------------------------------------------------------------------------


def test_bootstrap_tests_count_undefined_resamples():
    rows = score_rows(systems=4, inputs=6, few=2)
    for row in rows:  # a resample of systems without s3 has constant human scores
        row["human"] = float(row["summarizer_id"] == "s3")
    options = {"levels": "system", "coefficients": "pearson", "test": "bootstrap-systems"}
    result = correlate(rows, **options)
    found = compared(result, "system", "pearson")
    assert (found.permutations, found.resamples) == (0, 300)
    assert 0 < found.undefined_draws < 300
    assert found.least_p == pytest.approx(2 / (300 - found.undefined_draws + 1))
    note = f"{found.undefined_draws} resamples of 300 left out"
    assert any(note in one for one in found.notes)
    printed = str(result)
    assert note in printed
    assert "300 resamples" in printed
    assert "permutation" not in printed
    row = result.study.as_json()["comparisons"][0]
    assert (row["resamples"], row["undefined_resamples"]) == (300, found.undefined_draws)
    assert "permutations" not in row
    assert not math.isnan(found.p_values[0, 1])


def test_permutations_can_be_read_by_their_former_name_with_a_warning():
    human = [[3, 1, 4, 1], [2, 2, 3, 3], [5, 3, 4, 2], [1, 2, 2, 1]]
    metric, other = [[3, 1, 4, 2], [2, 1, 3, 3], [5, 3, 4, 2], [1, 1, 2, 1]], [[1, 1, 4, 2]] * 2 + [[5, 3, 1, 2]] * 2
    found = meta_evaluation.difference(human, metric, other, "pearson", level="input", test="inputs")
    with pytest.warns(DeprecationWarning, match="'arrangements'.* use 'permutations'"):
        assert found.arrangements == found.permutations == 16
