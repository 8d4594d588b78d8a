"""A pool of worker processes.

Workers are forked where that is safe: on Linux, while the main process has one thread. Elsewhere they are spawned,
import the same plug-ins and build the metrics from their options. Workers ignore termination signals, which also reach
the main process: it ends the workers. If the main process dies, the workers exit immediately.

`multiprocessing.Pool` is not used because it waits forever if a worker is killed, nor `Executor.map` of
`concurrent.futures`, because it reads all tasks before it returns the first result.
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
from dataclasses import dataclass
from multiprocessing import reduction
from multiprocessing.connection import Connection, wait
from queue import SimpleQueue
from threading import Thread
from typing import Any, NamedTuple, TypeAlias

from metrics_framework.common.errors import FwError, PluginError, ProcessError, UsageError, message_of
from metrics_framework.common.plugins import named, take_over

TRIES = 3
"""The number of times that a task is tried if its worker dies."""
TASKS_AHEAD_PER_WORKER = 4
"""The number of tasks per worker that are sent before their results are consumed; it bounds memory."""
JOIN_TIMEOUT = 5.0
"""Seconds to wait for a worker to exit."""
_NO_MORE_TASKS = b""
SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]

TaskFunction: TypeAlias = "Callable[[Any], Any]"


class TaskResult(NamedTuple):
    """The result of a task.

    Attributes:
        value: The return value; `None` if the task failed.
        failed: Whether the task raised an error.
        file: The descriptor of an open file that belongs to the value; the worker has closed its own.
    """

    value: Any
    failed: bool
    file: int | None = None


class WithFile(NamedTuple):
    """The value of a task, and the descriptor of an open file that is passed to the main process, if there is one."""

    value: Any
    file: int | None


class WorkerPool:
    """Worker processes that run tasks and return the results in the order of the tasks.

    Args:
        build: Returns the function that runs a task; called once in each worker.
        count: The number of workers.
    """

    def __init__(self, build: Callable[[], TaskFunction], count: int) -> None:
        self.count = count
        self._build = build
        self._workers: list[_Worker] = []

    def start(self) -> None:
        """Starts the workers.

        Raises:
            ProcessError: if a worker cannot be started.
            UsageError: if the metrics cannot be pickled.
        """
        for index in range(self.count):
            self._workers.append(self._started(index))

    def _started(self, index: int) -> _Worker:
        context = multiprocessing.get_context(start_method())
        builder = self._build if context.get_start_method() == "fork" else packed(self._build)
        others = [worker.connection for worker in self._workers if not worker.connection.closed]
        with signals_blocked(context):
            try:
                return _Worker(context, builder, others)
            except OSError as error:
                raise ProcessError(
                    f"worker process {index + 1} of {self.count} cannot be started: {error.strerror or error}; "
                    f"use a smaller number for --jobs"
                ) from None

    def stop(self) -> None:
        """Asks the workers to exit and waits for them."""
        for worker in self._workers:
            with suppress(OSError):
                worker.connection.send_bytes(_NO_MORE_TASKS)
        for worker in self._workers:
            worker.process.join(JOIN_TIMEOUT)

    def kill(self) -> None:
        """Kills the workers that are still running."""
        for worker in self._workers:
            worker.process.kill()
        for worker in self._workers:
            worker.process.join()
            worker.connection.close()

    def map(self, tasks: Iterable[Any]) -> Iterator[TaskResult]:
        """Yields the results of tasks, in the order of the tasks.

        If a worker dies, another one takes over its tasks; the task that it was running is tried `TRIES` times. At most
        `TASKS_AHEAD_PER_WORKER` tasks per worker are read ahead. If the iterable itself raises an error, the results of
        the earlier tasks are yielded first, as in a run with one process.

        Raises:
            ProcessError: if workers died repeatedly.
        """
        source, failure, has_more = iter(tasks), None, True
        results: dict[int, TaskResult] = {}
        sent = yielded = 0
        while has_more or yielded < sent:
            while has_more and sent - yielded < TASKS_AHEAD_PER_WORKER * self.count:
                try:
                    task = next(source)
                except StopIteration:
                    has_more = False
                except Exception as error:
                    has_more, failure = False, error
                else:
                    self._send(sent, task)
                    sent += 1
                    results.update(self._received(timeout=0))
            while yielded < sent and yielded not in results:
                results.update(self._received())
            if yielded < sent:
                yield results.pop(yielded)
                yielded += 1
        if failure is not None:
            raise failure

    def _send(self, number: int, task: Any) -> None:
        """Sends a task to the worker with the fewest open tasks."""
        least_busy = min(range(self.count), key=lambda index: len(self._workers[index].open_tasks))
        self._workers[least_busy].open_tasks.append(_OpenTask(number, pickled(task)))
        try:
            self._workers[least_busy].connection.send_bytes(self._workers[least_busy].open_tasks[-1].pickled)
        except OSError:
            self._replace(least_busy)

    def _received(self, timeout: float | None = None) -> Iterator[tuple[int, TaskResult]]:
        """Yields task numbers and results; without a timeout, waits until there is at least one."""
        ready = wait([worker.connection for worker in self._workers if worker.open_tasks], timeout)
        for index, worker in enumerate(self._workers):
            if worker.connection not in ready:
                continue
            try:
                result = pickle.loads(worker.connection.recv_bytes())
                if isinstance(result, TaskResult) and result.file is not None:
                    result = result._replace(file=reduction.recv_handle(worker.connection))
            except (EOFError, OSError):
                self._replace(index)
                continue
            if isinstance(result, FwError):
                raise result
            yield worker.open_tasks.popleft().number, result

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
            if not isinstance(death, ProcessError) or not dead.open_tasks:
                raise death
            dead.open_tasks[0].tries += 1
            if dead.open_tasks[0].tries >= TRIES:
                raise death
            self._workers[index] = self._started(index)
            self._workers[index].open_tasks = dead.open_tasks
            with suppress(OSError):
                for task in dead.open_tasks:
                    self._workers[index].connection.send_bytes(task.pickled)
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
        how = f"was killed by {_signal_name(-code)}" if code is not None and code < 0 else f"exited with code {code}"
        return ProcessError(
            f"worker process {index + 1} of {self.count} {how}; if memory ran out, use a smaller number for --jobs"
        )


@contextmanager
def started(build: Callable[[], TaskFunction], count: int) -> Iterator[WorkerPool]:
    """Starts workers for a ``with`` block; none of them runs after the block, even if it raises an error.

    Raises:
        ProcessError: if a worker cannot be started.
        UsageError: if the metrics cannot be pickled.
    """
    pool = WorkerPool(build, count)
    try:
        pool.start()
        yield pool
        pool.stop()
    finally:
        pool.kill()


@dataclass
class _OpenTask:
    """A task whose result has not arrived.

    Attributes:
        number: The number of the task.
        pickled: The task.
        tries: The number of workers that died while they ran it.
    """

    number: int
    pickled: bytes
    tries: int = 0


class _Worker:
    """A worker process, as the main process handles it.

    Attributes:
        open_tasks: The tasks sent to it whose results have not arrived.
    """

    def __init__(self, context: Any, builder: Any, other_connections: list[Connection]) -> None:
        self.open_tasks: deque[_OpenTask] = deque()
        self.connection, worker_end = context.Pipe()
        forked = context.get_start_method() == "fork"
        inherited = [*other_connections, self.connection] if forked else []
        self.process = context.Process(target=_work, args=(builder, worker_end, inherited))
        try:
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
def signals_blocked(context: Any) -> Iterator[None]:
    """Blocks signals until a new worker has installed its handlers."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    if context.get_start_method() != "fork":
        from multiprocessing import resource_tracker

        resource_tracker.ensure_running()  # it unblocks signals while it starts, so start it before they are blocked
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


