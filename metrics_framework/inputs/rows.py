"""Reads rows: their ids and texts in all accepted forms, numbers in place of ids, and two files that are joined."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from metrics_framework.common.errors import DataError, Problems, how_to_name_column
from metrics_framework.data.fields import FIELD_CHECKS, IDENTITY_FIELDS, parse_id, parse_summarizer_type
from metrics_framework.data.texts import (
    Text,
    fault_of,
    is_missing_value,
    is_text,
    is_written_list,
    shown,
    without_paragraphs,
    written_as_text,
)
from metrics_framework.inputs import tables
from metrics_framework.inputs.keys import RowCounts, with_whole_ids
from metrics_framework.inputs.roles import advised, listed
from metrics_framework.inputs.row_view import LISTS_OF_TEXTS, SINGLE_TEXTS, Rows, RowView, check_written_lists
from metrics_framework.io.reading import Piece, listed_counts, stem


def read_rows(
    path: str,
    problems: Problems,
    piece: Piece | None = None,
    numbers: RowNumbers | None = None,
    view: RowView | None = None,
) -> Rows:
    """Yields the rows of a file of any format, with their line numbers.

    Fields have their standard names, as `RowView` finds them.

    Args:
        path: The file.
        problems: Collects the problems of rows.
        piece: The piece of a JSONL or Parquet file to read; `None` for the whole file.
        numbers: Numbers rows without ids; `None` to leave them without.
        view: From which columns fields are read, and which rows are read; `None` for all rows, by the usual names.
    """
    view = RowView() if view is None else view
    rows = tables.read_rows(path, problems, piece, view.column_names)
    is_table = tables.is_table(path)
    rows = prepared(rows, path, problems, numbers, view, is_table)
    return with_whole_ids(rows) if is_table else rows


def rows_of_test_set(path: str, problems: Problems) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Yields the line, the id and the fields of each row of a test set.

    Args:
        path: The file.
        problems: Collects invalid rows.
    """
    lines: dict[str, int] = {}
    for line, fields in read_rows(path, problems):
        with problems.at(path, line):
            if "summary" in fields:
                raise DataError("a test set must have no outputs ('summary'); score them with --input-files instead")
            instance_id = parsed_instance_id(fields)
            if instance_id in lines:
                raise DataError(f"duplicate 'instance_id' '{instance_id}' (first on line {lines[instance_id]})")
            lines[instance_id] = line
            yield line, instance_id, fields


def identity(row: Mapping[str, Any], default_summarizer: str) -> tuple[str, str, str]:
    """Returns instance id, summarizer id and summarizer type of a row.

    Args:
        row: The row.
        default_summarizer: The id if ``summarizer_id`` is absent.

    Raises:
        DataError: if the instance id is missing, or an id or the type is invalid.
    """
    return (
        parsed_instance_id(row),
        parse_id(row.get("summarizer_id", default_summarizer), "summarizer_id"),
        parse_summarizer_type(row.get("summarizer_type", "peer"), "summarizer_type"),
    )


def parsed_instance_id(row: Mapping[str, Any]) -> str:
    """Returns the instance id of a row.

    Raises:
        DataError: if the id is missing or invalid.
    """
    if "instance_id" not in row:
        raise _without_id(row)
    return parse_id(row["instance_id"], "instance_id")


def _without_id(names: Collection[str]) -> DataError:
    advice = "; add it: the id of the input, which the outputs of all systems share, or name its column with "
    return _missing("'instance_id'", names, f"{advice}--columns instance_id=COLUMN")


def _missing(field: str, names: Collection[str], advice: str = "") -> DataError:
    return DataError(f"{field} is missing; {listed(names)}{advice}")


def text(row: Mapping[str, Any], name: str) -> Text:
    """Returns the text of a field: a string or a list of strings, bare or as ``{"text": …}``.

    Raises:
        DataError: if the id is missing or invalid.
    """
    if name not in row:
        raise _missing(f"'{name}'", row)
    return _text(row[name], name)


