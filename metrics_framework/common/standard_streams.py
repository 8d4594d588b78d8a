"""The replacement for closed standard streams, as with ``2>&-`` in a shell or under some daemons."""

from __future__ import annotations

import io
import os


class ClosedStream(io.TextIOWrapper):
    """A replacement for a closed standard stream that discards messages; data must not be written to it."""

    def __init__(self) -> None:
        super().__init__(io.BufferedWriter(io.FileIO(os.devnull, "w")), encoding="utf-8")
