"""Readers of rows with the fields of one kind of metric."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from metrics_framework.common.overriding import overrides
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.dataset_readers.row_reader import RowReader
from metrics_framework.inputs.rows import text, texts


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


@DatasetReader.register("document-based")
class DocumentBasedReader(RowReader):
    """Reads rows with ``summary`` and ``documents`` (or one ``document``)."""

    @overrides
    def provides(self) -> set[str]:
        return {"summary", "documents"}

    @overrides
    def fields(self, row: Mapping[str, Any]) -> dict[str, Any]:
        return {"summary": text(row, "summary"), "documents": texts(row, "documents", "document")}


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
