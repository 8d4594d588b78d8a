"""The reader ``source-reference-based``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from metrics_framework.common.overriding import overrides
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.dataset_readers.row_reader import RowReader
from metrics_framework.dataset_readers.rows import text, texts


@DatasetReader.register("source-reference-based")
class SourceReferenceBasedReader(RowReader):
    """Reads rows with ``summary``, ``references`` (or one ``reference``) and ``source``."""

    fields_are_columns = True

    @overrides
    def provides(self) -> set[str]:
        return {"summary", "references", "source"}

    @overrides
    def fields(self, row: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "summary": text(row, "summary"),
            "references": texts(row, "references", "reference"),
            "source": text(row, "source"),
        }
