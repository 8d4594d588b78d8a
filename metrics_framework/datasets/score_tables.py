"""Tables of scores of an evaluation: the output of ROUGE, and columns of ratings."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any

from metrics_framework.common.errors import DataError
from metrics_framework.data.sums import plain_sum
from metrics_framework.datasets.shared_task_files import Output, author_of, instance_id

Scores = MutableMapping[Output, dict[str, Any]]
"""The scores of each output, by name."""

_ROUGE_COLUMNS = 7
_ROUGE_NAMES = ("recall", "precision", "f1")


def rows_of(
    content: bytes, file: str, values_of: Callable[[Sequence[str]], dict[str, float] | None], expected: str
) -> Iterator[tuple[list[str], dict[str, float]]]:
    """Yields the cells and the scores of each row of a table; lines before the first row are text.

    Args:
        content: The content of the file.
        file: Its name in error messages.
        values_of: Returns the scores of a line, given its cells; `None` if it is not a row.
        expected: What a row has, for error messages.

    Raises:
        DataError: with the line, if a line after the first row is not one, or there are no rows.
    """
    found = False
    for number, line in enumerate(content.decode("utf-8", "replace").splitlines(), 1):
        cells = line.split()
        values = values_of(cells)
        if values is not None:
            found = True
            yield cells, values
        elif found and cells:
            raise DataError(f"is not a row of scores: expected {expected}", file, number)
    if not found:
        raise DataError(f"contains no row with {expected}", file)


@dataclass(frozen=True)
class ScoreTable:
    """A table with spaces between its columns, and possibly lines of text before its first row.

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

    def read(self, content: bytes, scores: Scores) -> None:
        """Adds the scores of all rows.

        Raises:
            DataError: with the line, if a row after the first cannot be read, or there are no rows.
        """
        expected = f"numbers in columns {self._listing()}"
        for cells, values in rows_of(content, self.file, self._values, expected):
            output = Output(instance_id(f"{self.prefix}{cells[self.instance]}"), author_of(cells[self.system]))
            for name, value in values.items():
                put(scores.setdefault(output, {}), self._name(name, cells), value)

    def _values(self, cells: Sequence[str]) -> dict[str, float] | None:
        """Returns the scores of a row, `None` if it is not one; a hyphen or ``NaN`` is no score."""
        needed = max(self.instance, self.system, self.question or 0, *self.scores.values())
        if len(cells) <= needed:
            return None
        try:
            values = {name: number_of(cells[column]) for name, column in self.scores.items()}
        except ValueError:
            return None
        return {name: value for name, value in values.items() if value is not None}

    def _name(self, name: str, cells: Sequence[str]) -> str:
        return name if self.question is None else f"{name}.Q{cells[self.question]}"

    def _listing(self) -> str:
        return ", ".join(str(column + 1) for column in sorted(self.scores.values()))


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
        for number, line in enumerate(content.decode("utf-8", "replace").splitlines()[1:], 2):
            try:
                system, topic, *cells = line.split()
                output = Output(f"d{self.first + int(topic[1:]):04}-{self.part}", system[1:])
                values = [number_of(cell) for cell in cells]
            except ValueError:
                raise DataError(
                    "is not a row of scores: expected system, input and numbers", self.file, number
                ) from None
            for measure, value in enumerate(values, 1):
                if value is not None:
                    put(scores.setdefault(output, {}), f"aesop.{measure}", value)


@dataclass(frozen=True)
class RatedTwice:
    """A table with two ratings of each summary, which become a list.

    Args:
        file: Its name.
        score: The name of the score.
        instance: The column of the input.
        system: The column of the author.
        ratings: The columns of the ratings.
        id_of: Returns the id of an input, given its cell.
    """

    file: str
    score: str
    instance: int
    system: int
    ratings: tuple[int, int]
    id_of: Callable[[str], str]

    def read(self, content: bytes, scores: Scores) -> None:
        """Adds the scores of all rows.

        Raises:
            DataError: with the line, if a row cannot be read.
        """
        for number, line in enumerate(content.decode("utf-8", "replace").splitlines(), 1):
            cells = line.split()
            try:
                ratings = [number_of(cells[column]) for column in self.ratings]
            except (ValueError, IndexError):
                raise DataError("is not a row with two ratings", self.file, number) from None
            output = Output(self.id_of(cells[self.instance]), author_of(cells[self.system]))
            scores.setdefault(output, {})[self.score] = ratings


def number_of(cell: str) -> float | None:
    """Returns an int or a float; `None` for ``-`` and ``NaN``, which state that there is no score."""
    value = math.nan if cell == "-" else float(cell)
    if value != value:
        return None
    return int(cell) if cell.lstrip("-").isdigit() else value


def put(scores: dict[str, Any], name: str, value: Any) -> None:
    """Stores a score under a name with full stops between nested names."""
    *groups, last = name.split(".")
    for group in groups:
        scores = scores.setdefault(group, {})
    scores[last] = value


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
    for output, measure, values in _rouge_lines(content, path, output_of):
        sums.setdefault(output, {}).setdefault(f"{measure}{suffix}", []).append(values)
    for output, measures in sums.items():
        for measure, rows in measures.items():
            means = [plain_sum(column) / len(rows) for column in zip(*rows, strict=True)]
            scores.setdefault(output, {})[measure] = dict(zip(_ROUGE_NAMES, means, strict=True))


def _rouge_lines(
    content: bytes, path: str, output_of: Callable[[str], Output | None]
) -> Iterator[tuple[Output, str, list[float]]]:
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
            yield output, cells[1].lower(), values


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


def is_multi_document(cells: Sequence[str]) -> bool:
    """Returns whether a row is about a summary of several documents."""
    return cells[1] == "M"


def without_zeros(length: str) -> str:
    """Returns a length in words without leading zeros, as ``10`` for ``010``."""
    return length.lstrip("0") or length


@dataclass(frozen=True)
class AnnotatedTable:
    """A table ``short.results.table``: answers to questions on quality, counts of units, coverage of the model.

    Headlines of ten words have no answers.

    Args:
        file: Its name.
        columns: The number of columns of a row; other lines before the first row are text.
        system: The column of the author.
        first_question: The column of the first answer.
        questions: The number of questions.
        instance_of: Returns the id of the input of a row; `None` for rows of other tasks.
    """

    file: str
    columns: int
    system: int
    first_question: int
    questions: int
    instance_of: Callable[[Sequence[str]], str | None]

    def read(self, content: bytes, scores: Scores) -> None:
        """Adds the scores of all rows of the task.

        Raises:
            DataError: with the line, if a row after the first cannot be read, or there are no rows.
        """
        for cells, values in rows_of(content, self.file, self._values, f"{self.columns} columns"):
            instance_id = self.instance_of(cells)
            if instance_id is not None:
                output = Output(instance_id, author_of(cells[self.system]))
                for name, value in values.items():
                    put(scores.setdefault(output, {}), name, value)

    def _values(self, cells: Sequence[str]) -> dict[str, float] | None:
        """Returns the scores of a row, `None` if it is not one."""
        if len(cells) != self.columns:
            return None
        after = self.first_question + self.questions
        names = [*_COUNTS, *_COVERAGE, *_ADJUSTED][: self.columns - after]
        columns = {name: after + index for index, name in enumerate(names)}
        if without_zeros(cells[3]) != _LENGTH_OF_HEADLINES:
            columns |= {f"peer_quality.Q{index + 1}": self.first_question + index for index in range(self.questions)}
        try:
            values = {name: number_of(cells[column]) for name, column in columns.items()}
        except ValueError:
            return None
        return {name: value for name, value in values.items() if value is not None}
