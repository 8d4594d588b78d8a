"""Tables of scores of an evaluation: the output of ROUGE, and columns of ratings."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from metrics_framework.common.errors import DataError
from metrics_framework.common.overriding import overrides
from metrics_framework.data.metrics_dict import put
from metrics_framework.data.sums import plain_sum
from metrics_framework.datasets.shared_task_files import Output, author_of, instance_id

Parsed = TypeVar("Parsed")
Scores = MutableMapping[Output, dict[str, Any]]
"""The scores of each output, by name."""

_ROUGE_COLUMNS = 7
_ROUGE_NAMES = ("recall", "precision", "f1")


class Table(ABC):
    """A table with spaces between its columns, and possibly lines of text before its first row."""

    file: str
    system: int

    def read(self, content: bytes, scores: Scores) -> None:
        """Adds the scores of all rows.

        Raises:
            DataError: with the line, if a row after the first cannot be read, or there are no rows.
        """
        found = False
        for number, line in enumerate(content.decode("utf-8", "replace").splitlines(), 1):
            cells = line.split()
            try:
                values = {name: number_of(cells[column]) for name, column in self.columns_of(cells).items()}
            except ValueError:
                if found and cells:
                    raise DataError(f"is not a row of scores: expected {self.expected()}", self.file, number) from None
                continue
            found = True
            instance = self.input_of(cells)
            for name, value in values.items() if instance is not None else ():
                if value is not None:
                    of_output = scores.setdefault(Output(str(instance), author_of(cells[self.system])), {})
                    put(of_output, name.split("."), value)
        if not found:
            raise DataError(f"contains no row with {self.expected()}", self.file)

    @abstractmethod
    def columns_of(self, cells: Sequence[str]) -> Mapping[str, int]:
        """Returns the columns of the scores of a row.

        Raises:
            ValueError: if the line is not a row.
        """

    @abstractmethod
    def input_of(self, cells: Sequence[str]) -> str | None:
        """Returns the id of the input of a row; `None` for rows of other tasks."""

    @abstractmethod
    def expected(self) -> str:
        """Returns what a row has, for error messages."""


@dataclass(frozen=True)
class ScoreTable(Table):
    """A table of ratings.

    Args:
        file: Its name in the archive.
        scores: For each score its column, from 0; a full stop in a name separates nested names.
        instance: The column of the input.
        system: The column of the author.
        question: The column with the number of a question, for tables with one row per question: the only score
            becomes ``{score: {"Q1": …, "Q2": …}}``.
        prefix: What precedes the input to make its id.
    """

    file: str
    scores: Mapping[str, int]
    instance: int = 0
    system: int = 3
    question: int | None = None
    prefix: str = ""

    @overrides
    def columns_of(self, cells: Sequence[str]) -> Mapping[str, int]:
        if len(cells) <= max(self.instance, self.system, self.question or 0, *self.scores.values()):
            raise ValueError
        if self.question is None:
            return self.scores
        return {f"{name}.Q{cells[self.question]}": column for name, column in self.scores.items()}

    @overrides
    def input_of(self, cells: Sequence[str]) -> str | None:
        return instance_id(f"{self.prefix}{cells[self.instance]}")

    @overrides
    def expected(self) -> str:
        return f"numbers in columns {', '.join(str(column + 1) for column in sorted(self.scores.values()))}"


@dataclass(frozen=True)
class AesopTable:
    """A table of automatic measures that took part in an AESOP task; one file per part of the inputs.

    Measure n becomes the score ``aesop.n``.

    Args:
        file: Its name in the archive.
        first: The number of the input before the first, such as 900 for ``d0901``.
        part: The part of the inputs, ``A`` or ``B``.
    """

    file: str
    first: int
    part: str

    def read(self, content: bytes, scores: Scores) -> None:
        """Adds the scores of all rows.

        Raises:
            DataError: with the line, if a row cannot be read.
        """
        problem = "is not a row of scores: expected system, input and numbers"
        for output, values in parsed_lines(content, self.file, self._parsed, problem, first=2):
            for measure, value in enumerate(values, 1):
                if value is not None:
                    put(scores.setdefault(output, {}), ["aesop", str(measure)], value)

    def _parsed(self, cells: Sequence[str]) -> tuple[Output, list[float | None]]:
        system, topic, *numbers = cells
        return Output(f"d{self.first + int(topic[1:]):04}-{self.part}", system[1:]), list(map(number_of, numbers))


@dataclass(frozen=True)
class RatedTwice:
    """A table with two ratings of each summary, which become a list.

    Args:
        file: Its name.
        score: The name of the score.
        instance: The column of the input.
        system: The column of the author.
        ratings: The columns of the ratings.
        are_documents: Whether inputs are documents, whose names lack the full stop before their endings.
    """

    file: str
    score: str
    instance: int
    system: int
    ratings: Sequence[int]
    are_documents: bool = False

    def read(self, content: bytes, scores: Scores) -> None:
        """Adds the scores of all rows.

        Raises:
            DataError: with the line, if a row cannot be read.
        """
        for output, ratings in parsed_lines(content, self.file, self._parsed, "is not a row with two ratings"):
            scores.setdefault(output, {})[self.score] = ratings

    def _parsed(self, cells: Sequence[str]) -> tuple[Output, list[float | None]]:
        ratings = [number_of(cells[column]) for column in self.ratings]
        name = cells[self.instance]
        name = f"{name[:-4]}.{name[-4:]}" if self.are_documents else instance_id(name)
        return Output(name, author_of(cells[self.system])), ratings


def parsed_lines(
    content: bytes, path: str, parse: Callable[[Sequence[str]], Parsed], problem: str, first: int = 1
) -> Iterator[Parsed]:
    """Yields what a function returns for the cells of each line, which spaces separate.

    Args:
        content: The content of a file.
        path: The file.
        parse: The function; raises `ValueError` or `IndexError` for other lines than expected.
        problem: What is wrong with these.
        first: The first line to read, counted from 1.

    Raises:
        DataError: with the line, if a line is not as expected.
    """
    for number, line in enumerate(content.decode("utf-8", "replace").splitlines()[first - 1 :], first):
        try:
            yield parse(line.split())
        except (ValueError, IndexError):
            raise DataError(problem, path, number) from None


def number_of(cell: str) -> float | None:
    """Returns an int or a float; `None` for ``-`` and ``NaN``, which state that there is no score."""
    value = math.nan if cell == "-" else float(cell)
    if value != value:
        return None
    return int(cell) if cell.lstrip("-").isdigit() else value


def read_rouge(
    content: bytes, path: str, output_of: Callable[[str], Output | None], suffix: str, scores: Scores
) -> None:
    """Adds the scores in the output of the official ROUGE program, times 100.

    The lines of single summaries are ``SYSTEM MEASURE Eval FILE R:… P:… F:…``. Several lines of one output, one for
    each reference left out, are averaged.

    Raises:
        DataError: with the line, if a number cannot be read.
    """
    sums: dict[Output, dict[str, list[list[float]]]] = {}
    for number, line in enumerate(content.decode("utf-8", "replace").splitlines(), 1):
        cells = line.split()
        if len(cells) != _ROUGE_COLUMNS or cells[2] != "Eval":
            continue
        try:
            values = [float(cell[2:]) * 100 for cell in cells[4:]]
        except ValueError:
            raise DataError("is not a line of ROUGE: expected R:, P: and F: with numbers", path, number) from None
        output = output_of(cells[3])
        if output is not None:
            sums.setdefault(output, {}).setdefault(f"{cells[1].lower()}{suffix}", []).append(values)
    for output, measures in sums.items():
        for measure, rows in measures.items():
            means = [plain_sum(column) / len(rows) for column in zip(*rows, strict=True)]
            scores.setdefault(output, {})[measure] = dict(zip(_ROUGE_NAMES, means, strict=True))


def score_rows(scores: Scores) -> Iterator[dict[str, Any]]:
    """Yields a row with the scores of each output."""
    for output, metrics in sorted(scores.items()):
        yield {**output.ids(), "metrics": metrics}


_COUNTS = (
    "unmarked_units_related_to_subject",
    "num_peer_units",
    "num_marked_peer_units",
    "num_unmarked_peer_units",
    "num_model_units",
)
_COVERAGE = ("coverage.mean", "coverage.median", "coverage.std")
_ADJUSTED = tuple(f"length_adjusted_{name}" for name in _COVERAGE)
_LENGTH_OF_HEADLINES = "10"


def without_zeros(length: str) -> str:
    """Returns a length in words without leading zeros, as ``10`` for ``010``."""
    return length.lstrip("0") or length


@dataclass(frozen=True)
class AnnotatedTable(Table):
    """A table ``short.results.table``: answers to questions on quality, counts of units, coverage of the model.

    Headlines of ten words have no answers.

    Args:
        file: Its name.
        columns: The number of columns of a row; other lines before the first row are text.
        system: The column of the author.
        first_question: The column of the first answer.
        questions: The number of questions.
        inputs: Its inputs: ``sets`` of documents, ``documents``, ``sets and documents``, or ``lengths`` of sets.
    """

    file: str
    columns: int
    system: int
    first_question: int
    questions: int
    inputs: str

    @overrides
    def columns_of(self, cells: Sequence[str]) -> Mapping[str, int]:
        if len(cells) != self.columns:
            raise ValueError
        after = self.first_question + self.questions
        names = [*_COUNTS, *_COVERAGE, *_ADJUSTED][: self.columns - after]
        columns = {name: after + index for index, name in enumerate(names)}
        if without_zeros(cells[3]) != _LENGTH_OF_HEADLINES:
            columns |= {f"peer_quality.Q{index + 1}": self.first_question + index for index in range(self.questions)}
        return columns

    @overrides
    def input_of(self, cells: Sequence[str]) -> str | None:
        of_set = instance_id(cells[0])
        if cells[1] == "M" or self.inputs == "sets":
            lengths = {"lengths": f"{of_set}-{without_zeros(cells[3])}", "documents": None}
            return lengths.get(self.inputs, of_set)
        return None if self.inputs == "lengths" else cells[2]

    @overrides
    def expected(self) -> str:
        return f"{self.columns} columns"


KINDS: Mapping[str, Any] = {
    "scores": ScoreTable,
    "aesop": AesopTable,
    "rated-twice": RatedTwice,
    "annotated": AnnotatedTable,
}
"""The kinds of tables, by their names in ``shared_tasks.json``."""
