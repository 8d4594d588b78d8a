"""Runs on real clusters of Ray and Dask, which these tests start on this machine and end."""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from processes import needs_proc, with_word

from metrics_framework.common.installation import install_same_version

pytestmark = [needs_proc, pytest.mark.slow]
WORDS = ["the", "cat", "sat", "on", "a", "red", "mat,", "under", "«its»", "old", "tree;", "it's", "late."]
EVALUATE = "evaluate --metric ter --metric sari:variant=hf --metric bleu --metric sent-bleu"
SCORE = "score --metric ter --metric bleu:label=again"
HIDDEN = """
import sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "metrics_framework":
            raise ModuleNotFoundError(f"No module named '{name}'", name=name)

sys.meta_path.insert(0, Blocker())
"""
OLDER = "import metrics_framework.version as version\nversion.__version__ = '0.0.9'\n"


# ---- clusters of this machine ----------------------------------------------------------------------------------------

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


CLUSTERS = {"ray": ray_cluster, "dask": dask_cluster}
PACKAGES = {"ray": "ray", "dask": "distributed"}


@pytest.fixture(scope="module", params=CLUSTERS)
def cluster(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Runs a cluster."""
    need(PACKAGES[request.param])
    with CLUSTERS[request.param](tmp_path_factory.mktemp(request.param)) as running:
        yield running


def need(package: str) -> None:
    from importlib.util import find_spec

    if find_spec(package) is None:
        pytest.skip(f"needs the package {package}")


def start_fw(
    *words: str, variables: dict[str, str] | None = None, stdout: Any = subprocess.PIPE
) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "metrics_framework", *words],
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **(variables or {})},
    )


def fw(*words: str, variables: dict[str, str] | None = None) -> tuple[int, str, str]:
    process = start_fw(*words, variables=variables)
    try:
        out, err = process.communicate(timeout=SECONDS)
    finally:
        process.kill()
    return process.returncode, out, err


def in_one_process(commands: list[list[str]], variables: dict[str, str]) -> tuple[int, str, str]:
    """Runs commands one after the other, until one fails; the packages are imported once."""
    code = (
        "import json, sys\n"
        "from metrics_framework.commands.app import main\n"
        "sys.exit(next(filter(None, map(main, json.loads(sys.argv[1]))), 0))\n"
    )
    words = [sys.executable, "-c", code, json.dumps(commands)]
    environment = {**os.environ, **variables}
    done = subprocess.run(words, capture_output=True, text=True, timeout=5 * SECONDS, env=environment)
    return done.returncode, done.stdout, done.stderr


def rows(count: int) -> list[dict[str, Any]]:
    words = random.Random(count)
    return [
        {
            "instance_id": str(number // 3),
            "summarizer_id": "bÜa"[number % 3],
            "summarizer_type": "reference" if number % 3 == 2 else "peer",
            "summary": " ".join(words.choices(WORDS, k=words.randrange(1, 11))),
            "references": [" ".join(words.choices(WORDS, k=9)) for _ in range(3)],
            "source": " ".join(random.Random(number // 3).choices(WORDS, k=12)),
        }
        for number in range(count)
    ]


def write_input(kind: str, count: int = 240) -> str:
    if kind == "parquet":
        pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        parquet.write_table(pyarrow.Table.from_pylist(rows(count)), "in.parquet", row_group_size=31)
        return "in.parquet"
    Path("in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows(count)), encoding="utf-8")
    return "in.jsonl"


def expected_of(command: str, file: str) -> tuple[str, list[bytes]]:
    """Returns what one process prints and writes."""
    names = outputs_of(command, "expected")
    code, out, err = fw(*command.split(), *names, "--input-files", file, "--silent", "--force")
    assert code == 0, err
    return out, [Path(name).read_bytes() for name in names]


def outputs_of(command: str, name: str) -> list[str]:
    return [f"{name}.jsonl"] if command.startswith("score") else [f"{name}.json", f"{name}.jsonl"]


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs the test in its own folder."""
    monkeypatch.chdir(tmp_path)


# ---- the same bytes --------------------------------------------------------------------------------------------------


def test_a_cluster_writes_the_files_of_one_process(cluster: Running) -> None:
    files = {kind: write_input(kind) for kind in ("jsonl", "parquet")}
    runs, expected = [], {}
    for command, inputs in {EVALUATE: [("jsonl", "error"), ("jsonl", "last")], SCORE: [("parquet", "error")]}.items():
        expected[command] = expected_of(command, files["jsonl"])[1]
        for kind, duplicates in inputs:
            name = f"{command.split()[0]}-{kind}-{duplicates}"
            flags = ["--input-files", files[kind], "--engine", cluster.address, "--duplicates", duplicates, "--silent"]
            runs.append((command, name, [*command.split(), *outputs_of(command, name), *flags]))
    for address in cluster.others:
        flags = ["--input-files", files["jsonl"], "--engine", address, "--silent"]
        runs.append((EVALUATE, "other", [*EVALUATE.split(), *outputs_of(EVALUATE, "other"), *flags]))
    done = in_one_process([words for _, _, words in runs], cluster.variables)
    assert done == (0, "", ""), done[2]  # nothing of Ray or Dask
    for command, name, _ in runs:
        assert [Path(output).read_bytes() for output in outputs_of(command, name)] == expected[command], name


@pytest.mark.parametrize("cluster", ["dask"], indirect=True)  # problems are results of parts, whatever the engine
def test_problems_are_reported_in_the_words_of_one_process(cluster: Running) -> None:
    file = write_input("jsonl")
    lines = Path(file).read_text().splitlines()
    lines[3], lines[90], lines[170] = '{"broken', lines[90].replace('"references"', '"nothing"'), lines[2]
    Path(file).write_text("\n".join(lines) + "\n")
    expected = fw("ter", "evaluate", "--input-files", file)
    words = ["--input-files", file, "--engine", cluster.address]
    code, out, err = fw("ter", "evaluate", *words, variables=cluster.variables)
    connecting, _, problems = err.partition("\n")
    assert cluster.address in connecting
    assert (code, out, problems) == expected
    assert all(f"{file}:{line}:" in expected[2] for line in (4, 91, 171))


# ---- faults ----------------------------------------------------------------------------------------------------------


@contextmanager
def started_with_rows(*words: str, variables: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    """Starts a run that prints rows into a file, and waits for the first ones: parts are being scored."""
    with open("rows.jsonl", "wb") as rows:  # a pipe that nobody reads would stop the run
        process = start_fw(*words, variables=variables, stdout=rows)
    with process:
        try:
            until(lambda: os.path.getsize("rows.jsonl") > 0)
            yield process
        finally:
            process.kill()


def test_an_interrupted_client_ends_and_the_cluster_scores_the_next_run(cluster: Running) -> None:
    words = ["--input-files", write_input("jsonl", 20_000), "--engine", cluster.address]
    with started_with_rows(*EVALUATE.split(), "macro.json", "-", *words, variables=cluster.variables) as process:
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=SECONDS)
    assert process.returncode == 130, err
    assert "fw: interrupted" in err
    assert "Traceback" not in err
    assert not Path("macro.json").exists()
    words = ["--input-files", write_input("jsonl"), "--engine", cluster.address, "--silent"]
    expected = expected_of("evaluate --metric ter", "in.jsonl")[1]
    names = outputs_of("evaluate", "after")
    assert fw("ter", "evaluate", *names, *words, variables=cluster.variables) == (0, "", "")
    assert [Path(name).read_bytes() for name in names] == expected


@pytest.mark.parametrize("cluster", ["ray"], indirect=True)
def test_a_cluster_of_ray_with_a_token_is_named_to_a_client_without_it(cluster: Running) -> None:
    words = ["--input-files", write_input("jsonl"), "--engine", cluster.address]
    code, out, err = fw("ter", "evaluate", *words, variables={**cluster.variables, "RAY_AUTH_MODE": "disabled"})
    assert (code, out) == (1, "")
    assert "cannot connect to Ray at 'auto'" in err
    assert "if its head node has a token, set RAY_AUTH_MODE=token here too" in err


@pytest.mark.parametrize("cluster", ["ray"], indirect=True)
def test_a_client_of_ray_imports_no_packages_for_objects_that_it_does_not_send(cluster: Running) -> None:
    code = (
        "import sys\n"
        "from metrics_framework.commands.app import main\n"
        "code = main(sys.argv[1:])\n"
        "from ray.util import serialization_addons\n"
        "print(code, serialization_addons.apply.__name__, {'pyarrow', 'pydantic', 'starlette'} & set(sys.modules))\n"
    )
    words = ["ter", "evaluate", "--input-files", write_input("jsonl"), "--engine", cluster.address, "--silent"]
    environment = {**os.environ, **cluster.variables}
    done = subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True, timeout=SECONDS, env=environment
    )
    assert (done.stdout.splitlines()[-1], done.stderr) == ("0 apply set()", "")


