"""The base classes of results: text, HTML for notebooks, and records."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Literal

from metrics_framework.api.columns import as_frame

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
