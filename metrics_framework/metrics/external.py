"""Any program as a metric."""

from __future__ import annotations

import json
import math
import os
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, TypeAlias

from metrics_framework.common.errors import InputError, OutputError, ProgramError, UsageError, counted
from metrics_framework.common.options import with_keys_once
from metrics_framework.common.overriding import overrides
from metrics_framework.data.fields import PLAIN_KINDS
from metrics_framework.data.jackknifers import ReferencesJackknifer
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.texts import as_string, shown
from metrics_framework.io.child_process import ChildProcess
from metrics_framework.io.content import LIMIT, hash_of, paths_named
from metrics_framework.io.disk_cache import DiskCache, cache_key, list_of
from metrics_framework.metrics.base.batch_scores import in_groups, outputs_in
from metrics_framework.metrics.base.metric import Metric
from metrics_framework.metrics.base.shapes import ChosenFieldsMetric

FIELDS_OF_OUTPUTS = ("summary", "instance_id", "summarizer_id", "summarizer_type")
"""The fields that differ between the outputs for one input; all other fields are context."""
_Answer: TypeAlias = "float | MetricsDict"
"""The scores of an output: one number, or numbers by name."""
_Entry: TypeAlias = "tuple[_Answer, str]"
_CACHE_VERSION = 1  # to be increased if programs receive other rows, or if their answers are read in another way
_EXPECTED = "expected a JSON number, or an object of numbers; messages belong to standard error"


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
    in_one_process = True
    unsigned_options = ("time_limit", "restarts", "cache")
    example_flags = "--command 'python score.py'"
    citation = "external-program"

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
        self._program = _ScoringProgram(
            ChildProcess(self.command, name=f"'{command}'", time_limit=time_limit),
            mode,
            on_error,
            restarts,
            version,
            DiskCache("external") if cache else None,
            [_CACHE_VERSION, version, *self.command, hash_of(*_paths_of(self.command), limit=LIMIT)] if cache else (),
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
        notes = [] if self._program.cache is None else self._program.cache.notes()
        name, undefined = self._program.process.name, self._program.undefined
        if self._program.restarted:
            notes.append(f"{name} was started again {counted(self._program.restarted, 'time')}, after it had ended")
        if undefined:
            notes.append(f"{name} could not score {counted(len(undefined), 'output')}; the first time: {undefined[0]}")
        return notes

    @overrides
    def score_multi_all(self, *groups: Any) -> list[list[MetricsDict]]:
        answers = self._program.answers(self._rows(groups))
        shape = self._program.shape
        undefined = math.nan if shape is None else _mapped(shape, math.nan)
        scores = [MetricsDict({self.name: undefined if answer is None else answer}) for answer in answers]
        return in_groups(scores, groups[0])

    def _rows(self, groups: Sequence[Sequence[Any]]) -> list[str]:
        """Returns the rows for the program, group after group; all their characters are ASCII."""
        rows = [
            {name: _plain(name, value) for name, value in zip(self.fields, values, strict=True)}
            for group in outputs_in(groups, len(self.required_summary_fields))
            for values in group
        ]
        try:
            return list(map(json.dumps, rows))
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


@dataclass(eq=False)
class _ScoringProgram:
    """A program that prints one line of scores for each row.

    Args:
        process: The program.
        mode: Whether it runs once per batch, or is a server.
        on_error: Whether an output that it cannot score is an error, or its answer is undefined.
        restarts: How often a server that ended is started again.
        version: The version of the program, if it does not declare one.
        cache: Keeps answers; `None` for no cache.
        cache_parts: What answers depend on, besides the row.

    Attributes:
        version: The version that was given or declared.
        shape: The scores of one output, whose names those of all outputs must have; `None` before the first answer.
        undefined: Why outputs have no answer, one message for each.
    """

    process: ChildProcess
    mode: Literal["batch", "server"]
    on_error: Literal["raise", "nan"]
    restarts: int
    version: str
    cache: DiskCache | None
    cache_parts: Sequence[Any]
    shape: _Answer | None = None
    undefined: list[str] = field(default_factory=list)
    _source: str = ""

    @property
    def restarted(self) -> int:
        """How often a server was started again."""
        return max(0, self.process.starts - 1) if self.mode == "server" else 0

    def answers(self, rows: Sequence[str]) -> list[_Answer | None]:
        """Returns the answer to each row; `None` if the program cannot score it and this is no error.

        Args:
            rows: The rows, without line breaks.

        Raises:
            OutputError: if the program fails at a row, or its answer is not a score.
            ProgramError: if the program cannot be started, or fails in a way that concerns no single row.
        """
        found: dict[int, _Answer | None] = dict(self._cached(rows))
        missing = [index for index in range(len(rows)) if index not in found]
        if missing:
            lines = self._lines_of_batch if self.mode == "batch" else self._lines_of_server
            for index, line in lines(rows, missing):
                found[index] = None if line is None else self._accepted(line, index)
                self._keep(rows[index], found[index])
        return [found[index] for index in range(len(rows))]

    def _lines_of_batch(self, rows: Sequence[str], missing: Sequence[int]) -> Iterator[tuple[int, str]]:
        try:
            lines = self.process.run([rows[index] for index in missing], len(missing), self._is_preface)
        except ProgramError as error:
            if error.reason == "order":
                self._check_lines(error.answers)
            if error.reason in ("end", "time"):
                self._keep_valid(rows, missing, error.answers)
            if error.reason in ("start", "order") or len(error.answers) >= len(missing):
                raise
            raise OutputError(*error.args, index=missing[len(error.answers)]) from None
        if len(lines) < len(missing):
            self._keep_valid(rows, missing, lines)
            printed = f"{counted(len(lines), 'line')} for {counted(len(missing), 'output')}"
            message = f"{self.process.name} printed only {printed}; this is the first output without a line"
            raise OutputError(message, index=missing[len(lines)])
        yield from zip(missing, lines, strict=True)

    def _lines_of_server(self, rows: Sequence[str], missing: Sequence[int]) -> Iterator[tuple[int, str | None]]:
        for index in missing:
            try:
                yield index, self._exchange(rows[index])
            except ProgramError as error:
                if error.reason in ("start", "order"):
                    raise
                if self.on_error == "raise" or not self._may_start():
                    again = f"fw: it was started again {counted(self.restarted, 'time')}; 'restarts' allows "
                    given_up = [f"{again}{self.restarts}"] if self.restarted else []
                    raise OutputError(*error.args, *given_up, index=index) from None
                self.undefined.append(str(error).split("\n", 1)[0])
                yield index, None
        self.process.check_silence()

    def _exchange(self, row: str) -> str:
        """Returns the answer of the server; if it has ended, starts it again and repeats the row once."""
        try:
            return self.process.exchange([row], 1, self._is_preface)[0]
        except ProgramError as error:
            if error.reason != "end" or not self._may_start():
                raise
        return self.process.exchange([row], 1, self._is_preface)[0]

    def _may_start(self) -> bool:
        return self.process.starts <= self.restarts

    def _accepted(self, line: str, index: int) -> _Answer | None:
        """Returns a parsed line; `None` if it has no scores and this is no error."""
        try:
            return self._parsed(line)
        except _AnswerError as error:
            if self.mode == "server" and not error.is_declared:
                self.process.close(0)  # whatever it prints next may belong to another row
            message = f"{self.process.name} {error}"
            if self.on_error == "raise":
                raise OutputError(message, index=index) from None
            self.undefined.append(message)
            return None

    def _parsed(self, line: str) -> _Answer:
        """Returns a parsed line.

        Raises:
            _AnswerError: if it is not a score, or has other names than earlier answers.
        """
        answer = _parsed_answer(line)
        if self.shape is None:
            self.shape = answer
        elif _mapped(answer, 0) != _mapped(self.shape, 0):
            earlier = f"{_names(self.shape)} for earlier outputs{self._source}"
            raise _AnswerError(f"printed {_names(answer)}, but {earlier}")
        return answer

    def _check_lines(self, lines: Sequence[str]) -> None:
        """Names the first line that has no scores: it explains why there is a line too many."""
        for line in lines:
            try:
                _parsed_answer(line)
            except _AnswerError as error:
                raise ProgramError(f"{self.process.name} {error}", reason="order") from None

    def _is_preface(self, line: str) -> bool:
        version = _declared_version(line)
        if version is not None:
            self._set_version(version)
        return version is not None

    def _set_version(self, version: str) -> None:
        if self.version and self.version != version:
            raise ProgramError(
                f"{self.process.name} declares the version '{version}', but other scores of this run are of version "
                f"'{self.version}'; with the option version={version}, no cached scores of other versions are used",
                reason="start",
            )
        self.version = version

    def _cached(self, rows: Sequence[str]) -> Iterable[tuple[int, _Answer]]:
        if self.cache is None:
            return
        keys = [self._key(row) for row in rows]
        entries = self._usable(self.cache, self.cache.get(keys, _entry))
        for index, key in enumerate(keys):
            if key in entries:
                answer, version = entries[key]
                if version:
                    self._set_version(version)
                yield index, answer

    def _usable(self, cache: DiskCache, entries: dict[str, _Entry]) -> dict[str, _Entry]:
        """Returns the entries whose answers have the names of earlier answers; of several names, none is trusted."""
        shapes = [_mapped(answer, 0) for answer, _ in entries.values()]
        if self.shape is None and any(shape != shapes[0] for shape in shapes):
            usable = {}
        else:
            expected = shapes[:1] if self.shape is None else [_mapped(self.shape, 0)]
            usable = {key: entry for key, entry in entries.items() if [_mapped(entry[0], 0)] == expected}
        for key in entries.keys() - usable.keys():
            cache.reject(key)
        if usable and self.shape is None:
            self.shape, self._source = next(iter(usable.values()))[0], f" in the cache {cache.path}"
        return usable

    def _keep(self, row: str, answer: _Answer | None) -> None:
        if self.cache is not None and answer is not None:
            self.cache.put({self._key(row): [json.dumps(answer), self.version]})

    def _keep_valid(self, rows: Sequence[str], missing: Sequence[int], lines: Sequence[str]) -> None:
        """Keeps the answers of a run that failed later."""
        for index, line in zip(missing, lines, strict=False):
            try:
                self._keep(rows[index], self._parsed(line))
            except _AnswerError:
                return

    def _key(self, row: str) -> str:
        return cache_key(*self.cache_parts, row)


def _entry(value: Any) -> _Entry:
    """Returns an answer and the version of the program, given the value in the cache.

    Raises:
        ValueError: if it has another form.
    """
    line, version = list_of(str, str)(value)
    try:
        return _parsed_answer(line), version
    except _AnswerError as error:
        raise ValueError from error


def _mapped(answer: _Answer, value: float) -> _Answer:
    """Returns an answer with the same names and other values."""
    return answer.map(lambda _: value) if isinstance(answer, MetricsDict) else value


def _names(answer: _Answer) -> str:
    return f"the scores {', '.join(answer.flatten())}" if isinstance(answer, MetricsDict) else "a number"


class _AnswerError(Exception):
    """A line has no scores.

    Args:
        message: What was printed instead, as the end of a sentence whose subject is the program.
        is_declared: Whether the program itself says that it cannot score the output.
    """

    def __init__(self, message: str, is_declared: bool = False) -> None:
        super().__init__(message)
        self.is_declared = is_declared


def _parsed_answer(line: str) -> _Answer:
    """Returns the scores of a line.

    Raises:
        _AnswerError: if the line is not a number or an object of numbers.

    >>> _parsed_answer("0.5"), _parsed_answer('{"recall": null, "f1": {"rouge": 2}}')
    (0.5, {'recall': nan, 'f1': {'rouge': 2}})
    """
    try:
        value = json.loads(line, object_pairs_hook=with_keys_once)
    except (ValueError, RecursionError, UsageError):
        raise _AnswerError(f"printed {shown(line)} instead of scores: {_EXPECTED}") from None
    if isinstance(value, dict) and isinstance(value.get("error"), str) and len(value) == 1:
        raise _AnswerError(f"reports an error: {value['error']}", is_declared=True)
    scores = _scores(value, line)
    if isinstance(scores, MetricsDict):
        try:
            scores.flatten()
        except InputError as error:
            raise _AnswerError(f"printed {shown(line)}: {error}") from None
    return scores


def _scores(value: Any, line: str) -> _Answer:
    if isinstance(value, dict) and value:
        return MetricsDict({name: _scores(inner, line) for name, inner in value.items()})
    if value is None:
        return math.nan
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise _AnswerError(f"printed {shown(line)} instead of scores: {_EXPECTED}")
    try:
        is_infinite = math.isinf(value)
    except OverflowError:
        is_infinite = True
    if is_infinite:
        raise _AnswerError(f"printed {shown(line)}: a score must be finite, or NaN if it is undefined")
    return value


def _declared_version(line: str) -> str | None:
    """Returns the version that a line declares, `None` if it is another line.

    >>> _declared_version('{"version": "1.2"}'), _declared_version('{"version": 1.2}')
    ('1.2', None)
    """
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    is_version = isinstance(value, dict) and list(value) == ["version"] and isinstance(value["version"], str)
    return value["version"] if is_version else None
