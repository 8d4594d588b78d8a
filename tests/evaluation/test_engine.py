"""What all engines have in common: a bounded number of tasks ahead, three tries, an error that names the part."""

from __future__ import annotations

import logging
import os
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from immediate_engine import SLOTS, ImmediateEngine

from metrics_framework.common.errors import DataError, FwError, MissingExtraError, ProcessError, UsageError
from metrics_framework.common.installation import install_same_version
from metrics_framework.evaluation.engine import engine_of
from metrics_framework.evaluation.run import PartResult
from metrics_framework.integrations import dask


class Scorer:
    """Returns results of parts that are numbers, with the folder; the second part may have a failure."""

    def __init__(self, failure: FwError | None = None) -> None:
        self.failure = failure

    def __call__(self, part: int) -> PartResult:
        failure = None if self.failure is None or part != 1 else (self.failure, 0)
        return PartResult(failure=failure, collected=(part, os.getcwd()))


def numbers(engine: ImmediateEngine, count: int, scorer: Callable[[int], PartResult] | None = None) -> list[int]:
    """Returns the numbers of the parts that an engine has scored, in its order."""
    with engine.started(scorer or Scorer(), []) as (_, score):
        return [result.collected[0] for result in score(range(count))]


def test_results_are_in_the_order_of_parts_and_a_bounded_number_is_sent_ahead() -> None:
    engine = ImmediateEngine()
    read = 0
    with engine.started(Scorer(), []) as (slots, score):
        assert slots == SLOTS

        def parts():
            nonlocal read
            for read in range(1, 101):
                yield read - 1

        for number, result in enumerate(score(parts())):
            assert result.collected[0] == number
            assert read <= number + 2 * SLOTS + 1
    assert engine.tasks.most == 2 * SLOTS
    assert engine.tasks.submitted == 100
    assert numbers(ImmediateEngine(), 0) == []


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
    engine = ImmediateEngine()
    engine.failing = {3: [OSError("died"), OSError("died")], 7: [OSError("died")]}
    assert numbers(engine, 100) == list(range(100))
    assert engine.tasks.submitted == 103
    engine.failing = {3: [OSError("the worker died") for _ in range(3)]}
    with pytest.raises(ProcessError, match="part 4 failed repeatedly on Ray: OSError: the worker died"):
        numbers(engine, 100)
    assert engine.tasks.has_ended


def test_a_run_that_ends_early_ends_its_connection() -> None:
    engine = ImmediateEngine()
    with engine.started(Scorer(), []) as (_, score):
        assert next(score(range(100))).collected[0] == 0
        assert not engine.tasks.has_ended
    assert engine.tasks.has_ended
    assert engine.tasks.submitted <= 2 * SLOTS


def test_a_worker_without_the_package_is_not_tried_again() -> None:
    engine = ImmediateEngine()
    engine.failing = {5: [ModuleNotFoundError("No module named 'metrics_framework'")]}
    with pytest.raises(ProcessError, match="cannot import metrics_framework") as caught:
        numbers(engine, 100)
    assert install_same_version("ray") in str(caught.value)
    assert engine.tasks.submitted <= 5 + 2 * SLOTS


def test_an_error_of_the_input_is_a_result_and_another_error_of_a_metric_is_tried_again() -> None:
    engine = ImmediateEngine()
    assert numbers(engine, 3, Scorer(DataError("no words"))) == [0, 1, 2]
    with pytest.raises(ProcessError, match="part 2 failed repeatedly on Ray: no server"):
        numbers(engine, 3, Scorer(ProcessError("no server")))
    assert engine.tasks.submitted == 5


def test_parts_are_scored_in_the_folder_of_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    engine = ImmediateEngine()
    with engine.started(Scorer(), []) as (_, score):
        monkeypatch.chdir("/")
        assert [result.collected for result in score([0])] == [(0, str(tmp_path))]
        assert os.getcwd() == "/"
        tmp_path.rename(tmp_path.with_name("moved"))
        with pytest.raises(ProcessError, match=r"part 1 failed .* the folder of the run, '.*', cannot be opened there"):
            list(score([0]))


def changed(path: Path) -> None:
    path.write_text("a dog\n")


@pytest.mark.parametrize("change", [changed, Path.unlink])
def test_a_worker_with_another_file_is_an_error(change: Callable[[Path], None], tmp_path: Path) -> None:
    path = tmp_path / "in.txt"
    path.write_text("a cat\n")
    engine = ImmediateEngine()
    with engine.started(Scorer(), [str(path)]) as (_, score):
        change(path)
        with pytest.raises(ProcessError, match=r"in\.txt' is missing, changed or another file on the machine of a"):
            list(score([0]))


def test_a_worker_with_another_unicode_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = ImmediateEngine()
    with engine.started(Scorer(), []) as (_, score):
        monkeypatch.setattr(unicodedata, "unidata_version", "9.0.0")
        with pytest.raises(ProcessError, match=r"of a worker has Unicode 9\.0\.0"):
            list(score([0]))


def test_what_cannot_be_sent_is_an_error() -> None:
    def scorer(part: int) -> PartResult:  # a function of a function cannot be pickled
        return PartResult()

    with pytest.raises(UsageError), ImmediateEngine().started(scorer, []):
        pass


@pytest.mark.parametrize(("package", "address"), [("ray", "ray:auto"), ("distributed", "tcp://127.0.0.1:8786")])
def test_a_missing_package_names_the_extra(package: str, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, package, None)
    with pytest.raises(MissingExtraError, match=rf"metrics-framework\[{address[:3].replace('tcp', 'dask')}\]"):
        engine_of(address)


@pytest.mark.parametrize(
    "text", ["ray", "ray:", "ray://", "ray://host", "tcp:auto", "tcp://a b:1", "ray:6379", "x:1", "local:2"]
)
def test_other_engines_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"--engine must be one of .* for processes of this machine, use --jobs"):
        engine_of(text)


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
