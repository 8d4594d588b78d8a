"""Batch files: requests that an endpoint answers later, in the format of OpenAI-compatible services."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from metrics_framework.common.errors import DataError, FwError, counted
from metrics_framework.io.jsonl import LineFile, read_jsonl

PATH = "/v1/chat/completions"
MAX_REQUESTS = 50_000
"""The most requests in one file that OpenAI accepts."""
_BODY = "body"
_ID, _IDS = "custom_id", re.compile("[0-9a-f]{64}")


class UnansweredRequestsError(FwError):
    """A run ends before it scores outputs, because its requests are now in a batch file, as ``--write-batch`` asks."""

    exit_code = 0
    kind = ""


class BatchFile:
    """A file of requests.

    Args:
        path: The file.

    Raises:
        UsageError: if its name does not end with ``.jsonl``, or it exists and has something other than requests.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._file = LineFile(path, "requests", _BODY)
        self._ids: set[str] = set()

    @property
    def count(self) -> int:
        """The number of requests."""
        return len(self._ids)

    def add(self, key: str, body: Mapping[str, Any]) -> None:
        """Adds a request, once."""
        if key not in self._ids:
            self._ids.add(key)
            self._file.add([{_ID: key, "method": "POST", "url": PATH, _BODY: dict(body)}])

    def write(self) -> None:
        """Writes the requests added since the last call."""
        self._file.write()

    def note(self) -> str:
        """Describes the file in one line."""
        too_many = f"; OpenAI accepts {MAX_REQUESTS:,} per file: split it" if self.count > MAX_REQUESTS else ""
        return f"wrote {counted(self.count, 'request')} to {self.path}{too_many}"


class BatchAnswer(NamedTuple):
    """The answer to a request of a batch.

    Attributes:
        key: The key of the request.
        status: The HTTP status; 0 if the request was not made.
        value: The body of the response, or the error.
    """

    key: str
    status: int
    value: Any


def read_batch(path: str) -> Iterator[BatchAnswer]:
    """Yields the answers in a file of results.

    Raises:
        DataError: if a line is no answer to a request of this package.
    """
    for line, row in read_jsonl(path):
        key, response, error = row.get(_ID), row.get("response"), row.get("error")
        if not isinstance(key, str) or not _IDS.fullmatch(key):
            raise DataError(f"'{_ID}' must be that of a request that --write-batch wrote, got {key!r}", path, line)
        if _BODY in row and response is None and error is None:
            raise DataError("is a request; --read-batch reads the results that the endpoint returns", path, line)
        if isinstance(response, Mapping):
            status = response.get("status_code")
            yield BatchAnswer(key, status if isinstance(status, int) else 200, response.get("body"))
        else:
            yield BatchAnswer(key, 0, {"error": error if error is not None else "no response"})
