"""Engines run the parts of a run: processes of this machine, or a cluster (``--cluster``)."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeAlias

from metrics_framework.common.errors import UsageError
from metrics_framework.common.overriding import overrides

PartFunction: TypeAlias = Callable[[str, int], int]
"""Scores a part, given the output folder and the number of the part, and returns the number."""
CLUSTERS = "local:N, ray:auto, ray://HOST:10001, tcp://HOST:8786"
CONNECTION_SECONDS = 30.0
"""How long to wait for a connection to a cluster, unless ``--cluster-timeout`` says otherwise."""
_ADAPTERS = {
    "ray": "metrics_framework.integrations.ray:RayEngine",
    "tcp": "metrics_framework.integrations.dask:DaskEngine",
}
"""The engines of clusters; imported by name, because adapters to other libraries may import this package."""


class Engine(ABC):
    """Runs a function for each part of a run, in processes that reach the output folder.

    Attributes:
        connects_to: What it connects to first, for a note; empty for nothing.
    """

    connects_to: str = ""

    @abstractmethod
    def completed(self, function: PartFunction, folder: str, numbers: Sequence[int]) -> Iterator[int]:
        """Runs the function for parts, and yields their numbers as they are complete.

        A part is tried again if its process died, or the function raised an error.

        Args:
            function: The function, of a module of this package.
            folder: The output folder.
            numbers: The parts.

        Raises:
            FwError: if a part failed repeatedly.
            OSError: if its files cannot be written.
        """


class LocalEngine(Engine):
    """Runs parts in processes of this machine.

    Args:
        processes: The number of processes; 1 is this process.
    """

    def __init__(self, processes: int) -> None:
        self.processes = processes

    @overrides
    def completed(self, function: PartFunction, folder: str, numbers: Sequence[int]) -> Iterator[int]:
        processes = min(self.processes, len(numbers))
        if processes <= 1:
            yield from (function(folder, number) for number in numbers)
            return
        from metrics_framework.evaluation.parallel.worker_pool import started

        with started(partial(partial, function, folder), processes) as pool:
            for number, done in zip(numbers, pool.map(numbers), strict=True):
                yield function(folder, number) if done.failed else number  # the error of this process has a traceback


def engine_of(text: str, timeout: float | None = None) -> Engine:
    """Returns the engine that ``--cluster`` names.

    Args:
        text: ``local:N``, for N processes of this machine; ``ray:auto``, for the cluster of this machine;
            ``ray://HOST:10001``, for the client server of Ray; ``tcp://HOST:8786``, for the scheduler of Dask.
        timeout: How many seconds to wait for a connection; `None` for the default.

    Raises:
        UsageError: if it names none, or a timeout is given and there is nothing to connect to.
        MissingExtraError: if the package of the cluster is not installed.
    """
    from pkgutil import resolve_name

    kind, _, address = text.partition(":")
    if kind in _ADAPTERS and (text == "ray:auto" or re.fullmatch(r"//[^/\s]+:[0-9]{1,5}", address)):
        seconds = CONNECTION_SECONDS if timeout is None else timeout
        engine: Engine = resolve_name(_ADAPTERS[kind])("auto" if address == "auto" else text, seconds)
        return engine
    if kind == "local" and address.isascii() and address.isdigit() and int(address) > 0:
        if timeout is not None:
            raise UsageError(f"--cluster-timeout limits connecting to Ray or Dask, but {text} connects to nothing")
        return LocalEngine(int(address))
    raise UsageError(f"--cluster must be one of {CLUSTERS}, got '{text}'")
