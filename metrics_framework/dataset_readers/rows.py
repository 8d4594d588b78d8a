"""Rows of files: who wrote what, and the texts in their many spellings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from metrics_framework.common.errors import DataError, Problems
from metrics_framework.data.eval_instance import SUMMARIZER_TYPES
from metrics_framework.data.names import IDENTITY, NAMES
from metrics_framework.data.texts import Text, is_text, shown
from metrics_framework.io.jsonl import read_jsonl
from metrics_framework.io.tables import is_table, read_table

_NUMBERED_REFERENCE = re.compile(r"(?:reference|ref)[_.-]?\d+")


def read_rows(path: str, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    """Gives the rows of a JSONL file or, by its ending, of a CSV or TSV table, with their line numbers.

    In a table, columns called ``reference_0``, ``ref1`` and the like become the list of references; an empty cell of
    one is an absent reference.
    """
    return _rows_of_table(path, problems) if is_table(path) else read_jsonl(path, problems)


def _rows_of_table(path: str, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    checked = False
    for line, row in read_table(path, problems):
        if not checked:
            checked = _check_columns(row, path)
        try:
            yield line, _with_references(row)
        except DataError as problem:
            problems.add(DataError(problem.message, path, line))


def _check_columns(row: Mapping[str, Any], path: str) -> bool:
    """Refuses a column whose name is one of ours but for case and blanks, which would be passed over."""
    for name in row:
        meant = name.strip().lower().replace(" ", "_")
        if meant != name and (meant in ALL_NAMES or _NUMBERED_REFERENCE.fullmatch(meant)):
            raise DataError(f"has a column '{name}'; call it '{meant}', so that it is not passed over", path, 1)
    return True


def _with_references(row: Mapping[str, str]) -> dict[str, Any]:
    numbered = [name for name in row if _NUMBERED_REFERENCE.fullmatch(name)]
    if not numbered:
        return dict(row)
    plain = {name: value for name, value in row.items() if name not in numbered}
    both = [name for name in ("reference", "references") if name in plain]
    if both:
        raise DataError(f"has columns '{both[0]}' and '{numbered[0]}'; number all columns of references, or none")
    return {**plain, "references": [row[name] for name in numbered if row[name]]}


def identity(row: Mapping[str, Any], default_summarizer: str) -> tuple[str, str, str]:
    """Returns instance id, summarizer id and summarizer type of a row.

    Args:
        row: The row.
        default_summarizer: What an absent ``summarizer_id`` means.

    Raises:
        DataError: if the instance id is absent, an id is not a string or whole number, or the type is unknown.
    """
    if "instance_id" not in row:
        raise DataError(f"misses 'instance_id'; the row has {_listing(row)}")
    summarizer_type = row.get("summarizer_type", "peer")
    if summarizer_type not in SUMMARIZER_TYPES:
        raise DataError(f"'summarizer_type' must be 'peer' or 'reference', got {shown(summarizer_type)}")
    instance_id, summarizer_id = row["instance_id"], row.get("summarizer_id", default_summarizer)
    if not (type(instance_id) is type(summarizer_id) is str and instance_id and summarizer_id):
        instance_id = identifier(row, "instance_id")
        summarizer_id = identifier(row, "summarizer_id", default_summarizer)
    return instance_id, summarizer_id, summarizer_type


def identifier(row: Mapping[str, Any], name: str, default: str | None = None) -> str:
    """Returns an id as a string; whole numbers are taken as their digits.

    Raises:
        DataError: if it is absent and has no default, is empty or of another kind.
    """
    value = row.get(name, default)
    if isinstance(value, str) and value:
        return value
    if type(value) is int:
        return str(value)
    raise DataError(f"'{name}' must be a non-empty string or a whole number, got {shown(value)}")


def text(row: Mapping[str, Any], name: str) -> Text:
    """Returns the text of a field: a string or a list of strings, bare or as ``{"text": …}``.

    Raises:
        DataError: if it is absent or of another kind.
    """
    if name not in row:
        raise DataError(f"misses '{name}'; the row has {_listing(row)}")
    return _text(row[name], name)


def texts(row: Mapping[str, Any], name: str, single: str) -> list[Text]:
    """Returns the texts of a field that holds a list of them, or of its form for a single one, which wins.

    Args:
        row: The row.
        name: The field, as in ``references``.
        single: Its form for one text, as in ``reference``.

    Raises:
        DataError: if both are absent, the list is empty or no list, or something in it is no text.
    """
    values = row.get(name)
    if type(values) is list and row.get(single) is None:
        usual = _strings(values)
        if usual:
            return usual
    return _texts(row, name, single)


def _strings(values: list[Any]) -> list[Text] | None:
    """Returns the texts of a list where each is one string, as nearly all are; `None` where another is among them."""
    for value in values:
        if type(value) is not str:
            break
    else:
        return values
    found: list[Any] = [value.get("text") if type(value) is dict else value for value in values]
    return found if set(map(type, found)) == {str} else None


def _texts(row: Mapping[str, Any], name: str, single: str) -> list[Text]:
    """Does what `texts` does, whatever the spelling."""
    if row.get(single) is not None:
        return [_text(row[single], single)]
    if name not in row:
        raise DataError(f"misses '{name}' (or '{single}'); the row has {_listing(row)}")
    values = row[name]
    present = [pair for pair in enumerate(values) if pair[1] is not None] if isinstance(values, list) else []
    if not present:
        raise DataError(f"'{name}' must be a non-empty list of texts, got {shown(values)}")
    return [_text(value, f"{name}[{index}]") for index, value in present]


def _text(value: Any, name: str) -> Text:
    inner: Any = value.get("text") if isinstance(value, dict) else value
    if type(inner) is str or is_text(inner):
        return inner  # type: ignore[no-any-return]
    if isinstance(value, dict) and "text" not in value:
        raise DataError(f"'{name}' must have a 'text', got {shown(value)}")
    raise DataError(f"'{name}' must be a text (a string or a list of strings, or {{\"text\": …}}), got {shown(inner)}")


def _listing(row: Mapping[str, Any]) -> str:
    return ", ".join(f"'{name}'" for name in row) or "nothing"


_WHO_WROTE_IT = frozenset(IDENTITY)
_OF_ONE_TEXT = frozenset(("summary", "source"))
_FORMS = (("references", "reference"), ("documents", "document"))  # many texts, a single one
_OF_MANY_TEXTS = {form: forms for forms in _FORMS for form in forms}
ALL_NAMES = {*IDENTITY, *_OF_ONE_TEXT, *_OF_MANY_TEXTS, *(name for names in NAMES.values() for name in names)}


def known_fields(row: Mapping[str, Any]) -> dict[str, Any]:
    """Takes every field out of a row: the known ones checked, others as they stand."""
    fields: dict[str, Any] = {}
    for name, value in row.items():
        if name in _WHO_WROTE_IT or value is None:
            continue
        if name in _OF_MANY_TEXTS:
            forms = _OF_MANY_TEXTS[name]
            fields[forms[0]] = texts(row, *forms)
        elif type(value) is str or name not in _OF_ONE_TEXT:
            fields[name] = value
        else:
            fields[name] = _text(value, name)
    return fields
