"""``score``: a row of scores for each output, sorted, with jackknifing, as input of meta-evaluation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metrics_framework.common.logs import Log
from metrics_framework.data.fields import Duplicates
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.evaluation.external_sort import ExternalSort
from metrics_framework.evaluation.input_summary import InputSummary
from metrics_framework.evaluation.run import scored_batches
from metrics_framework.evaluation.scoring import (
    JackknifeScorer,
    RowWriter,
    Scoring,
    check_unscored,
    warn_of_unscored,
)
from metrics_framework.metrics.base.metric import LabelledMetric

if TYPE_CHECKING:
    from metrics_framework.evaluation.engine import Engine


def score(
    reader: DatasetReader,
    input_files: Sequence[str],
    metrics: Sequence[LabelledMetric],
    write: Callable[[str], object],
    log: Log,
    *,
    peers: bool = True,
    duplicates: Duplicates = "error",
    jobs: int = 1,
    engine: Engine | None = None,
) -> ScoredRows:
    """Scores the outputs of files and returns how many there are.

    Args:
        reader: Reads the files.
        input_files: The files.
        metrics: The metrics.
        write: Receives strings of complete rows: one line of JSON for each output, sorted by input and system,
            numbers by value; the first row has the signatures.
        log: Receives warnings.
        peers: Whether to compute jackknifed scores of peers.
        duplicates: What to do with a second output of a system for the same input.
        jobs: The number of processes that score.
        engine: The engine that scores, instead of processes of this machine.

    Raises:
        DataError: if the input is invalid.
        UsageError: if two metrics have a score of the same name.
        ProcessError: if a worker process cannot be started or dies.
    """
    summary, unscored = InputSummary(), [Counter[str]() for _ in metrics]
    scoring = Scoring(metrics, JackknifeScorer(metrics, peers), has_rows=True, sorts_rows=True, counts_unscored=True)
    rows = RowWriter(write, metrics)
    with (
        closing(scored_batches(reader, input_files, scoring, summary, log, duplicates, jobs, engine)) as batches,
        closing(ExternalSort()) as sort,
    ):
        for scored in batches:
            sort.add(scored.sorted_rows)
            for counts, later in zip(unscored, scored.unscored, strict=True):
                counts.update(later)
        for block in sort.sorted_blocks():
            rows.write("".join([line for _, line in block]))
    summary.warn(log)
    warn_of_unscored(unscored, metrics, summary.outputs, log)
    return ScoredRows(metrics, summary.outputs, unscored)


@dataclass
class ScoredRows:
    """The counts of a run whose rows were written.

    Args:
        metrics: The metrics.
        outputs: System to its number of outputs.
        unscored: For each metric how many outputs of each system have no score.
    """

    metrics: Sequence[LabelledMetric]
    outputs: dict[str, int]
    unscored: Sequence[Mapping[str, int]]

    @property
    def count(self) -> int:
        """The number of outputs."""
        return sum(self.outputs.values())

    def check(self) -> None:
        """Checks that an output has a score.

        Raises:
            UndefinedScoresError: if none has.
        """
        check_unscored(self.unscored, self.metrics, self.outputs)
