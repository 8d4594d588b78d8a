from __future__ import annotations

import copy
import json
import math
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
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


def test_scores_have_keys_only():
    with pytest.raises(TypeError, match="__dict__"):
        vars(MetricsDict({"a": 1}))


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
    *(
        float,
        int,
        bool,
        str,
        repr,
        len,
        list,
        hash,
        abs,
        round,
        "{:.2f}".format,
        copy.copy,
        copy.deepcopy,
        pickle.dumps,
    ),
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


def test_a_missing_key_that_is_created_later_is_the_one_in_the_dictionary():
    scores = MetricsDict()
    first, second = scores["b"], scores["b"]
    first["c"] = 1
    second["d"] = 2
    assert scores == {"b": {"c": 1, "d": 2}}


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


def test_dictionaries_inside_are_of_the_same_kind_however_they_get_there():
    scores = MetricsDict({"a": {"b": {"c": 1}}}, d={"e": 2})
    scores["f"] = {"g": 3}
    assert all(isinstance(scores[key], MetricsDict) for key in "adf")
    assert isinstance(scores["a"]["b"], MetricsDict)


DIFFERENT = [  # one side, other side, message
    ({"a": 1, "b": 1}, {"a": 1, "c": 1}, "only one side has b, c"),
    ({"a": {"b": 1}}, {"a": 1}, "score 'a' is nested only on one side"),
    ({"a": 1}, {"a": {"b": 1}}, "score 'a' is nested only on one side"),
    ({"a": [1]}, {"a": 1}, "score 'a' is a list only on one side"),
    ({"a": [1]}, {"a": [1, 2]}, "score 'a' has lists of different lengths, 1 and 2"),
    ({"a": {"b": 1}}, {"a": {"c": 1}}, "only one side has b, c"),
]


@pytest.mark.parametrize(("one", "other", "message"), DIFFERENT)
def test_scores_of_different_keys_or_kinds_are_not_added(one: Any, other: Any, message: str):
    with pytest.raises(InputError, match=message):
        MetricsDict(one) + MetricsDict(other)


@pytest.mark.parametrize("other", [1, "a", [1]])
def test_nothing_else_can_be_added(other: Any):
    for add in (lambda: MetricsDict(a=1) + other, lambda: other + MetricsDict(a=1)):
        with pytest.raises(TypeError):
            add()


MERGED = [  # one side, other side, expected, why
    ({"a": 1}, {"b": 2}, {"a": 1, "b": 2}, "side by side"),
    ({"a": 1}, {"a": 1}, {"a": 1}, "the same value"),
    ({"a": math.nan}, {"a": math.nan}, {"a": math.nan}, "NaN is the same as NaN here"),
    ({"a": {"b": 1}}, {"a": {"c": 2}}, {"a": {"b": 1, "c": 2}}, "at every depth"),
    ({"a": {"b": {"c": 1}}}, {"a": {"b": {"d": 2}}}, {"a": {"b": {"c": 1, "d": 2}}}, "at every depth"),
    ({}, {"a": [1, 2]}, {"a": [1, 2]}, "with nothing"),
]


@pytest.mark.parametrize(("one", "other", "expected", "why"), MERGED)
def test_merging_joins_at_every_depth(one: Any, other: Any, expected: Any, why: str):
    assert MetricsDict(one).merge(other).approx_equal(expected, abs=0), why


CONFLICTS = [  # one side, other side, message
    ({"a": 1}, {"a": 2}, "score 'a' has two values, 1 and 2"),
    ({"a": {"b": 1}}, {"a": {"b": 2}}, "score 'a_b' has two values, 1 and 2"),
    ({"a": {"b": {"c": 1}}}, {"a": {"b": {"c": 2}}}, "score 'a_b_c' has two values, 1 and 2"),
    ({"a": {"b": 1}}, {"a": 1}, "score 'a' has two values, {'b': 1} and 1"),
    ({"a": [1]}, {"a": [2]}, "score 'a' has two values, [1] and [2]"),
]


@pytest.mark.parametrize(("one", "other", "message"), CONFLICTS)
def test_merging_different_values_is_an_error(one: Any, other: Any, message: str):
    with pytest.raises(InputError) as caught:
        MetricsDict(one).merge(other)
    assert str(caught.value) == message


def test_flat_names_that_meet_are_an_error():
    with pytest.raises(InputError, match="two scores have the same flat name 'a_b'"):
        MetricsDict({"a_b": 1, "a": {"b": 2}}).flatten()


def test_another_separator_joins_flat_names():
    assert MetricsDict({"a": {"b": 2}}).flatten("/") == {"a/b": 2}


def test_selecting_keeps_flat_names_in_the_order_asked_for():
    scores = MetricsDict({"a": {"b": 1, "c": 2}, "d": 3})
    assert list(scores.select(["d", "a_b"]).items()) == [("d", 3), ("a_b", 1)]
    with pytest.raises(KeyError, match="a_x"):
        scores.select(["a_x"])


def test_the_average_of_an_empty_list_is_not_a_number():
    assert math.isnan(MetricsDict({"a": []}).average_values()["a"])
    assert math.isnan(MetricsDict({"a": [None]}).average_values()["a"])
    assert MetricsDict({"a": [None, 1, 2]}).average_values() == {"a": 1.5}


