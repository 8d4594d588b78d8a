"""Every option that does not always act, in every command and function: refused where it would be ignored."""

from __future__ import annotations

import csv
import inspect
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import metrics_framework as fw_package
from metrics_framework.api.acting import FUNCTIONS, acts_of
from metrics_framework.api.arguments import WideReading
from metrics_framework.common.errors import FwError

RATINGS = [
    {"id": i, "system": s, "human": (i * s + i) % 5, "a": (i * 7 + s) % 4, "b": (i + 3 * s) % 6, "task": f"t{i % 2}"}
    for i in range(8)
    for s in range(4)
]
TEXTS = [{"id": i, "system": s, "summary": f"x {s}", "reference": "x y"} for i in range(6) for s in "yz"]
VOTES = [
    {"input": i, "system_a": "x", "system_b": "yz"[i % 2], "winner": "ab"[i % 3 == 0], "kind": "k"} for i in range(12)
]
CORRELATE = {"metrics": ["a", "b"], "human": "human"}
TESTED = {"metric_a": "a", "metric_b": "b", "dependent_metric": "human"}
PAIRS = [{"id": i, "system": s, "a": i % 3, "b": i % 2 + len(s)} for i in range(6) for s in ("good", "bad")]
VERDICTS = [{**row, "good": int(row["human"] > 1), "a": int(row["a"] > 1)} for row in RATINGS]
RUN = [{**row, "source": f"s{row['id']}"} for row in RATINGS if row["system"] == 0]

