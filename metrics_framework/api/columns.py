"""Tables whose columns are found by name, such as DataFrames: their values as lists, and tables made from records.

No library of tables is imported to read one. Tables are recognized by the methods that these libraries share.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from metrics_framework.common.errors import InputError, UnknownChoiceError
from metrics_framework.data.texts import as_list, is_missing_value

LIBRARIES = ("pandas", "polars", "pyarrow")
"""The libraries of tables that `as_frame` supports, in order of preference."""


def column_names(table: Any) -> list[str] | None:
    """Returns the names of the columns of a table; `None` if a value is not a table."""
    if isinstance(table, Mapping) or not hasattr(table, "__getitem__") or hasattr(table, "collect"):  # LazyFrame
        return None
    for attribute in ("column_names", "columns"):  # in this order, because pyarrow's `columns` are the values
        if hasattr(type(table), attribute) or (attribute == "columns" and hasattr(table, attribute)):
            names = getattr(table, attribute)
            return None if names is None else [name for name in names if isinstance(name, str)]  # None: a stream
    return None


def with_named_index(table: Any, names: Collection[str]) -> Any:
    """Returns a table of pandas whose index has columns of the given names, such as ids, with these as columns."""
    if column_names(table) is None or library_of(table) != "pandas":
        return table
    levels = [name for name in table.index.names if name in names and name not in table.columns]
    return table.reset_index(level=levels) if levels else table


def rows_of_table(table: Any, names: Collection[str]) -> Iterator[dict[str, Any]]:
    """Yields the rows of a table, with plain values.

    Args:
        table: The table.
        names: The columns to read.
    """
    columns = [as_list(table[name]) for name in names]
    for values in zip(*columns, strict=True):
        yield dict(zip(names, map(plain, values), strict=True))


def plain(value: Any) -> Any:
    """Returns a cell as a plain Python value: NumPy numbers and arrays are converted, missing values are `None`."""
    if type(value) in (str, list, int, dict):  # nearly always
        return value
    if hasattr(value, "tolist"):
        value = value.tolist()
    return None if is_missing_value(value) else value


def library_of(table: Any) -> str | None:
    """Returns the library of a table, if `as_frame` supports it."""
    library = type(table).__module__.partition(".")[0]
    return library if library in LIBRARIES else None


def as_frame(records: Sequence[Mapping[str, Any]], library: str | None) -> Any:
    """Returns records as a DataFrame of pandas or polars, or as a table of pyarrow.

    Args:
        records: The rows.
        library: The library; `None` for one that is already imported, else one that is installed.

    Raises:
        InputError: if the library is not installed.
        UnknownChoiceError: if it is not one of `LIBRARIES`.
    """
    if library is not None and library not in LIBRARIES:
        raise UnknownChoiceError("library", library, LIBRARIES)
    imported = [name for name in LIBRARIES if name in sys.modules]
    for name in [library] if library else [*imported, *LIBRARIES]:
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        if name == "pyarrow":
            return module.Table.from_pylist(list(records))
        options = {"infer_schema_length": None} if name == "polars" else {}
        return module.DataFrame(list(records), **options)
    raise InputError(
        f"to_frame() needs {library or 'pandas, polars or pyarrow'}, which is not installed; install it with pip, or "
        "use to_records()"
    )
