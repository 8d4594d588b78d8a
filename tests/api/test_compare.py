"""`fw.compare`: systems from rows, texts, score files and results; tests, effect sizes, ranks and clusters."""

from __future__ import annotations

import itertools
import json
import math
import random
import statistics
from collections.abc import Sequence
from typing import Any

import pytest
from messages import DIFFERENT_INPUTS, IS_THE_ONLY_SYSTEM, NO_OUTPUT_HAS_THE_FIELD, NOT_COMPARED

import metrics_framework as fw
from metrics_framework.common.errors import DataError
from metrics_framework.significance.resampling import INTERVAL_METHODS


def rows_of(systems: dict[str, Sequence[float]], **columns: Sequence[Any]) -> list[dict[str, Any]]:
    """Returns rows of a score ``quality``, with further columns by input."""
    return [
        {"instance_id": number, "summarizer_id": system, "quality": value}
        | {name: values[number - 1] for name, values in columns.items()}
        for system, scores in systems.items()
        for number, value in enumerate(scores, 1)
    ]


def noisy(count: int, shift: float, seed: int) -> list[float]:
    numbers = random.Random(seed)
    return [numbers.gauss(shift, 1.0) for _ in range(count)]


@pytest.mark.filterwarnings("ignore:1 comparison on 4 inputs")
def test_the_difference_of_two_systems_worked_by_hand() -> None:
    """Scores 3 1 2 4 and 1 1 3 0: differences 2 0 -1 4, mean 1.25, standard deviation 2.217...; all swaps below."""
    differences = [2.0, 0.0, -1.0, 4.0]
    result = fw.compare(scores=rows_of({"b": [1, 1, 3, 0], "a": [3, 1, 2, 4]}), ci="jackknife")["quality"]
    (pair,) = result.pairs
    assert (pair.first, pair.second, pair.inputs, pair.difference) == ("a", "b", 4, 1.25)
    assert pair.standardized == pytest.approx(1.25 / statistics.stdev(differences), rel=1e-12)
    assert pair.outcomes == (2, 1, 1)
    sums = [
        sum(s * d for s, d in zip(signs, differences, strict=True)) for signs in itertools.product([1, -1], repeat=4)
    ]
    assert pair.p_value == sum(abs(total) >= 5 for total in sums) / 16
    assert (pair.exact, pair.trials) == (True, 8)
    error = statistics.stdev(differences) / 2
    assert pair.interval.upper - pair.difference == pytest.approx(3.182446305284263 * error, rel=1e-9)  # t, 3 df


def test_all_pairs_are_compared_and_ranked() -> None:
    systems = {"low": noisy(60, 0.0, 1), "high": noisy(60, 3.0, 2), "also low": noisy(60, 0.05, 3)}
    result = fw.compare(scores=rows_of(systems), higher_is_better="quality")["quality"]
    assert result.systems[0].system == "high"
    assert [system.rank for system in result.systems] == [(1, 1, 1), (2, 2, 3), (2, 2, 3)]
    for ranking, shown in (("ranges", ["1", "2–3", "2–3"]), ("clusters", ["1", "2", "2"])):
        table = (
            str(fw.compare(scores=rows_of(systems), higher_is_better="quality", ranking=ranking))
            .split("\n\n")[0]
            .splitlines()
        )
        assert [line.removeprefix("quality").split()[0] for line in table[2:]] == shown
    assert len(result.pairs) == 3
    p_values = sorted(pair.p_value for pair in result.pairs)
    adjusted = sorted(pair.adjusted for pair in result.pairs)
    assert adjusted[0] == pytest.approx(3 * p_values[0])
    assert {pair.winner for pair in result.pairs} == {"high", None}


