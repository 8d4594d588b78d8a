"""Downloads files of known size and SHA-256, and archives with a known MD5 sum.

A file is in a temporary file until it was downloaded completely and its sum was verified. Only the standard library is
used, and imported only for a download.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from metrics_framework.common.errors import DownloadError, UnreachableError, UsageError
from metrics_framework.io.content import digest_of
from metrics_framework.io.writing import replacing
from metrics_framework.version import __version__

if TYPE_CHECKING:
    import random

MIRROR_VARIABLE = "FW_DATA_MIRROR"
GITHUB = "https://raw.githubusercontent.com"
_BLOCK = 1 << 20
TIMEOUT = 30.0
"""The number of seconds without data after which an attempt fails."""


# ---- which failed requests are repeated, and when: downloads, and the endpoints of language models -------------------

MAX_WAIT = 30.0
MAX_RETRY_AFTER = 600.0
"""The longest wait that an endpoint may ask for; a request that would have to wait longer fails."""
TEMPORARY = frozenset({408, 425, 429, 500, 502, 503, 504})
"""The status codes after which the same request may succeed."""
TEMPORARY_AT_ENDPOINTS = TEMPORARY | {409, 520, 521, 522, 523, 524, 529}
"""Those of endpoints of language models, which may be overloaded, or reached through a proxy."""


@dataclass
class Retries:
    """How often a failed request is repeated, and how long to wait before.

    Args:
        most: The largest number of repetitions of one request.
        first_wait: The seconds before the first repetition.
        chance: The source of jitter, which keeps threads from repeating their requests at the same time; `None` for no
            jitter.
    """

    most: int
    first_wait: float
    chance: random.Random | None = None

    def wait(self, attempt: int, retry_after: float | None = None) -> float:
        """Returns the seconds to wait before the next attempt.

        The wait doubles up to half a minute. Jitter multiplies it by a random factor from ½ to 1. It is never shorter
        than the endpoint asks for.

        Args:
            attempt: The number of failed attempts, from 1.
            retry_after: What the endpoint asks for.
        """
        doubled = min(MAX_WAIT, self.first_wait * 2.0 ** min(attempt - 1, 30))
        return max(retry_after or 0.0, doubled if self.chance is None else doubled * self.chance.uniform(0.5, 1.0))


def retry_after(value: str | None, now: float | None = None) -> float | None:
    """Returns the seconds of a header ``Retry-After``: a number of seconds or a date; `None` if it is neither.

    >>> retry_after("2"), retry_after("Thu, 01 Jan 1970 00:01:40 GMT", now=40), retry_after("soon")
    (2.0, 60.0, None)
    """
    if value is None:
        return None
    from email.utils import parsedate_to_datetime

    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - (time.time() if now is None else now)
        except (ValueError, OverflowError):
            return None
    return max(0.0, seconds) if seconds == seconds else None


RETRIES = Retries(most=2, first_wait=1.0)
"""The further attempts if the connection fails or the server reports a temporary problem."""


class _TemporaryError(Exception):
    """A problem that may not occur in another attempt."""

    final: type[DownloadError] = DownloadError


class _ConnectionFailedError(_TemporaryError):
    final = UnreachableError


def mirrored(url: str) -> str:
    """Returns the address to download from: for a file on GitHub, on the mirror in ``FW_DATA_MIRROR`` if it is set.

    ``https://raw.githubusercontent.com/<owner>/<repository>/<commit>/<path>`` becomes
    ``$FW_DATA_MIRROR/<owner>/<repository>/<commit>/<path>``.

    Raises:
        UsageError: if the mirror is not a web address.
    """
    mirror = os.environ.get(MIRROR_VARIABLE, "").rstrip("/")
    if not mirror:
        return url
    if not mirror.startswith(("http://", "https://")):
        raise UsageError(
            f"{MIRROR_VARIABLE} must start with http:// or https://, got '{mirror}'; for a folder, use --from-dir"
        )
    return mirror + url.removeprefix(GITHUB) if url.startswith(f"{GITHUB}/") else url


def content_problem(path: str, size: int, sha256: str) -> str | None:
    """Returns how the content of a file differs from the expected content, `None` if it does not."""
    actual = os.path.getsize(path)
    if actual != size:
        return f"has {actual:,} bytes, expected {size:,}"
    digest = digest_of(path)
    return None if digest == sha256 else f"has the SHA-256 {digest}, expected {sha256}"


def download(
    url: str,
    target: str,
    expected: str,
    size: int | None = None,
    retries: Retries = RETRIES,
    timeout: float = TIMEOUT,
) -> None:
    """Downloads a file; the target is written only if its size and its sum are as expected.

    Args:
        url: The address; redirects are followed, but only to http and https.
        target: The path to write to.
        expected: The SHA-256, or the MD5 sum if the size is unknown, as hexadecimal digits.
        size: The number of bytes, `None` if it is unknown.
        retries: The further attempts if one fails.
        timeout: The number of seconds without data after which an attempt fails.

    Raises:
        DownloadError: if the download fails, or the file is not as expected.
        UnreachableError: if the server cannot be reached.
        UsageError: if the target cannot be written to.
        OSError: if the disk is full; it names the target.
    """
    attempts = 0
    try:
        while True:
            try:
                return _attempted(url, target, expected, size, timeout)
            except _TemporaryError as problem:
                attempts += 1
                if attempts > retries.most:
                    raise problem.final(f"{problem} ({attempts} attempt{'s' if attempts > 1 else ''})") from None
            time.sleep(retries.wait(attempts))
    except DownloadError as error:
        or_else = "" if size is None else f", or set {MIRROR_VARIABLE}=URL to a mirror of {GITHUB}"
        raise type(error)(
            f"cannot download {url}: {error}",
            f"fw: it would be saved as {target}",
            f"fw: without a network, get the file by other means and use --from-dir DIR{or_else}",
        ) from None


def _attempted(url: str, target: str, expected: str, size: int | None, timeout: float) -> None:
    import hashlib
    from http.client import HTTPException

    checksum, sums = hashlib.sha256(), "the SHA-256"
    if size is None:
        checksum, sums = hashlib.md5(usedforsecurity=False), "the MD5 sum"
    with _opened(url, timeout) as response, replacing(target) as stream:
        length, count = response.length if size is None else size, 0
        if response.length not in (None, length):
            raise DownloadError(f"the server has {response.length:,} bytes, expected {size:,}")
        try:
            while block := response.read(_BLOCK):
                count += len(block)
                checksum.update(block)
                stream.write(block)
                if size is not None and count > size:
                    raise DownloadError(f"the server has more than the {size:,} bytes expected")
        except HTTPException as error:
            raise _TemporaryError(_reason(error)) from None
        except OSError as error:
            if error.filename is not None:  # the target, not the connection
                raise
            raise _TemporaryError(_reason(error)) from None
        if length is not None and count < length:
            raise _TemporaryError(f"the connection ended after {count:,} of {length:,} bytes")
        if checksum.hexdigest() != expected:
            raise DownloadError(f"the file has {sums} {checksum.hexdigest()}, expected {expected}; nothing was written")


def _opened(url: str, timeout: float) -> Any:
    from http.client import HTTPException
    from urllib.error import HTTPError
    from urllib.request import Request

    headers = {"User-Agent": f"metrics-framework/{__version__}", "Accept-Encoding": "identity"}
    try:
        return _opener().open(Request(url, headers=headers), timeout=timeout)
    except HTTPError as error:
        error.close()
        answer = f"the server answered {error.code} {error.reason}"
        raise (_TemporaryError if error.code in TEMPORARY else DownloadError)(answer) from None
    except (OSError, HTTPException) as error:
        raise _ConnectionFailedError(_reason(error)) from None
    except ValueError as error:
        raise DownloadError(f"it is not a web address: {error}") from None


def _opener() -> Any:
    """Returns an opener of http and https addresses only: neither files nor FTP, not even after a redirect."""
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


def _reason(error: Exception) -> str:
    cause = getattr(error, "reason", error)
    if isinstance(cause, TimeoutError):
        return "timed out"
    return str(cause) or type(cause).__name__
