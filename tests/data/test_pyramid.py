from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from messages import NO_ID
from strategies import pyramids, texts

from metrics_framework.common.errors import DataError, InputError
from metrics_framework.data.pyramid import Part, Pyramid, PyramidAnnotation, Scu, located, parts_of

ROW: dict[str, Any] = {
    "instance_id": "d1",
    "summarizer_ids": ["A", "B"],
    "summarizer_types": ["reference", "reference"],
    "summaries": [{"text": "A cat sat."}, ["A cat.", "It sat."]],
    "scus": [
        {
            "scu_id": 1,
            "label": "a cat",
            "contributors": [
                {"summary_index": 1, "label": "a cat", "parts": [{"text": "A cat", "start": 0, "end": 5}]},
                {"summary_index": 0, "label": "a cat", "parts": [{"text": "A cat", "start": 0, "end": 5}]},
            ],
        },
        {"scu_id": 2, "label": "it sat", "contributors": [{"summary_index": 1, "label": "it sat", "parts": []}]},
    ],
}
ANNOTATION_ROW: dict[str, Any] = {
    "instance_id": "d1",
    "summarizer_id": "7",
    "summarizer_type": "peer",
    "summary": {"text": "A cat lay."},
    "scus": [{"scu_id": 1, "label": "a cat", "contributors": [{"label": "A cat", "parts": []}]}],
}


def test_a_pyramid_is_read_with_labels_and_parts():
    assert Pyramid.from_json(ROW) == Pyramid(
        "d1",
        ("A", "B"),
        ("reference", "reference"),
        ("A cat sat.", ("A cat.", "It sat.")),
        (
            Scu(1, (0, 1), "a cat", ((Part("A cat", 0, 5),), (Part("A cat", 0, 5),))),
            Scu(2, (1,), "it sat", ((Part("it sat"),),)),
        ),
    )


def test_an_annotation_is_read_with_the_text_of_contributors_without_parts():
    assert PyramidAnnotation.from_json(ANNOTATION_ROW) == PyramidAnnotation(
        "d1", "7", "peer", "A cat lay.", (1,), ((Part("A cat"),),)
    )


def test_the_parts_of_a_unit_follow_its_contributors_when_a_summary_leaves():
    (unit, _) = Pyramid.from_json(ROW).scus
    shorter = Scu(1, (0, 1, 2), "a cat", ((Part("a"),), (Part("b"),), (Part("c"),))).without(1)
    assert shorter == Scu(1, (0, 1), "a cat", ((Part("a"),), (Part("c"),)))
    assert unit.parts_in(1) == (Part("A cat", 0, 5),)
    assert Scu(1, (0,)).parts_in(0) == ()


def test_labels_parts_types_and_texts_may_be_absent():
    row = {
        "instance_id": 1,
        "summarizer_ids": ["A"],
        "scus": [{"scu_id": "3", "contributors": [{"summary_index": 0}]}],
    }
    assert Pyramid.from_json(row) == Pyramid("1", ("A",), ("reference",), ("",), (Scu(3, (0,)),))
    annotation = PyramidAnnotation.from_json({"instance_id": 1, "scus": [{"scu_id": 3}]}, "system")
    assert annotation == PyramidAnnotation("1", "system", "peer", "", (3,))


def test_a_summary_counts_once_for_a_unit_and_a_unit_once_for_a_summary():
    twice = {**ROW, "scus": [{"scu_id": 1, "contributors": [{"summary_index": 0}, {"summary_index": 0}]}]}
    assert Pyramid.from_json(twice).scus == (Scu(1, (0,)),)
    annotation = PyramidAnnotation.from_json({**ANNOTATION_ROW, "scus": [{"scu_id": 1}, {"scu_id": 1}]})
    assert annotation.scus == (1,)


CONTRIBUTOR = "scus[0].contributors[0]"
OF_TWO = "must be the index of one of the 2 'summarizer_ids'"


def unit(contributor: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"scus": [{"scu_id": 1, "contributors": [contributor], **fields}]}