def test_scores_of_unknown_direction_are_compared_and_not_ranked() -> None:
    notes: list[str] = []
    found = fw.compare(scores=rows_of({"b": noisy(60, 3.0, 2), "a": noisy(60, 0.0, 1)}), log=notes.append)
    result = found["quality"]
    assert [(one.system, one.rank) for one in result.systems] == [("a", None), ("b", None)]
    (pair,) = result.pairs
    assert pair.differs
    assert pair.winner is None
    written = json.loads(found.to_json())["scores"]["quality"]
    assert written["higher_is_better"] is written["systems"]["a"]["best_rank"] is written["pairs"][0]["better"] is None
    assert "'higher_is_better' quality or 'lower_is_better' quality" in notes[0]
    assert "a and b differ significantly" in found.paper()
    assert "rank" not in found.paper()
    both = {"higher_is_better": "quality", "lower_is_better": "quality"}
    with pytest.raises(fw.InputError, match="'quality' is in"):
        fw.compare(scores=rows_of({"b": [1, 2], "a": [2, 1]}), **both)


def test_intervals_can_be_left_out() -> None:
    rows = rows_of({"a": noisy(30, 0.0, 1), "b": noisy(30, 1.0, 2)})
    plain, found = fw.compare(scores=rows), fw.compare(scores=rows, ci="none")
    assert found["quality"].pairs[0].p_value == plain["quality"].pairs[0].p_value
    assert all(math.isnan(one.interval.lower) for one in (*found["quality"].systems, *found["quality"].pairs))
    assert "[" not in str(found).split("\n\n")[0]
    assert "interval" not in str(found)


def test_a_baseline_restricts_the_pairs_and_ranks_nothing() -> None:
    systems = {"a": noisy(30, 0.0, 1), "b": noisy(30, 1.0, 2), "c": noisy(30, 2.0, 3)}
    result = fw.compare(scores=rows_of(systems), baseline="b", higher_is_better="quality")["quality"]
    assert [system.system for system in result.systems] == ["b", "c", "a"]
    assert [(pair.first, pair.second) for pair in result.pairs] == [("c", "b"), ("a", "b")]
    assert all(system.rank is None for system in result.systems)


@pytest.mark.parametrize(
    ("options", "trials"),
    [
        ({}, 20_000),  # 595 pairs; a tenth of 0.05 after Holm would need 119,000
        ({"correct": "none"}, 1000),
        ({"baseline": "s0"}, 6_799),  # 10 × 34 / 0.05 − 1
        ({"trials": 500}, 500),
        ({"test": "paired-ar"}, 10_000),
        ({"test": "bootstrap", "baseline": "s0"}, 6_799),
    ],
)
def test_many_pairs_have_more_trials(options: dict[str, Any], trials: int) -> None:
    draw = random.Random(1)
    scores = [
        {"instance_id": str(number), "summarizer_id": f"s{system}", "x": draw.gauss(0, 1) + (system == 0)}
        for number in range(20)
        for system in range(35)
    ]
    result = fw.compare(scores=scores, ci="jackknife", log=lambda line: None, **options)
    assert result.settings.resampling.trials == trials


def test_skewed_differences_are_noted() -> None:
    skewed = [*[0.1, 0.2, 0.15, 0.12, 0.18, 0.11, 0.14, 0.19, 0.16, 0.13], 5.0]
    scores = [
        {"instance_id": str(number), "summarizer_id": system, "x": value * (system == "a")}
        for number, value in enumerate(skewed)
        for system in "ab"
    ]
    said = "differences are skewed, for which the test says too often that systems differ"
    options = {"ci": "jackknife", "log": lambda line: None}
    assert said in " ".join(str(fw.compare(scores=scores, **options)).split())
    assert said not in " ".join(str(fw.compare(scores=scores, test="bootstrap-t", **options)).split())
    even = [{**row, "x": row["x"] if row["x"] < 1 else 0.17} for row in scores]
    assert said not in " ".join(str(fw.compare(scores=even, **options)).split())