def texts(row: Mapping[str, Any], name: str, single: str) -> list[Text]:
    """Returns the texts of a field that is a list, or the text of its singular form, which takes precedence.

    Args:
        row: The row.
        name: The field, such as ``references``.
        single: The singular form, such as ``reference``.

    Raises:
        DataError: if both are missing, or the value is not a non-empty list of texts.
    """
    values = row.get(name)
    if row.get(single) is not None:
        return [_text(row[single], single)]
    if name not in row:
        raise _missing(f"'{name}' (or '{single}')", row)
    present = enumerate(values if isinstance(values, (list, tuple)) else ())
    found = [
        value if type(value) is str else _text(value, f"{name}[{index}]")
        for index, value in present
        if type(value) is str or not is_missing_value(value)
    ]
    if not found:
        if isinstance(values, str) and is_written_list(values):
            raise DataError(written_as_text(name))
        hint = _HINTS.get(name, "") if isinstance(values, str) else ""
        raise DataError(f"'{name}' must be a non-empty list of texts, got {shown(values)}{hint}")
    return found


def _text(value: Any, name: str) -> Text:
    inner: Any = value.get("text") if isinstance(value, dict) else value
    if type(inner) is str or is_text(inner):
        return inner  # type: ignore[no-any-return]
    if name.startswith("document") and is_text(sentences := without_paragraphs(inner)):
        return sentences  # type: ignore[no-any-return]
    if isinstance(value, dict) and "text" not in value:
        raise DataError(f"'{name}' must have a 'text', got {shown(value)}")
    raise DataError(f"'{name}' {fault_of(inner)}")


_HINTS = {
    "references": "; name one text 'reference', several 'reference_1', 'reference_2', …",
    "documents": "; name one text 'document'",
}


