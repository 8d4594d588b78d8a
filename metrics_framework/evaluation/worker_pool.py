"""Worker processes that score parts of the input (``--jobs``).

Workers are forked where that is safe: on Linux, while the main process has one thread. Elsewhere they are spawned,
import the same plug-ins and build the metrics from their options. Workers ignore termination signals, which also reach
the main process: it ends the workers. If the main process dies, the workers exit immediately.

`concurrent.futures` is not used because a worker that dies breaks its whole pool: all tasks in flight are lost, and
which one is at fault is unknown. Here another worker takes over the tasks of one that died.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from queue import SimpleQueue
from threading import Thread
from typing import Any

from metrics_framework.common.errors import FwError, PluginError, ProcessError, UsageError, message_of
from metrics_framework.common.plugins import named, take_over
from metrics_framework.common.process import SIGNALS, signal_name
from metrics_framework.io.child_process import workers_without_working_folder

TRIES = 3
"""The number of times that a task is tried if its worker dies."""
TASKS_AHEAD_PER_WORKER = 2
"""The number of tasks per worker that are sent before their results are consumed; it bounds memory."""
JOIN_TIMEOUT = 5.0
"""Seconds to wait for a worker to exit."""
_NO_MORE_TASKS = b""


class WorkerPool:
    """Worker processes that run tasks and return the results in the order of the tasks.

    None of them runs after the ``with`` block, even if it raises an error.

    Args:
        function: Runs a task.
        slots: The number of workers.

    Raises:
        ProcessError: if a worker cannot be started.
        UsageError: if the function cannot be pickled.
    """

    def __init__(self, function: Callable[[Any], Any], slots: int) -> None:
        self.slots = slots
        self._function = function
        self._workers: list[_Worker] = []

    def __enter__(self) -> WorkerPool:
        try:
            for index in range(self.slots):
                self._workers.append(self._started(index))
        except BaseException:
            self._kill()
            raise
        return self

    def __exit__(self, kind: object, *error: object) -> None:
        try:
            for worker in self._workers if kind is None else ():
                with suppress(OSError):
                    worker.connection.send_bytes(_NO_MORE_TASKS)
            for worker in self._workers if kind is None else ():
                worker.process.join(JOIN_TIMEOUT)
        finally:
            self._kill()

    def _kill(self) -> None:
        for worker in self._workers:
            worker.process.kill()
        for worker in self._workers:
            worker.process.join()
            worker.connection.close()

    def _started(self, index: int) -> _Worker:
        others = [worker.connection for worker in self._workers if not worker.connection.closed]
        try:
            return _Worker(self._function, others)
        except OSError as error:
            raise ProcessError(
                f"worker process {index + 1} of {self.slots} cannot be started: {error.strerror or error}; "
                f"use a smaller number for --jobs"
            ) from None

    def map(self, tasks: Iterable[Any]) -> Iterator[Any]:
        """Yields the results of tasks, in the order of the tasks.

        If a worker dies, another one takes over its tasks; the task that it was running is tried `TRIES` times. At most
        `TASKS_AHEAD_PER_WORKER` tasks per worker are read ahead. If the iterable itself raises an error, the results of
        the earlier tasks are yielded first, as in a run with one process. A task that fails in a worker is run again in
        this process, to raise its error here.

        Raises:
            ProcessError: if workers died repeatedly.
        """
        source, failure, has_more = iter(tasks), None, True
        open_tasks: deque[Any] = deque()
        results: dict[int, tuple[bool, Any]] = {}
        yielded = 0
        while has_more or open_tasks:
            while has_more and len(open_tasks) < TASKS_AHEAD_PER_WORKER * self.slots:
                try:
                    open_tasks.append(next(source))
                except StopIteration:
                    has_more = False
                except Exception as error:
                    has_more, failure = False, error
                else:
                    self._send(yielded + len(open_tasks) - 1, pickled(open_tasks[-1]))
                    results.update(self._received(timeout=0))
            while open_tasks and yielded not in results:
                results.update(self._received())
            if open_tasks:
                task, (is_done, value) = open_tasks.popleft(), results.pop(yielded)
                yielded += 1
                yield value if is_done else self._function(task)
        if failure is not None:
            raise failure

    def _send(self, number: int, task: bytes) -> None:
        """Sends a task to the worker with the fewest open tasks."""
        index = min(range(self.slots), key=lambda index: len(self._workers[index].open_tasks))
        self._workers[index].open_tasks.append((number, task))
        try:
            self._workers[index].connection.send_bytes(task)
        except OSError:
            self._replace(index)

    def _received(self, timeout: float | None = None) -> Iterator[tuple[int, tuple[bool, Any]]]:
        """Yields task numbers and results; without a timeout, waits until there is at least one."""
        ready = wait([worker.connection for worker in self._workers if worker.open_tasks], timeout)
        for index, worker in enumerate(self._workers):
            if worker.connection not in ready:
                continue
            try:
                result = pickle.loads(worker.connection.recv_bytes())
            except (EOFError, OSError):
                self._replace(index)
                continue
            if isinstance(result, FwError):
                raise result
            worker.tries = 0
            yield worker.open_tasks.popleft()[0], result

    def _replace(self, index: int) -> None:
        """Starts another worker for the tasks of one that died.

        Raises:
            ProcessError: if workers died repeatedly while they ran the same task.
        """
        while True:
            dead = self._workers[index]
            death = self._death_of(index)
            dead.process.kill()
            dead.connection.close()
            if not isinstance(death, ProcessError) or not dead.open_tasks or dead.tries + 1 >= TRIES:
                raise death
            self._workers[index] = new = self._started(index)
            new.open_tasks, new.tries = dead.open_tasks, dead.tries + 1
            with suppress(OSError):
                for _, task in new.open_tasks:
                    new.connection.send_bytes(task)
                return

    def _death_of(self, index: int) -> FwError:
        """Returns the error that a dead worker sent last, or else an error with its exit code."""
        connection, process = self._workers[index].connection, self._workers[index].process
        with suppress(EOFError, OSError, pickle.UnpicklingError):
            while connection.poll():
                last = pickle.loads(connection.recv_bytes())
                if isinstance(last, FwError):
                    return last
        process.join(JOIN_TIMEOUT)
        code = process.exitcode
        how = f"was killed by {signal_name(-code)}" if code is not None and code < 0 else f"exited with code {code}"
        return ProcessError(
            f"worker process {index + 1} of {self.slots} {how}; if memory ran out, use a smaller number for --jobs"
        )


class _Worker:
    """A worker process, as the main process handles it.

    Attributes:
        open_tasks: The numbers and tasks sent to it whose results have not arrived.
        tries: The number of workers that died while they ran the first of them.
    """

    def __init__(self, function: Callable[[Any], Any], other_connections: list[Connection]) -> None:
        self.open_tasks: deque[tuple[int, bytes]] = deque()
        self.tries = 0
        context: Any = multiprocessing.get_context(start_method())
        self.connection, worker_end = context.Pipe()
        forked = context.get_start_method() == "fork"
        inherited = [*other_connections, self.connection] if forked else []
        try:
            sent = function if forked else packed(function)
            self.process = context.Process(target=_work, args=(sent, worker_end, inherited))
            with workers_without_working_folder(), _signals_blocked(forked):
                self.process.start()
        except BaseException:
            self.connection.close()
            raise
        finally:
            worker_end.close()


def start_method() -> str:
    """Returns the start method that the program chose; else ``fork`` where that is safe, or ``spawn``."""
    chosen = multiprocessing.get_start_method(allow_none=True)
    if chosen is not None:
        return chosen
    with suppress(OSError):
        if sys.platform == "linux" and len(os.listdir("/proc/self/task")) == 1:
            return "fork"
    return "spawn"


def packed(value: Any) -> bytes:
    """Returns a value for another process of this package, with the plug-ins that it may be defined in."""
    return pickle.dumps((named(), pickled(value)))


def unpacked(data: bytes) -> Any:
    """Returns a value that `packed` has packed in another process, after its plug-ins were imported."""
    plug_ins: tuple[Mapping[str, str], Mapping[str, str]]
    plug_ins, value = pickle.loads(data)
    take_over(*plug_ins)
    return pickle.loads(value)


def pickled(value: Any) -> bytes:
    """Returns a value for another process.

    Raises:
        UsageError: if it cannot be pickled.
    """
    try:
        return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    except FwError:
        raise
    except Exception as error:
        raise UsageError(f"metrics or outputs cannot be sent to worker processes ({error}); use --jobs 1") from error


@contextmanager
def _signals_blocked(forked: bool) -> Iterator[None]:
    """Blocks signals until a new worker has installed its handlers."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    if not forked:
        from multiprocessing import resource_tracker

        resource_tracker.ensure_running()  # it unblocks signals while it starts, so start it before they are blocked
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


