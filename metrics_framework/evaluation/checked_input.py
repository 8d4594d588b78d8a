"""Reads input in batches, checks each before it is scored (decision 0001), and counts it for signatures and notes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, count, islice, repeat
from operator import methodcaller
from typing import Any, TypeAlias

from metrics_framework.common.definitions import failed_at
from metrics_framework.common.errors import (
    PARQUET,
    PLUGIN_FAILURES,
    DataError,
    FwError,
    InputError,
    ListName,
    PluginError,
    Problems,
    TextWarning,
    UsageError,
    counted,
    how_to_keep_one,
    how_to_name_column,
    location_of,
    message_of,
)
from metrics_framework.common.logs import Log
from metrics_framework.common.options import options_of
from metrics_framework.data.eval_instance import ColumnBatch, EvalInstance, OutputColumns
from metrics_framework.data.fields import IDENTITY_FIELDS, PLAIN_KINDS, Duplicates, check_field, turn_note
from metrics_framework.data.texts import Text, as_plain, shown
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.dataset_readers.files_of_outputs import path_names
from metrics_framework.evaluation.external_sort import SEPARATOR, ExternalSort, OutputsOnDisk
from metrics_framework.inputs.checks import SYSTEMS_NAMED, MetricNeeds, TextSample
from metrics_framework.inputs.keys import InputColumns, LongRow, RowCounts, find_contradiction, similar_names
from metrics_framework.inputs.roles import no_field
from metrics_framework.inputs.texts import check_written
from metrics_framework.io.reading import Piece
from metrics_framework.kernels.dispatch import are_plain
from metrics_framework.metrics.base.metric import LabelledMetric

Output: TypeAlias = tuple[str, str]
"""The ids of an input and of a system."""
Position: TypeAlias = "tuple[str | None, int | None]"
"""The file and line of an output."""
BATCH_SIZE = 2048
"""Rows per batch: large enough that the checks of a batch cost little, small enough to report mistakes soon."""
OUTPUTS_IN_MEMORY = 1 << 13
"""The number of outputs whose duplicates are found immediately; see decision 0001."""
SEVERAL_INPUTS = "an id names inputs with different documents, sources or data sets; the rows need another id"
FLAGS_OF_FIELDS = {"source": "--sources", "references": "--references", "documents": "--documents"}


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
    unread = Problems()
    fields = {name for metric in metrics for name in metric.metric.fields}
    is_one = len(input_files) == 1 and getattr(reader, "fields_are_columns", False)
    has_columns = is_one or any(map(methodcaller("endswith", PARQUET), input_files))
    batches = (
        _batches_of_files(reader, input_files, unread, None if all_fields else fields, size)
        if has_columns
        else batches_of_instances(reader.instances(reader.checked_files(input_files), unread), reader, size)
    )
    checks = InputChecks(input_files, summary, unread, in_memory=in_memory, reader=reader)
    with closing(checks):
        if reader.row_fields is not None:
            batches = map(checks.compared, batches)
        for batch in batches if duplicates == "error" else _chosen(batches, summary, duplicates, size):
            batch = valid_rows(batch, metrics, checks.invalid, reader.row_fields is not None)
            checks.add(batch)
            summary.add(batch, fields, metrics)
            if batch.ids and not checks.have_failed:
                if log is not None and summary.longest:
                    summary.note_long_texts(log)
                yield batch
        if reader.row_fields is not None and not (checks.have_failed or unread.count):
            summary.add_rows(reader)
        checks.finish()


@dataclass
class InputChecks:
    """Checks the input of a run over all of its batches, and collects its problems.

    Duplicates are found in bounded memory: the first outputs are kept in memory, so that their duplicates are found
    immediately. If there are more outputs, all of them are sorted on disk, which makes duplicates neighbors.

    Args:
        input_files: The files of the run.
        summary: Receives the types of systems, and the number of inputs.
        unread: Problems of reading, which may be added at any time.
        invalid: Problems of rows that were read but cannot be scored, which may be added at any time.
        in_memory: The number of outputs to keep in memory; the batch that reaches this number is kept whole.
        reader: Reads the files again to explain ids that name several inputs; `None` if the input has no ids.

    Attributes:
        have_failed: Whether problems were found up to the last batch.
    """

    input_files: Sequence[str]
    summary: InputSummary
    unread: Problems = field(default_factory=Problems)
    invalid: Problems = field(default_factory=Problems)
    in_memory: int = OUTPUTS_IN_MEMORY
    reader: DatasetReader | None = None
    have_failed: bool = False
    _columns: InputColumns | None = None
    _has_contradiction: bool = False
    _contradictory: Problems = field(default_factory=Problems)
    _repeated: Problems = field(default_factory=Problems)
    _known: dict[Output, str] = field(default_factory=dict)
    _numbers: Iterator[int] = field(default_factory=partial(count, 10**8))  # which all have as many digits
    _files: dict[str | None, str] = field(default_factory=dict)
    _on_disk: OutputsOnDisk | None = None

    def close(self) -> None:
        """Deletes the files on disk."""
        if self._on_disk is not None:
            self._on_disk.sort.close()

    def compared(self, batch: ColumnBatch) -> ColumnBatch:
        """Compares the columns of a batch that must not change within an input with those before; returns the batch."""
        reader = self.reader
        if batch.ids and reader is not None and reader.row_fields is not None and not self._has_contradiction:
            self._columns = self._columns or InputColumns(self.in_memory)
            self._has_contradiction = self._columns.differ(batch, reader.row_counts().varying)
        return batch

    def _contradiction(self) -> DataError:
        """Returns the problem that an id names several inputs."""
        problem, reader = None, self.reader
        if reader is not None and reader.can_read_twice(self.input_files):
            instances = reader.instances(self.input_files, Problems())
            rows = [
                LongRow(one.instance_id, one.summarizer_id, None, one.fields, one.path or "", one.line or 0)
                for one in instances
            ]
            problem = find_contradiction(rows, reader.row_counts().id_columns)
        return problem or DataError(SEVERAL_INPUTS, ", ".join(self.input_files))

    def add(self, batch: ColumnBatch) -> None:
        """Searches a batch for duplicates, and for systems that have another type than before."""
        types, pairs = self.summary.types, set(zip(batch.systems, batch.types, strict=True))
        ids, systems, outputs = batch.ids, batch.systems, list(zip(batch.ids, batch.systems, strict=True))
        for path in set(batch.paths) - self._files.keys():
            self._files[path] = str(len(self._files))
        files, checksums = map(self._files.__getitem__, batch.paths), batch.checksums or repeat(0)
        rows = zip(files, batch.lines, checksums, self._numbers, strict=False)
        places = [f"{number} {file} {line}{SEPARATOR}{checksum}" for file, line, checksum, number in rows]
        new, is_full = dict(pairs), len(self._known) >= self.in_memory
        is_sound = len(new) == len(pairs) and all(types.get(name, given) == given for name, given in pairs)
        if is_sound and self._known.keys().isdisjoint(outputs) and (is_full or len(set(outputs)) == len(outputs)):
            types.update(new)
        else:
            sound = self._sound(outputs, batch.types, places, is_full)
            outputs, places = [output for output, _ in sound], [place for _, place in sound]
            ids, systems = [name for name, _ in outputs], [name for _, name in outputs]
        if not is_full:
            self._known.update(zip(outputs, places, strict=True))
        else:
            if self._on_disk is None:
                self._on_disk = OutputsOnDisk(ExternalSort())
                self._on_disk.add(
                    [one for one, _ in self._known], [one for _, one in self._known], self._known.values()
                )
            self._on_disk.add(ids, systems, places)
        kinds = self.unread, self.invalid, self._contradictory, self._repeated
        self.have_failed = self._has_contradiction or any(kind.count for kind in kinds)

    def _sound(
        self, outputs: Sequence[Output], types: Sequence[str], places: Sequence[str], is_full: bool
    ) -> list[tuple[Output, str]]:
        """Returns the outputs, and their places, that duplicate none in memory and whose system has its first type.

        They are kept in memory unless it is full.
        """
        sound = []
        for output, given, place in zip(outputs, types, places, strict=True):
            known, position = self.summary.types.setdefault(output[1], given), self._position(place)
            if known != given:
                message = f"'{output[1]}' is of type '{given}' here, but '{known}' before"
                self._contradictory.add(DataError(message, *position))
            elif output in self._known:
                first = self._position(self._known[output])
                self._repeated.add(duplicate_problem(*output, position, first))
            else:
                sound.append((output, place))
                if not is_full:
                    self._known[output] = place
        return sound

    def _position(self, place: str) -> Position:
        _, file, line = place.partition(SEPARATOR)[0].split(" ")
        return list(self._files)[int(file)], int(line) if line != "None" else None

    def finish(self) -> None:
        """Counts the inputs.

        Raises:
            DataError: if there were problems, or there are no outputs.
            OSError: if a temporary file cannot be written.
        """
        late, repeated, inputs = list[DataError](), 0, len({instance_id for instance_id, _ in self._known})
        if self._on_disk is not None:
            found, repeated, inputs = self._on_disk.duplicates()
            late = [duplicate_problem(*of, self._position(at), self._position(first)) for at, first, of in found]
            self._has_contradiction = self._has_contradiction or self._on_disk.contradicts
        if self._has_contradiction and not (self.unread.count or self.invalid.count):
            raise self._contradiction()
        kinds = self.unread, self.invalid, self._contradictory, self._repeated
        if repeated or any(kind.count for kind in kinds):
            raise_problems(kinds, late, repeated, self.input_files)
        self.summary.num_instances = inputs
        if not self.summary.outputs:
            raise no_outputs(self.summary, self.input_files)


def check_fields(reader: DatasetReader, metrics: Sequence[LabelledMetric]) -> None:
    """Prepares to read: raises an error if the reader never provides a field that a metric needs."""
    fields = [name for metric in metrics for name in metric.metric.fields]
    provided = reader.provides()
    if reader.row_fields is not None:
        reader.take_row_counts()
    reader.know_metrics(fields)
    if reader.view is not None:
        reader.view.check_fields([*fields, *(provided or ()), *(reader.row_fields or ())])
    for metric in metrics if provided is not None else ():
        for name in metric.metric.fields:
            if name not in (provided or ()) and name not in IDENTITY_FIELDS:
                has_flags = any(option.name == "sources" for option in options_of(type(reader), DatasetReader))
                flag = FLAGS_OF_FIELDS.get(name) if has_flags else None
                before = ", or the file before -i" if name == "references" else ""
                other = f"fw list readers shows readers besides '{reader.registered_name}'"
                advice = f"add {flag} FILE{before}" if flag else other
                raise UsageError(no_field(metric.label, name, None, advice))


def _batches_of_files(
    reader: DatasetReader, input_files: Sequence[str], problems: Problems, fields: Collection[str] | None, size: int
) -> Iterator[ColumnBatch]:
    """Yields the outputs of files in batches, file by file if one can be read as columns."""
    files = reader.checked_files(input_files)
    pieces = [Piece(path, name) for path, name in zip(files, path_names(files), strict=True)]
    if not any(reader.columns_of(piece, problems, fields, size) for piece in pieces):
        yield from batches_of_instances(reader.instances(files, problems), reader, size)
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
        yield from batches_of_instances(reader.instances_of(piece, problems), reader, size)
    else:
        for batch in columns:
            yield batch if isinstance(batch, OutputColumns) else ColumnBatch(batch)


def batches_of_instances(
    instances: Iterator[EvalInstance], reader: DatasetReader, size: int = BATCH_SIZE
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
        name = reader.registered_name or type(reader).__name__
        where = failed_at(error, type(reader))
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
            keys = map(hash, zip(batch.ids, batch.systems, strict=True))
            for key, instance in zip(keys, batch.instances, strict=True):
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


def duplicate_problem(instance_id: str, summarizer_id: str, position: Position, first: Position) -> DataError:
    """Returns the error of a further output of a system for the same input, given where it is and the first is."""
    (path, line), (first_path, first_line) = position, first
    same_file = first_path == path and not isinstance(path, ListName)
    where = f"in {location_of(first_path or '', first_line)}"
    if same_file:
        where = f"in row {first_line}" if str(path).endswith(PARQUET) else f"on line {first_line}"
    message = (
        f"duplicate output of system '{summarizer_id}' for input '{instance_id}' (first {where}); "
        f"{how_to_keep_one(path)}"
    )
    return DataError(message, path, line or None)


def raise_problems(
    kinds: Sequence[Problems], late: Sequence[DataError], repeated: int, input_files: Sequence[str]
) -> None:
    """Raises all problems together, given the first of the late ones; several kinds by files and lines."""
    kinds = [kind for kind in kinds if kind.count]
    found = [*(problem for kind in kinds for problem in kind.kept), *late]
    if len(kinds) + bool(repeated) > 1:
        order = {path: index for index, path in reversed([*enumerate(input_files)])}
        found.sort(key=lambda problem: (order.get(problem.path or "", len(order)), problem.line or 0))
    joined = Problems()
    for problem in found:
        joined.add(problem)
    joined.count = sum(kind.count for kind in kinds) + repeated
    joined.raise_any()


def valid_rows(
    batch: ColumnBatch, metrics: Sequence[LabelledMetric], invalid: Problems, of_table: bool = False
) -> ColumnBatch:
    """Returns the rows of a batch that can be scored.

    Args:
        batch: The rows.
        metrics: The metrics, whose fields every row must have.
        invalid: Receives the problems of other rows.
        of_table: Whether they are rows of a table, where a list that is written as a text is a mistake; a line of a
            text file may be any text.
    """
    needed = {
        name: metric.label
        for metric in reversed(metrics)
        for name in metric.metric.fields
        if name not in IDENTITY_FIELDS  # which every row has
    }
    texts = [name for name in needed if name in PLAIN_KINDS]
    complete = all(batch.has(name) for name in needed if name not in PLAIN_KINDS)
    columns, kinds = tuple(map(batch.column, texts)), "".join(PLAIN_KINDS[name] for name in texts)
    if complete and are_plain(columns, kinds):  # a native check of most input, in one call
        may_be_written = of_table and not are_plain(columns, kinds.upper())
        with suppress(InputError):  # whose rows are found below
            for name, values in zip(texts, columns, strict=True) if may_be_written else ():
                check_written(name, values, name)
            return batch
    problems = [_problem(instance, needed, of_table) for instance in batch.instances]
    batch.forget_columns()
    if not any(problems):
        return batch
    for problem in filter(None, problems):
        invalid.add(problem)
    return ColumnBatch([row for row, problem in zip(batch.instances, problems, strict=True) if problem is None])


def _problem(instance: EvalInstance, needed: Mapping[str, str], of_table: bool) -> DataError | None:
    for name, metric in needed.items():
        if name not in instance.fields:
            present = [field for field, value in instance.fields.items() if value is not None]
            message = no_field(metric, name, present) + _advice(name, instance)
            return DataError(message, instance.path, instance.line)
        try:
            value = instance.fields[name]
            check_field(name, value)
            if name in PLAIN_KINDS:
                instance.fields[name] = as_plain(value)  # readers of plug-ins may yield subclasses of `str`
            if of_table:
                check_written(name, [value], name, is_one=True)
        except InputError as error:
            return DataError(str(error), instance.path, instance.line)
    return None


def _advice(missing: str, instance: EvalInstance) -> str:
    """Returns how to rename the fields that seem to be references, or which reader joins two files."""
    from metrics_framework.common.errors import advice

    present = instance.fields
    if missing == "annotation":
        readers = "'pyramid-based' reads a file of pyramids and a file of annotations, 'ducview' reads XML files"
        return f"; the reader {readers}"
    filled = {name for name, value in present.items() if value is not None}
    if missing == "documents" or (missing == "summary" and filled == {"documents"}):
        reads = "reads documents from the first of two files, and outputs from the second"
        return f"; the reader 'split-document-based' {reads}"
    similar = [name for name in present if name.lower().startswith("ref")] if missing == "references" else []
    if not similar:
        if missing not in PLAIN_KINDS:
            return advice(missing, present)
        return f"; if a column has it under another name, use {how_to_name_column(instance.path, missing)}"
    if len(similar) == 1:
        return f"; rename '{similar[0]}' to 'reference'"
    return f"; rename '{similar[0]}' to 'reference_1', '{similar[1]}' to 'reference_2'{', …' * (len(similar) > 2)}"


Lengths: TypeAlias = tuple[int, int, int]
NUMBERED = (
    "rows have no 'instance_id', so they are numbered by their position in each file, as outputs of one system; if "
    "columns have the id of the input or the system, name them with --columns instance_id=COLUMN,system_id=COLUMN"
)
LEFT_OUT = "left out"


@dataclass
class InputSummary(RowCounts):
    """Counts of the input of a run.

    Attributes:
        outputs: Maps each summarizer id to its number of outputs.
        types: Maps each summarizer id to its type.
        references: The lowest and highest number of references.
        texts: The first texts of each system, for the checks of texts; `None` for no checks.
        needs: What the metrics need of texts.
        longest: Maps metrics to the lengths of the two texts whose comparison takes longest, if they are long, and to
            the length from which it takes a second.
        skipped: The number of outputs skipped because of ``--duplicates first`` or ``last``.
        columns: The columns that fields were read from, if they were named: ``COLUMN``, or ``COLUMN+COLUMN``.
        where: The conditions that rows had to meet.
        num_instances: The number of inputs; set after the last batch.
    """

    outputs: dict[str, int] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    references: tuple[int, int] | None = None
    texts: TextSample | None = None
    needs: Sequence[MetricNeeds] = ()
    longest: dict[str, Lengths] = field(default_factory=dict)
    skipped: int = 0
    columns: dict[str, str] = field(default_factory=dict)
    where: list[str] = field(default_factory=list)
    num_instances: int = 0
    _noted = False  # no field: whether long texts were reported

    def add(
        self, batch: ColumnBatch, fields: Collection[str] = ("summary",), metrics: Sequence[LabelledMetric] = ()
    ) -> None:
        """Counts the outputs of a batch.

        Args:
            batch: The outputs.
            fields: The fields that the metrics need.
            metrics: The metrics, which determine what is counted besides.
        """
        self.needs = self.needs or [one.needs for one in metrics]
        for system, indices in batch.by_system.items():
            self.outputs[system] = self.outputs.get(system, 0) + len(indices)
        if "summary" in fields:
            if self.texts is not None:
                self.texts.add(batch)
            if slow := [one for one in metrics if one.metric.slow_above is not None]:
                self._add_long_texts(batch, slow)
        references = batch.column("references")
        lists = references if set(map(type, references)) == {list} else filter(_is_list, references)
        counts = set(map(len, lists))
        if counts:
            lowest, highest = self.references or (min(counts), max(counts))
            self.references = (min(lowest, *counts), max(highest, *counts))

    def _add_long_texts(self, batch: ColumnBatch, metrics: Sequence[LabelledMetric]) -> None:
        """Finds the pair of texts of a batch whose comparison takes longest."""
        lengths = list(map(_length, batch.column("summary")))
        for one in metrics:
            limit, name = one.metric.slow_above or 0, one.metric.slow_with
            if max(lengths, default=0) * _LARGEST_RATIO > limit:
                for length, others in zip(lengths, batch.column(name), strict=True):
                    other = max(map(_length, others), default=0) if name == "references" else _length(others)
                    self._keep_longer(one.label, (length, other, limit))

    def _keep_longer(self, label: str, lengths: Lengths) -> None:
        first, second, _ = self.longest.get(label, (lengths[2],) * 3)
        if lengths[0] * lengths[1] > first * second:
            self.longest[label] = lengths

    def add_rows(self, reader: DatasetReader) -> None:
        """Adds what happened to the rows that a reader has read: which were left out, and how fields were found.

        Raises:
            UsageError: if the reader has read rows without its view.
        """
        counts = reader.take_row_counts()
        if reader.view is not None:
            if self.outputs and not counts.is_viewed:
                name = reader.registered_name or type(reader).__name__
                raise UsageError(f"--columns and --where have no effect on the dataset reader '{name}'; leave them out")
            self.columns = {name: "+".join(sources) for name, sources in reader.view.columns.items()}
            self.where = list(map(str, reader.view.where))
        self.add_counts(counts)

    def merge(self, other: InputSummary, starts: Mapping[str, int] | None = None) -> None:
        """Adds the counts of later input; the number of inputs is not added, because both may have the same inputs.

        Args:
            other: The counts.
            starts: The number of lines of each file before the other input.
        """
        if self.texts is not None and other.texts is not None:
            self.texts.merge(other.texts, starts or {})
        self.needs = self.needs or other.needs
        for label, lengths in other.longest.items():
            self._keep_longer(label, lengths)
        for system, number in other.outputs.items():
            self.outputs[system] = self.outputs.get(system, 0) + number
        for system, output_type in other.types.items():
            self.types.setdefault(system, output_type)
        ranges = [found for found in (self.references, other.references) if found is not None]
        if ranges:
            self.references = min(low for low, _ in ranges), max(high for _, high in ranges)
        self.skipped += other.skipped
        self.columns, self.where = self.columns or other.columns, self.where or other.where
        self.add_counts(other)

    @property
    def number_of_references(self) -> str:
        """The number of references as in a signature: ``8``, or ``1-10`` where it varies."""
        lowest, highest = self.references or (0, 0)
        return str(lowest) if lowest == highest else f"{lowest}-{highest}"

    def note_long_texts(self, log: Log) -> None:
        """Reports once which texts are long; it is called before they are scored, to explain a long run."""
        if not self._noted:
            for label, (first, second, limit) in self.longest.items():
                unit = "minutes" if first * second > 60 * limit**2 else "seconds"
                log.note(
                    f"'{label}' compares a text of {first:,} characters with one of {second:,}, which can take "
                    f"{unit}: its time grows faster than the texts, and may exceed a second above {limit:,} "
                    "characters each. To score faster, split texts into segments, such as paragraphs"
                )
        self._noted = True

    def check_texts(self, log: Log) -> None:
        """Reports once what the checks of texts find; a run calls it before it scores, if its input is small.

        Raises:
            DataError: if they find anything and the run is strict.
        """
        if self.texts is not None and not self.texts.is_reported:
            self.texts.is_reported = True
            needs = [
                one._replace(expects_detokenized=one.expects_detokenized and not log.are_detokenized)
                for one in self.needs
            ]
            warnings, notes = self.texts.lines(needs, log.option_form)
            if warnings:
                log.warn_all(warnings, TextWarning)
            for note in notes:
                log.note(note, TextWarning)

    def warn(self, log: Log, compared: bool = False) -> None:
        """Warns of input that may mislead: skipped or missing outputs, and what the checks of texts find.

        Args:
            log: Receives the warnings.
            compared: Whether systems are compared, so that missing outputs matter.
        """
        self.check_texts(log)
        for note in self._row_notes():
            log.note(note)
        if len(self.outputs) > 1 and (alike := similar_names("systems", self.outputs, "output")):
            log.warn(alike)
        if self.skipped:
            were = "was" if self.skipped == 1 else "were"
            log.warn(f"{counted(self.skipped, 'duplicate output')} {were} skipped, as --duplicates requests")
        if self.longest:
            self.note_long_texts(log)
        short = {name: count for name, count in self.outputs.items() if count < self.num_instances}
        peers = [name for name in short if self.types[name] == "peer"]
        if compared and peers and len(self.outputs) > 1:
            have = "has" if len(peers) == 1 else "have"
            named = [f"'{name}' {short[name]}" for name in peers[:SYSTEMS_NAMED]] + ["…"] * (len(peers) > SYSTEMS_NAMED)
            log.warn(
                f"{len(peers)} of {len(self.outputs)} systems {have} "
                f"outputs for fewer than {self.num_instances} inputs "
                f"({', '.join(named)}); their scores cover different inputs"
            )

    def rows_as_json(self) -> dict[str, Any]:
        """Returns how rows were read, for files of results; nothing if all were read as they are."""
        written: dict[str, Any] = {"columns": self.columns} if self.columns else {}
        return {**written, "where": self.where, "left_out": self.left_out} if self.where else written

    def _row_notes(self) -> Iterator[str]:
        if self.is_numbered:
            yield NUMBERED
        if self.turn:
            yield turn_note(self.turn)
        if self.where:
            yield left_out_note(self.left_out, self.where)
        for column, name in self.unused.items():
            yield f"'{name}' is read from '{self.columns.get(name, '')}', so the column '{column}' is not used"


def left_out_note(count: int, where: Sequence[str]) -> str:
    """Returns how many rows did not meet the conditions."""
    from metrics_framework.inputs.row_view import flags_of_conditions

    return f"{LEFT_OUT} {counted(count, 'row')}, as {flags_of_conditions(where)} requests"


def no_outputs(summary: InputSummary, input_files: Sequence[str]) -> DataError:
    """Returns the error for input without outputs; if conditions left out all rows, it shows the values of columns."""
    from metrics_framework.inputs.row_view import all_left_out

    path = ", ".join(input_files)
    if not summary.left_out:
        return DataError("contains no outputs; there is nothing to score", path)
    return DataError(all_left_out(summary.where, summary.left_out, summary.values), path)


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple))


_LARGEST_RATIO = 20
"""How much longer a text that a summary is compared with may be; pairs with a larger ratio are not looked for."""


def _length(text: Text | None) -> int:
    return len(text or "") if text is None or isinstance(text, str) else sum(map(len, text))
