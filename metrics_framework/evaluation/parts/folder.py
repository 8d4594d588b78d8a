"""The output folder of a run over parts: the plan, and for each part its rows, its results and a mark of completion.

Every file is written under a temporary name and renamed. The mark, ``part-N.done.json``, is written last, so that a
part counts only if all its files are complete, whenever a process is killed (decision 0057).
"""

from __future__ import annotations

import hashlib
import json
import os
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from threading import Lock
from typing import Any

from metrics_framework.common.errors import DataError, InputError, OutputError, ProcessError, UsageError
from metrics_framework.common.plugins import take_over
from metrics_framework.evaluation.parts.part import PartResult
from metrics_framework.evaluation.parts.run_plan import PLAN, RunPlan
from metrics_framework.evaluation.parts.scorer import PartScorer
from metrics_framework.evaluation.parts.stored_part import encoded
from metrics_framework.io.folders import Folder
from metrics_framework.io.locations import joined, size_of
from metrics_framework.version import __version__

_CHARACTERS_WRITTEN = 1 << 20
_LASTING = (OutputError, InputError, DataError, UsageError)
"""Errors of metrics that would occur again in another try; they are results of a part."""
_one_at_a_time = Lock()
"""A process scores one part at a time: its working folder is that of the run."""


def score_part_into(folder: str, number: int) -> int:
    """Scores a part of the run of an output folder, writes its files and returns its number.

    It runs in any process that has this package and reaches the folder and the input. Problems of the input are among
    the results of the part. It may run twice for a part, even in two processes at the same time.

    Args:
        folder: The output folder, an absolute or a remote path.
        number: The part, counted from 0.

    Raises:
        ProcessError: if this process cannot score the part, but another process might: the input has changed, or is
            a different file on this machine, or this Python has other Unicode tables.
        DataError: if the plan cannot be read.
        FwError: if a metric failed for another reason than its input, such as the endpoint of a language model.
        OSError: if a file cannot be written.
    """
    output = Folder(folder)
    data = output.read(PLAN)
    with _one_at_a_time:
        plan, scorer = _prepared(joined(folder, PLAN), data)
        with _working_folder(plan.working_folder):
            _check_input(plan, number)
            result = scorer(plan.part(number))
    if result.failure is not None and not isinstance(result.failure.error, _LASTING):
        raise result.failure.error
    _write(output, digest_of(data), result)
    return number


@lru_cache(maxsize=1)
def _prepared(path: str, data: bytes) -> tuple[RunPlan, PartScorer]:
    """Returns the plan, and an object that scores its parts; models are loaded once per process."""
    plan = RunPlan.from_bytes(data, path)
    plan.check_unicode(os.path.dirname(path))
    with _working_folder(plan.working_folder):
        take_over(*plan.plugins)
        return plan, PartScorer(plan.scoring(plan.loaded_metrics(), plan.loaded_reader()))


@contextmanager
def _working_folder(path: str) -> Iterator[None]:
    """Changes the working folder, to which the paths of the plan refer, and restores it."""
    before = os.getcwd()
    if path == before:
        yield
        return
    try:
        os.chdir(path)
    except OSError as error:
        raise ProcessError(f"the folder of the run, '{path}', cannot be opened here: {error.strerror}") from None
    try:
        yield
    finally:
        os.chdir(before)


def _check_input(plan: RunPlan, number: int) -> None:
    """Checks that the files of a part are still those of the plan.

    Raises:
        ProcessError: if one is not.
    """
    change = plan.change(number)
    if change is not None:
        raise ProcessError(
            f"'{change[0]}' has changed since the run was planned, or is another file on this machine ({change[1]}); "
            "start a new run in another folder"
        )


def _write(output: Folder, plan: str, result: PartResult) -> None:
    """Writes the files of a part, and last the mark that it is complete."""
    names = part_names(result.number)
    rows = Checksummed(_row_blocks(result))
    output.write(names["rows"], rows)
    results = Checksummed(encoded(result))
    output.write(names["results"], results)
    done = {
        "fw": __version__,
        "plan": plan,
        "part": result.number + 1,
        "outputs": result.num_outputs,
        "problems": sum(piece.num_unread + piece.num_invalid for piece in result.pieces) + (result.failure is not None),
        "rows": rows.identity(),
        "results": results.identity(),
    }
    output.write(names["done"], json.dumps(done, indent=1).encode() + b"\n")


def _row_blocks(result: PartResult) -> Iterator[bytes]:
    """Yields the rows of a part in blocks of bytes."""
    for start in range(0, len(result.rows), _CHARACTERS_WRITTEN):
        yield result.rows[start : start + _CHARACTERS_WRITTEN].encode()
    for start in range(0, len(result.sorted_rows), 1024):
        yield "".join([row for _, row in result.sorted_rows[start : start + 1024]]).encode()


class Checksummed:
    """Yields blocks of bytes unchanged, and records their size and checksum.

    Args:
        blocks: The blocks.
    """

    def __init__(self, blocks: Iterable[bytes]) -> None:
        self._blocks = blocks
        self._checksum = 0
        self._size = 0

    def __iter__(self) -> Iterator[bytes]:
        for block in self._blocks:
            self._checksum = zlib.crc32(block, self._checksum)
            self._size += len(block)
            yield block

    def identity(self) -> dict[str, int]:
        """Returns size and checksum of all blocks so far."""
        return {"size": self._size, "crc32": self._checksum}


def digest_of(data: bytes) -> str:
    """Returns a hash of bytes."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def part_names(number: int) -> dict[str, str]:
    """Returns the names of the files of a part, of its rows, its results and the mark that it is complete.

    They count parts from 1, as ``--part`` does.
    """
    name = f"part-{number + 1:05d}"
    return {"rows": f"{name}.jsonl", "results": f"{name}.results", "done": f"{name}.done.json"}


def done_of(output: Folder, number: int, plan: str) -> dict[str, Any] | None:
    """Returns the mark that a part is complete; `None` if the part is incomplete, or of another run.

    Args:
        output: The folder.
        number: The part.
        plan: The hash of the plan.
    """
    names = part_names(number)
    try:
        done: dict[str, Any] = json.loads(output.read(names["done"]))
        agrees = (done["plan"], done["part"], done["fw"]) == (plan, number + 1, __version__)
        sizes = [done[name]["size"] for name in ("rows", "results")]
        found = [size_of(output.path_of(names[name])) for name in ("rows", "results")]
    except (DataError, ValueError, TypeError, KeyError, RecursionError):
        return None
    return done if agrees and sizes == found else None


def incomplete_parts(output: Folder, count: int, plan: str) -> list[int]:
    """Returns the parts that are not complete, counted from 0."""
    existing = set(output.names())
    return [
        number
        for number in range(count)
        if part_names(number)["done"] not in existing or done_of(output, number, plan) is None
    ]