def test_lower_scores_can_be_better() -> None:
    rows = rows_of({"a": [1.0] * 25 + [0.5], "b": [2.0] * 25 + [0.4]})
    (pair,) = fw.compare(scores=rows, lower_is_better=["quality"])["quality"].pairs
    assert (pair.first, pair.winner, pair.outcomes) == ("a", "a", (25, 0, 1))
    assert pair.difference < 0
    outputs = {"a": ["a b c d e"] * 30, "b": ["x b c d e"] * 30}
    for lower, first in ((), "a"), (["bleu"], "b"):
        options = {"lower_is_better": lower, "checks": False}
        result = fw.compare("bleu", outputs=outputs, references=["a b c d e"] * 30, **options)["bleu"]
        assert result.pairs[0].first == first
    with pytest.raises(fw.UsageError, match="unknown score 'blue'"):
        fw.compare("bleu", outputs=outputs, references=["a b c"] * 30, lower_is_better="blue", checks=False)


def test_clusters_of_one_input_change_nothing() -> None:
    systems = {"a": noisy(40, 0.0, 1), "b": noisy(40, 0.4, 2)}
    result = fw.compare(scores=rows_of(systems, document=list(range(40))), clusters="document")
    assert [one.score.name for one in result] == ["quality"], "the column of clusters is no score"
    names = [f"document {number * 7 % 40}" for number in range(40)]
    for ci in ("percentile", "bca", "studentized", "jackknife"):
        plain = fw.compare(scores=rows_of(systems), ci=ci)
        clustered = fw.compare(scores=rows_of(systems, document=names), names=["quality"], ci=ci, clusters="document")
        assert plain["quality"].pairs == clustered["quality"].pairs
        assert [system.interval for system in plain["quality"].systems] == [
            system.interval for system in clustered["quality"].systems
        ]


@pytest.mark.filterwarnings("ignore")
def test_whole_clusters_are_swapped() -> None:
    """Inputs 1 2 | 3 4 | 5 6 with the differences 1 1 | 1 1 | -1 -1: sums of the swaps ±2 ±2 ±2; |2| is the least."""
    systems = {"a": [1.0, 1.0, 1.0, 1.0, 0.0, 0.0], "b": [0.0, 0.0, 0.0, 0.0, 1.0, 1.0]}
    result = fw.compare(
        scores=rows_of(systems), clusters={1: "x", 2: "x", 3: "y", 4: "y", 5: "z", 6: "z"}, ci="percentile"
    )
    assert any("on 3 clusters cannot be significant" in warning for warning in result.warnings)
    assert any("for fewer than 20 clusters (3 or more)" in warning for warning in result.warnings)
    (pair,) = result["quality"].pairs
    assert (pair.inputs, pair.clusters, pair.trials, pair.p_value) == (6, 3, 4, 1.0)
    assert result["quality"].systems[0].design_effect == pytest.approx(2.0)


@pytest.mark.filterwarnings("ignore")
def test_pairs_are_compared_on_the_inputs_that_both_have() -> None:
    rows = [
        {"instance_id": number, "summarizer_id": system, "quality": value}
        for system, scores in {"a": {1: 9.0, 2: 3.0, 3: 2.0}, "b": {2: 1.0, 3: 1.0, 4: 0.0}, "c": {9: 1.0}}.items()
        for number, value in scores.items()
    ]
    result = fw.compare(scores=rows, higher_is_better="quality")
    (pair,) = result["quality"].pairs
    assert (pair.first, pair.second, pair.inputs, pair.difference) == ("a", "b", 2, 1.5)
    assert result["quality"].apart == [("a", "c"), ("c", "b")]
    assert f"'a' and 'c' are {NOT_COMPARED}" in result.warnings
    assert any(f"1 pair of systems with {DIFFERENT_INPUTS}" in warning for warning in result.warnings)


