"""Scores the parts of a run as tasks of Ray or Dask (``--engine``): a bounded number at a time, each tried three times.

What is sent is bytes: the metrics, the reader and the names of plug-ins once per run, and for each part what is read.
The worker returns the results of the part as bytes, so only processes that score need this package's modules.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import platform
import re
import signal
import socket
import time
import unicodedata
import warnings
from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from importlib import import_module
from itertools import islice
from pkgutil import resolve_name
from threading import Lock
from typing import Any, ClassVar, NamedTuple, Protocol

from metrics_framework.common.errors import (
    DataError,
    FwError,
    InputError,
    MissingExtraError,
    OutputError,
    ProcessError,
    UsageError,
    message_of,
)
from metrics_framework.common.installation import install_same_version
from metrics_framework.evaluation.worker_pool import TRIES, packed, pickled, unpacked
from metrics_framework.version import __version__

ENGINES = "ray:auto, ray://HOST:10001, tcp://HOST:8786"
PACKAGE = "metrics_framework"
VERSION = f"{PACKAGE}.version:__version__"
"""What `pkgutil.resolve_name` finds in a process that has this package."""
_ADAPTERS = {"ray": f"{PACKAGE}.integrations.ray:RayEngine", "tcp": f"{PACKAGE}.integrations.dask:DaskEngine"}
"""Imported by name, because adapters to other libraries may import this package."""
_LASTING = (OutputError, InputError, DataError, UsageError)
"""Errors of metrics that would occur again in another try; they are results of a part."""
_SAMPLE = 1 << 16
"""The number of bytes at the start and at the end of a file that identify it."""
_one_at_a_time = Lock()
"""A process scores one part at a time: its working folder is that of the run."""


# ---- in the process of the run ---------------------------------------------------------------------------------------


def engine_of(text: str, timeout: float | None = None) -> Engine:
    """Returns the engine that ``--engine`` names.

    Args:
        text: ``ray:auto``, for the cluster of this machine; ``ray://HOST:10001``, for the client server of Ray;
            ``tcp://HOST:8786``, for the scheduler of Dask.
        timeout: How many seconds to wait for a connection; `None` for 30.

    Raises:
        UsageError: if it names none.
        MissingExtraError: if the package of the engine is not installed.
    """
    kind, _, address = text.partition(":")
    if kind not in _ADAPTERS or not (text == "ray:auto" or re.fullmatch(r"//[^/\s]+:[0-9]{1,5}", address)):
        raise UsageError(f"--engine must be one of {ENGINES}, got '{text}'; for processes of this machine, use --jobs")
    address = "auto" if address == "auto" else text
    engine: Engine = resolve_name(_ADAPTERS[kind])(address, *filter(None, [timeout]))
    return engine


class Tasks(Protocol):
    """The tasks of a connected engine; when the connection ends, tasks that are not complete are cancelled."""

    def slots(self) -> int:
        """Returns how many tasks can run at the same time."""

    def submit(self, run: bytes, part: bytes) -> Any:
        """Submits a part and returns its task."""

    def wait(self, tasks: Sequence[Any]) -> Sequence[Any]:
        """Waits until a task is complete or has failed, and returns the tasks that are."""

    def result(self, task: Any) -> bytes:
        """Returns the result of a task that has ended, or raises its error."""


class Executor(NamedTuple):
    """A connected engine.

    Attributes:
        slots: The number of tasks that run at the same time.
        map: Scores parts, and yields their results in order.
    """

    slots: int
    map: Callable[[Iterable[Any]], Iterator[Any]]


class Engine(ABC):
    """Scores parts on the workers of a cluster.

    Args:
        address: The address of the cluster, in the form that its package expects.
        timeout: How many seconds to wait for a connection.

    Attributes:
        connects_to: What it connects to, for a note.

    Raises:
        MissingExtraError: if the package of the engine is not installed.
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
    """The names of errors that the engine raises only after several tries."""
    passing_errors: ClassVar[Sequence[str]] = ()
    """Parts of the messages of errors after which another attempt to connect may succeed."""

    def __init__(self, address: str, timeout: float = 30.0) -> None:
        self.address = address
        self.timeout = timeout
        self.connects_to = f"{self.name} at '{address}' (for at most {seconds(timeout)})"
        try:
            import_module(self.module)
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] != self.module:
                raise
            raise MissingExtraError(f"--engine with {self.name}", self.module, self.package) from None

    @contextmanager
    @abstractmethod
    def connected(self, function: Callable[[bytes, bytes], bytes]) -> Iterator[Tasks]:
        """Connects to the cluster.

        Args:
            function: What to run for each part.

        Raises:
            ProcessError: if the cluster does not answer in time, or has no worker.
        """

    @contextmanager
    def started(self, scorer: Callable[[Any], Any], files: Iterable[str]) -> Iterator[Executor]:
        """Connects for a ``with`` block.

        Args:
            scorer: Scores parts.
            files: The files that workers read, which must be the same as here.

        Raises:
            ProcessError: if the cluster does not answer in time, has no worker, or a part failed repeatedly.
        """
        local = sorted({path for path in files if os.path.isfile(path)})
        identities = {path: _identity(path) for path in local}
        about = pickled((unicodedata.unidata_version, identities, os.urandom(16)))  # so that no other run is equal
        with self.connected(score_part) as tasks:
            run = pickled((os.getcwd(), about, packed(scorer)))
            yield Executor(max(1, tasks.slots()), partial(self._results, tasks, run))

    def _results(self, tasks: Tasks, run: bytes, parts: Iterable[Any]) -> Iterator[Any]:
        """Yields the results of parts; at most twice as many tasks as there are slots run or wait to be used."""
        source, number, following = iter(parts), 0, 0
        running, done, sent = dict[Any, int](), dict[int, bytes](), dict[int, bytes]()
        failures, waiting = Counter[int](), deque[int]()
        while True:
            for part in islice(source, max(0, max(2, 2 * tasks.slots()) - len(sent))):
                sent[following] = pickled(part)
                waiting.append(following)
                following += 1
            if not sent:
                return
            while waiting:
                chosen = waiting.popleft()
                running[tasks.submit(run, sent[chosen])] = chosen
            if number in done:
                del sent[number]
                yield pickle.loads(done.pop(number))
                number += 1
                continue
            for task in tasks.wait(list(running)):
                part_number = running.pop(task)
                result = attempt(partial(tasks.result, task))
                if isinstance(result, Exception):
                    error = getattr(result, "cause", None) or result  # Ray has the error of a task there
                    failures[part_number] += 1
                    is_last = failures[part_number] == TRIES or type(error).__name__ in self.last_errors
                    self._check_failure(part_number, error, is_last)
                    waiting.append(part_number)
                else:
                    done[part_number] = result

    def _check_failure(self, number: int, error: BaseException, is_last: bool) -> None:
        """Raises the error of a part that is not tried again."""
        if _lasts(error):
            raise self.lacks_package("a worker") from None
        if is_last:
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
            f"with: {self.start}; check that {self.conditions}; --engine-timeout SECONDS waits longer"
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


