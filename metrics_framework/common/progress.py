"""Shows progress on a terminal, after the first second."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from metrics_framework.common.logs import Log

FIRST_SHOWN_AFTER = 1.0
SHOWN_EVERY = 0.2


@contextmanager
def progress(verb: str, things: str, log: Log) -> Iterator[Callable[[int], None]]:
    """Yields a function that adds to the number of items done.

    Args:
        verb: The past participle, such as "scored".
        things: The plural of the items, such as "outputs".
        log: Suppresses progress if it is silent.
    """
    if log.silent or not sys.stderr.isatty():
        yield lambda count: None
        return
    start = time.monotonic()
    total, shown_at = 0, 0.0

    def advance(count: int) -> None:
        nonlocal total, shown_at
        total += count
        now = time.monotonic()
        if now - start > FIRST_SHOWN_AFTER and now - shown_at > SHOWN_EVERY:
            shown_at = now
            rate = total / (now - start)
            print(
                f"\rfw: {verb} {total:,} {things} ({rate:,.0f} per second)\x1b[K", end="", file=sys.stderr, flush=True
            )

    try:
        yield advance
    finally:
        if shown_at:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
