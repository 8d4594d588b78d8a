"""CPU time of runs on Ray, on Dask and in local processes: ``python benchmarks/clusters.py --before CHECKOUT``.

Scores the same generated rows with ``--jobs 2`` of an older checkout and of this one, and with two workers of Ray and
of Dask, in turn. With ``--tree CHECKOUT``, another checkout is measured in place of this one; one without ``--engine``
scores into an output folder (``--cluster``). For each it prints

- the CPU time of all processes, also those of the cluster, over that of the older checkout;
- the share of it that the processes of the cluster take in the same time without a run;
- the CPU time of a job whose two tasks do nothing, over that of the older checkout: what any run on a cluster takes;
- the share of the coordinating process, which submits, waits, adds up and writes;
- the most memory of that process;
- the speed-up that 16 workers can bring, *worked out* from that share: 1 / (share + (1 − share) / 16).

With ``--only-systems`` no scores of outputs are written. The files must be equal. Linux only: CPU times of the
processes of a cluster are read from /proc.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from jobs import hash_of, write_rows
from streaming import ROOT
from timing import spread

RUN = """
import resource, sys
from metrics_framework.commands.app import main
code = main(sys.argv[1:])
own, others = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
status = dict(line.split(":", 1) for line in open("/proc/self/status"))  # ru_maxrss has that of the parent, too
memory = int(status["VmHWM"].split()[0])
print(own.ru_utime + own.ru_stime, others.ru_utime + others.ru_stime, memory, file=sys.stderr)
sys.exit(code)
"""
EMPTY_JOBS = {  # a client that waits for tasks on both workers
    "Ray": """
import time, ray
@ray.remote
def nothing():
    time.sleep(0.5)
ray.init(log_to_driver=False)
ray.get([nothing.remote() for _ in range(2)])
ray.shutdown()
""",
    "Dask": """
import sys, time
from distributed import Client
with Client(sys.argv[1]) as client:
    client.gather([client.submit(time.sleep, 0.5, pure=False) for _ in range(2)])
""",
}
WORKERS = 2
IDLE_SECONDS = 10
TICKS = os.sysconf("SC_CLK_TCK")


class Cost(NamedTuple):
    """CPU seconds of the coordinating process and of all others, memory of the former in MB, and elapsed seconds."""

    own: float
    others: float
    memory: float
    elapsed: float

    @property
    def cpu(self) -> float:
        """CPU seconds of all processes."""
        return self.own + self.others


class Meter:
    """Adds up the CPU time of the processes of a session and their descendants, also of those that end meanwhile.

    Args:
        roots: The ids of the first processes.
    """

    def __init__(self, roots: Sequence[int]) -> None:
        self._own = {str(root) for root in roots}
        self._ticks: dict[str, int] = {}
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> Meter:
        self._read()
        self._before = dict(self._ticks)
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ended.set()
        self._thread.join()
        self._read()

    def seconds(self) -> float:
        """Returns the CPU time since the start."""
        return sum(ticks - self._before.get(process, 0) for process, ticks in self._ticks.items()) / TICKS

    def _run(self) -> None:
        while not self._ended.wait(0.05):
            self._read()

    def _read(self) -> None:
        for process in sorted(filter(str.isdigit, os.listdir("/proc")), key=int):
            with suppress(OSError):
                fields = Path("/proc", process, "stat").read_text(errors="replace").rpartition(")")[2].split()
                if process in self._own or fields[1] in self._own:
                    self._own.add(process)
                    self._ticks[process] = int(fields[11]) + int(fields[12])


@contextmanager
def started(words: Sequence[str], variables: Mapping[str, str], log: Path) -> Iterator[int]:
    """Starts a process, and ends it and its descendants at the end."""
    environment = {**os.environ, **variables}
    with open(log, "wb") as output:
        process = subprocess.Popen(  # in a folder without a package, which -m would import before PYTHONPATH
            [sys.executable, "-m", *words], stdout=output, stderr=output, env=environment, cwd=log.parent
        )
    try:
        yield process.pid
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


def free_port() -> int:
    """Returns a port that nothing uses."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@contextmanager
def dask(folder: Path, tree: Path) -> Iterator[tuple[str, Mapping[str, str], list[int]]]:
    """Starts a scheduler and workers; yields the address, variables for clients, and the ids of processes."""
    address = f"tcp://127.0.0.1:{(port := free_port())}"
    scheduler = ["dask", "scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"]
    worker = ["dask", "worker", address, "--nthreads", "1", "--nworkers", str(WORKERS), "--no-dashboard"]
    worker += ["--local-directory", str(folder / "dask")]
    logs = folder / "scheduler.log", folder / "worker.log"
    path = {"PYTHONPATH": str(tree)}
    with started(scheduler, path, logs[0]) as first, started(worker, path, logs[1]) as second:
        time.sleep(8)
        yield address, {}, [first, second]


