"""Yields the results of the parts of a run, wherever they are scored (decision 0049)."""

from __future__ import annotations

import warnings
from array import array
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any

from metrics_framework.common.errors import OutputError, UsageError
from metrics_framework.common.logs import Log, progress
from metrics_framework.data.identity import Duplicates
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.evaluation.batch_scorer import BatchScorer, Scoring, with_sort_keys
from metrics_framework.evaluation.context_groups import located_in
from metrics_framework.evaluation.input.column_batch import ColumnBatch
from metrics_framework.evaluation.input.summary import InputSummary
from metrics_framework.evaluation.input.validation import BATCH_SIZE, checked_batches
from metrics_framework.evaluation.parts.part import PartResult, PartSource
from metrics_framework.evaluation.parts.part_totals import PartTotals
from metrics_framework.evaluation.score_names import ScoreNames, unknown_directions
from metrics_framework.kernels.dispatch import is_without_native, native_module
from metrics_framework.metrics.base.labelled_metric import LabelledMetric
from metrics_framework.metrics.base.metric import Metric

if TYPE_CHECKING:
    from metrics_framework.evaluation.engine import Engine

MANY_OUTPUTS = 10_000
"""The number of outputs from which on notes say what would make a run faster."""
_warning_registries: dict[str, dict[Any, Any]] = {}
"""For each file the warnings already issued, so that a warning of several parts is shown once."""


def scored_parts(
    reader: DatasetReader,
    input_files: Sequence[str],
    scoring: Scoring,
    summary: InputSummary,
    log: Log,
    duplicates: Duplicates = "error",
    jobs: int = 1,
    engine: Engine | None = None,
) -> Generator[PartResult, None, None]:
    """Scores the outputs of files and yields the results of their parts, in the order of the files.

    With one process, each batch is a part, which is scored when its results are needed.

    Args:
        reader: Reads the files.
        input_files: The files.
        scoring: How to score the outputs.
        summary: Counts the input.
        log: Receives notes and warnings.
        duplicates: What to do with a second output of a system for the same input.
        jobs: The number of processes that score.
        engine: The engine that scores, instead of processes of this machine.

    Raises:
        DataError: if the input is invalid.
        UsageError: if two metrics have a score of the same name.
        ProcessError: if a worker cannot be started, or dies repeatedly.
    """
    if (jobs != 1 or engine is not None) and _needs_one_process(scoring.metrics, jobs, log):
        jobs, engine = 1, None
    if native_module is None and is_without_native() and any(metric.metric.kernel_name for metric in scoring.metrics):
        from metrics_framework.kernels.missing_kernels import report_missing_kernels

        report_missing_kernels(log.note)
    if jobs != 1 or engine is not None:
        from metrics_framework.evaluation.parts.local import in_workers

        with in_workers(reader, input_files, scoring, summary, log, duplicates, jobs, engine) as parts:
            yield from joined(parts, scoring.metrics, log)
        return
    batches = checked_batches(
        reader, input_files, scoring.metrics, summary, duplicates, all_fields=scoring.all_fields, log=log
    )
    with ExitStack() as stack:
        if checking := list(filter(attrgetter("metric.checks_all_inputs"), scoring.metrics)):
            _check_all(reader, input_files, checking, duplicates, log)
        for labelled in scoring.metrics:
            if type(labelled.metric).notes is not Metric.notes:
                stack.callback(_report_notes, labelled, log)
            if labelled.metric.needs_all_inputs:
                inputs = _inputs(reader, input_files, labelled, duplicates)
                stack.enter_context(labelled.metric.prepared(inputs))
        advance = stack.enter_context(progress("scored", "outputs", log))
        source = PartSource(_scored(batches, scoring), lambda part: advance(part.num_outputs))
        yield from joined(source, scoring.metrics, log)


def joined(parts: PartSource, metrics: Sequence[LabelledMetric], log: Log) -> Generator[PartResult, None, None]:
    """Yields the results of parts; the loop over the parts of every run.

    Args:
        parts: The parts.
        metrics: The metrics.
        log: Receives notes.

    Raises:
        UsageError: if two metrics have a score of the same name.
        InputError: if a metric returns different scores for different outputs.
    """
    names, outputs = ScoreNames(metrics), 0
    has_plugins = not all(type(one.metric).__module__.startswith("metrics_framework.") for one in metrics)
    for part in parts.results:
        for new_names in part.names:
            names.claim(new_names)
            for warning in unknown_directions(metrics, new_names) if has_plugins else ():
                log.warn(warning)
        for message, category, path, line in part.warnings:  # of another process
            registry = _warning_registries.setdefault(path, {})
            warnings.warn_explicit(message, category, path, line, registry=registry)
        yield part
        before, outputs = outputs, outputs + part.num_outputs
        if parts.advance is not None:
            parts.advance(part)
            if before < MANY_OUTPUTS <= outputs:
                for note in parts.notes():
                    log.note(note)


