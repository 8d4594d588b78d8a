"""The base classes of readers: `DatasetReader`, and `RowReader` for files with one output per row."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any, ClassVar

from metrics_framework.common.construct import build, parse_spec
from metrics_framework.common.definitions import defined_at
from metrics_framework.common.errors import DataError, PluginError, Problems, UsageError
from metrics_framework.common.overriding import overrides
from metrics_framework.common.registrable import Registrable
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.data.field_names import with_standard_names
from metrics_framework.data.output_columns import OutputColumns
from metrics_framework.data.texts import shown
from metrics_framework.dataset_readers import REGISTRY
from metrics_framework.dataset_readers.json_columns import LaterProblems, RowsAhead, columns_ahead
from metrics_framework.dataset_readers.numbered_references import with_references
from metrics_framework.dataset_readers.rows import identity, read_rows
from metrics_framework.dataset_readers.system_names import path_names
from metrics_framework.io.locations import is_remote
from metrics_framework.io.parquet import ParquetInput, is_parquet, rows_of
from metrics_framework.io.pieces import Piece, pieces_of_lines
from metrics_framework.io.streams import STANDARD, is_read_once, uncompressed_name
from metrics_framework.io.tables import is_table
from metrics_framework.io.text_lines import can_be_plain_text


class DatasetReader(Registrable, registry=REGISTRY):
    """Base class of readers, which read files into instances.

    A reader defines `instances`. It adds every problem of a row or of a file to ``problems`` and continues with the
    next, so that all problems are reported together. It raises only problems that make the whole input unreadable.

    Attributes:
        number_of_files: The number of input files, `None` for any.
        files_meaning: A description of the input files, for messages and help.
    """

    number_of_files: ClassVar[int | None] = None
    files_meaning: ClassVar[str] = "files of outputs"
    names_file: ClassVar[Callable[[str], bool]] = staticmethod(lambda text: os.path.exists(text) or is_remote(text))

    @abstractmethod
    def instances(self, input_files: Sequence[str], problems: Problems) -> Iterator[EvalInstance]:
        """Yields the instances of the files, in order.

        Args:
            input_files: The paths.
            problems: Collects the problems of rows and files.
        """

    def pieces(self, input_files: Sequence[str], size: int) -> list[Piece] | None:
        """Splits the input into pieces that can be read independently, in the order of the input.

        Args:
            input_files: The paths.
            size: The greatest number of bytes of a piece of a file that can be split.

        Returns:
            The pieces, which `instances_of` reads; `None` if this reader needs all files together.
        """
        return None

    def instances_of(self, piece: Piece, problems: Problems) -> Iterator[EvalInstance]:
        """Yields the instances of a piece; their lines are counted from its start, and the piece's ``lines`` is set.

        Args:
            piece: The piece.
            problems: Collects the problems of rows and files.
        """
        raise NotImplementedError(f"'{self.registered_name}' reads no pieces of files")

    def columns_of(
        self, piece: Piece, problems: Problems, fields: Collection[str] | None, size: int
    ) -> Iterator[OutputColumns | list[EvalInstance]] | None:
        """Yields the outputs of a piece in batches, as columns where possible; like `instances_of`.

        Args:
            piece: The piece.
            problems: Collects the problems of rows and files.
            fields: The fields that are needed; `None` for all.
            size: The largest size of a batch.

        Returns:
            The batches; `None` if the reader, or the format of the file, has no columns.
        """
        return None

    def read(self, *input_files: str | Sequence[str]) -> Iterator[EvalInstance]:
        """Yields the instances of the files, then raises all their problems together.

        Args:
            input_files: The paths, or lists of paths.

        Raises:
            UsageError: if the number of files is wrong.
            DataError: if a file or a row is invalid.
        """
        problems = Problems()
        paths = [path for item in input_files for path in ([item] if isinstance(item, str) else item)]
        yield from self.instances(self.checked_files(paths), problems)
        problems.raise_any()

    def provides(self) -> set[str] | None:
        """Returns the fields that the instances will have, `None` if unknown before reading."""
        return None

    def can_read_twice(self, input_files: Sequence[str]) -> bool:
        """Returns whether the input can be read several times: none of it is standard input or a pipe."""
        return not any(map(is_read_once, [*input_files, *self.files_read()]))

    def checked_files(self, input_files: Sequence[str]) -> Sequence[str]:
        """Checks the number of files, and returns the files.

        Raises:
            UsageError: if there are no files, or the reader needs another number.
        """
        if not input_files:
            raise UsageError(f"no input files; '{self.registered_name}' reads {self.files_meaning}")
        if self.number_of_files is not None and len(input_files) != self.number_of_files:
            raise UsageError(
                f"the dataset reader '{self.registered_name}' needs {self.number_of_files} files "
                f"({self.files_meaning}), got {len(input_files)}"
            )
        return input_files


class RowReader(DatasetReader):
    """Reads files with one output per row: JSONL, or by their ending CSV, TSV or Parquet. A subclass defines `fields`.

    Attributes:
        fields_are_columns: Whether `fields` takes texts and lists of texts unchanged, so that Parquet files and, unless
            `provides` names fields, JSON lines can be read as columns.
    """

    fields_are_columns: ClassVar[bool] = False

    @overrides
    def instances(self, input_files: Sequence[str], problems: Problems) -> Iterator[EvalInstance]:
        for path, name in zip(input_files, path_names(input_files), strict=True):
            yield from self.instances_of(Piece(path, name), problems)

    @overrides
    def pieces(self, input_files: Sequence[str], size: int) -> list[Piece] | None:
        if not _is_defined_with(type(self), "instances_of", ["instances"]):  # a subclass changes only `instances`
            return None
        pieces = []
        for path, name in zip(self.checked_files(input_files), path_names(input_files), strict=True):
            if is_parquet(path):
                from metrics_framework.dataset_readers.parquet_columns import pieces_of_row_groups

                pieces += pieces_of_row_groups(path, name, size)
                continue
            whole = path == STANDARD or is_table(path)
            pieces += [Piece(path, name)] if whole else pieces_of_lines(path, name, size)
        return pieces

    @overrides
    def instances_of(self, piece: Piece, problems: Problems) -> Iterator[EvalInstance]:
        try:
            yield from self._instances(read_rows(piece.path, problems, piece), piece, problems)
        except DataError as problem:
            piece.stopped = True
            problems.add(problem)

    def _instances(
        self, rows: Iterable[tuple[int, dict[str, Any]]], piece: Piece, problems: Problems
    ) -> Iterator[EvalInstance]:
        """Yields the valid outputs among rows."""
        for line, row in rows:
            try:
                yield self.instance(with_standard_names(row), piece.path, line, piece.name)
            except DataError as problem:
                problems.add(problem if problem.path else DataError(problem.message, piece.path, line))

    @overrides
    def columns_of(
        self, piece: Piece, problems: Problems, fields: Collection[str] | None, size: int
    ) -> Iterator[OutputColumns | list[EvalInstance]] | None:
        own = ["instances", "instances_of", "instance", "fields"]
        if not self.fields_are_columns or not _is_defined_with(type(self), "fields_are_columns", own):
            return None
        if is_parquet(piece.path):
            return self._columns(piece, problems, fields, size)
        return (
            None if is_table(piece.path) or self.provides() is not None else self._json_columns(piece, problems, size)
        )

    def _json_columns(
        self, piece: Piece, problems: Problems, size: int
    ) -> Iterator[OutputColumns | list[EvalInstance]]:
        """Yields the outputs of JSON lines; after the first problem, all are read one by one."""
        later = LaterProblems(problems)
        rows = RowsAhead(piece, later)
        while True:
            columns, ahead = columns_ahead(rows, piece, later, size)
            if columns is not None and not ahead and not later.held:
                yield columns
                continue
            instances = [] if columns is None else columns.instances()
            ahead += islice(rows, size - len(instances) - len(ahead))
            if later.held or not ahead:
                break
            found = list(self._instances(with_references(iter(ahead), piece.path, later), piece, later))
            if later.held:
                later.held.clear()  # found again below, in the order of lines
                break
            yield instances + found
        in_order = with_references(later.in_order(ahead, rows), piece.path, problems)
        others = chain(instances, self._instances(in_order, piece, problems))
        while batch := list(islice(others, size)):
            yield batch

    def _columns(
        self, piece: Piece, problems: Problems, fields: Collection[str] | None, size: int
    ) -> Iterator[OutputColumns | list[EvalInstance]]:
        from metrics_framework.dataset_readers.parquet_columns import ColumnReader

        try:
            with ParquetInput(piece.path) as file:
                reader = ColumnReader(file, fields if self.provides() is None else self.provides())
                for first, rows, batch in reader.batches(piece, size):
                    piece.lines = first + rows - 1
                    yield batch if isinstance(batch, OutputColumns) else self._rows(batch, first, piece, problems)
        except DataError as problem:
            piece.stopped = True
            problems.add(problem)

    def _rows(self, batch: Any, first: int, piece: Piece, problems: Problems) -> list[EvalInstance]:
        """Returns the valid outputs of a batch of Arrow."""
        path, instances = piece.path, []
        for line, row in with_references(rows_of(batch, first, path, problems), path, problems):
            try:
                instances.append(self.instance(with_standard_names(row), path, line, piece.name))
            except DataError as problem:
                problems.add(DataError(problem.message, path, line))
        return instances

    def instance(self, row: Mapping[str, Any], path: str, line: int, default_summarizer: str) -> EvalInstance:
        """Creates an instance from a row.

        Raises:
            DataError: if a field is missing or invalid.
            PluginError: if `fields` returns no dictionary.
        """
        instance_id, summarizer_id, summarizer_type = identity(row, default_summarizer)
        fields = self.fields(row)
        if not isinstance(fields, Mapping):
            raise PluginError(
                f"{defined_at(type(self).fields)}: fields of the dataset reader '{self.registered_name}' must return a "
                f"dictionary of fields, got {shown(fields)}"
            )
        return EvalInstance(instance_id, summarizer_id, summarizer_type, fields, path, line)

    @abstractmethod
    def fields(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the fields of a row.

        Raises:
            DataError: if a field is missing or invalid.
        """


