"""Shows progress on a terminal, after the first second."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from metrics_framework.common.logs import Log

FIRST_SHOWN_AFTER = 1.0
SHOWN_EVERY = 0.2
_logs: list[Log] = []
"""The logs of the steps in progress, from the outermost to the innermost."""


@contextmanager
def progress(verb: str, things: str, log: Log) -> Iterator[Callable[[int], None]]:
    """Yields a function that adds to the number of items done.

    Args:
        verb: The past participle, such as "scored".
        things: The plural of the items, such as "outputs".
        log: Suppresses progress if it is silent.
    """
    _logs.append(log)
    try:
        with _shown(verb, things, log) as advance:
            yield advance
    finally:
        _logs.pop()


@contextmanager
def progress_within(verb: str, things: str) -> Iterator[Callable[[int], None]]:
    """Yields the same for a part of a step in progress, for code that has no log; shows nothing outside of a step.

    Args:
        verb: The past participle, such as "requested".
        things: The plural of the items, such as "answers".
    """
    if not _logs:
        yield lambda count: None
        return
    with _shown(verb, things, _logs[-1]) as advance:
        yield advance


@contextmanager
def progress_of(total: int, verb: str, things: str, log: Log) -> Iterator[Callable[[int], None]]:
    """Yields a function that adds to the number of items done, and shows an estimate of the time that is left.

    Args:
        total: The number of items.
        verb: The past participle, such as "scored".
        things: The plural of the items, such as "parts".
        log: Suppresses progress if it is silent.
    """
    if log.silent or not sys.stderr.isatty():
        yield lambda count: None
        return
    start = time.monotonic()
    done, is_shown = 0, False

    def advance(count: int) -> None:
        nonlocal done, is_shown
        done += count
        seconds = time.monotonic() - start
        if seconds > FIRST_SHOWN_AFTER:
            is_shown = True
            left = _duration(seconds / done * (total - done))
            print(
                f"\rfw: {verb} {done:,} of {total:,} {things}, {left} left\x1b[K", end="", file=sys.stderr, flush=True
            )

    try:
        yield advance
    finally:
        if is_shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _duration(seconds: float) -> str:
    """Returns a duration in its largest unit.

    >>> _duration(40), _duration(100), _duration(10_000)
    ('about 40 s', 'about 2 min', 'about 2.8 h')
    """
    if seconds < 90:
        return f"about {seconds:.0f} s"
    return f"about {seconds / 60:.0f} min" if seconds < 5400 else f"about {seconds / 3600:.1f} h"


@contextmanager
def _shown(verb: str, things: str, log: Log) -> Iterator[Callable[[int], None]]:
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
