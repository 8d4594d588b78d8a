"""Runs the parts of a run on Dask: ``--cluster tcp://HOST:8786``."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pkgutil import resolve_name
from typing import Any

from overrides import overrides

from metrics_framework.evaluation.parts.cluster import CONNECTION_SECONDS, VERSION, Cluster, ClusterEngine, attempt
from metrics_framework.evaluation.parts.engines import PartFunction


class DaskEngine(ClusterEngine):
    """Runs parts as tasks of Dask."""

    package, module = "dask", "distributed"
    name = "Dask"
    last_errors = ("KilledWorker",)  # its scheduler tries again, see `allowed-failures` of its configuration

    @contextmanager
    @overrides
    def connected(self, function: PartFunction) -> Iterator[Cluster]:
        from distributed import Client

        for logger in ("distributed", "distributed.client", "distributed.gc"):  # each has its own handler
            logging.getLogger(logger).setLevel(logging.CRITICAL)
        with self.connect(lambda: Client(self.address, timeout=CONNECTION_SECONDS)) as client:
            self.connect(lambda: client.wait_for_workers(1, timeout=CONNECTION_SECONDS))
            self.check_version("the scheduler", attempt(lambda: client.run_on_scheduler(resolve_name, VERSION)))
            for worker, version in client.run(resolve_name, VERSION, on_error="return").items():
                self.check_version(f"the worker {worker}", version)
            yield _Dask(client, function)


class _Dask:
    def __init__(self, client: Any, function: PartFunction) -> None:
        self._client, self._function = client, function

    def slots(self) -> int:
        return sum(self._client.nthreads().values())

    def submit(self, folder: str, number: int) -> Any:
        return self._client.submit(self._function, folder, number, pure=False)

    def wait(self, tasks: Sequence[Any]) -> Sequence[Any]:
        from distributed import wait

        return list(wait(tasks, return_when="FIRST_COMPLETED").done)

    def result(self, task: Any) -> Any:
        return task.result()