# ---- in the worker process -------------------------------------------------------------------------------------------


def _work(builder: Any, connection: Connection, inherited: Iterable[Connection]) -> None:
    """Runs tasks until there are no more.

    Args:
        builder: Returns the function that runs a task; in a spawned worker, pickled with the names of the plug-ins.
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
        run_task = _built(builder)
    except BaseException as error:
        reason = PluginError(f"a worker process cannot build the metrics: {message_of(error)}; use --jobs 1")
        connection.send_bytes(pickle.dumps(reason))
        return
    while task := tasks.get():
        _send_result(connection, run_task, task)


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


def _built(builder: Any) -> TaskFunction:
    run_task: TaskFunction = (unpacked(builder) if isinstance(builder, bytes) else builder)()
    return run_task


def _send_result(connection: Connection, run_task: TaskFunction, task: bytes) -> None:
    """Runs a task and sends its result; the main process runs a failed task again, and raises its error."""
    file = None
    try:
        value = run_task(pickle.loads(task))
        if isinstance(value, WithFile):
            value, file = value
        result = _pickled_result(TaskResult(value, False, file))
    except BaseException as error:
        result = _pickled_result(error)
    connection.send_bytes(result)
    if file is not None:
        reduction.send_handle(connection, file, None)
        os.close(file)


def _pickled_result(result: TaskResult | BaseException) -> bytes:
    try:
        if isinstance(result, BaseException):
            raise result
        return pickle.dumps(result, pickle.HIGHEST_PROTOCOL)
    except MemoryError:
        return pickle.dumps(ProcessError("a worker process ran out of memory; use a smaller number for --jobs"))
    except BaseException:
        return pickle.dumps(TaskResult(None, True), pickle.HIGHEST_PROTOCOL)
