"""Readers of rows with the fields of one kind of metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from metrics_framework.common.overriding import overrides
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.dataset_readers.row_reader import RowReader
from metrics_framework.inputs.row_view import SINGULARS
from metrics_framework.inputs.rows import text, texts


class FieldsReader(RowReader):
    """Base class of readers of rows with the same fields.

    Attributes:
        names: The fields.
    """

    fields_are_columns = True
    names: ClassVar[Sequence[str]] = ("summary",)

    @overrides
    def provides(self) -> set[str]:
        return {*self.names}

    @overrides
    def fields(self, row: Mapping[str, Any]) -> dict[str, Any]:
        return {
            name: texts(row, name, SINGULARS[name]) if name in SINGULARS else text(row, name) for name in self.names
        }


@DatasetReader.register("reference-based")
class ReferenceBasedReader(FieldsReader):
    """Reads rows with ``summary`` and ``references`` (or one ``reference``)."""

    names = ("summary", "references")


@DatasetReader.register("source-reference-based")
class SourceReferenceBasedReader(FieldsReader):
    """Reads rows with ``summary``, ``references`` (or one ``reference``) and ``source``."""

    names = ("summary", "references", "source")


@DatasetReader.register("document-based")
class DocumentBasedReader(FieldsReader):
    """Reads rows with ``summary`` and ``documents`` (or one ``document``)."""

    fields_are_columns = False
    names = ("summary", "documents")


@DatasetReader.register("summary-only")
class SummaryOnlyReader(FieldsReader):
    """Reads rows with ``summary``, whatever else they have."""
