"""Scores the parts of a run in other processes: of this machine (``--jobs``), or of an engine (``--engine``)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, nullcontext
from functools import partial
from itertools import chain, count
from typing import TYPE_CHECKING, Any, TypeAlias

from metrics_framework.common.logs import Log, progress
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.data.identity import Duplicates
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.evaluation.batch_scorer import Scoring
from metrics_framework.evaluation.input.column_batch import ColumnBatch
from metrics_framework.evaluation.input.summary import InputSummary
from metrics_framework.evaluation.input.validation import BATCH_SIZE, check_fields, checked_batches
from metrics_framework.evaluation.parallel.worker_pool import TaskResult, WithFile, WorkerPool, started
from metrics_framework.evaluation.parts.merged_input import checked
from metrics_framework.evaluation.parts.part import Part, PartResult, PartSource, plan
from metrics_framework.evaluation.parts.scorer import PartScorer
from metrics_framework.evaluation.parts.sorted_parts import packed
from metrics_framework.io.open_files import OpenFile, in_open_file
from metrics_framework.io.reading import STANDARD, splittable_size, total_size

if TYPE_CHECKING:
    from metrics_framework.evaluation.engine import Engine

Score: TypeAlias = "Callable[[Iterable[Part]], Iterator[PartResult]]"
"""Scores parts, and yields their results in order; few parts are read ahead."""
PARTS_PER_PROCESS = 8
"""The least number of parts per process, so that all end at about the same time."""
MAX_PART = 1 << 23
"""The greatest number of bytes of a part; its rows and results are in memory."""
MIN_PART = 1 << 12
ONE_PROCESS_READS = (
    "{why}, so one process reads and checks all outputs; with fast metrics, {flag} can bring at most about × 2"
)


@contextmanager
def in_workers(
    reader: DatasetReader,
    input_files: Sequence[str],
    scoring: Scoring,
    summary: InputSummary,
    log: Log,
    duplicates: Duplicates,
    jobs: int,
    engine: Engine | None = None,
) -> Iterator[PartSource]:
    """Starts workers for a ``with`` block, which read and score the parts of the input.

    If the input cannot be split, this process reads and checks it, and sends the outputs to the workers.

    Args:
        reader: Reads the files.
        input_files: The files.
        scoring: How to score.
        summary: Counts the input.
        log: Shows progress.
        duplicates: What to do with a second output of a system for the same input.
        jobs: The number of worker processes.
        engine: The engine that scores, instead of worker processes.

    Raises:
        UsageError: if the reader cannot provide a field that a metric needs.
        ProcessError: if a worker cannot be started, or a part failed repeatedly.
    """
    check_fields(reader, scoring.metrics)
    scorer = PartScorer(scoring._replace(reader=reader))
    with ExitStack() as stack:
        if engine is None:
            pool = stack.enter_context(started(partial(WorkerScorer, scorer), jobs))
            score: Score = partial(_scored_by, pool, scorer)
        else:
            log.note(f"connecting to {engine.connects_to}")
            files = chain(input_files, reader.files_read(), *(metric.metric.files_read() for metric in scoring.metrics))
            score, jobs = stack.enter_context(engine.started(scorer, files))
        size = min(max(MIN_PART, total_size(input_files) // (PARTS_PER_PROCESS * jobs)), MAX_PART)
        parts = plan(reader, input_files, size) if duplicates == "error" else None
        if parts is not None and len(parts) >= jobs:
            advance = stack.enter_context(progress("scored", "parts", log, len(parts)))
            merged = checked(score(parts), input_files, summary, lambda number: scorer.ids(parts[number]))
            yield PartSource(merged, lambda part: advance(1))
            return
        advance = stack.enter_context(progress("scored", "outputs", log))
        batches = checked_batches(
            reader, input_files, scoring.metrics, summary, duplicates, all_fields=scoring.all_fields, log=log
        )
        why = partial(_why_not_split, input_files, parts, duplicates)
        flag = f"--jobs {jobs}" if engine is None else "--engine"
        yield PartSource(
            _of_batches(score, batches, scorer, jobs),
            lambda part: advance(part.num_outputs),
            lambda: [ONE_PROCESS_READS.format(why=why(), flag=flag)],
        )


def _scored_by(pool: WorkerPool, scorer: PartScorer, parts: Iterable[Part]) -> Iterator[PartResult]:
    """Scores parts in worker processes; one that failed is scored again in this process, to raise its error here."""
    sent: deque[Part] = deque()

    def remembered() -> Iterator[Part]:
        for part in parts:
            sent.append(part)
            yield part

    for done in pool.map(remembered()):
        yield _result_of(scorer, done, sent.popleft())


def _why_not_split(input_files: Sequence[str], parts: Sequence[Part] | None, duplicates: Duplicates) -> str:
    if duplicates != "error":
        return f"--duplicates {duplicates} needs the outputs in order"
    if parts is None:
        return "the dataset reader needs its files together"
    whole = [path for path in input_files if splittable_size(path) is None]
    if STANDARD in input_files:
        return "standard input cannot be read in parts"
    if whole:
        return f"{whole[0]} cannot be read in parts (it is compressed or not a file)"
    return "this format is read file by file, and there are fewer files than processes"


def _result_of(scorer: PartScorer, done: TaskResult, part: Part) -> PartResult:
    """Returns the result of a part; one that failed is scored again, to raise its error here."""
    value, file = WorkerScorer(scorer)(part) if done.failed else (done.value, done.file)
    result: PartResult = value
    result.rows_file = None if file is None else OpenFile(file)
    return result


class WorkerScorer:
    """Scores parts in a worker process, and passes the rows in an open file if possible.

    Args:
        scorer: Scores parts.
    """

    def __init__(self, scorer: PartScorer) -> None:
        self._scorer = scorer

    def __call__(self, part: Part) -> WithFile:
        """Scores a part."""
        result = self._scorer(part)
        keys = None
        if result.sorted_rows:
            keys, text = packed(result.sorted_rows)
        else:
            text = result.rows.encode()
        file = in_open_file(text) if text else None
        if file is not None:
            result.rows, result.sorted_rows, result.sorted_keys = "", [], keys
        return WithFile(result, file)


def _of_batches(score: Score, batches: Iterator[Any], scorer: PartScorer, jobs: int) -> Iterator[PartResult]:
    """Yields the results of outputs that this process has read and checked."""
    fields = scorer.scoring.fields
    size = -(-BATCH_SIZE // (2 * jobs))
    sent: list[Part] = []

    def parts() -> Iterator[Part]:
        numbers = count()
        for batch in batches:
            for start in range(0, len(batch.instances), size):
                part = Part(next(numbers), instances=batch.instances[start : start + size])
                sent.append(part)
                yield Part(part.number, instances=_with_fields(part.instances or [], fields))

    for result in score(parts()):
        part = sent.pop(0)
        with closing(result.rows_file) if result.rows_file is not None else nullcontext():
            if result.failure is not None:
                raise result.failure.error
            if scorer.scoring.keeps_batches:
                result.batches = [(ColumnBatch(part.instances or []), result.batches[0][1])]
            yield result


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
