"""Progress of long work: on a terminal only, and after a second."""

from __future__ import annotations

import sys
import time
from types import TracebackType

from metrics_framework.common.logs import Log

PATIENCE = 1.0


class Progress:
    """Shows how far a run is.

    Args:
        verb: What is being done, as in "scored".
        things: What is counted, as in "outputs".
        log: Tells whether anything may be printed.
    """

    def __init__(self, verb: str, things: str, log: Log) -> None:
        self.verb = verb
        self.things = things
        self.count = 0
        self._visible = not log.silent and sys.stderr.isatty()
        self._start = self._last = time.monotonic()
        self._shown = False

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def advance(self, count: int) -> None:
        """Takes note that so many more are done."""
        self.count += count
        now = time.monotonic()
        if self._visible and now - self._start > PATIENCE and now - self._last > PATIENCE / 5:
            self._last = now
            self._shown = True
            rate = self.count / (now - self._start)
            sys.stderr.write(f"\rfw: {self.verb} {self.count:,} {self.things} ({rate:,.0f} a second)\x1b[K")
            sys.stderr.flush()
