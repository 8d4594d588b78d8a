"""A temporary file for values that do not fit in memory."""

from __future__ import annotations

import marshal
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

_SIZE_BYTES = 8
"""The length of the size that precedes each value in the file."""


class ScratchFile:
    """A file in the folder for temporary files, deleted when it is closed or the process ends.

    All values must be written before the first one is read. The format is that of `marshal`: the fastest in the
    standard library, and it accepts strings with lone surrogates. It depends on the Python version, which is safe here:
    only the process that writes the file reads it.

    Raises:
        OSError: if the file cannot be created, written or read, for example because the disk is full. The error names
            the temporary folder, which is not the output folder.
    """

    def __init__(self) -> None:
        import tempfile

        self._folder = tempfile.gettempdir()
        try:
            self._file = tempfile.TemporaryFile(prefix="fw-")  # noqa: SIM115 - open until close() is called
        except OSError as error:
            raise self._with_folder(error) from None

    @property
    def closed(self) -> bool:
        """Whether the file is deleted."""
        return self._file.closed

    def close(self) -> None:
        """Deletes the file."""
        with suppress(OSError):  # closing flushes, which may fail, but the file is no longer needed
            self._file.close()

    def write(self, value: Any) -> None:
        """Appends a value made of lists, tuples, strings, numbers and `None`."""
        data = marshal.dumps(value)
        try:
            self._file.write(len(data).to_bytes(_SIZE_BYTES, "little") + data)
        except OSError as error:
            raise self._with_folder(error) from None

    def values(self) -> Iterator[Any]:
        """Yields the values in the order in which they were written; only one iteration at a time."""
        try:
            self._file.seek(0)
            while size := self._file.read(_SIZE_BYTES):
                yield marshal.loads(self._file.read(int.from_bytes(size, "little")))
        except OSError as error:
            raise self._with_folder(error) from None

    def _with_folder(self, error: OSError) -> OSError:
        return OSError(error.errno, error.strerror, self._folder)