ALT_TEST = {"goal": "alt-test", "agreement": 0.4, "judge_agreement": 0.45, "inputs": [30], "simulations": 5}
MEAN = {"goal": "mean", "sd": 1.0, "half_width": 0.4, "raters": [1], "simulations": 5}
VERDICT = {"goal": "mean", "share": 0.3, "half_width": 0.2, "simulations": 5}
READING = {"rater_column": "r", "columns": "rater=r", "where": "a=1", "missing": "99", "scale": "1-5"}
OF_PILOTS = {
    "rating": "y",
    "cluster": "doc",
    "column_names": "y",
    "keep": "BAD",
    "duplicates": "first",
    "pair_by": "source",
    **READING,
}
OF_MEANS = {"half_width": 0.2, "difference": 0.2, "systems": 3, "cluster_size": 2, "confidence": 90, "sd": 1.0}
RATED = [
    {"id": i, "rater": r, "y": (i * r) % 5, "judge": i * i % 5, "y2": i % 5, "c": 0.5}
    for i in range(40)
    for r in (1, 2, 3)[: 3 - i // 35]  # few outputs lack a rater, so that halves of the raters are random
]
JUDGE = {"rating": "y", "judges": "judge", "scoring": "ranks"}
IDLE_IN_PLANS = {
    **{name: (ALT_TEST, value) for name, value in {**OF_PILOTS, **OF_MEANS}.items()},
    **dict.fromkeys(("share", "cluster_correlation", "assurance"), (ALT_TEST, 0.5)),
    **dict.fromkeys(("epsilon", "q", "correlation", "judge_agreement", "power"), (MEAN, 0.5)),
    "judged": (MEAN, 90),
    "judge": (MEAN, "a"),
    "comparisons": (MEAN, "all"),
    "scoring": (MEAN, "ranks"),
    "points": (MEAN, 5),
    "agreement": (VERDICT, 0.5),
}

CASES: dict[tuple[str, str], tuple[Any, dict[str, Any], Any, dict[str, Any]]] = {
    # function and option: data, options under which it is idle, a value, options under which it acts
    ("challenge", "correct"): (PAIRS, {"metrics": "a"}, "bh", {"metrics": ["a", "b"]}),
    ("challenge", "alpha"): (PAIRS, {"metrics": "a"}, 0.1, {"metrics": ["a", "b"]}),
    ("compare", "references"): (None, {"scores": RATINGS}, ["x"], {}),
    ("compare", "sources"): (None, {"scores": RATINGS}, ["x"], {}),
    ("compare", "documents"): (None, {"scores": RATINGS}, ["x"], {}),
    ("compare", "reader"): (None, {"scores": RATINGS}, "json", {}),
    ("compare", "systems"): (None, {"scores": RATINGS}, ["a"], {}),
    ("compare", "jobs"): (None, {"scores": RATINGS}, 2, {}),
    ("compare", "force"): (None, {"scores": RATINGS}, True, {}),
    ("compare", "checks"): (None, {"scores": RATINGS}, False, {}),
    ("compare", "pair_by"): (None, {"metrics": "ter", "outputs": TEXTS}, "source", {}),
    ("compare", "ranking"): (None, {"scores": RATINGS, "baseline": "0"}, "clusters", {}),
    ("compare", "resamples"): (None, {"scores": RATINGS, "ci": "jackknife"}, 50, {"ci": "percentile"}),
    ("correlate", "alpha"): (RATINGS, CORRELATE, 0.1, {"test": "inputs"}),
    ("correlate", "correct"): (RATINGS, CORRELATE, "none", {"data_sets": "task"}),
    ("correlate", "ranking"): (RATINGS, CORRELATE, "wmt", {"test": "inputs"}),
    ("correlate", "average_test"): (RATINGS, {**CORRELATE, "test": "inputs"}, "published", {"data_sets": "task"}),
    ("correlate", "detectable"): (RATINGS, {**CORRELATE, "data_sets": "task"}, True, {"test": "inputs"}),
    ("correlate", "confidence"): (RATINGS, {**CORRELATE, "ci": "none"}, 90, {"ci": "default"}),
    ("correlate", "two_tailed"): (RATINGS, {**CORRELATE, "ci": "none"}, False, {"ci": "default"}),
    ("correlate", "resamples"): (RATINGS, {**CORRELATE, "ci": "jackknife-inputs"}, 50, {"ci": "bootstrap-inputs"}),
    ("correlate", "seed"): (RATINGS, {**CORRELATE, "ci": "jackknife-inputs"}, 3, {"coefficients": "spa", "ci": "none"}),
    ("correlate", "folds"): (RATINGS, {**CORRELATE, "coefficients": "f1", "threshold": 2}, 3, {"threshold": None}),
    ("correlate", "texts"): (RATINGS, CORRELATE, "texts.csv", {}),
    ("correlate", "cluster"): (RATINGS, {**CORRELATE, "levels": "system"}, "task", {"ci": "jackknife-inputs"}),
    ("correlate", "min_group"): (RATINGS, {**CORRELATE, "levels": "system"}, 3, {"levels": "input"}),
    ("estimate", "errors_of"): (VERDICTS, {"rating": "good", "judges": "a"}, "all", {"pass_fail": True}),
    **{
        ("gate", option): (None, {"new": [1, 0], "old": [0, 1]}, value, {"new": RUN, "old": RUN, "metric": "a"})
        for option, value in {
            "lower_is_better": ["a"],
            "system": "0",
            "baseline": "0",
            "columns": {"instance_id": "id"},
            "where": {"task": "t0"},
            "duplicates": "first",
            "pair_by": "source",
        }.items()
    },
    ("gate", "higher_is_better"): (None, {"new": RUN, "old": RUN, "metric": "a"}, False, {"new": [1], "old": [0]}),
    **{("plan", name): (None, base, value, {}) for name, (base, value) in IDLE_IN_PLANS.items()},
    ("agreement", "seed"): (RATED, {"rating": "y", "labels": True}, 3, {"labels": False}),
    ("judge", "resamples"): (RATED, JUDGE, 50, {"jury": "judge", "judges": "y2"}),
    ("judge", "variance"): (RATED, JUDGE, "published", {"scoring": "neg_rmse"}),
    ("judge", "bins"): (RATED, JUDGE, 5, {"stated_confidence": "c"}),
    ("judge", "binning"): (RATED, JUDGE, "mass", {"stated_confidence": "c"}),
    ("prefer", "baseline"): (VOTES, {}, "x", {}),
    ("prefer", "resamples"): (VOTES, {}, 50, {"against": VOTES}),
    ("prefer", "subset"): (VOTES, {}, "kind", {"against": VOTES}),
    ("prefer", "seed"): (VOTES, {}, 3, {"against": VOTES}),
    ("prefer", "show"): (VOTES, {}, "agreement", {"against": VOTES}),
    ("stat_sig_test", "resamples"): (RATINGS, {**TESTED, "method": "williams"}, 50, {"method": "bootstrap-input"}),
    ("stat_sig_test", "seed"): (RATINGS, {**TESTED, "method": "williams"}, 3, {"method": "bootstrap-input"}),
    ("stat_sig_test", "definition"): (RATINGS, TESTED, "sacrerouge", {"method": "bootstrap-input"}),
}
FLAGS = {
    ("challenge", "metrics"): "metric",
    ("compare", "metrics"): "metric",
    ("judge", "judges"): "judge",
    ("correlate", "metrics"): "metric",
    ("stat_sig_test", "method"): "test-method",
    ("correlate", "two_tailed"): "one-tailed",
}
WITHOUT_FLAGS = {"references", "sources", "documents", "reader", "systems", "force", "checks"}  # flags of texts
WITHOUT_FLAGS |= {option for function, option in CASES if function == "gate"}  # which act with all files
COMMANDS = {"stat_sig_test": "stat-sig-test", "judge": "test-judge"}


ALWAYS = {  # function to the options that act in each of its analyses, or are refused by what the data have
    "agreement": "ratings rating statistics weights by pairwise plans labels cluster drop_raters confidence",
    "challenge": "scores metrics by categories cluster lower_is_better confidence columns where duplicates",
    "compare": "metrics outputs files profile columns where scores names higher_is_better lower_is_better aggregate "
    "macro preset baseline test trials correct ci confidence seed clusters by duplicates strict",
    "correlate": "scores metrics human summarizer_type levels coefficients ci test data_sets preset epsilon "
    "epsilon_from threshold threshold_from good_above sign_flips stream sentinels slices partial "
    "aggregate humans_as_metrics",
    "estimate": "ratings rating judges baseline tuning pass_fail cluster confidence",
    "gate": "new old metric margin alpha power clusters score_range unpaired fail_on seed strict",
    "judge": "ratings rating judges repeated scoring epsilon q min_raters min_units text cluster jury "
    "stated_confidence labels confidence seed",
    "plan": "goal pilot raters inputs simulations seed",
    "prefer": "votes strength_scale covariates cluster ridge against columns where missing duplicates keep "
    "inconsistent correct confidence",
    "stat_sig_test": "scores dependent_metric metric_a metric_b method alpha two_tailed levels summarizer_type",
}


def test_every_option_of_the_table_has_a_case() -> None:
    assert {*CASES} == {(function, option) for function in FUNCTIONS for option in acts_of(function)}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_option_of_an_analysis_says_when_it_acts(function: str) -> None:
    options = {*inspect.signature(getattr(fw_package, function)).parameters}
    sometimes, always = {*acts_of(function)}, {*ALWAYS[function].split(), "log"}
    assert not sometimes & always
    assert options - {*WideReading.__annotations__} == (sometimes | always) - {*WideReading.__annotations__}


def call(function: str, data: Any, options: dict[str, Any]) -> None:
    with warnings.catch_warnings(action="ignore"):
        getattr(fw_package, function)(*([] if data is None else [data]), **options)


@pytest.mark.parametrize(("function", "option"), CASES)
def test_a_function_refuses_an_option_that_does_not_act(function: str, option: str) -> None:
    data, base, value, acting = CASES[function, option]
    call(function, data, base)
    with pytest.raises(FwError, match=f"'{option}' acts only .*; .*leave "):
        call(function, data, {**base, option: value})
    if acting:
        call(function, data, {**base, **acting, option: value})


def words_of(function: str, options: dict[str, Any]) -> list[str]:
    words = []
    for name, value in options.items():
        flag = f"--{FLAGS.get((function, name), name).replace('_', '-')}"
        for one in value if isinstance(value, list) else [value]:
            words += [flag] if isinstance(one, bool) else [flag, str(one)]
    return words


def write(rows: Any, path: Path) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return path


def default_of(function: str, option: str) -> Any:
    return inspect.signature(getattr(fw_package, function)).parameters[option].default


WITH_FLAGS = [case for case in CASES if case[1] not in WITHOUT_FLAGS]
STATED = [(*case, is_default) for case in WITH_FLAGS for is_default in (False, True)]
STATED = [case for case in STATED if not case[2] or not isinstance(default_of(*case[:2]), (bool, tuple, type(None)))]


@pytest.mark.parametrize(("function", "option", "is_default"), STATED)
def test_a_command_refuses_a_flag_that_does_not_act_even_with_its_default(
    function: str, option: str, is_default: bool, fw: Callable[..., Any], tmp_path: Path
) -> None:
    data, base, value, _ = CASES[function, option]
    options = dict(base)
    rows = options.pop("scores", options.pop("outputs", None)) if data is None else data
    read = options.pop("goal") if rows is None else write(rows, tmp_path / "rows.csv")
    words = [COMMANDS.get(function, function), read, *words_of(function, options)]
    done = fw(*words, *words_of(function, {option: default_of(function, option) if is_default else value}))
    assert (done.code, done.out) == (2, "")
    flag = f"--{option.replace('_', '-')}"
    assert f"{flag} acts only " in done.err, done.err
    assert "'" not in done.err, "flags, no parameters"


def test_former_names_of_options_are_accepted_as_parameters_and_as_flags(fw: Callable[..., Any]) -> None:
    found = fw_package.prefer(VOTES, scale="arena", correction="none")
    assert found.to_json() == fw_package.prefer(VOTES, strength_scale="arena", correct="none").to_json()
    with pytest.raises(FwError, match="unexpected keyword argument 'scale'"):
        fw_package.prefer(VOTES, scale="arena", strength_scale="arena")
    options = {**CORRELATE, "test": "inputs", "resamples": 20, "levels": "input", "log": print}
    power = [
        fw_package.correlate(RATINGS, **options, **{name: True}).study.comparisons[0].found.power
        for name in ("power", "detectable")
    ]
    assert power[0]
    assert power[0] == power[1]
    path = write(VOTES, Path("votes.csv"))
    former, new = (fw("prefer", path, flag, "arena", "--format", "json") for flag in ("--scale", "--strength-scale"))
    assert (former.code, former.out) == (0, new.out)