# ---- in a process of the engine --------------------------------------------------------------------------------------


def score_part(run: bytes, part: bytes) -> bytes:
    """Scores a part in a process of an engine, and returns its results; it may run again for the same part.

    Args:
        run: What `Engine.started` sends of a run.
        part: The part.

    Raises:
        ProcessError: if this process cannot score the part, but another one might.
        FwError: if a metric failed for another reason than its input, such as the server of a language model.
    """
    folder, about, scorer = pickle.loads(run)
    with _one_at_a_time, _working_folder(folder):
        result = _scorer(about, scorer)(pickle.loads(part))
    if result.failure is not None and not isinstance(result.failure[0], _LASTING):
        raise result.failure[0]
    return pickled(result)


@lru_cache(maxsize=1)
def _scorer(about: bytes, scorer: bytes) -> Any:
    """Returns the scorer of a run, which loads its models once per process.

    Raises:
        ProcessError: if this process reads other files than the process of the run, or its Python has other characters.
    """
    unicode, files, _ = pickle.loads(about)
    if unicode != unicodedata.unidata_version:
        raise ProcessError(
            f"the run has Unicode {unicode}, but the Python {platform.python_version()} of a worker has Unicode "
            f"{unicodedata.unidata_version}, so lower case and words may differ; use one Python version everywhere"
        )
    for path, identity in files.items():
        if attempt(partial(_identity, path)) != identity:
            raise ProcessError(f"'{path}' is missing, changed or another file on the machine of a worker")
    return unpacked(scorer)


def _identity(path: str) -> tuple[int, str]:
    """Returns the size of a file, and a hash of its start and end."""
    size = os.path.getsize(path)
    with open(path, "rb") as stream:
        sample = stream.read(_SAMPLE)
        stream.seek(max(0, size - _SAMPLE))
        return size, hashlib.blake2b(sample + stream.read(_SAMPLE), digest_size=16).hexdigest()


@contextmanager
def _working_folder(path: str) -> Iterator[None]:
    """Changes the working folder, to which relative paths refer, and restores it."""
    before = os.getcwd()
    try:
        os.chdir(path)
    except OSError as error:
        raise ProcessError(f"the folder of the run, '{path}', cannot be opened there: {error.strerror}") from None
    try:
        yield
    finally:
        os.chdir(before)
