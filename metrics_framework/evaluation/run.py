"""From input files to scored outputs, one batch at a time: what ``evaluate`` and ``score`` share."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import ExitStack
from functools import partial

from metrics_framework.common.logs import Log
from metrics_framework.common.progress import Progress
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.evaluation.batch_scorer import BatchScorer, ScoredBatch, Scoring
from metrics_framework.evaluation.input.summary import InputSummary
from metrics_framework.evaluation.input.validation import Duplicates, checked_batches
from metrics_framework.kernels.dispatch import is_without_native

MANY_OUTPUTS = 10_000
"""From this number of outputs on, a note recommends native kernels where there are none."""


def scored_batches(
    reader: DatasetReader,
    input_files: Sequence[str],
    scoring: Scoring,
    summary: InputSummary,
    log: Log,
    duplicates: Duplicates = "error",
    jobs: int = 1,
) -> Generator[ScoredBatch, None, None]:
    """Yields the outputs of files with their scores, in the order of the files.

    Args:
        reader: Reads the files.
        input_files: The files.
        scoring: What to do with the outputs.
        summary: Records what was read.
        log: Receives warnings.
        duplicates: What to do with a second output of one system for one input.
        jobs: The number of processes that score; 1 means this one. The results do not depend on it.

    Raises:
        DataError: if the input is invalid.
        UsageError: if two metrics have a score of the same name.
        ProcessError: if another process cannot be started, or ended early.
    """
    scorer = BatchScorer(scoring)
    batches = checked_batches(reader, input_files, scoring.metrics, summary, duplicates)
    count = 0
    with Progress("scored", "outputs", log) as progress, ExitStack() as stack:
        if jobs == 1:
            scored = map(scorer, batches)
        else:
            from metrics_framework.evaluation.parallel.chunks import ChunkScorer, scored_in_chunks
            from metrics_framework.evaluation.parallel.worker_pool import started

            workers = stack.enter_context(started(partial(ChunkScorer, scoring), jobs))
            scored = scored_in_chunks(batches, scorer, workers)  # type: ignore[assignment]
        for found in scored:
            scorer.names.claim(found.names)
            yield found
            before, count = count, count + len(found.batch.ids)
            progress.advance(len(found.batch.ids))
            if before < MANY_OUTPUTS <= count and is_without_native():
                log.note(
                    f"more than {MANY_OUTPUTS:,} outputs are being scored without native kernels, which are many times "
                    f"faster; they are built when this package is installed with a C compiler"
                )
