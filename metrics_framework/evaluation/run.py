"""From files to scored outputs, one batch at a time: what ``evaluate`` and ``score`` share."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from metrics_framework.common.logs import Log
from metrics_framework.common.progress import progress
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.evaluation.batch_scorer import Batch, BatchScorer, ScoredBatch, Scoring
from metrics_framework.evaluation.input.validation import Duplicates, InputSummary, checked_batches
from metrics_framework.kernels.dispatch import is_without_native

MANY_OUTPUTS = 10_000
BUILDS = "builds them when this package is installed, and scores come many times faster"


def scored_batches(
    reader: DatasetReader,
    input_files: Sequence[str],
    scoring: Scoring,
    seen: InputSummary,
    log: Log,
    duplicates: Duplicates = "error",
    jobs: int = 1,
) -> Generator[ScoredBatch, None, None]:
    """Gives the outputs of files with their scores, in the order of the files.

    Args:
        reader: Reads the files.
        input_files: The files.
        scoring: What to do with the outputs.
        seen: Takes note of what was read.
        log: Takes warnings.
        duplicates: What to do with a second output of one system for one input.
        jobs: How many processes score; one means this one. What is given does not depend on it.

    Raises:
        DataError: if the input is not as it must be.
        UsageError: if two metrics give a score of the same name.
        ProcessError: if another process cannot be started, or is gone.
    """
    scorer = BatchScorer(scoring)
    batches = checked_batches(reader, input_files, scoring.metrics, seen, duplicates)
    count = 0
    with progress("scored", "outputs", log) as advance, _scoring_strategy(scorer, jobs) as scored:
        for batch in scored(batches):
            scorer.names.claim(batch.names)
            yield batch
            before, count = count, count + len(batch.instances)
            advance(len(batch.instances))
            if before < MANY_OUTPUTS <= count and is_without_native():
                log.note(f"more than {MANY_OUTPUTS:,} outputs are scored without native kernels; a C compiler {BUILDS}")
    seen.tell(log)


@contextmanager
def _scoring_strategy(scorer: BatchScorer, jobs: int) -> Iterator[Callable[[Iterator[Batch]], Iterator[ScoredBatch]]]:
    """Gives what scores batches: this process alone, or others with it."""
    if jobs == 1:
        yield partial(map, scorer)
        return
    from metrics_framework.evaluation.parallel.chunks import ChunkScorer, scored_in_chunks
    from metrics_framework.evaluation.parallel.worker_pool import started

    with started(partial(ChunkScorer, scorer.scoring), jobs) as workers:
        yield partial(scored_in_chunks, scorer=scorer, workers=workers)
