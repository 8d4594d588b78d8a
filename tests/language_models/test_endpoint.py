"""Keys in what a server sends: in no answer, cache, message or log record, in any form and at any position."""

from __future__ import annotations

import base64
import html
import json
import logging
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judge_server import JudgeServer, judging, says, status
from leaking_replies import LEAKS
from samples import sampled

from metrics_framework.common.errors import EndpointError, UsageError
from metrics_framework.language_models.answers import Answer
from metrics_framework.language_models.endpoint import HIDDEN, LOGGERS, MAX_SHOWN, MIN_SECRET, Endpoint, Redactor
from metrics_framework.language_models.language_model import LanguageModel

pytest.importorskip("httpx", reason="needs the extra 'judge'")
KEY = "sk+/\"&'-0123456789abcdefghijklmnop"
BODY = {"model": "m", "messages": [{"role": "user", "content": "a"}]}
FORMS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "header": lambda key: f"Bearer {key}",
    "URL": lambda key: quote(key, safe=""),
    "lower-case URL": lambda key: quote_plus(key).replace("%2B", "%2b").replace("%2F", "%2f").replace("%26", "%26"),
    "JSON": lambda key: json.dumps({"key": key}),
    "HTML": html.escape,
    "hexadecimal": lambda key: key.encode().hex(),
    "base64": lambda key: base64.b64encode(key.encode()).decode(),
    "base64 of a header": lambda key: base64.b64encode(f"Bearer {key}".encode()).decode(),
    "base64 of a user": lambda key: base64.urlsafe_b64encode(f"user0:{key}".encode()).decode(),
}
TRACES = {  # the shortest part of a key that must not remain, in each form
    KEY[:MIN_SECRET],
    repr(KEY[:MIN_SECRET])[1:-1],
    quote(KEY[:MIN_SECRET], safe=""),
    quote(KEY[:MIN_SECRET], safe="").replace("%2B", "%2b").replace("%2F", "%2f"),
    json.dumps(KEY[:MIN_SECRET])[1:-1],
    html.escape(KEY[:MIN_SECRET]),
    KEY[:MIN_SECRET].encode().hex(),
    *(base64.b64encode(b"Bearer "[-number:] + KEY.encode()).decode()[4:14] for number in (1, 2, 3)),
    base64.urlsafe_b64encode(b"user0:" + KEY.encode()).decode()[8:18],
}
POSITIONS = [
    "{}",
    *(f"{'x' * (MAX_SHOWN - size)}{{}}" for size in (0, 1, 8, 9, 20, 40)),
    " " * (4 * MAX_SHOWN - 20) + "{}",
]
"""Where a key is in a text: at its beginning, and where messages end."""


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[JudgeServer]:
    """Runs a server, with a key and an empty cache."""
    monkeypatch.setenv("FW_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with judging() as running:
        yield running


def asked(server: JudgeServer, model: LanguageModel | None = None, **more: object) -> Answer | str:
    """Returns the answer of a server, or all that is known about its failure."""
    try:
        (answer,) = (model or LanguageModel(server.url, "OPENAI_API_KEY", retries=0)).answers([{**BODY, **more}])
    except EndpointError as error:
        return f"{error!r} {error}"
    return answer if isinstance(answer, Answer) else f"{answer!r} {answer} {answer.message}"


def traces(*texts: object) -> list[str]:
    return [trace for trace in TRACES for text in texts if trace in str(text)]


@pytest.mark.parametrize("place", sampled(LEAKS, 2))
def test_no_part_of_a_key_is_stored_or_shown(
    place: str, server: JudgeServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    model = LanguageModel(server.url, "OPENAI_API_KEY", retries=0)
    answered = []
    for number, (form, position) in enumerate(product(FORMS, POSITIONS)):
        server.reply = LEAKS[place](position.replace("{}", FORMS[form](KEY)))
        found = asked(server, model, seed=number)
        assert not traces(repr(found), found), (form, position)
        answered.append(isinstance(found, Answer))
    stored = [path.read_bytes().decode("utf-8", "replace") for path in tmp_path.rglob("*") if path.is_file()]
    assert bool(stored) == any(answered)
    assert not traces(caplog.text, repr(model), vars(model), *stored)


def test_a_key_of_digits_is_removed_from_numbers(
    server: JudgeServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    key = "123456789012"
    monkeypatch.setenv("OPENAI_API_KEY", key)
    content = json.dumps({"choices": [{"message": {"content": "4"}}], "usage": {"prompt_tokens": int(key)}})
    server.reply = lambda handler, body: handler.send(content.encode())
    found = asked(server)
    assert isinstance(found, Answer)
    assert (found.text, found.input_tokens) == ("4", None)
    server.reply = status(429, "later", Retry_After=key)
    monkeypatch.setenv("FW_CACHE", str(tmp_path / "other"))
    assert "wait" not in str(asked(server))
    server.reply = status(401, f"{key} is 1234567 long")
    assert f"{HIDDEN} is 1234567 long; check the key in OPENAI_API_KEY" in str(asked(server))


def test_the_password_of_a_proxy_is_removed(server: JudgeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", f"http://user:proxy%2Bpassword@127.0.0.1:{server.server_port}")
    monkeypatch.setenv("no_proxy", "")
    server.reply = status(401, "proxy+password, proxy%2Bpassword, proxy+pa")
    with pytest.raises(EndpointError) as error:
        LanguageModel("http://models.example/v1", "NO_KEY", cache=False, retries=0).answers([BODY])
    assert f"status 401: {HIDDEN}, {HIDDEN}, {HIDDEN};" in str(error.value)


def test_a_url_that_contains_the_key_is_refused(server: JudgeServer) -> None:
    for key in (KEY, quote(KEY, safe="")):
        with pytest.raises(UsageError, match="'url' contains the key in OPENAI_API_KEY") as error:
            Endpoint(f"{server.url}/{key}", "OPENAI_API_KEY", 1, 1)
        assert not traces(error.value)


def test_an_answer_without_a_key_is_unchanged(server: JudgeServer) -> None:
    text = "sk+/\"&' é 😀 0123456789abcdef " + KEY[: MIN_SECRET - 1]
    server.reply = says(text, "tool_calls")
    found = asked(server)
    assert isinstance(found, Answer)
    assert (found.text, found.finish_reason, found.input_tokens) == (text, "tool_calls", 100)


def test_the_filters_of_log_records_end_with_their_endpoint(server: JudgeServer) -> None:
    def filters() -> int:
        return sum(len(logging.getLogger(name).filters) for name in LOGGERS)

    before = filters()
    endpoint = Endpoint(server.url, "OPENAI_API_KEY", 1, 1)
    assert filters() == before + len(LOGGERS)
    del endpoint
    assert filters() == before


@given(st.text(), st.text(), st.sampled_from(sorted(FORMS)), st.integers(MIN_SECRET, len(KEY)))
def test_any_first_part_is_removed_from_any_text(before: str, after: str, form: str, size: int) -> None:
    said = Redactor([KEY]).text(before + FORMS[form](KEY[:size]) + after)
    assert not traces(said)
    assert said.startswith(before)


@settings(max_examples=30)
@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists))
def test_values_without_a_secret_are_unchanged(value: object) -> None:
    assert repr(Redactor([KEY]).value(value)) == repr(value)
    assert repr(Redactor([]).value([KEY, value])) == repr([KEY, value])


@pytest.mark.parametrize("secret", ["", "EMPTY", "1234567"])
def test_a_short_secret_is_a_placeholder(secret: str) -> None:
    assert Redactor([secret]).text(f"EMPTY 1234567 {secret}") == f"EMPTY 1234567 {secret}"
