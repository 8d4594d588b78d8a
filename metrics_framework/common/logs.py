"""Notes and warnings of a run, on standard error."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, suppress
from typing import TextIO

from metrics_framework.common.errors import DataError, UsageError
from metrics_framework.common.overriding import overrides
from metrics_framework.common.printable import printable


class Log(AbstractContextManager["Log"]):
    """Prints the notes and warnings of one run; a repeated warning is printed once.

    Args:
        strict: Whether a warning is an error.
        silent: Whether to print nothing.
        file: A file to append all messages to.
        stream: The stream to print to, by default standard error.
    """

    def __init__(
        self, strict: bool = False, silent: bool = False, file: str | None = None, stream: TextIO | None = None
    ) -> None:
        self.strict = strict
        self.silent = silent
        self.warnings: list[str] = []
        self._stream = stream
        self._file: TextIO | None = None
        if file is not None:
            try:
                self._file = open(file, "a", encoding="utf-8")  # noqa: SIM115 - __exit__ closes it
            except OSError as error:
                raise UsageError(f"cannot write the log to '{file}': {error.strerror}") from None

    @overrides
    def __exit__(self, *error: object) -> None:
        """Closes the log file."""
        if self._file is not None:
            with suppress(OSError):  # every line was flushed when it was written
                self._file.close()

    def note(self, message: str) -> None:
        """Prints information, in one line."""
        line = f"fw: {message if message.isprintable() else printable(message)}\n"
        if not self.silent:
            print(line, end="", file=self._stream or sys.stderr)  # in one write, which no signal can divide
        if self._file is not None:
            try:
                print(line, end="", file=self._file, flush=True)
            except OSError as error:
                raise OSError(error.errno, error.strerror, self._file.name) from None

    def warn(self, message: str) -> None:
        """Prints a warning that a result may be misleading.

        Raises:
            DataError: if the run is strict.
        """
        if self.strict:
            raise DataError(f"{message} (an error because of --strict)")
        if message not in self.warnings:
            self.warnings.append(message)
            self.note(f"warning: {message}")
