"""What a run says to people: notes, warnings and progress, on standard error."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Literal, TextIO, TypeAlias

from metrics_framework.common.errors import DataError, Problems, UsageError, printable
from metrics_framework.common.overriding import overrides

OptionForm: TypeAlias = Literal["flags", "spec", "python", "object"]
"""How a message says to set an option of a metric: by flags of the command of the metric, in the value of ``--metric``,
in the name of a metric, as in Python and in profiles, or as an argument of ``load``."""


class Log(AbstractContextManager["Log"]):
    """Prints the notes and warnings of one run; a repeated warning is printed once.

    Args:
        strict: Whether a warning is an error.
        silent: Whether to print nothing.
        file: A file to append all messages to.
        stream: The stream to print to, by default standard error.
        checks: Whether to check texts for mistakes, which are warnings.

    Attributes:
        option_form: How messages say to set an option of a metric.
        strict_option: What makes warnings errors.
        are_detokenized: Whether outputs are known to be detokenized, even if they look tokenized.
    """

    def __init__(
        self,
        strict: bool = False,
        silent: bool = False,
        file: str | None = None,
        stream: TextIO | None = None,
        checks: bool = True,
    ) -> None:
        self.strict = strict
        self.checks = checks
        self.silent = silent
        self.warnings: list[str] = []
        self.option_form: OptionForm = "spec"
        self.strict_option = "--strict"
        self.are_detokenized = False
        self._noted: set[str] = set()
        self._stream = stream
        self._file: TextIO | None = None
        if file is not None:
            try:
                self._file = open(file, "a", encoding="utf-8")  # noqa: SIM115 - __exit__ closes it
            except OSError as error:
                raise UsageError(f"cannot write the log to '{file}': {error.strerror}") from None

    @overrides
    def __exit__(self, *error: object) -> None:
        """Closes the log file."""
        if self._file is not None:
            with suppress(OSError):  # every line was flushed when it was written
                self._file.close()

    def note(self, message: str, category: type[Warning] | None = None) -> None:
        """Prints information, in one line, unless it was printed before.

        Args:
            message: The information.
            category: Its category, if it becomes a Python warning.
        """
        line = f"fw: {message if message.isprintable() else printable(message)}\n"
        if line in self._noted:
            return
        self._noted.add(line)
        if not self.silent:
            print(line, end="", file=self._stream or sys.stderr)  # in one write, which no signal can divide
        if self._file is not None:
            try:
                print(line, end="", file=self._file, flush=True)
            except OSError as error:
                raise OSError(error.errno, error.strerror, self._file.name) from None

    def warn(self, message: str, category: type[Warning] = UserWarning) -> None:
        """Prints a warning that a result may be misleading.

        Args:
            message: The warning.
            category: Its category, if it becomes a Python warning.

        Raises:
            DataError: if the run is strict.
        """
        if self.strict:
            raise DataError(f"{message} (an error because of {self.strict_option})")
        if message not in self.warnings:
            self.warnings.append(message)
            self.note(f"warning: {message}")

    def warn_all(self, messages: Sequence[str], category: type[Warning]) -> None:
        """Prints several warnings; if the run is strict, one error has all of them."""
        problems = Problems()
        for message in messages:
            with problems.at(None):
                self.warn(message, category)
        problems.raise_any()


FIRST_SHOWN_AFTER = 1.0
SHOWN_EVERY = 0.2
LINE_EVERY = 60.0
"""Seconds between the lines of progress where standard error is no terminal."""
_logs: list[Log] = []
"""The logs of the steps in progress, from the outermost to the innermost."""


@contextmanager
def progress(verb: str, things: str, log: Log, total: int | None = None) -> Iterator[Callable[[int], None]]:
    """Yields a function that adds to the number of items done, and shows it: in a terminal or notebook in one line.

    Args:
        verb: The past participle, such as "scored".
        things: The plural of the items, such as "outputs".
        log: Suppresses progress if it is silent.
        total: The number of items if it is known; the time that is left is then estimated.
    """
    in_place = not log.silent and (sys.stderr.isatty() or type(sys.stderr).__module__.startswith("ipykernel"))
    start, width = time.monotonic(), 0
    done, shown_at = 0, start + (FIRST_SHOWN_AFTER - SHOWN_EVERY if in_place else 0)

    def advance(count: int) -> None:
        nonlocal done, shown_at, width
        done += count
        now = time.monotonic()
        if not log.silent and now - shown_at > (SHOWN_EVERY if in_place else LINE_EVERY):
            line = f"fw: {verb} {_state(done, now - start, things, total)}"
            shown_at, width = now, max(width, len(line))
            text = f"\r{line:{width}}" if in_place else f"{line}\n"  # spaces also erase in notebooks
            print(text, end="", file=sys.stderr, flush=True)

    _logs.append(log)
    try:
        yield advance
    finally:
        _logs.remove(log)
        if in_place and width:
            print(f"\r{'':{width}}\r", end="", file=sys.stderr, flush=True)


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


def announce(message: str) -> None:
    """Prints a note about the step in progress, for code that has no log; prints nothing outside of a step."""
    if _logs:
        _logs[-1].note(message)


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


MIN_SECONDS = 2.0
"""After this time of work, the time of all steps is estimated."""

MANY_STEPS = 10
"""From this number of steps on, the first one, which may also load modules, is not taken for the others."""
MIN_SHARE = 0.01
"""Before this share of the steps, the time is estimated from a long time of work only: the first step may be slow."""
LONG_SECONDS = 30.0
"""Work that is estimated to take longer is announced."""

_innermost: ContextVar[LongWork | None] = ContextVar("_innermost", default=None)
"""The innermost work in progress in a thread."""


@dataclass(eq=False)
class LongWork:
    """Estimates the time of some steps from those that are done, and announces it in a note if it is long.

    Args:
        what: The work, as the subject of a sentence, such as "testing 6 pairs of metrics".
        total: The number of steps.
        cheaper: What takes less time.
        log: Receives the note; `None` for none.
        shown: Receives the number of steps that are done, to show progress.
        outer: The work that this work is a step of; it alone is announced.
        costly: The number of rounds of equally many steps, whose first step computes what the steps of a round share; 0
            if all steps take about as long.

    Attributes:
        done: The number of steps that are done.
        size: The number of steps that are done together next, so that shares reported within them are of these steps.
        started: When the first step began, in seconds of the clock of `time.monotonic`.
    """

    what: str
    total: int
    cheaper: str
    log: Log | None
    shown: Callable[[int], None]
    outer: LongWork | None = None
    costly: int = 0
    done: int = 0
    size: int = 1
    started: float = 0.0
    _first: float = 0.0  # the seconds of the first steps, and then of the first round
    _of_first: int = 1  # the number of steps that were done first
    _part: float = 0.0  # the share of the next step that is done
    _announced: float = 0.0  # the seconds that were announced

    def start(self) -> None:
        """Starts the clock, again if no step is done: what was done before does not count."""
        if not self.done:
            self.started = time.monotonic()

    def advance(self, steps: int = 1) -> None:
        """Counts steps that are done."""
        if self.done == self.total:
            return
        self.done, self._part = min(self.total, self.done + steps), 0.0
        if self.done == steps or self.done * self.costly == self.total:
            self._first, self._of_first = time.monotonic() - self.started, steps
        self.shown(steps)
        self._report()

    def _report(self) -> None:
        """Announces the time of all steps, or reports to the outer work which share of its step is done."""
        share, worked = (self.done + self._part) / self.total, time.monotonic() - self.started
        if self.outer is not None:
            self.outer.advance_within(share)
        elif worked > (MIN_SECONDS if share >= MIN_SHARE else LONG_SECONDS):
            seconds = self._estimate(share, worked)
            if seconds > max(LONG_SECONDS, 2 * self._announced):  # again if later steps take longer than the first ones
                self._announced = seconds
                if self.log is not None:
                    self.log.note(f"{self.what} takes {duration(seconds)}; {self.cheaper}")

    def _estimate(self, share: float, worked: float) -> float:
        """Returns the seconds of all steps; 0 before enough is done.

        Args:
            share: The share of all steps that is done.
            worked: The seconds since the start of the first step.
        """
        later = self.done - self._of_first
        if not self.costly and (self.done < MANY_STEPS or not later):
            return worked / share if share else 0.0
        if self.costly <= 1:
            others = self.total - self._of_first
            return self._first + others * (worked - self._first) / (later + self._part) if later else 0.0
        rounds, further = divmod(self.done * self.costly, self.total)  # the first one also loads modules
        return worked + (self.costly - rounds) * (worked - self._first) / (rounds - 1) if rounds > 1 > further else 0.0

    def advance_within(self, share: float) -> None:
        """Counts a share of the next step, unless a whole step is needed for an estimate."""
        if not self.costly:
            self._part = max(self._part, share * self.size)  # a step may pass over its resamples several times
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
        costly: The number of rounds of steps, as for `LongWork`; 0 if all steps take about as long.
    """
    log = _logs[-1] if log is None and _logs else log
    outer = _innermost.get()
    with progress(verb, things, log or Log(silent=True), total) as shown:
        advance = shown if outer is None else lambda steps: None
        work = LongWork(what, max(1, total), cheaper, log, advance, outer, costly, started=time.monotonic())
        before = _innermost.set(work)
        try:
            yield work
        finally:
            _innermost.reset(before)


def current_work() -> LongWork:
    """Returns the innermost work, for code that does not know what it is a step of; without any, it shows nothing."""
    return _innermost.get() or LongWork("", 0, "", None, lambda steps: None, costly=1)
