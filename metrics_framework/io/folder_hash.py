"""Hashes of files and folders: they identify models and lists that may have any name."""

from __future__ import annotations

import functools
import hashlib
import os

from metrics_framework.common.errors import DataError

DIGITS = 12
_BLOCK_SIZE = 1 << 20


def hash_of_folder(folder: str) -> str:
    """Returns the first digits of a SHA-256 of the names and contents of all files of a folder, sorted by name.

    Files whose name starts with a full stop, and folders in the folder, are ignored. The result is kept until the size
    or the time of a file changes.
    """
    names = sorted(name for name in os.listdir(folder) if not name.startswith("."))
    states = []
    for name in names:
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            status = os.stat(path)
            states.append((name, status.st_size, status.st_mtime_ns))
    return _hash_of(folder, tuple(states))


@functools.lru_cache(maxsize=32)
def _hash_of(folder: str, states: tuple[tuple[str, int, int], ...]) -> str:
    digest = hashlib.sha256()
    for name, _, _ in states:
        digest.update(name.encode("utf-8", "surrogateescape") + b"\0")
        _add_file(digest, os.path.join(folder, name))
    return digest.hexdigest()[:DIGITS]


def hash_of_file(path: str) -> str:
    """Returns the first digits of a SHA-256 of a file.

    Raises:
        DataError: if it cannot be read.
    """
    digest = hashlib.sha256()
    try:
        _add_file(digest, path)
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", path) from None
    return digest.hexdigest()[:DIGITS]


def _add_file(digest: hashlib._Hash, path: str) -> None:
    with open(path, "rb") as stream:
        while block := stream.read(_BLOCK_SIZE):
            digest.update(block)