DEGENERATE = [  # scores of two systems, difference, p-value, standardized difference, why
    ([2.0] * 6, [2.0] * 6, 0.0, 1.0, 0.0, "equal constants"),
    ([3.0] * 6, [2.0] * 6, 1.0, 2 / 64, math.nan, "constants that differ: no variation"),
    ([3.0], [2.0], 1.0, 1.0, math.nan, "one input"),
    ([math.nan, 3.0, 1.0], [2.0, math.nan, 0.0], 1.0, 1.0, math.nan, "one input with both scores"),
    ([1e300, 2e300, 3e300], [0.0, 1e300, 1e300], 4e300 / 3, 0.25, 2.309401, "very large"),
    ([1e308, 1.5e308, 1e308], [0.0, 1e308, 1e308], 5e307, 0.5, 1.0, "sums above the largest number"),
    ([1e-300, 2e-300, 3e-300], [0.0, 1e-300, 1e-300], 4e-300 / 3, 0.25, 2.309401, "very small"),
]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(("first", "second", "difference", "p", "standardized", "why"), DEGENERATE)
def test_degenerate_scores(
    first: list[float], second: list[float], difference: float, p: float, standardized: float, why: str
) -> None:
    compared = [fw.compare(scores=rows_of({"a": first, "b": second}), ci=ci) for ci in INTERVAL_METHODS]
    result = compared[0]["quality"]
    (pair,) = result.pairs
    assert pair.difference == pytest.approx(difference, rel=1e-12), why
    assert pair.p_value == pytest.approx(p), why
    assert pair.standardized == pytest.approx(standardized, nan_ok=True, rel=1e-5), why


@pytest.mark.filterwarnings("ignore")
def test_undefined_numbers_are_null_in_json() -> None:
    written = json.loads(fw.compare(scores=rows_of({"a": [3.0], "b": [2.0]}), ci="bca").to_json())
    (pair,) = written["scores"]["quality"]["pairs"]
    assert (pair["standardized_difference"], pair["lower"], pair["upper"]) == (None, None, None)
    assert written["command"] == "fw compare"


def test_one_system_has_a_score_and_no_pair() -> None:
    with pytest.warns(UserWarning, match=f"'a' {IS_THE_ONLY_SYSTEM}"):
        result = fw.compare(scores=rows_of({"a": noisy(25, 0.0, 1)}))
    assert result["quality"].pairs == []
    assert len(result.to_records("systems")) == 1


def test_texts_are_scored_and_compared() -> None:
    references = [f"the cat number {number} sat on the mat today" for number in range(24)]
    good = [text.replace("today", "now") for text in references]
    bad = [text.replace("sat on the", "in") for text in references]
    result = fw.compare(["bleu", "ter"], {"bad": bad, "good": good}, references=references)
    evaluated = fw.evaluate(["bleu", "ter"], {"bad": bad, "good": good}, references=references)
    for name in ("bleu", "ter"):
        assert [system.system for system in result[name].systems] == ["good", "bad"]
        for system in result[name].systems:
            assert system.score == pytest.approx(evaluated[system.system][name], rel=1e-12)
        assert result[name].pairs[0].outcomes == (24, 0, 0)
    assert not result["ter"].score.higher_is_better


def test_scores_up_to_one_are_ratios_also_from_files() -> None:
    rows = [{"instance_id": i, "summarizer_id": system, "meteor": 0.1} for system in "ab" for i in range(30)]
    assert fw.compare(scores=rows)["meteor"].score.is_ratio


MISTAKES: list[tuple[dict[str, Any], str]] = [  # arguments, message
    ({"baseline": "A"}, "system 'A'"),
    ({"metrics": "bleu"}, "'scores' are compared as they are"),
    ({"clusters": "doc"}, f"{NO_OUTPUT_HAS_THE_FIELD} 'doc'"),
    ({"names": ["qualty"]}, "score 'qualty'"),
]


@pytest.mark.parametrize(("arguments", "message"), MISTAKES)
def test_invalid_arguments_are_explained(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(fw.FwError, match=message):
        fw.compare(scores=rows_of({"a": [1.0, 2.0], "b": [2.0, 1.0]}), **arguments)


def test_a_difference_that_no_number_can_be_is_an_error() -> None:
    rows = [{"id": i, "system": s, "m": v * (1 - i / 99)} for i in range(8) for s, v in (("a", 1e308), ("b", -1e308))]
    with pytest.raises(DataError, match="exceeds the largest number"):
        fw.compare(scores=rows, log=print)
