from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import pyramids

from metrics_framework.common.errors import InputError
from metrics_framework.data.jackknifers import PyramidJackknifer
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.pyramid import Pyramid, PyramidAnnotation, Scu
from metrics_framework.metrics.pyramid_score import PyramidScore, ideal_weight

KEY = "modified_pyramid_score"


def pyramid_of(names: str, *contributors: tuple[int, ...]) -> Pyramid:
    """Makes the pyramid whose units, numbered from 1, have the given contributors."""
    scus = tuple(Scu(number, one) for number, one in enumerate(contributors, 1))
    return Pyramid("d1", tuple(names), ("reference",) * len(names), ("",) * len(names), scus)


def annotation_of(*scus: int) -> PyramidAnnotation:
    return PyramidAnnotation("d1", "7", "peer", "", scus)


def score(annotation: PyramidAnnotation, pyramid: Pyramid) -> float:
    return PyramidScore().score(annotation, pyramid)[KEY]


@pytest.fixture(scope="module")
def golden(shared_path: Callable[[str], Path]) -> dict[str, Any]:
    return json.loads(shared_path("golden/sacrerouge.json").read_text(encoding="utf-8"))["pyramid"]


@pytest.fixture(scope="module")
def golden_pyramid(golden: dict[str, Any]) -> Pyramid:
    names = golden["summarizer_ids"]
    scus = tuple(Scu(scu_id, tuple(contributors)) for scu_id, contributors in golden["scus"])
    return Pyramid("d1", tuple(names), ("reference",) * len(names), ("",) * len(names), scus)


def test_peers_score_as_in_sacrerouge(golden: dict[str, Any], golden_pyramid: Pyramid) -> None:
    for name, scus in golden["peer_annotations"].items():
        fields = {"annotation": annotation_of(*scus), "pyramid": golden_pyramid}
        variants = PyramidJackknifer().variants(fields)
        jackknifed = MetricsDict.mean([PyramidScore().score(**variant) for variant in variants])
        expected = golden["score"][name]
        assert score(**fields) == pytest.approx(expected[KEY], abs=1e-12)
        assert jackknifed[KEY] == pytest.approx(expected[f"{KEY}_jk"], abs=1e-12)


def test_model_summaries_score_as_in_sacrerouge(golden: dict[str, Any], golden_pyramid: Pyramid) -> None:
    for index, name in enumerate(golden["summarizer_ids"]):
        plain = score(golden_pyramid.annotation(index), golden_pyramid.remove_summary(index))
        assert plain == pytest.approx(golden["score"][name][f"{KEY}_jk"], abs=1e-12)


@pytest.mark.parametrize(
    ("pyramid", "why"),
    [(pyramid_of("AB"), "no units"), (pyramid_of(""), "no summaries"), (pyramid_of("A", ()), "a unit of no one")],
)
def test_an_ideal_that_weighs_nothing_gives_nan(pyramid: Pyramid, why: str) -> None:
    assert math.isnan(score(annotation_of(1), pyramid)), why


MISUSE = [  # annotation, pyramid, message
    ("a cat", pyramid_of("A", (0,)), "'annotation' must be a PyramidAnnotation, got the string 'a cat'"),
    (annotation_of(1), {"scus": []}, "'pyramid' must be a Pyramid, got the object {'scus': []}"),
    (pyramid_of("A"), annotation_of(1), "'annotation' must be a PyramidAnnotation, got Pyramid("),
]


@pytest.mark.parametrize(("annotation", "pyramid", "message"), MISUSE)
def test_other_values_are_refused(annotation: Any, pyramid: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        PyramidScore().score(annotation, pyramid)
    assert message in str(caught.value)


def annotations() -> st.SearchStrategy[PyramidAnnotation]:
    return st.lists(st.integers(1, 8)).map(lambda scus: annotation_of(*scus))


def textbook_score(annotation: PyramidAnnotation, pyramid: Pyramid) -> float:
    """Takes the formula at its word: the units of each summary are listed, and the heaviest taken one by one."""
    number = len(pyramid.summarizer_ids)
    units = [[scu.scu_id for scu in pyramid.scus if place in scu.contributors] for place in range(number)]
    size = math.ceil(sum(map(len, units)) / number) if number else 0
    heaviest = sorted(pyramid.scus, key=lambda scu: -len(scu.contributors))[:size]
    ideal = sum(len(scu.contributors) for scu in heaviest)
    weight = sum(len(scu.contributors) for scu in pyramid.scus if scu.scu_id in annotation.scus)
    return weight / ideal if ideal else math.nan


@given(annotations(), pyramids())
def test_the_score_is_that_of_the_textbook(annotation: PyramidAnnotation, pyramid: Pyramid) -> None:
    assert score(annotation, pyramid) == pytest.approx(textbook_score(annotation, pyramid), nan_ok=True, abs=1e-15)


@given(pyramids(least=1))
def test_the_ideal_summary_scores_one(pyramid: Pyramid) -> None:
    heaviest = sorted(pyramid.scus, key=lambda scu: -scu.weight)
    size = math.ceil(sum(scu.weight for scu in heaviest) / len(pyramid.summarizer_ids))
    ideal = annotation_of(*(scu.scu_id for scu in heaviest[:size]))
    assert score(ideal, pyramid) == pytest.approx(1.0 if pyramid.scus else math.nan, nan_ok=True)


@given(annotations(), pyramids(least=1), st.integers(1, 8))
def test_one_more_unit_never_lowers_the_score(annotation: PyramidAnnotation, pyramid: Pyramid, scu_id: int) -> None:
    if pyramid.scus:
        assert score(annotation_of(*annotation.scus, scu_id), pyramid) >= score(annotation, pyramid)


@given(annotations(), pyramids(least=1), st.randoms())
def test_the_order_of_units_makes_no_difference(annotation: PyramidAnnotation, pyramid: Pyramid, random: Any) -> None:
    shuffled = random.sample(pyramid.scus, len(pyramid.scus))
    other = Pyramid("d1", pyramid.summarizer_ids, pyramid.summarizer_types, pyramid.summaries, tuple(shuffled))
    assert score(annotation, other) == pytest.approx(score(annotation, pyramid), nan_ok=True, abs=0)


def test_the_ideal_of_no_summaries_weighs_nothing() -> None:
    assert ideal_weight([], 0) == 0
