"""This process: the signals that end it, the outputs that it has begun, its streams, terminal and CPUs."""

from __future__ import annotations

import _thread
import io
import math
import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
SECONDS_TO_CLEAN_UP = 2.0
"""After a signal, further ones are ignored for this time, so that they do not interrupt the removal of files."""


class Terminated(BaseException):
    """The process received SIGTERM or SIGHUP."""


class _RunEnd:
    """The handler that ends a run.

    For `SECONDS_TO_CLEAN_UP` after a signal, further signals are ignored. Later ones raise again, in case other code
    caught the first exception.

    Attributes:
        raised: The class of the exception that a signal raised; `None` if there was no signal.
    """

    raised: type[KeyboardInterrupt] | type[Terminated] | None = None
    _last = -math.inf
    _number = 0

    def __call__(self, number: int, frame: object) -> None:
        """Raises `KeyboardInterrupt` on SIGINT, else `Terminated`."""
        now = time.monotonic()
        if now - self._last >= SECONDS_TO_CLEAN_UP:
            self._last = now
            self.raised = KeyboardInterrupt if number == signal.SIGINT else Terminated
            self._number = number
            raise self.raised

    def unraisable(self, failed: Any) -> None:
        """Handles an exception that Python cannot raise where it occurs, as in ``__del__`` or a callback of `weakref`.

        If it is that of a signal, the signal is sent again. Other exceptions after a signal come from objects that the
        signal left incomplete; they are not printed.
        """
        if self.raised is None:
            sys.__unraisablehook__(failed)
        elif issubclass(failed.exc_type, self.raised):
            self._last = -math.inf
            _thread.start_new_thread(_send_again, (self._number,))


def _send_again(number: int) -> None:
    """Sends a signal to this process, when the code that cannot be interrupted has returned."""
    time.sleep(0.01)
    os.kill(os.getpid(), number)


def end_run_on_signals() -> None:
    """Raises `KeyboardInterrupt` on SIGINT and `Terminated` on SIGTERM and SIGHUP from now on, wherever they occur.

    A signal that is ignored stays ignored: ``nohup`` ignores SIGHUP, and shells ignore SIGINT in background jobs of
    scripts.
    """
    handler = _RunEnd()
    sys.unraisablehook = handler.unraisable
    for number in SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)


def raised_by_signal() -> type[KeyboardInterrupt] | type[Terminated] | None:
    """Returns the class of the exception that a signal raised in this run, `None` if there was no signal.

    The import of a C extension that is interrupted can fail with an `ImportError` instead of this exception.
    """
    handlers = map(signal.getsignal, SIGNALS)
    return next((handler.raised for handler in handlers if isinstance(handler, _RunEnd)), None)


def ignore_signals() -> None:
    """Ignores the signals that `end_run_on_signals` handles: the run is complete, only its exit code is missing."""
    for number in SIGNALS:
        if isinstance(signal.getsignal(number), _RunEnd):
            signal.signal(number, signal.SIG_IGN)


@contextmanager
def signals_delayed() -> Iterator[None]:
    """Delays the signals that end a run until the end of the block, if they have a handler in Python.

    A handler runs between any two operations of the main thread, also between the creation of a file and the
    assignment of its name to a variable. Keep the block short.
    """
    import threading

    if threading.current_thread() is not threading.main_thread():  # handlers run in the main thread only
        yield
        return
    handlers = {number: handler for number in SIGNALS if callable(handler := signal.getsignal(number))}
    received: list[int] = []
    delaying = True

    def delay(number: int, frame: Any) -> None:
        if delaying:
            received.append(number)
        else:  # another signal arrived before all handlers were restored
            handlers[number](number, frame)

    try:
        for number in handlers:
            signal.signal(number, delay)
        yield
    finally:
        delaying = False
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for number in received[:1]:
            handlers[number](number, None)


_NAMES = {"-": "standard output"}


class OutputRecord(dict[str, bool]):
    """Maps each output that a run has begun to whether it is complete.

    Files are recorded when they are complete. Streams and devices, which have no temporary file, are recorded when they
    receive data.
    """

    def __str__(self) -> str:
        """Returns a statement about all outputs that were written to, empty without any."""
        complete = statement([path for path, is_complete in self.items() if is_complete], "complete")
        incomplete = statement([path for path, is_complete in self.items() if not is_complete], "incomplete")
        return ", ".join(filter(None, [complete, incomplete]))


def signal_name(number: int) -> str:
    """Returns the name of a signal, such as SIGKILL."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def statement(paths: Sequence[str], state: str) -> str:
    """States that outputs are in a state; returns an empty string without outputs.

    >>> statement(["a.json", "-"], "complete")
    'a.json and standard output are complete'
    """
    if not paths:
        return ""
    names = [_NAMES.get(path, path) for path in paths]
    listing = " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
    return f"{listing} {'is' if len(names) == 1 else 'are'} {state}"


RECORD: ContextVar[OutputRecord] = ContextVar("RECORD")
"""The record of the run; it has no value outside of a run."""


class ClosedStream(io.TextIOWrapper):
    """A replacement for a closed standard stream that discards messages; data must not be written to it."""

    def __init__(self) -> None:
        super().__init__(io.BufferedWriter(io.FileIO(os.devnull, "w")), encoding="utf-8")


def terminal_width(unknown: int) -> int:
    """Returns the number of columns: ``COLUMNS`` of the environment, else that of standard output.

    It does what `shutil.get_terminal_size` does, but `shutil` imports all modules of compression.

    Args:
        unknown: The width if standard output is no terminal.
    """
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns) > 0:
        return int(columns)
    try:
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or unknown  # type: ignore[union-attr]
    except (AttributeError, ValueError, OSError):  # it is closed, or not a terminal
        return unknown


def available_cpus() -> int:
    """Returns the number of CPUs that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
