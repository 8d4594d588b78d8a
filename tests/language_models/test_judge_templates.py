"""Templates with any field of the rows, and with a criterion, a scale, steps and worked examples from options."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from judge_server import texts_of

from metrics_framework.common.errors import DataError, FwError, InputError, UsageError
from metrics_framework.language_models.judge_templates import judge_template
from metrics_framework.language_models.templates import parse_template

HEAD = "---\nanswer: json score\nscale: 1 to 5\n---\n"


def last(messages: list[dict[str, str]]) -> str:
    return messages[-1]["content"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_any_field_of_a_row_may_be_in_a_template() -> None:
    template = parse_template(HEAD + "{question} {context} {rubric} {summary} {source}", "t", "t.md")
    assert template.fields == ("summary", "source", "question", "context", "rubric")
    values = {"summary": "a", "source": "s", "question": "q?", "rubric": 3, "context": ["one", {"text": "two"}, True]}
    assert last(template.filled(values)) == "q? [1] one\n\n[2] two\n\n[3] true 3 a s"
    for wrong in ([], None, {"a": 1}, ["a", None]):
        with pytest.raises(InputError, match="'context' is in the prompt, so it must"):
            template.filled({**values, "context": wrong})


def test_the_ends_of_the_scale_are_names_in_a_template() -> None:
    template = parse_template(HEAD.replace("1 to 5", "-25 to 0.5") + "{lowest} {highest} {summary}", "t", "t.md")
    assert template.fields == ("summary",)
    assert last(template.filled({"summary": "a"})) == "-25 0.5 a"


def test_a_criterion_and_a_scale_need_no_file() -> None:
    template = judge_template(criterion="Is {it} polite?", scale="1-7", shown_fields=["question", "documents"])
    assert (template.name, template.fields, template.form.scale) == (
        "criterion",
        ("summary", "documents", "question"),
        (1, 7),
    )
    messages = template.filled({"summary": "Yes.", "question": "Now?", "documents": ["d", "e"]})
    fence = last(messages).split("number ")[2][:12]
    assert texts_of({"messages": messages}) == {
        "criterion": "Is {it} polite?",
        "question": "Now?",
        "documents": f"[1-{fence}] d\n\n[2-{fence}] e",
        "output": "Yes.",
    }
    assert "a whole number from 1 to 7:" in last(messages)


def test_without_the_option_the_criterion_is_a_field_of_each_row() -> None:
    template = judge_template("criterion", scale="0 to 1")
    assert template.fields == ("summary", "criterion")
    assert texts_of({"messages": template.filled({"summary": "a", "criterion": "Short?"})})["criterion"] == "Short?"


def test_steps_follow_the_criterion_or_are_where_a_template_wants_them(folder: Path) -> None:
    Path("steps.txt").write_text("1. Read it.\n\n- Count the {errors}.\n")
    template = judge_template(criterion="Polite?", steps="steps.txt")
    said = texts_of({"messages": template.filled({"summary": "a"})})["criterion"]
    assert said == "Polite?\n\nSteps:\n1. Read it.\n2. Count the {errors}."
    Path("mine.md").write_text(HEAD + "{steps}|{summary}|{criterion}")
    mine = judge_template("mine.md", steps="steps.txt")
    assert mine.fields == ("summary", "criterion")
    filled = mine.filled({"summary": "a", "criterion": "{c}"})
    assert last(filled) == "1. Read it.\n2. Count the {errors}.|a|{c}"


def test_examples_are_messages_before_the_question(folder: Path) -> None:
    rows = [
        {"summary": "Thanks!", "score": 5, "reasoning": "Kind."},
        {"summary": "No.", "answer": 'I say {"score": 1}'},
    ]
    Path("examples.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    template = judge_template(criterion="Polite?", examples="examples.jsonl")
    messages = template.filled({"summary": "Please."})
    assert [message["role"] for message in messages] == ["system", *["user", "assistant"] * 2, "user"]
    outputs = [texts_of({"messages": [message]})["output"] for message in messages[1::2]]
    assert outputs == ["Thanks!", "No.", "Please."]
    assert [message["content"] for message in messages[2::2]] == [
        '{"reasoning": "Kind.", "score": 5}',
        'I say {"score": 1}',
    ]
    fences = {message["content"].split("number ")[2][:12] for message in messages[1::2]}
    assert len(fences) == 1, "the question and its examples have one fence"


def test_examples_of_a_template_that_asks_for_a_bare_number(folder: Path) -> None:
    row = {"summary": "s", "documents": ["d"]}
    Path("examples.jsonl").write_text(json.dumps({**row, "score": 4}) + "\n")
    template = judge_template("g-eval-coherence", examples="examples.jsonl")
    assert template.filled(row)[-2] == {"role": "assistant", "content": "4"}


def test_all_that_options_insert_changes_the_hash(folder: Path) -> None:
    Path("steps.txt").write_text("Read it.\n")
    Path("examples.jsonl").write_text('{"summary": "Thanks!", "score": 5}\n')
    options: list[dict[str, Any]] = [
        {},
        {"criterion": "Kind?"},
        {"scale": "1-7"},
        {"shown_fields": ["source"]},
        {"steps": "steps.txt"},
    ]
    digests = {judge_template(**{"criterion": "Polite?", **given}).digest for given in options}
    digests.add(judge_template(criterion="Polite?", examples="examples.jsonl").digest)
    assert len(digests) == len(options) + 1


WRONG: list[tuple[dict[str, Any], type[FwError], str]] = [
    ({"scale": "1-5"}, UsageError, "'scale' needs a criterion; the template 'direct-assessment'"),
    ({"shown_fields": ["source"]}, UsageError, "'shown_fields' needs a criterion"),
    ({"criterion": "x", "scale": "5"}, UsageError, "'scale' must be like '1-5' or '0 to 100', got '5'"),
    ({"criterion": " "}, UsageError, "'criterion' must be a text"),
    ({"criterion": "x", "shown_fields": ["summary"]}, UsageError, "got 'summary'"),
    ({"criterion": "x", "shown_fields": ["a", "a"]}, UsageError, "got 'a'"),
    ({"criterion": "x", "shown_fields": ["a-b"]}, UsageError, "got 'a-b'"),
    ({"criterion": "x", "shown_fields": ["fence"]}, UsageError, "got 'fence'"),
    ({"criterion": "x", "name": "pairwise"}, UsageError, r"'pairwise' does not have \{criterion\}"),
    ({"steps": "empty"}, UsageError, r"'direct-assessment' does not have \{steps\}"),
    ({"criterion": "x", "steps": "empty"}, DataError, "empty: has no steps"),
    ({"criterion": "x", "steps": "absent"}, DataError, "absent: "),
    ({"criterion": "x", "examples": "empty"}, DataError, "empty: has no examples"),
    ({"criterion": "x", "examples": "wrong"}, DataError, r"wrong:1: 'summary' is missing"),
    ({"criterion": "x", "examples": "wrong"}, DataError, r"wrong:2: an example needs an 'answer' or a 'score'"),
    ({"criterion": "x", "examples": "wrong"}, DataError, r"wrong:3: the answer is outside the scale"),
    ({"criterion": "x", "examples": "wrong"}, DataError, r"wrong:4: 'summary' must be a text"),
]


@pytest.mark.parametrize(("options", "error", "message"), WRONG)
def test_an_option_without_effect_or_a_wrong_file_is_an_error(
    options: dict[str, Any], error: type[FwError], message: str, folder: Path
) -> None:
    Path("empty").write_text("\n")
    rows = [{"score": 1}, {"summary": "a"}, {"summary": "a", "score": 6}, {"summary": 3, "score": 1}]
    Path("wrong").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(error, match=message):
        judge_template(**options)
