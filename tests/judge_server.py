"""A local server with the API of OpenAI's chat completions: honest, slow or rude, as a test asks."""

from __future__ import annotations

import functools
import hashlib
import json
import math
import re
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from http.server import BaseHTTPRequestHandler
from threading import Lock, Thread
from typing import Any

from web_server import LocalServer, running

Reply = Callable[["Handler", dict[str, Any]], None]


class JudgeServer(LocalServer):
    """Answers chat completions.

    Attributes:
        reply: Answers each request; by default `honest`.
        script: The answers to the next requests; `reply` answers those after.
        bodies: The body of every request.
        keys: The header ``Authorization`` of every request.
    """

    def __init__(self) -> None:
        super().__init__(Handler)
        self.reply: Reply = honest
        self.script: list[Reply] = []
        self.bodies: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.lock = Lock()

    @property
    def url(self) -> str:
        return f"{super().url}/v1"


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    server: JudgeServer
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # one packet per answer
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            self.server.bodies.append(body)
            self.server.keys.append(self.headers.get("Authorization"))
            reply = self.server.script.pop(0) if self.server.script else self.server.reply
        reply(self, body)

    def log_message(self, format: str, *args: Any) -> None:
        """Logs nothing."""

    def send(self, content: bytes, status: int = 200, length: int | None = None, **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(content) if length is None else length))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(content)
        self.wfile.flush()

    def hang_up(self) -> None:
        self.close_connection = True


def prompt_of(body: dict[str, Any]) -> str:
    """Returns the last message."""
    return str(body["messages"][-1]["content"])


def texts_of(body: dict[str, Any]) -> dict[str, str]:
    """Returns the texts of the last message by their tags, as a reader would who believes the fence only."""
    prompt = prompt_of(body)
    (fence,) = set(re.findall(r"number ([0-9]{12})[ ,.]", prompt))
    return dict(re.findall(rf"^<([\w-]+)-{fence}>\n(.*?)\n</\1-{fence}>$", prompt, re.DOTALL | re.MULTILINE))


def digest_of(body: dict[str, Any]) -> int:
    """Returns a number that depends on the whole request."""
    return int(hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()[:8], 16)


def completion(text: str | None, finish_reason: str = "stop", usage: bool = True, **message: Any) -> dict[str, Any]:
    """Returns a chat completion with 100 input tokens and 10 output tokens."""
    value: dict[str, Any] = {
        "choices": [{"message": {"role": "assistant", "content": text, **message}, "finish_reason": finish_reason}]
    }
    if usage:
        value["usage"] = {"prompt_tokens": 100, "completion_tokens": 10}
    return value


def says(text: str | None, finish_reason: str = "stop", usage: bool = True, **message: Any) -> Reply:
    """Answers with a text."""
    content = json.dumps(completion(text, finish_reason, usage, **message)).encode()
    return lambda handler, body: handler.send(content)


def says_tokens(*tokens: str | dict[str, float], text: str | None = None, **message: Any) -> Reply:
    """Answers with tokens and their log-probabilities.

    Args:
        tokens: Tokens; several with their probabilities, of which the first is part of the answer.
        text: The text, if it is not that of the tokens.
        message: Further members of the message.
    """
    content = []
    for token in tokens:
        tops = {token: 1.0} if isinstance(token, str) else token
        listed = [{"token": top, "logprob": math.log(probability)} for top, probability in tops.items()]
        content.append({**listed[0], "top_logprobs": listed})
    value = completion("".join(str(token["token"]) for token in content) if text is None else text, **message)
    value["choices"][0]["logprobs"] = {"content": content}
    return rubbish(json.dumps(value).encode())


def honest(handler: Handler, body: dict[str, Any]) -> None:
    """Answers in the form that the shipped templates ask for; the value depends on the request only."""
    prompt, number = prompt_of(body), digest_of(body)
    if '{"claims"' in prompt:
        text = json.dumps({"claims": [f"Claim {index}." for index in range(number % 4)]})
    elif '{"supported"' in prompt:
        claims = max(1, len(re.findall(r"^\[\d+-\d{12}\] Claim", prompt, re.MULTILINE)))
        text = json.dumps({"supported": [("yes", "no")[(number >> index) % 2] for index in range(claims)]})
    elif "[[C]]" in prompt:
        text = f"Both are short. [[{'ABC'[number % 3]}]]"
    elif '{"score"' in prompt:
        text = json.dumps({"score": number % 101})
    else:
        text = str(1 + number % 3)
    says(text)(handler, body)


def samples(number: Callable[[dict[str, Any], int], float], supports: Callable[[int], int] = int) -> Reply:
    """Answers with a score for each sample that a request asks for (``n``), in any order.

    Args:
        number: Returns the score of a sample, given the request and the number of the sample.
        supports: Returns how many answers a request for some gets.
    """

    def reply(handler: Handler, body: dict[str, Any]) -> None:
        texts = [json.dumps({"score": number(body, sample)}) for sample in range(supports(body.get("n", 1)))]
        choices = [
            {"index": index, "message": {"content": text}, "finish_reason": "stop"} for index, text in enumerate(texts)
        ]
        usage = {"prompt_tokens": 100, "completion_tokens": 10 * len(texts)}
        handler.send(json.dumps({"choices": choices[::-1], "usage": usage}).encode())

    return reply


def status(code: int, message: str = "no", error_code: str | None = None, **headers: str) -> Reply:
    """Answers with an error."""
    content = json.dumps({"error": {"message": message, "code": error_code}}).encode()
    return lambda handler, body: handler.send(content, code, **headers)


def rubbish(content: bytes, code: int = 200) -> Reply:
    """Answers with any bytes."""
    return lambda handler, body: handler.send(content, code)


def cut_off(handler: Handler, body: dict[str, Any]) -> None:
    """Sends half of an answer and closes the connection."""
    content = json.dumps(completion('{"score": 5}')).encode()
    handler.send(content[: len(content) // 2], length=len(content))
    handler.hang_up()


def dripping(handler: Handler, body: dict[str, Any]) -> None:
    """Sends a byte from time to time, so that no single wait is long, until the test ends."""
    handler.send(b"", length=1000)
    while not handler.server.released.wait(0.02):
        handler.wfile.write(b" ")
        handler.wfile.flush()
    handler.hang_up()


def dripping_headers(handler: Handler, body: dict[str, Any]) -> None:
    """Sends headers byte by byte until the test ends."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    with suppress(OSError):
        while not handler.server.released.wait(0.02):
            handler.wfile.write(b"a")
            handler.wfile.flush()
    handler.hang_up()


def hanging(handler: Handler, body: dict[str, Any]) -> None:
    """Sends nothing until the test ends."""
    handler.server.released.wait()
    handler.hang_up()


def after(seconds: float, reply: Reply = honest) -> Reply:
    """Answers later."""

    def late(handler: Handler, body: dict[str, Any]) -> None:
        handler.server.released.wait(seconds)
        reply(handler, body)

    return late


def where(pattern: str, reply: Reply, otherwise: Reply = honest) -> Reply:
    """Answers differently if the last message has a match."""
    return lambda handler, body: (reply if re.search(pattern, prompt_of(body)) else otherwise)(handler, body)


def judging() -> AbstractContextManager[JudgeServer]:
    """Runs a server in a thread."""
    return running(JudgeServer())


@functools.cache
def lasting_url() -> str:
    """Starts a server that runs as long as the tests; returns its base URL."""
    server = JudgeServer()
    Thread(target=server.serve_forever, daemon=True).start()
    return server.url
