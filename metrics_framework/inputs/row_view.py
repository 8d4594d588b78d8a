"""`RowView`: from which columns fields are read, and which rows are read (decision 0021)."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from metrics_framework.common.errors import DataError, UsageError, advice, counted
from metrics_framework.data.fields import IDENTITY_FIELDS, SINGULARS, parse_id
from metrics_framework.data.texts import as_list, is_list, is_written_list, shown
from metrics_framework.inputs.keys import CONSTANT, RowCounts, constant_columns
from metrics_framework.inputs.roles import (
    Columns,
    column_key,
    column_named,
    find_columns,
    is_numbered_reference,
    role_named,
    roles_of_name,
)

Rows = Iterator[tuple[int, dict[str, Any]]]
"""Rows with their line numbers."""
SINGLE_TEXTS = ("summary", "source")
LISTS_OF_TEXTS = {form: forms for forms in SINGULARS.items() for form in forms}
FIELDS = (*IDENTITY_FIELDS, *SINGLE_TEXTS, *SINGULARS)
"""The fields that every reader of rows knows, which are roles of columns."""
VALUES_NAMED = 10
"""The number of values of a column that an error shows."""
JOINED_BY = "/"
"""What is between the parts of an id of several columns, such as a document and a segment."""
_MAX_SHAPES = 1000


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


class Systems(tuple[str, ...]):
    """The columns of outputs of a table with one column per system, in place of one column of outputs."""


class _Shape(NamedTuple):
    """How rows with the same columns are read.

    Args:
        fields: Each field and its columns.
        others: The columns that keep their names.
        is_plain: Whether rows have these names already.
        is_checked: Whether each row is checked, because it may have numbered and other references.
    """

    fields: tuple[tuple[str, tuple[str, ...]], ...]
    others: tuple[str, ...]
    is_plain: bool
    is_checked: bool


class RowView:
    """From which columns fields are read, and which rows are read.

    Columns that are not named are found by their names, as in `metrics_framework.inputs.roles`.

    Args:
        columns: Maps fields to the columns that they are read from: one, or several for ids and lists of texts.
        where: The conditions that rows must meet; all must hold.
        counts: Counts the rows that are left out.
        own: The fields of a reader besides these roles; columns with their names have no role by name.
        keeps_names: Whether columns with a role also keep their names, for a reader that may look for these.

    Attributes:
        roles: The fields that are roles of columns.
        column_names: The names of the columns of tables without a header.

    Raises:
        UsageError: if a field is named twice, or a field with one value has several columns.
    """

    roles: Sequence[str] = FIELDS
    column_names: Sequence[str] = ()

    def __init__(
        self,
        columns: Mapping[str, Sequence[str]] | None = None,
        where: Sequence[Condition] = (),
        counts: RowCounts | None = None,
        own: Collection[str] = (),
        keeps_names: bool = False,
    ) -> None:
        self.own, self.keeps_names = own, keeps_names
        self.columns: dict[str, Sequence[str]] = {}
        for name, sources in (columns or {}).items():
            self._add(name if name in own else role_named(name, self.roles), sources)
        outputs = self.columns.get("summary")
        self.systems: Sequence[str] = outputs if isinstance(outputs, Systems) else ()
        self._sources = {source for sources in self.columns.values() for source in sources}
        self.where = list(where)
        self.counts = RowCounts() if counts is None else counts
        self._shapes: dict[tuple[str, ...], _Shape] = {}

    def _add(self, field: str, sources: Sequence[str]) -> None:
        if len(sources) > 1 and field not in (*SINGULARS, "instance_id") and not isinstance(sources, Systems):
            raise UsageError(f"--columns: '{field}' has one value, so it is read from one column, got {len(sources)}")
        if field in self.columns:
            raise UsageError(f"--columns names '{field}' twice; for several references, use references=COLUMN+COLUMN")
        self.columns[field] = sources

    @property
    def sources(self) -> set[str]:
        """The columns that fields are read from, and those of conditions."""
        return {*self._sources, *(condition.column for condition in self.where)}

    def restricted(self, fields: Iterable[str], has_conditions: bool) -> RowView:
        """Returns a view of another file of a reader with several.

        Args:
            fields: The fields that the file has.
            has_conditions: Whether the conditions are about its rows.
        """
        known = {*fields}
        columns = {field: sources for field, sources in self.columns.items() if field in known}
        return RowView(columns, self.where if has_conditions else (), self.counts, self.own, self.keeps_names)

    def check_fields(self, fields: Iterable[str]) -> None:
        """Checks that the fields on the left of ``--columns`` are known.

        Args:
            fields: The fields of the metrics and the reader, in addition to those that all readers know.

        Raises:
            UsageError: if not.
        """
        known = dict.fromkeys([*self.roles, *fields])
        for field in self.columns:
            if field not in known:
                close = advice(field, known)
                raise UsageError(
                    f"--columns: no metric or reader has the field '{field}'{close}; the fields are {', '.join(known)}"
                )

    def columns_read(self, names: Sequence[str], fields: Iterable[str]) -> list[str]:
        """Returns the columns of a table that fields and conditions are read from, or that do not change in an input.

        Args:
            names: The columns of the table.
            fields: The fields that are needed.

        Raises:
            DataError: if two columns have the same role, or a column that is named is missing.
        """
        wanted = {*IDENTITY_FIELDS, *fields, *self.columns}
        found = self._columns_of(dict.fromkeys(names))
        if is_numbered_reference(found.get("references", ("",))[0]):  # each row is checked for others
            found["references"] = tuple(name for name in names if "references" in roles_of_name(name))
        of_roles = (column for field, columns in found.items() if field in wanted for column in columns)
        constant = (name for name, role in constant_columns(names, {}).items() if role not in SINGLE_TEXTS)
        needed = {*fields, *self.sources, *constant, *of_roles}
        return [name for name in names if name in needed]

    def named(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Returns a row with the names of fields.

        Raises:
            DataError: if two columns have the same role, or a column that is named is missing.
        """
        shape = self._shape(row)
        if shape.is_plain:
            return dict(row)
        flat = row if row.keys() >= {name for _, names in shape.fields for name in names} else flattened(row)
        named = {name: row[name] for name in shape.others if name in row}
        for field, columns in shape.fields:
            if field == "summary" and self.systems:
                named[field] = {column: flat[column] for column in columns}
            elif all(column in flat for column in columns):
                named.update(_values_of(field, columns, [flat[column] for column in columns]))
        return named

    def _shape(self, row: Mapping[str, Any]) -> _Shape:
        names = tuple(row)
        shape = self._shapes.get(names)
        if shape is None:
            shape = self._new_shape(row)
            if len(self._shapes) < _MAX_SHAPES and not shape.is_checked:
                self._shapes[names] = shape
        return shape

    def _new_shape(self, row: Mapping[str, Any]) -> _Shape:
        flat = flattened(row)
        fields = self._columns_of(flat)
        taken = {column for field, columns in fields.items() if field not in self.columns for column in columns}
        for column in flat:
            if column not in taken:
                roles = roles_of_name(column)
                is_source = column in self._sources
                replaced = None if is_source else next((field for field in self.columns if field in roles), None)
                if replaced is not None:
                    self.counts.unused[column] = replaced
                if replaced is not None or (is_source and column in (*FIELDS, *SINGULARS.values())):
                    taken.add(column)
        if self.keeps_names:
            taken = {name for name in taken if name in (*FIELDS, *SINGULARS.values())}
        others = tuple(name for name in row if name not in taken)
        own = all(columns == (field,) or set(columns) <= {*_forms(field)} for field, columns in fields.items())
        is_plain = own and len(others) + sum(map(len, fields.values())) == len(row)
        is_numbered = is_numbered_reference(fields.get("references", ("",))[0])
        both = is_numbered and any("references" in roles_of_name(name) for name in others)
        return _Shape(tuple(fields.items()), others, is_plain, both)

    def _columns_of(self, row: Mapping[str, Any]) -> Columns:
        """Returns the columns of each field."""
        for column in self.systems:
            column_named(row, column, "it is named as a system")
        fields = find_columns([*row], (*self.roles, "turn"), self.columns, row, self.own)
        turn = fields.pop("turn", ())
        if turn and fields.get("instance_id", ())[-1:] == turn:
            self.counts.turn = turn[0]
        self.counts.id_columns = fields.get("instance_id", ())
        self.counts.varying = {field for field in CONSTANT if not all(map(roles_of_name, fields.get(field, ())))}
        types = fields.get("summarizer_type", ("summarizer_type",))
        if column_key(types[0]) == "system_type" and row[types[0]] not in ("peer", "reference"):
            del fields["summarizer_type"]
        return fields

    def named_columns(self, names: Sequence[str], values: Sequence[list[Any]]) -> dict[str, list[Any]] | None:
        """Returns the columns of consecutive rows with the names of fields; `None` to check the rows one by one."""
        if self.systems:
            return None
        row = {name: column[0] for name, column in zip(names, values, strict=True)}
        shape = self._shape(row)
        columns = dict(zip(names, values, strict=True))
        if shape.is_plain:
            return columns
        if shape.is_checked or not all(name in row for _, sources in shape.fields for name in sources):
            return None
        named = {name: columns[name] for name in shape.others}
        for field, sources in shape.fields:
            if len(sources) == 1 and _as_it_is(field, sources[0]):
                named[_form(field, sources[0], row[sources[0]])] = list(columns[sources[0]])
                continue
            rows = [
                _values_of(field, sources, parts) for parts in zip(*(columns[name] for name in sources), strict=True)
            ]
            if len({tuple(one) for one in rows}) > 1:
                return None
            for name in rows[0]:
                named[name] = [one[name] for one in rows]
        return named

    def of_systems(self, named: dict[str, Any]) -> Iterable[dict[str, Any]]:
        """Returns a row with the names of fields, or that of each system if a table has one column per system."""
        if not self.systems:
            return [named]
        self.counts.is_numbered = False  # each row is an input, so that its number is its id
        return [{**named, "summarizer_id": name, "summary": text} for name, text in named["summary"].items()]

    def keeps(self, row: Mapping[str, Any], named: Mapping[str, Any]) -> bool:
        """Returns whether a row meets the conditions, and counts it if it does not.

        Args:
            row: The row as it is in its file.
            named: The row with the names of fields.

        Raises:
            DataError: if the row has no column of a condition, or the value has no text.
        """
        return self.counts.keeps(self.where, lambda column: self.text_of(column, row, named))

    def text_of(self, column: str, row: Mapping[str, Any], named: Mapping[str, Any]) -> str:
        """Returns the value of a column as text; the column has its name in the file, or that of its field.

        Raises:
            DataError: if the row does not have the column, or the value has no text.
        """
        if column in row:
            return value_text(column, row[column])
        role = role_named(column, self.roles)
        if role in named:
            return value_text(column, named[role])
        flat = flattened(row)
        return value_text(column, flat[column_named(flat, column, "--where or --by compares it")])


