"""Standard streams that are closed, as some daemons leave them, or ``2>&-`` in a shell."""

from __future__ import annotations

import io
import os
import sys


class ClosedStream(io.TextIOWrapper):
    """Stands for a closed standard stream: what is printed for a person is dropped, data must not come here."""

    def __init__(self) -> None:
        super().__init__(io.BufferedWriter(io.FileIO(os.devnull, "w")), encoding="utf-8")


def replace_closed_streams() -> None:
    """Puts something in the place of closed standard streams, so that printing is no error.

    Call it before any file is opened: the system gives the next file the number of a closed stream, and whatever a
    library writes to that stream would be written into the file.
    """
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(number, True)
    os.close(number)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, ClosedStream())
