"""Remote files through fsspec: reading ranges of bytes, files that exist only when complete, patterns, and errors."""

from __future__ import annotations

import errno
import io
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from metrics_framework.common.errors import DataError, FwError, MissingExtraError, UsageError, causes
from metrics_framework.common.installation import pip_install
from metrics_framework.common.overriding import overrides
from metrics_framework.common.process import signals_delayed

BLOCK_SIZE = 1 << 22
"""The number of bytes that are requested ahead when a file is read, which is the memory that a reader needs."""
PART_SIZE = 1 << 23
"""The number of bytes that are sent at a time when a file is written; S3 accepts 10,000 blocks."""
WEB = ("http", "https")
"""The schemes of web servers, which may send whole files only."""
OBJECT_STORES = frozenset(
    ("s3", "s3a", "gs", "gcs", "az", "abfs", "abfss", "adl", "oci", "ocilake", "oss", "hf", "http", "https", "memory")
)
"""The schemes without folders: a name may contain slashes, and nothing has to be created before a file."""
_PACKAGE = re.compile(r"""\b(?:[Ii]nstall|requires) ["'`]?([\w.-]+)""")
_NO_CREDENTIALS = frozenset(
    ("NoCredentialsError", "PartialCredentialsError", "CredentialRetrievalError", "DefaultCredentialsError")
)
_UNREACHABLE = frozenset(
    ("EndpointConnectionError", "ConnectTimeoutError", "ClientConnectorError", "ClientConnectorDNSError")
)


def scheme_of(path: str) -> str:
    """Returns the scheme of a remote path; with caches before it, as in ``simplecache::s3://…``, that of the file."""
    return path.partition("://")[0].rpartition("::")[2].lower()


def file_system(path: str) -> tuple[Any, str]:
    """Returns the file system of fsspec that a path belongs to, and the name of the file in it.

    Raises:
        MissingExtraError: if fsspec is not installed.
        UsageError: if there is no such file system, or its package is not installed.
    """
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise MissingExtraError("remote paths", "fsspec", "remote", f"the path '{path}'") from None
    try:
        system, name = url_to_fs(path)
    except ImportError as error:
        package = _PACKAGE.search(str(error))
        advice = f"install it with: {pip_install(package[1])}" if package else str(error)
        raise UsageError(f"'{path}' needs a package that is not installed; {advice}") from None
    except ValueError as error:
        unknown = "not known" in str(error)
        reason = (
            f"unknown scheme {scheme_of(path)}://; use s3://, gs://, hf://, https:// or another one of fsspec"
            if unknown
            else error
        )
        raise UsageError(f"'{path}' cannot be used: {reason}") from None
    except Exception as error:
        raise UsageError(f"'{path}' cannot be used: {reason_of(error)}") from None
    return system, name


def reason_of(error: BaseException) -> str:
    """Returns why a remote file cannot be used, for common causes in the words of the operating system."""
    chain = list(causes(error))
    names = {kind.__name__ for cause in chain for kind in type(cause).__mro__}
    detail = " ".join(str(error).split())
    if any(getattr(cause, "status", None) in _FORBIDDEN for cause in chain):
        return os.strerror(errno.EACCES)
    for kind, number in _SYSTEM_ERRORS:
        if any(isinstance(cause, kind) for cause in chain):
            return os.strerror(number)
    if names & _NO_CREDENTIALS:
        return "no credentials were found; set them as described in docs/guides/remote-files.md"
    if names & _UNREACHABLE:
        return f"the server cannot be reached: {detail}"
    if isinstance(error, FileNotFoundError):
        return os.strerror(errno.ENOENT)
    if isinstance(error, NotImplementedError):
        return "not supported for this scheme"
    return detail or type(error).__name__


_FORBIDDEN = (401, 403)
_SYSTEM_ERRORS = (  # the kinds of causes; pages that cannot be reached are also said not to exist
    (PermissionError, errno.EACCES),
    (IsADirectoryError, errno.EISDIR),
    (NotADirectoryError, errno.ENOTDIR),
    (ConnectionRefusedError, errno.ECONNREFUSED),
)


@contextmanager
def system_errors(path: str) -> Iterator[None]:
    """Raises every failure of a remote operation as an error of the operating system with the path.

    Raises:
        OSError: if the block raises any exception but one of this package.
    """
    try:
        yield
    except FwError:
        raise
    except Exception as error:  # each file system raises what its package raises
        number = error.errno if isinstance(error, OSError) else None
        if not isinstance(number, int):
            number = errno.ENOENT if isinstance(error, FileNotFoundError) else errno.EIO
        raise OSError(number, reason_of(error), path) from None


