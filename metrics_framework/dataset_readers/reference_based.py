"""The reader ``reference-based``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from metrics_framework.common.overriding import overrides
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.dataset_readers.row_reader import RowReader
from metrics_framework.dataset_readers.rows import text, texts


@DatasetReader.register("reference-based")
class ReferenceBasedReader(RowReader):
    """Reads rows with ``summary`` and ``references`` (or one ``reference``)."""

    fields_are_columns = True

    @overrides
    def provides(self) -> set[str]:
        return {"summary", "references"}

    @overrides
    def fields(self, row: Mapping[str, Any]) -> dict[str, Any]:
        return {"summary": text(row, "summary"), "references": texts(row, "references", "reference")}
