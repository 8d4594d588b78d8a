"""An engine without a cluster, for tests: this process runs a task when it is waited for, the latest task first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from metrics_framework.common.overriding import overrides
from metrics_framework.evaluation.engine import Engine, Tasks

SLOTS = 3


class ImmediateTasks(Tasks):
    """The tasks of an engine that have not run.

    Args:
        function: What to run.
        failing: Maps the number of a task to how often it fails, with which error.
    """

    def __init__(self, function: Callable[[bytes, bytes], bytes], failing: dict[int, list[Exception]]) -> None:
        self.function = function
        self.failing = failing
        self.numbers: dict[bytes, int] = {}
        self.has_ended = False
        self.submitted = self.most = 0

    @overrides
    def slots(self) -> int:
        return SLOTS

    @overrides
    def submit(self, run: bytes, part: bytes) -> Any:
        self.numbers.setdefault(part, len(self.numbers))
        self.submitted += 1
        return (run, part, self.submitted)

    @overrides
    def wait(self, tasks: Sequence[Any]) -> Sequence[Any]:
        self.most = max(self.most, len(tasks))
        return tasks[-1:]

    @overrides
    def result(self, task: Any) -> bytes:
        run, part, _ = task
        errors = self.failing.get(self.numbers[part])
        if errors:
            raise errors.pop()
        return self.function(run, part)


class ImmediateEngine(Engine):
    """Scores parts in this process.

    Attributes:
        failing: As of its tasks.
        tasks: The tasks of the last run.
    """

    package, module, name = "ray", "json", "Ray"
    server, start = "the head node of a Ray cluster", "ray start --head"
    tasks: ImmediateTasks

    def __init__(self, address: str = "auto", timeout: float = 30.0) -> None:
        super().__init__(address, timeout)
        self.failing: dict[int, list[Exception]] = {}

    @contextmanager
    @overrides
    def connected(self, function: Callable[[bytes, bytes], bytes]) -> Iterator[ImmediateTasks]:
        self.tasks = ImmediateTasks(function, self.failing)
        try:
            yield self.tasks
        finally:
            self.tasks.has_ended = True
