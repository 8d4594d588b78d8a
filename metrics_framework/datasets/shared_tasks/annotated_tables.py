"""Tables of the ratings that assessors gave in the Summary Evaluation Environment (SEE), of DUC 2002 to 2004."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from metrics_framework.datasets.shared_tasks.names import Output, author_of
from metrics_framework.datasets.shared_tasks.score_tables import Scores, number_of, put, rows_of

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
