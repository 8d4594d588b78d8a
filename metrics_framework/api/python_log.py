"""Where the public functions report warnings: as warnings of Python."""

from __future__ import annotations

import warnings

from metrics_framework.common.errors import printable
from metrics_framework.common.logs import Log
from metrics_framework.common.overriding import overrides
from metrics_framework.common.stability import frames_of_package


class PythonLog(Log):
    """Issues warnings as Python warnings, and keeps them in ``warnings``; notes are not printed.

    Args:
        silent: Whether to show no progress on the terminal.
    """

    def __init__(self, silent: bool = True) -> None:
        super().__init__(silent=silent)

    @overrides
    def note(self, message: str) -> None:
        """Does nothing."""

    @overrides
    def warn(self, message: str) -> None:
        if message not in self.warnings:
            self.warnings.append(message)
            warnings.warn(printable(message), stacklevel=frames_of_package())
