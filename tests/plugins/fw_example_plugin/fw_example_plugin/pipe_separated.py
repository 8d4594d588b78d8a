"""The dataset reader ``pipe-separated``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from metrics_framework import DataError, DatasetReader, EvalInstance


@DatasetReader.register("pipe-separated")
class PipeSeparatedReader(DatasetReader):
    """Reads lines of the form ``input|system|summary|source|reference|…``.

    Args:
        separator: What stands between the fields.
    """

    files_meaning = "files of lines with fields between bars"

    def __init__(self, separator: str = "|") -> None:
        self.separator = separator

    def instances(self, input_files: Sequence[str], problems: Any) -> Iterator[EvalInstance]:
        """Gives an instance for each line."""
        for path in input_files:
            with open(path, encoding="utf-8") as lines:
                for number, line in enumerate(lines, 1):
                    parts = line.rstrip("\n").split(self.separator)
                    if len(parts) < 5:
                        problems.add(DataError(f"needs five fields, got {len(parts)}", path, number))
                        continue
                    instance_id, system, summary, source, *references = parts
                    fields = {"summary": summary, "source": source, "references": references}
                    yield EvalInstance(instance_id, system, "peer", fields, path, number)