def standard_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a row with the names of fields in place of those of other programs.

    Raises:
        DataError: if two columns have the same role.

    >>> standard_row({"Sent ID": 1, "prediction": "A cat.", "ref1": "A dog.", "ref2": ""})
    {'instance_id': 1, 'summary': 'A cat.', 'references': ['A dog.']}
    """
    return RowView().named(row)


def flattened(row: Mapping[str, Any], *, keeps_texts: bool = True) -> Mapping[str, Any]:
    """Returns a row in which the values of objects are columns, too: ``doc.src``.

    Args:
        row: The row.
        keeps_texts: Whether texts as objects stay as they are.

    >>> flattened({"id": 1, "doc": {"src": "A cat."}, "summary": {"text": "Cat."}})
    {'id': 1, 'doc.src': 'A cat.', 'summary': {'text': 'Cat.'}}
    """
    flat: dict[str, Any] = {}
    for name, value in row.items():
        if not isinstance(value, Mapping) or (keeps_texts and "text" in value):
            flat[name] = value
        else:
            inner = flattened(value, keeps_texts=keeps_texts)
            flat.update({f"{name}.{member}": cell for member, cell in inner.items()})
    return flat


def flags_of_conditions(where: Iterable[str]) -> str:
    """Returns conditions as on the command line."""
    return " ".join(f"--where {condition}" for condition in where)


def all_left_out(where: Sequence[str], count: int, values: Mapping[str, Mapping[str, int]]) -> str:
    """Returns the message that no row meets the conditions, with the values that there are.

    >>> all_left_out(["split=dve"], 3, {"split": {"dev": 2, "test": 1}})
    "--where split=dve leaves out all 3 rows; 'split' has the values 'dev' (2), 'test' (1); did you mean 'dev'?"
    """
    listings = []
    for column, counts in values.items():
        most = sorted(counts, key=lambda value: -counts[value])[:VALUES_NAMED]
        named = ", ".join(f"'{value}' ({counts[value]})" for value in most)
        listings.append(f"'{column}' has the values {named}{', …' if len(counts) > len(most) else ''}")
    wanted = [condition.partition("=")[2] for condition in where if "!=" not in condition]
    known = [value for counts in values.values() for value in counts]
    close = next(filter(None, (advice(value, known) for value in wanted if value not in known)), "")
    return f"{flags_of_conditions(where)} leaves out all {counted(count, 'row')}; {'; '.join(listings)}{close}"


def value_text(column: str, value: Any) -> str:
    """Returns the text that conditions compare: strings as they are, numbers and booleans as in JSON, null as no text.

    Raises:
        DataError: if the value is a list or an object.

    >>> [value_text("split", value) for value in ("dev", 3, 0.5, True, None)]
    ['dev', '3', '0.5', 'true', '']
    """
    if value is None:
        return ""
    if isinstance(value, (str, int, float)):
        return str(value).lower() if isinstance(value, bool) else str(value)
    raise DataError(f"'{column}' must be a string, a number or a boolean to compare it, got {shown(value)}")


def _forms(field: str) -> tuple[str, ...]:
    return LISTS_OF_TEXTS.get(field, (field,))


def _as_it_is(field: str, column: str) -> bool:
    """Returns whether the values of a column are those of its field, under one name."""
    return not column_key(column).endswith("resps") and (field not in SINGULARS or column in _forms(field))


def _values_of(field: str, columns: Sequence[str], values: Sequence[Any]) -> dict[str, Any]:
    """Returns the values of the columns of a field, under the name of the field or of a single text of it."""
    if len(columns) == 1 and not (field == "references" and is_numbered_reference(columns[0])):
        (value,) = values
        while column_key(columns[0]).endswith("resps") and isinstance(value, list) and len(value) == 1:
            (value,) = value
        return {_form(field, columns[0], value): value}
    if field not in SINGULARS:
        return {field: JOINED_BY.join(parse_id(value, name) for name, value in zip(columns, values, strict=True))}
    if set(columns) == {*_forms(field)}:
        return dict(zip(columns, values, strict=True))
    return {field: [value for value in values if value is not None and value != ""]}


def _form(field: str, column: str, value: Any) -> str:
    """Returns the name of a field for a value: that of a single text for a text, although the field is a list."""
    if field not in SINGULARS:
        return field
    if column in _forms(field):
        return column
    return SINGULARS[field] if isinstance(value, (str, Mapping)) else field


def check_written_lists(row: Mapping[str, Any]) -> None:
    """Rejects a cell of a table that is a list of references, as programs write it into one column.

    Raises:
        DataError: if a reference is written as a list.
    """
    for name in _forms("references"):
        cells = row.get(name, "")
        if any(is_written_list(cell) for cell in ([cells] if isinstance(cells, str) else cells) if type(cell) is str):
            raise DataError(
                f"a cell of '{name}' must be one text, got a list; use one column for each reference: reference_1, "
                "reference_2, …"
            )


_CONDITIONS = "a condition must be COLUMN=VALUE or COLUMN!=VALUE, as in test_set=asset"


def with_systems(columns: Mapping[str, Any] | str | Sequence[str], systems: Sequence[str]) -> dict[str, Sequence[str]]:
    """Returns the columns of each field, of a table that may have one column of outputs per system.

    Args:
        columns: As for `parsed_columns`.
        systems: The columns of outputs; none if there is only one.

    Raises:
        UsageError: if outputs have columns in both.
    """
    found: dict[str, Sequence[str]] = {**parsed_columns(columns)}
    if not systems:
        return found
    if any(role_named(field, FIELDS) == "summary" for field in found):
        raise UsageError("'systems' and 'columns' both name columns of outputs; use only one of them")
    return {**found, "summary": Systems(map(str, [systems] if isinstance(systems, (str, int)) else systems))}


def parsed_roles(given: Mapping[str, Any] | str | Sequence[str]) -> dict[str, list[str]]:
    """Returns the columns of each role of a table of ratings, as `parsed_columns` does."""
    return parsed_columns(given, "ROLE=COLUMN pairs, as in instance_id=item,rater=annotator", "")


def parsed_columns(
    given: Mapping[str, Any] | str | Sequence[str],
    form: str = "FIELD=COLUMN pairs, as in summary=generated,references=ref_a+ref_b",
    instead: str = "; --scores chooses the scores of the table",
) -> dict[str, list[str]]:
    """Returns the columns of each field.

    Args:
        given: A dictionary from fields to a column or a list of columns; or strings of pairs separated by commas, in
            which several columns of a field are joined by ``+``; or a string with a dictionary as JSON.
        form: What is expected, for messages.
        instead: The end of the message about a column without a field.

    Raises:
        UsageError: if it has none of these forms, or a field is named twice.

    >>> parsed_columns("summary=generated,references=a+b")
    {'summary': ['generated'], 'references': ['a', 'b']}
    """
    if isinstance(given, Mapping):
        return {str(field): _names(field, columns) for field, columns in given.items()}
    words = [given] if isinstance(given, str) else given
    found: dict[str, list[str]] = {}
    for field, columns in chain.from_iterable(_pairs(word, form, instead) for word in words):
        if field in found:
            raise UsageError(f"--columns names '{field}' twice; for several references, use references=COLUMN+COLUMN")
        found[field] = columns
    return found


def _names(field: str, columns: Any) -> list[str]:
    names = [columns] if isinstance(columns, (str, int)) else columns  # integers are names of columns of DataFrames
    if not isinstance(names, (list, tuple)) or not names or {type(name) for name in names} - {str, int} or "" in names:
        raise UsageError(f"the columns of '{field}' must be a name or a list of names, got {shown(columns)}")
    return list(map(str, names))


def _pairs(word: Any, form: str, instead: str) -> Iterator[tuple[str, list[str]]]:
    """Yields each field and its columns, of pairs or a dictionary as JSON."""
    if not isinstance(word, str):
        raise UsageError(f"columns must be {form}; got {shown(word)}")
    if word.lstrip().startswith("{"):
        try:
            yield from parsed_columns(json.loads(word)).items()
        except ValueError as error:
            raise UsageError(f"--columns is not JSON: {error}") from None
        return
    before = ""
    for pair in filter(str.strip, word.split(",")):
        field, equals, columns = pair.strip().partition("=")
        names = columns.split("+")
        if not equals or not field or not all(names):
            advice = "" if equals else instead
            if before and not equals:
                name, _, start = before.partition("=")
                example = json.dumps({name: f"{start},{pair}"}, ensure_ascii=False)
                advice = f"; a name with a comma needs JSON, as in '{example}'"
            raise UsageError(f"--columns: columns must be {form}; got '{pair}'{advice}")
        yield field, names
        before = pair


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
    return [_condition(word) for word in (as_list(given) if is_list(given) else [given])]


def _condition(word: Any) -> Condition:
    compared, equals, value = word.partition("=") if isinstance(word, str) else ("", "", "")
    column = compared.removesuffix("!")
    if not equals or not column:
        raise UsageError(f"--where: {_CONDITIONS}; got {shown(word)}")
    return Condition(column, value, is_equal=column == compared)
