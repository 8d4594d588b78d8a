"""Every option of `correlate` against every section of its result: which change, which stay, and what is refused.

The data are those of the usual trap: seven systems, 18 inputs, every third input rated for three systems only.
"""

from __future__ import annotations

import math
import random
import warnings
from dataclasses import asdict

import pytest
from brute_force.results import numbers_of
from samples import sampled

import metrics_framework as fw
from metrics_framework.common.errors import FwError
from metrics_framework.meta_evaluation.correlate.answers import task_columns

SYSTEMS, INPUTS = 7, 18


def rows_of(seed):
    """Returns rows of three metrics and of three raters, with columns of documents, kinds and data sets."""
    draw = random.Random(seed)
    rows = []
    for index in range(INPUTS):
        for system in range(SYSTEMS):
            if index % 3 == 2 and system >= 3:
                continue
            quality = draw.gauss(0.4 * system, 1) + draw.gauss(0, 0.3)
            rows.append(
                {
                    "instance_id": f"{index:02}",
                    "summarizer_id": f"s{system}",
                    "human": [round((quality + draw.gauss(0, 0.8)) / 1.5) + lenient for lenient in (0, 1, 2)],
                    "A": round(quality + draw.gauss(0, 1.3), 2),
                    "B": round(quality + draw.gauss(0, 1.3), 2),
                    "C": round(draw.gauss(0, 1.3), 2),
                    "length": draw.randrange(5, 30),
                    "doc": f"d{index // 4}",
                    "kind": f"k{system % 2}",
                    "task": f"t{index % 2}",
                }
            )
    return rows


ROWS, OTHER_ROWS = rows_of(seed=3), rows_of(seed=6)

BASE = {
    "levels": ["input", "system", "global"],
    "coefficients": ["pearson", "acc-eq", "acc-23", "kendall-like", "spa"],
    "ci": "bootstrap-inputs",
    "resamples": 40,
    "sign_flips": 60,
    "test": "inputs",
    "detectable": True,
    "data_sets": "task",
    "slices": "kind",
    "partial": "length",
    "humans_as_metrics": True,
}


PAIRS = ("p-values of differences", "corrected p-values")
SAME = ("values", "intervals", "compared values", "task values", "ceilings", "slice changes")
RENAMED = {  # as in `numbers_of`
    "p-values": "p-values of points",
    "slices: values": "slices",
    "slices: intervals": "intervals of slices",
    "raters: values": "raters",
    "raters: intervals": "intervals of raters",
}


def sections_of(result):
    """Returns the numbers of each section of a result, by their keys."""
    study, numbers = result.study, numbers_of(result.study)
    compared = {(one.data_set, one.level, one.coefficient): one.found for one in study.comparisons}
    partials = numbers["partial correlations"]
    return {
        **{name: numbers[name] for name in SAME},
        **{name: numbers[key] for key, name in RENAMED.items()},
        **{name: {key: by_name(table) for key, table in numbers[name].items()} for name in PAIRS},
        "p-values of averages": by_name(numbers["p-values of averages"]),
        "partial correlations": {key: value for key, (value, _, _) in partials.items()},
        "p-values of partials": {key: p for key, (_, _, p) in partials.items()},
        "groups": {
            (one.data_set, one.metric1, level): (dict(found.size), found.points, str(found.details))
            for one in study.correlations
            for level, found in one.levels.items()
        },
        "ranks": {key: dict(one.ranks) for key, one in compared.items()},
        "answers": {one.human: one.as_json() for one in result.answers},
        "verdicts": {
            (one.data_set, one.level, one.coefficient): [asdict(one) for one in one.ranked]
            for one in task_columns(study)
        },
        "power": {
            (*key, *pair): (power.standard_error, power.least_detectable, power.needed)
            for key, one in compared.items()
            for pair, each in one.power.items()
            for power in each
        },
    }


