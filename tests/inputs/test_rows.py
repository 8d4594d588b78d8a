from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from messages import IS_NULL, NO_ID, NOT_A_TEXT, NOT_AN_ID, NOT_TEXT

from metrics_framework.common.errors import DataError
from metrics_framework.data.fields import IDENTITY_FIELDS, parse_id, parse_summarizer_type
from metrics_framework.inputs.roles import ROLES
from metrics_framework.inputs.row_view import FIELDS, standard_row
from metrics_framework.inputs.rows import (
    identity,
    known_fields,
    parsed_instance_id,
    text,
    texts,
)

SPELLINGS = [  # value, text, why
    ("a cat", "a cat", "a bare string"),
    ({"text": "a cat"}, "a cat", "a string in an object"),
    (["A cat.", "It sat."], ["A cat.", "It sat."], "bare sentences"),
    ({"text": ["A cat.", "It sat."]}, ["A cat.", "It sat."], "sentences in an object"),
    ({"text": "a cat", "id": 3}, "a cat", "an object with more"),
    ("", "", "an empty text is a text"),
    ([], [], "so are no sentences"),
]


@pytest.mark.parametrize(("value", "expected", "why"), SPELLINGS)
def test_a_text_has_many_spellings(value: Any, expected: Any, why: str):
    assert text({"summary": value}, "summary") == expected, why
    assert texts({"references": [value]}, "references", "reference") == [expected], why
    assert texts({"reference": value}, "references", "reference") == [expected], why


@pytest.mark.parametrize("wrapped", [True, False])
def test_the_paragraphs_of_a_document_become_its_sentences(wrapped: bool):
    paragraphs: Any = [["A cat.", "It sat."], ["A dog."], "It ran."]
    value = {"text": paragraphs} if wrapped else paragraphs
    sentences = ["A cat.", "It sat.", "A dog.", "It ran."]
    assert texts({"documents": [value, "b"]}, "documents", "document") == [sentences, "b"]
    assert texts({"document": value}, "documents", "document") == [sentences]
    with pytest.raises(DataError, match=r"'references\[0\]' must be a text"):
        texts({"references": [value]}, "references", "reference")


NOT_TEXTS = [  # row, message
    ({}, "'summary' is missing; the row has nothing"),
    ({"a": 1, "b": 2}, "'summary' is missing; the row has 'a', 'b'"),
    ({"summary": None}, f"'summary' {IS_NULL}"),
    ({"summary": 3}, f"'summary' is the number 3, {NOT_TEXT}"),
    ({"summary": ["a", None]}, f"'summary' {NOT_A_TEXT} the li"),
    ({"summary": {"txt": "a"}}, "'summary' must have a 'text', got the object {'txt': 'a'}"),
    ({"summary": {"text": 3}}, f"'summary' is the number 3, {NOT_TEXT}"),
]


@pytest.mark.parametrize(("row", "message"), NOT_TEXTS)
def test_what_is_no_text_is_refused(row: dict[str, Any], message: str):
    with pytest.raises(DataError) as caught:
        text(row, "summary")
    assert str(caught.value).startswith(message)


LISTS = [  # row, texts, why
    ({"references": ["a", {"text": "b"}]}, ["a", "b"], "in several spellings"),
    ({"references": ["a"], "reference": "b"}, ["b"], "the single one wins"),
    ({"references": ["a"], "reference": None}, ["a"], "unless it is null"),
    ({"references": ["a", None]}, ["a"], "null is no reference"),
]


@pytest.mark.parametrize(("row", "expected", "why"), LISTS)
def test_a_list_of_texts_or_a_single_one(row: dict[str, Any], expected: Any, why: str):
    assert texts(row, "references", "reference") == expected, why


NOT_LISTS = [  # row, message
    ({}, "'references' (or 'reference') is missing; the row has nothing"),
    ({"references": "a cat"}, "'references' must be a non-empty list of texts, got the string 'a cat'"),
    ({"references": []}, "'references' must be a non-empty list of texts, got the list []"),
    ({"references": [None]}, "'references' must be a non-empty list of texts, got the list [None]"),
    ({"references": {"text": "a"}}, "'references' must be a non-empty list of texts, got the object"),
    ({"references": ["a", 3]}, f"'references[1]' is the number 3, {NOT_TEXT}"),
    ({"references": ["a", {}]}, "'references[1]' must have a 'text', got the object {}"),
    ({"reference": 3}, f"'reference' is the number 3, {NOT_TEXT}"),
]


