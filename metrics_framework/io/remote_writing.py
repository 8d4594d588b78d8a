"""Remote files that exist only when their content is complete."""

from __future__ import annotations

import io
from collections.abc import Callable
from contextlib import suppress
from typing import IO, Any

from metrics_framework.common.errors import UsageError
from metrics_framework.common.interruptions import signals_delayed
from metrics_framework.common.overriding import overrides
from metrics_framework.io.remote import OBJECT_STORES, PART_SIZE, file_system, reason_of, scheme_of, system_errors
from metrics_framework.io.replacement import close_all

_S3 = ("s3", "s3a")
_BUFFER_SIZE = 1 << 16


class RemoteOutput(io.RawIOBase):
    """A remote file that is written in parts, which become a file only in `commit`.

    A file of a transaction of fsspec, with a transaction for each file: fsspec has one for each file system, which
    cannot contain another.

    Args:
        path: The file.

    Raises:
        UsageError: if it cannot be written to.
    """

    def __init__(self, path: str) -> None:
        self.name = path
        self._system, name = file_system(path)
        if path.endswith("/"):
            raise UsageError(f"cannot write to '{path}': it is a folder")
        try:
            with signals_delayed():
                self._file = self._opened(name)
                self._start()
        except Exception as error:  # each file system raises what its package raises
            raise UsageError(f"cannot write to '{path}': {reason_of(error)}") from None

    def _opened(self, name: str) -> Any:
        """Opens a file that is not committed when it is closed."""
        system = self._system
        if scheme_of(self.name) not in OBJECT_STORES:
            system.makedirs(system._parent(name), exist_ok=True)
        system.start_transaction()
        try:
            file = system.open(name, "wb", block_size=PART_SIZE)
            _without(system.transaction.files, file)
            return file
        finally:
            system.end_transaction()

    def _start(self) -> None:
        """Begins the upload, because otherwise a wrong bucket would be an error only at the end of the run."""
        if scheme_of(self.name) in _S3:
            try:
                self._file._initiate_upload()
            except Exception:
                self._end()
                raise
            self._file.offset = 0

    @overrides
    def writable(self) -> bool:
        return True

    @overrides
    def write(self, data: Any, /) -> int:
        with system_errors(self.name):
            self._file.write(data)
        return len(data)

    def finish(self) -> None:
        """Sends all bytes.

        Raises:
            OSError: if that fails; it names the path.
        """
        with system_errors(self.name):
            self._file.close()

    def commit(self) -> None:
        """Makes the file visible, in place of an earlier one.

        Raises:
            OSError: if that fails; it names the path.
        """
        with system_errors(self.name):
            self._call("commit")
        self._end()

    def discard(self) -> None:
        """Removes the blocks that were sent."""
        if not self.closed:
            with suppress(Exception):  # the server may not answer any more
                self._call("discard")
            self._end()

    def _call(self, name: str) -> None:
        method: Callable[[], None] | None = getattr(self._file, name, None)
        if method is not None:
            method()

    def _end(self) -> None:
        """Closes the file without sending anything, which `close` and the destructor of the file would do."""
        with suppress(AttributeError):  # a read-only property, of a file that is closed
            self._file.closed = True
        super().close()


class RemoteReplacement:
    """The new content of a remote file; `Replacement` is the same for local files.

    Args:
        path: The file.

    Attributes:
        streams: The opened streams, each of which writes to the one before it.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.streams: list[IO[Any]] = []
        self._output: RemoteOutput | None = None

    def open(self) -> IO[bytes]:
        """Opens it.

        Raises:
            UsageError: if it cannot be written to.
        """
        self._output = RemoteOutput(self.path)
        self.streams.append(io.BufferedWriter(self._output, _BUFFER_SIZE))
        return self.streams[0]

    def finish(self) -> None:
        """Sends all bytes.

        Raises:
            OSError: if that fails; it names the path.
        """
        self.streams[0].flush()
        if self._output is not None:
            self._output.finish()

    def put_in_place(self) -> None:
        """Makes the file visible, in place of an earlier one.

        Raises:
            OSError: if that fails; it names the path.
        """
        if self._output is not None:
            self._output.commit()

    def discard(self) -> None:
        """Removes the blocks that were sent, if the file is not visible yet."""
        if self._output is not None:
            self._output.discard()
        close_all(self.streams)


def _without(files: Any, file: Any) -> None:
    """Removes a file from the files of a transaction; files with equal names are equal."""
    kept = [other for other in files if other is not file]
    files.clear()
    files.extend(kept)