def test_the_part_of_a_killed_worker_is_tried_again(cluster: Running) -> None:
    file = write_input("jsonl", 20_000)
    expected = expected_of(EVALUATE, file)[1]
    words = ["--input-files", file, "--engine", cluster.address, "--silent"]
    with started_with_rows(*EVALUATE.split(), "macro.json", "-", *words, variables=cluster.variables) as process:
        cluster.kill_worker()
        _, err = process.communicate(timeout=SECONDS)
    assert (process.returncode, err) == (0, "")
    assert [Path(name).read_bytes() for name in ("macro.json", "rows.jsonl")] == expected


@pytest.mark.parametrize(
    ("codes", "found"),
    [
        ({"scheduler": HIDDEN}, "the scheduler of Dask at"),
        ({"worker": HIDDEN}, "the worker tcp://"),
        ({"worker": OLDER}, "has fw 0.0.9, but this is fw "),
    ],
)
def test_a_process_of_dask_without_this_version_is_named(codes: dict[str, str], found: str, tmp_path: Path) -> None:
    need("distributed")
    file = write_input("jsonl")
    with dask_cluster(tmp_path, **codes) as running:
        code, out, err = fw("ter", "evaluate", "--input-files", file, "--engine", running.address)
    assert (code, out) == (1, "")
    assert found in err
    assert install_same_version("dask") in err
    assert len(err.splitlines()) == 2  # the other line says where it connects


