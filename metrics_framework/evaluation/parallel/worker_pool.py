"""Other processes that do a part of the work.

They are forked where that is safe: on Linux, while there is one thread. Elsewhere they are started anew, import the
same plug-ins, and build the metrics from their options. None of them ends at a signal that asks for the end, since
these reach the main process too: it ends them. If it is gone itself, they end at once.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from queue import SimpleQueue
from threading import Thread
from typing import Any, NamedTuple, TypeAlias

from metrics_framework.common.errors import FwError, PluginError, ProcessError, UsageError, message_of
from metrics_framework.common.plugins import named, take_over

AHEAD = 4
"""So many tasks for each process are under way, or done and not yet taken."""
PATIENCE = 5.0
"""Seconds until a process that was asked to end is killed."""
_END = b""
_SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]

Work: TypeAlias = "Callable[[Any], Any]"
Warned: TypeAlias = "tuple[str, type[Warning], str, int]"


class Answer(NamedTuple):
    """What came of a task.

    Attributes:
        value: The result.
        failed: Whether there is none.
        warned: The warnings of Python's that came up: text, kind, file and line.
    """

    value: Any
    failed: bool
    warned: list[Warned]


class Workers:
    """Processes that do tasks; results come in the order of the tasks.

    Args:
        make: Makes, in each process, what does a task.
        count: How many processes.
    """

    def __init__(self, make: Callable[[], Work], count: int) -> None:
        self.count = count
        self._make = make
        self._workers: list[_Worker] = []

    def start(self) -> None:
        """Starts the processes.

        Raises:
            ProcessError: if one cannot be started.
            UsageError: if what they are to do cannot be sent to them.
        """
        context = multiprocessing.get_context(start_method())
        sent = self._make if context.get_start_method() == "fork" else pickle.dumps((named(), _packed(self._make)))
        with _signals_held_back(context):
            for place in range(self.count):
                try:
                    self._workers.append(_Worker(context, sent, [one.connection for one in self._workers]))
                except OSError as error:
                    raise ProcessError(
                        f"worker process {place + 1} of {self.count} cannot be started: {error.strerror or error}; "
                        f"use a smaller --jobs"
                    ) from None

    def end(self) -> None:
        """Lets the processes end, which have nothing to do any more."""
        for worker in self._workers:
            with suppress(OSError):
                worker.connection.send_bytes(_END)
        for worker in self._workers:
            worker.process.join(PATIENCE)

    def kill(self) -> None:
        """Ends the processes that still run, whatever they do."""
        for worker in self._workers:
            worker.process.kill()
        for worker in self._workers:
            worker.process.join()
            worker.connection.close()

    def map(self, tasks: Iterable[Any]) -> Iterator[Answer]:
        """Gives the answers to tasks, in their order, and reads only so far ahead.

        An error that the tasks themselves raise is raised behind the answers to those before, as if they had been done
        one at a time.

        Raises:
            ProcessError: if a process is gone.
        """
        source, failure, more = iter(tasks), None, True
        answers: dict[int, Answer] = {}
        sent = taken = 0
        while more or taken < sent:
            while more and sent - taken < AHEAD * self.count:
                try:
                    task = next(source)
                except StopIteration:
                    more = False
                except Exception as error:
                    more, failure = False, error
                else:
                    self._send(sent, task)
                    sent += 1
                    answers.update(self._received(timeout=0))
            while taken < sent and taken not in answers:
                answers.update(self._received())
            if taken < sent:
                yield answers.pop(taken)
                taken += 1
        if failure is not None:
            raise failure

    def _send(self, number: int, task: Any) -> None:
        """Sends a task to the process that has the least to do."""
        least = min(range(self.count), key=lambda place: len(self._workers[place].numbers))
        packed = _packed(task)
        try:
            self._workers[least].connection.send_bytes(packed)
        except OSError:
            raise self._gone(least) from None
        self._workers[least].numbers.append(number)

    def _received(self, timeout: float | None = None) -> Iterator[tuple[int, Answer]]:
        """Gives the answers that are there; waits for one unless told how long."""
        there = wait([worker.connection for worker in self._workers if worker.numbers], timeout)
        for place, worker in enumerate(self._workers):
            if worker.connection not in there:
                continue
            try:
                answer = pickle.loads(worker.connection.recv_bytes())
            except (EOFError, OSError):
                raise self._gone(place) from None
            if isinstance(answer, FwError):
                raise answer
            yield worker.numbers.popleft(), answer

    def _gone(self, place: int) -> FwError:
        """Returns why a process is gone: what it said last, if it said it, else how it ended."""
        connection, process = self._workers[place].connection, self._workers[place].process
        with suppress(EOFError, OSError):
            while connection.poll():
                last = pickle.loads(connection.recv_bytes())
                if isinstance(last, FwError):
                    return last
        process.join(PATIENCE)
        code = process.exitcode
        how = f"was ended by {_signal_name(-code)}" if code is not None and code < 0 else f"ended with exit code {code}"
        return ProcessError(
            f"worker process {place + 1} of {self.count} {how}; if it ran out of memory, use a smaller --jobs"
        )


@contextmanager
def started(make: Callable[[], Work], count: int) -> Iterator[Workers]:
    """Starts processes that do tasks; none of them is there any more at the end of the block, however it ends.

    Raises:
        ProcessError: if one cannot be started.
        UsageError: if what they are to do cannot be sent to them.
    """
    workers = Workers(make, count)
    try:
        workers.start()
        yield workers
        workers.end()
    finally:
        workers.kill()


class _Worker:
    """One of the processes, as the main one sees it."""

    def __init__(self, context: Any, sent: Any, others: list[Connection]) -> None:
        self.numbers: deque[int] = deque()
        self.connection, theirs = context.Pipe()
        forked = context.get_start_method() == "fork"
        inherited = [*others, self.connection] if forked else []
        self.process = context.Process(target=_work, args=(sent, theirs, inherited))
        try:
            self.process.start()
        except BaseException:
            self.connection.close()
            raise
        finally:
            theirs.close()


def start_method() -> str:
    """Returns how processes are started: as the program chose, or forked where that is safe."""
    chosen = multiprocessing.get_start_method(allow_none=True)
    if chosen is not None:
        return chosen
    with suppress(OSError):
        if sys.platform == "linux" and len(os.listdir("/proc/self/task")) == 1:
            return "fork"
    return "spawn"


def _packed(value: Any) -> bytes:
    try:
        return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    except FwError:
        raise
    except Exception as error:
        raise UsageError(f"metrics or reader cannot be sent to worker processes ({error}); use --jobs 1") from error


@contextmanager
def _signals_held_back(context: Any) -> Iterator[None]:
    """Lets no signal come before a new process is ready for it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    if context.get_start_method() != "fork":
        from multiprocessing import resource_tracker

        resource_tracker.ensure_running()  # would let signals through while it starts
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


