"""The progress of long tests of differences between metrics."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from metrics_framework.common.logs import Log, long_work

if TYPE_CHECKING:
    from metrics_framework.meta_evaluation.correlate.request import CorrelateRequest


@contextmanager
def tests_in_progress(
    request: CorrelateRequest, data_sets: int, sentinels: int, log: Log
) -> Iterator[Callable[[int, int], None]]:
    """Yields a function that receives how many pairs of metrics a comparison has tested, and how many it has.

    It shows the progress, and logs a note if all comparisons are estimated to take long.

    Args:
        request: What is computed.
        data_sets: The number of data sets.
        sentinels: The number of sentinels, which are compared as metrics are.
        log: Receives the note.
    """
    averages = 2 if request.data_sets is not None or request.preset else 1  # which test the same pairs once more
    comparisons = averages * data_sets * sum(len(request.coefficients_at(level)) for level in request.levels)
    pairs = sum(math.comb(len(request.metrics_of(human)) + sentinels, 2) for human in request.humans)
    costly = comparisons * len(request.humans)  # the first pair of a comparison computes the sums that pairs share
    total = max(1, comparisons * pairs)
    cheaper = "fewer resamples or more jobs take less"
    if "spa" in request.coefficients:
        cheaper = "spa:normal instead of spa takes much less"
    what = f"testing {total:,} pairs of metrics"
    with long_work(what, total, cheaper, "tested", "pairs of metrics", log, costly) as work:

        def report(tested: int, of_all: int) -> None:
            if tested:
                work.advance()
            else:
                work.start()

        yield report
