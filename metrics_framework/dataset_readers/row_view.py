"""`RowView`: from which columns fields are read, and which rows are read (decision 0021)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from metrics_framework.common.errors import DataError, UsageError, advice
from metrics_framework.data.fields import AMBIGUOUS_NAMES, IDENTITY_FIELDS, OTHER_NAMES, with_standard_names
from metrics_framework.data.texts import shown
from metrics_framework.dataset_readers.numbered_references import is_numbered_reference
from metrics_framework.dataset_readers.row_numbers import RowCounts
from metrics_framework.dataset_readers.rows import FIELD_NAMES, LISTS_OF_TEXTS, SINGLE_TEXTS

MAX_VALUES = 20
"""The number of values of a column that an error shows."""
_STANDARD = {other: name for name, others in OTHER_NAMES.items() for other in others}


class Condition(NamedTuple):
    """A condition that a row must meet.

    Attributes:
        column: The column.
        value: The text that its value is compared with.
        is_equal: Whether both must be equal, or different.
    """

    column: str
    value: str
    is_equal: bool = True

    def __str__(self) -> str:
        """Returns the condition as on the command line."""
        return f"{self.column}{'=' if self.is_equal else '!='}{self.value}"


class RowView:
    """From which columns fields are read, and which rows are read.

    Args:
        columns: Maps fields to the columns that they are read from: one, or several for lists of texts.
        where: The conditions that rows must meet; all must hold.
        counts: Counts the rows that are left out.

    Raises:
        UsageError: if a field is named twice, or a field with one value has several columns.
    """

    def __init__(
        self, columns: Mapping[str, Sequence[str]], where: Sequence[Condition] = (), counts: RowCounts | None = None
    ) -> None:
        self.columns: dict[str, list[str]] = {}
        for name, sources in columns.items():
            self._add(_STANDARD.get(name, name), list(sources))
        self.where = list(where)
        self.counts = RowCounts() if counts is None else counts
        self._sources = {source for sources in self.columns.values() for source in sources}
        self._names = {name: field for field in self.columns for name in _names_of(field)}

    def _add(self, field: str, sources: list[str]) -> None:
        if len(sources) > 1 and field not in LISTS_OF_TEXTS:
            raise UsageError(f"--columns: '{field}' has one value, so it is read from one column, got {len(sources)}")
        if not {field, *LISTS_OF_TEXTS.get(field, ())}.isdisjoint(self.columns):
            raise UsageError(f"--columns names '{field}' twice; for several references, use references=COLUMN+COLUMN")
        self.columns[field] = sources

    @property
    def sources(self) -> set[str]:
        """The columns that fields are read from, and those of conditions."""
        return {*self._sources, *(condition.column for condition in self.where)}

    def without_conditions(self) -> RowView:
        """Returns a view with the same names of all rows."""
        return RowView(self.columns)

    def restricted(self, fields: Iterable[str], has_conditions: bool) -> RowView:
        """Returns a view of another file of a reader with several.

        Args:
            fields: The fields that the file has.
            has_conditions: Whether the conditions are about its rows.
        """
        known = {*fields, *(form for field in fields for form in LISTS_OF_TEXTS.get(field, ()))}
        columns = {field: sources for field, sources in self.columns.items() if field in known}
        return RowView(columns, self.where if has_conditions else (), self.counts)

    def check_fields(self, fields: Iterable[str]) -> None:
        """Checks that the fields on the left of ``--columns`` are known.

        Args:
            fields: The fields of the metrics and the reader, in addition to those that all readers know.

        Raises:
            UsageError: if not.
        """
        known = dict.fromkeys([*IDENTITY_FIELDS, *SINGLE_TEXTS, *LISTS_OF_TEXTS, *fields])
        for field in self.columns:
            if field not in known:
                close = advice(field, known)
                raise UsageError(
                    f"--columns: no metric or reader has the field '{field}'{close}; the fields are {', '.join(known)}"
                )

    def check_columns(self, names: Iterable[str]) -> None:
        """Checks that a table has the columns that are named.

        Raises:
            DataError: if not.
        """
        row: dict[str, Any] = dict.fromkeys(names)
        named = self.named(row)
        for condition in self.where:
            self.text_of(condition.column, row, named)

    def is_named(self, column: str, meant: str) -> bool:
        """Returns whether a column is chosen, or the field whose name it resembles is read from another one."""
        return column in self._sources or meant in self._names

    def named(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Returns a row with the names of fields.

        Raises:
            DataError: if the row does not have a column.
        """
        if not self.columns:
            return dict(row)
        for field, sources in self.columns.items():
            for source in sources:
                if source not in row:
                    raise _missing_column(source, f"--columns reads '{field}' from it", row)
        renamed = {name: value for name, value in row.items() if not self.replaces(name)}
        for field, sources in self.columns.items():
            if len(sources) > 1:
                renamed[LISTS_OF_TEXTS[field][0]] = [row[name] for name in sources if row[name] not in (None, "")]
            else:
                renamed[_form(field, row[sources[0]])] = row[sources[0]]
        return renamed

    def replaces(self, name: str) -> bool:
        """Returns whether a column does not keep its name, because it or another column is read under that name."""
        if name in self._sources:
            return name in FIELD_NAMES or is_numbered_reference(name)
        field = self._names.get(name)
        if field is None and is_numbered_reference(name):
            field = next((field for field in self.columns if field in ("references", "reference")), None)
        if field is not None:
            self.counts.unused[name] = field
        return field is not None

    def named_columns(self, columns: Mapping[str, list[Any]]) -> dict[str, list[Any]] | None:
        """Returns the columns of consecutive rows with the names of fields; `None` to check the rows one by one."""
        if not self._sources <= columns.keys():
            return None
        renamed = {name: values for name, values in columns.items() if not self.replaces(name)}
        for field, sources in self.columns.items():
            forms = {_form(field, value) for value in columns[sources[0]]} if len(sources) == 1 else set()
            if len(forms) == 1:
                renamed[forms.pop()] = list(columns[sources[0]])  # a column may be read under several names
            elif forms:
                return None
            else:
                rows = zip(*(columns[source] for source in sources), strict=True)
                renamed[LISTS_OF_TEXTS[field][0]] = [
                    [value for value in row if value is not None and value != ""] for row in rows
                ]
        return renamed

    def keeps(self, row: Mapping[str, Any], named: Mapping[str, Any]) -> bool:
        """Returns whether a row meets the conditions, and counts it if it does not.

        Args:
            row: The row as it is in its file.
            named: The row with the names of fields.

        Raises:
            DataError: if the row has no column of a condition, or the value has no text.
        """
        unmet = []
        for condition in self.where:
            text = self.text_of(condition.column, row, named)
            if (text == condition.value) is not condition.is_equal:
                unmet.append((condition.column, text))
        for column, text in unmet:
            values = self.counts.values.setdefault(column, {})
            if text in values or len(values) < MAX_VALUES:
                values[text] = values.get(text, 0) + 1
        self.counts.left_out += bool(unmet)
        return not unmet

    def text_of(self, column: str, row: Mapping[str, Any], named: Mapping[str, Any]) -> str:
        """Returns the value of a column as text; the column has its name in the file, or that of its field.

        Raises:
            DataError: if the row does not have the column, or the value has no text.
        """
        if column in row:
            return value_text(column, row[column])
        standard = with_standard_names(named)
        if column in standard:
            return value_text(column, standard[column])
        raise _missing_column(column, "--where or --by compares it", row)


