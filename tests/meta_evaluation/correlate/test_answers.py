"""The answer of a study: the best metric for each rating, those that do not differ from it, and what to mind."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from messages import NEGATED_BY_RANKING

import metrics_framework as fw
from metrics_framework.commands.app import main


def rows(systems: int = 3, inputs: int = 24, seed: int = 4, **extra: Any) -> list[dict[str, Any]]:
    """Returns rows with metrics that see the quality with little noise, with more noise, and not at all."""
    draw = random.Random(seed)
    table = []
    for index in range(inputs):
        for system in range(systems):
            quality = draw.gauss(0, 1) + system / systems
            scores = {"human": quality, "good": quality + draw.gauss(0, 0.3), "fair": quality + draw.gauss(0, 0.32)}
            scores |= {"noise": draw.gauss(0, 1), "ter": -quality + draw.gauss(0, 0.1)}
            table.append({"instance_id": index, "summarizer_id": f"s{system}", **scores, **extra})
    return table


def answer_of(data: Any, metrics: Any = ("good", "fair", "noise"), human: str = "human", **options: Any) -> Any:
    found = fw.correlate(data, list(metrics), human, **{"coefficients": "pearson", "ci": "none", **options})
    return found.answers[0]


def kinds(answer: Any) -> list[str]:
    return [one.kind for one in answer.cautions]


def test_the_answer_is_that_of_the_comparison() -> None:
    result = fw.correlate(rows(), ["noise", "fair", "good"], "human", test="inputs", resamples=200, ci="none")
    (answer,) = result.answers
    comparison = next(one for one in result.comparisons if (one.level, one.coefficient) == ("input", "pearson")).found
    assert (answer.level, answer.coefficient, answer.points) == ("input", "pearson", 24)
    assert (answer.best.metric, *(one.metric for one in answer.others)) == comparison.metrics
    assert [one.p_value for one in answer.others] == [comparison.adjusted[0, 1], comparison.adjusted[0, 2]]
    assert [one.metric for one in answer.tied] == ["fair"]
    assert [one.metric for one in answer.worse] == ["noise"]
    assert (answer.test.sides, answer.test.correction, answer.test.pairs) == (2, "holm", 3)
    assert comparison.population in result.summary()
    assert "Not distinguishable from it: fair" in result.summary()


def test_without_a_test_the_best_metric_is_named_with_its_interval_and_the_flag_of_the_test() -> None:
    result = fw.correlate(rows(), ["noise", "good"], "human", ci="bootstrap-inputs", resamples=50, levels="input")
    (answer,) = result.answers
    estimate = result["good"].levels["input"].estimates["pearson"]
    assert (answer.best.metric, answer.best.lower, answer.best.upper) == ("good", estimate.lower, estimate.upper)
    assert answer.test is None
    assert answer.tied == answer.worse == ()
    assert "No test was made" in result.summary()
    assert "--test" in result.summary()


def test_a_metric_of_which_lower_is_better_is_negated() -> None:
    # Pearson's r of negated scores is the negated r; the share of equally ordered pairs a is 1 − a without ties.
    for name, expected in (("pearson", lambda value: -value), ("acc-23", lambda value: 1 - value)):
        result = fw.correlate(rows(), ["good", "ter"], "human", coefficients=name, ci="none", levels="global")
        (answer,) = result.answers
        value = result["ter"].levels["global"].estimates[name].value
        assert (answer.best.label, answer.best.is_negated) == ("-ter", True)
        assert answer.best.value == pytest.approx(expected(value))
        assert "reversed-direction" in kinds(answer)
        assert f"for ter, {NEGATED_BY_RANKING} and the table of correlations does not" in result.summary()
    alone = answer_of(rows(), ["ter"])
    assert alone.best.label == "ter"
    assert alone.best.value < -0.9
    assert "reversed-direction" in kinds(alone)


CAUTIONS = [  # data, options, kinds, why
    (rows(12, 30), {}, set(), "enough of everything"),
    (rows(4, 30), {}, {"few-systems"}, "four systems"),
    (rows(12, 5), {}, {"few-inputs"}, "five inputs"),
    (rows(2, 30), {"levels": "input"}, {"few-systems", "two-systems-per-input", "negative"}, "two systems are ±1"),
    (
        [{**row, "human": round(row["human"])} for row in rows(12, 30)],
        {"levels": "input"},
        {"ties"},
        "ratings on a coarse scale",
    ),
    (
        [{**row, "good": None} if row["instance_id"] == 3 else row for row in rows(12, 30)],
        {},
        {"missing-outputs", "different-outputs"},
        "one input lacks a metric",
    ),
    (rows(4, 30), {"levels": "system", "test": "systems"}, {"few-systems", "least-p"}, "16 permutations"),
    (rows(12, 30), {"test": "inputs", "resamples": 30}, {"least-p"}, "3/31 is above .05"),
    (rows(12, 30), {"test": "inputs", "resamples": 30, "ranking": "wmt"}, set(), "1/31 is not"),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("data", "options", "expected", "why"), CAUTIONS, ids=[case[-1] for case in CAUTIONS])
def test_what_to_mind_applies_to_the_data(data: Any, options: Any, expected: set[str], why: str) -> None:
    assert {*kinds(answer_of(data, **options))} == expected, why


@pytest.mark.filterwarnings("ignore")
def test_outputs_left_out_of_all_data_sets_are_minded_together() -> None:
    data = [
        {**row, "lp": lp, "good": None if row["instance_id"] in without else row["good"]}
        for lp, without in (("en-de", (3,)), ("en-cs", (4, 5)))
        for row in rows(12, 30)
    ]
    options = {"preset": "wmt24", "data_sets": "lp", "ci": "none", "resamples": 10}
    (answer,) = fw.correlate(data, ["good"], "human", **options).answers
    assert [one.text for one in answer.cautions if one.kind == "missing-outputs"] == [
        "36 outputs left out, because a score is missing"
    ]


def test_intervals_directions_and_undefined_metrics_are_minded() -> None:
    data = [{**row, "constant": 1, "cost": -row["good"]} for row in rows(6, 30)]
    answer = answer_of(data, ["noise"], ci="bootstrap-inputs", levels="input", resamples=50)
    assert "interval-contains-zero" in kinds(answer)
    answer = answer_of(data, ["good", "cost", "constant"], ci="bootstrap-inputs", levels="input", resamples=50)
    assert answer.undefined == ("constant",)
    assert "negative" in kinds(answer)
    assert any("--metric=-cost" in one.text for one in answer.cautions)


def test_a_sentinel_is_minded_and_never_the_best_metric() -> None:
    data = [{**row, "summary": "w " * round(10 * row["human"] + 40)} for row in rows(6, 20)]
    for tested in ({}, {"test": "inputs", "resamples": 100}):
        answer = answer_of(data, ["noise"], sentinels=True, levels="input", **tested)
        assert (answer.best.metric, answer.others) == ("noise", ())
        assert "sentinel" in kinds(answer)


def test_other_coefficients_and_levels_that_disagree_are_named() -> None:
    data = rows(12, 30)
    for row in data:
        row["outlier"] = row["human"] ** 3  # ranks as people do
    result = fw.correlate(data, ["good", "outlier"], "human", levels=["input", "global"], ci="none")
    (answer,) = result.answers
    assert answer.best.metric == "good"
    (caution,) = [one for one in answer.cautions if one.kind == "other-coefficients"]
    assert caution.text.startswith("outlier is best by Spearman ρ, Kendall τ-b, ")
    assert "at the global level" in caution.text


def test_each_rating_and_data_set_has_an_answer_and_an_average_has_one() -> None:
    data = [{**row, "lp": lp, "other": -row["good"]} for lp in ("a", "b") for row in rows(3, 20, seed=ord(lp))]
    options = {"levels": "input", "coefficients": "pearson", "ci": "none"}
    averaged = fw.correlate(data, ["good", "fair"], ["human", "other"], data_sets="lp", resamples=50, **options)
    assert [(one.human, one.level, one.points) for one in averaged.answers] == [("human", None, 2), ("other", None, 2)]
    assert averaged.answers[0].best.value == max(averaged.study.averages[0].found.averages.values())
    one_set = [row for row in data if row["lp"] == "a"]
    answers = fw.correlate(one_set, ["good", "fair"], ["human", "other"], **options).answers
    assert [(one.human, one.level) for one in answers] == [("human", "input"), ("other", "input")]


LEVELS = [  # rows, options, levels shown, why
    (rows(3, 24), {}, ["input"], "three systems for each input"),
    (rows(2, 24), {}, ["global"], "two systems for each input are ±1"),
    (
        [row for row in rows(12, 4) if row["instance_id"] == int(row["summarizer_id"][1:]) % 4],
        {},
        ["input"],
        "by three",
    ),
    (
        [row for row in rows(12, 24) if int(row["summarizer_id"][1:]) // 2 == row["instance_id"] % 6],
        {},
        ["system"],
        "inputs of two systems, but twelve systems",
    ),
    (rows(6, 1), {}, ["system"], "one input, such as a test set"),
    (rows(3, 24), {"levels": ["global", "system"]}, ["system", "global"], "asked for"),
    (rows(3, 24), {"coefficients": ["pearson", "spa"]}, ["input", "system"], "SPA is of systems"),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("data", "options", "shown", "why"), LEVELS, ids=[case[-1] for case in LEVELS])
def test_tables_show_the_level_that_the_data_support(data: Any, options: Any, shown: list[str], why: str) -> None:
    result = fw.correlate(data, ["good", "fair"], "human", test="default", resamples=50, ci="none", **options)
    table = result.table("csv").splitlines()
    text = str(result)
    for level in ("input", "system", "global"):
        assert (f" {level}  " in text) == (level in shown), why
        assert (f"  {level} level  " in text) == (level in shown), why
    computed = [*result["good"].levels]
    assert {row.split(",")[3] for row in table[1:]} == {*computed}
    assert all(f'"{key}"' in result.to_json() for key in ("summary_level", "system_level", "global")) or options


def test_warnings_are_those_of_the_levels_shown() -> None:
    result = fw.correlate(rows(2, 24), "good", "human", ci="none")
    assert result.warnings == []
    assert any("two systems" in warning for warning in result["good"].warnings)


def test_json_has_the_answer_as_fields_and_csv_has_none(tmp_path: Any, capsys: Any) -> None:
    scores = tmp_path / "scores.csv"
    lines = [",".join(map(str, line)) for line in (rows()[0], *(row.values() for row in rows()))]
    scores.write_text("\n".join(lines) + "\n", encoding="utf-8")
    words = [str(scores), "--metric", "good", "--metric", "fair", "--human", "human", "--ci", "none", "--test"]
    assert main(["correlate", *words, "--format", "json", "--silent"]) == 0
    (answer,) = json.loads(capsys.readouterr().out)["answers"]
    assert (answer["best"]["metric"], answer["level"], answer["test"]["test"]) == ("good", "input", "inputs")
    assert answer["others"][0]["is_worse"] in (True, False)
    assert {"kind", "text"} == set(answer["cautions"][0])
    assert answer["text"].startswith("Best metric for human: good (Pearson r ")
    for form, start in (("markdown", "Best metric"), ("html", "<p>Best metric"), ("latex", "% Best metric")):
        main(["correlate", *words, "--format", form, "--silent"])
        assert capsys.readouterr().out.startswith(start)
    main(["correlate", *words, "--format", "csv", "--silent"])
    assert "Best metric" not in capsys.readouterr().out
    for _ in range(2):  # an earlier result is replaced
        assert main(["correlate", *words, "-o", str(tmp_path / "t.md"), "--silent"]) == 0


def test_ranks_follow_the_p_values_that_are_printed() -> None:
    data, options = rows(), {"levels": "input", "coefficients": "pearson", "ci": "none", "resamples": 200}
    metrics = ["good", "fair", "noise"]
    corrected = fw.correlate(data, metrics, "human", test="inputs", alpha=0.3, **options)
    wmt = fw.correlate(data, metrics, "human", test="inputs", alpha=0.3, ranking="wmt", **options)
    for result, table in ((corrected, "adjusted"), (wmt, "p_in_favour")):
        found = result.comparisons[0].found
        assert found.ranking_p_values is getattr(found, table)
        assert f"{found.ranking_p_values[0, 1]:.4f}" in str(result)
        assert (found.ranks[found.metrics[1]].cluster > 1) == (found.ranking_p_values[0, 1] <= 0.3)
    assert "one-sided p-values, not corrected, as in the shared tasks of WMT" in str(wmt)
    assert "two-sided p-values, corrected (Holm)" in str(corrected)
    for ranking, shown in (("ranges", ["1–2", "1–2", "3"]), ("clusters", ["1", "1", "2"])):
        found = fw.correlate(data, metrics, "human", test="inputs", alpha=0.3, ranking=ranking, **options)
        table = str(found)[str(found).index("\nrank") :].splitlines()[3:6]
        assert [line.split()[0] for line in table] == shown
    assert corrected.comparisons[0].found.ranks != wmt.comparisons[0].found.ranks
