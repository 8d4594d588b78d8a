"""Which files a run reads and writes."""

from __future__ import annotations

import os
from collections.abc import Iterable

from metrics_framework.common.errors import UsageError
from metrics_framework.io.streams import STANDARD


def refuse_overwriting(outputs: Iterable[str], inputs: Iterable[str]) -> None:
    """Refuses two outputs of one path, and an output of the path of an input.

    Raises:
        UsageError: if there is one.
    """
    read = {os.path.realpath(path) for path in inputs if path != STANDARD}
    written: set[str] = set()
    for path in outputs:
        real = path if path == STANDARD else os.path.realpath(path)
        if real in read:
            raise UsageError(f"the output '{path}' is an input of this run too; give it another name")
        if real in written:
            raise UsageError(f"two outputs would go to '{path}'; give each its own file")
        written.add(real)
