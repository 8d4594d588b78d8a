"""Readers of rows: with the fields of one kind of metric, and with all fields (``default``)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, ClassVar

from metrics_framework.common.errors import DataError, Problems
from metrics_framework.common.overriding import overrides
from metrics_framework.data.eval_instance import EvalInstance, OutputColumns
from metrics_framework.data.fields import FIELD_CHECKS, MAX_DIGITS, SINGULARS
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.dataset_readers.files_of_outputs import check_plain_text, files_of_fields
from metrics_framework.dataset_readers.row_reader import RowReader
from metrics_framework.inputs.keys import RowCounts
from metrics_framework.inputs.row_view import value_text
from metrics_framework.inputs.rows import known_fields, rows_of_test_set, text, texts
from metrics_framework.io.reading import Piece, read_lines


class FieldsReader(RowReader):
    """Base class of readers of rows with the same fields.

    Attributes:
        names: The fields.
    """

    fields_are_columns = True
    names: ClassVar[Sequence[str]] = ("summary",)

    @overrides
    def provides(self) -> set[str]:
        return {*self.names}

    @overrides
    def fields(self, row: Mapping[str, Any]) -> dict[str, Any]:
        return {
            name: texts(row, name, SINGULARS[name]) if name in SINGULARS else text(row, name) for name in self.names
        }


@DatasetReader.register("reference-based")
class ReferenceBasedReader(FieldsReader):
    """Reads rows with ``summary`` and ``references`` (or one ``reference``)."""

    names = ("summary", "references")


@DatasetReader.register("source-reference-based")
class SourceReferenceBasedReader(FieldsReader):
    """Reads rows with ``summary``, ``references`` (or one ``reference``) and ``source``."""

    names = ("summary", "references", "source")


@DatasetReader.register("document-based")
class DocumentBasedReader(FieldsReader):
    """Reads rows with ``summary`` and ``documents`` (or one ``document``)."""

    fields_are_columns = False
    names = ("summary", "documents")


@DatasetReader.register("summary-only")
class SummaryOnlyReader(FieldsReader):
    """Reads rows with ``summary``, whatever else they have."""


@DatasetReader.register("default")
class DefaultReader(RowReader):
    """Reads rows with the fields that the metric needs; texts to compare with may come from text files.

    Rows without ``instance_id`` are numbered in files of one system. ``--columns`` names the columns of fields, and
    ``--where`` selects rows.

    Args:
        references: Text files of references, one text per line; line n belongs to the rows with instance_id n.
        sources: A text file of sources, one text per line; line n belongs to the rows with instance_id n.
        documents: Text files of documents, one text per line; line n belongs to the rows with instance_id n.
        test_set: A JSONL file with the other fields of each instance_id, such as source and references. It must have a
            row for each output, and each file an output for each of its rows that meet the conditions.
    """

    fields_are_columns = True

    def __init__(
        self,
        references: list[str] | None = None,
        sources: str | None = None,
        documents: list[str] | None = None,
        test_set: str | None = None,
    ) -> None:
        self._files = files_of_fields(references, documents, sources)
        self.test_set = test_set
        self._lines: dict[str, list[str]] = {}
        self._rows: dict[str, tuple[int, dict[str, Any]]] = {}

    @overrides
    def instances(self, input_files: Sequence[str], problems: Problems) -> Iterator[EvalInstance]:
        self._lines.clear()
        self._rows = {}
        return super().instances(input_files, problems)

    @overrides
    def pieces(self, input_files: Sequence[str], size: int) -> list[Piece] | None:
        return None if self.test_set is not None else super().pieces(input_files, size)  # ids of a file are counted

    @overrides
    def instances_of(self, piece: Piece, problems: Problems) -> Iterator[EvalInstance]:
        instances = super().instances_of(piece, problems)
        if self.test_set is not None:
            return self._of_test_set(instances, piece.path, self.test_set, problems)
        if not self._files:
            return instances
        if not self._lines:
            text_files = [*chain(*self._files.values())]
            check_plain_text([], text_files)
            self._lines = {file: list(map(str.rstrip, read_lines(file))) for file in text_files}
        return self._joined(instances, problems)

    @overrides
    def columns_of(
        self, piece: Piece, problems: Problems, fields: Collection[str] | None, size: int
    ) -> Iterator[OutputColumns | list[EvalInstance]] | None:
        return None if self._files or self.test_set else super().columns_of(piece, problems, fields, size)

    def _joined(self, instances: Iterator[EvalInstance], problems: Problems) -> Iterator[EvalInstance]:
        for instance in instances:
            with problems.at(instance.path, instance.line):
                for name, files in self._files.items():
                    found = [self._text_of(instance.instance_id, file) for file in files]
                    if instance.fields.get(name) is not None:
                        raise DataError(f"'{name}' is in the row and in text files; use only one of them")
                    instance.fields[name] = found[0] if name == "source" else found
                yield instance

    def _of_test_set(
        self, instances: Iterator[EvalInstance], path: str, test_set: str, problems: Problems
    ) -> Iterator[EvalInstance]:
        """Yields the outputs of a file with the fields of the test set; reports ids that only one of them has."""
        if not self._rows:
            for line, name, row in rows_of_test_set(test_set, problems):
                with problems.at(test_set, line):
                    self._rows[name] = line, known_fields(row)
        expected = {name: line for name, (line, row) in self._rows.items() if self._is_wanted(row)}
        found: dict[str, set[str]] = {}
        for instance in instances:
            with problems.at(instance.path, instance.line):
                if instance.instance_id not in self._rows:
                    raise DataError(f"'{instance.instance_id}' is not in the test set {test_set}")
                line, row = self._rows[instance.instance_id]
                for name, value in row.items():
                    if name in FIELD_CHECKS and instance.fields.get(name, value) != value:
                        raise DataError(f"'{name}' differs from line {line} of the test set {test_set}")
                    instance.fields.setdefault(name, value)
                found.setdefault(instance.summarizer_id, set()).add(instance.instance_id)
                yield instance
        for system, names in found.items():
            if missing := [name for name in expected if name not in names]:
                others = f" and {len(missing) - 1} others" if len(missing) > 1 else ""
                where = f"line {expected[missing[0]]} of {test_set}"
                problems.add(DataError(f"'{system}' has no output for '{missing[0]}' ({where}){others}", path))

    def _is_wanted(self, row: Mapping[str, Any]) -> bool:
        """Returns whether a row of the test set meets the conditions on columns that it has."""
        conditions = () if self.view is None else self.view.where
        return RowCounts().keeps(conditions, lambda name: value_text(name, row[name]) if name in row else None)

    @overrides
    def fields(self, row: Mapping[str, Any]) -> dict[str, Any]:
        return known_fields(row)

    def _text_of(self, instance_id: str, file: str) -> str:
        lines = self._lines[file]
        is_number = instance_id.isascii() and instance_id.isdigit() and len(instance_id) <= MAX_DIGITS
        number = int(instance_id) if is_number else 0
        if not 1 <= number <= len(lines):
            raise DataError(
                f"'instance_id' must be a line number of {file}, from 1 to {len(lines)}, to join the two; got "
                f"'{instance_id}'"
            )
        return lines[number - 1]
