"""CPU times of programs that run alternately, and the spread of their ratios."""

from __future__ import annotations

import gc
import resource
import statistics
import sys
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

LEAST = 0.05  # seconds; shorter tasks are repeated because of the resolution of the clock

K = TypeVar("K", bound=Hashable)


class Spread(NamedTuple):
    """Median and range of numbers."""

    median: float
    least: float
    greatest: float

    def __str__(self) -> str:
        return f"{_short(self.median)} ({_short(self.least)} to {_short(self.greatest)})"


def _short(number: float) -> str:
    return f"{number:,.{0 if number >= 100 else 1 if number >= 10 else 2}f}"


def spread(values: Sequence[float]) -> Spread:
    """Returns the median and range of numbers."""
    return Spread(statistics.median(values), min(values), max(values))


def ratios(numerators: Sequence[float], denominators: Sequence[float]) -> list[float]:
    """Returns the ratio for each repetition."""
    return [above / below for above, below in zip(numerators, denominators, strict=True)]


def cpu_seconds() -> float:
    """Returns the CPU time of this process, including all threads and finished children."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def text_caches() -> list[Any]:
    """Returns the bounded caches, which are those of texts, of this package and of sacreBLEU."""
    modules = [
        module for name, module in sys.modules.items() if name.split(".")[0] in ("metrics_framework", "sacrebleu")
    ]
    values = [value for module in modules for value in vars(module).values()]
    values += [value for owner in values if isinstance(owner, type) for value in vars(owner).values()]
    caches = {id(value): value for value in values if hasattr(value, "cache_parameters")}
    return [cache for cache in caches.values() if cache.cache_parameters()["maxsize"] is not None]


def seconds_of(task: Callable[[], object], clock: Callable[[], float] = cpu_seconds) -> float:
    """Repeats a task for at least `LEAST` seconds, with empty text caches, and returns its mean time."""
    caches = text_caches()
    gc.collect()
    spent, times = 0.0, 0
    while spent < LEAST:
        for cache in caches:
            cache.cache_clear()
        start = clock()
        task()
        spent += clock() - start
        times += 1
    return spent / times


def in_turns(
    tasks: Mapping[K, Callable[[], object]], repetitions: int, clock: Callable[[], float] = cpu_seconds
) -> dict[K, list[float]]:
    """Runs all tasks repeatedly, in reverse order every other time.

    Args:
        tasks: The tasks by name.
        repetitions: How often each task is timed.
        clock: Returns the current time in seconds.

    Returns:
        The seconds of each task, in the order of the repetitions.
    """
    seconds: dict[K, list[float]] = {name: [] for name in tasks}
    for repetition in range(repetitions):
        for name in list(tasks)[:: -1 if repetition % 2 else 1]:
            seconds[name].append(seconds_of(tasks[name], clock))
    return seconds
