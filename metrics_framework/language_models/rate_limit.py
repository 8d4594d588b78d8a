"""How fast requests may follow each other."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock


class RateLimit:
    """Spaces the requests of several threads, and pauses all of them if the endpoint asks for it.

    Args:
        per_minute: The number of requests per minute; `None` for no limit.
        clock: Returns the time in seconds.

    >>> limit = RateLimit(60, clock=lambda: 0.0)
    >>> limit.reserve(), limit.reserve(), limit.reserve()
    (0.0, 1.0, 2.0)
    """

    def __init__(self, per_minute: float | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._interval = 60 / per_minute if per_minute else 0.0
        self._clock = clock
        self._lock = Lock()
        self._next = 0.0
        self._paused_until = 0.0

    def reserve(self) -> float:
        """Reserves the time of one request; returns how many seconds it is away."""
        with self._lock:
            now = self._clock()
            start = max(now, self._next)
            self._next = start + self._interval
            return start - now

    def pause(self, seconds: float) -> None:
        """Lets no request start for some seconds."""
        with self._lock:
            self._paused_until = max(self._paused_until, self._clock() + seconds)

    def paused(self) -> float:
        """Returns for how many seconds requests are paused."""
        return max(0.0, self._paused_until - self._clock())
