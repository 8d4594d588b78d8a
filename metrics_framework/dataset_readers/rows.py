"""Reads the ids and texts of rows, in all accepted forms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from metrics_framework.common.errors import DataError, Problems
from metrics_framework.data.fields import IDENTITY_FIELDS, OTHER_NAMES, parse_id, parse_summarizer_type
from metrics_framework.data.texts import Text, is_text, shown, without_paragraphs
from metrics_framework.dataset_readers.numbered_references import (
    check_written_lists,
    is_numbered_reference,
    with_references,
)
from metrics_framework.dataset_readers.row_numbers import RowNumbers, View, prepared
from metrics_framework.io.jsonl import read_jsonl
from metrics_framework.io.parquet import BATCH_SIZE, ParquetInput, is_parquet, rows_of
from metrics_framework.io.reading import Piece
from metrics_framework.io.tables import is_table, read_table


def read_rows(
    path: str,
    problems: Problems,
    piece: Piece | None = None,
    numbers: RowNumbers | None = None,
    view: View | None = None,
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yields the rows of a JSONL file or, by its ending, of a table or a Parquet file, with their line numbers.

    Columns called ``reference_0``, ``ref1`` and the like become the list of references, in which missing and empty
    values are left out.

    Args:
        path: The file.
        problems: Collects the problems of rows.
        piece: The piece of a JSONL or Parquet file to read; `None` for the whole file.
        numbers: Numbers rows without ids; `None` to leave them without.
        view: From which columns fields are read, and which rows are read; `None` for all rows as they are.
    """
    rows = _rows_of_table(path, problems, piece, view) if is_table(path) else read_jsonl(path, problems, piece)
    if numbers is not None or view is not None:
        rows = prepared(rows, path, problems, numbers, view)
    return with_references(rows, path, problems)


def _rows_of_parquet(
    path: str, problems: Problems, piece: Piece | None, view: View | None
) -> Iterator[tuple[int, dict[str, Any]]]:
    piece = Piece(path, "") if piece is None else piece
    with ParquetInput(path) as file:
        check_columns(file.names, path, None, view)
        for first, batch in file.batches(file.row_groups[piece.start : piece.end], BATCH_SIZE):
            yield from rows_of(batch, first, path, problems)
            piece.lines = first - 1 + batch.num_rows


def _rows_of_table(
    path: str, problems: Problems, piece: Piece | None, view: View | None
) -> Iterator[tuple[int, dict[str, Any]]]:
    if is_parquet(path):
        yield from _rows_of_parquet(path, problems, piece, view)
        return
    is_checked = False
    for line, row in read_table(path, problems):
        if not is_checked:
            check_columns(row, path, view=view)
            is_checked = True
        try:
            check_written_lists(row if view is None else view.named(row))
        except DataError as problem:
            problems.add(DataError(problem.message, path, line))
        else:
            yield line, dict(row)


def check_columns(row: Iterable[str], path: str, line: int | None = 1, view: View | None = None) -> None:
    """Rejects a column whose name differs from the name of a field only in case or spaces; it would be ignored.

    Args:
        row: The names of the columns.
        path: The table.
        line: The line of the names.
        view: From which columns fields are read.

    Raises:
        DataError: if there is such a column.
    """
    for name in row:
        meant = name.strip().lower().replace(" ", "_")
        if view is not None and view.is_named(name, meant):
            continue
        if meant != name and (meant in FIELD_NAMES or is_numbered_reference(meant)):
            raise DataError(f"unknown column '{name}'; did you mean '{meant}'?", path, line)


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
        advice = "; add it: the id of the input, which the outputs of all systems share, or name its column with "
        raise _missing("'instance_id'", row, f"{advice}--columns instance_id=COLUMN")
    return parse_id(row["instance_id"], "instance_id")


def _missing(field: str, row: Mapping[str, Any], advice: str = "") -> DataError:
    listing = ", ".join(f"'{name}'" for name in row) or "nothing"
    return DataError(f"{field} is missing; the row has {listing}{advice}")


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
    if type(values) is list and row.get(single) is None:
        strings = _strings(values)
        if strings:
            return strings
    if row.get(single) is not None:
        return [_text(row[single], single)]
    if name not in row:
        raise _missing(f"'{name}' (or '{single}')", row)
    present = [pair for pair in enumerate(values) if pair[1] is not None] if isinstance(values, list) else []
    if not present:
        hint = _HINTS.get(name, "") if isinstance(values, str) else ""
        raise DataError(f"'{name}' must be a non-empty list of texts, got {shown(values)}{hint}")
    return [_text(value, f"{name}[{index}]") for index, value in present]


def _strings(values: list[Any]) -> list[Text] | None:
    """Returns the texts of a list if each is a string, the usual case; `None` otherwise."""
    for value in values:
        if type(value) is not str:
            break
    else:
        return values
    strings: list[Any] = [value.get("text") if type(value) is dict else value for value in values]
    return strings if set(map(type, strings)) == {str} else None


def _text(value: Any, name: str) -> Text:
    inner: Any = value.get("text") if isinstance(value, dict) else value
    if type(inner) is str or is_text(inner):
        return inner  # type: ignore[no-any-return]
    if name.startswith("document") and is_text(sentences := without_paragraphs(inner)):
        return sentences  # type: ignore[no-any-return]
    if isinstance(value, dict) and "text" not in value:
        raise DataError(f"'{name}' must have a 'text', got {shown(value)}")
    raise DataError(f"'{name}' must be a text (a string or a list of strings, or {{\"text\": …}}), got {shown(inner)}")


SINGLE_TEXTS = ("summary", "source")
_FORMS = (("references", "reference"), ("documents", "document"))  # plural, singular
_HINTS = {
    "references": "; name one text 'reference', several 'reference_1', 'reference_2', …",
    "documents": "; name one text 'document'",
}
LISTS_OF_TEXTS = {form: forms for forms in _FORMS for form in forms}
FIELD_NAMES = {
    *(*IDENTITY_FIELDS, *SINGLE_TEXTS, *LISTS_OF_TEXTS),
    *(name for names in OTHER_NAMES.values() for name in names),
}


def known_fields(row: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the fields of a row: known fields are checked, unknown fields are kept unchanged."""
    fields: dict[str, Any] = {}
    for name, value in row.items():
        if name in IDENTITY_FIELDS or value is None:
            continue
        if name in LISTS_OF_TEXTS:
            forms = LISTS_OF_TEXTS[name]
            fields[forms[0]] = texts(row, *forms)
        elif type(value) is str or name not in SINGLE_TEXTS:
            fields[name] = value
        else:
            fields[name] = _text(value, name)
    return fields
