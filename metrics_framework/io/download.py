"""Downloads files of a known size and sum, so that a half or a wrong one is never taken for whole.

A file is written to ``<target>.part`` and takes its name when its size and SHA-256 are those expected. A download that
was cut off goes on where it stopped; what was put together so and has a wrong sum is begun anew, once: its first part
may have been of another kind, such as the page on which one logs in to a network. Nothing but the standard library is
used, and that only when something is downloaded.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any, NamedTuple

from metrics_framework.common.errors import DataError, DownloadError, UnreachableError, UsageError
from metrics_framework.version import __version__

MIRROR = "FW_DATA_MIRROR"
GITHUB = "https://raw.githubusercontent.com"
_BLOCK = 1 << 16
_PARTIAL_CONTENT, _RANGE_NOT_SATISFIABLE = 206, 416
_WORTH_ANOTHER_TRY = (408, 416, 425, 429, 500, 502, 503, 504)


class Patience(NamedTuple):
    """How long a download is waited for.

    Attributes:
        timeout: So many seconds without a byte end a try.
        attempts: So many tries are made when the connection fails or the server has a passing problem.
        pause: Seconds between the first two tries; twice as many before each further one.
    """

    timeout: float = 30.0
    attempts: int = 3
    pause: float = 1.0


PATIENCE = Patience()


class _Interrupted(Exception):  # noqa: N818 - it says what happened
    """The download broke off; another try may go on."""

    error = DownloadError


class _Unreached(_Interrupted):
    """There was no way to the server."""

    error = UnreachableError


def mirrored(url: str) -> str:
    """Returns the address to ask: that of the mirror in ``FW_DATA_MIRROR``, if there is one and the file is of GitHub.

    ``https://raw.githubusercontent.com/<owner>/<repository>/<commit>/<path>`` becomes
    ``$FW_DATA_MIRROR/<owner>/<repository>/<commit>/<path>``.

    Raises:
        UsageError: if the mirror is not the address of a web server.
    """
    mirror = os.environ.get(MIRROR, "").rstrip("/")
    if not mirror:
        return url
    if not mirror.startswith(("http://", "https://")):
        raise UsageError(f"{MIRROR} must start with http:// or https://, got '{mirror}'; a folder goes to --from-dir")
    return mirror + url.removeprefix(GITHUB) if url.startswith(f"{GITHUB}/") else url


def content_problem(path: str, size: int, sha256: str) -> str | None:
    """Returns what is wrong with the content of a file, `None` if it is as expected."""
    found = os.path.getsize(path)
    if found != size:
        return f"has {found:,} bytes, expected {size:,}"
    summed = _sha256(path)
    return None if summed == sha256 else f"has the SHA-256 {summed}, expected {sha256}"


def _sha256(path: str) -> str:
    import hashlib

    digest = hashlib.sha256()
    with open(path, "rb") as stream:
        while block := stream.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def download(
    url: str,
    target: str,
    size: int,
    sha256: str,
    advance: Callable[[int], None] = lambda count: None,
    patience: Patience = PATIENCE,
) -> None:
    """Downloads a file.

    Args:
        url: Its address; redirects are followed within the web.
        target: Where it goes. Beside it, a ``.part`` file of an earlier download is continued.
        size: Its number of bytes.
        sha256: Its SHA-256, as hexadecimal digits.
        advance: Is told how many more bytes have come; a number below zero, how many were thrown away again.
        patience: How long to wait, and how often to try.

    Raises:
        DownloadError: if it cannot be had, or is not the file expected; then there is no target, and no ``.part`` file
            with a wrong sum.
        UnreachableError: if that is because the server cannot be reached.
        DataError: if another process is downloading it, or the disk is full.
        UsageError: if the target cannot be written to.
    """
    part = f"{target}.part"
    with _written_to(part), _alone(part):
        if os.path.isfile(target) and content_problem(target, size, sha256) is None:
            _remove(part)  # another process has just brought the file
            return
        try:
            _bring(part, url, size, sha256, advance, patience)
        except DownloadError as error:
            if os.path.isfile(part) and not os.path.getsize(part):
                _remove(part)
            raise type(error)(_advised(url, target, str(error))) from None
        os.replace(part, target)


@contextmanager
def _written_to(part: str) -> Iterator[None]:
    """Makes the folder of a file, and names the file when the system refuses to write to it."""
    try:
        os.makedirs(os.path.dirname(os.path.abspath(part)), exist_ok=True)
        with open(part, "ab"):
            pass
    except OSError as error:
        raise UsageError(f"cannot write to '{part}': {error.strerror or error}") from None
    try:
        yield
    except OSError as error:
        raise DataError(f"cannot be written: {error.strerror or error}", part) from None


@contextmanager
def _alone(part: str) -> Iterator[None]:
    """Refuses to write to a file that another process writes to, where the system can tell.

    Raises:
        DataError: if one does.
    """
    try:
        import fcntl
    except ImportError:
        yield
        return
    with open(part, "ab") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise DataError("is being downloaded by another process; wait for it to end", part) from None
        except OSError:
            pass  # a file system without locks: the sum still tells when two have written to it
        yield


class _Part:
    """What there is of a file so far.

    Args:
        stream: It, open for appending.
        advance: Is told of what comes, and of what is thrown away of that.

    Attributes:
        size: Its number of bytes.
        joined: Whether these are of an earlier time, or from more than one answer.
    """

    def __init__(self, stream: IO[bytes], advance: Callable[[int], None]) -> None:
        self.size = stream.seek(0, os.SEEK_END)
        self.joined = self.size > 0
        self._stream = stream
        self._advance = advance
        self._told = 0

    def append(self, block: bytes) -> None:
        """Adds what has come."""
        self._stream.write(block)
        self._stream.flush()
        self.size += len(block)
        self._told += len(block)
        self._advance(len(block))

    def clear(self) -> None:
        """Throws all of it away."""
        self._stream.truncate(0)
        self._advance(-self._told)
        self.size = self._told = 0
        self.joined = False


def _bring(path: str, url: str, size: int, sha256: str, advance: Callable[[int], None], patience: Patience) -> None:
    """Brings a file to its size and sum; what was put together and has a wrong one is begun anew, once.

    Raises:
        DownloadError: if it cannot be had, or is another file than expected; such a one is deleted.
    """
    with open(path, "ab") as stream:
        part = _Part(stream, advance)
        _complete(part, url, size, patience)
        problem = content_problem(path, size, sha256)
        if problem is not None and part.joined:
            part.clear()
            _complete(part, url, size, patience)
            problem = content_problem(path, size, sha256)
    if problem is not None:
        _remove(path)
        raise DownloadError(f"what came is not the file expected: it {problem}; it was deleted")


def _remove(part: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(part)


def _complete(part: _Part, url: str, size: int, patience: Patience) -> None:
    """Brings a file to its size, in several tries if need be."""
    last = _Interrupted()
    for attempt in range(patience.attempts):
        if attempt:
            time.sleep(patience.pause * 2 ** (attempt - 1))
        if part.size > size:
            part.clear()
        try:
            if part.size < size:
                _append(part, url, size, patience.timeout)
        except _Interrupted as interruption:
            last = interruption
        else:
            return
    raise last.error(f"{last} (tried {patience.attempts} times)")


def _advised(url: str, target: str, reason: str) -> str:
    return (
        f"cannot download {url}: {reason}\n"
        f"fw: it was to become {target}\n"
        f"fw: without a network, get the file elsewhere and give --from-dir DIR, or set {MIRROR}=URL to a server that "
        f"has what {GITHUB} has"
    )


def _append(part: _Part, url: str, size: int, timeout: float) -> None:
    """Asks for what is missing of a file, and writes it as it comes."""
    with _opened(url, part, timeout) as response:
        start = _start(response)
        if start != part.size:
            part.clear()
        if start != part.size:
            raise _Interrupted("the server sent another part of the file than it was asked for")
        _check_length(response, size, start)
        part.joined = start > 0
        for block in _blocks(response):
            part.append(block)
            if part.size > size:
                part.clear()
                raise DownloadError(f"it has more than the {size:,} bytes expected")
    if part.size < size:
        raise _Interrupted(f"the connection ended after {part.size:,} of {size:,} bytes")


def _opened(url: str, part: _Part, timeout: float) -> Any:
    """Asks for a file, from where the part of it ends.

    Raises:
        _Interrupted: if that may work another time.
        DownloadError: if it will not.
    """
    from http.client import HTTPException
    from urllib.error import HTTPError
    from urllib.request import Request

    headers = {"User-Agent": f"metrics-framework/{__version__}", "Accept-Encoding": "identity"}
    if part.size:
        headers["Range"] = f"bytes={part.size}-"
    try:
        return _opener().open(Request(url, headers=headers), timeout=timeout)
    except HTTPError as error:
        error.close()
        if error.code == _RANGE_NOT_SATISFIABLE:
            part.clear()
        answer = f"the server answered {error.code} {error.reason}"
        if error.code in _WORTH_ANOTHER_TRY:
            raise _Interrupted(answer) from None
        raise DownloadError(answer) from None
    except (OSError, HTTPException) as error:
        raise _Unreached(_reason(error)) from None
    except ValueError as error:
        raise DownloadError(f"it is not an address of the web: {error}") from None


def _opener() -> Any:
    """Returns what opens addresses of the web, and no others: neither files nor FTP, not even after a redirect."""
    from urllib import request

    opener = request.OpenerDirector()
    for handler in (
        request.ProxyHandler,
        request.UnknownHandler,
        request.HTTPHandler,
        request.HTTPSHandler,
        request.HTTPDefaultErrorHandler,
        request.HTTPRedirectHandler,
        request.HTTPErrorProcessor,
    ):
        opener.add_handler(handler())
    return opener


def _start(response: Any) -> int:
    """Returns from which byte on an answer has the file; a server may send all of it instead of what was asked for."""
    if response.status != _PARTIAL_CONTENT:
        return 0
    first = _number(response.headers.get("Content-Range", "").removeprefix("bytes ").partition("-")[0])
    return -1 if first is None else first


def _check_length(response: Any, size: int, have: int) -> None:
    length = _number(response.headers.get("Content-Length", ""))
    if length is not None and have + length != size:
        raise DownloadError(f"the server has {have + length:,} bytes, expected {size:,}")


def _number(text: str) -> int | None:
    """Returns the number of bytes in a header; `None` for what is none, or longer than any file."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 20 else None


def _blocks(response: Any) -> Iterator[bytes]:
    from http.client import HTTPException

    while True:
        try:
            block = response.read1(_BLOCK)
        except (OSError, HTTPException) as error:
            raise _Interrupted(_reason(error)) from None
        if not block:
            return
        yield block


def _reason(error: Exception) -> str:
    """Says what went wrong on the way to a server."""
    cause = getattr(error, "reason", error)
    if isinstance(cause, TimeoutError):
        return "no answer in time"
    return str(cause) or type(cause).__name__
