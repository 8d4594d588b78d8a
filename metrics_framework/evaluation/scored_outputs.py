"""Outputs with their results, for reports that need the texts."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing

from metrics_framework.common.logs import Log
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.evaluation.batch_scorer import Scoring
from metrics_framework.evaluation.input.summary import InputSummary
from metrics_framework.evaluation.input.validation import Duplicates
from metrics_framework.evaluation.run import number_of_processes, scored_batches
from metrics_framework.metrics.base.batch_scores import BatchScores


def scored_outputs(
    reader: DatasetReader,
    input_files: Sequence[str],
    scoring: Scoring,
    summary: InputSummary,
    log: Log,
    duplicates: Duplicates,
    jobs: int,
) -> Generator[tuple[Sequence[EvalInstance], Sequence[BatchScores]], None, None]:
    """Yields the outputs of files, batch by batch, with the results of each metric.

    Args:
        reader: Reads the files.
        input_files: The files.
        scoring: How to score the outputs.
        summary: Counts the input.
        log: Receives warnings.
        duplicates: What to do with a second output of a system for the same input.
        jobs: The number of processes that score.

    Raises:
        DataError: if the input is invalid.
        UsageError: if two metrics have a score of the same name.
        ProcessError: if a worker process cannot be started or dies.
    """
    jobs = 1 if jobs == 1 else number_of_processes(scoring.metrics, jobs, log)
    if jobs == 1:
        with closing(
            scored_batches(reader, input_files, scoring, summary, log, duplicates, all_fields=True)
        ) as batches:
            for scored in batches:
                yield scored.batch.instances, scored.results
        return
    from metrics_framework.evaluation.parts.local import scored_parts
    from metrics_framework.evaluation.parts.scorer import Task

    task = Task(scoring, keeps_batches=True)
    with closing(scored_parts(reader, input_files, task, summary, log, duplicates, jobs)) as parts:
        for part in parts:
            yield from part.batches
