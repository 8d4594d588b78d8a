"""Tables whose columns are found by name, such as DataFrames: what is read from them, and results as such tables.

No library of tables is imported to read one. Tables are recognized by the methods that these libraries share.
"""

from __future__ import annotations

import importlib
import sys
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, Literal

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


MAX_LABELS = 5
"""The number of labels of an index that a message shows."""


def check_same_order(outputs: Any, **others: Any) -> None:
    """Rejects columns of pandas whose index has the labels of another column in another order, or some of them.

    Columns with different labels are accepted: they may come from two tables, and their order is all there is.

    Args:
        outputs: A list of texts, or systems and their lists of texts.
        others: Argument to its value.

    Raises:
        InputError: if there are such columns.
    """
    lists = {f"outputs[{name!r}]": texts for name, texts in outputs.items()} if isinstance(outputs, Mapping) else {}
    check_same_index({**(lists or {"outputs": outputs}), **others})


def check_same_index(lists: Mapping[str, Any]) -> None:
    """Rejects columns of pandas as `check_same_order` does, given all arguments by name.

    Raises:
        InputError: if there are such columns.
    """
    columns = {
        name: values.index
        for name, values in lists.items()
        if library_of(values) == "pandas" and hasattr(values, "index")
    }
    for (first_name, first), (name, index) in combinations(columns.items(), 2):
        if index.equals(first) or len(index) != len(first) or set(index).isdisjoint(first):
            continue
        if set(index) == set(first):
            raise InputError(
                f"'{name}' and '{first_name}' have the same index in different orders, but texts are paired by "
                "position; call sort_index() on both, or reset_index(drop=True) if their positions match"
            )
        raise InputError(
            f"the indexes of '{name}' ({_labels(index)}) and '{first_name}' ({_labels(first)}) overlap only in part, "
            "but texts are paired by position; select the same rows of both with .loc[], or call "
            "reset_index(drop=True) on both if their positions match"
        )


def _labels(index: Any) -> str:
    """Returns the first labels of an index."""
    listed = ", ".join(repr(label) for label in index[:MAX_LABELS].tolist())
    return f"{listed}, …" if len(index) > MAX_LABELS else listed


Library = Literal["pandas", "polars", "pyarrow"]


class Tabular(ABC):
    """A result that can be printed, and turned into records or a DataFrame."""

    library: str | None = None

    @abstractmethod
    def table(self, format: str = "table") -> str:
        """Returns the result as text.

        Args:
            format: An output format of ``fw evaluate --format``, such as ``markdown``, ``latex``, ``csv`` or ``json``.
        """

    def __str__(self) -> str:
        """Returns the table that the command prints."""
        return self.table()

    def _repr_html_(self) -> str:
        """Returns the table as HTML, for notebooks."""
        return self.table("html")


class Records(Tabular):
    """A result that is one list of records."""

    @abstractmethod
    def to_records(self) -> list[dict[str, Any]]:
        """Returns the result as dictionaries."""

    def to_frame(self, library: Library | None = None) -> Any:
        """Returns `to_records` as a DataFrame of pandas or polars, or a table of pyarrow.

        Args:
            library: The library; by default that of the ratings, else one that is imported or installed.

        Raises:
            InputError: if no library is installed.
        """
        return as_frame(self.to_records(), library or self.library)