@contextmanager
def ray(folder: Path, tree: Path) -> Iterator[tuple[str, Mapping[str, str], list[int]]]:
    """Starts a head node; yields the address, variables for clients, and the ids of processes."""
    token = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": uuid.uuid4().hex, "RAY_USAGE_STATS_ENABLED": "0"}
    temporary, port = tempfile.mkdtemp(prefix="fw-ray-", dir="/tmp"), free_port()
    words = ["ray.scripts.scripts", "start", "--head", "--block", "--port", str(port), "--num-cpus", str(WORKERS)]
    words += ["--include-dashboard", "false", "--temp-dir", temporary, "--ray-client-server-port", str(free_port())]
    try:
        with started(words, {**token, "PYTHONPATH": str(tree)}, folder / "ray.log") as head:
            while "Ray runtime started" not in (folder / "ray.log").read_text():
                time.sleep(0.2)
            from ray.util import get_node_ip_address

            yield "ray:auto", {**token, "RAY_ADDRESS": f"{get_node_ip_address()}:{port}"}, [head]
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def run(
    checkout: Path,
    words: Sequence[str],
    names: Sequence[str],
    folder: Path,
    variables: Mapping[str, str],
    roots: Sequence[int],
) -> tuple[Cost, list[str]]:
    """Runs ``fw evaluate``; returns its cost, and the hashes of what it wrote."""
    shutil.rmtree(folder / "out", ignore_errors=True)
    command = ["evaluate", *words, *names, "--input-files", "rows.jsonl", "--silent", "--force"]
    for metric in ("ter", "sari", "bleu"):
        command += ["--metric", metric]
    environment = {**os.environ, "PYTHONPATH": str(checkout), **variables}
    start = time.monotonic()
    with Meter(roots) as meter:
        done = subprocess.run(
            [sys.executable, "-c", RUN, *command], cwd=folder, env=environment, capture_output=True, text=True
        )
    if done.returncode:
        sys.exit(done.stderr)
    elapsed = time.monotonic() - start
    own, others, memory = map(float, done.stderr.splitlines()[-1].split())
    return Cost(own, others + meter.seconds(), memory / 1024, elapsed), [hash_of(folder / name) for name in names]


def engine_words(tree: Path, address: str) -> list[str]:
    """Returns the flags that score on a cluster; of a checkout without ``--engine``, with an output folder."""
    has_engine = (tree / "metrics_framework" / "evaluation" / "engine.py").exists()
    return ["--engine", address] if has_engine else ["out/", "--cluster", address]


def empty_job(way: str, words: Sequence[str], variables: Mapping[str, str], roots: Sequence[int]) -> float:
    """Returns the CPU seconds of a job that does nothing, of its client and of the cluster."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with Meter(roots) as meter:
        command = [sys.executable, "-c", EMPTY_JOBS[way], words[-1]]
        subprocess.run(command, env={**os.environ, **variables}, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime + meter.seconds()


def idle_rate(roots: Sequence[int]) -> float:
    """Returns the CPU seconds that the processes of a cluster without a run take in a second."""
    time.sleep(IDLE_SECONDS / 2)  # the last run may still be ending there
    with Meter(roots) as meter:
        time.sleep(IDLE_SECONDS)
    return meter.seconds() / IDLE_SECONDS


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--before", type=Path, help="an older checkout with built kernels; default: this one")
    parser.add_argument("--tree", type=Path, default=ROOT, help="the checkout to measure; default: this one")
    parser.add_argument("--rows", type=int, default=40_000)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--only-systems", action="store_true", help="write no scores of outputs")
    given = parser.parse_args()
    names = ["macro.json"] if given.only_systems else ["macro.json", "micro.jsonl"]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        write_rows(folder / "rows.jsonl", given.rows, 3)
        with ray(folder, given.tree) as on_ray, dask(folder, given.tree) as on_dask:
            ways = {
                "before": (given.before or ROOT, ["--jobs", str(WORKERS)], {}, []),
                "pool": (given.tree, ["--jobs", str(WORKERS)], {}, []),
                "Ray": (given.tree, engine_words(given.tree, on_ray[0]), *on_ray[1:]),
                "Dask": (given.tree, engine_words(given.tree, on_dask[0]), *on_dask[1:]),
            }
            costs: dict[str, list[Cost]] = {way: [] for way in ways}
            for _ in range(given.repetitions):
                expected: list[str] | None = None
                for way, (checkout, words, variables, roots) in ways.items():
                    cost, written = run(checkout, words, names, folder, variables, roots)
                    costs[way].append(cost)
                    if way != "before":
                        expected = expected or written
                        if written != expected:
                            sys.exit(f"{way} writes other bytes than the pool")
            empty = {
                way: [empty_job(way, *ways[way][1:]) for _ in range(given.repetitions)] for way in ways if ways[way][3]
            }
            rates = {way: idle_rate(roots) if roots else 0.0 for way, (*_, roots) in ways.items()}
    report(given.rows, costs, empty, rates)


def report(
    rows: int, costs: Mapping[str, Sequence[Cost]], empty: Mapping[str, Sequence[float]], rates: Mapping[str, float]
) -> None:
    """Prints ratios with their spread."""
    print(f"{rows:,} rows, {WORKERS} workers, ter, sari and bleu with 3 references\n")
    columns = f"{'elapsed / before':<26}{'empty job':>9}{'idle cluster':>13}{'coordinating':>14}{'memory':>10}"
    print(f"{'':8}{'CPU time / before':<26}{columns}   16 workers (worked out)")
    for way, measured in costs.items():
        pairs = list(zip(measured, costs["before"], strict=True))
        cpu = spread([one.cpu / base.cpu for one, base in pairs])
        elapsed = spread([one.elapsed / base.elapsed for one, base in pairs])
        share = statistics.median(one.own / one.cpu for one in measured)
        fixed = statistics.median(empty.get(way, [0.0])) / statistics.median(base.cpu for base in costs["before"])
        idle = statistics.median(rates[way] * one.elapsed / one.cpu for one in measured)
        memory = max(one.memory for one in measured)
        print(
            f"{way:8}{cpu!s:<26}{elapsed!s:<26}{fixed:>9.2f}{idle:>12.1%} {share:>13.1%}{memory:>7.0f} MB   "
            f"× {1 / (share + (1 - share) / 16):.1f}"
        )


if __name__ == "__main__":
    main()
