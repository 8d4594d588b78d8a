"""The reader ``plain-text``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from overrides import overrides

from metrics_framework.common.errors import Problems
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.dataset_readers.dataset_reader import DatasetReader, check_are_text, check_systems, file_by_file
from metrics_framework.io.streams import stem
from metrics_framework.io.text_lines import read_parallel


@DatasetReader.register("plain-text")
class PlainTextReader(DatasetReader):
    """Reads text files with one text a line: outputs, and references and sources beside them.

    Each file of outputs is one system, named as the file without its ending. Line n is instance n; all files must have
    equally many lines.

    Args:
        references: Files of references; line n of each is a reference for output n.
        sources: The file of sources.
    """

    files_meaning: ClassVar[str] = "text files of outputs, one system a file"

    def __init__(self, references: list[str] | None = None, sources: str | None = None) -> None:
        self.references = references or []
        self.sources = sources

    @overrides
    def provides(self) -> set[str]:
        given = {"references": bool(self.references), "source": self.sources is not None}
        return {"summary", *(name for name, there in given.items() if there)}

    @overrides
    def instances(self, input_files: Sequence[str], problems: Problems) -> Iterator[EvalInstance]:
        check_are_text(self.references, self.sources)
        check_systems(input_files)
        yield from file_by_file(self._system, input_files, problems)

    def _system(self, path: str) -> Iterator[EvalInstance]:
        files = {"summary": path}
        files.update({f"reference {index}": file for index, file in enumerate(self.references)})
        if self.sources is not None:
            files["source"] = self.sources
        summarizer_id = stem(path)
        for number, lines in read_parallel(files):
            fields: dict[str, object] = {"summary": lines["summary"]}
            if self.references:
                fields["references"] = [lines[f"reference {index}"] for index in range(len(self.references))]
            if self.sources is not None:
                fields["source"] = lines["source"]
            yield EvalInstance(str(number), summarizer_id, "peer", fields, path, number)
