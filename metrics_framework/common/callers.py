"""The caller of this package, to which Python warnings point."""

from __future__ import annotations

import sys


def frames_of_package() -> int:
    """Returns the ``stacklevel`` of a warning that points to the first caller outside this package."""
    frame, count = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("metrics_framework."):
        frame, count = frame.f_back, count + 1
    return count
