"""`RowView`: from which columns fields are read, and which rows are read (decision 0021); numbered references."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from metrics_framework.common.errors import DataError, InputError, Problems, UsageError, advice
from metrics_framework.data.fields import AMBIGUOUS_NAMES, IDENTITY_FIELDS, OTHER_NAMES, with_standard_names
from metrics_framework.data.texts import shown

Rows = Iterator[tuple[int, dict[str, Any]]]
"""Rows with their line numbers."""
SINGLE_TEXTS = ("summary", "source")
SINGULARS = {"references": "reference", "documents": "document"}
LISTS_OF_TEXTS = {form: forms for forms in SINGULARS.items() for form in forms}
FIELD_NAMES = {
    *(*IDENTITY_FIELDS, *SINGLE_TEXTS, *LISTS_OF_TEXTS),
    *(name for names in OTHER_NAMES.values() for name in names),
}
MAX_VALUES = 20
"""The number of values of a column that an error shows."""
_STANDARD = {other: name for name, others in OTHER_NAMES.items() for other in others}


class RowCounts:
    """What happened to the rows that a reader has read, for notes and errors.

    Attributes:
        is_numbered: Whether rows have no id, so that they were numbered.
        left_out: The number of rows that did not meet the conditions.
        values: The columns of conditions that were not met, and how many of these rows have each value.
        unused: Columns with the name of a field that was read from another column, and that field.
        is_viewed: Whether the view of the reader was applied to the rows.
    """

    def __init__(self) -> None:
        self.is_numbered = False
        self.is_viewed = False
        self.left_out = 0
        self.values: dict[str, dict[str, int]] = {}
        self.unused: dict[str, str] = {}


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


_NUMBERED = re.compile(r"(?:reference|ref)[_.-]?(\d+)")
_PLAIN = ("reference", "references")
_MAX_SHAPES = 1000


def is_numbered_reference(name: str) -> bool:
    """Returns whether a column is one of several references.

    >>> [is_numbered_reference(name) for name in ("reference_0", "ref.1", "reference", "ref_id")]
    [True, True, False, False]
    """
    return _NUMBERED.fullmatch(name) is not None


def with_references(rows: Rows, path: str, problems: Problems) -> Rows:
    """Collects the numbered references of each row in a list, in the order of the columns.

    A missing value or an empty text is a missing reference, since all rows of a table have the same columns.

    Args:
        rows: The rows of a file, with line numbers.
        path: The file.
        problems: Collects the problems of rows.
    """
    plain_shapes: set[tuple[str, ...]] = set()  # of rows without numbered references, nearly all
    for line, row in rows:
        names = tuple(row)
        if names not in plain_shapes:
            numbered = [name for name in names if is_numbered_reference(name)]
            if numbered:
                try:
                    row = _collected(row, numbered)
                except DataError as problem:
                    problems.add(DataError(problem.message, path, line))
                    continue
            elif len(plain_shapes) < _MAX_SHAPES:
                plain_shapes.add(names)
        yield line, row


def collect_references(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """Collects the numbered references of one row in a list; see `with_references`.

    Raises:
        DataError: if a row has numbered and other references.
    """
    numbered = [name for name in row if is_numbered_reference(name)]
    return _collected(row, numbered) if numbered else row


def _collected(row: Mapping[str, Any], numbered: list[str]) -> dict[str, Any]:
    plain = {name: value for name, value in row.items() if name not in numbered}
    for name in _PLAIN:
        if plain.get(name) is not None:
            raise DataError(
                f"references must all be numbered or none, got '{name}' and '{numbered[0]}'; "
                f"rename '{name}' to 'reference_{_free_number(numbered)}'"
            )
    return {**plain, "references": [row[name] for name in numbered if row[name] is not None and row[name] != ""]}


def _free_number(numbered: Iterable[str]) -> int:
    taken = {int(match[1]) for match in map(_NUMBERED.fullmatch, numbered) if match}
    return next(number for number in (1, 0, max(taken) + 1) if number not in taken)


def check_written_lists(row: Mapping[str, Any]) -> None:
    """Rejects a cell of a table that is a list of references, as programs write it into one column.

    Raises:
        DataError: if a reference is written as a list.
    """
    for name in _PLAIN:
        cells = row.get(name, "")
        if any(map(_is_written_list, [cells] if isinstance(cells, str) else cells)):
            raise DataError(
                f"a cell of '{name}' must be one text, got a list; use one column for each reference: reference_1, "
                "reference_2, …"
            )


def check_texts_of_references(name: str, values: Sequence[Any]) -> None:
    """Rejects a text among references that is a list, as in a table of pandas that was stored as CSV.

    Args:
        name: The field.
        values: For each output its reference, or a list of its references.

    Raises:
        InputError: if a reference is written as a list.
    """
    for index, value in enumerate(values):
        if isinstance(value, str) and _is_written_list(value):
            raise InputError(
                f"'{name}' must be a text or a list of texts, got a text that is a list (entry {index} of the list); "
                "CSV has no lists: read them with ast.literal_eval, or store the table as JSON Lines or Parquet"
            )


def _is_written_list(cell: str) -> bool:
    """Returns whether a text is a list of texts, as programs write it into one cell."""
    cell = cell.strip()
    return cell.startswith(('["', "['")) and cell.endswith(('"]', "']"))


_COLUMNS = "columns must be FIELD=COLUMN pairs, as in summary=generated,references=ref_a+ref_b"
_CONDITIONS = "a condition must be COLUMN=VALUE or COLUMN!=VALUE, as in test_set=asset"


def parsed_columns(given: Mapping[str, Any] | str | Sequence[str]) -> dict[str, list[str]]:
    """Returns the columns of each field.

    Args:
        given: A dictionary from fields to a column or a list of columns; or strings of pairs separated by commas, in
            which several columns of a field are joined by ``+``; or a string with a dictionary as JSON.

    Raises:
        UsageError: if it has none of these forms, or a field is named twice.

    >>> parsed_columns("summary=generated,references=a+b")
    {'summary': ['generated'], 'references': ['a', 'b']}
    """
    if isinstance(given, Mapping):
        return {str(field): _names(field, columns) for field, columns in given.items()}
    found: dict[str, list[str]] = {}
    for word in [given] if isinstance(given, str) else given:
        if not isinstance(word, str):
            raise UsageError(f"{_COLUMNS}; got {shown(word)}")
        for field, columns in (_from_json(word) if word.lstrip().startswith("{") else _pairs(word)).items():
            if field in found:
                raise UsageError(f"--columns names '{field}' twice")
            found[field] = columns
    return found


def _names(field: str, columns: Any) -> list[str]:
    names = [columns] if isinstance(columns, str) else columns
    if not isinstance(names, (list, tuple)) or not names or not all(isinstance(name, str) and name for name in names):
        raise UsageError(f"the columns of '{field}' must be a name or a list of names, got {shown(columns)}")
    return list(names)


def _from_json(word: str) -> dict[str, list[str]]:
    try:
        return parsed_columns(json.loads(word))
    except ValueError as error:
        raise UsageError(f"--columns is not JSON: {error}") from None


def _pairs(word: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for pair in word.split(","):
        field, equals, columns = pair.strip().partition("=")
        names = columns.split("+")
        if not equals or not field or not all(names):
            advice = "" if equals else "; --scores chooses the scores of the table"
            raise UsageError(f"--columns: {_COLUMNS}; got '{pair}'{advice}")
        if field in found:
            raise UsageError(f"--columns names '{field}' twice; for several references, use references=COLUMN+COLUMN")
        found[field] = names
    return found


def parsed_conditions(given: Mapping[str, Any] | str | Sequence[str]) -> list[Condition]:
    """Returns the conditions that rows must meet.

    Args:
        given: A dictionary from columns to values, or strings like ``test_set=asset`` or ``lang!=de``.

    Raises:
        UsageError: if it has another form.

    >>> parsed_conditions(["test_set=asset", "lang!=de"])[1]
    Condition(column='lang', value='de', is_equal=False)
    """
    if isinstance(given, Mapping):
        for value in given.values():
            if isinstance(value, (list, tuple, dict)):
                raise UsageError(f"{_CONDITIONS}; got {shown(value)} as a value")
        return [Condition(str(column), value_text(str(column), value)) for column, value in given.items()]
    return [_condition(word) for word in ([given] if isinstance(given, str) else given)]


def _condition(word: Any) -> Condition:
    column, equals, value = word.partition("=") if isinstance(word, str) else ("", "", "")
    is_equal = not column.endswith("!")
    column = column if is_equal else column[:-1]
    if not equals or not column:
        raise UsageError(f"--where: {_CONDITIONS}; got {shown(word)}")
    return Condition(column, value, is_equal)
