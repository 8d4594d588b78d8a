"""Records the state of the outputs of a run, for the message of a run that ends early."""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import ContextVar

_NAMES = {"-": "standard output"}


class OutputRecord(dict[str, bool]):
    """Maps each output that a run has begun to whether it is complete.

    Files are recorded when they are complete. Streams and devices, which have no temporary file, are recorded when they
    receive data.
    """

    def __str__(self) -> str:
        """Returns a statement about all outputs that were written to, empty without any."""
        complete = statement([path for path, is_complete in self.items() if is_complete], "complete")
        incomplete = statement([path for path, is_complete in self.items() if not is_complete], "incomplete")
        return ", ".join(filter(None, [complete, incomplete]))


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


RECORD: ContextVar[OutputRecord] = ContextVar("RECORD")
"""The record of the run; it has no value outside of a run."""
