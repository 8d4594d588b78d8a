"""Reads input in batches and checks each batch before it is scored (decision 0001)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import closing
from itertools import chain, islice
from operator import methodcaller
from typing import Any

from metrics_framework.common.definitions import failed_at
from metrics_framework.common.errors import (
    PARQUET,
    PLUGIN_FAILURES,
    DataError,
    FwError,
    ListName,
    PluginError,
    Problems,
    UsageError,
    how_to_keep_one,
    location_of,
    message_of,
)
from metrics_framework.common.logs import Log
from metrics_framework.data.eval_instance import EvalInstance, OutputColumns
from metrics_framework.data.identity import IDENTITY_FIELDS, Duplicates
from metrics_framework.data.texts import shown
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.dataset_readers.files_of_outputs import path_names
from metrics_framework.evaluation.input.column_batch import BatchOfColumns, ColumnBatch
from metrics_framework.evaluation.input.duplicates import Duplicate, DuplicateFinder
from metrics_framework.evaluation.input.row_validation import invalid_rows
from metrics_framework.evaluation.input.summary import InputSummary, no_outputs
from metrics_framework.io.reading import Piece
from metrics_framework.metrics.base.labelled_metric import LabelledMetric

BATCH_SIZE = 2048
"""Rows per batch: large enough that the checks of a batch cost little, small enough to report mistakes soon."""
OUTPUTS_IN_MEMORY = 1 << 13
"""The number of outputs whose duplicates are found immediately; see decision 0010."""
FLAGS_OF_FIELDS = {"source": "--sources", "references": "--references"}


def checked_batches(
    reader: DatasetReader,
    input_files: Sequence[str],
    metrics: Sequence[LabelledMetric],
    summary: InputSummary,
    duplicates: Duplicates = "error",
    size: int = BATCH_SIZE,
    in_memory: int = OUTPUTS_IN_MEMORY,
    all_fields: bool = False,
    log: Log | None = None,
) -> Iterator[ColumnBatch]:
    """Yields the outputs in batches; a batch is yielded only if all its rows are valid.

    After the first problem nothing more is yielded, but the input is read to its end, so that all problems are reported
    together. Memory does not grow with the input unless duplicates are skipped: ``first`` keeps a hash of the ids of
    every output (65 to 100 bytes), ``last`` keeps the outputs.

    Args:
        reader: Reads the files.
        input_files: The files.
        metrics: The metrics, whose fields every row must have.
        summary: Counts the input.
        duplicates: What to do with a second output of a system for the same input.
        size: The largest size of a batch.
        in_memory: The number of outputs kept in memory; duplicates of later outputs are found at the end.
        all_fields: Whether to keep fields that no metric needs, also if the format of a file allows to skip them.
        log: Receives a note before long texts are yielded; by default, only the summary records them.

    Raises:
        DataError: if a row is invalid, or there are no rows.
        UsageError: if the reader cannot provide a field that a metric needs.
        OSError: if a temporary file cannot be written.
    """
    check_fields(reader, metrics)
    unread, invalid, repeated = Problems(), Problems(), Problems()
    fields = {name for metric in metrics for name in metric.metric.fields}
    is_one = len(input_files) == 1 and getattr(reader, "fields_are_columns", False)
    has_columns = is_one or any(map(methodcaller("endswith", PARQUET), input_files))
    batches = (
        _with_columns(reader, input_files, unread, None if all_fields else fields, size)
        if has_columns
        else piece_batches(reader.instances(reader.checked_files(input_files), unread), reader, size)
    )
    with closing(DuplicateFinder(in_memory)) as finder:
        for batch in batches if duplicates == "error" else _chosen(batches, summary, duplicates, size):
            problems = invalid_rows(batch, metrics, summary.types)
            if problems:
                for problem in problems.values():
                    invalid.add(problem)
                batch = ColumnBatch([row for index, row in enumerate(batch.instances) if index not in problems])
            for duplicate in finder.add(batch.ids, batch.systems, batch.paths, batch.lines):
                repeated.add(duplicate_problem(duplicate))
            summary.add(batch, fields, metrics)
            if batch.ids and not (unread.count or invalid.count or repeated.count):
                if log is not None and summary.longest:
                    summary.note_long_texts(log)
                yield batch
        late, count = finder.finish()
        if unread.count or invalid.count or repeated.count or count:
            raise_problems([unread, invalid, repeated], late, count, input_files)
        summary.num_instances = finder.num_instances
    if reader.row_fields is not None:
        summary.add_rows(reader)
    if not summary.outputs:
        raise no_outputs(summary, input_files)


def check_fields(reader: DatasetReader, metrics: Sequence[LabelledMetric]) -> None:
    """Prepares to read: raises an error if the reader never provides a field that a metric needs."""
    provided = reader.provides()
    if reader.row_fields is not None:
        reader.take_row_counts()
    if reader.view is not None:
        fields = (field for metric in metrics for field in metric.metric.fields)
        reader.view.check_fields([*fields, *(provided or ()), *(reader.row_fields or ())])
    for metric in metrics if provided is not None else ():
        for name in metric.metric.fields:
            if name not in (provided or ()) and name not in IDENTITY_FIELDS:
                flag = FLAGS_OF_FIELDS.get(name) if hasattr(reader, "sources") else None
                before = ", or the file before -i" if name == "references" else ""
                advice = f"add {flag} FILE{before}" if flag else "fw list readers shows other readers"
                raise UsageError(
                    f"the metric '{metric.label}' needs '{name}', which the dataset reader '{reader.registered_name}' "
                    f"does not provide here; {advice}"
                )


def _with_columns(
    reader: DatasetReader, input_files: Sequence[str], problems: Problems, fields: Collection[str] | None, size: int
) -> Iterator[ColumnBatch]:
    """Yields the outputs of files in batches, file by file if one can be read as columns."""
    files = reader.checked_files(input_files)
    pieces = [Piece(path, name) for path, name in zip(files, path_names(files), strict=True)]
    if not any(reader.columns_of(piece, problems, fields, size) for piece in pieces):
        yield from piece_batches(reader.instances(files, problems), reader, size)
        return
    is_numbered: bool | None = None
    for piece in pieces:
        piece.is_numbered = is_numbered
        yield from batches_of_piece(reader, piece, problems, fields, size)
        is_numbered = piece.is_numbered


def batches_of_piece(
    reader: DatasetReader, piece: Piece, problems: Problems, fields: Collection[str] | None, size: int = BATCH_SIZE
) -> Iterator[ColumnBatch]:
    """Yields the outputs of a piece in batches.

    Args:
        reader: The reader.
        piece: The piece.
        problems: Collects the problems of rows and files.
        fields: The fields that are needed; `None` for all.
        size: The largest size of a batch.

    Raises:
        PluginError: if the reader fails with an error that is not an `FwError`.
    """
    columns = reader.columns_of(piece, problems, fields, size)
    if columns is None:
        yield from piece_batches(reader.instances_of(piece, problems), reader, size)
    else:
        for batch in columns:
            yield BatchOfColumns(batch) if isinstance(batch, OutputColumns) else ColumnBatch(batch)


def piece_batches(
    instances: Iterator[EvalInstance], reader: DatasetReader | None = None, size: int = BATCH_SIZE
) -> Iterator[ColumnBatch]:
    """Yields instances in batches.

    Args:
        instances: The instances of a reader.
        reader: The reader, for error messages.
        size: The largest size of a batch.

    Raises:
        PluginError: if the reader fails with an error that is not an `FwError`.
    """
    try:
        instances = iter(instances)
        while rows := list(islice(instances, size)):
            if set(map(type, rows)) != {EvalInstance}:
                _check_instances(rows)
            batch = ColumnBatch(rows)
            if set(map(type, chain(batch.ids, batch.systems, batch.types))) != {str}:
                _check_instances(rows)  # ids of a subclass of `str` are converted, other ids are an error
                batch.ids, batch.systems = list(map(str, batch.ids)), list(map(str, batch.systems))
            yield batch
    except (FwError, MemoryError):
        raise
    except PLUGIN_FAILURES as error:
        name = "" if reader is None else reader.registered_name or type(reader).__name__
        where = failed_at(error, None if reader is None else type(reader))
        raise PluginError(f"the dataset reader '{name}' failed{where}: {message_of(error)}") from error


def _check_instances(rows: Sequence[Any]) -> None:
    for row in rows:
        ids = isinstance(row, EvalInstance) and (row.instance_id, row.summarizer_id, row.summarizer_type)
        if not ids or not all(isinstance(name, str) for name in ids):
            raise TypeError(f"must yield instances of EvalInstance whose type and ids are strings, got {shown(row)}")


def _chosen(
    batches: Iterator[ColumnBatch], summary: InputSummary, duplicates: Duplicates, size: int
) -> Iterator[ColumnBatch]:
    """Yields only the first or the last of the outputs of a system for the same input."""
    if duplicates == "first":
        known: set[int] = set()
        for batch in batches:
            new: dict[int, EvalInstance] = {}
            for key, instance in zip(
                map(hash, zip(batch.ids, batch.systems, strict=True)), batch.instances, strict=True
            ):
                if key not in known:
                    new.setdefault(key, instance)
            known.update(new)
            summary.skipped += len(batch.ids) - len(new)
            yield ColumnBatch(list(new.values()))
        return
    last: dict[tuple[str, str], EvalInstance] = {}
    for batch in batches:
        summary.skipped += len(batch.ids)
        last.update(zip(zip(batch.ids, batch.systems, strict=True), batch.instances, strict=True))
    summary.skipped -= len(last)
    instances = iter(last.values())
    while chosen := list(islice(instances, size)):
        yield ColumnBatch(chosen)


def duplicate_problem(duplicate: Duplicate) -> DataError:
    """Returns the error of a duplicate."""
    (path, line), (first_path, first_line) = duplicate.position, duplicate.first
    same_file = first_path == path and not isinstance(path, ListName)
    first = f"in {location_of(first_path or '', first_line)}"
    if same_file:
        first = f"in row {first_line}" if str(path).endswith(PARQUET) else f"on line {first_line}"
    message = (
        f"duplicate output of system '{duplicate.summarizer_id}' for input '{duplicate.instance_id}' (first {first}); "
        f"{how_to_keep_one(path)}"
    )
    return DataError(message, path, line or None)


def raise_problems(
    kinds: Sequence[Problems], late: Sequence[Duplicate], count: int, input_files: Sequence[str]
) -> None:
    """Raises all problems together; if there are several kinds, in the order of files and lines."""
    kinds = [kind for kind in kinds if kind.count]
    found = [*(problem for kind in kinds for problem in kind.kept), *map(duplicate_problem, late)]
    if len(kinds) + bool(count) > 1:
        order = {path: index for index, path in reversed([*enumerate(input_files)])}
        found.sort(key=lambda problem: (order.get(problem.path or "", len(order)), problem.line or 0))
    joined = Problems()
    for problem in found:
        joined.add(problem)
    joined.count = sum(kind.count for kind in kinds) + count
    joined.raise_any()
