"""``llm-judge --one-request``: endpoints that support, refuse and ignore a request for several answers."""

from __future__ import annotations

import re
from typing import Any

import pytest
from judge_server import Handler, JudgeServer, prompt_of, samples, says, status

from metrics_framework.common.errors import EndpointError, OutputError
from metrics_framework.metrics.llm_judge import LlmJudge

TEXTS = ["a", "b", "c"]


@pytest.fixture
def server(server: JudgeServer) -> JudgeServer:
    """A server whose model is `supporting`."""
    server.reply = supporting
    return server


def score_of(body: dict[str, Any], sample: int) -> float:
    """Depends on seed and number of the sample, so that the origin of a score is known."""
    return 10.0 * body["seed"] + sample


supporting = samples(score_of)
ignoring = samples(score_of, lambda count: 1)
half = samples(score_of, lambda count: min(count, 2))


def refusing(handler: Handler, body: dict[str, Any]) -> None:
    """Refuses requests for several answers."""
    (status(400, "n must be 1") if "n" in body else ignoring)(handler, body)


def judge(server: JudgeServer, **options: Any) -> LlmJudge:
    return LlmJudge(**{"url": server.url, "model": "m", "samples": 3, "one_request": True, "retries": 1, **options})


def evaluated(metric: LlmJudge) -> list[tuple[float, float, float]]:
    found = metric.evaluate(TEXTS, ["s"] * 3)[1]
    return [(one["llm-judge"], one["llm-judge_sd"], one["llm-judge_input_tokens"]) for one in found]


def test_all_samples_come_from_one_request_whose_input_is_counted_once(server: JudgeServer) -> None:
    metric = judge(server, input_price=1, output_price=0)
    assert evaluated(metric) == [(1, 1, 100)] * 3  # scores 0, 1, 2
    assert [body["n"] for body in server.bodies] == [3, 3, 3]
    (note,) = metric.notes()
    assert note.startswith("llm-judge: 9 answers: 0 from the cache, 9 requested; this run used 300 input and 90 output")
    assert evaluated(judge(server, calls=False)) == [(1, 1, 100)] * 3
    assert len(server.bodies) == 3, "a repeated run makes no requests"


CASES = [  # endpoint, scores of the samples of the first prompt and of others, requests, why
    (refusing, [0, 10, 20], [0, 10, 20], 1 + 3 * 3, "failed: .*400: n must be 1"),
    (ignoring, [0, 10, 20], [0, 10, 20], 1 + 2 + 2 * 3, "returned 1"),
    (half, [0, 1, 20], [0, 10, 20], 1 + 1 + 2 * 3, "returned 2"),
]


@pytest.mark.parametrize(("reply", "first", "others", "requests", "why"), CASES)
def test_samples_that_one_request_does_not_return_are_requested_one_by_one(
    reply: Any, first: list[float], others: list[float], requests: int, why: str, server: JudgeServer
) -> None:
    server.reply = reply
    metric = judge(server)
    means = [sum(scores) / 3 for scores in (first, others, others)]
    expected = [pytest.approx(mean) for mean in means]
    assert [mean for mean, _, _ in evaluated(metric)] == expected
    assert len(server.bodies) == requests
    assert any(re.search(rf"a request for 3 samples \(n\) {why}; samples", note) for note in metric.notes())
    for options in ({}, {"calls": False}):
        assert [mean for mean, _, _ in evaluated(judge(server, **options))] == expected
    assert len(server.bodies) == requests, "nothing is paid twice"


def test_answers_of_separate_requests_are_not_paid_again(server: JudgeServer) -> None:
    separate = evaluated(judge(server, one_request=False))
    paid = len(server.bodies)
    assert evaluated(judge(server)) == separate
    assert len(server.bodies) == paid


def test_a_run_that_ends_in_the_middle_pays_nothing_twice(server: JudgeServer) -> None:
    server.reply = lambda handler, body: (
        status(401) if "<output" in prompt_of(body) and "\nb\n" in prompt_of(body) else supporting
    )(handler, body)
    with pytest.raises(EndpointError):
        evaluated(judge(server, concurrency=1))
    done = {prompt_of(body) for body in server.bodies if "\nb\n" not in prompt_of(body)}
    server.reply = supporting
    before = len(server.bodies)
    assert evaluated(judge(server)) == [(1, 1, 100)] * 3
    assert not done & {prompt_of(body) for body in server.bodies[before:]}


def test_a_prompt_that_is_refused_in_any_form_fails_and_decides_nothing_for_the_others(server: JudgeServer) -> None:
    def too_long(handler: Handler, body: dict[str, Any]) -> None:
        (status(400, "too long") if "\na\n" in prompt_of(body) else supporting)(handler, body)

    server.reply = too_long
    metric = judge(server, failed="undefined")
    assert evaluated(metric)[1:] == [(1, 1, 100)] * 2
    assert len(metric.notes()) == 1
    with pytest.raises(OutputError, match="too long"):
        evaluated(judge(server))


def test_one_sample_needs_no_n_and_the_signature_states_the_option(server: JudgeServer) -> None:
    server.reply = says('{"score": 1}')
    judge(server, samples=1).score("a", "s")
    assert "n" not in server.bodies[0]
    assert "one_request" not in judge(server, one_request=False).signature()
    assert "|samples:3|one_request:yes|" in judge(server).signature()
