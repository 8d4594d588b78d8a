"""``faithfulness``: claims and their support, by hand, and what each step costs."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from json_files import read_rows
from judge_server import Handler, JudgeServer, prompt_of, says, status, texts_of

from metrics_framework import evaluate
from metrics_framework.common.errors import EndpointError, OutputError, UsageError
from metrics_framework.metrics.faithfulness import Faithfulness
from metrics_framework.metrics.llm_judge import LlmJudge

CLAIMS = {"one": ["A."], "two": ["A.", "B."], "four": ["A.", "B.", "C.", "D."], "none": []}


@pytest.fixture
def server(server: JudgeServer) -> JudgeServer:
    """A server that supports all claims but B."""
    server.reply = checking
    return server


def checking(handler: Handler, body: dict[str, Any]) -> None:
    texts = texts_of(body)
    if "output" in texts:
        says(json.dumps({"claims": CLAIMS[texts["output"]]}))(handler, body)
        return
    claims = [line.split("] ")[-1] for line in texts["claims"].split("\n\n")]
    says(json.dumps({"supported": ["No" if "B" in claim else "yes" for claim in claims]}))(handler, body)


def metric(server: JudgeServer, **options: Any) -> Faithfulness:
    return Faithfulness(**{"url": server.url, "model": "m", "retries": 0, "concurrency": 1, **options})


def test_the_score_is_the_share_of_supported_claims(server: JudgeServer) -> None:
    found = metric(server).score("four", ["d1", "d2"])
    assert found == {
        "faithfulness": 0.75,
        "faithfulness_claims": 4,
        "faithfulness_supported": 3,
        "faithfulness_invalid": 0,
        "faithfulness_input_tokens": 200,
        "faithfulness_output_tokens": 20,
    }
    assert len(server.bodies) == 2
    assert "d1" not in prompt_of(server.bodies[0])
    assert set(texts_of(server.bodies[1])) == {"documents", "claims"}
    assert [metric(server).score(name, ["d"])["faithfulness"] for name in ("one", "two")] == [1, 0.5]


def test_an_output_without_claims_has_no_score_and_no_second_request(server: JudgeServer) -> None:
    found = metric(server).score("none", ["d"])
    assert math.isnan(found["faithfulness"])
    assert (found["faithfulness_claims"], found["faithfulness_supported"], found["faithfulness_invalid"]) == (0, 0, 0)
    assert len(server.bodies) == 1


def test_each_step_is_kept_by_itself(server: JudgeServer) -> None:
    expected = metric(server).score("two", ["d"])
    assert metric(server, calls=False).score("two", ["d"]) == expected
    metric(server).score("two", ["other"])
    assert len(server.bodies) == 3, "other documents need the second step only"


def test_a_run_that_ends_between_the_steps_pays_for_no_claims_twice(server: JudgeServer) -> None:
    def without_support(handler: Handler, body: dict[str, Any]) -> None:
        (checking if "output" in texts_of(body) else status(401))(handler, body)

    server.reply = without_support
    with pytest.raises(EndpointError):
        metric(server).evaluate(["one", "two"], [["d"]] * 2)
    server.reply = checking
    before = len(server.bodies)
    assert metric(server).evaluate(["one", "two"], [["d"]] * 2)[0]["faithfulness"] == 0.75
    assert all("claims" in texts_of(body) for body in server.bodies[before:])


INVALID = ['{"supported": ["yes"]}', '{"supported": ["yes", "maybe"]}', '{"supported": "yes"}', "Both are."]


@pytest.mark.parametrize("text", INVALID)
def test_an_answer_without_a_verdict_for_each_claim_is_invalid(text: str, server: JudgeServer) -> None:
    def wrong(handler: Handler, body: dict[str, Any]) -> None:
        (checking if "output" in texts_of(body) else says(text))(handler, body)

    server.reply = wrong
    found = metric(server).score("two", ["d"])
    assert math.isnan(found["faithfulness"])
    assert math.isnan(found["faithfulness_supported"])
    assert (found["faithfulness_claims"], found["faithfulness_invalid"]) == (2, 1)
    with pytest.raises(OutputError, match="the answer is unparsable") as error:
        metric(server, invalid="error").evaluate(["none", "two"], [["d"]] * 2)
    assert error.value.index == 1


@pytest.mark.parametrize("text", ['{"claims": [""]}', '{"claims": [1]}', '{"claims": "A."}', "A."])
def test_an_answer_that_is_no_list_of_claims_is_invalid(text: str, server: JudgeServer) -> None:
    server.reply = says(text)
    found = metric(server).score("two", ["d"])
    assert math.isnan(found["faithfulness_claims"])
    assert found["faithfulness_invalid"] == 1
    assert len(server.bodies) == 1


def test_the_file_of_answers_has_claims_and_verdicts(server: JudgeServer) -> None:
    row = {"instance_id": "1", "summarizer_id": "x", "summary": "two", "context": "d"}
    Path("rows.jsonl").write_text(json.dumps(row))
    spec = f"faithfulness:evidence=context,model=m,url={server.url},answers=answers.jsonl"
    assert evaluate([spec], files="rows.jsonl").metrics["faithfulness"] == 0.5
    claims, support = read_rows("answers.jsonl")
    assert (claims["template"], claims["claims"]) == ("claims", ["A.", "B."])
    assert (support["template"], support["claims"], support["supported"]) == (
        "claim-support",
        ["A.", "B."],
        ["yes", "no"],
    )
    assert "score" not in support


def test_templates_of_a_user_and_the_signature(server: JudgeServer) -> None:
    Path("mine.md").write_text("---\nanswer: texts ok\nwords: yes, no\n---\n{documents} {question} {claims}")
    own = metric(server, support_template="mine.md", evidence="context")
    assert own.fields == ("summary", "context", "question")
    assert own.files_read() == ["mine.md"]
    assert "|evidence:context|claims:claims@" in own.signature()
    assert "|support:mine@" in own.signature()
    server.reply = lambda handler, body: (
        says('{"ok": ["yes", "no"]}') if prompt_of(body) == "d q [1] A.\n\n[2] B." else checking
    )(handler, body)
    assert own.score("two", "d", "q")["faithfulness"] == 0.5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"claims_template": "pairwise"}, "'claims_template' must name a template"),
        ({"claims_template": "claim-support"}, "'claims_template' must name a template"),
        ({"support_template": "claims"}, "'support_template' must name a template"),
        ({"support_template": "mine.md"}, r"does not show \{documents\}"),
    ],
)
def test_a_template_of_something_else_is_refused(options: dict[str, str], message: str, server: JudgeServer) -> None:
    Path("mine.md").write_text("---\nanswer: texts ok\nwords: yes, no\n---\n{claims}")
    with pytest.raises(UsageError, match=message):
        metric(server, **options)
    with pytest.raises(UsageError, match="'llm-judge' needs a score"):
        LlmJudge(template="claims")
