"""A client of an OpenAI-compatible endpoint: one request, its answer, and what went wrong."""

from __future__ import annotations

import base64
import html
import json
import logging
import os
import re
import time
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import takewhile
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import quote, unquote, urlsplit

from metrics_framework.common.errors import MissingExtraError, UsageError
from metrics_framework.io.download import MAX_RETRY_AFTER, TEMPORARY_AT_ENDPOINTS, retry_after
from metrics_framework.language_models.answers import Answer

if TYPE_CHECKING:
    import httpx

URL_VARIABLE, KEY_VARIABLE = "OPENAI_BASE_URL", "OPENAI_API_KEY"
MAX_BODY = 16 * 1024 * 1024
PLAIN = ("identity", "")
ENCODINGS = (*PLAIN, "gzip", "x-gzip", "deflate")
"""The encodings of answers that are read: some servers compress although ``identity`` was requested."""
MAX_SHOWN = 300
REFUSING_CODES = ("content_filter", "content_policy_violation", "responsibleaipolicyviolation")
"""The codes of errors by which services refuse a text."""
CREDIT_CODES = ("insufficient_quota", "billing_hard_limit_reached", "billing_not_active")
MAX_CONNECT = 10.0
SECONDS_FOR_THE_LAST_BYTE = 0.25
"""The time after the limit in which a request notices by itself that it is late."""
_VARIABLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

Scope = Literal["attempt", "request", "endpoint", "batch"]


class RequestFailure(Exception):  # noqa: N818 - it is not shown to users
    """A request without an answer.

    Args:
        message: What happened and what to do.
        scope: Whether the same request may succeed later (``attempt``), cannot (``request``), no request of this run
            can (``endpoint``), or it was written to a batch instead (``batch``).
        wait: The seconds to wait that the endpoint asks for.
        reached: Whether the endpoint answered at all.
        attempts: The number of attempts that failed, of a request that was repeated as often as allowed.
    """

    def __init__(
        self, message: str, scope: Scope, wait: float | None = None, reached: bool = True, attempts: int = 0
    ) -> None:
        super().__init__(message)
        self.attempts = attempts
        self.message = message
        self.scope = scope
        self.wait = wait
        self.reached = reached


def base_url(given: str | None) -> str:
    """Returns the base URL of the endpoint, from the option or the environment.

    Raises:
        UsageError: if there is none, or it is not the URL of an endpoint. A URL may not have a password or a query,
            because it is part of messages.
    """
    url = (given or os.environ.get(URL_VARIABLE) or "").strip().rstrip("/")
    if not url:
        raise UsageError(
            "no endpoint; set 'url', for example to http://localhost:8000/v1, or the environment variable "
            f"{URL_VARIABLE}"
        )
    url = url.removesuffix("/chat/completions")
    try:
        parts = urlsplit(url)
        is_valid = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_valid = False
    if not is_valid or parts.username or parts.password or parts.query or parts.fragment:
        raise UsageError(
            "'url' must be like http://localhost:8000/v1 or https://api.example.org/v1, without a user, a password or "
            "a query; keys belong into an environment variable"
        )
    return url


def check_key_variable(name: str) -> None:
    """Checks the name of the variable with the key.

    Raises:
        UsageError: if it is not a name. The message does not repeat it: it may be a key.
    """
    if not _VARIABLE_NAME.fullmatch(name) or name.startswith("sk_"):
        raise UsageError(
            "'key_variable' must be the name of an environment variable, such as OPENAI_API_KEY, not the key itself; "
            "letters, digits and underscores are allowed"
        )