def _is_defined_with(reader: type[DatasetReader], name: str, others: Sequence[str]) -> bool:
    """Returns whether no class changes other attributes of a reader without defining this one, too."""

    def level(attribute: str) -> int:
        return next(index for index, base in enumerate(reader.__mro__) if attribute in vars(base))

    return all(level(name) <= level(other) for other in others)


def check_plain_text(outputs: Sequence[str], others: Sequence[str] = ()) -> None:
    """Checks the endings of plain-text files.

    Args:
        outputs: The files of outputs.
        others: The files of references and sources.

    Raises:
        UsageError: if a file has the ending of another format.
    """
    for path in others:
        if not can_be_plain_text(path):
            advice = "; if its lines have N references each, separated by tabs, add --num-refs N"
            is_tsv = uncompressed_name(path).endswith(".tsv") and os.path.exists(path)
            found = advice if is_tsv else _misplaced(path)
            raise UsageError(f"references and sources must be plain text, got '{path}'{found}")
    for path in outputs:
        if not can_be_plain_text(path):
            advice = f"use --input-files for JSONL and tables{_misplaced(path)}"
            raise UsageError(f"--outputs must be plain text, got '{path}'; {advice}")


def _misplaced(path: str) -> str:
    """Returns advice for a file that does not exist: it is one to write, which a flag with several files took."""
    return "" if os.path.exists(path) else "; a file to write comes before the flags"


def refuse_several_systems(path: str, first_line: str) -> None:
    """Rejects outputs of several systems on standard input: sacreBLEU reads one output of each, separated by tabs.

    Args:
        path: The file of outputs; only standard input is checked.
        first_line: Its first line.

    Raises:
        DataError: if the line contains a tab.
    """
    if path == STANDARD and "\t" in first_line:
        texts = first_line.count("\t") + 1
        raise DataError(
            f"expected the output of one system, got {texts} texts separated by tabs; write one file per "
            "system and use -i FILE FILE …, which also accepts texts with tabs",
            path,
            1,
        )


def load_reader(spec: str | Mapping[str, Any], /, **options: Any) -> DatasetReader:
    """Builds a reader by name.

    Args:
        spec: A registered name, ``name:option=value,…`` or ``{"type": name, …}``.
        options: The options of its constructor.

    Raises:
        UnknownNameError: if the reader or an option does not exist.
        UsageError: if an option has an invalid value.
    """
    name, given = parse_spec(spec)
    reader: DatasetReader = build(DatasetReader.by_name(name), DatasetReader, {**given, **options}, name)
    return reader
