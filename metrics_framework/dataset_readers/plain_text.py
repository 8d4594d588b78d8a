"""The reader ``plain-text``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from overrides import overrides

from metrics_framework.common.errors import DataError, Problems
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.dataset_readers.dataset_reader import DatasetReader, check_plain_text, refuse_several_systems
from metrics_framework.dataset_readers.system_names import system_names
from metrics_framework.io.text_lines import read_parallel


@DatasetReader.register("plain-text")
class PlainTextReader(DatasetReader):
    """Reads text files with one text per line: outputs, and references and sources parallel to them.

    Each file of outputs is one system, named after the file without its ending, or after the shortest part of the path
    that distinguishes files of the same name. Line n of each file belongs to instance n; all files must have the same
    number of lines.

    Args:
        references: Files of references; line n of each is a reference for output n.
        sources: The file of sources.
        systems: Names of the systems, one for each file of outputs.
        references_per_line: The number of references in each line of the files of references, separated by tabs.
    """

    files_meaning: ClassVar[str] = "text files of outputs, one system per file"

    def __init__(
        self,
        references: list[str] | None = None,
        sources: str | None = None,
        systems: list[str] | None = None,
        references_per_line: int = 1,
    ) -> None:
        self.references = references or []
        self.sources = sources
        self.systems = systems
        self.references_per_line = references_per_line

    @overrides
    def provides(self) -> set[str]:
        given = {"references": bool(self.references), "source": self.sources is not None}
        return {"summary", *(name for name, is_given in given.items() if is_given)}

    @overrides
    def instances(self, input_files: Sequence[str], problems: Problems) -> Iterator[EvalInstance]:
        others = [*self.references, *([] if self.sources is None else [self.sources])]
        check_plain_text(input_files, others if self.references_per_line == 1 else others[len(self.references) :])
        for path, summarizer_id in zip(input_files, system_names(input_files, self.systems), strict=True):
            try:
                for number, (summary, *texts) in enumerate(read_parallel([path, *others]), 1):
                    if number == 1:
                        refuse_several_systems(path, summary)
                    fields: dict[str, object] = {"summary": summary}
                    if self.references:
                        references = texts[: len(self.references)]
                        one_per_line = self.references_per_line == 1
                        fields["references"] = references if one_per_line else self._split(references, number)
                    if self.sources is not None:
                        fields["source"] = texts[-1]
                    yield EvalInstance(str(number), summarizer_id, "peer", fields, path, number)
            except DataError as problem:
                problems.add(problem)

    def _split(self, lines: Sequence[str], number: int) -> list[str]:
        """Returns the references of an output, given line ``number`` of each file.

        Raises:
            DataError: if a line has another number of references.
        """
        references: list[str] = []
        for path, line in zip(self.references, lines, strict=True):
            split = line.split("\t", self.references_per_line - 1)
            if len(split) != self.references_per_line:
                expected = f"expected {self.references_per_line} references separated by tabs"
                raise DataError(f"{expected}, got {len(split)}", path, number)
            references += split
        return references
