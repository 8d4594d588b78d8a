"""Scores the parts of a run in processes of this machine (``--jobs``)."""

from __future__ import annotations

import warnings
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, closing, nullcontext
from dataclasses import replace
from functools import partial
from itertools import count
from typing import Any

from metrics_framework.common.logs import Log
from metrics_framework.common.progress import progress, progress_of
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.evaluation.input.summary import InputSummary
from metrics_framework.evaluation.input.validation import BATCH_SIZE, Duplicates, check_fields, checked_batches
from metrics_framework.evaluation.parallel.worker_pool import TaskResult, WithFile, WorkerPool, started
from metrics_framework.evaluation.parts.merged_input import MergedInput
from metrics_framework.evaluation.parts.part import Part, plan
from metrics_framework.evaluation.parts.result import PartResult
from metrics_framework.evaluation.parts.scorer import PartScorer, Task
from metrics_framework.evaluation.parts.sorted_parts import packed
from metrics_framework.evaluation.run import MANY_OUTPUTS, WITHOUT_NATIVE
from metrics_framework.evaluation.score_names import ScoreNames
from metrics_framework.io.open_files import OpenFile, in_open_file
from metrics_framework.io.pieces import splittable_size, total_size
from metrics_framework.io.streams import STANDARD
from metrics_framework.kernels.dispatch import is_without_native, native_module
from metrics_framework.kernels.hidden_build import report_hidden_build

PARTS_PER_PROCESS = 8
"""The least number of parts per process, so that all end at about the same time."""
LARGEST_PART = 1 << 23
"""The greatest number of bytes of a part; its rows and results are in memory."""
SMALLEST_PART = 1 << 12
ONE_PROCESS_READS = (
    "{why}, so one process reads and checks all outputs; with fast metrics, --jobs {jobs} can bring at most about × 2"
)


def scored_parts(
    reader: DatasetReader,
    input_files: Sequence[str],
    task: Task,
    summary: InputSummary,
    log: Log,
    duplicates: Duplicates,
    jobs: int,
) -> Generator[PartResult, None, None]:
    """Yields the results of the parts of the input, in its order.

    Each worker process reads the parts that it scores. If the input cannot be split, this process reads and checks it,
    and sends the outputs to the workers.

    Args:
        reader: Reads the files.
        input_files: The files.
        task: What to do with each part.
        summary: Counts the input.
        log: Receives notes and warnings.
        duplicates: What to do with a second output of a system for the same input.
        jobs: The number of worker processes.

    Raises:
        DataError: if the input is invalid.
        UsageError: if two metrics have a score of the same name.
        ProcessError: if a worker process cannot be started, or dies repeatedly.
    """
    if native_module is None and is_without_native():
        report_hidden_build(log.note)
    check_fields(reader, task.scoring.metrics)
    size = min(max(SMALLEST_PART, total_size(input_files) // (PARTS_PER_PROCESS * jobs)), LARGEST_PART)
    parts = plan(reader, input_files, size) if duplicates == "error" else None
    names = ScoreNames(task.scoring.metrics)
    with ExitStack() as stack:
        is_read_here = parts is None or len(parts) < jobs
        if parts is not None and not is_read_here:
            advance = stack.enter_context(progress_of(len(parts), "scored", "parts", log))
            pool = stack.enter_context(started(partial(WorkerScorer, replace(task, reader=reader)), jobs))
            results = _checked(pool, parts, PartScorer(replace(task, reader=reader)), input_files, summary)
        else:
            advance = stack.enter_context(progress("scored", "outputs", log))
            metrics, all_fields = task.scoring.metrics, task.keeps_batches
            batches = checked_batches(reader, input_files, metrics, summary, duplicates, all_fields=all_fields)
            pool = stack.enter_context(started(partial(WorkerScorer, task), jobs))
            results = _of_batches(pool, batches, PartScorer(task), jobs)
        outputs = 0
        for result in results:
            for new_names in result.names:
                names.claim(new_names)
            issue_warnings(result)
            yield result
            before, outputs = outputs, outputs + result.num_outputs
            advance(result.num_outputs if is_read_here else 1)
            if before < MANY_OUTPUTS <= outputs:
                if is_without_native():
                    log.note(WITHOUT_NATIVE)
                if is_read_here:
                    log.note(ONE_PROCESS_READS.format(why=_why_not_split(input_files, parts, duplicates), jobs=jobs))


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


def _checked(
    pool: WorkerPool, parts: Sequence[Part], scorer: PartScorer, input_files: Sequence[str], summary: InputSummary
) -> Iterator[PartResult]:
    """Yields the results of parts until there is a problem; the others are still checked."""
    with closing(MergedInput(input_files, summary, lambda number: scorer.ids(parts[number]))) as merged:
        for part, done in zip(parts, pool.map(parts), strict=True):
            result = _result_of(done, part, scorer)
            with closing(result.rows_file) if result.rows_file is not None else nullcontext():
                merged.add(result)
                if not merged.has_problems:
                    yield result
        merged.finish()


def _result_of(done: TaskResult, part: Part, scorer: PartScorer) -> PartResult:
    """Returns the result of a part; one that failed is scored again, to raise its error here."""
    value, file = WorkerScorer(scorer.task)(part) if done.failed else (done.value, done.file)
    result: PartResult = value
    result.rows_file = None if file is None else OpenFile(file)
    return result


class WorkerScorer:
    """Scores parts in a worker process, and passes the rows in an open file if possible.

    Args:
        task: What to do with each part.
    """

    def __init__(self, task: Task) -> None:
        self._scorer = PartScorer(task)

    def __call__(self, part: Part) -> WithFile:
        """Scores a part."""
        result = self._scorer(part)
        keys = None
        if result.sorted_rows[0]:
            keys, text = packed(*result.sorted_rows)
        else:
            text = result.rows.encode()
        file = in_open_file(text) if text else None
        if file is not None:
            result.rows, result.sorted_rows, result.sorted_keys = "", ([], []), keys
        return WithFile(result, file)


def _of_batches(pool: WorkerPool, batches: Iterator[Any], scorer: PartScorer, jobs: int) -> Iterator[PartResult]:
    """Yields the results of outputs that this process has read and checked."""
    fields = {name for metric in scorer.task.scoring.metrics for name in metric.metric.fields}
    size = -(-BATCH_SIZE // (2 * jobs))
    sent: list[Part] = []

    def parts() -> Iterator[Part]:
        numbers = count()
        for batch in batches:
            for start in range(0, len(batch.instances), size):
                part = Part(next(numbers), instances=batch.instances[start : start + size])
                sent.append(part)
                yield Part(part.number, instances=_with_fields(part.instances or [], fields))

    for done in pool.map(parts()):
        part = sent.pop(0)
        result = _result_of(done, part, scorer)
        with closing(result.rows_file) if result.rows_file is not None else nullcontext():
            if result.failure is not None:
                raise result.failure.error
            if scorer.task.keeps_batches:
                result.batches = [(part.instances or [], result.batches[0][1])]
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


_warning_registries: dict[str, dict[Any, Any]] = {}
"""For each file the warnings already issued, so that a warning of several parts is shown once."""


def issue_warnings(result: PartResult) -> None:
    """Issues the Python warnings of a part."""
    for message, category, path, line in result.warnings:
        registry = _warning_registries.setdefault(path, {})
        warnings.warn_explicit(message, category, path, line, registry=registry)
