"""The hash of the files of a folder: identifies a model whose folder may have any name."""

from __future__ import annotations

import functools
import hashlib
import os

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
        with open(os.path.join(folder, name), "rb") as stream:
            while block := stream.read(_BLOCK_SIZE):
                digest.update(block)
    return digest.hexdigest()[:DIGITS]
