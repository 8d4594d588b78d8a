"""Exports of annotation tools and nested values as plain rows: one rating a row, one value a column."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, TypeAlias

Row: TypeAlias = "dict[str, Any]"


def plain_rows(rows: Iterable[tuple[int, Row]]) -> Iterator[tuple[int, Row]]:
    """Yields the rows of a file; each task of Label Studio becomes a row per annotation, other rows stay as they are.

    There is a column per ``from_name``; the members of ``data`` are called ``data.NAME``.

    Args:
        rows: The rows, with their numbers.
    """
    for line, row in rows:
        if "annotations" in row and "data" in row:
            for annotation in _label_studio(row):
                yield line, annotation
        else:
            yield line, row


def _plain(row: Mapping[str, Any], prefix: str = "") -> Row:
    return {prefix + name: value for name, value in row.items() if not isinstance(value, (dict, list))}


def _label_studio(task: Row) -> Iterator[Row]:
    for annotation in task["annotations"]:
        author = annotation.get("completed_by")
        author = author.get("email", author.get("id")) if isinstance(author, dict) else author
        found: dict[str, list[Any]] = {}
        for result in annotation["result"]:
            if "from_name" in result:
                found.setdefault(result["from_name"], []).append(_only_member(result.get("value")))
        answers = {name: _only_entry(values) for name, values in found.items()}
        yield {**_plain(annotation), **_plain(task), **_plain(task["data"], "data."), "completed_by": author, **answers}


def _only_member(value: Any) -> Any:
    """Returns the only member of an object, or the only entry of a list in it; else the value."""
    return _only_entry(next(iter(value.values()))) if isinstance(value, dict) and len(value) == 1 else value


def _only_entry(value: Any) -> Any:
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def by_member(value: list[Any]) -> Any:
    """Returns a list of objects as an object of lists, as of the ratings of several people; spans stay as they are.

    >>> by_member([{"style": 4, "fluency": 5}, {"style": 3}])
    {'style': [4, 3], 'fluency': [5, None]}
    """
    if not all(isinstance(part, dict) and part.keys().isdisjoint(("start", "start_i")) for part in value):
        return value
    members = dict.fromkeys(chain.from_iterable(value))
    return {member: [part.get(member) for part in value] for member in members}
