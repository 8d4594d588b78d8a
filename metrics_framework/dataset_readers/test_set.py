"""The reader ``test-set``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from overrides import overrides

from metrics_framework.common.errors import DataError, Problems
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.data.names import with_our_names
from metrics_framework.dataset_readers.dataset_reader import DatasetReader, check_systems, file_by_file
from metrics_framework.dataset_readers.rows import identifier, known_fields
from metrics_framework.io.jsonl import read_jsonl
from metrics_framework.io.streams import stem
from metrics_framework.io.text_lines import read_lines


@DatasetReader.register("test-set")
class TestSetReader(DatasetReader):
    """Reads text files with one output a line, and what else the outputs need from the rows of a test set.

    Each file of outputs is one system, named as the file without its ending. Line n belongs to row n of the test set;
    all files must have as many lines as the test set has rows.

    Args:
        test_set: The JSONL file of rows with instance_id, source and references. On the command line, --dataset takes
            a test set by name.
    """

    __test__ = False  # pytest is not to take it for tests

    files_meaning: ClassVar[str] = "text files of outputs, one system a file"

    def __init__(self, test_set: str) -> None:
        self.test_set = test_set

    @overrides
    def instances(self, input_files: Sequence[str], problems: Problems) -> Iterator[EvalInstance]:
        check_systems(input_files)
        rows = self._rows(problems)
        problems.raise_any()  # a row that is left out would move those behind it
        yield from file_by_file(lambda path: self._system(path, rows), input_files, problems)

    def _system(self, path: str, rows: Sequence[tuple[str, dict[str, Any]]]) -> Iterator[EvalInstance]:
        summarizer_id = stem(path)
        outputs = list(read_lines(path))
        if len(outputs) != len(rows):
            raise DataError(_unequal(outputs, len(rows), self.test_set), path)
        for line, (output, (instance_id, fields)) in enumerate(zip(outputs, rows, strict=True), 1):
            yield EvalInstance(instance_id, summarizer_id, "peer", {"summary": output, **fields}, path, line)

    def _rows(self, problems: Problems) -> list[tuple[str, dict[str, Any]]]:
        """Reads id and fields of each row of the test set."""
        rows: list[tuple[str, dict[str, Any]]] = []
        lines: dict[str, int] = {}
        for line, row in read_jsonl(self.test_set, problems):
            try:
                ours = with_our_names(row)
                if "summary" in ours:
                    raise DataError(
                        "has an output itself ('summary'); give such rows as --input-files, without --dataset"
                    )
                instance_id = identifier(ours, "instance_id")
                if instance_id in lines:
                    raise DataError(f"has the 'instance_id' '{instance_id}', as line {lines[instance_id]} has")
                lines[instance_id] = line
                rows.append((instance_id, known_fields(ours)))
            except DataError as problem:
                problems.add(DataError(problem.message, self.test_set, line))
        return rows


def _unequal(outputs: Sequence[str], expected: int, test_set: str) -> str:
    empty = "; the last one is empty" if outputs and not outputs[-1].strip() else ""
    return f"has {len(outputs)} lines{empty}, but the test set {test_set} has {expected} rows: line n belongs to row n"
