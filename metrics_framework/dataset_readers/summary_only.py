"""The reader ``summary-only``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from metrics_framework.common.overriding import overrides
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.dataset_readers.row_reader import RowReader
from metrics_framework.dataset_readers.rows import text


@DatasetReader.register("summary-only")
class SummaryOnlyReader(RowReader):
    """Reads rows with ``summary``, whatever else they have."""

    fields_are_columns = True

    @overrides
    def provides(self) -> set[str]:
        return {"summary"}

    @overrides
    def fields(self, row: Mapping[str, Any]) -> dict[str, Any]:
        return {"summary": text(row, "summary")}
