"""The reader ``document-based``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from metrics_framework.common.overriding import overrides
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.dataset_readers.row_reader import RowReader
from metrics_framework.dataset_readers.rows import text, texts


@DatasetReader.register("document-based")
class DocumentBasedReader(RowReader):
    """Reads rows with ``summary`` and ``documents`` (or one ``document``)."""

    @overrides
    def provides(self) -> set[str]:
        return {"summary", "documents"}

    @overrides
    def fields(self, row: Mapping[str, Any]) -> dict[str, Any]:
        return {"summary": text(row, "summary"), "documents": texts(row, "documents", "document")}