# ---- in the other process --------------------------------------------------------------------------------------------


def _work(sent: Any, connection: Connection, inherited: Iterable[Connection]) -> None:
    """Does tasks until there are no more.

    Args:
        sent: What makes what does a task; packed, with the plug-ins, if this process does not share memory.
        connection: Brings tasks, and takes the answers.
        inherited: Ends of pipes that are not ours: while one is open, another process does not see that the main one is
            gone.
    """
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
    for other in inherited:
        other.close()
    tasks: SimpleQueue[bytes] = SimpleQueue()
    Thread(target=_receive, args=(connection, tasks), daemon=True).start()
    warned: list[Warned] = []
    warnings.showwarning = lambda message, category, filename, lineno, *_: warned.append(
        (str(message), category, filename, lineno)
    )
    try:
        work = _made(sent)
    except BaseException as error:
        reason = PluginError(f"another process cannot build the metrics: {message_of(error)}; use --jobs 1")
        connection.send_bytes(pickle.dumps(reason))
        return
    while task := tasks.get():
        connection.send_bytes(_answer(work, task, warned))
        warned.clear()


def _receive(connection: Connection, tasks: SimpleQueue[bytes]) -> None:
    """Takes in tasks while others are done: who sends must not wait, since nobody would take the answers then."""
    try:
        while task := connection.recv_bytes():
            tasks.put(task)
        tasks.put(_END)
    except (EOFError, OSError):  # the main process is gone
        os._exit(1)


def _made(sent: Any) -> Work:
    if not isinstance(sent, bytes):
        work: Work = sent()
        return work
    plug_ins: tuple[Mapping[str, str], Mapping[str, str]]
    plug_ins, packed = pickle.loads(sent)
    take_over(*plug_ins)
    made: Work = pickle.loads(packed)()
    return made


def _answer(work: Work, task: bytes, warned: list[Warned]) -> bytes:
    """Does a task; why one fails the main process finds out for itself."""
    try:
        return pickle.dumps(Answer(work(pickle.loads(task)), False, warned), pickle.HIGHEST_PROTOCOL)
    except MemoryError:
        return pickle.dumps(ProcessError("a worker process ran out of memory; use a smaller --jobs"))
    except BaseException:
        return pickle.dumps(Answer(None, True, []), pickle.HIGHEST_PROTOCOL)
