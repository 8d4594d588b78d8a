"""Manifests: which files a public data set consists of, where they are, and under which licence."""

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
        sha256: Its sum, as hexadecimal digits.
        lines: How many lines it has; a last line without an end counts.
        commit: The commit it was taken from; `None` where that is not known.
        url: Its address; `None` where there is none whose content is known.
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
    """What is known of a data set before it is there.

    Args:
        name: Its registered name.
        licence: Its licence, in a line.
        homepage: Where it is described.
        description: What it is.
        citation: The paper to cite, as BibTeX.
        files: Its files, by their paths in the repository.
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
        DataError: if it cannot be read, or misses something.
    """
    try:
        with open(path, encoding="utf-8") as stream:
            content: dict[str, Any] = json.load(stream)
        files = [RawFile(**one) for one in content["files"]]
        by_path = {file.path: file for file in files}
        if len(by_path) < len(files):
            raise ValueError("two of its files have one path")
        return Manifest(**{**content, "files": by_path})
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}; a data set needs its manifest", path) from None
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(f"is not the manifest of a data set: {error}", path) from None
