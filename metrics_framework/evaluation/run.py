"""The loop of every run: reads, checks and scores the input in its order, part by part (decision 0049)."""

from __future__ import annotations

import gc
import warnings
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from itertools import chain, islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from metrics_framework.common.definitions import defined_at, is_built_in
from metrics_framework.common.errors import DataError, FwError, InputError, OutputError, Problems, UsageError
from metrics_framework.common.logs import Log, progress, steps_of
from metrics_framework.data.eval_instance import ColumnBatch, EvalInstance
from metrics_framework.data.fields import Duplicates
from metrics_framework.data.jackknifers import JACKKNIFED
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.evaluation.checked_input import (
    BATCH_SIZE,
    InputChecks,
    InputSummary,
    batches_of_piece,
    check_fields,
    checked_batches,
    valid_rows,
)
from metrics_framework.evaluation.scoring import BatchScorer, Names, ScoredBatch, Scoring, located_in
from metrics_framework.inputs.checks import TextSample
from metrics_framework.inputs.keys import InputColumns
from metrics_framework.io.reading import STANDARD, Piece, consecutive, splittable_size
from metrics_framework.kernels.dispatch import is_without_native, native_module
from metrics_framework.metrics.base.metric import LabelledMetric, Metric

if TYPE_CHECKING:
    from metrics_framework.evaluation.engine import Engine
    from metrics_framework.significance.confidence import ScoreCollector


MANY_OUTPUTS = 10_000
"""The number of outputs from which on notes say what would make a run faster."""
ONE_PROCESS_READS = (
    "{why}, so one process reads and checks all outputs; with fast metrics, {flag} can bring at most about × 2"
)
_warning_registries: dict[str, dict[Any, Any]] = {}
"""For each file the warnings already issued, so that a warning of several parts is shown once."""


@dataclass
class ScoreNames:
    """The names of the scores of a run: no two metrics share one, and every output has the same scores of a metric.

    Args:
        metrics: The metrics.
    """

    metrics: Sequence[LabelledMetric]
    _owners: dict[str, LabelledMetric] = field(default_factory=dict)
    _expected: dict[str, frozenset[str]] = field(default_factory=dict)  # of each label

    def claim(self, new: Sequence[Names]) -> None:
        """Reserves new score names for their metrics.

        Raises:
            UsageError: if two metrics have a score of the same name.
            InputError: if a metric returns different scores for different outputs, apart from jackknifed scores.
        """
        for metric, combinations in zip(self.metrics, new, strict=True):
            for name in (name for names in combinations for name in names):
                owner = self._owners.setdefault(name, metric)
                if owner is not metric:
                    first, second = sorted((owner, metric), key=self.metrics.index)
                    raise UsageError(
                        f"the metrics '{first.label}' and '{second.label}' both have a score called '{name}'; "
                        f"label one of them, as in {second.metric.name}:label=other-name"
                    )
        for metric, combinations in zip(self.metrics, new, strict=True):
            for names in sorted(sorted({name.removesuffix(JACKKNIFED) for name in names}) for names in combinations):
                expected = self._expected[metric.label] = self._expected.get(metric.label) or frozenset(names)
                if expected.symmetric_difference(names):  # a mean over these rows would hide that scores are missing
                    raise InputError(
                        f"the metric '{metric.label}' must return the same scores for every output; only "
                        f"some outputs have {', '.join(sorted(expected.symmetric_difference(names)))}"
                    )


def unknown_directions(metrics: Sequence[LabelledMetric], new: Sequence[Names]) -> Iterator[str]:
    """Yields a warning for each metric of a plug-in whose scores do not have its name.

    Args:
        metrics: The metrics.
        new: For each metric, the new combinations of score names.
    """
    for metric, combinations in zip(metrics, new, strict=True):
        cls, label = type(metric.metric), metric.label
        if is_built_in(cls) or cls.higher_is_better is None:
            continue
        for names in combinations:
            if names and not any(name == label or name.startswith(f"{label}_") for name in names):
                yield (
                    f"no score of '{label}' has its name (it returns {', '.join(map(repr, names))}), so fw correlate "
                    f"does not know whether higher is better; in {defined_at(cls)}, name the score "
                    f"'{metric.metric.name}'"
                )
                break