def value_text(column: str, value: Any) -> str:
    """Returns the text that conditions compare: strings as they are, numbers and booleans as in JSON, null as no text.

    Raises:
        DataError: if the value is a list or an object.

    >>> [value_text("split", value) for value in ("dev", 3, 0.5, True, None)]
    ['dev', '3', '0.5', 'true', '']
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    if value is None:
        return ""
    if isinstance(value, (int, float)):
        return str(value)
    raise DataError(f"'{column}' must be a string, a number or a boolean to compare it, got {shown(value)}")


def _missing_column(column: str, why: str, row: Iterable[str]) -> DataError:
    names = list(row)
    listing = ", ".join(f"'{name}'" for name in names) or "nothing"
    return DataError(f"the column '{column}' is missing ({why}); the row has {listing}{advice(column, names)}")


def _names_of(field: str) -> list[str]:
    """Returns all names of a field, which another column must not have; ambiguous names may mean something else."""
    forms = LISTS_OF_TEXTS.get(field, (field,))
    return [*forms, *(name for name in OTHER_NAMES.get(field, ()) if name not in AMBIGUOUS_NAMES)]


def _form(field: str, value: Any) -> str:
    """Returns the name of a field for a value: that of a single text for a text, although the field is a list."""
    single = LISTS_OF_TEXTS.get(field, (field, field))[1]
    return single if isinstance(value, (str, Mapping)) else field
