"""The base class of output formats."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from metrics_framework.common.printable import printable
from metrics_framework.common.registrable import Registrable
from metrics_framework.reports.formats import REGISTRY

JSON = "json"
"""Not a table format: commands that offer it print the content of the results file."""
Rows = Sequence[Sequence[str]]


class OutputFormat(Registrable, registry=REGISTRY):
    """Writes tables as text.

    Attributes:
        for_people: Whether people read the output: scores are rounded, and notes follow the table. Otherwise every
            digit is kept, and there are no notes.
        for_terminal: Whether the output is read on a terminal, where columns are aligned and long lines are folded.
    """

    for_people: ClassVar[bool] = True
    for_terminal: ClassVar[bool] = False

    @abstractmethod
    def table(self, columns: Sequence[str], rows: Rows, left: int) -> str:
        """Writes a table of printable cells; what else the format must escape, it escapes.

        Args:
            columns: The names of the columns.
            rows: The rows, with a cell for every column.
            left: The number of columns that are left-aligned; the columns after them are right-aligned.
        """

    def with_notes(self, table: str, notes: Sequence[str], *, verbatim: bool = False) -> str:
        """Appends notes to a table, one per line; the format makes them printable.

        Args:
            table: The table.
            notes: The notes, which may contain any characters.
            verbatim: Whether the notes are set in columns, so that their spaces count.
        """
        return "\n".join([table, "", *(note if note.isprintable() else printable(note) for note in notes)])

    def render(self, columns: Sequence[str], rows: Rows, left: int = 1) -> str:
        """Writes a table whose cells may contain any characters; see `table`."""
        columns, *rows = ([cell if cell.isprintable() else printable(cell) for cell in row] for row in [columns, *rows])
        return self.table(columns, rows, left)
