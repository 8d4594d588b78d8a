from __future__ import annotations

from hypothesis import given
from strategies import pyramids, references

from metrics_framework.data.jackknifers import PyramidJackknifer, ReferencesJackknifer
from metrics_framework.data.pyramid import Pyramid


def test_other_fields_are_kept_and_the_field_can_be_another():
    assert ReferencesJackknifer().variants({"references": []}) == []
    assert [one["references"] for one in ReferencesJackknifer().variants({"references": ["a", ["b"]]})] == [
        [["b"]],
        ["a"],
    ]
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
