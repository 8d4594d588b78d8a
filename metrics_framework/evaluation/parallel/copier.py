"""Copies open files to an output in a separate process, because it is much of the work of a process that joins parts.

Copies are confirmed in their order. If the copying process dies, the main process copies again what is not confirmed,
to the same place.
"""

from __future__ import annotations

import errno
import multiprocessing
import os
import signal
import socket
import struct
from collections import deque
from contextlib import suppress
from typing import Any

from metrics_framework.evaluation.parallel.worker_pool import SIGNALS, signals_blocked, start_method
from metrics_framework.io.open_files import OpenFile

MIN_SIZE = 1 << 20
"""The size of a file from which on a process is started."""
MAX_AHEAD = 8
"""The number of files that are kept open until they are copied, at most; it bounds memory."""
_RANGE = struct.Struct("qq")
_CODE = struct.Struct("i")


class Copier:
    """Copies open files to the end of another file; all are copied when its ``with`` block ends without an error.

    Where processes cannot be forked, this process copies.
    """

    def __init__(self) -> None:
        self._is_possible = hasattr(os, "memfd_create") and start_method() == "fork"
        self._process: Any = None
        self._socket: socket.socket | None = None
        self._descriptor, self._name, self._position = -1, "", 0
        self._unconfirmed: deque[OpenFile] = deque()

    def __enter__(self) -> Copier:
        return self

    def __exit__(self, kind: object, *error: object) -> None:
        try:
            if kind is None:
                self.finish()
        finally:
            self.close()

    def copy(self, file: OpenFile, descriptor: int, name: str) -> None:
        """Appends a file to another one; until `finish`, nothing else may write to that.

        Args:
            file: The file; it may be closed afterwards.
            descriptor: The descriptor of the other file, the same one for all files.
            name: Its name, for errors.

        Raises:
            OSError: if this or an earlier file cannot be written.
        """
        self._descriptor, self._name = descriptor, name
        if self._process is None and (file.size < MIN_SIZE or not self._started()):
            self._send(file)
            return
        while len(self._unconfirmed) >= MAX_AHEAD:
            self._confirm()
        self._unconfirmed.append(file.duplicate())
        if not self._is_requested(file):
            self._copy_here()

    def finish(self) -> None:
        """Waits until all files are copied.

        Raises:
            OSError: if one cannot be written.
        """
        while self._unconfirmed:
            self._confirm()

    def _started(self) -> bool:
        """Starts the process, and returns whether it runs."""
        if not self._is_possible:
            return False
        context = multiprocessing.get_context("fork")
        self._position = os.lseek(self._descriptor, 0, os.SEEK_CUR)
        try:
            self._socket, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            with other, signals_blocked(context):
                self._process = context.Process(target=_copy_all, args=(other, self._socket, self._descriptor))
                self._process.start()
        except OSError:  # too many processes or open files
            self._process, self._is_possible = None, False
        return self._is_possible

    def _is_requested(self, file: OpenFile) -> bool:
        """Passes a file to the process; returns whether it is alive."""
        try:
            if self._socket is not None:
                socket.send_fds(self._socket, [_RANGE.pack(file.start, file.size)], [file.descriptor])
        except OSError:
            return False
        return self._socket is not None

    def _confirm(self) -> None:
        """Waits until the first unconfirmed file is copied."""
        answer = b""
        if self._socket is not None:
            with suppress(OSError):
                answer = self._socket.recv(_CODE.size)
        if not answer:
            self._copy_here()
            return
        with self._unconfirmed.popleft() as copied:
            self._position += copied.size
        if code := _CODE.unpack(answer)[0]:
            raise OSError(code, os.strerror(code), self._name)

    def _copy_here(self) -> None:
        """Copies the unconfirmed files in this process, because the other one died."""
        self._stop()
        os.lseek(self._descriptor, self._position, os.SEEK_SET)
        while self._unconfirmed:
            with self._unconfirmed.popleft() as file:
                self._send(file)
                self._position += file.size

    def _send(self, file: OpenFile) -> None:
        try:
            file.send_to(self._descriptor)
        except OSError as error:
            raise OSError(error.errno, error.strerror, self._name) from None

    def close(self) -> None:
        """Ends the process, and forgets what is not copied yet."""
        self._stop()
        while self._unconfirmed:
            self._unconfirmed.popleft().close()

    def _stop(self) -> None:
        """Ends the process; no other one is started."""
        self._is_possible = False
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._process.close()
        if self._socket is not None:
            self._socket.close()
        self._process = self._socket = None


def _copy_all(connection: socket.socket, inherited: socket.socket, descriptor: int) -> None:
    """Copies files until the main process closes the connection or dies.

    Args:
        connection: Receives files, and sends the error code of each, 0 for none.
        inherited: The other end, which this process must close to notice that the main process died.
        descriptor: The file to which they are copied.
    """
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    inherited.close()
    with suppress(OSError):  # the main process ended, or closed its end before it had read all answers
        while True:
            request, descriptors, _, _ = socket.recv_fds(connection, _RANGE.size, 1)
            if not request:
                return
            with OpenFile(descriptors[0], *_RANGE.unpack(request)) as file:
                connection.send(_CODE.pack(_error_code_of(file, descriptor)))


def _error_code_of(file: OpenFile, descriptor: int) -> int:
    """Copies a file; returns the code of the error, 0 for none."""
    try:
        file.send_to(descriptor)
    except OSError as error:
        return error.errno or errno.EIO
    return 0
