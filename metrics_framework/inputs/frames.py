"""Tables in memory, as rows whose columns have names: DataFrames of any library, dictionaries of lists, and rows.

`rows_of` reads every table in memory, `frame_of` a DataFrame alone. DataFrames are read through narwhals, which is
imported only for one.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import partial
from itertools import chain
from numbers import Number
from typing import Any

from metrics_framework.common.errors import InputError
from metrics_framework.data.texts import as_list, index_of, is_list, is_missing_value, shown
from metrics_framework.inputs.roles import may_have_role
from metrics_framework.io.locations import expanded

LIBRARIES = ("pandas", "polars", "pyarrow")
"""The libraries of tables that results are returned as, in order of preference."""
_TO_EAGER = ("toPandas", "compute", "to_pandas", "df", "collect")
"""The methods that return the rows of a lazy frame: of Spark, Dask, Ibis, DuckDB and Polars."""
_PLAIN = frozenset((str, int, bool, list, dict))
"""The types of cells that are plain Python values."""


class Frame:
    """A table in memory whose columns have names; it can be read several times.

    Args:
        columns: Maps the name of each column to the argument of ``read``.
        read: Returns the cells of a column.
        library: The library of the table, if it is one of `LIBRARIES`.
        index: The index of a table of pandas, without levels that are columns.

    Attributes:
        names: The names of the columns.
    """

    def __init__(
        self,
        columns: Mapping[Any, Any],
        read: Callable[[Any], Iterable[Any]],
        library: str | None = None,
        index: Any = None,
    ) -> None:
        self._columns = {str(name): key for name, key in columns.items()}
        self._read = read
        self.library = library
        self.index = index
        self.names = list(self._columns)

    def column(self, name: str) -> Sequence[Any]:
        """Returns the cells of a column as plain Python values; missing values are `None`."""
        cells = as_list(self._read(self._columns[name]))
        return cells if set(map(type, cells)) <= _PLAIN else list(map(plain, cells))

    def select(self, names: Iterable[str]) -> Frame:
        """Returns a table of some of the columns."""
        return Frame({name: self._columns[name] for name in names}, self._read, self.library, self.index)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for cells in zip(*map(self.column, self.names), strict=True):
            yield dict(zip(self.names, cells, strict=True))


def plain(value: Any) -> Any:
    """Returns a cell as a plain Python value: NumPy numbers and arrays are converted, missing values are `None`."""
    if type(value) in _PLAIN:
        return value
    if hasattr(value, "tolist"):
        value = value.tolist()
    return None if is_missing_value(value) else value


def library_of(table: Any) -> str | None:
    """Returns the library of a table, if it is one of `LIBRARIES`."""
    library = _module_of(table)
    return library if library in LIBRARIES else None


def _module_of(value: Any) -> str:
    return type(value).__module__.partition(".")[0]


def frame_of(table: Any, name: str, index_names: Collection[str] = ()) -> Frame | None:
    """Returns a DataFrame of any library as a `Frame`; `None` if a value is none.

    Args:
        table: The value.
        name: The argument that it was given as, for messages.
        index_names: The levels of an index of pandas that are columns, besides those that name a role, such as ids.

    Raises:
        InputError: if two columns have one name, a column has several names, or the frame is lazy or grouped.
    """
    kind, library = type(table), _module_of(table)
    if kind.__name__.endswith("GroupBy") and not isinstance(table, Mapping):
        raise InputError(f"'{name}' is a grouped frame; pass the frame before it is grouped, or each group alone")
    if library == "builtins" or not (hasattr(kind, "columns") or hasattr(kind, "column_names")):
        return None
    if library == "datasets":  # which narwhals does not read; a stream has no length
        is_whole = hasattr(table, "__len__")
        return Frame({name: name for name in table.column_names}, table.__getitem__) if is_whole else None
    if library == "pandas":
        table = _with_columns_of_index(table, name, index_names)
        _check_repeated(table.columns)
    import narwhals.stable.v2 as narwhals

    is_lazy = hasattr(kind, "compute")  # of Dask, of which narwhals warns
    frame = None if is_lazy else narwhals.from_native(table, pass_through=True)
    if is_lazy or isinstance(frame, narwhals.LazyFrame):
        method = next((method for method in _TO_EAGER if hasattr(kind, method)), "collect")
        raise InputError(f"'{name}' is a lazy frame of {library}; call {method}() first")
    if not isinstance(frame, narwhals.DataFrame):
        return None
    indices = {name: index for index, name in enumerate(frame.columns)}
    return Frame(indices, partial(_native_column, frame), library_of(table), index_of(table))


def _native_column(frame: Any, index: int) -> Any:
    """Returns a column; a function of a module, which can be sent to another process."""
    return frame[:, index].to_native()


def _with_columns_of_index(table: Any, name: str, index_names: Collection[str]) -> Any:
    if table.columns.nlevels > 1:
        raise InputError(
            f"the columns of '{name}' have {table.columns.nlevels} levels, such as {table.columns[0]}; join them: "
            "frame.columns = frame.columns.map('_'.join)"
        )
    named = (level for level in table.index.names if isinstance(level, str) and level not in table.columns)
    levels = [level for level in named if level in index_names or may_have_role(level)]
    return table.reset_index(level=levels) if levels else table


def _check_repeated(names: Iterable[Any]) -> None:
    """Rejects names of which two are equal as texts.

    Raises:
        InputError: if there are such names.
    """
    (first, count), *_ = [*Counter(map(str, names)).most_common(1), ("", 0)]
    if count > 1:
        raise InputError(f"repeated column '{first}'; rename or drop one")


def lists_of(table: Mapping[Any, Any], name: str) -> Frame:
    """Returns a dictionary of equally long lists as a `Frame`.

    Args:
        table: The dictionary.
        name: The argument that it was given as, for messages.

    Raises:
        InputError: if a value is no list, or lists differ in length.
    """
    _check_repeated(table)
    for key, values in table.items():
        if not is_list(values):
            raise InputError(f"'{name}[{key!r}]' must be a list, as a column of a table, got {shown(values)}")
    columns = {str(key): as_list(values) for key, values in table.items()}
    if len(set(map(len, columns.values()))) > 1:
        listing = ", ".join(f"{len(values)} in '{column}'" for column, values in columns.items())
        raise InputError(f"the columns of '{name}' must have the same number of entries, got {listing}")
    return Frame(columns, list)


def named_row(row: Any) -> dict[str, Any] | None:
    """Returns a row as a dictionary of plain values; `None` if its values have no names.

    Args:
        row: A dictionary, a dataclass, a named tuple, a row of a library with ``keys``, or a Series of pandas.

    Raises:
        InputError: if two names are equal as texts.

    >>> from collections import namedtuple
    >>> named_row(namedtuple("Row", "id quality")(7, float("nan"))), named_row((7, 2))
    ({'id': 7, 'quality': None}, None)
    """
    values: Mapping[Any, Any]
    if isinstance(row, Mapping):
        values = row
    elif is_dataclass(row) and not isinstance(row, type):
        values = {field.name: getattr(row, field.name) for field in fields(row)}
    elif hasattr(row, "_asdict"):
        values = row._asdict()
    elif hasattr(row, "keys") and not hasattr(row, "columns"):
        values = dict(zip(row.keys(), list(row), strict=True))
    else:
        return None
    named = {str(name): plain(value) for name, value in values.items()}
    if len(named) < len(values):
        _check_repeated(values)
    return named


def rows_of(table: Any, name: str, index_names: Collection[str] = ()) -> Iterable[dict[str, Any]]:
    """Returns the rows of any table in memory, as dictionaries of plain values in which a missing value is `None`.

    A table is a DataFrame of any library, a dictionary of equally long lists, or a list or an iterator of rows, which
    are dictionaries, dataclasses, named tuples or Series. Names that are integers become texts. Tables with
    columns can be read several times; the attribute ``library`` of a frame is its library.

    Args:
        table: The table.
        name: The argument that it was given as, for messages.
        index_names: The levels of an index of pandas that are columns, besides those that name a role, such as ids.

    Raises:
        InputError: if the value is no such table; from the iterator, if a row has no names.
    """
    frame = frame_of(table, name, index_names)
    if frame is not None:
        return frame
    if isinstance(table, Mapping):
        return lists_of(table, name)
    if not is_list(table):
        raise InputError(f"'{name}' must be a table or rows, got {shown(table)}")
    return _named_rows(table, name)


def _named_rows(rows: Iterable[Any], name: str) -> Iterator[dict[str, Any]]:
    for index, row in enumerate(rows):
        named = named_row(row)
        if named is None:
            raise InputError(f"'{name}[{index}]' {without_names(row)}")
        yield named


def parts_of(
    given: Any, name: str, expected: str, results: tuple[type, ...] = (), is_row: Callable[[Any], bool] | None = None
) -> tuple[list[tuple[Any, str]], str | None]:
    """Returns files, tables and lists of rows, each with its name for messages, and the library of the first table.

    Args:
        given: One of these, or a list of them; patterns of files are expanded.
        name: The argument that they were given as.
        expected: What it must be, for the message.
        results: Further types that are one of these.
        is_row: Returns whether the first entry of a list is a row, although its values have no names.

    Raises:
        InputError: if the value is neither one of these nor a list.
    """
    is_single = isinstance(given, (str, os.PathLike, Mapping, *results)) or frame_of(given, name) is not None
    if not is_single and not is_list(given):
        raise InputError(f"'{name}' must be {expected}, got {shown(given)}")
    parts = [given] if is_single else list(given)
    first = None if is_single or not parts or isinstance(parts[0], results) else parts[0]
    has_cells = is_list(first) and any(isinstance(cell, (str, Number)) for cell in first)  # and no rows
    if has_cells or (first is not None and (named_row(first) is not None or (is_row and is_row(first)))):
        parts = [parts]
    files = (expanded([os.fspath(part)]) if isinstance(part, (str, os.PathLike)) else [part] for part in parts)
    parts = list(chain.from_iterable(files))
    library = next(filter(None, map(library_of, parts)), None)
    return [(part, name if len(parts) == 1 else f"{name}[{index}]") for index, part in enumerate(parts)], library


def without_names(row: Any) -> str:
    """Returns what a row must be, and what to do, the end of a message about a row that `named_row` rejects."""
    start = f"must be a row whose values have names, such as a dictionary, got {shown(row)}"
    if _module_of(row) == "numpy":
        return f"{start}; pass the frame instead of frame.values"
    if isinstance(row, (tuple, list)):
        return f"{start}; pass [dict(zip(NAMES, row)) for row in rows]"
    return start
