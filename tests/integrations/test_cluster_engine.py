"""What all clusters have in common: a bounded number of tasks ahead, three tries, an error that names the part."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from metrics_framework.common.errors import MissingExtraError, ProcessError, UsageError
from metrics_framework.common.installation import install_same_version
from metrics_framework.evaluation.parts.cluster import ClusterEngine
from metrics_framework.evaluation.parts.engines import LocalEngine, engine_of
from metrics_framework.integrations import dask


class Immediate:
    """A cluster of one slot that runs a task when it is waited for."""

    def __init__(self, function: Callable[[str, int], int]) -> None:
        self.function = function
        self.has_ended = False
        self.most = self.count = 0

    def slots(self) -> int:
        return 20

    def submit(self, folder: str, number: int) -> Any:
        self.count += 1
        return (folder, number, self.count)

    def wait(self, tasks: Sequence[Any]) -> Sequence[Any]:
        self.most = max(self.most, len(tasks))
        return tasks[:1]

    def result(self, task: Any) -> Any:
        return self.function(*task[:2])


class ImmediateEngine(ClusterEngine):
    package, module, name = "ray", "json", "Ray"
    server, start = "the head node of a Ray cluster", "ray start --head"
    cluster: Immediate

    @contextmanager
    def connected(self, function: Callable[[str, int], int]) -> Iterator[Immediate]:
        self.cluster = Immediate(function)
        try:
            yield self.cluster
        finally:
            self.cluster.has_ended = True


def returned(folder: str, number: int) -> int:
    return number


def test_a_bounded_number_of_tasks_is_submitted_ahead() -> None:
    engine = ImmediateEngine("auto")
    assert list(engine.completed(returned, "out", range(500))) == list(range(500))
    assert engine.cluster.most == 40


@pytest.mark.parametrize(
    ("failures", "message", "calls"),
    [(2, "it is BUSY now", 3), (9, "it is BUSY now", 3), (1, "nothing is there", 1)],
)
def test_connecting_is_tried_again_only_if_the_error_may_pass(failures: int, message: str, calls: int) -> None:
    class BusyEngine(ImmediateEngine):
        passing_errors = ("BUSY",)

    done: list[int] = []

    def connects() -> str:
        done.append(len(done))
        if len(done) <= failures:
            raise ConnectionError(message)
        return "connected"

    engine = BusyEngine("auto")
    if failures < calls:
        assert engine.connect(connects) == "connected"
    else:
        with pytest.raises(ProcessError, match=f"cannot connect to Ray at 'auto' .ConnectionError: {message}"):
            engine.connect(connects)
    assert len(done) == calls


def test_a_part_is_tried_three_times() -> None:
    failures = {3: 2, 7: 1}

    def fails(folder: str, number: int) -> int:
        failures[number] = failures.get(number, 0) - 1
        if failures[number] >= 0:
            raise OSError("the worker died")
        return number

    assert sorted(ImmediateEngine("auto").completed(fails, "out", range(100))) == list(range(100))
    failures[3] = 3
    engine = ImmediateEngine("auto")
    with pytest.raises(ProcessError, match="part 4 failed repeatedly on Ray: OSError: the worker died"):
        list(engine.completed(fails, "out", range(100)))
    assert engine.cluster.has_ended


def test_a_run_that_ends_early_ends_its_connection() -> None:
    engine = ImmediateEngine("auto")
    parts = engine.completed(returned, "out", range(100))
    assert next(parts) == 0
    assert not engine.cluster.has_ended
    parts.close()
    assert engine.cluster.has_ended


def test_a_worker_without_the_package_is_not_tried_again() -> None:
    calls = []

    def missing(folder: str, number: int) -> int:
        calls.append(number)
        raise ModuleNotFoundError("No module named 'metrics_framework'")

    with pytest.raises(ProcessError, match="cannot import metrics_framework") as caught:
        list(ImmediateEngine("auto").completed(missing, "out", range(9)))
    assert install_same_version("ray") in str(caught.value)
    assert calls == [0]


def test_nothing_is_connected_for_no_parts() -> None:
    engine = ImmediateEngine("auto")
    assert list(engine.completed(returned, "out", [])) == []
    assert not hasattr(engine, "cluster")


@pytest.mark.parametrize(("package", "address"), [("ray", "ray:auto"), ("distributed", "tcp://127.0.0.1:8786")])
def test_a_missing_package_names_the_extra(package: str, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, package, None)
    with pytest.raises(MissingExtraError, match=rf"metrics-framework\[{address[:3].replace('tcp', 'dask')}\]"):
        engine_of(address)


@pytest.mark.parametrize("text", ["ray", "ray:", "ray://", "ray://host", "tcp:auto", "tcp://a b:1", "ray:6379", "x:1"])
def test_other_clusters_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--cluster must be one of local:N, ray:auto"):
        engine_of(text)


def test_local_processes_are_an_engine() -> None:
    assert isinstance(engine_of("local:2"), LocalEngine)


@pytest.mark.parametrize("interrupted", [False, True])
def test_callbacks_of_a_connection_that_an_interruption_closes_log_nothing(
    interrupted: bool, caplog: pytest.LogCaptureFixture
) -> None:
    logger = logging.getLogger("tornado.application")
    levels = {hidden: hidden.level for hidden in map(logging.getLogger, dask.LOGGERS)}
    try:
        with dask._hidden_logs():
            logger.error("Exception in callback")
            if interrupted:
                raise KeyboardInterrupt
    except KeyboardInterrupt:
        logger.error("Exception in callback")
        for hidden, level in levels.items():
            hidden.setLevel(level)
    assert not caplog.records
    logger.error("after the run")
    assert [record.message for record in caplog.records] == ["after the run"]
