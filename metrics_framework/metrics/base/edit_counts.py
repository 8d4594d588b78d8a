"""The edits of the error rates, counted with rapidfuzz.

rapidfuzz compares two texts in one call, in which Python handles no signals: of a text of 100,000 words, Ctrl-C would
have no effect for seconds. So a child process compares long texts, and a signal ends it (decision 0067).
"""

from __future__ import annotations

import json
import math
import sys
from collections import Counter
from collections.abc import Sequence

from metrics_framework.common.errors import ProgramError
from metrics_framework.io.child_process import ChildProcess

MAX_CELLS = 1 << 30
"""The greatest product of the lengths of two texts that this process compares, in some tenths of a second."""
_CHILD = "import sys, json; sys.path[:] = json.loads(sys.stdin.readline()); from {module} import answer; answer()"


def edit_counts(summary: Sequence[str], references: Sequence[Sequence[str]]) -> list[int]:
    """Returns substitutions, deletions, insertions and length of the closest reference, the first on ties.

    Args:
        summary: The words or characters of a summary.
        references: Those of its references.

    Raises:
        ProgramError: if the process that compares long texts is killed.
    """
    if len(summary) * max(map(len, references)) > MAX_CELLS and sys.executable:
        try:
            return _counted_by_child(summary, references)
        except ProgramError as error:
            if error.reason != "start":
                raise
    return _counted(summary, references)


def _counted(summary: Sequence[str | int], references: Sequence[Sequence[str | int]]) -> list[int]:
    from rapidfuzz.distance import Levenshtein

    closest = references[0]
    if len(references) > 1:
        closest = min(references, key=lambda reference: Levenshtein.distance(reference, summary))
    edits = Counter(tag for tag, _, _ in Levenshtein.editops(closest, summary).as_list())
    return [edits["replace"], edits["delete"], edits["insert"], len(closest)]


def _counted_by_child(summary: Sequence[str], references: Sequence[Sequence[str]]) -> list[int]:
    """Counts in another process, to which units are sent as numbers; equal units have equal numbers."""
    numbers: dict[str, int] = {}
    texts = [[numbers.setdefault(unit, len(numbers)) for unit in text] for text in (summary, *references)]
    path = [entry for entry in sys.path if isinstance(entry, str)]  # others are ignored by imports
    command = [sys.executable, "-c", _CHILD.format(module=__name__)]
    child = ChildProcess(command, name="the process that counts edits", time_limit=math.inf)
    try:
        found: list[int] = json.loads(child.exchange([json.dumps(path), json.dumps(texts)], 1)[0])
    finally:
        child.kill()
    return found


def answer() -> None:
    """Reads the numbers of the units of all texts from standard input, and prints the counts; runs in the child."""
    summary, *references = json.loads(sys.stdin.readline())
    print(json.dumps(_counted(summary, references)), flush=True)
