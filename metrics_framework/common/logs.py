"""What a run tells a person besides its results: warnings and notes, on standard error."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TextIO

from metrics_framework.common.errors import DataError, UsageError


class Log:
    """Takes the notes and warnings of one run; repeated ones are told once.

    Args:
        strict: Whether a warning is an error.
        silent: Whether nothing is printed.
        file: A file to which everything is written too.
        stream: Where to print; standard error by default.
    """

    def __init__(
        self, strict: bool = False, silent: bool = False, file: str | None = None, stream: TextIO | None = None
    ) -> None:
        self.strict = strict
        self.silent = silent
        self.warnings: list[str] = []
        self._stream = stream
        self._file = _opened(file)

    def __enter__(self) -> Log:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def note(self, message: str) -> None:
        """Tells something that is good to know."""
        self._print(f"fw: {message}")

    def warn(self, message: str) -> None:
        """Tells something that may make a result misleading.

        Raises:
            DataError: if the run is strict.
        """
        if self.strict:
            raise DataError(f"{message} (an error because of --strict)")
        if message not in self.warnings:
            self.warnings.append(message)
            self._print(f"fw: warning: {message}")

    def close(self) -> None:
        """Closes the log file."""
        if self._file is not None:
            with suppress(OSError):  # every line was written when it came, or told that it could not be
                self._file.close()

    def _print(self, line: str) -> None:
        if not self.silent:
            print(line, file=self._stream or sys.stderr)
        if self._file is not None:
            try:
                print(line, file=self._file, flush=True)
            except OSError as error:
                raise OSError(error.errno, error.strerror, self._file.name) from None


def _opened(path: str | None) -> TextIO | None:
    if path is None:
        return None
    try:
        return open(path, "a", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write the log to '{path}': {error.strerror}") from None
