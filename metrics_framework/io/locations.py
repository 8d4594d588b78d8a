"""Paths of local and remote files: opening them, their sizes, and patterns such as ``s3://bucket/*.jsonl``."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import BinaryIO, cast

from metrics_framework.common.errors import DataError, UsageError

BYTES_AT_START = 1 << 16
"""The number of bytes that show the format of a file."""
_REMOTE = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]+::)*[A-Za-z][A-Za-z0-9+.-]+://")
_URL = re.compile(r"https?://")
PATTERN = re.compile(r"[*?[]")
"""The characters of patterns."""
_PATTERN_IN_URL = re.compile(r"[*[]")  # a question mark begins the query


def is_remote(path: str) -> bool:
    """Returns whether a path has a scheme, such as ``s3://``.

    >>> is_remote("s3://bucket/a.jsonl"), is_remote("C:/a.jsonl"), is_remote("a.jsonl")
    (True, False, False)
    """
    return "://" in path and _REMOTE.match(path) is not None


@contextmanager
def reading(path: str) -> Iterator[None]:
    """Raises `DataError` with the path of a file that cannot be read."""
    try:
        yield
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", path) from None


def open_binary(path: str, blocks: int = 1) -> BinaryIO:
    """Opens a file for reading.

    Args:
        path: The file.
        blocks: The number of blocks of a remote file that are kept, for readers that alternate between positions.

    Raises:
        DataError: if it cannot be opened.
        UsageError: if the scheme of a remote path is unknown, or its package is not installed.
        MissingExtraError: if the path is remote and fsspec is not installed.
    """
    with reading(path):
        return cast("BinaryIO", io.BufferedReader(open_raw(path, blocks), 1 << 16))


def open_raw(path: str, blocks: int = 1) -> io.RawIOBase:
    """Opens a file for reading, without a buffer.

    Args:
        path: The file.
        blocks: As for `open_binary`.

    Raises:
        OSError: if it cannot be opened.
        UsageError: if the scheme of a remote path is unknown, or its package is not installed.
        MissingExtraError: if the path is remote and fsspec is not installed.
    """
    if not is_remote(path):
        return io.FileIO(path)
    from metrics_framework.io.remote import open_remote

    return open_remote(path, blocks)


def first_bytes(path: str, count: int) -> bytes:
    """Returns the first bytes of a local file; none of a remote one, a pipe, or a file that cannot be read."""
    with suppress(OSError):
        if not is_remote(path) and os.path.isfile(path):
            return start_of_file(path)[:count]
    return b""


def start_of_file(path: str) -> bytes:
    """Returns the first bytes of a file, which is opened again only if it has changed.

    Raises:
        OSError: if it cannot be read.
    """
    if is_remote(path):
        return _start.__wrapped__(path, None)
    status = os.stat(path)
    return _start(path, (status.st_ino, status.st_mtime_ns, status.st_size))


@lru_cache(64)
def _start(path: str, _state: object) -> bytes:
    with open_raw(path) as file:
        return file.read(BYTES_AT_START) or b""


def size_of(path: str) -> int | None:
    """Returns the number of bytes of a file, `None` if it is unknown, as for pipes and some files of web servers.

    Raises:
        DataError: if there is no such file.
    """
    with reading(path):
        if is_remote(path):
            from metrics_framework.io.remote import details_of

            size = details_of(path).get("size")
            return None if size is None else int(size)
        return os.path.getsize(path) if os.path.isfile(path) or not os.path.exists(path) else None


def range_size(path: str) -> int | None:
    """Returns the number of bytes of a remote file of which ranges can be read, `None` for files of web servers.

    Raises:
        OSError: if there is no such file.
    """
    from metrics_framework.io.remote import WEB, details_of, scheme_of

    return None if scheme_of(path) in WEB else details_of(path).get("size")


def exists(path: str) -> bool:
    """Returns whether there is a file or folder, or a remote file.

    Raises:
        DataError: if a server does not answer, or does not report it.
    """
    if not is_remote(path):
        return os.path.exists(path)
    from metrics_framework.io.remote import details_of

    with reading(path):
        try:
            details_of(path)
        except (FileNotFoundError, IsADirectoryError):
            return False
    return True


def file_name(path: str) -> str:
    """Returns the name of a file without its folder; that of a URL without its query, which may contain a secret.

    >>> file_name("runs/a.jsonl"), file_name("https://example.org/runs/a.jsonl?signature=1/2")
    ('a.jsonl', 'a.jsonl')
    """
    return os.path.basename(path.partition("?")[0] if _URL.match(path) else path)


def split_name(word: str) -> tuple[str, str]:
    """Returns the name and the file of ``NAME=FILE``; no name for the path of an existing file, or one with a slash.

    Raises:
        UsageError: if both are files.
    """
    name, equals, file = word.partition("=")
    if not (equals and name and file) or "/" in name or os.sep in name:
        return "", word
    if not os.path.exists(word):
        return name, file
    if os.path.exists(file):
        raise UsageError(
            f"'{word}' is a file, and '{file}' is too; use './{word}' for the file without a name, or "
            f"'{name}=./{file}' for the other file with a name"
        )
    return "", word


def is_pattern(path: str) -> bool:
    """Returns whether a path has characters of a pattern: ``*``, ``?`` or ``[``; in URLs, ``?`` is none.

    >>> is_pattern("runs/*.jsonl"), is_pattern("https://example.org/a.jsonl?version=2")
    (True, False)
    """
    return bool((_PATTERN_IN_URL if _URL.match(path) else PATTERN).search(path))


def expanded(paths: Iterable[str]) -> list[str]:
    """Returns the paths; each pattern is replaced by the files that match it, sorted by name.

    A file whose name has characters of a pattern is not a pattern. ``**`` matches any number of folders.

    Raises:
        UsageError: if no file matches a pattern.
        DataError: if a remote folder cannot be listed.
    """
    return [file for path in paths for file in ([path] if not is_pattern(path) else matches(path))]


def matches(pattern: str) -> Sequence[str]:
    """Returns the files that match a pattern, sorted by name.

    Raises:
        UsageError: if there are none.
        DataError: if a remote folder cannot be listed.
    """
    if is_remote(pattern):
        from metrics_framework.io.remote import remote_matches

        found = remote_matches(pattern)
    elif os.path.exists(pattern):
        return [pattern]
    else:
        import glob

        found = sorted(path for path in glob.glob(pattern, recursive=True) if not os.path.isdir(path))
    if not found:
        raise UsageError(f"no file matches '{pattern}'")
    return found
