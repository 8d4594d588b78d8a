"""Shows progress: on a terminal in one line, after the first second; elsewhere, such as in a log, a line a minute."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from metrics_framework.common.logs import Log

FIRST_SHOWN_AFTER = 1.0
SHOWN_EVERY = 0.2
LINE_EVERY = 60.0
"""Seconds between the lines of progress where standard error is no terminal."""
_logs: list[Log] = []
"""The logs of the steps in progress, from the outermost to the innermost."""


@contextmanager
def progress(verb: str, things: str, log: Log, total: int | None = None) -> Iterator[Callable[[int], None]]:
    """Yields a function that adds to the number of items done.

    Args:
        verb: The past participle, such as "scored".
        things: The plural of the items, such as "outputs".
        log: Suppresses progress if it is silent.
        total: The number of items if it is known; the time that is left is then estimated.
    """
    is_terminal = not log.silent and sys.stderr.isatty()
    start, form = time.monotonic(), "\rfw: {} {}\x1b[K" if is_terminal else "fw: {} {}\n"
    done, shown_at, is_shown = 0, start + (FIRST_SHOWN_AFTER - SHOWN_EVERY if is_terminal else 0), False

    def advance(count: int) -> None:
        nonlocal done, shown_at, is_shown
        done += count
        now = time.monotonic()
        if not log.silent and now - shown_at > (SHOWN_EVERY if is_terminal else LINE_EVERY):
            shown_at, is_shown = now, True
            print(form.format(verb, _state(done, now - start, things, total)), end="", file=sys.stderr, flush=True)

    _logs.append(log)
    try:
        yield advance
    finally:
        _logs.remove(log)
        if is_terminal and is_shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


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
    with progress(verb, things, _logs[-1]) as advance:
        yield advance


@contextmanager
def steps_of(log: Log) -> Iterator[None]:
    """Lets code that has no log show the progress of its steps, and announce long ones, as a log permits."""
    _logs.append(log)
    try:
        yield
    finally:
        _logs.remove(log)


def innermost_log() -> Log | None:
    """Returns the log of the innermost step in progress."""
    return _logs[-1] if _logs else None


def _state(done: int, seconds: float, things: str, total: int | None) -> str:
    """Returns how many items are done, and the time that is left, or the speed if the total is not known.

    >>> _state(3, 60, "parts", 6), _state(300, 60, "outputs", None)
    ('3 of 6 parts, about 60 s left', '300 outputs (5 per second)')
    """
    if total is None:
        return f"{done:,} {things} ({done / seconds:,.0f} per second)"
    return f"{done:,} of {total:,} {things}, {duration(seconds / done * (total - done))} left"


def duration(seconds: float) -> str:
    """Returns a duration in its largest unit.

    >>> duration(40), duration(100), duration(10_000)
    ('about 40 s', 'about 2 min', 'about 2.8 h')
    """
    if seconds < 90:
        return f"about {seconds:.0f} s"
    return f"about {seconds / 60:.0f} min" if seconds < 5400 else f"about {seconds / 3600:.1f} h"
