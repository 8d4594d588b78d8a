"""Records the state of the outputs of a run, for the message of a run that ends early."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

_NAMES = {"-": "standard output"}


class OutputRecord:
    """The outputs that a run has completed, or has begun to write without a temporary file.

    Attributes:
        complete: The outputs that are complete.
        incomplete: The streams and devices that have received a part of their data.
    """

    def __init__(self) -> None:
        self.complete: list[str] = []
        self.incomplete: list[str] = []

    def begin(self, path: str) -> None:
        """Records that data are written to an output directly."""
        if path not in self.incomplete:
            self.incomplete.append(path)
        if path in self.complete:
            self.complete.remove(path)

    def finish(self, path: str) -> None:
        """Records that an output is complete."""
        if path not in self.complete:
            self.complete.append(path)
        if path in self.incomplete:
            self.incomplete.remove(path)

    def finish_all(self) -> None:
        """Records that everything is complete."""
        for path in list(self.incomplete):
            self.finish(path)

    def __str__(self) -> str:
        """Returns a statement about all outputs that were written to, empty without any."""
        return ", ".join(filter(None, [statement(self.complete, "complete"), statement(self.incomplete, "incomplete")]))


def statement(paths: Sequence[str], state: str) -> str:
    """States that outputs are in a state; returns an empty string without outputs.

    >>> statement(["a.json", "-"], "complete")
    'a.json and standard output are complete'
    """
    if not paths:
        return ""
    names = [_NAMES.get(path, path) for path in paths]
    listing = " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
    return f"{listing} {'is' if len(names) == 1 else 'are'} {state}"


_record: ContextVar[OutputRecord | None] = ContextVar("output_record", default=None)


@contextmanager
def recorded_outputs() -> Iterator[OutputRecord]:
    """Records the outputs that are written in a ``with`` block."""
    record = OutputRecord()
    token = _record.set(record)
    try:
        yield record
    finally:
        _record.reset(token)


def output_record() -> OutputRecord:
    """Returns the record of the run; outside of a run, one that is not used."""
    return _record.get() or OutputRecord()
