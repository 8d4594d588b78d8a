"""Any program as a metric."""

from __future__ import annotations

import json
import math
import os
import shlex
from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar, Literal

from metrics_framework.common.errors import InputError, UsageError, counted
from metrics_framework.common.overriding import overrides
from metrics_framework.data.fields import PLAIN_KINDS
from metrics_framework.data.jackknifers import ReferencesJackknifer
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.texts import as_string
from metrics_framework.io.child_process import ChildProcess
from metrics_framework.io.content import LIMIT, hash_of, paths_named
from metrics_framework.io.disk_cache import DiskCache
from metrics_framework.io.scoring_program import ScoringProgram, mapped
from metrics_framework.metrics.base.batch_scores import in_groups
from metrics_framework.metrics.base.metric import Metric
from metrics_framework.metrics.base.shapes import ChosenFieldsMetric

FIELDS_OF_OUTPUTS = ("summary", "instance_id", "summarizer_id", "summarizer_type")
"""The fields that differ between the outputs for one input; all other fields are context."""


@Metric.register("external")
class External(ChosenFieldsMetric):
    r"""Scores outputs with any program that reads and writes JSON lines.

    The program receives one JSON object per output, ``{"summary": "…", "references": ["…", "…"]}``, with the fields of
    the option ``fields``; each text is a string. For each object it prints one line, in the same order: a number, or an
    object of numbers, ``{"recall": 0.4, "f1": {"rouge": 0.3}}``. ``null`` and ``NaN`` are undefined scores. The object
    ``{"error": "…"}`` says that the output cannot be scored. Before its first answer, the program may declare its
    version, which becomes part of the signature: ``{"version": "1.2"}``. The end of its standard error is shown if the
    program fails.

    The program runs without a shell and with ``PYTHONUNBUFFERED=1``. Its process group is killed at the time limit, and
    when ``fw`` ends or is killed.

    Args:
        command: The program and its arguments, as in a shell: ``python score.py --lang en``.
        fields: The fields that the program receives: summary, references, source, documents, instance_id,
            summarizer_id, summarizer_type, or another field of the input files.
        mode: Whether the program runs once per batch of up to 2,048 outputs and reads its input to the end (batch), or
            keeps running and answers each line before it reads the next (server).
        time_limit: The number of seconds after which the program is killed: for each run or, of a server, each answer.
        on_error: What to do with an output that the program cannot score: raise an error, or leave the score undefined
            (nan). A batch whose run fails is always an error.
        restarts: How often a server that has ended is started again. It receives the output that it was scoring a
            second time, but not a third time.
        better: Whether higher or lower scores are better.
        version: The version of the program, if it declares none.
        cache: Whether to keep scores on disk. They are reused if the command, the files and folders that it names, the
            version and the row are the same; other files of the program are not compared. Of a file or folder of more
            than 256 MB, sizes and times of modification are compared instead of contents.

    Range: any; the program defines it.

    Raises:
        UsageError: if the command is invalid, the fields do not include ``summary``, or a number is out of range.
        ProgramError: if the program cannot be started, or the run of a batch fails.
        OutputError: if an output cannot be scored.

    >>> count = "import json, sys\nfor row in sys.stdin: print(len(json.loads(row)['summary'].split()))"
    >>> External(shlex.join(["python3", "-c", count]), fields=["summary"]).score("The cat sat.")
    {'external': 3}
    """

    required_context_fields = ("references",)  # by default
    in_one_process: ClassVar[bool] = True
    unsigned_options: ClassVar[Sequence[str]] = ("time_limit", "restarts", "cache")
    example_flags = "--command 'python score.py'"
    citation: ClassVar[str] = """@misc{external-program,
    title = "Cite the Paper of the Program That Computes the Scores",
}"""

    def __init__(
        self,
        command: str,
        fields: Sequence[str] = ("summary", "references"),
        mode: Literal["batch", "server"] = "batch",
        time_limit: float = 600.0,
        on_error: Literal["raise", "nan"] = "raise",
        restarts: int = 3,
        better: Literal["higher", "lower"] = "higher",
        version: str = "",
        cache: bool = False,
    ) -> None:
        _check(fields, time_limit, restarts)
        super().__init__(
            [name for name in fields if name in FIELDS_OF_OUTPUTS],
            [name for name in fields if name not in FIELDS_OF_OUTPUTS],
            ReferencesJackknifer() if "references" in fields else None,
        )
        self.command = _words(command)
        vars(self)["higher_is_better"] = better == "higher"  # a class variable of metrics with one direction
        self._program = ScoringProgram(
            ChildProcess(self.command, name=f"'{command}'", time_limit=time_limit),
            mode,
            on_error,
            restarts,
            version,
            DiskCache("external") if cache else None,
            [*self.command, hash_of(*_paths_of(self.command), limit=LIMIT)] if cache else [],
        )

    @overrides
    def signature_options(self) -> dict[str, Any]:
        files = {"files": self._hash_of_files} if self._hash_of_files else {}
        return {**super().signature_options(), **files, "version": self._program.version or "none"}

    @overrides
    def files_read(self) -> list[str]:
        return [*super().files_read(), *_files_of(self.command)]

    @overrides
    def notes(self) -> Sequence[str]:
        notes, name, undefined = self._program.notes(), self._program.process.name, self._program.undefined
        if self._program.restarted:
            notes.append(f"{name} was started again {counted(self._program.restarted, 'time')}, after it had ended")
        if undefined:
            notes.append(f"{name} could not score {counted(len(undefined), 'output')}; the first time: {undefined[0]}")
        return notes

    @overrides
    def score_multi_all(self, *groups: Any) -> list[list[MetricsDict]]:
        answers = self._program.answers(self._rows(groups))
        shape = self._program.shape
        undefined = math.nan if shape is None else mapped(shape, math.nan)
        scores = [MetricsDict({self.name: undefined if answer is None else answer}) for answer in answers]
        return in_groups(scores, groups[0])

    def _rows(self, groups: Sequence[Sequence[Any]]) -> list[str]:
        """Returns the rows for the program, group after group; all their characters are ASCII."""
        count = len(self.required_summary_fields)
        return [
            self._row((*outputs, *values[count:]))
            for values in zip(*groups, strict=True)
            for outputs in zip(*values[:count], strict=True)
        ]

    def _row(self, values: Sequence[Any]) -> str:
        row = {name: _plain(name, value) for name, value in zip(self.fields, values, strict=True)}
        try:
            return json.dumps(row)
        except (TypeError, ValueError, RecursionError) as error:
            raise InputError(f"a row for '{self.name}' cannot be written as JSON: {error}") from None

    @cached_property
    def _hash_of_files(self) -> str:
        """The start of a SHA-256 of the files that the command names; empty if it names none."""
        files = _files_of(self.command)
        return hash_of(*files) if files else ""


