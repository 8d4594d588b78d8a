"""The standard XML format: what is read, and every way in which a file can be wrong, with its line."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from messages import XML_INVALID, XML_TEXT_AMONG_ELEMENTS
from ucca_writer import passage, passage_xml

from metrics_framework.common.errors import DataError
from metrics_framework.ucca.passage import Edge, Terminal, Unit, parse_passage, read_passage

WHOLE = """<?xml version="1.0" encoding="utf-8"?>
<root annotationID="0" passageID="7">
  <attributes userID="1" />
  <extra remarks="none" />
  <layer layerID="0">
    <attributes />
    <extra doc="[[]]" />
    <node ID="0.1" type="Word">
      <attributes paragraph="1" paragraph_position="1" text="Ann" />
      <extra orig_paragraph="1" />
    </node>
    <node ID="0.2" type="Word"><attributes paragraph="1" paragraph_position="2" text="waved" /></node>
    <node ID="0.10" type="Punctuation"><attributes paragraph="1" paragraph_position="3" text="&amp;" /></node>
  </layer>
  <layer layerID="1">
    <attributes />
    <node ID="1.1" type="FN">
      <attributes />
      <edge toID="1.10" type="U"><attributes /><category tag="U" /></edge>
      <edge toID="1.2" type="H"><attributes /><category layer_name="x" slot="1" tag="H" /></edge>
    </node>
    <node ID="1.10" type="PNCT">
      <attributes />
      <edge toID="0.10" type="Terminal"><attributes /></edge>
    </node>
    <node ID="1.2" type="FN">
      <attributes />
      <edge toID="1.3" type="A"><attributes /></edge>
      <edge toID="1.4" type="P"><attributes uncertain="True" /></edge>
      <edge toID="1.5" type="A"><attributes /></edge>
      <edge toID="1.3" type="D"><attributes remote="True" /></edge>
    </node>
    <node ID="1.3" type="FN"><attributes /><edge toID="0.1" type="Terminal"><attributes /></edge></node>
    <node ID="1.4" type="FN"><attributes /><edge toID="0.2" type="Terminal"><attributes /></edge></node>
    <node ID="1.5" type="FN"><attributes implicit="True" /></node>
    <node ID="1.6" type="LKG"><attributes /><edge toID="1.2" type="LA"><attributes /></edge></node>
  </layer>
