"""Outputs that are written to where they are: open files, devices and named pipes."""

from __future__ import annotations

import io
import os
from contextlib import suppress
from dataclasses import dataclass, field
from typing import IO, Any

from metrics_framework.common.errors import UsageError
from metrics_framework.common.output_record import RECORD, OutputRecord
from metrics_framework.common.overriding import overrides
from metrics_framework.io.replacement import NamedFile, close_all


@dataclass
class DirectOutput:
    """An output that is written to directly.

    Args:
        path: The path.
        number: The file descriptor, -1 to open the path.
        mode: The mode to open the path in.

    Attributes:
        streams: The opened streams, each of which writes to the one before it.
    """

    path: str
    number: int
    mode: str
    streams: list[IO[Any]] = field(default_factory=list)

    def open(self) -> IO[bytes]:
        """Opens it.

        Raises:
            UsageError: if it cannot be opened, or the file descriptor is open for reading only.
        """
        try:
            if self.number >= 0:
                os.write(self.number, b"")  # fails if it is not open for writing
            file = DirectFile(self.path, self.path if self.number < 0 else os.dup(self.number), self.mode)
        except OSError as error:
            raise UsageError(f"cannot write to '{self.path}': {error.strerror or error}") from None
        self.streams.append(io.BufferedWriter(file))
        return self.streams[0]

    def finish(self) -> None:
        """Writes everything.

        Raises:
            OSError: if that fails; it names the path.
        """
        self.streams[0].flush()
        self.streams[0].close()

    def put_in_place(self) -> None:
        """Does nothing: the data are in place."""

    def discard(self) -> None:
        """Drops the data that were not written yet: writing them might wait for a reader that has stopped reading."""
        with suppress(OSError, ValueError, IndexError):
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, self.streams[0].fileno())
            os.close(null)
        close_all(self.streams)


class DirectFile(NamedFile):
    """A file that records that data were written to it."""

    def __init__(self, path: str, file: int | str, mode: str = "w") -> None:
        super().__init__(file, mode)
        self.name = path

    @overrides
    def write(self, b: Any) -> int:
        RECORD.get(OutputRecord())[self.name] = False
        return super().write(b)
