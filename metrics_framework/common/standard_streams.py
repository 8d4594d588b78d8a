"""Replaces closed standard streams, as with ``2>&-`` in a shell or under some daemons."""

from __future__ import annotations

import io
import os
import sys


class ClosedStream(io.TextIOWrapper):
    """A replacement for a closed standard stream that discards messages; data must not be written to it."""

    def __init__(self) -> None:
        super().__init__(io.BufferedWriter(io.FileIO(os.devnull, "w")), encoding="utf-8")


def replace_closed_streams() -> None:
    """Replaces closed standard streams, so that printing does not fail.

    Call it before any file is opened: the system assigns the descriptor of a closed stream to the next file, and
    libraries that write to the stream would write into that file.
    """
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(number, True)
    os.close(number)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, ClosedStream())