def by_name(table):
    """Returns a table of pairs of metrics, which are in the order of ranks, by the names in their order."""
    return {tuple(sorted(pair)): p for pair, p in table.items()}


def equal(first, second):
    if isinstance(first, dict):
        return first.keys() == second.keys() and all(equal(first[key], second[key]) for key in first)
    if isinstance(first, (tuple, list)):
        return len(first) == len(second) and all(map(equal, first, second))
    if isinstance(first, float) and isinstance(second, float):
        return (math.isnan(first) and math.isnan(second)) or math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-12)
    return first == second


def run(**options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fw.correlate(ROWS, ["A", "B", "C"], "human", **{**BASE, **options})


INTERVALS = {"intervals", "intervals of slices", "intervals of raters", "verdicts"}
VALUES = {"values", "compared values", "task values", "slices", "slice changes", "raters"}
TESTS = {"p-values of differences", "corrected p-values", "power", "p-values of averages", "answers", "verdicts"}
P_VALUES = {"p-values of points", "p-values of partials"}
EVERYTHING = INTERVALS | VALUES | TESTS | P_VALUES | {"groups", "ranks", "partial correlations", "ceilings"}

CHANGES = [  # options, sections that change, sections that may change, why
    (
        {"min_group": 5},
        VALUES | INTERVALS | TESTS | {"groups", "partial correlations", "ceilings"},
        {"ranks"},
        "small groups count nowhere",
    ),
    (
        {"epsilon": 0.4},
        VALUES | INTERVALS | TESTS,
        {"ranks"},
        "ε is one of metric scores: ceilings compare raters, whose ties are equal ratings or calibrated",
    ),
    (
        {"epsilon_from": OTHER_ROWS},
        (VALUES | INTERVALS | TESTS) - {"raters", "intervals of raters"},
        {"ranks"},
        "the other data set fits the ε of metrics; raters are no metrics of it",
    ),
    ({"threshold": 1.5}, VALUES | INTERVALS | TESTS | {"ceilings"}, {"ranks"}, "kendall-like counts fewer pairs"),
    (
        {"cluster": "doc"},
        INTERVALS | TESTS | P_VALUES,
        {"ranks"},
        "clusters are drawn and swapped as a whole; p-values that assume independent outputs go",
    ),
    ({"sign_flips": 40}, VALUES | INTERVALS | TESTS, {"ranks"}, "SPA is of these sign flips"),
    ({"stream": "mt-metrics-eval"}, VALUES | INTERVALS | TESTS, {"ranks"}, "SPA is of these sign flips"),
    ({"resamples": 90}, INTERVALS | TESTS, {"ranks"}, "no value depends on the number of resamples, nor does SPA"),
    ({"seed": 1}, VALUES | INTERVALS | TESTS, {"ranks", "ceilings"}, "the seed is that of all draws"),
    ({"ci": "bootstrap-systems"}, INTERVALS, set(), "only intervals"),
    ({"confidence": 80}, INTERVALS | {"answers"}, set(), "only intervals; answers state the confidence"),
    ({"two_tailed": False}, INTERVALS, set(), "only intervals"),
    ({"test": "systems"}, TESTS, {"ranks"}, "another population"),
    (
        {"correct": "none"},
        {"corrected p-values", "answers", "verdicts"},
        {"ranks"},
        "raw p-values stay; ranks and answers follow the corrected ones",
    ),
    ({"ranking": "wmt"}, {"ranks", "answers", "verdicts"}, set(), "one-sided p-values, not corrected"),
    ({"levels": "default"}, set(), set(), "the same levels are computed; tables show one of them"),
    ({"alpha": 0.4}, {"power", "answers", "verdicts"}, {"ranks"}, "the level of significance"),
    ({"average_test": "published"}, {"p-values of averages", "answers"}, set(), "separate permutations of tasks"),
    ({"detectable": False}, {"power"}, set(), "nothing else"),
    (
        {"aggregate": "zscore-mean"},
        VALUES | INTERVALS | TESTS | P_VALUES | {"partial correlations", "ceilings"},
        {"ranks", "groups"},
        "other human scores",
    ),
]


@pytest.fixture(scope="module")
def base():
    return sections_of(run())


NAMES = [", ".join(case[0]) for case in CHANGES]


@pytest.mark.parametrize(("options", "changing", "may_change", "why"), sampled(CHANGES, 2), ids=NAMES)
def test_options_reach_every_section(base, options, changing, may_change, why):
    found = sections_of(run(**options))
    assert found.keys() == base.keys() == EVERYTHING
    changed = {name for name in found if not equal(found[name], base[name])}
    assert changed - may_change == changing - may_change, why


REFUSED = [  # options, part of the message, why
    ({"test": "williams"}, "williams", "only Pearson at the system level"),
    ({"test": "bootstrap-both"}, "use the test 'both'", "it finds nothing"),
    ({"test": "bootstrap-inputs"}, "bootstrap-inputs", "averages are of permutations"),
    ({"ci": "fisher", "cluster": "doc"}, "fisher", "it assumes independent outputs"),
    ({"ci": "bca-inputs"}, "bca-inputs", "its intervals at the system level do not cover"),
    ({"threshold": 1, "coefficients": "pearson"}, "'threshold' is an option of f1, kendall-like", "nothing uses it"),
    ({"good_above": 1, "coefficients": "pearson"}, "'good_above' is an option of auroc, f1, mcc", "nothing uses it"),
    (
        {"threshold_from": OTHER_ROWS, "coefficients": ["auroc", "spa"]},
        "'threshold_from' is an option of f1, mcc",
        "nothing uses it",
    ),
    (
        {"threshold_from": OTHER_ROWS, "threshold": 0.4, "coefficients": ["f1", "spa"]},
        "'threshold' and 'threshold_from'",
        "one of them would be ignored",
    ),
    ({"coefficients": "mcc:0.5"}, "'mcc' has no number", "only a recall is written after a name"),
    ({"coefficients": "precision-at-recall:2"}, "above 0 and at most 1, got '2'", "no recall is above 1"),
    ({"epsilon": 1, "coefficients": "pearson"}, "'epsilon' is an option of acc-23, acc-eq, tau-23", "nothing uses it"),
    ({"sign_flips": 9, "coefficients": "pearson"}, "'sign_flips' is an option of spa", "nothing uses it"),
    (
        {"stream": "mt-metrics-eval", "sign_flips": 1000, "coefficients": "pearson"},
        "'stream' is an option of spa",
        "nothing uses it",
    ),
    (
        {"epsilon_from": OTHER_ROWS, "coefficients": ["acc-23", "spa"]},
        "'epsilon_from' is an option of acc-eq",
        "nothing uses it",
    ),
    ({"epsilon_from": OTHER_ROWS, "epsilon": 0.4}, "'epsilon' and 'epsilon_from'", "one of them would be ignored"),
    ({"ranking": "one-sided"}, "one-sided", "no ranking of the name"),
    ({"levels": ["default", "input"]}, "'levels' must be a subset", "the default is no level"),
]


IDS = [f"{', '.join(case[0])}: {case[1]}" for case in REFUSED]


@pytest.mark.parametrize(("options", "message", "why"), sampled(REFUSED, 2), ids=IDS)
def test_options_that_cannot_reach_a_section_are_refused(options, message, why):
    with pytest.raises(FwError, match=message):
        run(**options)


def test_coefficients_of_one_run_have_one_value(base):
    # The metrics have the same outputs, so tables and comparisons have the same values, of SPA too.
    for (data_set, level, name), values in base["compared values"].items():
        for metric, value in values.items():
            assert base["values"][data_set, metric, level, name] == pytest.approx(value, abs=1e-12)
    for task, values in base["task values"].items():
        data_set, level, name = task.split(" ")
        assert values == pytest.approx(base["compared values"][data_set, level, name], abs=1e-12)