# ---- in the worker process -------------------------------------------------------------------------------------------


def _work(function: Any, connection: Connection, inherited: Iterable[Connection]) -> None:
    """Runs tasks until there are no more.

    Args:
        function: Runs a task; packed in a spawned worker.
        connection: Receives tasks and sends results.
        inherited: Connections of the main process that this forked worker has to close: while a copy is open, the
            other workers do not notice that the main process died.
    """
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    for other in inherited:
        other.close()
    tasks: SimpleQueue[bytes] = SimpleQueue()
    Thread(target=_receive, args=(connection, tasks), daemon=True).start()
    try:
        run_task = unpacked(function) if isinstance(function, bytes) else function
    except BaseException as error:
        reason = PluginError(f"a worker process cannot build the metrics: {message_of(error)}; use --jobs 1")
        connection.send_bytes(pickle.dumps(reason))
        return
    while task := tasks.get():
        connection.send_bytes(_pickled_result(run_task, task))


def _receive(connection: Connection, tasks: SimpleQueue[bytes]) -> None:
    """Queues incoming tasks while others run.

    If the main process blocked on sending a task, it could not receive results, and both sides would wait forever.
    """
    try:
        while task := connection.recv_bytes():
            tasks.put(task)
        tasks.put(_NO_MORE_TASKS)
    except (EOFError, OSError):  # the main process died
        os._exit(1)


def _pickled_result(run_task: Callable[[Any], Any], task: bytes) -> bytes:
    """Runs a task and returns whether it succeeded, and its value; or the error that ends the run."""
    try:
        return pickle.dumps((True, run_task(pickle.loads(task))), pickle.HIGHEST_PROTOCOL)
    except MemoryError:
        return pickle.dumps(ProcessError("a worker process ran out of memory; use a smaller number for --jobs"))
    except BaseException:
        return pickle.dumps((False, None))
