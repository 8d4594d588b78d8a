"""Removes keys and passwords from all that a server sends, before it is stored or printed."""

from __future__ import annotations

import base64
import html
import json
import logging
import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import takewhile
from typing import Any
from urllib.parse import quote

from metrics_framework.common.overriding import overrides

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
        log_filter, loggers = _LogFilter(self), list(map(logging.getLogger, LOGGERS))

        def undo() -> None:
            for logger in loggers:
                logger.removeFilter(log_filter)

        for logger in loggers:
            logger.addFilter(log_filter)
        return undo


class _LogFilter(logging.Filter):
    """Removes secrets from log records."""

    def __init__(self, redactor: Redactor) -> None:
        super().__init__()
        self._redactor = redactor

    @overrides
    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = self._redactor.text(record.getMessage()), ()
        return True


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