class Endpoint:
    """The endpoint of a language model; threads may share it.

    The key is read from the environment when the object is built, and appears in no message, answer, log record or
    `repr`: all that the server sends passes through a `Redactor` first, which also removes passwords of proxies.

    Args:
        url: The base URL, which ``/chat/completions`` is added to.
        key_variable: The environment variable with the key. Without a value, no key is sent.
        time_limit: The seconds within which an answer must be complete.
        connections: The largest number of simultaneous requests.

    Raises:
        MissingExtraError: if httpx is not installed.
        UsageError: if the key is malformed or part of the URL, or the environment has an invalid proxy.
    """

    def __init__(self, url: str, key_variable: str, time_limit: float, connections: int) -> None:
        try:
            import httpx
        except ImportError as error:
            raise MissingExtraError("a request to a language model", "httpx", "judge") from error
        self.url = url
        self._variable = key_variable
        self._key = _key(key_variable)
        if len(self._key) >= MIN_SECRET and self._key in unquote(url):
            raise UsageError(f"'url' contains the key in {key_variable}, which messages would repeat; remove it")
        self._redactor = Redactor([self._key, *_proxy_passwords()])
        self._time_limit = time_limit
        try:
            self._client = httpx.Client(
                timeout=httpx.Timeout(time_limit, connect=min(time_limit, MAX_CONNECT)),
                limits=httpx.Limits(max_connections=connections, max_keepalive_connections=connections),
                follow_redirects=False,  # another host must not see the key
            )
        except (ValueError, ImportError, OSError, httpx.InvalidURL) as error:  # proxies and certificates
            raise UsageError(
                f"cannot use the proxy or the certificates that the environment sets (HTTP_PROXY, HTTPS_PROXY, "
                f"ALL_PROXY, SSL_CERT_FILE): {self._shown(str(error))}"
            ) from None
        weakref.finalize(self, self._client.close)
        weakref.finalize(self, self._redactor.hide_in_logs())

    def answers(self, body: Mapping[str, Any]) -> list[Answer]:
        """Requests a chat completion, which has several answers if the request asks for them (``n``).

        The tokens of the request are counted with the first answer.

        Args:
            body: The request.

        Raises:
            RequestFailure: if there is no answer.
        """
        status, wait, content = self._sent_in_time(json.dumps(body).encode("ascii"))
        try:
            value = json.loads(content)
        except (ValueError, RecursionError):
            value = None
        return self.answers_in(status, value, wait, content)

    def answers_in(self, status: int, value: Any, wait: float | None = None, content: bytes = b"") -> list[Answer]:
        """Returns the answers in a response.

        Args:
            status: The HTTP status.
            value: The body as a JSON value.
            wait: The wait that the endpoint asks for.
            content: The body, for messages.

        Raises:
            RequestFailure: if there is no answer.
        """
        value = self._redactor.value(value)
        error = value.get("error") if isinstance(value, dict) else None
        if status != 200 or error:
            return [self._failed(status, wait, value, content)]
        try:
            first, *others = sorted(value["choices"], key=lambda choice: choice.get("index") or 0)
            usage = value.get("usage") or {}
            nothing = {} if not usage else {"prompt_tokens": 0, "completion_tokens": 0}
            return [self._answer_of(first, usage), *(self._answer_of(choice, nothing) for choice in others)]
        except (KeyError, IndexError, TypeError, AttributeError, ValueError):
            raise RequestFailure(
                f"the answer of {self.url} is not a chat completion: {self._shown(content)}; check that the URL is "
                f"the base URL of an OpenAI-compatible API, which usually ends with /v1",
                "attempt",
            ) from None

    def _sent_in_time(self, content: bytes) -> tuple[int, float | None, bytes]:
        """Sends a request in a thread of its request.

        httpx limits the time between bytes, so that headers sent byte by byte would take any time. A thread that is
        given up ends when the client is closed.
        """
        results: SimpleQueue[tuple[int, float | None, bytes] | BaseException] = SimpleQueue()

        def send() -> None:
            try:
                results.put(self._send(content))
            except BaseException as error:
                results.put(error)

        Thread(target=send, daemon=True).start()
        try:
            result = results.get(timeout=self._time_limit + SECONDS_FOR_THE_LAST_BYTE)
        except Empty:
            raise self._too_late() from None
        if isinstance(result, BaseException):
            raise result
        return result

    def _send(self, content: bytes) -> tuple[int, float | None, bytes]:
        """Sends a request; returns the status, the wait that the endpoint asks for, and the body."""
        import zlib

        import httpx

        headers = {"Content-Type": "application/json", "Accept-Encoding": "identity"}
        headers |= {"Authorization": f"Bearer {self._key}"} if self._key else {}
        deadline = time.monotonic() + self._time_limit
        try:
            with self._client.stream(
                "POST", f"{self.url}/chat/completions", content=content, headers=headers
            ) as response:
                received = self._body(response, deadline)
                wait = retry_after(self._redactor.value(response.headers.get("retry-after")))
                return response.status_code, wait, received
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.UnsupportedProtocol, httpx.ProxyError) as error:
            why = self._shown(str(error) or "timed out")
            raise RequestFailure(
                f"cannot connect to {self.url}: {why}; check that the server is running and that 'url' names its host "
                f"and port",
                "attempt",
                reached=False,
            ) from None
        except httpx.TimeoutException:
            raise self._too_late() from None
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeError, RuntimeError, zlib.error) as error:
            what = self._shown(str(error) or type(error).__name__)
            raise RequestFailure(f"the answer of {self.url} is incomplete or malformed: {what}", "attempt") from None

    def _body(self, response: httpx.Response, deadline: float) -> bytes:
        """Reads a body, within the time limit and the largest size, also of what compressed bytes expand to."""
        import zlib

        encoding = response.headers.get("content-encoding", "identity").strip().lower()
        if encoding not in ENCODINGS:
            shown = self._shown(encoding)
            raise RequestFailure(
                f"the answer of {self.url} is encoded as '{shown}', although 'identity' was requested", "request"
            )
        unpack = None if encoding in PLAIN else zlib.decompressobj(wbits=47).decompress  # reads gzip and zlib
        received = bytearray()
        for part in response.iter_raw():
            received += part if unpack is None else unpack(part, MAX_BODY + 1 - len(received))
            if len(received) > MAX_BODY:
                raise RequestFailure(f"the answer of {self.url} has more than {MAX_BODY >> 20} MiB", "request")
            if time.monotonic() > deadline:
                raise self._too_late()
        return bytes(received)

    def _too_late(self) -> RequestFailure:
        return RequestFailure(
            f"no complete answer from {self.url} within {self._time_limit:g} seconds; if the model is slow, use a "
            f"larger 'time_limit' or a smaller 'concurrency'",
            "attempt",
        )

    def _answer_of(self, choice: Mapping[str, Any], usage: Mapping[str, Any]) -> Answer:
        message = choice["message"]
        logprobs = (choice.get("logprobs") or {}).get("content")
        tokens = None if logprobs is None else list(map(_token, logprobs))
        joined = "".join(token for token, _ in tokens or ())
        is_safe = self._redactor.text(joined) == joined  # tokens could be parts of the key, and parts of a text, too
        return Answer(
            self._redactor.text(_text(message.get("content"))),
            self._redactor.text(_text(choice.get("finish_reason"))) or "stop",
            self._redactor.text(_text(message.get("refusal"))),
            _count(usage.get("prompt_tokens")),
            _count(usage.get("completion_tokens")),
            self._redactor.text(_text(message.get("reasoning_content") or message.get("reasoning"))),
            tokens if is_safe else None,
        )

    def _failed(self, status: int, wait: float | None, value: Any, content: bytes) -> Answer:
        """Raises the failure of a status; a refusal by a content filter is an answer.

        Raises:
            RequestFailure: for all other failures.
        """
        found = value.get("error", value) if isinstance(value, dict) else value
        error: Mapping[str, Any] = found if isinstance(found, Mapping) else {"message": found}
        codes = {str(error.get(name, "")).lower() for name in ("code", "type")}
        said = error.get("message") or error.get("detail") or (None if isinstance(value, dict) else content)
        shown = self._shown(said if isinstance(said, (str, bytes)) else json.dumps(said if said else value))
        if codes & set(REFUSING_CODES):
            return Answer("", "content_filter", shown)
        if status == 200 and re.fullmatch("[1-5][0-9][0-9]", str(error.get("code", ""))):
            status = int(error["code"])
        raise self._failure(status, codes, shown, wait)

    def _failure(self, status: int, codes: set[str], shown: str, wait: float | None) -> RequestFailure:
        what = f"{self.url} answers with status {status}: {shown}"
        if status == 402 or codes & set(CREDIT_CODES):
            return RequestFailure(f"{what}; the account has no credit left", "endpoint")
        if status in (401, 403):
            unset = f"no key was sent, because {self._variable} is unset"
            return RequestFailure(f"{what}; {f'check the key in {self._variable}' if self._key else unset}", "endpoint")
        if status in (404, 405):
            advice = "check the name of the model, and the URL, which usually ends with /v1"
            return RequestFailure(f"{what}; {advice}", "endpoint")
        if 300 <= status < 400:
            return RequestFailure(f"{what}; it redirects: use the URL that it redirects to", "endpoint")
        if status in TEMPORARY_AT_ENDPOINTS and (wait or 0) > MAX_RETRY_AFTER:
            return RequestFailure(f"{what}; it asks for a wait of {wait:,.0f} seconds: run again later", "endpoint")
        return RequestFailure(what, "attempt" if status in TEMPORARY_AT_ENDPOINTS or status == 200 else "request", wait)

    def _shown(self, text: str | bytes) -> str:
        """Returns the start of what an endpoint says, in one line and without secrets."""
        if isinstance(text, bytes):
            text = text.decode("utf-8", "replace")
        line = " ".join(self._redactor.text(text).split())  # before it is truncated: half a key is secret, too
        return (line if len(line) <= MAX_SHOWN else f"{line[: MAX_SHOWN - 1]}…") or "(empty)"


