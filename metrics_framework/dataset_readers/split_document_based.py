"""The reader ``split-document-based``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from metrics_framework.common.errors import DataError, Problems
from metrics_framework.common.overriding import overrides
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.data.fields import IDENTITY_FIELDS, SimilarNames
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.inputs.rows import JoinedRows, identity, parsed_instance_id, text, texts
from metrics_framework.io.reading import stem


@DatasetReader.register("split-document-based")
class SplitDocumentBasedReader(DatasetReader):
    """Reads two files joined by ``instance_id``: documents first, then summaries.

    If neither file has ids, row n of the documents belongs to row n of the summaries, which are of one system.
    """

    number_of_files: ClassVar[int | None] = 2
    files_meaning: ClassVar[str] = "the documents, then the summaries"
    row_fields: ClassVar[Sequence[str] | None] = ()

    @overrides
    def instances(self, input_files: Sequence[str], problems: Problems) -> Iterator[EvalInstance]:
        documents_file, summaries_file = input_files
        fields = ("instance_id", "documents"), (*IDENTITY_FIELDS, "summary")
        rows = JoinedRows(input_files, problems, self.row_counts(), self.view, fields)
        documents = self._documents(documents_file, rows, problems)
        similar = SimilarNames(documents)
        for line, row in rows.outputs():
            with problems.at(summaries_file, line):
                yield self._instance(row, summaries_file, line, documents, documents_file, similar)

    def _documents(self, path: str, rows: JoinedRows, problems: Problems) -> dict[str, Any]:
        documents: dict[str, Any] = {}
        lines: dict[str, int] = {}
        for line, row in rows.inputs():
            with problems.at(path, line):
                instance_id = parsed_instance_id(row)
                if instance_id in documents:
                    raise DataError(f"duplicate documents of '{instance_id}' (first on line {lines[instance_id]})")
                documents[instance_id] = texts(row, "documents", "document")
                lines[instance_id] = line
        return documents

    def _instance(
        self,
        row: Mapping[str, Any],
        path: str,
        line: int,
        documents: Mapping[str, Any],
        documents_file: str,
        similar: SimilarNames,
    ) -> EvalInstance:
        instance_id, summarizer_id, summarizer_type = identity(row, stem(path))
        fields = {"summary": text(row, "summary")}
        if instance_id not in documents:
            raise DataError(f"no documents of '{instance_id}' in {documents_file}{similar.hint(instance_id)}")
        fields["documents"] = documents[instance_id]
        return EvalInstance(instance_id, summarizer_id, summarizer_type, fields, path, line)
