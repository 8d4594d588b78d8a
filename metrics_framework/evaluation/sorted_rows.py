"""``score``: a row of scores for each output, sorted, with jackknifing, as input of meta-evaluation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from typing import TYPE_CHECKING

from metrics_framework.common.logs import Log
from metrics_framework.data.identity import Duplicates
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.evaluation.batch_scorer import JackknifeScorer, Scoring
from metrics_framework.evaluation.input.summary import InputSummary
from metrics_framework.evaluation.json_rows import RowWriter
from metrics_framework.evaluation.parts.part import PartResult
from metrics_framework.evaluation.run import scored_parts
from metrics_framework.evaluation.storage.external_sort import ExternalSort
from metrics_framework.evaluation.unscored_outputs import UnscoredOutputs
from metrics_framework.metrics.base.labelled_metric import LabelledMetric

if TYPE_CHECKING:
    from metrics_framework.evaluation.engine import Engine
    from metrics_framework.evaluation.parts.sorted_parts import SortedParts


def row_scoring(metrics: Sequence[LabelledMetric], peers: bool = True) -> Scoring:
    """Returns how ``score`` scores outputs.

    Args:
        metrics: The metrics.
        peers: Whether to compute jackknifed scores of peers.
    """
    return Scoring(metrics, JackknifeScorer(metrics, peers), has_rows=True, sorts_rows=True, counts_unscored=True)


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
    summary, unscored = InputSummary(), UnscoredOutputs(metrics)
    scoring = row_scoring(metrics, peers)
    with (
        closing(scored_parts(reader, input_files, scoring, summary, log, duplicates, jobs, engine)) as parts,
        RowWriter(write, metrics) as rows,
        closing(SortedRows()) as sorted_rows,
    ):
        for part in parts:
            sorted_rows.add(part)
            unscored.merge(part.unscored)
        sorted_rows.write(rows)
    return ScoredRows(summary, unscored, log)


class ScoredRows:
    """The counts of a run whose rows were written; warns of what may be wrong with them.

    Args:
        summary: Counts of the input.
        unscored: Counts of the outputs without a score.
        log: Receives warnings.

    Attributes:
        count: The number of outputs.
    """

    def __init__(self, summary: InputSummary, unscored: UnscoredOutputs, log: Log) -> None:
        self.count = sum(summary.outputs.values())
        self._outputs, self._unscored = summary.outputs, unscored
        summary.warn(log)
        unscored.warn(summary.outputs, log)

    def check(self) -> None:
        """Checks that an output has a score.

        Raises:
            UndefinedScoresError: if none has.
        """
        self._unscored.check(self._outputs)


class SortedRows:
    """Sorts the rows of all parts; either all parts have their rows in open files, or none has."""

    def __init__(self) -> None:
        self._sort = ExternalSort()
        self._files: SortedParts | None = None

    def close(self) -> None:
        """Deletes temporary files."""
        self._sort.close()
        if self._files is not None:
            self._files.close()

    def add(self, part: PartResult) -> None:
        """Adds the rows of a part."""
        if part.sorted_keys is None or part.rows_file is None:
            self._sort.add(part.sorted_rows)
            return
        if self._files is None:
            from metrics_framework.evaluation.parts.sorted_parts import SortedParts

            self._files = SortedParts()
        self._files.add(part.sorted_keys, part.rows_file)

    def write(self, rows: RowWriter) -> None:
        """Writes all rows, sorted."""
        if self._files is not None:
            self._files.write(rows)
        for block in self._sort.sorted_blocks():
            rows.write("".join([line for _, line in block]))
