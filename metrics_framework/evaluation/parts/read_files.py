"""The files and folders that a run reads: what is in its plan, and whether they have changed since (decision 0068)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from metrics_framework.common.errors import DataError, UsageError
from metrics_framework.evaluation.parts.differences import difference_of
from metrics_framework.io import content, locations
from metrics_framework.io.locations import is_remote


def identities_of_input(paths: Sequence[str]) -> list[dict[str, Any]]:
    """Returns the identities of the input files: with hashes unless all of them together are large.

    Raises:
        UsageError: if one is a pipe or device.
        DataError: if one cannot be read.
    """
    local = [path for path in paths if not is_remote(path) and os.path.exists(path)]
    by_content = content.is_small(chain.from_iterable(map(content.states_of, local)), content.LIMIT)
    return [identity_of(path, by_content) for path in paths]


def identities_of_others(paths: Iterable[str]) -> list[dict[str, Any]]:
    """Returns the identities of other files and folders: with hashes unless a file or folder is large.

    Raises:
        UsageError: if one is a pipe or device.
        DataError: if a file cannot be read; it names the file.
    """
    identities = []
    for path in dict.fromkeys(paths):
        is_local = not is_remote(path) and os.path.exists(path)
        by_content = is_local and content.is_small(content.states_of(path), content.LIMIT)
        identities.append(identity_of(path, by_content))
    return identities


def identity_of(path: str, by_content: bool) -> dict[str, Any]:
    """Returns the path of a file or folder with what changes when its content does; only the path of a missing file or
    of one that a store does not have, which its part reports.

    Args:
        path: The file or folder.
        by_content: Whether local files are compared by hashes, or by times of modification.

    Raises:
        UsageError: if it is a pipe or device, which can be read only once.
        DataError: if a local file cannot be read; it names the file.
    """
    if is_remote(path):
        try:
            return {"path": path, **locations.identity_of(path)}
        except DataError:
            return {"path": path}
    if not os.path.exists(path):
        return {"path": path}
    if not (os.path.isfile(path) or os.path.isdir(path)):
        raise UsageError(f"'{path}' can be read only once, so it cannot be divided into parts; use a file")
    return {"path": path, **content.identity_of(path, by_content)}


def change_of(planned: Mapping[str, Any]) -> str:
    """Describes how a file or folder differs from its identity in a plan; an empty string if it does not.

    Raises:
        DataError: if a file cannot be read; it names the file.
    """
    files = planned.get("files", {"": planned})
    found = identity_of(planned["path"], any("hash" in file for file in files.values()))
    return difference_of(planned, found)