def known_fields(row: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the fields of a row: known fields are checked, unknown fields are kept unchanged."""
    fields: dict[str, Any] = {}
    for name, value in row.items():
        if name in IDENTITY_FIELDS:
            continue
        if value is None:
            if name in FIELD_CHECKS:
                fields.setdefault(name, None)  # which is reported where a metric needs it
            continue
        if name in LISTS_OF_TEXTS:
            forms = LISTS_OF_TEXTS[name]
            fields[forms[0]] = texts(row, *forms)
        elif type(value) is str or name not in SINGLE_TEXTS:
            fields[name] = value
        else:
            fields[name] = _text(value, name)
    return fields


class RowNumbers:
    """Numbers the rows of a piece of a file, if its first row has no id and all are of one system (decision 0021).

    Args:
        piece: The piece; its ``is_numbered`` and ``system`` are set.
        counts: Records whether rows were numbered.
        has_systems: Whether rows are of systems.

    Attributes:
        count: The number of rows of the file so far.
    """

    def __init__(self, piece: Piece, counts: RowCounts, *, has_systems: bool = True) -> None:
        self.count = piece.rows_before
        self._piece, self._counts, self._has_systems = piece, counts, has_systems

    def numbered(self, row: dict[str, Any], names: Collection[str]) -> dict[str, Any]:
        """Returns the next row, with its number as its id if rows are numbered.

        Args:
            row: The row, with the names of fields.
            names: Its columns, with the names in its file.

        Raises:
            DataError: if some rows have ids and some have none, or rows without ids are of several systems.
        """
        self.count += 1
        if self.have_ids(row):
            if "instance_id" not in row:
                raise _without_id(names)
            return row
        return {**row, "instance_id": self.of_row(row.get("summarizer_id", self._piece.name), names)}

    def of_row(self, system: Any, names: Collection[str]) -> int:
        """Returns the number of the row of a system that was counted last.

        Raises:
            DataError: if a row before is of another system.
        """
        self._check_systems([system], names)
        return self.count

    def ids(self, systems: Sequence[Any], names: Collection[str]) -> list[str]:
        """Returns the ids of the rows after those that are counted, which have none.

        Args:
            systems: The system of each row.
            names: Their columns.

        Raises:
            DataError: if they are of several systems.
        """
        self._check_systems(systems, names)
        return list(map(str, range(self.count + 1, self.count + 1 + len(systems))))

    def have_ids(self, names: Collection[str]) -> bool:
        """Returns whether rows with these columns have ids, or should have: the first row of the input decides.

        Raises:
            DataError: if they have ids, but the first row has none.
        """
        if "instance_id" in names:
            if self._piece.is_numbered:
                raise id_in_some_rows(first_has_id=False)
            self._piece.is_numbered = False
            return True
        if self._piece.is_numbered is None:
            self._piece.is_numbered = True
        self._counts.is_numbered = self._counts.is_numbered or self._piece.is_numbered
        return not self._piece.is_numbered

    def _check_systems(self, systems: Sequence[Any], names: Collection[str]) -> None:
        if self._piece.system is None:
            self._piece.system = str(systems[0])
        others = {*map(str, systems)} - {self._piece.system}
        if others and self._has_systems:
            raise several_systems(self._piece.system, others.pop(), names, self._piece.path)


def id_in_some_rows(*, first_has_id: bool) -> DataError:
    """Returns the error for a row with an id after a first row without, or the reverse."""
    return DataError(
        f"'instance_id' must be in all rows or in none; the first row has {'one' if first_has_id else 'none'}"
    )


def several_systems(first: str | None, system: Any, row: Collection[str], path: str) -> DataError:
    """Returns the error for rows of several systems without ids; it names the option for the ids."""
    option = how_to_name_column(path, "instance_id")
    return DataError(
        f"'instance_id' is missing, and rows are numbered only if all rows of a file are of one system, but '{system}' "
        f"follows '{first}'; name the column with the id of the input, as in {option}; {listed(row)}"
    )


def prepared(
    rows: Rows, path: str, problems: Problems, numbers: RowNumbers | None, view: RowView, is_table: bool = False
) -> Rows:
    """Yields rows with the names of fields and their numbers, and leaves some out, as a view describes.

    Args:
        rows: The rows of a file, with line numbers.
        path: The file.
        problems: Collects the problems of rows.
        numbers: Numbers the rows; `None` if they must have ids.
        view: The names of columns and the conditions.
        is_table: Whether the cells are text, so that none can be a list.
    """
    view.counts.is_viewed = True
    for line, row in rows:
        try:
            named = view.named(row)
            if is_table:
                check_written_lists(named)
            if numbers is not None:
                named = numbers.numbered(named, row)
            if not view.keeps(row, named):
                continue
        except DataError as problem:
            problems.add(DataError(advised(problem.message, path), path, line))
        else:
            yield from ((line, one) for one in (view.of_systems(named) if numbers is not None else [named]))


JoinedFields: TypeAlias = "tuple[Sequence[str], Sequence[str]]"
"""The fields of a file of inputs, and those of a file of outputs."""


class JoinedRows:
    """Reads a file of inputs, such as documents, then a file of outputs.

    If neither has ids, the id of a row is its position in its file, and both must have the same number of rows.

    Args:
        files: The two files.
        problems: Collects the problems of both.
        counts: Records whether rows were numbered.
        view: From which columns fields are read, and which rows of outputs are read; `None` for all by their names.
        fields: The fields of each file.
    """

    def __init__(
        self, files: Sequence[str], problems: Problems, counts: RowCounts, view: RowView | None, fields: JoinedFields
    ) -> None:
        self._pieces = [Piece(path, stem(path)) for path in files]
        self._numbers = [RowNumbers(piece, counts, has_systems=piece is self._pieces[1]) for piece in self._pieces]
        self._problems = problems
        self._views = [view and view.restricted(of_file, has_conditions=of_file is fields[1]) for of_file in fields]

    def _rows(self, file: int) -> Rows:
        return read_rows(self._pieces[file].path, self._problems, None, self._numbers[file], self._views[file])

    def inputs(self) -> Rows:
        """Yields the rows of the first file, with their line numbers."""
        return self._rows(0)

    def outputs(self) -> Rows:
        """Yields the rows of the second file that can have an input, with their line numbers, after `inputs`."""
        inputs, outputs = self._numbers
        for line, row in self._rows(1):
            if self._has_ids_in_one():
                break
            if not self._is_numbered() or outputs.count <= inputs.count:
                yield line, row
        if self._has_ids_in_one():
            with_ids, without = sorted((piece for piece in self._pieces), key=lambda piece: bool(piece.is_numbered))
            message = (
                f"has no 'instance_id', but {with_ids.path} has it; rows are joined by 'instance_id', or by their "
                "positions if neither file has it"
            )
            self._problems.add(DataError(message, without.path))
        elif self._is_numbered() and inputs.count != outputs.count and not self._problems:
            listing = listed_counts([piece.path for piece in self._pieces], [inputs.count, outputs.count])
            message = f"both files must have the same number of rows to join rows without 'instance_id': {listing}"
            self._problems.add(DataError(message, self._pieces[1].path))

    def _is_numbered(self) -> bool:
        return any(piece.is_numbered for piece in self._pieces)

    def _has_ids_in_one(self) -> bool:
        return {piece.is_numbered for piece in self._pieces} >= {True, False}
