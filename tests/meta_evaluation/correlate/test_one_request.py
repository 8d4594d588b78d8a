"""One request for all sections of `correlate`: outputs without joint scores, undefined resamples, unknown names."""

from __future__ import annotations

import random
import re
import warnings

import pytest

import metrics_framework as fw
from metrics_framework import meta_evaluation
from metrics_framework.common.errors import FwError

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


def correlate(rows, metrics=("A", "B"), **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fw.correlate(rows, list(metrics), "human", **{"ci": "none", "resamples": 300, **options})


def compared(result, level, coefficient, data_set=""):
    (found,) = (
        one.found
        for one in result.comparisons
        if (one.level, one.coefficient, one.data_set) == (level, coefficient, data_set)
    )
    return found


@pytest.fixture(scope="module")
def sparse():
    """Rows of 8 systems and 10 inputs; B has no score of four of the systems and of five of the inputs."""
    rows = score_rows(seed=3, inputs=10, few=SYSTEMS)
    for row in rows:
        if int(row["summarizer_id"][1:]) >= 4 or int(row["instance_id"]) >= 5:
            del row["B"]
    return rows


def test_averages_and_both_tests_count_joint_cells_only(sparse):
    for row in sparse:
        row["task"] = f"t{int(row['instance_id']) % 2}"
    options = {"levels": "system", "coefficients": "pearson", "data_sets": "task"}
    found = correlate(sparse, test="inputs", **options).study.averages[0].found
    assert (found.permutations, found.is_exact) == (2**5, True)  # 3 inputs of one data set and 2 of the other
    found = compared(correlate(sparse, test="both", **options), "system", "pearson", "t0")
    assert [part.permutations for part in found.parts] == [2**3, 2**4]


def test_the_table_names_the_permutations_and_the_power_of_both_tests():
    printed = str(correlate(score_rows(), test="both", levels="input", coefficients="pearson", power=True))
    assert "inputs 300 permutations; systems all 256 permutations" in printed
    for test in ("inputs", "systems"):
        assert re.search(rf"A vs\. B|B vs\. A\s+{test}\s", printed)
        assert re.search(rf"\d {test}$", printed, re.MULTILINE)


HUMAN = [[3, 1, 4, 1], [2, 2, 3, 3], [5, 3, 4, 2]]
METRIC = [[0.6, 0.2, 0.7, 0.3], [0.4, 0.3, 0.5, 0.6], [0.8, 0.5, 0.7, 0.3]]
UNKNOWN = [
    ("level", lambda: meta_evaluation.coefficient(HUMAN, METRIC, "pearson", level="document")),
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


def test_permutations_can_be_read_by_their_former_name_with_a_warning():
    human = [[3, 1, 4, 1], [2, 2, 3, 3], [5, 3, 4, 2], [1, 2, 2, 1]]
    metric, other = [[3, 1, 4, 2], [2, 1, 3, 3], [5, 3, 4, 2], [1, 1, 2, 1]], [[1, 1, 4, 2]] * 2 + [[5, 3, 1, 2]] * 2
    found = meta_evaluation.difference(human, metric, other, "pearson", level="input", test="inputs")
    with pytest.warns(DeprecationWarning, match="'arrangements'.* use 'permutations'"):
        assert found.arrangements == found.permutations == 16
