"""The progress of long tests of differences between metrics."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from metrics_framework.common.logs import Log
from metrics_framework.common.progress import progress

if TYPE_CHECKING:
    from metrics_framework.meta_evaluation.correlate.request import CorrelateRequest

MIN_SECONDS = 2.0
"""After this time of work, the time of all tests is estimated."""

LONG_SECONDS = 60.0
"""Tests that are estimated to take longer are announced."""


@contextmanager
def tests_in_progress(
    request: CorrelateRequest, data_sets: int, sentinels: int, log: Log
) -> Iterator[Callable[[int, int], None]]:
    """Yields a function that receives how many pairs of metrics a comparison has tested, and how many it has.

    It shows the progress on a terminal, and logs a note if all comparisons are estimated to take more than a minute.

    Args:
        request: What is computed.
        data_sets: The number of data sets.
        sentinels: The number of sentinels, which are compared as metrics are.
        log: Receives the note.
    """
    averages = 2 if request.data_sets is not None or request.preset else 1  # which test the same pairs once more
    comparisons = averages * data_sets * sum(len(request.coefficients_at(level)) for level in request.levels)
    pairs = sum(math.comb(len(request.metrics_of(human)) + sentinels, 2) for human in request.humans)
    clock = _Clock(comparisons * len(request.humans), max(1, comparisons * pairs))
    is_announced = False
    with progress("tested", "pairs of metrics", log, clock.total) as advance:

        def report(tested: int, of_all: int) -> None:
            nonlocal is_announced
            if clock.done == clock.total or not clock.advanced(tested):
                return
            advance(1)
            if not is_announced and clock.worked > MIN_SECONDS and clock.estimate > LONG_SECONDS:
                is_announced = True
                log.note(_announcement(clock.estimate, clock.total, request))

        yield report


class _Clock:
    """Estimates the time of all tests.

    Args:
        comparisons: The number of comparisons.
        total: The number of pairs that all of them test.
    """

    def __init__(self, comparisons: int, total: int) -> None:
        self.total, self.done = total, 0
        self._comparisons, self._start, self._first = comparisons, time.monotonic(), 0.0

    def advanced(self, tested: int) -> bool:
        """Returns whether a pair is done, given how many pairs of a comparison are; counts it."""
        if not self.done and not tested:
            self._start = time.monotonic()
        if not tested:
            return False
        self.done += 1
        if self.done == 1:
            self._first = self.worked
        return True

    @property
    def worked(self) -> float:
        """The seconds since the start of the first test."""
        return time.monotonic() - self._start

    @property
    def estimate(self) -> float:
        """The seconds of all tests; 0 before two are done.

        The first pair of a comparison takes longer than the other pairs, because it computes the sums they share.
        """
        if self.done < 2:
            return 0.0
        further = (self.worked - self._first) / (self.done - 1)
        return self._comparisons * self._first + (self.total - self._comparisons) * further


def _announcement(seconds: float, total: int, request: CorrelateRequest) -> str:
    cheaper = "fewer resamples or more jobs take less"
    if "spa" in request.coefficients:
        cheaper = "spa:normal instead of spa takes much less"
    return f"testing {total:,} pairs of metrics takes about {seconds / 60:.0f} min; {cheaper}"