def details_of(path: str) -> dict[str, Any]:
    """Returns what the file system knows of a file: its size, and mostly a time or a hash.

    Raises:
        OSError: if there is no such file, or the server does not answer.
    """
    return _details(path, *file_system(path))


def _details(path: str, system: Any, name: str) -> dict[str, Any]:
    with system_errors(path):
        system.invalidate_cache()  # other processes write files, too
        details: dict[str, Any] = system.info(name)
        if details.get("type") == "directory":
            raise IsADirectoryError(name)
    return details


def open_remote(path: str, blocks: int = 1) -> RemoteFile:
    """Opens a remote file for reading.

    Args:
        path: The file.
        blocks: The number of blocks that are kept.

    Raises:
        OSError: if it cannot be read; it names the path.
    """
    system, name = file_system(path)
    return RemoteFile(system, name, path, _details(path, system, name).get("size"), blocks)


class RemoteFile(io.RawIOBase):
    """A remote file that is read in blocks of `BLOCK_SIZE`, in order or at several positions in turn.

    Files in memory share a position with their other readers, so this class has its own. A page of a web server is read
    as a stream until another position is requested, because not every server sends ranges.

    Args:
        system: The file system of fsspec.
        file: The name of the file in it.
        path: Its path, for errors.
        size: Its number of bytes, if it is known.
        blocks: The number of blocks that are kept; with 1, blocks begin where the file is read.

    Raises:
        OSError: if it cannot be opened; it names the path.
    """

    def __init__(self, system: Any, file: str, path: str, size: int | None, blocks: int) -> None:
        self.name = path
        self._system = system
        self._file_name = file
        self._size = size
        self._position = 0
        self._cache: dict[str, Any] = {"cache_type": "readahead"}
        if blocks > 1:
            self._cache = {"cache_type": "blockcache", "cache_options": {"maxblocks": blocks}}
        with system_errors(path):
            self._file = self._opened(0 if scheme_of(path) in WEB else BLOCK_SIZE)

    def _opened(self, block_size: int) -> Any:
        return self._system.open(self._file_name, "rb", block_size=block_size, **self._cache)

    @overrides
    def readable(self) -> bool:
        return True

    @overrides
    def seekable(self) -> bool:
        return True

    @overrides
    def readinto(self, buffer: bytearray | memoryview, /) -> int:  # type: ignore[override]
        with system_errors(self.name):
            self._move()
            data = self._file.read(len(buffer))
        buffer[: len(data)] = data
        self._position += len(data)
        return len(data)

    def _move(self) -> None:
        """Moves the file of fsspec to the position."""
        if self._file.tell() == self._position:
            return
        try:
            self._file.seek(self._position)
        except ValueError:  # a stream
            self._file.close()
            self._file = self._opened(BLOCK_SIZE)
            self._file.seek(self._position)

    @overrides
    def seek(self, position: int, whence: int = os.SEEK_SET, /) -> int:
        if whence == os.SEEK_CUR:
            position += self._position
        elif whence == os.SEEK_END:
            if self._size is None:
                raise OSError(errno.ESPIPE, os.strerror(errno.ESPIPE), self.name)
            position += self._size
        self._position = position
        return position

    @overrides
    def tell(self) -> int:
        return self._position

    @overrides
    def close(self) -> None:
        if not self.closed:
            super().close()
            with system_errors(self.name):
                self._file.close()


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
        if scheme_of(self.name) in ("s3", "s3a"):
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


def _without(files: Any, file: Any) -> None:
    """Removes a file from the files of a transaction; files with equal names are equal."""
    kept = [other for other in files if other is not file]
    files.clear()
    files.extend(kept)


def remote_matches(pattern: str) -> list[str]:
    """Returns the files that match a pattern, sorted by name; a file with the name of the pattern is the only match.

    Raises:
        DataError: if the folder cannot be listed.
    """
    system, name = file_system(pattern)
    try:
        system.invalidate_cache()
        if _is_file(system, name):
            return [pattern]
        found: dict[str, dict[str, Any]] = system.glob(name, detail=True)
    except FileNotFoundError:
        return []
    except Exception as error:  # each file system raises what its package raises
        raise DataError(f"cannot be listed: {reason_of(error)}", pattern) from None
    return sorted(
        _with_scheme(pattern, name, match, system)
        for match, details in found.items()
        if details.get("type") != "directory"
    )


def _is_file(system: Any, name: str) -> bool:
    try:
        return bool(system.info(name)["type"] == "file")
    except (FileNotFoundError, ValueError):
        return False


def _with_scheme(pattern: str, name: str, match: str, system: Any) -> str:
    """Returns a match as a path that begins like the pattern, with its scheme and server."""
    if pattern.endswith(name):
        return pattern[: len(pattern) - len(name)] + match
    path: str = system.unstrip_protocol(match)
    return path