def _check(fields: Sequence[str], time_limit: float, restarts: int) -> None:
    if "summary" not in fields or len(set(fields)) < len(fields):
        hint = "; separate fields by spaces" if "," in "".join(fields) else ""
        raise UsageError(f"'fields' must have 'summary', and no field twice, got {' '.join(fields) or 'nothing'}{hint}")
    if not 0 < time_limit < math.inf:
        raise UsageError(f"'time_limit' must be a number of seconds above 0, got {time_limit}")
    if restarts < 0:
        raise UsageError(f"'restarts' must be 0 or more, got {restarts}")


def _words(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"'command' must be a program and its arguments, got '{command}': {error}") from None
    if not words:
        raise UsageError("'command' must be a program and its arguments, got nothing")
    return words


def _files_of(command: Sequence[str]) -> list[str]:
    return [path for path in _paths_of(command) if os.path.isfile(path)]


def _paths_of(command: Sequence[str]) -> list[str]:
    """Returns the files and folders that a command names; the program only if it is a script, not an interpreter."""
    program, *arguments = command
    paths = paths_named(arguments)
    if os.path.isfile(program):
        with open(program, "rb") as stream:
            return [program, *paths] if stream.read(2) == b"#!" else paths
    return paths


def _plain(name: str, value: Any) -> Any:
    """Returns the value of a field as a program receives it: each text is one string."""
    kind = PLAIN_KINDS.get(name)
    if kind == "t":
        return as_string(value)
    return list(map(as_string, value)) if kind == "l" else value
