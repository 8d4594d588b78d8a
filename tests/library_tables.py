"""Tables of pandas, polars and pyarrow, which are in the extra `frames`."""

from __future__ import annotations

from typing import Any

import pytest

LIBRARIES = ("pandas", "polars", "pyarrow")


def table(library: str, content: Any) -> Any:
    """Makes a table of columns by name or of a list of rows, or skips the test if the library is not installed."""
    module = pytest.importorskip(library, reason="needs a library of the extra 'frames', which CI installs")
    if library != "pyarrow":
        return module.DataFrame(content)
    return module.table(content) if isinstance(content, dict) else module.Table.from_pylist(content)


def library_of(frame: Any) -> str:
    """Returns the name of the library that a table is of."""
    return type(frame).__module__.partition(".")[0]
