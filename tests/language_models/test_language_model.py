"""Requests to an endpoint that is slow, rude or honest: what is repeated, kept, counted and reported."""

from __future__ import annotations

import gzip
import json
import re
import threading
import time
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest
from judge_server import (
    Handler,
    JudgeServer,
    Reply,
    after,
    completion,
    cut_off,
    dripping,
    dripping_headers,
    hanging,
    honest,
    judging,
    prompt_of,
    rubbish,
    says,
    status,
    where,
)
from messages import CANNOT_USE_THE_CACHE
from samples import sampled

from metrics_framework.common.errors import EndpointError, MissingExtraError, UsageError
from metrics_framework.common.installation import install_extra
from metrics_framework.language_models import language_model
from metrics_framework.language_models.answers import Answer
from metrics_framework.language_models.endpoint import RequestFailure, base_url, check_key_variable
from metrics_framework.language_models.language_model import LanguageModel, RateLimit

pytest.importorskip("httpx", reason="needs the extra 'judge'")
KEY = "sk-secret-0123456789"


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[JudgeServer]:
    """Runs a server, with an empty cache and short waits."""
    monkeypatch.setenv("FW_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setattr(language_model, "FIRST_WAIT", 0.001)
    with judging() as running:
        yield running


def body(text: str) -> dict[str, Any]:
    return {"model": "m", "messages": [{"role": "user", "content": text}]}


def model(server: JudgeServer, **options: Any) -> LanguageModel:
    return LanguageModel(server.url, "OPENAI_API_KEY", **{"time_limit": 5.0, "retries": 3, **options})


def echo(handler: Any, request: dict[str, Any]) -> None:
    """Answers with the prompt."""
    says(prompt_of(request))(handler, request)


def texts(answers: list[Answer | RequestFailure]) -> list[str]:
    return [answer.text if isinstance(answer, Answer) else f"failed: {answer.message}" for answer in answers]


# ---- order, concurrency, cache ---------------------------------------------------------------------------------------


def test_answers_are_in_the_order_of_the_requests_whatever_their_own_order(server: JudgeServer) -> None:
    def slower_first(handler: Any, request: dict[str, Any]) -> None:
        after(0.02 * (5 - int(prompt_of(request))), echo)(handler, request)

    server.reply = slower_first
    prompts = list("0123401234")
    assert texts(model(server, concurrency=5).answers(list(map(body, prompts)))) == prompts
    assert len(server.bodies) == 5, "equal requests are made once"


def test_requests_are_in_progress_at_the_same_time_but_not_too_many(server: JudgeServer) -> None:
    lock, full, now, most = threading.Lock(), threading.Event(), 0, 0

    def counted(handler: Any, request: dict[str, Any]) -> None:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        if now == 3:
            full.set()
        full.wait(5)
        after(0.01, echo)(handler, request)
        with lock:
            now -= 1

    server.reply = counted
    model(server, concurrency=3).answers([body(str(number)) for number in range(12)])
    assert most == 3


def test_a_repeated_run_makes_no_requests(server: JudgeServer) -> None:
    bodies = [body(str(number)) for number in range(20)]
    first = model(server)
    expected = texts(first.answers(bodies))
    assert (first.counts.answered, first.counts.cached, len(server.bodies)) == (20, 0, 20)
    second = model(server)
    assert texts(second.answers(bodies)) == expected
    assert (second.counts.answered, second.counts.cached, len(server.bodies)) == (0, 20, 20)
    assert (second.counts.input_tokens, first.counts.input_tokens) == (0, 2000)


def test_an_answer_is_kept_for_its_endpoint_and_its_whole_request_only(server: JudgeServer) -> None:
    model(server).answers([body("a")])
    model(server).answers([{**body("a"), "seed": 1}])
    LanguageModel(server.url.replace("127.0.0.1", "localhost"), "NO_KEY").answers([body("a")])
    assert len(server.bodies) == 3


def test_without_a_cache_nothing_is_written(server: JudgeServer, tmp_path: Path) -> None:
    for _ in range(2):
        model(server, cache=False).answers([body("a")])
    assert len(server.bodies) == 2
    assert not (tmp_path / "cache").exists()


def test_without_calls_only_the_cache_answers(server: JudgeServer) -> None:
    model(server).answers([body("a")])
    known, unknown = model(server, calls=False).answers([body("a"), body("b")])
    assert isinstance(known, Answer)
    assert isinstance(unknown, RequestFailure)
    assert "not in the cache" in unknown.message
    assert len(server.bodies) == 1


def test_the_rate_limit_spaces_requests(server: JudgeServer) -> None:
    start = time.monotonic()
    model(server, requests_per_minute=1200).answers([body(str(number)) for number in range(5)])
    assert time.monotonic() - start >= 4 * 60 / 1200


# ---- failures that pass ----------------------------------------------------------------------------------------------

PASSING: dict[str, Reply] = {
    **{f"status {code}": status(code) for code in (408, 409, 425, 429, 500, 502, 503, 504, 529)},
    "cut off": cut_off,
    "rubbish": rubbish(b"<html>Bad gateway</html>"),
    "an empty body": rubbish(b""),
    "bytes": rubbish(b"\xff\xfe\x00"),
    "other JSON": rubbish(b"[]"),
    "no choices": rubbish(b'{"choices": []}'),
    "a number for a text": rubbish(json.dumps({"choices": [{"message": {"content": 5}}]}).encode()),
    "deep nesting": rubbish(b"[" * 100_000),
    "an error with status 200": rubbish(b'{"error": {"message": "overloaded", "code": 503}}'),
}


@pytest.mark.parametrize("name", sampled(PASSING, 6))
def test_a_request_is_repeated_after_a_failure_that_may_pass(name: str, server: JudgeServer) -> None:
    server.script, server.reply = [PASSING[name]] * 2, echo
    asked = model(server, concurrency=1)
    assert texts(asked.answers([body("a")])) == ["a"]
    assert (asked.counts.retries, len(server.bodies)) == (2, 3)


def test_an_answer_that_hangs_is_requested_again(server: JudgeServer) -> None:
    server.script = [honest, hanging]
    asked = model(server, time_limit=0.5, concurrency=1)
    asked.answers([body("a"), body("b")])
    assert asked.counts.retries >= 1


@pytest.mark.parametrize("reply", [dripping, dripping_headers])
def test_an_answer_that_never_ends_is_given_up(server: JudgeServer, reply: Any) -> None:
    server.script, server.reply = [honest], reply
    asked = model(server, time_limit=0.5, retries=0, concurrency=1)
    _, failure = asked.answers([body("a"), body("b")])
    assert isinstance(failure, RequestFailure)
    assert "no complete answer" in failure.message
    assert "time_limit" in failure.message


def test_the_wait_that_an_endpoint_asks_for_is_kept_by_all_threads(server: JudgeServer) -> None:
    times: list[float] = []

    def timed(handler: Any, request: dict[str, Any]) -> None:
        times.append(time.monotonic())
        honest(handler, request)

    server.script, server.reply = [status(429, Retry_After="0.3")], timed
    start = time.monotonic()
    model(server, concurrency=1).answers([body(str(number)) for number in range(3)])
    assert min(times) - start >= 0.3


def test_a_very_long_wait_ends_the_run(server: JudgeServer) -> None:
    server.reply = status(429, Retry_After="86400")
    with pytest.raises(EndpointError, match=r"status 429: no; it asks for a wait of 86,400 seconds"):
        model(server).answers([body("a")])
    assert len(server.bodies) == 1


# ---- failures that do not --------------------------------------------------------------------------------------------

FATAL: list[tuple[Reply, str]] = [
    (status(401, "bad key"), r"status 401: bad key; no key was sent, because OPENAI_API_KEY is unset"),
    (status(403, "forbidden"), r"status 403: forbidden"),
    (
        status(404, "The model `m` does not exist."),
        r"status 404: The model `m` does not exist\.; check the name of the",
    ),
    (status(402, "pay"), "no credit left"),
    (status(429, "quota", "insufficient_quota"), "no credit left"),
    (status(307, "moved", Location="http://127.0.0.1:1/"), "status 307.*redirects"),
]


@pytest.mark.parametrize(("reply", "message"), FATAL)
def test_a_failure_of_the_endpoint_ends_the_run_immediately(reply: Reply, message: str, server: JudgeServer) -> None:
    server.reply = reply
    with pytest.raises(EndpointError, match=message):
        model(server, concurrency=1).answers([body(str(number)) for number in range(50)])
    assert len(server.bodies) == 1


def test_an_endpoint_that_fails_later_does_not_lose_what_it_answered(server: JudgeServer) -> None:
    server.script, server.reply = [honest] * 3, status(401, "expired")
    bodies = [body(str(number)) for number in range(9)]
    with pytest.raises(EndpointError, match=r"expired.*; the answers that have arrived are in the cache"):
        model(server, concurrency=1).answers(bodies)
    assert sum(isinstance(found, Answer) for found in model(server, calls=False).answers(bodies)) == 3


@pytest.mark.timing
def test_a_wrong_url_is_reported_without_retries() -> None:
    start = time.monotonic()
    with pytest.raises(EndpointError, match=r"cannot connect to http://127\.0\.0\.1:9: .*check that the server is"):
        LanguageModel("http://127.0.0.1:9", "NO_KEY", cache=False).answers([body("a")])
    assert time.monotonic() - start < 5  # the waits of all retries take longer


@pytest.mark.parametrize("code", [400, 413, 422, 501])
def test_a_failing_request_does_not_lose_the_others(code: int, server: JudgeServer) -> None:
    server.reply = where("^b", status(code, "too long"), echo)
    asked = model(server)
    found = texts(asked.answers([body("a"), body("b"), body("c")]))
    assert found == ["a", f"failed: {server.url} answers with status {code}: too long", "c"]
    assert (asked.counts.failed, asked.counts.answered, len(server.bodies)) == (1, 2, 3)
    assert texts(model(server).answers([body("a"), body("c")])) == ["a", "c"]
    assert len(server.bodies) == 3


def test_a_request_that_fails_for_ever_is_given_up_and_the_others_are_kept(server: JudgeServer) -> None:
    server.reply = where("^b", status(500, "overloaded"), echo)
    asked = model(server, retries=2)
    found = texts(asked.answers([body("a"), body("b"), body("c")]))
    assert found[1].endswith("status 500: overloaded (3 attempts)")
    assert (found[0], found[2]) == ("a", "c")
    assert asked.counts.retries == 2


@pytest.mark.parametrize("code", [400, 429, 503])
def test_many_failures_in_a_row_end_the_run(code: int, server: JudgeServer) -> None:
    server.reply = status(code, "out of order")
    with pytest.raises(EndpointError, match=r"requests in a row have failed; the last: .*out of order"):
        model(server, retries=1, concurrency=2).answers([body(str(number)) for number in range(500)])
    assert len(server.bodies) < 60


def test_rejected_requests_do_not_end_a_run_in_which_others_are_answered(server: JudgeServer) -> None:
    server.reply = where("^long", status(400, "too long"), echo)
    bodies = [body("short"), *(body(f"long {number}") for number in range(60)), body("last")]
    found = model(server, concurrency=2).answers(bodies)
    assert [isinstance(answer, Answer) for answer in found] == [True, *[False] * 60, True]


def test_a_proxy_that_cannot_be_used_is_named(server: JudgeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "nonsense://proxy")
    with pytest.raises(UsageError, match="cannot use the proxy or the certificates"):
        model(server).answers([body("a")])


def test_a_content_filter_is_an_answer_and_is_not_paid_twice(server: JudgeServer) -> None:
    server.reply = status(400, "blocked by policy", "content_filter")
    for _ in range(2):
        (answer,) = model(server).answers([body("a")])
        assert isinstance(answer, Answer)
        assert (answer.finish_reason, answer.refusal) == ("content_filter", "blocked by policy")
    assert len(server.bodies) == 1


def test_answers_larger_than_any_answer_are_given_up(server: JudgeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("metrics_framework.language_models.endpoint.MAX_BODY", 1000)
    server.script, server.reply = [honest], rubbish(b" " * 5000)
    _, failure = model(server, concurrency=1).answers([body("a"), body("b")])
    assert isinstance(failure, RequestFailure)
    assert "more than" in failure.message


def encoded(content: bytes, encoding: str) -> Reply:
    return lambda handler, body: handler.send(content, Content_Encoding=encoding)


def test_compressed_answers_are_not_requested_and_read_up_to_the_largest_size(server: JudgeServer) -> None:
    answer = json.dumps(completion("4")).encode()
    requested: list[str | None] = []

    def plain(handler: Handler, body: dict[str, Any]) -> None:
        requested.append(handler.headers.get("Accept-Encoding"))
        handler.send(answer)

    bomb = gzip.compress(bytes(1 << 28))
    server.script = [
        plain,
        encoded(gzip.compress(answer), "gzip"),
        encoded(zlib.compress(answer), "deflate"),
        *(encoded(bomb, name) for name in ("gzip", "zstd", "br", "gzip, gzip")),
        encoded(answer, "gzip"),
    ]
    tracemalloc.start()
    try:
        found = texts(model(server, concurrency=1, retries=0).answers([body(str(number)) for number in range(8)]))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert requested == ["identity"]
    assert found[:3] == ["4", "4", "4"]
    assert "has more than 16 MiB" in found[3]
    for name, message in zip(("zstd", "br", "gzip, gzip"), found[4:7], strict=True):
        assert f"is encoded as '{name}', although 'identity' was requested" in message
    assert "is incomplete or malformed" in found[7]
    assert peak < 1 << 26


def test_a_full_disk_ends_the_run(server: JudgeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: Any) -> None:
        raise UsageError(f"{CANNOT_USE_THE_CACHE}: database or disk is full")

    monkeypatch.setattr(language_model.DiskCache, "put", full)
    with pytest.raises(UsageError, match="disk is full"):
        model(server, concurrency=1).answers([body(str(number)) for number in range(50)])
    assert len(server.bodies) <= 2


# ---- forms of answers ------------------------------------------------------------------------------------------------


def test_the_parts_of_an_answer_are_read(server: JudgeServer) -> None:
    choice = {"message": {"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}}
    server.script = [rubbish(json.dumps({"choices": [choice]}).encode()), says(None, refusal="No.")]
    parts, refusal = model(server, concurrency=1).answers([body("a"), body("b")])
    assert isinstance(parts, Answer)
    assert isinstance(refusal, Answer)
    assert (parts.text, parts.input_tokens) == ("ab", None)
    assert (refusal.text, refusal.refusal, refusal.input_tokens) == ("", "No.", 100)


def test_log_probabilities_are_read_and_kept(server: JudgeServer) -> None:
    value = completion("4")
    top = [{"token": "5", "logprob": -1.0}]
    value["choices"][0]["logprobs"] = {"content": [{"token": "4", "logprob": -0.5, "top_logprobs": top}]}
    server.reply = rubbish(json.dumps(value).encode())
    for _ in range(2):
        (answer,) = model(server).answers([body("a")])
        assert isinstance(answer, Answer)
        assert [tuple(map(tuple, pairs)) for _, pairs in answer.tokens or ()] == [(("5", -1.0), ("4", -0.5))]


# ---- keys ------------------------------------------------------------------------------------------------------------


def test_the_key_is_sent_from_the_named_variable_and_nothing_without_one(
    server: JudgeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    LanguageModel(server.url, "MY_KEY").answers([body("a")])
    model(server).answers([body("b")])
    assert server.keys == [f"Bearer {KEY}", None]


@pytest.mark.parametrize("key", ["sk with space", "sk-ключ", "sk\x07bell"])
def test_a_malformed_key_is_reported_without_it(key: str, server: JudgeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(UsageError) as error:
        model(server).answers([body("a")])
    assert "OPENAI_API_KEY has characters" in str(error.value)
    assert key not in str(error.value)


@pytest.mark.parametrize("name", [KEY, "sk_secret", "", "a b", "$KEY"])
def test_a_key_for_the_name_of_a_variable_is_not_repeated(name: str) -> None:
    with pytest.raises(UsageError) as error:
        check_key_variable(name)
    assert not name or name not in str(error.value)


URLS = [  # given, used
    ("http://localhost:8000/v1", "http://localhost:8000/v1"),
    ("https://a.example/v1/", "https://a.example/v1"),
    ("http://[::1]:8000/v1/chat/completions", "http://[::1]:8000/v1"),
]
NO_URLS = [
    "localhost:8000",
    "ftp://a/v1",
    "http://",
    "http://u:secret@a/v1",
    "http://a/v1?key=secret",
    "http://a:x/v1",
    "http://a#b",
]


@pytest.mark.parametrize(("given", "used"), URLS)
def test_a_url_is_normalized(given: str, used: str) -> None:
    assert base_url(given) == used


@pytest.mark.parametrize("given", NO_URLS)
def test_a_url_that_is_none_or_has_secrets_is_refused(given: str) -> None:
    with pytest.raises(UsageError, match="'url' must be like") as error:
        base_url(given)
    assert "secret" not in str(error.value)


def test_the_url_may_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://a/v1")
    assert (base_url(None), base_url("http://b/v1")) == ("http://a/v1", "http://b/v1")
    monkeypatch.delenv("OPENAI_BASE_URL")
    with pytest.raises(UsageError, match=r"no endpoint; set 'url'"):
        base_url(None)


def test_a_missing_package_is_named(server: JudgeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "httpx", None)
    with pytest.raises(MissingExtraError, match=re.escape(install_extra("judge"))):
        model(server).answers([body("a")])


# ---- interruptions ---------------------------------------------------------------------------------------------------


def test_answers_in_progress_are_kept_when_a_run_is_interrupted(
    server: JudgeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrived = threading.Event()

    def late(handler: Any, request: dict[str, Any]) -> None:
        arrived.set()
        after(0.15, echo)(handler, request)

    class Interrupted(SimpleQueue[Any]):
        def get(self, *arguments: Any, **named: Any) -> Any:
            arrived.wait(5)
            raise KeyboardInterrupt

    def work() -> language_model._Work:
        return original(results=Interrupted())

    original: Callable[..., Any] = language_model._Work
    server.reply = late
    bodies = [body(str(number)) for number in range(10)]
    with monkeypatch.context() as patch:
        patch.setattr(language_model, "_Work", work)
        with pytest.raises(KeyboardInterrupt):
            model(server, concurrency=2).answers(bodies)
    paid = len(server.bodies)
    assert 1 <= paid <= 2
    assert sum(isinstance(found, Answer) for found in model(server, calls=False).answers(bodies)) == paid
    model(server).answers(bodies)
    assert len(server.bodies) == 10, "nothing is paid twice"


class Clock:
    """A clock that a test sets."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_requests_are_spaced_and_unused_time_is_not_saved_up() -> None:
    clock = Clock()
    limit = RateLimit(30, clock)
    assert [limit.reserve() for _ in range(3)] == [0, 2, 4]
    clock.now += 100
    assert [limit.reserve() for _ in range(2)] == [0, 2]


def test_without_a_limit_nothing_waits() -> None:
    limit = RateLimit(None, Clock())
    assert [limit.reserve() for _ in range(3)] == [0, 0, 0]


def test_a_pause_ends_and_the_longest_counts() -> None:
    clock = Clock()
    limit = RateLimit(None, clock)
    limit.pause(5)
    limit.pause(2)
    assert limit.paused() == 5
    clock.now += 6
    assert limit.paused() == 0
