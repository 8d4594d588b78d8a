from __future__ import annotations

import pytest
from hypothesis import given
from strategies import pyramids, references

from metrics_framework.data.jackknifers import PyramidJackknifer, ReferencesJackknifer
from metrics_framework.data.pyramid import Pyramid

CASES = [  # references, variants, why
    ([], [], "nothing to leave out"),
    (["a"], [], "nothing would be left"),
    (["a", "b"], [["b"], ["a"]], "each once"),
    (["a", "a", "b"], [["a", "b"], ["a", "b"], ["a", "a"]], "equal references are still several"),
    (["a", ["b", "c"]], [[["b", "c"]], ["a"]], "a reference may be a list of sentences"),
]


@pytest.mark.parametrize(("given_references", "expected", "why"), CASES)
def test_each_reference_is_left_out_once(given_references: list, expected: list, why: str):
    variants = ReferencesJackknifer().variants({"references": given_references})
    assert [variant["references"] for variant in variants] == expected, why


def test_other_fields_are_kept_and_the_field_can_be_another():
    fields = {"documents": ("a", "b"), "source": "s"}
    variants = ReferencesJackknifer("documents").variants(fields)
    assert variants == [{"documents": ["b"], "source": "s"}, {"documents": ["a"], "source": "s"}]
    assert fields == {"documents": ("a", "b"), "source": "s"}


@given(references(6))
def test_every_variant_lacks_one_reference(drawn: list[str]):
    variants = ReferencesJackknifer().variants({"references": drawn})
    assert len(variants) == (len(drawn) if len(drawn) > 1 else 0)
    for place, variant in enumerate(variants):
        rest = list(drawn)
        del rest[place]
        assert variant == {"references": rest}


@given(pyramids())
def test_the_jackknifer_leaves_out_each_summary_once_if_there_are_two(pyramid: Pyramid):
    count = len(pyramid.summarizer_ids)
    fields = {"annotation": "kept", "pyramid": pyramid}
    variants = PyramidJackknifer().variants(fields)
    expected = [pyramid.remove_summary(index) for index in range(count)] if count > 1 else []
    assert [variant["pyramid"] for variant in variants] == expected
    assert all(variant["annotation"] == "kept" for variant in variants)
    assert fields["pyramid"] is pyramid
