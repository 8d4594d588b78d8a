"""``--structured-output``: endpoints that support, refuse and half-support a schema, and what is paid for."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from judge_server import Handler, JudgeServer, prompt_of, says, status

from metrics_framework.common.errors import DataError, OutputError, UsageError
from metrics_framework.language_models.templates import load_template
from metrics_framework.metrics.faithfulness import Faithfulness
from metrics_framework.metrics.llm_judge import Jury, LlmJudge

TEXTS = ["a", "b", "c"]


def has_schema(body: dict[str, Any]) -> bool:
    return "response_format" in body


def supporting(handler: Handler, body: dict[str, Any]) -> None:
    """Answers 80 with a schema and 40 without, so that the origin of a score is known."""
    says(json.dumps({"score": 80 if has_schema(body) else 40}))(handler, body)


def refusing(handler: Handler, body: dict[str, Any]) -> None:
    (status(400, "response_format is unknown") if has_schema(body) else supporting)(handler, body)


def failing(handler: Handler, body: dict[str, Any]) -> None:
    """Fails instead of refusing."""
    (status(500, "cannot compile") if has_schema(body) else supporting)(handler, body)


def ignoring(handler: Handler, body: dict[str, Any]) -> None:
    """Accepts a schema, but writes prose."""
    says('Well: {"score": 60}' if has_schema(body) else '{"score": 40}')(handler, body)


@pytest.fixture
def server(server: JudgeServer) -> JudgeServer:
    server.reply = supporting
    return server


def judge(server: JudgeServer, structured: Any = "auto", **options: Any) -> LlmJudge:
    given = {"url": server.url, "model": "m", "retries": 0, "concurrency": 1, "structured_output": structured}
    return LlmJudge(**{**given, **options})


def scores_of(metric: LlmJudge) -> list[float]:
    return [one["llm-judge"] for one in metric.evaluate(TEXTS, ["s"] * 3)[1]]


CASES = [  # endpoint, option, scores, requests with a schema, requests without
    (supporting, "off", 40, 0, 3),
    (supporting, "on", 80, 3, 0),
    (supporting, "auto", 80, 3, 0),
    (refusing, "auto", 40, 1, 3),
    (failing, "auto", 40, 1, 3),
    (ignoring, "auto", 60, 3, 0),
]


@pytest.mark.parametrize(("reply", "structured", "score", "stated", "plain"), CASES)
def test_requests_state_a_schema_if_the_option_and_the_endpoint_allow_it(
    reply: Any, structured: str, score: float, stated: int, plain: int, server: JudgeServer
) -> None:
    server.reply = reply
    metric = judge(server, structured)
    assert scores_of(metric) == [score] * 3
    assert [sum(map(has_schema, server.bodies)), len(server.bodies)] == [stated, stated + plain]
    is_refused = bool(stated and plain)
    assert (
        any(re.search("structured output .*failed: .*; requests have no schema", n) for n in metric.notes())
        == is_refused
    )
    assert scores_of(judge(server, structured, calls=False)) == [score] * 3
    assert len(server.bodies) == stated + plain, "a repeated run makes no requests"


def test_a_refused_schema_is_an_error_if_it_is_wanted(server: JudgeServer) -> None:
    server.reply = refusing
    with pytest.raises(OutputError, match="response_format is unknown"):
        scores_of(judge(server, "on"))


def test_a_run_that_ends_in_the_middle_continues_in_the_same_way(server: JudgeServer) -> None:
    for reply, score in ((refusing, 40), (supporting, 80)):
        server.bodies.clear()
        server.reply = reply
        metric = judge(server, model=f"m{score}")
        assert metric.score("a", "s")["llm-judge"] == score  # the first of three
        paid = [body for body in server.bodies if has_schema(body) == (score == 80)]
        assert scores_of(judge(server, model=f"m{score}")) == [score] * 3
        now = [body for body in server.bodies if has_schema(body) == (score == 80)]
        assert [len(paid), len(now)] == [1, 3], "no answer is paid for twice"


def test_a_prompt_that_fails_in_any_form_decides_nothing(server: JudgeServer) -> None:
    def too_long(handler: Handler, body: dict[str, Any]) -> None:
        is_first = "\na\n" in prompt_of(body)
        (status(400, "the prompt is too long") if is_first else supporting)(handler, body)

    server.reply = too_long
    metric = judge(server, failed="undefined")
    first, *others = scores_of(metric)
    assert str(first) == "nan"
    assert others == [80, 80]


def test_it_combines_with_samples_of_one_request(server: JudgeServer) -> None:
    metric = judge(server, samples=2, one_request=True)
    assert scores_of(metric) == [80] * 3  # the endpoint ignores n, and answers once
    assert all(map(has_schema, server.bodies))
    assert any("requested one by one" in note for note in metric.notes())
    assert scores_of(judge(server, samples=2, one_request=True, calls=False)) == [80] * 3


SCHEMAS = [  # template, schema of its member, whether reasoning is asked for
    ("direct-assessment", {"type": "number"}, False),
    ("criterion", {"type": "number"}, True),
    ("claims", {"type": "array", "items": {"type": "string"}}, False),
    ("claim-support", {"type": "array", "items": {"type": "string", "enum": ["yes", "no"]}}, False),
]


@pytest.mark.parametrize(("name", "member", "has_reasoning"), SCHEMAS)
def test_the_schema_is_that_of_the_answer_of_a_template(name: str, member: Any, has_reasoning: bool) -> None:
    template = load_template(name)
    names = [*(["reasoning"] if has_reasoning else []), template.form.where]
    assert template.schema is not None
    assert list(template.schema["properties"]) == names, "reasoning comes first"
    assert template.schema["properties"][template.form.where] == member
    assert (template.schema["required"], template.schema["additionalProperties"]) == (names, False)


def test_what_the_schema_of_errors_allows_is_read(server: JudgeServer) -> None:
    schema = load_template("error-annotation").schema
    assert schema is not None
    members = schema["properties"]["errors"]["items"]["properties"]
    error = {name: member.get("enum", ["bad"])[0] for name, member in members.items()}
    assert error == {"text": "bad", "category": "bad", "severity": "critical", "side": "target"}
    server.reply = says(json.dumps({"errors": [error]}))
    assert judge(server, "on", template="error-annotation").score("a bad cat", "s")["llm-judge"] == -25


def test_the_option_reaches_juries_and_claims_and_the_signature(server: JudgeServer) -> None:
    options = {"url": server.url, "structured_output": "on"}
    Jury(judges=["a", "b"], **options).score("a", "s")
    assert [has_schema(body) for body in server.bodies] == [True, True]
    server.script = [says('{"claims": ["A."]}'), says('{"supported": ["yes"]}')]
    assert Faithfulness(model="m", **options).score("a", ["d"])["faithfulness"] == 1
    assert [list(body["response_format"]["json_schema"]["schema"]["properties"]) for body in server.bodies[2:]] == [
        ["claims"],
        ["supported"],
    ]
    assert "|structured_output:on|" in judge(server, "on").signature()
    assert "structured_output" not in judge(server, "off").signature()


REFUSED = [  # options, message
    ({"template": "pairwise"}, "answers are JSON objects; those of 'pairwise' are not"),
    ({"extra_body": '{"response_format": {"type": "json_object"}}'}, "contradicts 'structured_output'"),
    ({"write_batch": "a.jsonl"}, "a batch cannot try"),
]


@pytest.mark.parametrize(("options", "message"), REFUSED)
def test_options_without_effect_are_refused(options: dict[str, Any], message: str, server: JudgeServer) -> None:
    with pytest.raises(UsageError, match=message):
        judge(server, "auto", **options)
    with pytest.raises((UsageError, DataError), match="structured_output"):
        judge(server, "sometimes")
