"""Results as tables: text, records, and DataFrames of the library of the input."""

from __future__ import annotations

import importlib
import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from metrics_framework.common.errors import InputError, UnknownChoiceError


def as_frame(records: Sequence[Mapping[str, Any]], library: str | None) -> Any:
    """Returns records as a DataFrame of pandas or polars, or as a table of pyarrow.

    Args:
        records: The rows.
        library: The library; `None` for one that is already imported, else one that is installed.

    Raises:
        InputError: if the library is not installed.
        UnknownChoiceError: if it is not one of `LIBRARIES`.
    """
    from metrics_framework.inputs.frames import LIBRARIES

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
