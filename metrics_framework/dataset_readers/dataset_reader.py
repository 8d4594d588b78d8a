"""The bases of all readers: `DatasetReader`, and `RowReader` for files of one output a row."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from overrides import overrides

from metrics_framework.common.construct import build, parse_spec
from metrics_framework.common.errors import DataError, Problems, UsageError
from metrics_framework.common.registrable import Registrable
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.data.names import with_our_names
from metrics_framework.dataset_readers import REGISTRY
from metrics_framework.dataset_readers.rows import identity, read_rows
from metrics_framework.io.streams import stem
from metrics_framework.io.text_lines import can_be_plain_text


class DatasetReader(Registrable, registry=REGISTRY):
    """Base of all readers: from files to instances, one at a time.

    A reader defines `instances`. Whatever is wrong with a row it puts into ``problems`` and goes on, so that all
    problems of a file are reported together; what makes the whole input unreadable it raises. `file_by_file` goes on
    behind a file that cannot be read.

    Attributes:
        number_of_files: How many input files it takes, `None` for any number.
        files_meaning: What the input files are, for messages and help.
    """

    number_of_files: ClassVar[int | None] = None
    files_meaning: ClassVar[str] = "files of outputs"

    @abstractmethod
    def instances(self, input_files: Sequence[str], problems: Problems) -> Iterator[EvalInstance]:
        """Gives the instances of the files, in their order.

        Args:
            input_files: The paths.
            problems: Takes what is wrong.
        """

    def read(self, *input_files: str | Sequence[str]) -> Iterator[EvalInstance]:
        """Gives the instances of the files; whatever was wrong with them is raised at the end, all together.

        Args:
            input_files: The paths, or lists of paths.

        Raises:
            DataError: if a row, or several, do not hold what they must.
        """
        problems = Problems()
        paths = [path for one in input_files for path in ([one] if isinstance(one, str) else one)]
        yield from self.instances(self.checked_files(paths), problems)
        problems.raise_any()

    def provides(self) -> set[str] | None:
        """Returns the fields that its instances have, as far as that is known before reading; `None` if it is not."""
        return None

    def checked_files(self, input_files: Sequence[str]) -> Sequence[str]:
        """Refuses a wrong number of files.

        Raises:
            UsageError: if the reader takes another number.
        """
        if not input_files:
            raise UsageError(f"no input files; '{self.registered_name}' reads {self.files_meaning}")
        if self.number_of_files is not None and len(input_files) != self.number_of_files:
            raise UsageError(
                f"the dataset reader '{self.registered_name}' takes {self.number_of_files} files "
                f"({self.files_meaning}), got {len(input_files)}"
            )
        return input_files


def file_by_file(
    read: Callable[[str], Iterator[EvalInstance]], input_files: Sequence[str], problems: Problems
) -> Iterator[EvalInstance]:
    """Gives the instances of files; what makes one of them unreadable is a problem like any other, told once.

    Args:
        read: Gives the instances of a file.
        input_files: The paths.
        problems: Takes what is wrong.
    """
    told: set[str] = set()
    for path in input_files:
        try:
            yield from read(path)
        except DataError as problem:
            if str(problem) not in told:
                told.add(str(problem))
                problems.add(problem)


class RowReader(DatasetReader):
    """Reads files of one output a row: JSONL, CSV or TSV by their ending. Subclasses say which fields a row has."""

    @overrides
    def instances(self, input_files: Sequence[str], problems: Problems) -> Iterator[EvalInstance]:
        yield from file_by_file(lambda path: self._of_file(path, problems), input_files, problems)

    def _of_file(self, path: str, problems: Problems) -> Iterator[EvalInstance]:
        default_summarizer = stem(path)
        for line, row in read_rows(path, problems):
            try:
                yield self.instance(with_our_names(row), path, line, default_summarizer)
            except DataError as problem:
                problems.add(problem if problem.path else DataError(problem.message, path, line))

    def instance(self, row: Mapping[str, Any], path: str, line: int, default_summarizer: str) -> EvalInstance:
        """Makes an instance of a row."""
        instance_id, summarizer_id, summarizer_type = identity(row, default_summarizer)
        return EvalInstance(instance_id, summarizer_id, summarizer_type, self.fields(row), path, line)

    @abstractmethod
    def fields(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Takes the fields out of a row.

        Raises:
            DataError: if one is missing or holds something else than it must.
        """


def check_are_text(references: Sequence[str], sources: str | None) -> None:
    """Refuses files of references and sources that are not plain text by their ending.

    Raises:
        UsageError: if one is not.
    """
    for path in [*references, *([] if sources is None else [sources])]:
        if not can_be_plain_text(path):
            raise UsageError(f"'{path}' is not plain text by its ending; references and sources beside outputs must be")


def check_systems(input_files: Sequence[str]) -> None:
    """Refuses text files of outputs that are not plain text by their ending, or of which two would be one system.

    Raises:
        UsageError: if one is not plain text.
        DataError: if two would be one system.
    """
    names: dict[str, str] = {}
    for path in input_files:
        if not can_be_plain_text(path):
            raise UsageError(f"'{path}' is not plain text by its ending; give it as --input-files instead of --outputs")
        name = stem(path)
        if name in names:
            raise DataError(f"the files {names[name]} and {path} would both be the system '{name}'; rename one")
        names[name] = path


def load_reader(spec: str | Mapping[str, Any], /, **options: Any) -> DatasetReader:
    """Builds a reader by name.

    Args:
        spec: A registered name, ``name:option=value,…`` or ``{"type": name, …}``.
        options: The options of its constructor.

    Raises:
        UnknownNameError: if there is no reader, or no option, of that name.
        UsageError: if an option has a wrong value.
    """
    name, given = parse_spec(spec)
    reader: DatasetReader = build(DatasetReader.by_name(name), DatasetReader, {**given, **options}, name)
    return reader
