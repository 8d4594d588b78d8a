"""Manifests: the files of a public data set, their addresses and checksums, and its licence."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from metrics_framework.common.errors import DataError


@dataclass(frozen=True)
class RawFile:
    """A file as its authors published it.

    Args:
        repository: The repository on GitHub, as ``owner/name``.
        path: Its path there.
        bytes: Its size.
        sha256: Its SHA-256, as hexadecimal digits.
        lines: The number of lines; a last line without an end counts.
        commit: The commit it was taken from, `None` if unknown.
        url: Its address, `None` if no address is known to serve this content.
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
        name: Its registered name.
        licence: Its licence, in one line.
        homepage: The address of its description.
        description: What it is, in one sentence.
        citation: The paper to cite, as BibTeX.
        files: Its files by path in the repository.
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
        DataError: if it cannot be read, or lacks a field.
    """
    try:
        with open(path, encoding="utf-8") as stream:
            content: dict[str, Any] = json.load(stream)
        files = [RawFile(**one) for one in content["files"]]
        by_path = {file.path: file for file in files}
        if len(by_path) < len(files):
            raise ValueError("two files have the same path")
        return Manifest(**{**content, "files": by_path})
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}; a data set needs its manifest", path) from None
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(f"is not the manifest of a data set: {error}", path) from None
