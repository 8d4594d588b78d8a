"""``--write-batch`` and ``--read-batch``: requests that an endpoint answers later, and what is paid for."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from json_files import read_rows, write_rows
from judge_server import JudgeServer, completion, prompt_of, says, texts_of

from metrics_framework import evaluate
from metrics_framework.commands.app import main
from metrics_framework.common.errors import DataError, OutputError, UsageError
from metrics_framework.language_models.language_model import UnansweredRequestsError
from metrics_framework.metrics.faithfulness import Faithfulness
from metrics_framework.metrics.llm_judge import Jury, LlmJudge

Row = dict[str, Any]


@pytest.fixture
def server(server: JudgeServer) -> JudgeServer:
    """A server that no test of batches may ask."""
    server.reply = says('{"score": 100}')
    return server


def judge(server: JudgeServer, **options: Any) -> LlmJudge:
    return LlmJudge(**{"url": server.url, "model": "m", **options})


def answered(requests: str, results: str, reply: Callable[[Row], Row] = lambda request: score_of(request)) -> list[Row]:
    """Answers a batch as an endpoint does, in another order."""
    found = [
        {"id": "r", "custom_id": request["custom_id"], "response": reply(request), "error": None}
        for request in reversed(read_rows(requests))
    ]
    write_rows(results, found)
    return found


def response(text: str) -> Row:
    return {"status_code": 200, "request_id": "x", "body": completion(text)}


def score_of(request: Row) -> Row:
    """Scores an output by its length and the seed."""
    return response(json.dumps({"score": len(texts_of(request["body"])["output"]) + request["body"]["seed"]}))


def outputs(*summaries: str) -> str:
    rows = [{"instance_id": str(n), "summarizer_id": "x", "summary": s, "source": "s"} for n, s in enumerate(summaries)]
    write_rows("rows.jsonl", rows)
    return "rows.jsonl"


def test_a_batch_is_written_answered_and_read(server: JudgeServer) -> None:
    path = outputs("a", "bb", "a")
    with pytest.raises(UnansweredRequestsError, match="'read_batch' instead of") as ended:
        evaluate([judge(server, write_batch="requests.jsonl")], files=path)
    assert ended.value.exit_code == 0
    requests = read_rows("requests.jsonl")
    assert len(requests) == 2, "equal requests are written once"
    assert {(one["method"], one["url"], len(one["custom_id"])) for one in requests} == {
        ("POST", "/v1/chat/completions", 64)
    }
    assert [one["body"]["model"] for one in requests] == ["m", "m"]
    answered("requests.jsonl", "results.jsonl")
    result = evaluate([judge(server, read_batch=["results.jsonl"])], files=path)
    assert result.metrics["llm-judge"] == pytest.approx(4 / 3)
    assert evaluate([judge(server, calls=False)], files=path).metrics == result.metrics
    assert not server.bodies, "nothing was requested"


def test_nothing_is_written_when_no_answer_is_missing(server: JudgeServer) -> None:
    path = outputs("a")
    evaluate([judge(server)], files=path)
    metric = judge(server, write_batch="requests.jsonl", answers="answers.jsonl")
    result = evaluate([metric], files=path)
    assert result.metrics["llm-judge"] == 100
    assert metric.notes()[0] == "llm-judge: 1 answer: 1 from the cache, 0 requested", "the first pass counts nothing"
    assert not Path("requests.jsonl").exists()
    assert len(read_rows("answers.jsonl")) == 1
    assert len(server.bodies) == 1


def test_a_batch_that_was_answered_in_part_is_continued(server: JudgeServer) -> None:
    path = outputs("a", "bb", "ccc")
    with pytest.raises(UnansweredRequestsError):
        evaluate([judge(server, write_batch="requests.jsonl")], files=path)

    def partly(request: Row) -> Row:
        if texts_of(request["body"])["output"] == "bb":
            return {"status_code": 429, "body": {"error": {"message": "quota"}}}
        return score_of(request)

    rows = answered("requests.jsonl", "results.jsonl", partly)
    rows[0] = {
        "custom_id": rows[0]["custom_id"],
        "response": None,
        "error": {"code": "batch_expired", "message": "late"},
    }
    write_rows("results.jsonl", rows)
    metric = judge(server, read_batch=["results.jsonl"])
    with pytest.raises(OutputError, match="2 requests of 3 had no answer"):
        evaluate([metric], files=path)
    assert any(
        re.search(r"read 1 answer of results\.jsonl; 2 requests failed, the first:.*late", note)
        for note in metric.notes()
    )
    with pytest.raises(UnansweredRequestsError):
        evaluate([judge(server, read_batch=["results.jsonl"], write_batch="rest.jsonl")], files=path)
    assert [texts_of(one["body"])["output"] for one in read_rows("rest.jsonl")] == ["bb", "ccc"]
    answered("rest.jsonl", "more.jsonl")
    found = evaluate([judge(server, read_batch=["results.jsonl", "more.jsonl"])], files=path)
    assert found.metrics["llm-judge"] == 2
    assert not server.bodies


def test_several_samples_are_in_a_batch_one_by_one_or_in_one_request(server: JudgeServer) -> None:
    for options, count in (({}, 3), ({"one_request": True}, 1)):
        written = judge(server, samples=3, write_batch="requests.jsonl", **options)
        with pytest.raises(UnansweredRequestsError):
            written.score("a", "s")
        assert len(read_rows("requests.jsonl")) == count
        if not options:
            continue

        def three(request: Row) -> Row:
            choices = [{"index": i, "message": {"content": json.dumps({"score": 10 * i})}} for i in (2, 0, 1)]
            assert request["body"]["n"] == 3
            return {
                "status_code": 200,
                "body": {"choices": choices, "usage": {"prompt_tokens": 7, "completion_tokens": 3}},
            }

        answered("requests.jsonl", "results.jsonl", three)
        found = judge(server, samples=3, read_batch=["results.jsonl"], **options).score("a", "s")
        assert (found["llm-judge"], found["llm-judge_sd"], found["llm-judge_input_tokens"]) == (10, 10, 7)
    assert not server.bodies


def test_both_steps_of_faithfulness_are_batches(server: JudgeServer) -> None:
    options = {"url": server.url, "model": "m"}
    with pytest.raises(UnansweredRequestsError):
        Faithfulness(**options, write_batch="one.jsonl").score("a", ["d"])
    answered("one.jsonl", "claims.jsonl", lambda request: response('{"claims": ["A.", "B."]}'))
    with pytest.raises(UnansweredRequestsError):
        Faithfulness(**options, read_batch=["claims.jsonl"], write_batch="two.jsonl").score("a", ["d"])
    assert "A." in prompt_of(read_rows("two.jsonl")[0]["body"])
    answered("two.jsonl", "support.jsonl", lambda request: response('{"supported": ["yes", "no"]}'))
    assert Faithfulness(**options, read_batch=["support.jsonl"]).score("a", ["d"])["faithfulness"] == 0.5
    assert not server.bodies


def test_the_command_ends_well_and_writes_nothing_else(server: JudgeServer, capsys: pytest.CaptureFixture[str]) -> None:
    words = f"llm-judge evaluate macro.json --input-files {outputs('a')} --model m --url {server.url}".split()
    assert main([*words, "--write-batch", "requests.jsonl", "--answers", "answers.jsonl"]) == 0
    err = capsys.readouterr().err
    assert "llm-judge: wrote 1 request to requests.jsonl" in err
    assert "fw: nothing is scored yet" in err
    assert not Path("macro.json").exists()
    assert not Path("answers.jsonl").exists()
    answered("requests.jsonl", "results.jsonl")
    assert main([*words, "--read-batch", "results.jsonl"]) == 0
    assert "read 1 answer of results.jsonl" in capsys.readouterr().err
    assert json.loads(Path("macro.json").read_text())["metrics"]["llm-judge"] == 1


MALFORMED = [
    ({"custom_id": "mine", "response": {}}, "custom_id"),
    ({"response": {}}, "custom_id"),
    ({"custom_id": "a" * 64, "body": {}}, "is a request"),
]


@pytest.mark.parametrize(("row", "message"), MALFORMED)
def test_a_file_that_is_no_result_is_named(row: Row, message: str, server: JudgeServer) -> None:
    Path("results.jsonl").write_text(json.dumps(row))
    with pytest.raises(DataError, match=rf"results\.jsonl:1: .*{message}"):
        judge(server, read_batch=["results.jsonl"]).score("a", "s")


def test_a_response_that_is_no_completion_counts_as_failed(server: JudgeServer) -> None:
    Path("results.jsonl").write_text(json.dumps({"custom_id": "a" * 64, "response": {"status_code": 200, "body": {}}}))
    metric = judge(server, read_batch=["results.jsonl"], failed="undefined")
    metric.score("a", "s")
    assert "1 request failed, the first: " in "".join(metric.notes())
    assert "is not a chat completion" in "".join(metric.notes())


def test_a_refusal_in_a_batch_is_an_answer(server: JudgeServer) -> None:
    with pytest.raises(UnansweredRequestsError):
        judge(server, write_batch="requests.jsonl").score("a", "s")
    refused = {"status_code": 400, "body": {"error": {"code": "content_filter", "message": "no"}}}
    answered("requests.jsonl", "results.jsonl", lambda request: refused)
    assert judge(server, read_batch=["results.jsonl"]).score("a", "s")["llm-judge_invalid"] == 1


def test_keys_in_a_batch_are_removed(server: JudgeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-0123456789")
    with pytest.raises(UnansweredRequestsError):
        judge(server, write_batch="requests.jsonl").score("a", "s")
    assert "sk-secret" not in Path("requests.jsonl").read_text()
    answered("requests.jsonl", "results.jsonl", lambda request: response('sk-secret-0123456789 {"score": 3}'))
    judge(server, read_batch=["results.jsonl"], answers="answers.jsonl").score("a", "1", "x", "s")
    (row,) = read_rows("answers.jsonl")
    assert row["score"] == 3
    assert "secret" not in row["answer"]


def test_options_that_do_not_fit_are_refused(server: JudgeServer) -> None:
    for options in ({"write_batch": "a.jsonl"}, {"read_batch": ["a.jsonl"]}):
        with pytest.raises(UsageError, match="'cache' must be true with batch files"):
            judge(server, cache=False, **options)
    with pytest.raises(UsageError, match=r"ends in \.jsonl"):
        judge(server, write_batch="a.json")
    Path("results.jsonl").write_text(json.dumps({"custom_id": "a" * 64, "response": {}}))
    with pytest.raises(UsageError, match="is no file of requests"):
        judge(server, write_batch="results.jsonl")


def test_each_judge_of_a_jury_has_its_own_batch(server: JudgeServer) -> None:
    path = outputs("a", "bb")
    options = {"judges": ["org/a+b"], "url": server.url}
    with pytest.raises(UnansweredRequestsError, match="send each batch"):
        evaluate([Jury(**options, write_batch="requests.jsonl", answers="answers.jsonl")], files=path)
    assert not Path("requests.jsonl").exists()
    assert not Path("answers.jsonl").exists()
    for label, model in (("org-a", "org/a"), ("b", "b")):
        assert [one["body"]["model"] for one in read_rows(f"requests.{label}.jsonl")] == [model] * 2
        answered(f"requests.{label}.jsonl", f"results.{label}.jsonl")
    metric = Jury(**options, read_batch=["results.org-a.jsonl"])
    with pytest.raises(OutputError, match=r"judge b: .*not in the cache"):
        evaluate([metric], files=path)
    with pytest.raises(UnansweredRequestsError, match="send the batch"):
        evaluate([Jury(**options, write_batch="rest.jsonl")], files=path)
    assert not Path("rest.org-a.jsonl").exists(), "its answers are in the cache"
    assert len(read_rows("rest.b.jsonl")) == 2
    metric = Jury(**options, read_batch=["results.b.jsonl"])
    result = evaluate([metric], files=path)
    assert result.metrics["jury"] == pytest.approx(1.5)
    assert any("read 2 answers of results.b.jsonl" in note for note in metric.notes())
    assert not server.bodies, "nothing was requested"
