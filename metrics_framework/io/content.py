"""The content of files and folders: hashes for signatures and keys of caches (decision 0068)."""

from __future__ import annotations

import errno
import functools
import hashlib
import os
import stat
import time
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from metrics_framework.io.locations import reading

DIGITS = 12
LIMIT = 256 << 20
"""The number of bytes of a file or folder above which keys of caches have times instead of hashes."""
_BLOCK_SIZE = 1 << 20
_COMPILED = "__pycache__"  # Python writes it when it reads the files beside it
_SAME_TIME = 100_000_000
"""The nanoseconds within which a file may be written twice and have equal times."""
_NO_FILE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)  # a link to nothing, or a file that was removed meanwhile


class FileState(NamedTuple):
    """A file, and what changes when it is written.

    Attributes:
        name: The path relative to the folder, with slashes; the whole path of a single file.
        path: The path to open.
        size: The number of bytes.
        modified: The time of modification, in nanoseconds.
        changed: The time of the last change, also of the time of modification, in nanoseconds.
        repeated: For a link to a folder that has another name in the same folder: that name.
    """

    name: str
    path: str
    size: int = 0
    modified: int = 0
    changed: int = 0
    repeated: str = ""


def hash_of(*paths: str, limit: int | None = None, is_flat: bool = False) -> str:
    """Returns the first digits of a SHA-256 of files and folders: of contents, and of names in folders.

    Contents are read once per process, until the size or a time of a file changes.

    Args:
        paths: The files and folders.
        limit: The number of bytes of a path above which sizes and times of modification count instead of contents.
        is_flat: Whether only the files in a folder count whose names do not start with a full stop, as for models.

    Raises:
        DataError: if a file or folder cannot be read; it names the file.
    """
    listed = [tuple(states_of(path, is_flat)) for path in paths]
    parts = tuple(
        (states, limit is None or sum(state.size for state in states) <= limit)  # whether contents are compared
        for states in listed
    )
    now = time.time_ns()  # a further change of an old file changes its times
    are_old = all(now - state.changed > _SAME_TIME for state in chain(*listed))
    return _hash_of(parts) if are_old else _hash_of.__wrapped__(parts)


@functools.lru_cache(maxsize=32)
def _hash_of(paths: Sequence[tuple[Sequence[FileState], bool]]) -> str:
    digest = hashlib.sha256()
    for state, by_content in ((state, by_content) for states, by_content in paths for state in states):
        if state.name != state.path:
            digest.update(_encoded(state.name))
        if state.repeated:
            digest.update(_encoded(state.repeated))
        elif by_content:
            _add_file(digest, state.path)
        else:
            digest.update(_encoded(f"{state.size} {state.modified}"))
    return digest.hexdigest()[:DIGITS]


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape") + b"\0"


def states_of(path: str, is_flat: bool = False) -> Iterator[FileState]:
    """Yields the state of a file, or of all files in a folder, sorted by their names in each folder.

    Links are followed. A folder that has several names is read once, so that links cannot form loops. Pipes, devices,
    links to nothing and the files that Python compiles are left out.

    Args:
        path: The file or folder.
        is_flat: As for `hash_of`.

    Raises:
        DataError: if the path, or a folder in it, cannot be read.
    """
    with reading(path):
        status = os.stat(path)
    if not stat.S_ISDIR(status.st_mode):
        yield FileState(path, path, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
        return
    yield from _states_below(path, "", is_flat, {(status.st_dev, status.st_ino): "./"})


def _states_below(path: str, prefix: str, is_flat: bool, seen: dict[tuple[int, int], str]) -> Iterator[FileState]:
    with reading(path):
        names = sorted(os.listdir(path))
    for name in names:
        inner = os.path.join(path, name)
        with reading(inner):
            try:
                status = os.stat(inner)
            except OSError as error:
                if error.errno in _NO_FILE:
                    continue
                raise
        if stat.S_ISREG(status.st_mode) and not (is_flat and name.startswith(".")):
            times = status.st_mtime_ns, status.st_ctime_ns
            yield FileState(prefix + name, inner, status.st_size, *times)
        elif stat.S_ISDIR(status.st_mode) and not is_flat and name != _COMPILED:
            first = seen.setdefault((status.st_dev, status.st_ino), f"{prefix}{name}/")
            if first == f"{prefix}{name}/":
                yield from _states_below(inner, first, is_flat, seen)
            else:
                yield FileState(f"{prefix}{name}/", inner, repeated=first)


def digest_of(path: str, kind: str = "sha256") -> str:
    """Returns the SHA-256 of a file, or another digest, as hexadecimal digits.

    Raises:
        DataError: if it cannot be read.
    """
    digest = hashlib.new(kind, usedforsecurity=False)
    _add_file(digest, path)
    return digest.hexdigest()


def _add_file(digest: hashlib._Hash, path: str) -> None:
    with reading(path), open(path, "rb") as stream:
        while block := stream.read(_BLOCK_SIZE):
            digest.update(block)


def paths_named(arguments: Sequence[str]) -> list[str]:
    """Returns the files and folders that the arguments of a program name, in their order.

    They are whole arguments, or follow ``=`` or ``@``, as in ``--config=a.json``; a list is separated by commas or, as
    in search paths, by colons.
    """
    found = {}
    for argument in arguments:
        for value in (argument, argument.partition("=")[2]):
            for item in (value, *value.replace(os.pathsep, ",").split(",")):
                path = os.path.expanduser(item.removeprefix("@"))
                if os.path.isfile(path) or os.path.isdir(path):
                    found[path] = True
    return list(found)