def test_nothing_stays_nothing():
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


def test_the_mean_of_no_scores_is_an_error():
    with pytest.raises(InputError, match="the mean of no scores is undefined"):
        MetricsDict.mean([])


@given(alike(2))
def test_addition_commutes(two: list[MetricsDict]):
    assert two[0] + two[1] == two[1] + two[0]


@given(alike(3))
def test_addition_associates(three: list[MetricsDict]):
    one, two, other = three
    assert ((one + two) + other).approx_equal(one + (two + other), abs=1e-9)


@given(alike(2))
def test_flattening_and_adding_commute(two: list[MetricsDict]):
    assert (two[0] + two[1]).flatten("\0") == two[0].flatten("\0") + two[1].flatten("\0")


@given(metrics_dicts(), st.integers(1, 100))
def test_adding_and_dividing_undo_each_other(scores: MetricsDict, count: int):
    assert (sum([scores] * count) / count).approx_equal(scores, abs=1e-6)


@given(metrics_dicts())
def test_flattening_twice_is_flattening_once(scores: MetricsDict):
    flat = scores.flatten("\0")
    assert flat.flatten("\0") == flat
    assert not any(isinstance(value, dict) for value in flat.values())


@given(metrics_dicts(), st.integers(1, 5))
def test_the_mean_of_equals_is_each_of_them(scores: MetricsDict, count: int):
    assert MetricsDict.mean([scores] * count).approx_equal(scores, abs=1e-9)


@given(st.integers(1, 4).flatmap(alike))
def test_the_mean_is_the_sum_divided_whatever_the_order(several: list[MetricsDict]):
    mean = MetricsDict.mean(iter(several))
    assert mean == sum(several) / len(several)
    assert mean.approx_equal(MetricsDict.mean(several[::-1]), abs=1e-9)


@given(metrics_dicts())
def test_merging_with_itself_or_nothing_changes_nothing(scores: MetricsDict):
    assert scores.merge(scores) == scores.merge({}) == MetricsDict().merge(scores) == scores


@given(metrics_dicts(), metrics_dicts())
def test_merging_keeps_both_sides(one: MetricsDict, other: MetricsDict):
    merged = MetricsDict({"one": one}).merge({"other": other})
    assert merged == {"one": one, "other": other}


@given(metrics_dicts())
def test_averages_leave_numbers_only(scores: MetricsDict):
    flat = scores.average_values().flatten("\0")
    assert flat.keys() == scores.flatten("\0").keys()
    assert all(isinstance(value, (int, float)) for value in flat.values())


@given(alike(2))
def test_no_operation_changes_its_operands(two: list[MetricsDict]):
    before = copy.deepcopy(two)
    one, other = two
    results = [one + other, one / 2, sum(two), MetricsDict.mean(two), one.copy(), one.flatten("\0"), one.merge({})]
    assert two == before
    for result in (*results[:5], results[6]):
        _fill_with_zeros(result)
    assert two == before


def _fill_with_zeros(scores: MetricsDict) -> None:
    for key, value in scores.items():
        if isinstance(value, MetricsDict):
            _fill_with_zeros(value)
        elif isinstance(value, list):
            value.clear()
        else:
            scores[key] = 0


@given(metrics_dicts())
def test_scores_survive_json(scores: MetricsDict):
    assert MetricsDict(json.loads(json.dumps(scores))) == scores


def test_a_row_is_written_with_its_keys_in_order():
    row = MetricsRow("1", "7", "peer", MetricsDict(sari=3.0)).as_json()
    assert json.dumps(row) == (
        '{"instance_id": "1", "summarizer_id": "7", "summarizer_type": "peer", "metrics": {"sari": 3.0}}'
    )


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


MERGED_NUMBERS = [  # one, other, whether they can be merged, why
    (0.1 + 0.2, 0.3, True, "the last digit"),
    (1e300, 1e300 * (1 + 1e-15), True, "the last digit of a large number"),
    (1.0, 1.0 + 1e-9, False, "the ninth digit"),
    (0.0, 1e-30, False, "nothing is near zero"),
    (math.nan, math.nan, True, "both missing"),
    (math.nan, 1.0, False, "one missing"),
    (math.inf, math.inf, True, "both infinite"),
    (math.inf, -math.inf, False, "infinite in two directions"),
    (1, 1.0, True, "a whole number and a float"),
]


@pytest.mark.parametrize(("one", "other", "expected", "why"), MERGED_NUMBERS)
def test_numbers_that_differ_in_their_last_digits_only_are_merged(one: float, other: float, expected: bool, why: str):
    scores = MetricsDict({"a": {"b": one}})
    if expected:
        assert repr(scores.merge({"a": {"b": other}})["a"]["b"]) == repr(one), f"the first counts: {why}"
        return
    with pytest.raises(InputError):
        scores.merge({"a": {"b": other}})


def test_the_constructor_copies_nested_dictionaries_and_lists() -> None:
    scores = MetricsDict({"a": {"b": {"c": 1.0}}, "judgements": [1, 2]})
    copy = MetricsDict(scores)
    copy["a"]["b"]["c"] = 5.0
    copy["judgements"].append(3)
    assert scores == {"a": {"b": {"c": 1.0}}, "judgements": [1, 2]}
    assert type(copy["a"]["b"]) is MetricsDict