def _key(variable: str) -> str:
    """Returns the key in a variable; no message repeats it.

    Raises:
        UsageError: if a header cannot contain it.
    """
    key = os.environ.get(variable, "").strip()
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise UsageError(f"the key in the environment variable {variable} has characters that no key has")
    return key


def _proxy_passwords() -> list[str]:
    """Returns the passwords in the URLs of proxies, which a proxy may repeat."""
    from urllib.request import getproxies

    try:
        return [unquote(urlsplit(url).password or "") for url in getproxies().values()]
    except ValueError:  # httpx reports an invalid URL
        return []


def _text(value: Any) -> str:
    """Returns a text that may be null, or a list of parts."""
    if isinstance(value, list):
        return "".join(part["text"] for part in value if part.get("type", "text") == "text")
    if value is None or isinstance(value, str):
        return value or ""
    raise TypeError


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _token(value: Mapping[str, Any]) -> tuple[str, Sequence[tuple[str, float]]]:
    alternatives = [(str(top["token"]), float(top["logprob"])) for top in value.get("top_logprobs") or ()]
    token = str(value["token"])
    if token not in dict(alternatives):
        alternatives.append((token, float(value["logprob"])))
    return token, alternatives


HIDDEN = "[key]"
MIN_SECRET = 8
"""The length below which a key is a placeholder, such as ``EMPTY``, which answers may contain, and the number of
characters from which on the first part of a key is removed, too."""
LOGGERS = ("httpx", "httpcore.connection", "httpcore.http11", "httpcore.proxy", "httpcore.socks")
"""The loggers that report status lines and headers of a server, if a program turns them on."""


