"""Python warnings, and those about names that change: deprecated and provisional ones (docs/reference/stability.md)."""

from __future__ import annotations

import sys
import warnings


class ProvisionalWarning(PendingDeprecationWarning):
    """Category of warnings about provisional names, which a minor version may change.

    The package issues it only in Python's development mode (``python -X dev``), so that nobody sees it unasked.
    """


def deprecated(old: str, new: str, removed_in: str) -> None:
    """Warns that a name is deprecated.

    Args:
        old: The deprecated name.
        new: What to use instead.
        removed_in: The version that removes the name, two minor versions after the first one that warns. A test fails
            when the package has that version.
    """
    message = f"{old} is deprecated, and fw {removed_in} removes it; use {new}"
    warnings.warn(message, DeprecationWarning, stacklevel=3)


def provisional(name: str) -> None:
    """Warns that a public name is provisional."""
    message = f"{name} is provisional: a minor version of fw may change it; see docs/reference/stability.md"
    warnings.warn(message, ProvisionalWarning, stacklevel=3)


def frames_of_package() -> int:
    """Returns the ``stacklevel`` of a warning that points to the first caller outside this package."""
    frame, count = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("metrics_framework."):
        frame, count = frame.f_back, count + 1
    return count
