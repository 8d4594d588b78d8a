"""The files inside the archives of an evaluation."""

from __future__ import annotations

import io
import os
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from typing import IO

from metrics_framework.common.errors import DataError
from metrics_framework.io.reading import content_of


def find_file(folder: str, name: str) -> str:
    """Returns the path of a file with a given name, in a folder or in any folder below.

    Args:
        folder: The folder.
        name: The name, possibly with the last folders of the path before it.

    Raises:
        DataError: if there is none, or several that differ in size.
    """
    parts = name.split("/")
    paths = (os.path.join(parent, parts[-1]) for parent, _, files in sorted(os.walk(folder)) if parts[-1] in files)
    found = [path for path in paths if path.split(os.sep)[-len(parts) :] == parts]
    if not found:
        raise DataError(f"must contain '{name}', in any folder; none found", folder)
    if len({os.path.getsize(path) for path in found}) > 1:
        raise DataError(f"must contain only one '{name}', but {' and '.join(found[:2])} differ", folder)
    return found[0]


def packed_files(path: str, is_wanted: Callable[[str], bool]) -> dict[str, bytes]:
    """Reads files of a tar or zip archive.

    Args:
        path: The archive.
        is_wanted: Whether to read a file, given its name in the archive.

    Returns:
        The contents by name, sorted by name.

    Raises:
        DataError: if the archive cannot be read, or contains no wanted file.
    """
    return _read(io.BytesIO(content_of(path)), path, is_wanted)


def files_packed_twice(path: str, inner: str, is_wanted: Callable[[str], bool]) -> dict[str, bytes]:
    """Reads files of an archive that is itself a file of an archive; otherwise the same as `packed_files`."""
    content = packed_files(path, inner.__eq__)[inner]
    return _read(io.BytesIO(content), f"{path}:{inner}", is_wanted)


def _read(stream: IO[bytes], name: str, is_wanted: Callable[[str], bool]) -> dict[str, bytes]:
    files = _zip_files if name.endswith(".zip") else _tar_files
    try:
        found = dict(sorted(files(stream, is_wanted)))
    except (tarfile.TarError, zipfile.BadZipFile, EOFError, OSError) as error:
        raise DataError(f"is not a readable archive: {error}", name) from None
    if not found:
        raise DataError("contains none of the expected files; is it the right archive?", name)
    return found


def _tar_files(stream: IO[bytes], is_wanted: Callable[[str], bool]) -> Iterator[tuple[str, bytes]]:
    with tarfile.open(fileobj=stream, mode="r:*") as archive:
        for member in archive:
            name = member.name.removeprefix("./")
            if member.isfile() and is_wanted(name):
                content = archive.extractfile(member)
                assert content is not None  # because it is a file
                yield name, content.read()


def _zip_files(stream: IO[bytes], is_wanted: Callable[[str], bool]) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(stream) as archive:
        for name in archive.namelist():
            if not name.endswith("/") and is_wanted(name):
                yield name, archive.read(name)
