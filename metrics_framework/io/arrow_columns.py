"""Columns of Arrow as lists of Python's strings: the usual types, without a Python loop over the rows."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa


def strings_of(column: pa.Array) -> list[str | None] | None:
    """Returns the texts of a column, `None` for a missing one; `None` if its type is not text.

    Equal texts of one column are one object.

    Raises:
        UnicodeDecodeError: if a text is not UTF-8.
    """
    import pyarrow as pa
    import pyarrow.types as types

    kind = column.type
    if types.is_dictionary(kind):
        values: Any = strings_of(column.dictionary)
        return None if values is None else _looked_up(values, column.indices)
    if types.is_null(kind):
        return [None] * len(column)
    if getattr(types, "is_string_view", types.is_null)(kind):
        column = column.cast(pa.large_string())
    elif not (types.is_string(kind) or types.is_large_string(kind)):
        return None
    encoded = column.dictionary_encode()
    return _looked_up(encoded.dictionary.to_pylist(), encoded.indices)


def texts_of(column: pa.Array) -> list[str | None] | None:
    """Returns texts, bare or as ``{"text": …}``, `None` for a missing one; `None` for a column of another type.

    Raises:
        UnicodeDecodeError: if a text is not UTF-8.
    """
    import pyarrow.compute as pc
    import pyarrow.types as types

    if types.is_struct(column.type) and column.type.get_field_index("text") >= 0:
        column = pc.struct_field(column, "text")
    return strings_of(column)


def _looked_up(values: list[str | None], indices: pa.Array) -> list[str | None]:
    if indices.null_count:
        return [None if index is None else values[index] for index in indices.to_pylist()]
    return list(map(values.__getitem__, indices.to_numpy().tolist()))


def ids_of(column: pa.Array) -> list[str | None] | None:
    """Returns ids: texts, or integers as texts; `None` for a missing one, and `None` for a column of another type."""
    import pyarrow as pa
    import pyarrow.types as types

    if types.is_integer(column.type):
        column = column.cast(pa.string())
    return strings_of(column)


def lists_of(column: pa.Array) -> list[list[str]] | None:
    """Returns the lists of texts of a column; `None` if its type is another, or a list or a text is missing."""
    import pyarrow.types as types

    kind = column.type
    if not (types.is_list(kind) or types.is_large_list(kind)) or column.null_count:
        return None
    texts: Any = texts_of(column.flatten())
    if texts is None or None in texts:
        return None
    sizes = column.value_lengths().to_numpy().tolist()
    rest: Iterator[str] = iter(texts)
    return [list(islice(rest, size)) for size in sizes]
