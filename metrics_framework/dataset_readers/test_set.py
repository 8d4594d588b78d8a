"""The reader ``test-set``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, TypeAlias

from metrics_framework.common.errors import DataError, Problems
from metrics_framework.common.overriding import overrides
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.dataset_readers.files_of_outputs import check_plain_text, refuse_several_systems, system_names
from metrics_framework.inputs.rows import known_fields, rows_of_test_set
from metrics_framework.io.reading import read_lines

_Row: TypeAlias = "tuple[str, dict[str, Any], bool]"
"""The id of a row of a test set, its fields, and whether it is selected; outputs for other rows are skipped."""


@DatasetReader.register("test-set")
class TestSetReader(DatasetReader):
    """Reads text files with one output per line, and all other fields from the rows of a test set.

    Each file of outputs is one system, named after the file without its ending, or after the shortest part of the path
    that distinguishes files of the same name. Line n belongs to row n of the test set; every file must have one line
    for each row.

    Args:
        test_set: The JSONL file of rows with instance_id, source and references. On the command line,
            --dataset accepts the name of a test set.
        systems: Names of the systems, one for each file of outputs.
        origlang: Reads only the rows with this original language, or with another one after the prefix non-. It is
            metadata.origlang of a row.
    """

    __test__ = False  # tells pytest that this is not a test

    files_meaning: ClassVar[str] = "text files of outputs, one system per file"

    def __init__(self, test_set: str, systems: list[str] | None = None, origlang: str | None = None) -> None:
        self.test_set = test_set
        self.parallel_files = {field: [test_set] for field in ("references", "source")}
        self.systems = systems
        self.origlang = origlang

    @overrides
    def instances(self, input_files: Sequence[str], problems: Problems) -> Iterator[EvalInstance]:
        check_plain_text(input_files)
        names = system_names(input_files, self.systems)
        rows = self._rows(problems)
        problems.raise_any()  # without an invalid row, the lines after it would belong to other rows
        if not any(is_selected for *_, is_selected in rows) and rows:
            raise DataError(f"has no row with the original language '{self.origlang}'", self.test_set)
        for path, summarizer_id in zip(input_files, names, strict=True):
            with problems.at(path):
                yield from self._system(path, summarizer_id, rows)

    def _system(self, path: str, summarizer_id: str, rows: Sequence[_Row]) -> Iterator[EvalInstance]:
        outputs = list(map(str.rstrip, read_lines(path)))
        refuse_several_systems(path, outputs[0] if outputs else "")
        if len(outputs) != len(rows):
            empty = " (the last one is empty)" if outputs and not outputs[-1].strip() else ""
            expected = f"{len(rows)} lines, one for each row of the test set {self.test_set}"
            raise DataError(f"must have {expected}, got {len(outputs)}{empty}", path)
        for line, (output, (instance_id, fields, is_selected)) in enumerate(zip(outputs, rows, strict=True), 1):
            if is_selected:
                yield EvalInstance(instance_id, summarizer_id, "peer", {"summary": output, **fields}, path, line)

    def _rows(self, problems: Problems) -> list[_Row]:
        """Returns the rows of the test set."""
        rows: list[_Row] = []
        for line, instance_id, fields in rows_of_test_set(self.test_set, problems):
            with problems.at(self.test_set, line):
                read = _without_trailing_whitespace(known_fields(fields))
                rows.append((instance_id, read, self._is_selected(fields)))
        return rows

    def _is_selected(self, row: Mapping[str, Any]) -> bool:
        """Returns whether a row has the requested original language.

        Raises:
            DataError: if a language is requested, and the row has none.
        """
        if self.origlang is None:
            return True
        metadata = row.get("metadata")
        language = metadata.get("origlang") if isinstance(metadata, dict) else None
        if language is None:
            raise DataError("the original language ('metadata': {'origlang': …}) is missing; leave out --origlang")
        other = self.origlang.removeprefix("non-")
        return bool((language == other) == (other == self.origlang))


def _without_trailing_whitespace(value: Any) -> Any:
    """Returns a value whose texts lack whitespace at their ends, which sacreBLEU's command removes from test sets."""
    if isinstance(value, dict):
        return {name: _without_trailing_whitespace(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return list(map(_without_trailing_whitespace, value))
    return value.rstrip() if isinstance(value, str) else value