PYRAMID_PROBLEMS = [  # what is put into the row, message
    ({"instance_id": None}, f"'instance_id' is null: {NO_ID}"),
    ({"summarizer_ids": "AB"}, "'summarizer_ids' must be a list, got the string 'AB'"),
    ({"summarizer_ids": ["A", ""]}, f"'summarizer_ids[1]' is empty: {NO_ID}"),
    ({"summarizer_ids": ["A", "A"]}, "'summarizer_ids' must not contain an id twice, got the string 'A' twice"),
    ({"summarizer_types": ["reference"]}, "'summarizer_types' must have one entry for each of the 2"),
    ({"summarizer_types": ["peer", "model"]}, "'summarizer_types[1]' must be 'peer' or 'reference', got the string"),
    ({"summaries": ["a"]}, "'summaries' must have one entry for each of the 2 'summarizer_ids', got 1"),
    ({"summaries": ["a", 1]}, "'summaries[1]' is "),
    ({"summaries": ["a", {"txt": "b"}]}, "'summaries[1]' is "),
    ({"scus": {}}, "'scus' must be a list, got the object {}"),
    ({"scus": [1]}, "'scus[0]' must be an object, got the number 1"),
    ({"scus": [{"contributors": []}]}, "'scus[0].scu_id' is missing; the object has 'contributors'"),
    ({"scus": [{"scu_id": "x", "contributors": []}]}, "'scus[0].scu_id' must be an integer, got the string 'x'"),
    ({"scus": [{"scu_id": True, "contributors": []}]}, "'scus[0].scu_id' must be an integer, got the boolean"),
    ({"scus": [{"scu_id": 1}]}, "'scus[0].contributors' is missing; the object has 'scu_id'"),
    ({"scus": [{"scu_id": 1, "contributors": [0]}]}, "'scus[0].contributors[0]' must be an object, got the number 0"),
    (unit({}), f"'{CONTRIBUTOR}.summary_index' is missing; the object has"),
    (unit({"summary_index": 2}), f"'{CONTRIBUTOR}.summary_index' {OF_TWO}, from 0 to 1, got 2"),
    (
        unit({"summary_index": 0, "parts": [{"start": "0"}]}),
        f"'{CONTRIBUTOR}.parts[0].start' must be an integer, got the",
    ),
    (unit({"summary_index": 0}, label=5), "'scus[0].label' must be a string, got the number 5"),
    ({"scus": [{"scu_id": 1, "contributors": []}] * 2}, "'scus' must not contain an id twice, got the number 1 twice"),
]


ANNOTATION_PROBLEMS = [  # what is put into the row, message
    ({"summarizer_id": None}, f"'summarizer_id' is null: {NO_ID}"),
    ({"summarizer_type": "system"}, "'summarizer_type' must be 'peer' or 'reference', got the string 'system'"),
    ({"summary": [1]}, "'summary' must be a text"),
    ({"scus": None}, "'scus' must be a list, got null"),
    ({"scus": [{"scu_id": 1.5}]}, "'scus[0].scu_id' must be an integer, got the number 1.5"),
]
PROBLEMS = [
    *((Pyramid, {**ROW, **change}, message) for change, message in PYRAMID_PROBLEMS),
    *((PyramidAnnotation, {**ANNOTATION_ROW, **change}, message) for change, message in ANNOTATION_PROBLEMS),
    *(
        (Pyramid, {key: value for key, value in ROW.items() if key != name}, f"'{name}' is missing; the row has ")
        for name in ("instance_id", "summarizer_ids", "scus")
    ),
]


@pytest.mark.parametrize(("kind", "row", "message"), PROBLEMS)
def test_a_broken_row_is_refused_by_name_of_the_field(kind: Any, row: dict[str, Any], message: str):
    with pytest.raises(DataError) as caught:
        kind.from_json(row)
    assert message in str(caught.value)
    assert caught.value.path is None


def test_the_annotation_of_a_model_summary_has_the_units_it_contributes_to():
    assert Pyramid.from_json(ROW).annotation(1) == PyramidAnnotation(
        "d1", "B", "reference", ("A cat.", "It sat."), (1, 2), ((Part("A cat", 0, 5),), (Part("it sat"),))
    )
    assert hash(Pyramid.from_json(ROW)) == hash(Pyramid.from_json(ROW)), "also with sentences"


