"""Runs the parts of a run as tasks of a cluster: a bounded number at a time, each tried three times (decision 0056)."""

from __future__ import annotations

import signal
import socket
import time
import warnings
from abc import abstractmethod
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from typing import Any, ClassVar, NoReturn, Protocol

from metrics_framework.common.errors import FwError, MissingExtraError, ProcessError, message_of
from metrics_framework.common.installation import install_same_version
from metrics_framework.common.overriding import overrides
from metrics_framework.evaluation.parallel.worker_pool import TRIES
from metrics_framework.evaluation.parts.engines import CONNECTION_SECONDS, Engine, PartFunction
from metrics_framework.version import __version__

MIN_AHEAD = 8
"""The least number of tasks that are submitted before others are complete."""
PACKAGE = "metrics_framework"
VERSION = f"{PACKAGE}.version:__version__"
"""What `pkgutil.resolve_name` finds in a process that has this package."""


class Cluster(Protocol):
    """A connection to a cluster; a task is what it returns for a submitted part.

    When it ends, the cluster cancels the tasks that are not complete.
    """

    def slots(self) -> int:
        """Returns how many tasks can run at the same time."""

    def submit(self, folder: str, number: int) -> Any:
        """Submits a part."""

    def wait(self, tasks: Sequence[Any]) -> Sequence[Any]:
        """Waits until a task is complete or has failed, and returns the tasks that are."""

    def result(self, task: Any) -> Any:
        """Returns the result of a task that has ended, or raises its error."""


