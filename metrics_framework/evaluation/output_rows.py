"""``score``: a row of scores for each output, sorted, with jackknifing, as input of meta-evaluation; and Parquet files.

A Parquet file has a column for each score, with flat names.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

from metrics_framework.common.errors import UsageError
from metrics_framework.common.logs import Log
from metrics_framework.data.fields import IDENTITY_FIELDS, Duplicates
from metrics_framework.data.metrics_dict import PREDICTED_SPANS, UndefinedScoresError
from metrics_framework.data.texts import shown
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.evaluation.checked_input import InputSummary
from metrics_framework.evaluation.external_sort import SEPARATOR, ExternalSort, ScratchFile
from metrics_framework.evaluation.run import Run
from metrics_framework.evaluation.scoring import JackknifeScorer, RowWriter, Scoring, warn_of_unscored
from metrics_framework.inputs.checks import TextSample
from metrics_framework.io.parquet import KEYS, SIGNATURE, import_pyarrow
from metrics_framework.io.writing import OutputFiles
from metrics_framework.metrics.base.metric import LabelledMetric

if TYPE_CHECKING:
    import pyarrow as pa

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
    summary = InputSummary(texts=TextSample() if log.checks else None)
    unscored = [Counter[str]() for _ in metrics]
    scoring = Scoring(metrics, JackknifeScorer(metrics, peers), has_rows=True)
    rows = RowWriter(write, metrics)
    with (
        closing(Run(reader, input_files, scoring, summary, log, duplicates, jobs, engine).batches()) as batches,
        closing(ExternalSort()) as sort,
    ):
        for scored in batches:
            sort.add(scored.sorted_rows)
            for counts, later in zip(unscored, scored.unscored, strict=True):
                counts.update(later)
        summary.check_texts(log)
        for block in sort.sorted_blocks():
            rows.write("".join([row.rpartition(SEPARATOR)[2] for row in block]))
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
        if all(sum(counts.values()) == self.count for counts in self.unscored):
            raise UndefinedScoresError([metric.label for metric in self.metrics], self.count)


_MAX_WHOLE = 1 << 53
_ADVICE = "write the scores to a file that ends in .jsonl"


@contextmanager
def parquet_rows(files: OutputFiles, path: str) -> Iterator[Callable[[str], object]]:
    """Opens a Parquet file for rows of scores; it is complete at the end of the block.

    Args:
        files: The output files of the run.
        path: The file.

    Yields:
        A function that writes a string of complete rows, one line of JSON for each output.

    Raises:
        MissingExtraError: if pyarrow is not installed.
        UsageError: if the path cannot be written to, or a row cannot be written as Parquet.
        OSError: if the disk is full; it names the path.
    """
    import_pyarrow()
    stream = files.open_bytes(path)
    with closing(ParquetRows()) as rows:
        yield rows.write
        rows.finish(stream)


class ParquetRows:
    """Collects rows of scores in a temporary file, because later rows may have further scores, and writes them.

    Attributes:
        rows_per_group: The number of rows of a row group, which are in memory together.
    """

    rows_per_group = 16_384

    def __init__(self) -> None:
        self._chunks = ScratchFile()
        self._is_list: dict[str, bool | None] = {}  # of each score; `None` if all values so far are missing
        self._paths: dict[str, tuple[str, ...]] = {}
        self._signature: dict[str, str] | None = None
        self._start_chunk()

    def close(self) -> None:
        """Deletes the temporary file."""
        self._chunks.close()

    def _start_chunk(self) -> None:
        self._ids: tuple[list[str], list[str], list[str]] = ([], [], [])
        self._columns: dict[str, list[Any]] = {}

    def write(self, text: str) -> None:
        """Adds rows.

        Args:
            text: Complete lines of JSON.

        Raises:
            UsageError: if a score cannot be written as Parquet.
        """
        for line in text.split("\n"):
            if line:
                self._add(json.loads(line))

    def _add(self, row: dict[str, Any]) -> None:
        number = len(self._ids[0])
        if PREDICTED_SPANS in row:
            raise UsageError(f"the rows have '{PREDICTED_SPANS}', which Parquet files of scores cannot hold; {_ADVICE}")
        for values, name in zip(self._ids, IDENTITY_FIELDS, strict=True):
            values.append(row[name])
        self._signature = self._signature or row.get("signature")
        for path, value in _paths(row["metrics"]):
            name = path[0] if len(path) == 1 else "_".join(path)
            column = self._columns.setdefault(name, [])
            if len(column) < number:  # earlier rows do not have this score
                column += [None] * (number - len(column))
            column.append(value)
            if type(value) is not float or self._is_list.get(name) is not False:
                self._check(name, value)
            if self._paths.setdefault(name, path) != path:
                raise UsageError(f"two scores have the same flat name '{name}'; {_ADVICE}")
        if number + 1 == self.rows_per_group:
            self._end_chunk()

    def _check(self, name: str, value: Any) -> None:
        """Checks that a score is missing, a number, or a list of numbers, as the same score of earlier rows."""
        known = self._is_list.setdefault(name, None)
        if value is None:
            return
        is_list = type(value) is list
        numbers = [number for number in value if number is not None] if is_list else [value]
        if known not in (None, is_list) or not all(map(_is_exact, numbers)):
            raise UsageError(
                f"the score '{name}' must be a number in every row, or a list of numbers in every row, to be written "
                f"as Parquet, got {shown(value)}; {_ADVICE}"
            )
        self._is_list[name] = is_list

    def _end_chunk(self) -> None:
        count = len(self._ids[0])
        for column in self._columns.values():
            column += [None] * (count - len(column))
        self._chunks.write((*self._ids, self._columns))
        self._start_chunk()

    def finish(self, stream: IO[bytes]) -> None:
        """Writes all rows.

        Args:
            stream: The file.

        Raises:
            UsageError: if an id is not valid Unicode.
            OSError: if the disk is full.
        """
        import pyarrow as pa
        import pyarrow.parquet as pq

        self._end_chunk()
        kinds = {None: pa.float64(), False: pa.float64(), True: pa.list_(pa.float64())}
        fields = [pa.field(name, pa.string(), nullable=False) for name in IDENTITY_FIELDS]
        for name, is_list in self._is_list.items():
            path = {KEYS: json.dumps(self._paths[name])} if len(self._paths[name]) > 1 else None
            fields.append(pa.field(name, kinds[is_list], metadata=path))
        schema = pa.schema(fields, metadata={SIGNATURE: json.dumps(self._signature or {})})
        with pq.ParquetWriter(pa.PythonFile(stream, mode="w"), schema) as writer:
            for *ids, columns in self._chunks.values():
                if ids[0]:
                    writer.write_table(_table(ids, columns, schema))


def _table(ids: Sequence[list[str]], columns: dict[str, list[Any]], schema: pa.Schema) -> pa.Table:
    import pyarrow as pa

    missing = [None] * len(ids[0])
    named = dict(zip(IDENTITY_FIELDS, ids, strict=True)) | columns
    try:
        arrays = [pa.array(named.get(field.name, missing), field.type) for field in schema]
    except UnicodeEncodeError as error:
        raise UsageError(f"{shown(error.object)} is not valid Unicode, as Parquet needs; {_ADVICE}") from None
    return pa.Table.from_arrays(arrays, schema=schema)


def _paths(scores: dict[str, Any], before: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yields each score with its keys."""
    for key, value in scores.items():
        if type(value) is dict:
            yield from _paths(value, (*before, key))
        else:
            yield (*before, key), value


def _is_exact(number: Any) -> bool:
    """Returns whether a float has the value of a number."""
    return type(number) is float or (type(number) is int and -_MAX_WHOLE <= number <= _MAX_WHOLE)
