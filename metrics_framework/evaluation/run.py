"""Reads and scores the outputs of input files, batch by batch; ``evaluate`` and ``score`` share it."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack
from typing import Any

from metrics_framework.common.errors import UsageError
from metrics_framework.common.logs import Log
from metrics_framework.common.progress import progress
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.evaluation.batch_scorer import BatchScorer, ScoredBatch, Scoring
from metrics_framework.evaluation.input.summary import InputSummary
from metrics_framework.evaluation.input.validation import Duplicates, checked_batches
from metrics_framework.io.streams import STANDARD
from metrics_framework.kernels.dispatch import is_without_native, native_module
from metrics_framework.kernels.hidden_build import report_hidden_build
from metrics_framework.metrics.base.labelled_metric import LabelledMetric
from metrics_framework.metrics.base.metric import Metric

MANY_OUTPUTS = 10_000
"""The number of outputs from which on a note recommends native kernels if they are missing."""

WITHOUT_NATIVE = (
    f"more than {MANY_OUTPUTS:,} outputs are being scored without native kernels, which are many times faster; they "
    "are built when this package is installed with a C compiler"
)


def number_of_processes(metrics: Sequence[LabelledMetric], jobs: int, log: Log) -> int:
    """Returns the number of processes that score, given that of ``--jobs``; some metrics need a single one."""
    for metric in metrics:
        if metric.metric.in_one_process or metric.metric.needs_all_inputs:
            log.note(f"--jobs has no effect with '{metric.metric.name}', which scores all outputs in one process")
            return 1
    return jobs


def scored_batches(
    reader: DatasetReader,
    input_files: Sequence[str],
    scoring: Scoring,
    summary: InputSummary,
    log: Log,
    duplicates: Duplicates = "error",
    all_fields: bool = False,
) -> Generator[ScoredBatch, None, None]:
    """Yields the outputs of files with their scores, in the order of the files.

    Args:
        reader: Reads the files.
        input_files: The files.
        scoring: How to score the outputs.
        summary: Counts the input.
        log: Receives warnings.
        duplicates: What to do with a second output of a system for the same input.
        all_fields: Whether to keep fields that no metric needs.

    Raises:
        DataError: if the input is invalid.
        UsageError: if two metrics have a score of the same name.
    """
    if native_module is None and is_without_native():
        report_hidden_build(log.note)
    scorer = BatchScorer(scoring)
    batches = checked_batches(reader, input_files, scoring.metrics, summary, duplicates, all_fields=all_fields)
    count = 0
    with ExitStack() as stack:
        for labelled in scoring.metrics:
            if type(labelled.metric).notes is not Metric.notes:
                stack.callback(_report_notes, labelled, log)
            if labelled.metric.needs_all_inputs:
                inputs = _inputs(reader, input_files, labelled, duplicates)
                stack.enter_context(labelled.metric.prepared(inputs))
        advance = stack.enter_context(progress("scored", "outputs", log))
        for scored_batch in map(scorer, batches):
            scorer.names.claim(scored_batch.names)
            yield scored_batch
            size = len(scored_batch.batch.ids)
            before, count = count, count + size
            advance(size)
            if before < MANY_OUTPUTS <= count and is_without_native():
                log.note(WITHOUT_NATIVE)


def _inputs(
    reader: DatasetReader, input_files: Sequence[str], metric: LabelledMetric, duplicates: Duplicates
) -> Iterator[tuple[Sequence[str], Sequence[Sequence[Any]]]]:
    """Reads the fields of a metric in a separate pass over the files.

    Raises:
        UsageError: if a file is standard input, which cannot be read twice.
    """
    if STANDARD in input_files:
        raise UsageError(
            f"'{metric.label}' reads the input twice with these options; standard input can be read only once"
        )
    for batch in checked_batches(reader, input_files, [metric], InputSummary(), duplicates):
        yield batch.ids, [batch.column(name) for name in metric.metric.fields]


def _report_notes(labelled: LabelledMetric, log: Log) -> None:
    """Reports the notes of a metric; its label replaces its name at their start."""
    name = f"{labelled.metric.name}:"
    for note in labelled.metric.notes():
        log.note(f"{labelled.label}:{note.removeprefix(name)}" if note.startswith(name) else note)
