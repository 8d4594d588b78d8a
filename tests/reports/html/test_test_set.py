"""Outputs side by side, the bins of source length, and the baselines made of a test set."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics_framework.common.errors import DataError, DataErrors, UsageError
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.reports.html.test_set import TestSet, baselines, first_words


def output(
    instance: str, system: str, source: str = "a b", references: tuple[str, ...] = ("r", "s"), kind: str = "peer"
) -> EvalInstance:
    fields = {"summary": f"{system} {instance}", "source": source, "references": list(references)}
    return EvalInstance(instance, system, kind, fields, "x.jsonl", 7)


def sorted_outputs(outputs: list[EvalInstance]) -> TestSet:
    test_set = TestSet()
    for one in outputs:
        test_set.add(one)
    test_set.finish()
    return test_set


def test_outputs_stand_side_by_side_in_the_order_of_the_input_and_missing_ones_are_none() -> None:
    test_set = sorted_outputs([output("2", "x"), output("1", "x"), output("1", "y")])
    assert [sentence.id for sentence in test_set.sentences] == ["2", "1"]
    assert test_set.systems == {"x": ["x 2", "x 1"], "y": [None, "y 1"]}


def test_outputs_of_type_reference_are_counted_and_left_out() -> None:
    test_set = sorted_outputs([output("1", "x"), output("1", "human", kind="reference")])
    assert (list(test_set.systems), test_set.others) == (["x"], 1)


def test_sources_and_references_that_differ_between_systems_are_refused_together() -> None:
    rows = [output("1", "x"), output("1", "y", source="other"), output("1", "z", references=("t",))]
    with pytest.raises(DataErrors) as caught:
        sorted_outputs(rows)
    assert [problem.message.split(";")[0] for problem in caught.value.problems] == [
        "'source' of '1' differs from x.jsonl:7",
        "'references' of '1' differs from x.jsonl:7",
    ]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([output("1", str(number)) for number in range(21)], "a report can compare at most 20 systems, got 21"),
        (
            [output("1", "human", kind="reference")],
            "there are no outputs of type 'peer'; all 1 outputs are of type 'reference'",
        ),
    ],
)
def test_too_many_systems_and_none_are_refused(rows: list[EvalInstance], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        sorted_outputs(rows)


def test_one_contradiction_says_where_it_is() -> None:
    with pytest.raises(DataError, match=r"^x\.jsonl:7: 'source' of '1' differs"):
        sorted_outputs([output("1", "x"), output("1", "y", source="other")])


@given(st.lists(st.integers(0, 12), min_size=1, max_size=40))
def test_bins_hold_every_sentence_once_rise_and_do_not_divide_equal_lengths(lengths: list[int]) -> None:
    test_set = sorted_outputs([output(str(place), "x", source="w " * length) for place, length in enumerate(lengths)])
    places, described = test_set.bins()
    assert sorted(place for one in places for place in one) == list(range(len(lengths)))
    sizes = [len(one) for one in places]
    assert len(sizes) <= 5
    assert [one.longest < following.shortest for one, following in pairwise(described)] == [True] * (len(sizes) - 1)
    if len({*lengths}) == len(lengths):
        assert len(sizes) == min(5, len(lengths))
        assert max(sizes) - min(sizes) <= 1
    assert [one.sentences for one in described] == sizes
    ends = [end for one in described for end in (one.shortest, one.longest)]
    assert ends == sorted(ends)
    assert all(lengths[place] <= one.longest for held, one in zip(places, described, strict=True) for place in held)


def test_the_baselines_are_the_source_its_first_words_and_the_first_reference_against_the_others() -> None:
    test_set = sorted_outputs([output("1", "x", "one two three four five six", ("r", "s", "t"))])
    made = {one.name: next(one.batches())[0].fields for one in baselines(test_set)[0]}
    assert [fields["summary"] for fields in made.values()] == [
        "one two three four five six",
        "one two three four",  # 0.8 · 6 = 4.8
        "r",
    ]
    assert [fields["references"] for fields in made.values()] == [["r", "s", "t"], ["r", "s", "t"], ["s", "t"]]


def test_there_is_no_baseline_of_one_reference_where_a_sentence_has_no_other() -> None:
    test_set = sorted_outputs([output("1", "x"), output("2", "x", references=("only",))])
    assert [one.name for one in baselines(test_set)[0]] == ["source copied", "first 80 % of the words"]


@pytest.mark.parametrize(
    ("source", "expected", "why"),
    [
        ("", "", "nothing to take"),
        ("one", "one", "one word at least"),
        ("a b c d e", "a b c d", "0.8 · 5 is 4 exactly, whatever floats make of it"),
        (" a\tb  c ", "a b", "0.8 · 3 = 2.4"),
    ],
)
def test_the_first_words(source: str, expected: str, why: str) -> None:
    assert first_words(source) == expected, why