class Redactor:
    """Replaces secrets in texts and JSON values.

    A secret is found as it is, URL-encoded, in base64 (at any position, in both alphabets), in hexadecimal digits, and
    escaped as in JSON, HTML or Python; its first characters are found in these forms, too, since a server may truncate
    what it repeats. Other forms, such as a secret in reverse or in several fields, are not found.

    Args:
        secrets: Keys and passwords; those with fewer than eight characters are ignored.

    >>> redactor = Redactor(["sk-0123456789"])
    >>> redactor.text("Bearer sk-0123456789, sk-01234567…, c2stMDEyMzQ1Njc4")
    'Bearer [key], [key]…, [key]'
    >>> redactor.value({"sk-0123456789": ["sk-0123456789", 4]})
    {'[key]': ['[key]', 4]}
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        self._forms: dict[str, set[str]] = {}
        for secret in secrets:
            for encode in _ENCODERS if len(secret) >= MIN_SECRET else ():
                self._forms.setdefault(encode(secret[:MIN_SECRET]), set()).add(encode(secret))
        self._starts = re.compile("|".join(map(re.escape, self._forms)))

    def text(self, text: str) -> str:
        """Returns a text without secrets; call it before the text is shortened."""
        if not self._forms:
            return text
        parts, end = [], 0
        while (found := self._starts.search(text, end)) is not None:
            parts += [text[end : found.start()], HIDDEN]
            end = max(_end_of(form, text, found.start()) for form in self._forms[found[0]])
        return "".join([*parts, text[end:]])

    def value(self, value: Any) -> Any:
        """Returns a JSON value without secrets, also in its keys and numbers."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self.text(key): self.value(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return list(map(self.value, value))
        return value if self.text(shown := str(value)) == shown else HIDDEN

    def hide_in_logs(self) -> Callable[[], None]:
        """Removes secrets from the log records of the HTTP client; returns a function that undoes this."""
        loggers = list(map(logging.getLogger, LOGGERS))

        def redact(record: logging.LogRecord) -> bool:
            record.msg, record.args = self.text(record.getMessage()), ()
            return True

        def undo() -> None:
            for logger in loggers:
                logger.removeFilter(redact)

        for logger in loggers:
            logger.addFilter(redact)
        return undo


def _end_of(form: str, text: str, start: int) -> int:
    """Returns where the longest first part of a form ends that begins at a position of a text."""
    pairs = zip(form, text[start : start + len(form)], strict=False)
    return start + sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _base64(secret: str, offset: int, altchars: bytes) -> str:
    """Returns the characters that a secret determines alone, after a number of bytes modulo 3."""
    encoded = base64.b64encode(bytes(offset) + secret.encode(), altchars).decode("ascii")
    return encoded[-(-offset * 8 // 6) : (offset + len(secret.encode())) * 8 // 6]


def _json(secret: str) -> str:
    return json.dumps(secret)[1:-1]


def _url(secret: str) -> str:
    return quote(secret, safe="")


_ENCODERS: list[Callable[[str], str]] = [
    str,
    _url,
    lambda secret: re.sub("%..", lambda code: code[0].lower(), _url(secret)),
    _json,
    lambda secret: _json(secret).replace("/", "\\/"),
    html.escape,
    lambda secret: secret.replace("\\", "\\\\").replace("'", "\\'"),
    lambda secret: secret.encode().hex(),
    lambda secret: secret.encode().hex().upper(),
    *(partial(_base64, offset=offset, altchars=altchars) for offset in range(3) for altchars in (b"+/", b"-_")),
]
"""The forms of a secret; that of its first characters begins that of the secret."""