@pytest.mark.parametrize(("row", "message"), NOT_LISTS)
def test_what_is_no_list_of_texts_is_refused(row: dict[str, Any], message: str):
    with pytest.raises(DataError) as caught:
        texts(row, "references", "reference")
    assert str(caught.value).startswith(message)


BESIDE_OTHERS = {"doc_id", "target", "docsegid", "doc", "input"}
"""Names that have a role only beside other columns."""
NAMES = [(name, role) for role in FIELDS for name in ROLES[role].names if name not in BESIDE_OTHERS]


@pytest.mark.parametrize(("name", "role"), NAMES)
def test_names_of_other_communities_are_known(name: str, role: str):
    value = "peer" if role == "summarizer_type" else "x"
    ours = {"references": "reference", "documents": "document"}.get(role, role)
    for written in (name, name.upper().replace("_", "."), f" {name.replace('_', '-').title()}\u00a0"):
        field = role if written == role else ours
        assert standard_row({written: value, "more": 1}) == {field: value, "more": 1}
    if name in (role, ours):
        return
    both = {name: value, role: value}
    if name not in ROLES[role].groups[0]:
        assert standard_row(both) == both
        return
    with pytest.raises(DataError, match=rf"^'\w+' and '\w+' both name .*; choose one with --columns {role}=COLUMN"):
        standard_row(both)


def test_the_names_of_each_role_are_documented():
    page = (Path(__file__).parents[2] / "docs/reference/file-formats.md").read_text(encoding="utf-8")
    for meaning, groups in ROLES.values():
        (line,) = (line for line in page.splitlines() if line.startswith(f"| {meaning} |"))
        assert [tuple(re.findall(r"`(\w+)`", part)) for part in line.split(";")] == [*groups]


CONDITIONAL = [  # row, the names of its fields
    (["doc_id", "resps"], {"instance_id", "summary"}),
    (["doc_id", "summary"], {"doc_id", "summary"}),
    (["target", "source", "model"], {"summary", "source", "summarizer_id"}),
    (["target", "source"], {"target", "source"}),
    (["target", "filtered_resps"], {"target", "summary"}),
    (["id", "input"], {"instance_id", "input"}),
    (["Input.summary", "Input.id", "Answer.fluency"], {"summary", "instance_id", "Answer.fluency"}),
    (["summary", "Input.summary"], {"summary", "Input.summary"}),
]


@pytest.mark.parametrize(("columns", "fields"), CONDITIONAL)
def test_some_names_count_beside_other_columns(columns: list[str], fields: set[str]):
    assert set(standard_row(dict.fromkeys(columns, "x"))) == fields


JOINED = [  # row, id, why
    ({"doc": "d1", "docSegId": 2}, "d1/2", "the segment of a document"),
    ({"globalSegId": 7, "doc": "d1", "docSegId": 2}, "7", "an id of its own"),
    ({"question_id": 81, "turn": 2}, "81/2", "the turn of a dialogue"),
]


@pytest.mark.parametrize(("row", "expected", "why"), JOINED)
def test_an_id_may_have_parts(row: dict[str, Any], expected: str, why: str):
    assert parsed_instance_id(standard_row(row)) == expected, why


IDENTITIES = [  # row, identity, why
    ({"instance_id": "1", "summarizer_id": "s", "summarizer_type": "peer"}, ("1", "s", "peer"), "all of it"),
    ({"instance_id": 1, "summarizer_id": 7, "summarizer_type": "reference"}, ("1", "7", "reference"), "integers"),
    ({"instance_id": "1"}, ("1", "file", "peer"), "absent ones have defaults"),
    ({"instance_id": 0}, ("0", "file", "peer"), "zero is a number"),
]


