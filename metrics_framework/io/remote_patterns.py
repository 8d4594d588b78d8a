"""Remote files that match a pattern."""

from __future__ import annotations

from typing import Any

from metrics_framework.common.errors import DataError
from metrics_framework.io.remote import file_system, reason_of


def remote_matches(pattern: str) -> list[str]:
    """Returns the files that match a pattern, sorted by name; a file with the name of the pattern is the only match.

    Raises:
        DataError: if the folder cannot be listed.
    """
    system, name = file_system(pattern)
    try:
        system.invalidate_cache()
        if _is_file(system, name):
            return [pattern]
        found: dict[str, dict[str, Any]] = system.glob(name, detail=True)
    except FileNotFoundError:
        return []
    except Exception as error:  # each file system raises what its package raises
        raise DataError(f"cannot be listed: {reason_of(error)}", pattern) from None
    return sorted(
        _with_scheme(pattern, name, match, system)
        for match, details in found.items()
        if details.get("type") != "directory"
    )


def _is_file(system: Any, name: str) -> bool:
    try:
        return bool(system.info(name)["type"] == "file")
    except (FileNotFoundError, ValueError):
        return False


def _with_scheme(pattern: str, name: str, match: str, system: Any) -> str:
    """Returns a match as a path that begins like the pattern, with its scheme and server."""
    if pattern.endswith(name):
        return pattern[: len(pattern) - len(name)] + match
    path: str = system.unstrip_protocol(match)
    return path