class ClusterEngine(Engine):
    """Runs parts on a cluster.

    Args:
        address: The address of the cluster, in the form that its package expects.
        timeout: How many seconds to wait for a connection.

    Raises:
        MissingExtraError: if the package of the cluster is not installed.
    """

    package: ClassVar[str]
    """The package to import; the extra that installs it."""
    name: ClassVar[str]
    """The name of the program, for messages."""
    module: ClassVar[str]
    """The module to import."""
    server: ClassVar[str]
    """The program that is expected at the address."""
    start: ClassVar[str]
    """How to start a cluster."""
    conditions: ClassVar[str] = "it runs and can be reached from here"
    """What to check if there is no connection."""
    last_errors: ClassVar[Sequence[str]] = ()
    """The names of errors that the cluster raises only after several tries."""
    passing_errors: ClassVar[Sequence[str]] = ()
    """Parts of the messages of errors after which another attempt to connect may succeed."""

    def __init__(self, address: str, timeout: float = CONNECTION_SECONDS) -> None:
        self.address = address
        self.timeout = timeout
        self.connects_to = f"{self.name} at '{address}' (for at most {seconds(timeout)})"
        try:
            import_module(self.module)
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] != self.module:
                raise
            raise MissingExtraError(f"--cluster with {self.name}", self.module, self.package) from None

    @contextmanager
    @abstractmethod
    def connected(self, function: PartFunction) -> Iterator[Cluster]:
        """Connects to the cluster.

        Args:
            function: What to run for each part.

        Raises:
            ProcessError: if the cluster does not answer in time, or has no worker.
        """

    @overrides
    def completed(self, function: PartFunction, folder: str, numbers: Sequence[int]) -> Iterator[int]:
        if not numbers:
            return
        with self.connected(function) as cluster:
            yield from self._completed(cluster, folder, numbers)

    def _completed(self, cluster: Cluster, folder: str, numbers: Sequence[int]) -> Iterator[int]:
        waiting, running, failures = deque(numbers), dict[Any, int](), Counter[int]()
        while waiting or running:
            if waiting and len(running) < (ahead := max(MIN_AHEAD, 2 * cluster.slots())):
                for number in [waiting.popleft() for _ in range(min(len(waiting), ahead - len(running)))]:
                    running[cluster.submit(folder, number)] = number
            for task in cluster.wait(list(running)):
                number = running.pop(task)
                done = attempt(partial(cluster.result, task))
                if not isinstance(done, Exception):
                    yield number
                    continue
                error = getattr(done, "cause", None) or done  # Ray has the error of a task there
                failures[number] += 1
                if failures[number] == TRIES or _lasts(error) or type(error).__name__ in self.last_errors:
                    self._fail(number, error)
                waiting.appendleft(number)

    def _fail(self, number: int, error: BaseException) -> NoReturn:
        if _lasts(error):
            raise self.lacks_package("a worker") from None
        reason = str(error) if isinstance(error, FwError) else first_line(error)
        raise ProcessError(f"part {number + 1} failed repeatedly on {self.name}: {reason}") from None

    def connect(self, function: Callable[[], Any]) -> Any:
        """Returns what a function returns that connects to the cluster.

        Its warnings are not shown: they say what the error says, or that versions of unrelated packages differ. The
        handler of SIGTERM stays, which Ray replaces.

        Args:
            function: The function. It is called up to three times if its error is one of `passing_errors`.

        Raises:
            ProcessError: if it fails.
        """
        handler = signal.getsignal(signal.SIGTERM)
        for _ in range(TRIES):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                connection = attempt(function)
            if signal.getsignal(signal.SIGTERM) is not handler:
                signal.signal(signal.SIGTERM, handler)
            if not isinstance(connection, Exception):
                return connection
            if not any(text in str(connection) for text in self.passing_errors):
                break
        raise self.unreachable(connection) from None

    def unreachable(self, error: BaseException | str) -> ProcessError:
        """Returns the error of a cluster that cannot be reached.

        Args:
            error: The error, or what was found.
        """
        found = error if isinstance(error, str) else first_line(error)
        return ProcessError(
            f"cannot connect to {self.name} at '{self.address}' ({found}); expected {self.server}, which is started "
            f"with: {self.start}; check that {self.conditions}; --cluster-timeout SECONDS waits longer"
        )

    def no_answer(self, host: str, port: int) -> ProcessError:
        """Returns the error of a connection that was not complete in time.

        Args:
            host: The host of the server.
            port: Its port.
        """
        try:
            socket.create_connection((host, port), 1).close()
        except OSError as error:
            return self.unreachable(
                f"no connection to {host}:{port} within {seconds(self.timeout)}: {message_of(error)}"
            )
        return self.unreachable(
            f"a program at {host}:{port} accepts connections, but did not answer as {self.name} does within "
            f"{seconds(self.timeout)}"
        )

    def lacks_package(self, who: str) -> ProcessError:
        """Returns the error of a process of the cluster that cannot import this package.

        Args:
            who: The process, such as ``the scheduler``.
        """
        return ProcessError(
            f"{who} of {self.name} at '{self.address}' cannot import {PACKAGE}; in the Python environment of every "
            f"machine of the cluster, {install_same_version(self.package)}"
        )

    def check_version(self, who: str, version: object) -> None:
        """Checks the version of this package in a process of the cluster.

        Args:
            who: The process.
            version: Its version, or the error of an attempt to import it.

        Raises:
            ProcessError: if the version differs, or the package is not installed.
        """
        if isinstance(version, BaseException):
            raise self.lacks_package(who) if _lasts(version) else self.unreachable(version)
        if version != __version__:
            raise ProcessError(
                f"{who} of {self.name} at '{self.address}' has fw {version}, but this is fw {__version__}; install "
                f"the same version on every machine; {install_same_version(self.package)}"
            )


def seconds(number: float) -> str:
    """Returns a number of seconds with its unit."""
    return f"{number:g} second{'' if number == 1 else 's'}"


def countdown(timeout: float) -> Callable[[], float]:
    """Returns a function that returns how many of these seconds are left, at least a tenth."""
    end = time.monotonic() + timeout
    return lambda: max(end - time.monotonic(), 0.1)


def attempt(function: Callable[[], Any]) -> Any:
    """Returns what a function returns, or the error that it raises."""
    try:
        return function()
    except Exception as error:
        return error


def first_line(error: BaseException) -> str:
    """Returns the first line of the message of an error, and also the last one if the first ends in a colon."""
    lines = message_of(error).strip().splitlines()
    return f"{lines[0]} {lines[-1]}" if lines[0].endswith(":") and len(lines) > 1 else lines[0]


def _lasts(error: BaseException) -> bool:
    """Returns whether a process cannot import this package, so that every task fails there."""
    text = str(error)
    return isinstance(error, ModuleNotFoundError | ImportError | RuntimeError) and f"No module named '{PACKAGE}" in text
