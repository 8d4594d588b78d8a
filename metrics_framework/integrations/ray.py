"""Scores the parts of a run on Ray: ``--engine ray:auto`` and ``--engine ray://HOST:10001``."""

from __future__ import annotations

import logging
import os
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from pkgutil import resolve_name
from typing import Any

from metrics_framework.common.overriding import overrides
from metrics_framework.evaluation.engine import VERSION, Engine, Tasks, attempt

for _name, _value in {"RAY_USAGE_STATS_ENABLED": "0", "RAY_NUM_REDIS_GET_RETRIES": "1"}.items():
    os.environ.setdefault(_name, _value)  # read when ray is imported: no telemetry, and one attempt to connect


class RayEngine(Engine):
    """Scores parts as tasks of Ray, each on one CPU."""

    package = module = "ray"
    name = "Ray"
    server = "the head node of a Ray cluster"
    start = "ray start --head --ray-client-server-port PORT"
    conditions = (
        "it runs (on its head node: ray status) and can be reached from here; if its head node has a token, set "
        "RAY_AUTH_MODE=token here too"
    )
    passing_errors = ("Starting Ray client server failed", "Proxy failed to Connect")  # the head node is busy

    @contextmanager
    @overrides
    def connected(self, function: Callable[[bytes, bytes], bytes]) -> Iterator[Tasks]:
        import ray

        self._reach()
        with _without_serializers():
            self.connect(lambda: ray.init(self.address, log_to_driver=False, logging_level=logging.CRITICAL))
            try:
                version = ray.remote(max_retries=2)(resolve_name)
                self.check_version("a worker", attempt(lambda: ray.get(version.remote(VERSION))))
                with open(os.devnull, "w") as nothing, redirect_stdout(nothing):  # where Ray reports killed workers
                    yield _Ray(ray, ray.remote(max_retries=0)(function))
            finally:
                ray.shutdown()

    def _reach(self) -> None:
        """Waits for an answer of the server, for which `ray.init` waits as long as it likes.

        Raises:
            ProcessError: if there is no answer in time.
        """
        import grpc

        host, port = self._host_and_port()
        try:
            if os.environ.get("RAY_USE_TLS", "0").lower() in ("1", "true"):  # Ray reads the certificates
                socket.create_connection((host, port), self.timeout).close()
                return
            address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
            with grpc.insecure_channel(address, [("grpc.enable_http_proxy", 0)]) as channel:  # as Ray does
                grpc.channel_ready_future(channel).result(timeout=self.timeout)
        except (grpc.FutureTimeoutError, OSError):
            raise self.no_answer(host, port) from None

    def _host_and_port(self) -> tuple[str, int]:
        """Returns the address of the client server, or for ``auto`` of the head node."""
        from ray._private.services import canonicalize_bootstrap_address_or_die

        address = self.address.removeprefix("ray://")
        if address == "auto":
            address = self.connect(lambda: canonicalize_bootstrap_address_or_die("auto"))
        host, _, port = address.rpartition(":")
        return host.strip("[]"), int(port)


@contextmanager
def _without_serializers() -> Iterator[None]:
    """Keeps Ray from importing pydantic, starlette and pyarrow in this process, to serialize objects of these packages.

    Tasks receive and return only bytes. Other versions of Ray may not have this function.
    """
    addons: Any = sys.modules.get("ray.util.serialization_addons")
    apply = getattr(addons, "apply", None)
    if apply is None:
        yield
        return
    addons.apply = lambda context: None
    try:
        yield
    finally:
        addons.apply = apply


class _Ray:
    def __init__(self, ray: Any, function: Any) -> None:
        self._ray, self._function = ray, function

    def slots(self) -> int:
        return int(self._ray.cluster_resources().get("CPU", 0))

    def submit(self, run: bytes, part: bytes) -> Any:
        return self._function.remote(run, part)

    def wait(self, tasks: Sequence[Any]) -> Sequence[Any]:
        return list(self._ray.wait(tasks, num_returns=1)[0])

    def result(self, task: Any) -> bytes:
        data: bytes = self._ray.get(task)
        return data
