"""The XML format of DUCView."""

from __future__ import annotations

import re
import time
from contextlib import suppress

import pytest
from ducview_files import REGEX, SUMMARIES, annotation_file, pyramid_file, text_of
from hypothesis import given
from hypothesis import strategies as st
from messages import XML_INVALID, XML_TEXT_AMONG_ELEMENTS

from metrics_framework.common.errors import DataError
from metrics_framework.data.pyramid import Part, Pyramid, PyramidAnnotation, Scu, located
from metrics_framework.io.ducview import parse_ducview, summary_headers

EXPECTED = Pyramid(
    "d1",
    ("B", "C"),
    ("reference", "reference"),
    ("The cat sat on the mat.", "A cat & a dog sat."),
    (
        Scu(1, (0, 1), "a cat sat", ((Part("The cat sat", 0, 11),), (Part("A cat", 0, 5), Part("sat", 14, 17)))),
        Scu(2, (0,), "on a mat", ((Part("on the mat", 12, 22),),)),
    ),
)


def pyramid_of(content: str) -> Pyramid:
    return parse_ducview(content.encode(), "x.pyr").to_pyramid("d1")


@pytest.mark.parametrize("regex", [REGEX, None, "", r"(a|b)*", r"(((\s*)*)*)X"])
def test_a_pyramid_is_read_with_positions_in_each_summary(regex: str | None) -> None:
    assert pyramid_of(pyramid_file(regex)) == EXPECTED


def test_every_part_is_where_its_positions_say() -> None:
    pyramid = pyramid_of(pyramid_file())
    for scu in pyramid.scus:
        for summary, parts in zip(scu.contributors, scu.parts, strict=True):
            for part in parts:
                text = str(pyramid.summaries[summary])
                assert text[part.start : part.end] == part.text
                assert located(text, part) == (part.start, part.end)


def test_an_annotation_has_the_units_with_a_contributor_except_the_collection_of_others() -> None:
    content = annotation_file("\nA cat sat there.\nSo it goes.", {1: ["A cat sat"], 2: [], 0: ["So it goes"]})
    annotation = parse_ducview(content.encode(), "x.pan").to_annotation("d1", "5")
    assert annotation == PyramidAnnotation(
        "d1", "5", "peer", "A cat sat there. So it goes.", (1,), ((Part("A cat sat", 0, 9),),)
    )


def test_an_annotation_includes_its_pyramid() -> None:
    assert pyramid_of(annotation_file("A cat.", {})) == EXPECTED


ATTACKS = [  # document type or content, message
    ('<!DOCTYPE pyramid [<!ENTITY a "b">]><pyramid/>', "defines or uses the entity 'a'"),
    ('<!DOCTYPE pyramid [<!ENTITY % a SYSTEM "file:///etc/passwd"> %a;]><pyramid/>', "defines or uses the entity 'a'"),
    ('<!DOCTYPE pyramid SYSTEM "http://127.0.0.1/x.dtd"><pyramid><text><line>&a;</line></text></pyramid>', "entity"),
    ("<pyramid>", "is not XML: no element found"),
    ("", "is not XML: no element found"),
    ('<?xml version="1.0" encoding="nothing"?><pyramid/>', f"{XML_INVALID}: unknown encoding: nothing"),
    ("<pyramid><a/></pyramid>", "has <a> in <pyramid>, expected <startDocumentRegEx>, <text>, <scu>"),
    ("<root/>", "has <root> at the top level, expected <pyramid>, <peerAnnotation>"),
    ("<pyramid>text</pyramid>", f"{XML_TEXT_AMONG_ELEMENTS}: 'text'"),
    ("<pyramid><text><line><b/></line></text></pyramid>", "has <b> in <line>, expected nothing"),
    ('<pyramid><scu label="x"/></pyramid>', "<scu> must have a number as 'uid', got ''"),
    ('<pyramid><scu uid="-1"/></pyramid>', "<scu> must have a number as 'uid', got '-1'"),
    ('<pyramid><scu uid="1"/><scu uid="1"/></pyramid>', "has a duplicate <scu> with uid 1"),
    ("<pyramid><text/></pyramid>", "has no header of a summary in its <text>"),
    (f"<pyramid><text><line>{'x' * 1_000_001}</line></text></pyramid>", "has a text of more than 1,000,000 char"),
    ("<peerAnnotation><pyramid/><pyramid/></peerAnnotation>", "has a second <pyramid>"),
    (
        re.sub('start="[0-9]+"', 'start="1"', pyramid_file()),
        "a part of the unit 1 starts at 1, before the first summary",
    ),
    (pyramid_file().replace(".A.C", ".A.B"), "has two summaries with the same name: B, B"),
]


@pytest.mark.parametrize(("content", "message"), ATTACKS, ids=[message[:40] for _, message in ATTACKS])
def test_a_file_of_another_form_is_refused(content: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        pyramid_of(content)
    assert message in str(caught.value)
    assert str(caught.value).startswith("x.pyr")


def test_a_contributor_without_parts_is_refused_with_its_line() -> None:
    content = pyramid_file().replace("</pyramid>", '<scu uid="9"><contributor/></scu></pyramid>')
    with pytest.raises(DataError, match=r"x.pyr:\d+: a <contributor> of the unit 9 has no <part>"):
        pyramid_of(content)


def test_a_pyramid_is_no_annotation() -> None:
    with pytest.raises(DataError, match="contains no <annotation>; it is a pyramid"):
        parse_ducview(pyramid_file().encode(), "x.pyr").to_annotation("d1", "5")


@pytest.mark.timing
@pytest.mark.parametrize(
    "regex", [r"\s*\s*\s*\s*\s*\s*X", r"-*-*-*-*-*-*\n-*X", r"(-+)+X", r".*.*.*.*.*X", r"-{1,}-{1,}X"]
)
def test_a_header_that_takes_forever_is_not_used(regex: str) -> None:
    start = time.process_time()
    text = "-" * 20_000 + "\n" + " " * 20_000 + "\n" + text_of(SUMMARIES)
    assert [header.name for header in summary_headers(text, regex)] == ["B", "C"]
    assert time.process_time() - start < 2


HEADERS = [  # expression, text, names, why
    (r"-+\n(\w+\.\w+)\n-+\n", "-----\nD1.X\n-----\na\n-----\nD1.Y\n-----\nb", "XY", "a group without quantifier"),
    (r"={3}\s[A-Z]\n", "=== A\na\n=== B\nb", "AB", "an exact number of characters"),
    (r"#[^\n]*\n", "# doc.A\na\n# doc.B\nb", "AB", "a class without a character"),
]


@pytest.mark.parametrize(("expression", "text", "names", "why"), HEADERS)
def test_the_expression_of_the_file_finds_the_headers(expression: str, text: str, names: str, why: str) -> None:
    found = [header.name for header in summary_headers(text, expression)]
    assert [name.strip("= #") for name in found] == list(names), why


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    with suppress(DataError):
        parse_ducview(content, "x")


@given(st.text(alphabet=r"\sdD-*+?{}()[]|^$.n02,", max_size=30))
def test_any_expression_is_used_or_replaced(expression: str) -> None:
    assert len(summary_headers(text_of(SUMMARIES), expression)) >= 0
