"""References in numbered columns: ``reference_0``, ``ref1`` and the like."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from metrics_framework.common.errors import DataError, InputError, Problems

_NUMBERED = re.compile(r"(?:reference|ref)[_.-]?(\d+)")
_PLAIN = ("reference", "references")
_MAX_SHAPES = 1000
Rows = Iterator[tuple[int, dict[str, Any]]]


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
