"""Manifests: the files of a public data set, their addresses and checksums, and its licence."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from metrics_framework.common.errors import DataError
from metrics_framework.data.file_formats import FORMAT, check_format


@dataclass(frozen=True)
class RawFile:
    """A file as its authors published it.

    Args:
        repository: The repository on GitHub, as ``owner/name``.
        path: The path in the repository.
        bytes: The size.
        sha256: The SHA-256, as hexadecimal digits.
        lines: The number of lines; a last line without a line end counts.
        commit: The commit, `None` if unknown.
        url: The address, `None` if no address is known to serve this content.
    """

    repository: str
    path: str
    bytes: int
    sha256: str
    lines: int
    commit: str | None
    url: str | None


@dataclass(frozen=True)
class Manifest:
    """The description of a data set.

    Args:
        name: The registered name.
        licence: The licence, in one line.
        homepage: The address of a description.
        description: A description in one sentence.
        citation: The paper to cite, as BibTeX.
        files: The files by path in the repository.
    """

    name: str
    licence: str
    homepage: str
    description: str
    citation: str
    files: dict[str, RawFile]


def read_manifest(path: str) -> Manifest:
    """Reads the manifest of a data set.

    Raises:
        DataError: if the file cannot be read, or a field is missing.
    """
    try:
        with open(path, encoding="utf-8") as stream:
            content: dict[str, Any] = json.load(stream)
        check_format(content, "manifest", path)
        files = [RawFile(**file) for file in content["files"]]
        by_path = {file.path: file for file in files}
        if len(by_path) < len(files):
            raise ValueError("two files have the same path")
        return Manifest(**{**{name: value for name, value in content.items() if name != FORMAT}, "files": by_path})
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}; a data set needs its manifest", path) from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(f"is not the manifest of a data set: {error}", path) from None
