from __future__ import annotations

import copy
import json
import math
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import alike, metrics_dicts

from metrics_framework.common.errors import InputError
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.scored_output import MetricsRow


@pytest.fixture(scope="module")
def golden(shared_path: Callable[[str], Path]) -> dict[str, Any]:
    return json.loads(shared_path("golden/sacrerouge.json").read_text(encoding="utf-8"))["metrics_dict"]


def test_arithmetic_is_that_of_sacrerouge(golden: dict[str, Any]):
    # 1, {3: 4}: flattened, added up three times, divided by two. Lists are averaged in [1, 2, 3] and [2, 4].
    scores = MetricsDict({"k1": 1, "k2": {"k3": 4}})
    assert scores.flatten() == golden["flatten"]
    assert sum([scores, scores, scores]) == golden["sum3"]
    assert scores / 2 == golden["div2"]
    assert MetricsDict({"x": [1, 2, 3], "y": {"z": [2, 4]}}).average_values() == golden["average"]


def test_a_missing_key_is_an_error_and_is_not_made():
    scores = MetricsDict({"a": 1})
    for use in READS:
        with pytest.raises(KeyError, match=r"there is no score \['b'\].*; the keys are 'a'"):
            use(scores["b"])
        with pytest.raises(KeyError, match=r"there is no score \['b'\]\['c'\]; the keys are 'a'"):
            use(scores["b"]["c"])
        assert list(scores) == ["a"]
    assert scores.get("b") is None
    assert "b" not in scores


READS: list[Callable[[Any], Any]] = [
    *(lambda one: one + 1, lambda one: 1 + one, lambda one: 100 * one, lambda one: one / 2, lambda one: -one),
    *(float, int, bool, str, repr, len, list, hash, abs, round, "{:.2f}".format),
    *(copy.copy, copy.deepcopy, pickle.dumps),
    *(lambda one: one == 1, lambda one: one < 1, lambda one: max(0.0, one), lambda one: 1 in one),
    *(lambda one: {**one}, lambda one: one.items(), lambda one: one.get("x"), lambda one: sum([one])),
    *(lambda one: MetricsDict({"x": one}), lambda one: MetricsDict().update(x=one), lambda one: MetricsDict() + one),
]


def test_assigning_below_missing_keys_creates_them_as_sacrerouge_does():
    scores = MetricsDict({"a": 1})
    scores["b"]["c"] = 1
    scores["b"]["d"] = 2
    scores["x"]["y"]["z"] = {"w": 3}
    scores["u"].update({"v": 4})
    assert scores == {"a": 1, "b": {"c": 1, "d": 2}, "x": {"y": {"z": {"w": 3}}}, "u": {"v": 4}}
    assert all(type(one) is MetricsDict for one in (scores["b"], scores["x"]["y"], scores["x"]["y"]["z"], scores["u"]))
    first, second = scores["n"], scores["n"]
    first["c"] = 1
    second["d"] = 2
    assert scores["n"] == {"c": 1, "d": 2}, "a missing key that is created later is the one in the dictionary"


def test_updating_merges_nested_scores_as_sacrerouge_does():
    scores = MetricsDict({"r": {"1": 1, "2": {"f": 2}}, "t": 3})
    scores.update(MetricsDict({"r": {"2": {"p": 4}, "3": 5}, "t": 6}))
    assert scores == {"r": {"1": 1, "2": {"f": 2, "p": 4}, "3": 5}, "t": 6}
    scores.update({"r": {"4": 7}})
    assert scores == {"r": {"4": 7}, "t": 6}


def test_the_other_names_of_sacrerouge_select_and_flatten():
    scores = MetricsDict({"r": {"1": 1}, "t": 3})
    assert scores.flatten_keys() == {"r_1": 1, "t": 3}
    assert scores.select_metrics(["r"]) == {"r": {"1": 1}}
    with pytest.raises(KeyError, match="there is no score"):
        scores.select_metrics(["s"])
    assert list(scores) == ["r", "t"]


def test_the_constructor_copies_and_dictionaries_inside_are_of_the_same_kind():
    scores = MetricsDict({"a": {"b": {"c": 1}}, "judgements": [1, 2]}, d={"e": 2})
    scores["f"] = {"g": 3}
    copied = MetricsDict(scores)
    copied["a"]["b"]["c"] = 5.0
    copied["judgements"].append(3)
    assert scores == {"a": {"b": {"c": 1}}, "judgements": [1, 2], "d": {"e": 2}, "f": {"g": 3}}
    assert {type(one) for one in (*map(scores.get, "adf"), scores["a"]["b"], copied["a"]["b"])} == {MetricsDict}


@pytest.mark.parametrize("other", [1, "a", [1]])
def test_nothing_else_can_be_added(other: Any):
    for add in (lambda: MetricsDict(a=1) + other, lambda: other + MetricsDict(a=1)):
        with pytest.raises(TypeError):
            add()
    with pytest.raises(TypeError, match="__dict__"):
        vars(MetricsDict({"a": 1}))


