"""Long work: says early how long it may take, and shows its progress."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from metrics_framework.common.logs import Log
from metrics_framework.common.progress import duration, innermost_log, progress

MIN_SECONDS = 2.0
"""After this time of work, the time of all steps is estimated."""

LONG_SECONDS = 30.0
"""Work that is estimated to take longer is announced."""

_innermost: ContextVar[LongWork | None] = ContextVar("_innermost", default=None)
"""The innermost work in progress in a thread."""


class LongWork:
    """Estimates the time of some steps from those that are done, and announces it in a note if it is long.

    Args:
        what: The work, as the subject of a sentence, such as "testing 6 pairs of metrics".
        total: The number of steps.
        cheaper: What takes less time.
        log: Receives the note; `None` for none.
        shown: Receives the number of steps that are done, to show progress.
        outer: The work that this work is a step of; it alone is announced.
        costly: The number of steps that take as long as the first one, which computes what other steps share; 0 if all
            steps take about as long.
    """

    def __init__(
        self,
        what: str,
        total: int,
        cheaper: str,
        log: Log | None,
        shown: Callable[[int], None],
        outer: LongWork | None = None,
        costly: int = 0,
    ) -> None:
        self.total, self.done = max(1, total), 0
        self._what, self._cheaper, self._log, self._shown, self._outer = what, cheaper, log, shown, outer
        self._costly, self._first, self._part = costly, 0.0, 0.0
        self._is_announced = False
        self.start()

    def start(self) -> None:
        """Starts the clock, again if no step is done: what was done before does not count."""
        if not self.done:
            self._start = time.monotonic()

    def advance(self, steps: int = 1) -> None:
        """Counts steps that are done."""
        if self.done == self.total:
            return
        self.done, self._part = min(self.total, self.done + steps), 0.0
        if self.done == steps:
            self._first = self._worked
        self._shown(steps)
        self._report()

    @property
    def _worked(self) -> float:
        """The seconds since the start of the first step."""
        return time.monotonic() - self._start

    @property
    def estimate(self) -> float:
        """The seconds of all steps; 0 before enough is done."""
        if not self._costly:
            share = (self.done + self._part) / self.total
            return self._worked / share if share else 0.0
        if self.done < 2:
            return 0.0
        further = (self._worked - self._first) / (self.done - 1)
        return self._costly * self._first + (self.total - self._costly) * further

    def _report(self) -> None:
        """Announces the time of all steps, or reports to the outer work which share of its step is done."""
        if self._outer is not None:
            self._outer.advance_within((self.done + self._part) / self.total)
        elif not self._is_announced and self._worked > MIN_SECONDS and (seconds := self.estimate) > LONG_SECONDS:
            self._is_announced = True
            if self._log is not None:
                self._log.note(f"{self._what} takes {duration(seconds)}; {self._cheaper}")

    def advance_within(self, share: float) -> None:
        """Counts a share of the next step, unless a whole step is needed for an estimate."""
        if not self._costly:
            self._part = max(self._part, share)  # a step may pass over its resamples several times
            self._report()


@contextmanager
def long_work(
    what: str,
    total: int,
    cheaper: str,
    verb: str,
    things: str,
    log: Log | None = None,
    costly: int = 0,
) -> Iterator[LongWork]:
    """Yields work whose time is announced if it is long; within other work, it is a step of that.

    The time is estimated from the steps that are done after two seconds of work. The announcement and the progress go
    to standard error, unless the log is silent; results do not depend on them.

    Args:
        what: The work, as the subject of a sentence, such as "testing 6 pairs of metrics".
        total: The number of steps.
        cheaper: What takes less time.
        verb: The past participle, such as "tested".
        things: The plural of the steps, such as "pairs of metrics".
        log: Receives the note; by default the log of the step in progress, if there is one.
        costly: The number of steps that take as long as the first one; 0 if all steps take about as long.
    """
    log = innermost_log() if log is None else log
    outer = _innermost.get()
    with progress(verb, things, log or Log(silent=True), total) as shown:
        work = LongWork(what, total, cheaper, log, shown if outer is None else lambda steps: None, outer, costly)
        before = _innermost.set(work)
        try:
            yield work
        finally:
            _innermost.reset(before)


def share_is_done(share: float) -> None:
    """Reports which share of a step is done, for code that does not know what it is a step of.

    Args:
        share: From 0 to 1.
    """
    work = _innermost.get()
    if work is not None:
        work.advance_within(share)