def _needs_one_process(metrics: Sequence[LabelledMetric], jobs: int, log: Log) -> bool:
    """Returns whether a metric needs a single process, and reports it."""
    for metric in metrics:
        if metric.metric.in_one_process or metric.metric.needs_all_inputs:
            flag = "--engine" if jobs == 1 else "--jobs"
            log.note(f"{flag} has no effect with '{metric.metric.name}', which scores all outputs in one process")
            return True
    return False


def _scored(batches: Iterable[ColumnBatch], scoring: Scoring) -> Iterator[PartResult]:
    """Yields the results of batches, each as those of a part; errors of metrics are raised.

    Nothing is added up twice: totals get the results as they are, and what intervals need is collected from them.
    """
    score = BatchScorer(scoring, ScoreNames(scoring.metrics))
    for number, batch in enumerate(batches):
        lines, results, names = score(batch)
        numbers = {system: index for index, system in enumerate(batch.by_system)}
        part = PartResult(number, systems=list(numbers), names=[names] if any(names) else [])
        part.system_numbers = array("I", map(numbers.__getitem__, batch.systems)).tobytes()
        if scoring.has_totals:
            members = {numbers[system]: outputs for system, outputs in batch.by_system.items()}
            part.totals = [PartTotals(results=[(members, of_metric)]) for of_metric in results]
        if scoring.counts_tokenized:
            from metrics_framework.evaluation.input.tokenized_outputs import TokenizedOutputs

            tokenized = TokenizedOutputs(scoring.metrics)
            tokenized.add(batch)
            part.tokenized = tokenized.counts
        if scoring.counts_unscored:
            from metrics_framework.evaluation.unscored_outputs import UnscoredOutputs

            unscored = UnscoredOutputs(scoring.metrics)
            unscored.add(batch, results)
            part.unscored = unscored.counts
        if scoring.sorts_rows:
            part.sorted_rows = sorted(with_sort_keys(batch, lines), key=itemgetter(0))
        else:
            part.rows = "".join(lines)
        if scoring.keeps_batches or scoring.new_collector is not None:
            part.batches = [(batch, results)]
        yield part


def _check_all(
    reader: DatasetReader,
    input_files: Sequence[str],
    metrics: Sequence[LabelledMetric],
    duplicates: Duplicates,
    log: Log,
) -> None:
    """Checks all outputs before the first one is scored, for the metrics that ask for it.

    Raises:
        DataError: if the input is invalid.
        OutputError: if a metric cannot score an output.
    """
    if not reader.can_read_twice(input_files):
        names = " and ".join(f"'{metric.label}'" for metric in metrics)
        log.note(
            f"the input is a pipe, which can be read only once, so it is checked in batches of {BATCH_SIZE} outputs: "
            f"{names} may have scored some when a mistake is found; a file is checked before the first request"
        )
        return
    for batch in checked_batches(reader, input_files, metrics, InputSummary(), duplicates):
        for metric in metrics:
            try:
                metric.metric.check_inputs([batch.column(name) for name in metric.metric.fields])
            except OutputError as error:
                raise located_in(batch, error, error.index) from None


def _inputs(
    reader: DatasetReader, input_files: Sequence[str], metric: LabelledMetric, duplicates: Duplicates
) -> Iterator[tuple[Sequence[str], Sequence[Sequence[Any]]]]:
    """Reads the fields of a metric in a separate pass over the files.

    Raises:
        UsageError: if a file is standard input or a pipe, which cannot be read twice.
    """
    if not reader.can_read_twice(input_files):
        raise UsageError(
            f"'{metric.label}' reads the input twice with these options; standard input and pipes can be read only once"
        )
    for batch in checked_batches(reader, input_files, [metric], InputSummary(), duplicates):
        yield batch.ids, [batch.column(name) for name in metric.metric.fields]


def _report_notes(labelled: LabelledMetric, log: Log) -> None:
    """Reports the notes of a metric; its label replaces its name at their start."""
    name = f"{labelled.metric.name}:"
    for note in labelled.metric.notes():
        log.note(f"{labelled.label}:{note.removeprefix(name)}" if note.startswith(name) else note)
