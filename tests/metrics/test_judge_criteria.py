"""``llm-judge`` with fields of rows and criteria: what is checked before a request, and specifications."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from judge_server import JudgeServer, says, texts_of

from metrics_framework import evaluate, load
from metrics_framework.common.errors import DataError, OutputError
from metrics_framework.metrics.llm_judge import LlmJudge


def rows(path: str, **fields: object) -> str:
    Path(path).write_text(
        "".join(json.dumps({"instance_id": str(number), "summary": "a", **fields}) + "\n" for number in range(3))
    )
    return path


def test_the_fields_of_a_template_are_those_of_the_rows(server: JudgeServer) -> None:
    server.reply = says('{"score": 4}')
    criterion = 'criterion="Is it, to be sure, polite?",scale=1-5,shown_fields=[question,rubric]'
    found = evaluate(
        [f"llm-judge:{criterion},model=m,url={server.url}"], files=rows("rows.jsonl", question="q?", rubric=["x", 2])
    )
    assert found.systems["rows"]["llm-judge"] == 4
    assert len(server.bodies) == 1, "equal requests are made once"
    shown = texts_of(server.bodies[0])
    assert (shown["criterion"], shown["question"]) == ("Is it, to be sure, polite?", "q?")


def test_a_field_that_the_rows_do_not_have_is_an_error_before_the_first_request(server: JudgeServer) -> None:
    spec = f"llm-judge:criterion=Polite?,shown_fields=qestion,model=m,url={server.url}"
    with pytest.raises(DataError, match=r"rows\.jsonl:1.*needs 'qestion'.*did you mean 'question'\?"):
        evaluate([spec], files=rows("rows.jsonl", question="q?"))
    assert not server.bodies


def test_a_value_that_is_no_text_is_an_error_before_the_first_request(server: JudgeServer) -> None:
    metric = LlmJudge(criterion="Polite?", shown_fields=["context"], model="m", url=server.url)
    with pytest.raises(OutputError, match="'context' is in the prompt, so it must be a text") as error:
        metric.score_all(["a", "b"], [["x"], [{"a": 1}]])
    assert error.value.index == 1
    assert not server.bodies


def test_files_of_options_are_read_and_reported(server: JudgeServer) -> None:
    Path("steps.txt").write_text("Read.\n")
    Path("examples.jsonl").write_text('{"summary": "a", "score": 1}\n')
    metric = load("llm-judge", criterion="Polite?", steps="steps.txt", examples="examples.jsonl")
    assert metric.files_read() == ["steps.txt", "examples.jsonl"]
    assert metric.signature().startswith(f"llm-judge|model:none|template:criterion@{metric.template.digest}|")
