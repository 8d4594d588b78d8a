"""The versions of file formats, which files state and readers check (decision 0002)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from metrics_framework.common.errors import DataError
from metrics_framework.version import __version__

FORMAT = "format"
"""The key of the version. A file without it has the form of fw 0.1."""
_FIRST = (
    *("rows", "macro", "manifest", "accumulator", "fw challenge", "fw compare", "fw convert-ratings", "fw correlate"),
    *("fw estimate", "fw gate", "fw partial-conjunction-test", "fw plan", "fw prefer", "fw stat-sig-test"),
)
FORMATS = {**dict.fromkeys(_FIRST, 1), "fw agreement": 2, "fw judge": 2}
"""The newest version of each format. Raise it when a program that reads the file must change."""


def head_of(command: str) -> dict[str, Any]:
    """Returns the first members of a document: the command that wrote it, and the version of the format.

    >>> head_of("fw compare")
    {'command': 'fw compare', 'format': 1}
    """
    return {"command": command, FORMAT: FORMATS[command]}


def check_format(content: Mapping[str, Any], kind: str, path: str | None = None, line: int | None = None) -> None:
    """Checks that this package reads the version of a file.

    Args:
        content: What may state the version; without one, it is that of fw 0.1.
        kind: The format, a key of `FORMATS`.
        path: The file, for messages.
        line: The line.

    Raises:
        DataError: if the version is newer, or is none.
    """
    found = content.get(FORMAT, 1)
    if isinstance(found, bool) or not isinstance(found, int) or found < 1:
        raise DataError(f"'{FORMAT}' must be the version of a format, an integer from 1 on, got {found!r}", path, line)
    if found > FORMATS[kind]:
        raise DataError(
            f"has version {found} of the format '{kind}', and fw {__version__} reads versions up to {FORMATS[kind]}: "
            "a later release wrote it; update fw to read it",
            path,
            line,
        )