MISTAKES: list[tuple[Callable[[], Any], str]] = [  # operation, message
    (lambda: MetricsDict(a=1, b=1) + {"a": 1, "c": 1}, "only one side has b, c"),
    (lambda: MetricsDict(a={"b": 1}) + {"a": 1}, "score 'a' is nested only on one side"),
    (lambda: MetricsDict(a=1) + {"a": {"b": 1}}, "score 'a' is nested only on one side"),
    (lambda: MetricsDict(a=[1]) + {"a": 1}, "score 'a' is a list only on one side"),
    (lambda: MetricsDict(a=[1]) + {"a": [1, 2]}, "score 'a' has lists of different lengths, 1 and 2"),
    (lambda: MetricsDict(a={"b": 1}) + {"a": {"c": 1}}, "only one side has b, c"),
    (lambda: MetricsDict(a=1).merge({"a": 2}), "score 'a' has two values, 1 and 2"),
    (lambda: MetricsDict(a={"b": 1}).merge({"a": {"b": 2}}), "score 'a_b' has two values, 1 and 2"),
    (lambda: MetricsDict(a={"b": {"c": 1}}).merge({"a": {"b": {"c": 2}}}), "score 'a_b_c' has two values, 1 and 2"),
    (lambda: MetricsDict(a={"b": 1}).merge({"a": 1}), "score 'a' has two values, {'b': 1} and 1"),
    (lambda: MetricsDict(a=[1]).merge({"a": [2]}), "score 'a' has two values, [1] and [2]"),
    (MetricsDict({"a_b": 1, "a": {"b": 2}}).flatten, "two scores have the same flat name 'a_b'"),
    (lambda: MetricsDict.mean([]), "the mean of no scores is undefined"),
]


@pytest.mark.parametrize(("operation", "message"), MISTAKES)
def test_what_cannot_be_computed_is_an_error(operation: Callable[[], Any], message: str):
    with pytest.raises(InputError, match=re.escape(message)):
        operation()


MERGED = [  # one side, other side, expected or none if they cannot be merged, why
    ({"a": 1}, {"b": 2}, {"a": 1, "b": 2}, "side by side"),
    ({"a": 1}, {"a": 1}, {"a": 1}, "the same value"),
    ({"a": {"b": 1}}, {"a": {"c": 2}}, {"a": {"b": 1, "c": 2}}, "at every depth"),
    ({"a": {"b": {"c": 1}}}, {"a": {"b": {"d": 2}}}, {"a": {"b": {"c": 1, "d": 2}}}, "at every depth"),
    ({}, {"a": [1, 2]}, {"a": [1, 2]}, "with nothing"),
    ({"a": 0.1 + 0.2}, {"a": 0.3}, {"a": 0.1 + 0.2}, "the last digit, of which the first side counts"),
    ({"a": 1e300}, {"a": 1e300 * (1 + 1e-15)}, {"a": 1e300}, "the last digit of a large number"),
    ({"a": 1.0}, {"a": 1.0 + 1e-9}, None, "the ninth digit"),
    ({"a": 0.0}, {"a": 1e-30}, None, "nothing is near zero"),
    ({"a": math.nan}, {"a": math.nan}, {"a": math.nan}, "NaN is the same as NaN here"),
    ({"a": math.nan}, {"a": 1.0}, None, "one missing"),
    ({"a": math.inf}, {"a": math.inf}, {"a": math.inf}, "both infinite"),
    ({"a": math.inf}, {"a": -math.inf}, None, "infinite in two directions"),
    ({"a": 1}, {"a": 1.0}, {"a": 1}, "a whole number and a float"),
]


@pytest.mark.parametrize(("one", "other", "expected", "why"), MERGED)
def test_merging_joins_at_every_depth(one: Any, other: Any, expected: Any, why: str):
    if expected is None:
        with pytest.raises(InputError):
            MetricsDict(one).merge(other)
    else:
        assert repr(MetricsDict(one).merge(other)) == repr(MetricsDict(expected)), why


def test_selecting_keeps_flat_names_in_the_order_asked_for():
    scores = MetricsDict({"a": {"b": 1, "c": 2}, "d": 3})
    assert list(scores.select(["d", "a_b"]).items()) == [("d", 3), ("a_b", 1)]
    with pytest.raises(KeyError, match="a_x"):
        scores.select(["a_x"])
    assert MetricsDict({"a": {"b": 2}}).flatten("/") == {"a/b": 2}


def test_the_average_of_an_empty_list_is_not_a_number():
    assert math.isnan(MetricsDict({"a": []}).average_values()["a"])
    assert math.isnan(MetricsDict({"a": [None]}).average_values()["a"])
    assert MetricsDict({"a": [None, 1, 2]}).average_values() == {"a": 1.5}
    assert MetricsDict({"a": None, "b": 2}) / 2 == {"a": None, "b": 1}