@pytest.mark.parametrize(("row", "expected", "why"), IDENTITIES)
def test_a_row_says_who_wrote_what(row: dict[str, Any], expected: Any, why: str):
    assert identity(row, "file") == expected, why


ANYTHING = st.none() | st.booleans() | st.integers(0, 3) | st.sampled_from(["", "a", "peer", "reference"])
IN_ANY_SPELLING = st.recursive(
    st.sampled_from(["", "a cat"]) | ANYTHING,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["text", "more"]), inner),
    max_leaves=6,
)


def outcome(read: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return read(*arguments)
    except DataError as error:
        return f"refused: {error}"


@settings(max_examples=40)
@given(st.dictionaries(st.sampled_from(IDENTITY_FIELDS), ANYTHING))
def test_an_identity_holds_what_each_identifier_is(row: dict[str, Any]):
    found = outcome(identity, row, "file")
    if isinstance(found, tuple):
        ids = parsed_instance_id(row), parse_id(row.get("summarizer_id", "file"), "summarizer_id")
        assert found == (*ids, row.get("summarizer_type", "peer"))
        assert all(type(one) is str and one for one in found)
    else:
        wrong = [outcome(parsed_instance_id, row)]
        wrong += [outcome(parse_id, row.get("summarizer_id", "file"), "summarizer_id")]
        wrong += [outcome(parse_summarizer_type, row.get("summarizer_type", "peer"), "summarizer_type")]
        assert found in wrong


def one_by_one(row: dict[str, Any]) -> dict[str, Any]:
    """Takes the fields out of a row as the readers that know their fields do."""
    fields: dict[str, Any] = {}
    for name, value in row.items():
        if value is not None and name not in IDENTITY_FIELDS:
            many = {"reference": "references", "document": "documents"}.get(name, name)
            if many in ("references", "documents"):
                fields[many] = texts(row, many, many.removesuffix("s"))
            else:
                fields[name] = text(row, name) if name in ("summary", "source") else value
    return fields


NAMES_OF_FIELDS = ["summary", "source", "references", "reference", "documents", "document", "grade", *IDENTITY_FIELDS]


@settings(max_examples=40)
@given(st.dictionaries(st.sampled_from(NAMES_OF_FIELDS), IN_ANY_SPELLING | st.lists(IN_ANY_SPELLING)))
def test_known_fields_are_those_that_are_asked_for_one_by_one(row: dict[str, Any]):
    asked = outcome(lambda: list(one_by_one(row).items()))
    assert asked == outcome(lambda: [field for field in known_fields(row).items() if field[1] is not None])


STRANGERS = [  # row, message
    ({"summary": "a"}, "'instance_id' is missing; the row has 'summary'"),
    ({"instance_id": None}, f"'instance_id' is null: {NO_ID}"),
    ({"instance_id": ""}, f"'instance_id' is empty: {NO_ID}"),
    ({"instance_id": 1.5}, f"'instance_id' {NOT_AN_ID}, got the number 1.5"),
    ({"instance_id": True}, f"'instance_id' {NOT_AN_ID}, got the boolean True"),
    ({"instance_id": 1, "summarizer_id": None}, f"'summarizer_id' is null: {NO_ID}"),
    (
        {"instance_id": 1, "summarizer_type": "system"},
        "'summarizer_type' must be 'peer' or 'reference', got the string",
    ),
    ({"instance_id": 1, "summarizer_type": ["peer"]}, "'summarizer_type' must be 'peer' or 'reference', got the list"),
]


@pytest.mark.parametrize(("row", "message"), STRANGERS)
def test_an_unclear_identity_is_refused(row: dict[str, Any], message: str):
    with pytest.raises(DataError) as caught:
        identity(row, "file")
    assert str(caught.value).startswith(message)


def test_known_fields_are_checked_and_others_kept():
    row = {"instance_id": 1, "summarizer_type": "peer", "summary": {"text": "a"}, "reference": "b", "grade": [1, 2]}
    assert known_fields(row) == {"summary": "a", "references": ["b"], "grade": [1, 2]}
    with pytest.raises(DataError, match="'documents' must be a non-empty list"):
        known_fields({"documents": "a"})