@pytest.mark.parametrize("index", [-1, 2])
def test_a_summary_that_is_not_there_is_refused(index: int):
    pyramid = Pyramid.from_json(ROW)
    for method in (pyramid.remove_summary, pyramid.annotation):
        with pytest.raises(InputError, match=f"the index must be from 0 to 1, got {index}"):
            method(index)


@settings(max_examples=30)
@given(pyramids(least=1), st.data())
def test_removing_a_summary_takes_one_from_the_weight_of_each_of_its_units(pyramid: Pyramid, data: st.DataObject):
    index = data.draw(st.integers(0, len(pyramid.summarizer_ids) - 1))
    own = set(pyramid.annotation(index).scus)
    expected = {scu.scu_id: scu.weight - (scu.scu_id in own) for scu in pyramid.scus}
    reduced = {scu.scu_id: scu.weight for scu in pyramid.remove_summary(index).scus}
    assert reduced == {scu_id: weight for scu_id, weight in expected.items() if weight}


@settings(max_examples=30)
@given(pyramids(least=2), st.data())
def test_the_annotations_of_the_others_lose_nothing_but_the_removed_units(pyramid: Pyramid, data: st.DataObject):
    index = data.draw(st.integers(0, len(pyramid.summarizer_ids) - 1))
    reduced = pyramid.remove_summary(index)
    others = [place for place in range(len(pyramid.summarizer_ids)) if place != index]
    assert [reduced.annotation(new) for new in range(len(others))] == [pyramid.annotation(old) for old in others]


SUMMARY = "A cat sat.  A cat\nlay. 猫 A cat ran."
CASES = [  # part, the text it selects, its start, why
    (Part("A cat", 0, 5), "A cat", 0, "the positions select the text"),
    (Part("A cat", 20, 25), "A cat", 25, "the closest occurrence"),
    (Part("A cat"), "A cat", 0, "without positions, the first occurrence"),
    (Part("A cat lay.", 0, 10), "A cat\nlay.", 12, "another whitespace"),
    (Part("sat. A cat lay", 90, 99), "sat.  A cat\nlay", 6, "outside the summary"),
    (Part("", 2, 5), "cat", 2, "positions without a text"),
]


@pytest.mark.parametrize(("part", "text", "start", "why"), CASES)
def test_a_part_is_found_where_its_text_is(part: Part, text: str, start: int, why: str):
    found = located(SUMMARY, part)
    assert found is not None, why
    assert (SUMMARY[slice(*found)], found[0]) == (text, start), why
    for absent in (Part("A dog", 0, 5), Part(""), Part("", 3, 2), Part("", 0, 99), Part(" ", -3, -1)):
        assert located(SUMMARY, absent) is None


@settings(max_examples=30)
@given(texts(), st.data())
def test_a_part_with_its_positions_is_found_there(summary: str, data: st.DataObject):
    start = data.draw(st.integers(0, len(summary)))
    end = data.draw(st.integers(start, len(summary)))
    expected = (start, end) if start < end else None
    assert located(summary, Part(summary[start:end], start, end)) == expected


@settings(max_examples=30)
@given(texts(), texts(), st.none() | st.integers())
def test_what_is_found_is_the_text_but_for_whitespace(summary: str, text: str, start: int | None):
    found = located(summary, Part(text, start, start))
    if found is not None:
        assert "".join(summary[slice(*found)].split()) == "".join(text.split())


def test_a_contributor_without_parts_is_its_label():
    assert parts_of({"label": "a cat", "parts": None}, "x") == (Part("a cat"),)
    assert parts_of({"label": None}, "x") == ()


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"parts": {"a": 1}}, "'x.parts' must be a list, got the object {'a': 1}"),
        ({"parts": ["a"]}, "'x.parts\\[0\\]' must be an object, got the string 'a'"),
        ({"parts": [{"text": 1}]}, "'x.parts\\[0\\].text' must be a string, got the number 1"),
        ({"parts": [{"end": True}]}, "'x.parts\\[0\\].end' must be an integer, got the boolean True"),
        ({"label": ["a"]}, "'x.label' must be a string"),
    ],
)
def test_a_value_of_another_type_is_named(row: dict[str, object], message: str):
    with pytest.raises(DataError, match=message):
        parts_of(row, "x")