</root>
"""


def test_a_passage_is_read_with_words_and_units_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    path = tmp_path / "7.xml"
    path.write_text(WHOLE, encoding="utf-8")
    found = read_passage(str(path))
    assert found.terminals == (Terminal("0.1", "Ann"), Terminal("0.2", "waved"), Terminal("0.10", "&", True))
    assert [unit.name for unit in found.units] == ["1.1", "1.2", "1.3", "1.4", "1.5", "1.6", "1.10"]
    assert found.units[0] == Unit("1.1", "FN", (Edge("H", "1.2"), Edge("U", "1.10")))
    assert found.units[1].edges == (Edge("A", "1.3"), Edge("D", "1.3", True), Edge("P", "1.4"), Edge("A", "1.5"))
    assert found.units[4] == Unit("1.5", "FN", (), is_implicit=True)
    assert found.units[5].kind == "LKG"


def test_words_below_a_unit_are_those_of_remote_units_too_but_no_punctuation() -> None:
    found = passage("[H [A=she She] [P ran] [U ,]] [L then] [H [A>she] [P [C sat] [U ;]] [A!] [U .]]")
    assert found.words == ["She", "ran", ",", "then", "sat", ";", "."]
    by_name = {unit.name: found.word_indices(unit) for unit in found.units}
    assert by_name["1.1"] == {0, 1, 3, 4}
    assert by_name["1.2"] == {0, 1}
    assert by_name["1.7"] == {0, 4}


def test_a_mark_that_stands_below_a_unit_of_meaning_is_no_word_of_it() -> None:
    text = WHOLE.replace('<edge toID="0.2" type="Terminal">', '<edge toID="0.10" type="Terminal">')
    found = parse_passage(text.encode(), "7.xml")
    assert found.word_indices(found.units[3]) == frozenset()


def test_the_encoding_is_the_one_that_the_file_declares() -> None:
    text = WHOLE.replace("Ann", "Zoë")
    for encoding in ("utf-8", "iso-8859-1", "utf-16"):
        data = text.replace('"utf-8"', f'"{encoding}"').encode(encoding)
        assert parse_passage(data, "7.xml").words[0] == "Zoë"


CYCLE = """<edge toID="1.1" type="E"><attributes /></edge>"""
BOMB = """<!DOCTYPE root [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>"""
EXTERNAL = """<!DOCTYPE root SYSTEM "file:///etc/passwd">"""
NODE_1_3 = '<node ID="1.3" type="FN">'

BROKEN = [  # what is replaced, by what, the line that is named, what is said of it
    ("</root>", "", 39, "is not XML: no element found"),
    ('type="LKG">', "type=LKG>", 36, "is not XML: not well-formed"),
    ("</layer>\n</root>", "</root>", 37, "is not XML: mismatched tag"),
    ("&amp;", "&what;", 13, "is not XML: undefined entity"),
    ('encoding="utf-8"', 'encoding="utf-99"', 1, f"{XML_INVALID}: unknown encoding: utf-99"),
    ('encoding="utf-8"', 'encoding="cp932"', 1, f"{XML_INVALID}: multi-byte encodings are not supported"),
    ("waved", "wa\x01ved", 12, "is not XML: not well-formed"),
    ("</root>", "</root><root/>", 38, "is not XML: junk after document element"),
    ("<root annotationID", f"{BOMB}<root annotationID", 2, "has a document type, which could define entities"),
    ("<root annotationID", f"{EXTERNAL}<root annotationID", 2, "has a document type, which could define entities"),
    ("<attributes userID", "text <attributes userID", 3, f"{XML_TEXT_AMONG_ELEMENTS}: 'text'"),
    ('<extra doc="[[]]" />', "<unit />", 7, "has <unit> in <layer>, expected <attributes>, <extra>, <node>"),
    ('<extra doc="[[]]" />', "<extra><node /></extra>", 7, "has <node> in <extra>, expected nothing"),
    (' layerID="0"', "", 5, "has <layer> without the attribute 'layerID'"),
    ('layerID="0"', 'layerID="2"', 5, "has a layer '2'; a passage has only the layers 0 (words) and 1 (units)"),
    ('layerID="1"', 'layerID="0"', 15, "has a duplicate layer 0"),
    ('ID="0.2" ', "", 12, "has <node> without the attribute 'ID'"),
    ('ID="0.2"', 'ID="2"', 12, "has a node '2' in layer 0; ids must be 0.1, 0.2, …"),
    ('ID="0.2"', 'ID="0.02"', 12, "has a node '0.02' in layer 0"),
    ('ID="0.2"', 'ID="1.9"', 12, "has a node '1.9' in layer 0"),
    ('ID="0.2"', 'ID="0.1"', 12, "has a duplicate id '0.1' (first on line 8)"),
    ('<node ID="1.3"', '<node ID="1.2"', 33, "has a duplicate id '1.2' (first on line 26)"),
    ('ID="0.2" type="Word"', 'ID="0.2"', 12, "has <node> without the attribute 'type'"),
    ('ID="0.2" type="Word"', 'ID="0.2" type="FN"', 12, "type 'FN' in layer 0; the type must be Word or Punctuation"),
    ('type="LKG"', 'type="XX"', 36, "has a node of type 'XX' in layer 1; the type must be FN or PNCT or LKG"),
    ('text="waved"', "", 12, "has the word '0.2' without a 'text' in its <attributes>"),
    ('text="waved"', 'text=" "', 12, "has the word '0.2' without a 'text' in its <attributes>"),
    ('toID="1.4"', "", 29, "has <edge> without the attribute 'toID'"),
    ('toID="1.4" type="P"', 'toID="1.4"', 29, "has <edge> without the attribute 'type'"),
    ('toID="1.4"', 'toID="1.44"', 29, "has an edge from '1.2' to '1.44', which does not exist"),
    ('toID="0.2"', 'toID="0.3"', 34, "has an edge from '1.4' to '0.3', which does not exist"),
    ('toID="1.4"', 'toID="0.2"', 29, "has an edge of type 'P' from '1.2' to '0.2'; edges to words, and only these"),
    ('type="P"', 'type="Terminal"', 29, "has an edge of type 'Terminal' from '1.2' to '1.4'; edges to words"),
    ('text="waved" />', f'text="waved" />{CYCLE}', 12, "has an edge from the word '0.2'; words cannot have edges"),
    ('remote="True"', 'remote="true"', 31, "'remote' must be True or False, got 'true'"),
    ('implicit="True"', 'implicit="1"', 35, "'implicit' must be True or False, got '1'"),
    (f"{NODE_1_3}<attributes />", f"{NODE_1_3}<attributes />{CYCLE}", 33, "has a cycle of edges: "),
    (f"{NODE_1_3}<attributes />", f"{NODE_1_3}<attributes />{CYCLE}", 33, ": 1.1 → 1.2 → 1.3 → 1.1"),
    ('toID="1.3" type="D"', 'toID="1.2" type="D"', 31, ": 1.2 → 1.2"),
]


@pytest.mark.parametrize(("old", "new", "line", "message"), BROKEN)
def test_a_broken_file_is_refused_with_file_and_line(old: str, new: str, line: int, message: str) -> None:
    assert old in WHOLE
    with pytest.raises(DataError) as caught:
        parse_passage(WHOLE.replace(old, new, 1).encode(), "some/7.xml")
    assert message in caught.value.message
    assert caught.value.location == f"some/7.xml:{line}"


@pytest.mark.parametrize(("layer", "what"), [("0", "the words"), ("1", "the units")])
def test_a_file_without_one_of_the_layers_is_refused(layer: str, what: str) -> None:
    data = f'<root>\n<attributes/><layer layerID="{1 - int(layer)}"/>\n</root>'.encode()
    with pytest.raises(DataError, match=rf"^a.xml:3: layer {layer} \({what}\) is missing$"):
        parse_passage(data, "a.xml")


@pytest.mark.parametrize("data", [b"", b"\xff\xfe", b"not xml", b"<root>\xff</root>", b"{}"])
def test_what_is_no_xml_is_refused(data: bytes) -> None:
    with pytest.raises(DataError, match=r"^a.xml:1: is not XML"):
        parse_passage(data, "a.xml")


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"absent.xml: cannot be read: No such file"):
        read_passage(str(tmp_path / "absent.xml"))
    with pytest.raises(DataError, match="cannot be read: Is a directory"):
        read_passage(str(tmp_path))


def test_a_passage_as_deep_as_it_is_long_is_read() -> None:
    deep = 2 * sys.getrecursionlimit()
    found = passage(f"{'[C ' * deep}word{']' * deep}")
    assert found.word_indices(found.units[0]) == {0}


def test_units_that_share_what_stands_below_them_are_looked_at_once() -> None:
    levels = " ".join(f"[C=l{level} [E>l{level - 1}] [E [C>l{level - 1}]] w]" for level in range(1, 60))
    found = parse_passage(passage_xml(f"[C=l0 w] {levels}").encode(), "a.xml")
    assert found.word_indices(found.units[0]) == frozenset(range(60))
