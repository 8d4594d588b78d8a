"""The reader ``plain-text``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, chain
from typing import ClassVar

from metrics_framework.common.errors import DataError, Problems
from metrics_framework.common.overriding import overrides
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.dataset_readers.dataset_reader import DatasetReader, until_problem
from metrics_framework.dataset_readers.files_of_outputs import (
    check_plain_text,
    files_of_fields,
    refuse_several_systems,
    system_names,
)
from metrics_framework.io.reading import STANDARD, Piece, read_parallel


@DatasetReader.register("plain-text")
class PlainTextReader(DatasetReader):
    """Reads text files with one text per line: outputs, and references, documents and sources parallel to them.

    Each file of outputs is one system, named after the file without its ending, or after the shortest part of the path
    that distinguishes files of the same name. Line n of each file belongs to instance n; all files must have the same
    number of lines. Whitespace at the end of a line is no part of its text, as in sacreBLEU's command; its function in
    Python keeps it, which changes chrF with whitespace.

    Args:
        references: Files of references; line n of each is a reference for output n.
        sources: The file of sources.
        systems: Names of the systems, one for each file of outputs.
        references_per_line: The number of references in each line of the files of references, separated by tabs.
        documents: Files of documents; line n of each is a document of output n.
    """

    files_meaning: ClassVar[str] = "text files of outputs, one system per file"

    def __init__(
        self,
        references: list[str] | None = None,
        sources: str | None = None,
        systems: list[str] | None = None,
        references_per_line: int = 1,
        documents: list[str] | None = None,
    ) -> None:
        self.systems = systems
        self.references_per_line = references_per_line
        self.parallel_files = files_of_fields(references, documents, sources)
        self._other_files = [*chain(*self.parallel_files.values())]
        parts = zip(self.parallel_files.items(), accumulate(map(len, self.parallel_files.values())), strict=True)
        self._places = {name: -1 if name == "source" else slice(end - len(files), end) for (name, files), end in parts}
        self._num_tables = 0 if references_per_line == 1 else len(references or [])

    @overrides
    def provides(self) -> set[str]:
        return {"summary", *self.parallel_files}

    @overrides
    def instances(self, input_files: Sequence[str], problems: Problems) -> Iterator[EvalInstance]:
        for piece in self.pieces(input_files, 0):
            yield from self.instances_of(piece, problems)

    @overrides
    def pieces(self, input_files: Sequence[str], size: int) -> list[Piece]:
        check_plain_text(input_files, self._other_files[self._num_tables :])
        return list(map(Piece, input_files, system_names(input_files, self.systems)))

    @overrides
    def instances_of(self, piece: Piece, problems: Problems) -> Iterator[EvalInstance]:
        return until_problem(self._instances(piece), piece, problems)

    def _instances(self, piece: Piece) -> Iterator[EvalInstance]:
        for number, (line, *texts) in enumerate(read_parallel([piece.path, *self._other_files]), 1):
            summary = line.rstrip()
            if number == 1 and piece.path == STANDARD:
                refuse_several_systems(piece.path, summary)
            stripped = list(map(str.rstrip, texts))
            fields: dict[str, object] = {"summary": summary}
            for name, place in self._places.items():
                fields[name] = stripped[place]
            if self._num_tables:
                fields["references"] = self._split(texts[: self._num_tables], number)
            piece.lines = number
            yield EvalInstance(str(number), piece.name, "peer", fields, piece.path, number)

    def _split(self, lines: Sequence[str], number: int) -> list[str]:
        """Returns the references of an output, given line ``number`` of each file.

        Raises:
            DataError: if a line has another number of references.
        """
        references: list[str] = []
        for path, line in zip(self.parallel_files["references"], lines, strict=True):
            split = line.split("\t", self.references_per_line - 1)
            if len(split) != self.references_per_line:
                expected = f"expected {self.references_per_line} references separated by tabs"
                raise DataError(f"{expected}, got {len(split)}", path, number)
            references += [*split[:-1], split[-1].rstrip()]
        return references
