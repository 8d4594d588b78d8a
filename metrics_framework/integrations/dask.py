"""Scores the parts of a run on Dask: ``--engine tcp://HOST:8786``."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pkgutil import resolve_name
from typing import Any

from metrics_framework.common.errors import ProcessError
from metrics_framework.common.overriding import overrides
from metrics_framework.evaluation.engine import VERSION, Engine, Tasks, attempt, countdown, first_line

LOGGERS = ("distributed", "distributed.client", "distributed.gc", "tornado.application", "asyncio")
"""The loggers that Dask uses; each of Dask has a separate handler."""


class DaskEngine(Engine):
    """Scores parts as tasks of Dask."""

    package, module = "dask", "distributed"
    name = "Dask"
    server = "the scheduler of a Dask cluster"
    start = "dask scheduler --port PORT, and on each machine that scores: dask worker tcp://HOST:PORT --nthreads 1"
    conditions = "it runs (it prints its address after 'Scheduler at:') and can be reached from here"
    last_errors = ("KilledWorker",)  # its scheduler tries again, see `allowed-failures` of its configuration

    @contextmanager
    @overrides
    def connected(self, function: Callable[[bytes, bytes], bytes]) -> Iterator[Tasks]:
        from distributed import Client

        left = countdown(self.timeout)
        with _hidden_logs():
            self._reach(left())
            with self.connect(lambda: Client(self.address, timeout=left())) as client:
                self._wait_for_worker(client, left())
                self.check_version("the scheduler", attempt(lambda: client.run_on_scheduler(resolve_name, VERSION)))
                for worker, version in client.run(resolve_name, VERSION, on_error="return").items():
                    self.check_version(f"the worker {worker}", version)
                yield _Dask(client, function)

    def _reach(self, timeout: float) -> None:
        """Exchanges the first messages with the scheduler, for which `Client` waits without a limit.

        Raises:
            ProcessError: if there is no answer in time, or it is not that of a server of Dask.
        """
        from distributed.comm import connect

        async def reach() -> None:
            loop = asyncio.get_running_loop()
            loop.set_exception_handler(lambda *_: None)  # it would print the traceback of an interruption
            comm = await asyncio.wait_for(connect(self.address, timeout=2 * timeout), timeout)
            await comm.close()

        try:
            asyncio.run(reach())
        except asyncio.TimeoutError:  # another class than TimeoutError in Python 3.10
            host, _, port = self.address.removeprefix("tcp://").rpartition(":")
            raise self.no_answer(host.strip("[]"), int(port)) from None
        except Exception as error:
            raise self.unreachable(error) from None

    def _wait_for_worker(self, client: Any, timeout: float) -> None:
        found = attempt(lambda: client.wait_for_workers(1, timeout=timeout))
        if isinstance(found, Exception):
            raise ProcessError(
                f"the scheduler of Dask at '{self.address}' has no worker ({first_line(found)}); start one with: dask "
                f"worker {self.address} --nthreads 1"
            )


@contextmanager
def _hidden_logs() -> Iterator[None]:
    """Hides what Dask and its libraries log while a run uses a cluster: a run reports its own errors.

    After an error or an interruption, logs stay hidden: callbacks of a closing connection can fail until the process
    ends, and tornado would log their tracebacks.
    """
    levels = {logger: logger.level for logger in map(logging.getLogger, LOGGERS)}
    for logger in levels:
        logger.setLevel(logging.CRITICAL)
    yield
    for logger, level in levels.items():
        logger.setLevel(level)


class _Dask:
    def __init__(self, client: Any, function: Callable[[bytes, bytes], bytes]) -> None:
        self._client, self._function = client, function

    def slots(self) -> int:
        return sum(self._client.nthreads().values())

    def submit(self, run: bytes, part: bytes) -> Any:
        return self._client.submit(self._function, run, part, pure=False)

    def wait(self, tasks: Sequence[Any]) -> Sequence[Any]:
        from distributed import wait

        return list(wait(tasks, return_when="FIRST_COMPLETED").done)

    def result(self, task: Any) -> bytes:
        data: bytes = task.result()
        return data
