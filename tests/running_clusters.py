"""Starts clusters of Ray and Dask on this machine, for tests, and ends them."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from processes import with_word

SECONDS = 60
"""How long to wait at most."""


class Running(NamedTuple):
    """A cluster.

    Attributes:
        address: The value of ``--engine``.
        variables: Variables of the environment of clients.
        kill_worker: Kills a worker that has a part.
        others: Other addresses of the same cluster.
    """

    address: str
    variables: dict[str, str]
    kill_worker: Callable[[], None]
    others: Sequence[str] = ()


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def reachable(host: str, port: int) -> None:
    """Waits until a port can be reached."""

    def answers() -> bool:
        with suppress(OSError), socket.create_connection((host, port), 1):
            return True
        return False

    until(answers)


def until(condition: Callable[[], bool]) -> None:
    """Waits until a condition holds."""
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def with_code(folder: Path, code: str | None) -> dict[str, str]:
    """Returns an environment in which every Python process runs some code first."""
    environment = {**os.environ, "RAY_USAGE_STATS_ENABLED": "0", "PYTHONWARNINGS": "ignore"}
    if code is not None:
        folder.mkdir(exist_ok=True)
        (folder / "sitecustomize.py").write_text(code)
        environment["PYTHONPATH"] = str(folder)
    return environment


@contextmanager
def started(words: list[str], environment: dict[str, str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Starts a process in a new session, and kills its group at the end."""
    with open(log, "ab") as output:
        process = subprocess.Popen(
            [sys.executable, *words], stdout=output, stderr=output, env=environment, start_new_session=True
        )
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@contextmanager
def dask_cluster(
    folder: Path, scheduler: str | None = None, worker: str | None = None, workers: int = 2
) -> Iterator[Running]:
    """Starts a scheduler and workers.

    Args:
        folder: For their files.
        scheduler: Code that the scheduler runs first.
        worker: Code that the workers run first.
        workers: The number of workers.
    """
    address = f"tcp://127.0.0.1:{(port := free_port())}"
    start = ["-m", "dask", "scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"]
    join = ["-m", "dask", "worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard"]
    join += ["--local-directory", str(folder / "workers")]
    with ExitStack() as stack:
        environment = with_code(folder / "scheduler", scheduler)
        stack.enter_context(started(start, environment, folder / "scheduler.log"))
        environment = with_code(folder / "worker", worker)
        running = [stack.enter_context(started(join, environment, folder / "worker.log")) for _ in range(workers)]
        reachable("127.0.0.1", port)
        yield Running(address, {}, lambda: running[0].kill())


@contextmanager
def ray_cluster(folder: Path, worker: str | None = None) -> Iterator[Running]:
    """Starts a head node with two CPUs."""
    port, client_port = free_port(), free_port()
    temporary = tempfile.mkdtemp(prefix="fw-ray-", dir="/tmp")  # the paths of its sockets must be short
    start = ["-m", "ray.scripts.scripts", "start", "--head", "--block", "--port", str(port), "--num-cpus", "2"]
    start += ["--ray-client-server-port", str(client_port), "--include-dashboard", "false", "--disable-usage-stats"]
    start += ["--temp-dir", temporary, "--object-store-memory", "100000000"]
    token = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": uuid.uuid4().hex}  # of this cluster only

    def kill_worker() -> None:
        busy: list[str] = []

        def is_busy() -> bool:
            busy.extend(one for one in own_processes(temporary) if "ray::score_part" in one)
            return bool(busy)

        until(is_busy)  # between two parts, a worker has another title
        os.kill(int(busy[0].partition(":")[0]), signal.SIGKILL)

    try:
        with started(start, {**with_code(folder / "ray", worker), **token}, folder / "ray.log"):
            import ray

            host = ray.util.get_node_ip_address()
            reachable(host, port)
            reachable(host, client_port)
            until(lambda: "Ray runtime started" in (folder / "ray.log").read_text())
            variables = {"RAY_ADDRESS": f"{host}:{port}", **token}
            yield Running("ray:auto", variables, kill_worker, [f"ray://{host}:{client_port}"])
    finally:
        end = time.monotonic() + 10
        while (left := own_processes(temporary)) and time.monotonic() < end:
            for line in left:
                with suppress(ProcessLookupError):
                    os.kill(int(line.partition(":")[0]), signal.SIGKILL)
            time.sleep(0.05)
        subprocess.run(["rm", "-rf", temporary], check=True)


def own_processes(temporary: str) -> list[str]:
    """Returns the processes of the cluster with these temporary files, and their children, whose titles Ray changes."""
    own = with_word(temporary)
    ids = {line.partition(":")[0] for line in own}
    return own + [line for line in with_word("ray::") if parent(line.partition(":")[0]) in ids]


def parent(process: str) -> str:
    with suppress(OSError):
        return Path("/proc", process, "stat").read_text(errors="replace").rpartition(")")[2].split()[1]
    return ""