EQUAL = [  # one side, other side, tolerance, expected, why
    ({"a": 1}, {"a": 1 + 1e-7}, 1e-6, True, "within"),
    ({"a": 1}, {"a": 1 + 1e-5}, 1e-6, False, "beyond"),
    ({"a": math.nan}, {"a": math.nan}, 0, True, "NaN equals NaN"),
    ({"a": math.nan}, {"a": 1}, 1, False, "NaN equals nothing else"),
    ({"a": {"b": 1}}, {"a_b": 1}, 0, True, "nested or flat"),
    ({"a": [1, 2]}, {"a": [1, 2.5]}, 0.5, True, "lists by their numbers"),
    ({"a": [1, 2]}, {"a": [1]}, 1, False, "lists of other lengths"),
    ({"a": 1}, {"a": [1]}, 1, False, "a list is no number"),
    ({"a": 1}, {"b": 1}, 1, False, "other keys"),
    ({"a": None}, {"a": None}, 0, True, "nothing"),
    ({"a": None}, {"a": 0}, 1, False, "nothing is not zero"),
]


@pytest.mark.parametrize(("one", "other", "tolerance", "expected", "why"), EQUAL)
def test_approximate_equality(one: Any, other: Any, tolerance: float, expected: bool, why: str):
    assert MetricsDict(one).approx_equal(other, abs=tolerance) is expected, why
    assert MetricsDict(other).approx_equal(one, abs=tolerance) is expected, why


@settings(max_examples=20)
@given(alike(3), st.integers(1, 100))
def test_addition_is_that_of_numbers_and_changes_no_operand(three: list[MetricsDict], count: int):
    before = copy.deepcopy(three)
    one, two, other = three
    assert one + two == two + one
    assert ((one + two) + other).approx_equal(one + (two + other), abs=1e-9)
    assert (one + two).flatten("\0") == one.flatten("\0") + two.flatten("\0")
    assert (sum([one] * count) / count).approx_equal(one, abs=1e-6)
    assert MetricsDict.mean([one] * count).approx_equal(one, abs=1e-9)
    mean = MetricsDict.mean(iter(three))
    assert mean == sum(three) / 3
    assert mean.approx_equal(MetricsDict.mean(three[::-1]), abs=1e-9)
    results = [one + other, one / 2, sum(three), MetricsDict.mean(three), one.copy(), one.merge({})]
    one.flatten("\0")
    assert three == before
    for result in results:
        _fill_with_zeros(result)
    assert three == before


@settings(max_examples=20)
@given(metrics_dicts(), metrics_dicts())
def test_flattening_merging_averaging_and_json_keep_scores(scores: MetricsDict, other: MetricsDict):
    flat = scores.flatten("\0")
    assert flat.flatten("\0") == flat
    assert not any(isinstance(value, dict) for value in flat.values())
    assert scores.merge(scores) == scores.merge({}) == MetricsDict().merge(scores) == scores
    assert MetricsDict({"one": scores}).merge({"other": other}) == {"one": scores, "other": other}
    averages = scores.average_values().flatten("\0")
    assert averages.keys() == flat.keys()
    assert all(isinstance(value, (int, float)) for value in averages.values())
    assert MetricsDict(json.loads(json.dumps(scores))) == scores


def _fill_with_zeros(scores: MetricsDict) -> None:
    for key, value in scores.items():
        if isinstance(value, MetricsDict):
            _fill_with_zeros(value)
        elif isinstance(value, list):
            value.clear()
        else:
            scores[key] = 0


def test_a_row_of_scores_is_written_with_its_keys_in_order_and_takes_dictionaries_only():
    row = MetricsRow("1", "7", "peer", MetricsDict(sari=3.0)).as_json()
    assert json.dumps(row) == (
        '{"instance_id": "1", "summarizer_id": "7", "summarizer_type": "peer", "metrics": {"sari": 3.0}}'
    )
    converted = MetricsRow("1", "s", "peer", {"a": {"b": 1.0}}).metrics
    assert type(converted) is MetricsDict
    assert converted.flatten() == {"a_b": 1.0}
    for scores in (None, 3.0, [1.0], "a"):
        with pytest.raises(InputError, match="'metrics' must be a dictionary of scores, got"):
            MetricsRow("1", "s", "peer", scores)


def test_dictionaries_that_come_by_an_operator_or_a_default_are_of_the_same_kind_too():
    scores = MetricsDict({"a": 1.0})
    same = scores
    scores |= {"r": {"f": {"g": 2.0}}}
    assert scores is same
    assert isinstance(scores, MetricsDict)
    assert scores.setdefault("s", {"f": 3.0}) is scores["s"]
    assert scores.setdefault("a", 9.0) == 1.0
    assert scores.setdefault("n") is None
    for inner in (scores["r"], scores["r"]["f"], scores["s"], ({"x": 1} | scores)["r"], (scores | {"q": {}})["q"]):
        assert type(inner) is MetricsDict
    assert scores.flatten() == {"a": 1.0, "r_f_g": 2.0, "s_f": 3.0, "n": None}