@dataclass
class Run:
    """A run: its input, and how it is scored.

    Args:
        reader: Reads the files.
        input_files: The files.
        scoring: How to score the outputs.
        summary: Counts the input.
        log: Receives notes and warnings.
        duplicates: What to do with a second output of a system for the same input.
        jobs: The number of processes that score; a single one scores a batch when its results are needed.
        engine: The engine that scores, instead of processes of this machine.
        collector: Collects what intervals and tests need; the collectors of workers are merged into it.
    """

    reader: DatasetReader
    input_files: Sequence[str]
    scoring: Scoring
    summary: InputSummary
    log: Log
    duplicates: Duplicates = "error"
    jobs: int = 1
    engine: Engine | None = None
    collector: ScoreCollector | None = None

    def batches(self) -> Generator[ScoredBatch, None, None]:
        """Scores the outputs of the files and yields them in batches, in the order of the files.

        Raises:
            DataError: if the input is invalid.
            UsageError: if two metrics have a score of the same name.
            InputError: if a metric returns different scores for different outputs.
            ProcessError: if a worker cannot be started, or dies repeatedly.
        """
        metrics, texts = self.scoring.metrics, self.summary.texts
        self.scoring = self.scoring._replace(checks_texts=texts is not None)
        if texts is not None:
            texts.are_files = self.reader.registered_name in ("plain-text", "test-set")
            texts.files = self.reader.parallel_files
        is_here = (self.jobs == 1 and self.engine is None) or self._needs_one_process()
        if native_module is None and is_without_native() and any(metric.metric.kernel_name for metric in metrics):
            from metrics_framework.kernels.dispatch import report_missing_kernels

            report_missing_kernels(self.log.note)
        checked = checked_batches(
            *(self.reader, self.input_files, metrics, self.summary, self.duplicates),
            all_fields=self.scoring.all_fields,
            log=self.log,
        )  # reads nothing yet
        names = ScoreNames(metrics)
        has_plugins = not all(type(one.metric).__module__.startswith("metrics_framework.") for one in metrics)
        with closing(self._here(checked) if is_here else self._in_workers(checked)) as batches:
            for scored in batches:
                if any(scored.names):
                    names.claim(scored.names)
                    for warning in unknown_directions(metrics, scored.names) if has_plugins else ():
                        self.log.warn(warning)
                yield scored

    def _needs_one_process(self) -> bool:
        """Returns whether a metric needs a single process, and reports it."""
        for metric in self.scoring.metrics:
            if metric.metric.in_one_process or metric.metric.needs_all_inputs:
                flag = "--engine" if self.jobs == 1 else "--jobs"
                self.log.note(
                    f"{flag} has no effect with '{metric.metric.name}', which scores all outputs in one process"
                )
                return True
        return False

    # ---- in this process ---------------------------------------------------------------------------------------------

    def _here(self, checked: Iterator[ColumnBatch]) -> Generator[ScoredBatch, None, None]:
        """Scores the input in this process."""
        metrics = self.scoring.metrics
        with ExitStack() as stack:
            if checking := list(filter(attrgetter("metric.checks_all_inputs"), metrics)):
                self._check_all(checking)
            for labelled in metrics:
                if type(labelled.metric).notes is not Metric.notes:
                    stack.callback(_report_notes, labelled, self.log)
                if labelled.metric.needs_all_inputs:
                    stack.enter_context(labelled.metric.prepared(self._inputs(labelled)))
            advance = stack.enter_context(progress("scored", "outputs", self.log))
            score = BatchScorer(self.scoring, self.collector)
            first = list(islice(checked, 1))
            if not first or len(first[0].ids) < BATCH_SIZE:  # a small input is checked before it is scored
                first += islice(checked, 1)
                if len(first) < 2:
                    self.summary.check_texts(self.log)
            for batch in chain(first, checked):
                yield score(batch)
                advance(len(batch.ids))

    def _check_all(self, metrics: Sequence[LabelledMetric]) -> None:
        """Checks all outputs before the first one is scored, for the metrics that ask for it.

        Raises:
            DataError: if the input is invalid.
            OutputError: if a metric cannot score an output.
        """
        if not self.reader.can_read_twice(self.input_files):
            names = " and ".join(f"'{metric.label}'" for metric in metrics)
            self.log.note(
                f"the input is a pipe, which can be read only once, so it is checked in batches of {BATCH_SIZE} "
                f"outputs: {names} may have scored some when a mistake is found; a file is checked before the first "
                "request"
            )
            return
        for batch in checked_batches(self.reader, self.input_files, metrics, InputSummary(), self.duplicates):
            for metric in metrics:
                try:
                    metric.metric.check_inputs([batch.column(name) for name in metric.metric.fields])
                except OutputError as error:
                    raise located_in(batch, error, error.index) from None

    def _inputs(self, metric: LabelledMetric) -> Iterator[tuple[Sequence[str], Sequence[Sequence[Any]]]]:
        """Reads the fields of a metric in a separate pass over the files.

        Raises:
            UsageError: if a file is standard input or a pipe, which cannot be read twice.
        """
        if not self.reader.can_read_twice(self.input_files):
            raise UsageError(
                f"'{metric.label}' reads the input twice with these options; standard input and pipes can be read only "
                "once"
            )
        for batch in checked_batches(self.reader, self.input_files, [metric], InputSummary(), self.duplicates):
            yield batch.ids, [batch.column(name) for name in metric.metric.fields]

    # ---- in other processes ------------------------------------------------------------------------------------------

    def _in_workers(self, checked: Iterator[ColumnBatch]) -> Generator[ScoredBatch, None, None]:
        """Reads, checks and scores parts of the input in workers, and checks what they found in its order.

        If the input cannot be split, this process reads and checks it, and sends the outputs to the workers.
        """
        reader, files, metrics = self.reader, self.input_files, self.scoring.metrics
        check_fields(reader, metrics)
        scorer = PartScorer(self.scoring, reader)
        with ExitStack() as stack:
            if self.engine is None:
                from metrics_framework.evaluation.worker_pool import WorkerPool

                executor: Any = stack.enter_context(WorkerPool(scorer, self.jobs))
            else:
                self.log.note(f"connecting to {self.engine.connects_to}")
                others = chain(reader.files_read(), *(metric.metric.files_read() for metric in metrics))
                executor = stack.enter_context(self.engine.started(scorer, [*files, *others]))
            total = sum(splittable_size(path) or 0 for path in files)
            size = min(max(MIN_PART, total // (PARTS_PER_WORKER * executor.slots)), MAX_PART)
            with steps_of(self.log):
                parts = parts_of(reader, files, size) if self.duplicates == "error" else None
            if parts is not None and len(parts) >= executor.slots:
                advance = stack.enter_context(progress("scored", "parts", self.log, len(parts)))
                checks = PartChecks(files, self.summary, reader=reader)
                stack.enter_context(closing(checks))
                for result in executor.map(parts):
                    yield from checks.accepted(self._taken(result))
                    advance(1)
                checks.finish()
                return
            advance, outputs = stack.enter_context(progress("scored", "outputs", self.log)), 0
            for scored in self._scored_of(checked, executor.map, executor.slots):
                yield scored
                advance(len(scored.batch.ids))
                before, outputs = outputs, outputs + len(scored.batch.ids)
                if before < MANY_OUTPUTS <= outputs:
                    flag = f"--jobs {self.jobs}" if self.engine is None else "--engine"
                    self.log.note(ONE_PROCESS_READS.format(why=self._why_not_split(parts), flag=flag))

    def _scored_of(self, checked: Iterator[ColumnBatch], score: Any, workers: int) -> Iterator[ScoredBatch]:
        """Yields outputs that this process has read and checked, and workers have scored."""
        size = -(-BATCH_SIZE // (2 * workers))
        sent: deque[Sequence[EvalInstance]] = deque()

        def parts() -> Iterator[Part]:
            for batch in checked:
                for start in range(0, len(batch.instances), size):
                    sent.append(batch.instances[start : start + size])
                    yield Part(instances=_with_fields(sent[-1], self.scoring.fields))

        for result in score(parts()):
            instances = sent.popleft()
            if result.failure is not None:
                raise result.failure[0]
            for _, scored in self._taken(result).batches:
                if self.scoring.keeps_batches:
                    scored.batch = ColumnBatch(instances)
                yield scored

    def _taken(self, result: PartResult) -> PartResult:
        """Issues the Python warnings of a part, and takes over what was collected."""
        for message, category, path, line in result.warnings:
            registry = _warning_registries.setdefault(path, {})
            warnings.warn_explicit(message, category, path, line, registry=registry)
        if self.collector is not None:
            self.collector.merge(result.collected)
        return result

    def _why_not_split(self, parts: Sequence[Part] | None) -> str:
        if self.duplicates != "error":
            return f"--duplicates {self.duplicates} needs the outputs in order"
        if parts is None:
            return "the dataset reader needs its files together"
        whole = [path for path in self.input_files if splittable_size(path) is None]
        if STANDARD in self.input_files:
            return "standard input cannot be read in parts"
        if whole:
            return f"{whole[0]} cannot be read in parts (it is compressed or not a file)"
        return "this format is read file by file, and there are fewer files than processes"


@dataclass
class PartChecks(InputChecks):
    """Checks the input of a run whose parts were read elsewhere: problems have the lines of whole files."""

    _lines: dict[str, int] = field(default_factory=dict)
    _stopped: set[str] = field(default_factory=set)

    def accepted(self, part: PartResult) -> Iterator[ScoredBatch]:
        """Adds a part, and yields its batches until there is a problem; the other batches are still checked.

        Raises:
            FwError: if a metric failed in this part, and no problem was found before.
        """
        starts = list(map(self._start_of, part.pieces))
        has_problems = self.have_failed or bool(self.unread.count or self.invalid.count)
        if part.failure is not None and not has_problems:
            error, piece = part.failure
            if isinstance(error, OutputError) and error.line is not None and starts:
                error.place(error.path, error.line + (starts[piece] or 0), error.output)
            raise error
        self.summary.merge(part.summary, {p.path: start or 0 for p, start in zip(part.pieces, starts, strict=True)})
        for piece, scored in part.batches:
            start = starts[piece]
            if start is None:
                continue
            if start:
                scored.batch.lines = [None if line is None else start + line for line in scored.batch.lines]
            self.add(self.compared(scored.batch))
            if not self.have_failed:
                yield scored

    def _start_of(self, piece: ReadPiece) -> int | None:
        """Adds a piece and returns the number of lines before it; `None` if a problem ended the file before it."""
        if piece.path in self._stopped:
            return None
        start = self._lines.get(piece.path, 0)
        for problems, found in ((self.unread, piece.unread), (self.invalid, piece.invalid)):
            for problem in found.kept:
                if problem.path == piece.path and problem.line is not None:
                    problem = DataError(problem.message, problem.path, problem.line + start, problem.more)
                problems.add(problem)
            problems.count += found.count - sum(1 + problem.more for problem in found.kept)
        self._lines[piece.path] = start + piece.lines
        if piece.stopped:
            self._stopped.add(piece.path)
        return start


def _with_fields(instances: Sequence[EvalInstance], fields: set[str]) -> list[EvalInstance]:
    """Returns instances with the fields that metrics need; equal contexts are one object, which is sent once."""
    known: dict[Any, Any] = {}
    sent = []
    for row in instances:
        values = {name: value for name, value in row.fields.items() if name in fields}
        references = values.get("references")
        if type(references) is list and set(map(type, references)) == {str}:
            values["references"] = known.setdefault(tuple(references), references)
        sent.append(EvalInstance(row.instance_id, row.summarizer_id, row.summarizer_type, values, row.path, row.line))
    return sent


def _report_notes(labelled: LabelledMetric, log: Log) -> None:
    """Reports the notes of a metric; its label replaces its name at their start."""
    name = f"{labelled.metric.name}:"
    for note in labelled.metric.notes():
        log.note(f"{labelled.label}:{note.removeprefix(name)}" if note.startswith(name) else note)


PARTS_PER_WORKER = 8
"""The least number of parts per worker, so that all end at about the same time."""
MAX_PART = 1 << 23
"""The greatest number of bytes of a part; its rows and results are in memory."""
MIN_PART = 1 << 12
_COLLECTIONS = (200_000, 50, 1000)
"""The thresholds of the garbage collector while a part is scored: scoring creates many objects, but no cycles."""


class Part(NamedTuple):
    """A part of the input of a run.

    Args:
        pieces: The pieces of files to read, in order.
        instances: Outputs that the main process has read and checked, instead of pieces.
    """

    pieces: Sequence[Piece] = ()
    instances: Sequence[EvalInstance] | None = None


class ReadPiece(NamedTuple):
    """The number of rows and the problems of a piece of a file.

    Attributes:
        path: The file.
        lines: The number of its lines or rows that were read.
        stopped: Whether a problem ended the reading of the file.
        unread: The problems of reading; their lines are counted from the start of the piece.
        invalid: The problems of rows that were read but cannot be scored.
    """

    path: str
    lines: int
    stopped: bool
    unread: Problems
    invalid: Problems


@dataclass
class PartResult:
    """The scores of a part, and what was found in it.

    Attributes:
        batches: The outputs and their scores, each with the index of its piece; after a problem, only the outputs.
        pieces: For each piece of the part, its number of rows and its problems.
        summary: Counts of the input.
        failure: The first error of a metric, and the index of its piece; later outputs were checked, but not scored.
        warnings: Python warnings: message, category, file and line.
        collected: What intervals and tests need; `None` if it was not requested.
    """

    batches: list[tuple[int, ScoredBatch]] = field(default_factory=list)
    pieces: list[ReadPiece] = field(default_factory=list)
    summary: InputSummary = field(default_factory=InputSummary)
    failure: tuple[FwError, int] | None = None
    warnings: list[tuple[str, type[Warning], str, int]] = field(default_factory=list)
    collected: Any = None


def parts_of(reader: DatasetReader, input_files: Sequence[str], size: int) -> list[Part] | None:
    """Divides the input into parts, in its order; small files share a part.

    Args:
        reader: Reads the files.
        input_files: The files.
        size: The greatest number of bytes of a part, if its files can be split.

    Returns:
        The parts; `None` if the reader needs all files together.
    """
    pieces = reader.pieces(input_files, size)
    if pieces is None:
        return None
    return [Part([pieces[index] for index in group]) for group in consecutive([piece.size for piece in pieces], size)]


@dataclass
class PartScorer:
    """Reads, checks and scores parts.

    Args:
        scoring: How to score.
        reader: Reads the pieces of files.
    """

    scoring: Scoring
    reader: DatasetReader

    def __call__(self, part: Part) -> PartResult:
        """Scores a part."""
        new_collector = self.scoring.new_collector
        result = PartResult(collected=None if new_collector is None else new_collector())
        score = BatchScorer(self.scoring, result.collected)
        with _few_collections(), warnings.catch_warnings(record=True) as caught:
            if part.instances is not None:
                self._score(result, score, 0, ColumnBatch(part.instances))
            self._read(part.pieces, result, score)
        result.warnings = [(str(one.message), one.category, one.filename, one.lineno) for one in caught]
        return result

    def _read(self, pieces: Sequence[Piece], result: PartResult, score: BatchScorer) -> None:
        """Reads, checks and scores pieces of files."""
        if self.scoring.checks_texts:
            result.summary.texts = TextSample()
        of_rows = pieces and self.reader.row_fields is not None
        if of_rows:
            self.reader.take_row_counts()
        fields, metrics, has_problems = self.scoring.fields, self.scoring.metrics, False
        columns = InputColumns()
        for index, piece in enumerate(pieces):
            unread, invalid = Problems(), Problems()
            wanted = None if self.scoring.all_fields else fields
            for batch in batches_of_piece(self.reader, piece, unread, wanted):
                batch = valid_rows(batch, metrics, invalid, self.reader.row_fields is not None)
                has_problems = has_problems or bool(unread.count or invalid.count)
                if batch.ids:
                    if of_rows:
                        batch.checksums = columns.checksums(batch, self.reader.row_counts().varying)
                    result.summary.add(batch, fields, metrics)
                    if has_problems or result.failure is not None:
                        result.batches.append((index, ScoredBatch(batch.without_fields())))
                    else:
                        self._score(result, score, index, batch)
            result.pieces.append(ReadPiece(piece.path, piece.lines, piece.stopped, unread, invalid))
        if of_rows:
            result.summary.add_rows(self.reader)

    def _score(self, result: PartResult, score: BatchScorer, index: int, batch: ColumnBatch) -> None:
        try:
            scored = score(batch)
        except FwError as error:
            result.failure = error, index
            scored = ScoredBatch(batch.without_fields())
        else:
            scored = scored if self.scoring.keeps_batches else scored.to_send(self.scoring)
        result.batches.append((index, scored))


@contextmanager
def _few_collections() -> Iterator[None]:
    """Collects garbage rarely, and excludes existing objects, such as those of an engine."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(*_COLLECTIONS)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