def test_ray_without_this_package_is_told(tmp_path: Path) -> None:
    need("ray")
    file = write_input("jsonl")
    with ray_cluster(tmp_path, worker=HIDDEN) as running:
        words = ["--input-files", file, "--engine", running.address]
        code, out, err = fw("ter", "evaluate", *words, variables=running.variables)
    assert (code, out) == (1, "")
    assert "a worker of Ray at 'auto' cannot import metrics_framework" in err
    assert install_same_version("ray") in err


@contextmanager
def server(answer: bytes | None) -> Iterator[int]:
    """Yields the port of a server that answers every connection with the same bytes, or that never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        if answer is not None:
            threading.Thread(target=answer_all, args=(listener, answer), daemon=True).start()
        yield listener.getsockname()[1]


def answer_all(listener: socket.socket, answer: bytes) -> None:
    with suppress(OSError):  # it is closed
        while True:
            connection, _ = listener.accept()
            with connection, suppress(OSError):
                connection.sendall(answer)


HTTP = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"


@pytest.mark.parametrize("answer", [None, HTTP], ids=["never answers", "HTTP"])
@pytest.mark.parametrize(
    ("engine", "address", "starts_with"),
    [("dask", "tcp://{}", "dask scheduler"), ("ray", "ray://{}", "ray start --head"), ("ray", "ray:auto", "ray start")],
)
def test_a_server_that_is_no_cluster_is_an_error(engine: str, address: str, starts_with: str, answer: Any) -> None:
    need(PACKAGES[engine])
    words = ["ter", "evaluate", "--input-files", write_input("jsonl"), "--engine-timeout", "0.5"]
    with server(answer) as port:
        named = address.format(f"127.0.0.1:{port}")
        code, out, err = fw(*words, "--engine", named, variables={"RAY_ADDRESS": f"127.0.0.1:{port}"})
    first, *_, last = err.splitlines()
    name = f"{engine.capitalize()} at '{named.removeprefix('ray:') if named == 'ray:auto' else named}'"
    assert (code, out) == (1, "")
    assert first == f"fw: connecting to {name} (for at most 0.5 seconds)"
    assert last.startswith(f"fw: error: cannot connect to {name} (")
    assert f":{port}" in last
    assert starts_with in last
    assert "--engine-timeout" in last


def test_a_cluster_that_is_not_started_is_an_error() -> None:
    need("distributed")
    words = ["ter", "evaluate", "--input-files", write_input("jsonl"), "--engine-timeout", "0.5"]
    code, out, err = fw(*words, "--engine", f"tcp://127.0.0.1:{free_port()}")
    assert (code, out) == (1, "")
    assert "ConnectionRefusedError" in err
    assert "check that it runs" in err


def test_a_scheduler_without_workers_is_an_error(tmp_path: Path) -> None:
    need("distributed")
    words = ["ter", "evaluate", "--input-files", write_input("jsonl"), "--engine-timeout", "5"]
    with dask_cluster(tmp_path, workers=0) as running:
        code, out, err = fw(*words, "--engine", running.address)
    assert (code, out) == (1, "")
    assert f"the scheduler of Dask at '{running.address}' has no worker" in err
    assert f"dask worker {running.address}" in err


@pytest.mark.parametrize(("engine", "address"), [("dask", "tcp://{}"), ("ray", "ray://{}")])
def test_connecting_is_interrupted(engine: str, address: str) -> None:
    need(PACKAGES[engine])
    with server(None) as port:
        words = ["ter", "evaluate", "--input-files", write_input("jsonl")]
        process = start_fw(*words, "--engine", address.format(f"127.0.0.1:{port}"), "--engine-timeout", "3600")
        assert process.stderr is not None
        assert process.stderr.readline().startswith("fw: connecting to ")
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=SECONDS)
    assert process.returncode == 130
    assert err.startswith("fw: interrupted")
    assert "Traceback" not in err
