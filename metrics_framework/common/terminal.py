"""The width of the terminal."""

from __future__ import annotations

import os
import sys


def terminal_width(unknown: int) -> int:
    """Returns the number of columns: ``COLUMNS`` of the environment, else that of standard output.

    It does what `shutil.get_terminal_size` does, but `shutil` imports all modules of compression.

    Args:
        unknown: The width if standard output is no terminal.
    """
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns) > 0:
        return int(columns)
    try:
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or unknown  # type: ignore[union-attr]
    except (AttributeError, ValueError, OSError):  # it is closed, or not a terminal
        return unknown
