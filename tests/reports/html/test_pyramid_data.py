"""The data of a page of pyramids."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import pyramids

from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.data.pyramid import Part, Pyramid, PyramidAnnotation, Scu
from metrics_framework.metrics.pyramid_score import PyramidScore
from metrics_framework.reports.html.pyramid_page import View, pyramid_views

SUMMARIES = ("A cat sat on a mat.", "The cat sat.", "A mat.")
PYRAMID = Pyramid(
    "d1",
    ("A", "B", "C"),
    ("reference",) * 3,
    SUMMARIES,
    (
        Scu(1, (0, 1), "a cat sat", ((Part("A cat sat", 0, 9),), (Part("The cat sat", 0, 11),))),
        Scu(2, (0, 2), "a mat", ((Part("a mat", 13, 18),), (Part("A mat", 0, 5),))),
        Scu(3, (1,), "", ((Part("cat", 4, 7),),)),
    ),
)
PEER = PyramidAnnotation(
    "d1", "7", "peer", "Mats and a cat that sat.", (1, 3), ((Part("a cat", 9, 14), Part("sat", 20, 23)), ())
)


def scored(*pairs: tuple[PyramidAnnotation, Pyramid]) -> list[tuple[EvalInstance, float | None]]:
    return [
        (
            EvalInstance(
                one.instance_id, one.summarizer_id, one.summarizer_type, {"annotation": one, "pyramid": pyramid}
            ),
            PyramidScore().score(one, pyramid)["modified_pyramid_score"],
        )
        for one, pyramid in pairs
    ]


def view_of(*pairs: tuple[PyramidAnnotation, Pyramid]) -> View:
    (view,), notes = pyramid_views(scored(*pairs))
    assert notes == []
    return view


def segments(summary: Any) -> list[tuple[str, list[int]]]:
    return [(segment["text"], segment["units"]) for segment in summary["segments"]]


def test_a_model_summary_is_split_where_its_parts_end() -> None:
    view = view_of((PEER, PYRAMID))
    assert list(map(segments, view["models"])) == [
        [("A cat sat", [0]), (" on ", []), ("a mat", [1]), (".", [])],
        [("The ", [0]), ("cat", [0, 2]), (" sat", [0]), (".", [])],
        [("A mat", [1]), (".", [])],
    ]


def test_a_scored_summary_has_its_units_and_the_arithmetic_of_its_score() -> None:
    (summary,) = view_of((PEER, PYRAMID))["summaries"]
    assert segments(summary) == [("Mats and ", []), ("a cat", [0]), (" that ", []), ("sat", [0]), (".", [])]
    assert [(one["unit"], one["texts"]) for one in summary["units"]] == [(0, ["a cat", "sat"]), (2, [])]
    # 2 + 1 of an ideal summary with 5 / 3 = 2 units: 2 + 2
    assert (summary["total"], summary["size"], summary["ideal"], summary["score"]) == (3, 2, 4, 0.75)


def test_a_model_summary_is_scored_against_the_pyramid_without_it() -> None:
    pairs = [(PEER, PYRAMID), *((PYRAMID.annotation(at), PYRAMID.remove_summary(at)) for at in range(3))]
    view = view_of(*pairs)
    assert [(one["name"], one["kind"], one["left_out"]) for one in view["summaries"]] == [
        ("7", "peer", None),
        ("A", "reference", 0),
        ("B", "reference", 1),
        ("C", "reference", 2),
    ]
    # of unit 1 (B) and unit 2 (C), each of weight 1, in a pyramid of two summaries with 3 units in all
    assert (view["summaries"][1]["total"], view["summaries"][1]["size"], view["summaries"][1]["ideal"]) == (2, 2, 2)


def test_a_pyramid_that_only_lacks_a_summary_is_shown_as_it_is() -> None:
    view = view_of((PYRAMID.annotation(0), PYRAMID.remove_summary(0)))
    assert [model["name"] for model in view["models"]] == ["B", "C"]
    assert view["summaries"][0]["left_out"] is None


def test_a_unit_without_a_label_is_called_by_its_first_part() -> None:
    assert [unit["label"] for unit in view_of((PEER, PYRAMID))["units"]] == ["a cat sat", "a mat", "cat"]


def test_parts_that_are_not_in_the_text_are_counted() -> None:
    other = PyramidAnnotation("d1", "8", "peer", "A dog.", (1,), ((Part("a cat", 0, 5),),))
    views, notes = pyramid_views(scored((other, PYRAMID)))
    assert segments(views[0]["summaries"][0]) == [("A dog.", [])]
    assert views[0]["summaries"][0]["units"][0]["texts"] == ["a cat"]
    assert notes == [
        "1 of 6 parts not found in the texts of the summaries; listed with the content units, but not marked in the "
        "summaries."
    ]


def test_summaries_without_text_are_counted() -> None:
    annotation = PyramidAnnotation("d1", "8", "peer", "", (1,), ((Part("a cat"),),))
    views, notes = pyramid_views(scored((annotation, PYRAMID)))
    assert views[0]["summaries"][0]["segments"] == []
    assert notes[0].startswith("Summaries without a text in the files: 1;")


@given(pyramids(), st.data())
def test_the_arithmetic_is_that_of_the_score(pyramid: Pyramid, data: st.DataObject) -> None:
    ids = [scu.scu_id for scu in pyramid.scus]
    chosen = tuple(data.draw(st.lists(st.sampled_from(ids), unique=True))) if ids else ()
    peer = PyramidAnnotation(pyramid.instance_id, "peer", "peer", "", chosen)
    models = [(pyramid.annotation(at), pyramid.remove_summary(at)) for at in range(len(pyramid.summarizer_ids))]
    for view in pyramid_views(scored((peer, pyramid), *models))[0]:
        for summary in view["summaries"]:
            expected = summary["total"] / summary["ideal"] if summary["ideal"] else None
            assert summary["score"] == pytest.approx(expected, nan_ok=True) if expected is not None else True
            weights = [
                len([one for one in unit["contributors"] if one["model"] != summary["left_out"]])
                for unit in view["units"]
            ]
            assert summary["total"] == sum(weights[one["unit"]] for one in summary["units"])
            assert summary["ideal"] == sum(sorted(weights, reverse=True)[: summary["size"]])
