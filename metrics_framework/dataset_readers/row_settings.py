"""The settings of a view of rows: as flags, in configurations and in Python."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from metrics_framework.common.errors import UsageError
from metrics_framework.data.texts import shown
from metrics_framework.dataset_readers.row_view import Condition, value_text

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
