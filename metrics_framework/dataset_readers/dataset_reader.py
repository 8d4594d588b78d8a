"""The base class of readers."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from metrics_framework.common.errors import DataError, Problems, UsageError
from metrics_framework.common.options import build, parse_spec
from metrics_framework.common.registrable import Registrable
from metrics_framework.data.eval_instance import EvalInstance, OutputColumns
from metrics_framework.dataset_readers import REGISTRY
from metrics_framework.io.locations import is_remote
from metrics_framework.io.reading import Piece, is_read_once

if TYPE_CHECKING:
    from metrics_framework.inputs.keys import RowCounts
    from metrics_framework.inputs.row_view import Condition, RowView

T = TypeVar("T")


class DatasetReader(Registrable, registry=REGISTRY):
    """Base class of readers, which read files into instances.

    A reader defines `instances`. It adds every problem of a row or of a file to ``problems`` and continues with the
    next, so that all problems are reported together. It raises only problems that make the whole input unreadable.

    Attributes:
        number_of_files: The number of input files, `None` for any.
        files_meaning: A description of the input files, for messages and help.
        row_fields: The fields of rows that ``--columns`` can name, besides ids, texts and fields of metrics; `None` if
            the reader does not read rows as `view` describes.
        metric_fields: The fields of the metrics.
        column_names: The names of the columns of tables without a header.
        view: From which columns fields are read, and which rows are read; `None` for all rows as they are.
        parallel_files: Maps fields to their files, or lists in memory, if these are parallel to the outputs.
    """

    row_fields: ClassVar[Sequence[str] | None] = None
    metric_fields: Collection[str] = ()
    column_names: Sequence[str] = ()
    view: RowView | None = None
    parallel_files: Mapping[str, Sequence[str]] = {}
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

    def set_view(self, columns: Mapping[str, Sequence[str]], where: Sequence[Condition]) -> None:
        """Sets from which columns fields are read, and which rows are read.

        Args:
            columns: Maps fields to their columns.
            where: The conditions that rows must meet.

        Raises:
            UsageError: if the reader cannot do this, or a field is named twice.
        """
        if self.row_fields is None:
            flag = "--columns" if columns else "--where"
            raise UsageError(
                f"the dataset reader '{self.registered_name}' reads no rows with columns, so {flag} has no effect; "
                "leave it out, or use --input-files with JSONL, CSV, TSV or Parquet"
            )
        self.view = self.row_view(columns, where)

    def row_view(self, columns: Mapping[str, Sequence[str]] | None = None, where: Sequence[Condition] = ()) -> RowView:
        """Returns the view that was set or, given columns or conditions, a new one, of which the own fields are known.

        Args:
            columns: Maps fields to their columns.
            where: The conditions that rows must meet.
        """
        from metrics_framework.inputs.row_view import FIELDS, RowView

        if self.view is not None and columns is None:
            return self.view
        own = {*(self.row_fields or ()), *self.metric_fields}.difference(FIELDS)
        view = RowView(columns, where, self.row_counts(), own)
        view.column_names = self.column_names
        return view

    def know_metrics(self, fields: Iterable[str]) -> None:
        """Takes the fields of the metrics; columns of those that not all readers know have no role by their names."""
        self.metric_fields = {*fields}
        if self.view is not None:
            self.view = self.row_view(self.view.columns, self.view.where)

    def row_counts(self) -> RowCounts:
        """Returns what happened to the rows read so far; see `take_row_counts`."""
        from metrics_framework.inputs.keys import RowCounts

        counts: RowCounts = self.__dict__.setdefault("_row_counts", RowCounts())
        return counts

    def take_row_counts(self) -> RowCounts:
        """Returns what happened to the rows that were read since the last call."""
        counts = self.row_counts()
        del self.__dict__["_row_counts"]
        if self.view is not None:
            self.view.counts = self.row_counts()
        return counts

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


def until_problem(read: Iterable[T], piece: Piece, problems: Problems) -> Iterator[T]:
    """Yields what is read of a piece; a problem that ends the reading is collected, too."""
    try:
        yield from read
    except DataError as problem:
        piece.stopped = True
        problems.add(problem)


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
