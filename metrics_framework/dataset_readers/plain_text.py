"""The reader ``plain-text``."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import ClassVar

from metrics_framework.common.errors import DataError, Problems, UsageError
from metrics_framework.common.overriding import overrides
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.dataset_readers.system_names import system_names
from metrics_framework.io.pieces import Piece
from metrics_framework.io.streams import STANDARD, uncompressed_name
from metrics_framework.io.text_lines import can_be_plain_text, read_parallel


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
        self._other_files = [*self.references, *([] if sources is None else [sources])]
        self._num_tables = 0 if references_per_line == 1 else len(self.references)

    @overrides
    def provides(self) -> set[str]:
        given = {"references": bool(self.references), "source": self.sources is not None}
        return {"summary", *(name for name, is_given in given.items() if is_given)}

    @overrides
    def instances(self, input_files: Sequence[str], problems: Problems) -> Iterator[EvalInstance]:
        check_plain_text(input_files, self._other_files[self._num_tables :])
        for path, name in zip(input_files, system_names(input_files, self.systems), strict=True):
            yield from self.instances_of(Piece(path, name), problems)

    @overrides
    def pieces(self, input_files: Sequence[str], size: int) -> list[Piece]:
        check_plain_text(input_files, self._other_files[self._num_tables :])
        return list(map(Piece, input_files, system_names(input_files, self.systems)))

    @overrides
    def instances_of(self, piece: Piece, problems: Problems) -> Iterator[EvalInstance]:
        try:
            for number, (summary, *texts) in enumerate(read_parallel([piece.path, *self._other_files]), 1):
                if number == 1 and piece.path == STANDARD:
                    refuse_several_systems(piece.path, summary)
                fields: dict[str, object] = {"summary": summary}
                if self.references:
                    references = texts[: len(self.references)]
                    one_per_line = self.references_per_line == 1
                    fields["references"] = references if one_per_line else self._split(references, number)
                if self.sources is not None:
                    fields["source"] = texts[-1]
                piece.lines = number
                yield EvalInstance(str(number), piece.name, "peer", fields, piece.path, number)
        except DataError as problem:
            piece.stopped = True
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


def check_plain_text(outputs: Sequence[str], others: Sequence[str] = ()) -> None:
    """Checks the endings of plain-text files.

    Args:
        outputs: The files of outputs.
        others: The files of references and sources.

    Raises:
        UsageError: if a file has the ending of another format.
    """
    for path in others:
        if not can_be_plain_text(path):
            advice = "; if its lines have N references each, separated by tabs, add --num-refs N"
            is_tsv = uncompressed_name(path).endswith(".tsv") and os.path.exists(path)
            found = advice if is_tsv else _misplaced(path)
            raise UsageError(f"references and sources must be plain text, got '{path}'{found}")
    for path in outputs:
        if not can_be_plain_text(path):
            advice = f"use --input-files for JSONL and tables{_misplaced(path)}"
            raise UsageError(f"--outputs must be plain text, got '{path}'; {advice}")


def _misplaced(path: str) -> str:
    """Returns advice for a file that does not exist: it is one to write, which a flag with several files took."""
    return "" if os.path.exists(path) else "; a file to write comes before the flags"


def refuse_several_systems(path: str, first_line: str) -> None:
    """Rejects outputs of several systems on standard input: sacreBLEU reads one output of each, separated by tabs.

    Args:
        path: The file of outputs; only standard input is checked.
        first_line: Its first line.

    Raises:
        DataError: if the line contains a tab.
    """
    if path == STANDARD and "\t" in first_line:
        texts = first_line.count("\t") + 1
        raise DataError(
            f"expected the output of one system, got {texts} texts separated by tabs; write one file per "
            "system and use -i FILE FILE …, which also accepts texts with tabs",
            path,
            1,
        )
