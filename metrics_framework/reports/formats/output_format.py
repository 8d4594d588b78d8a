"""The base class of output formats, and the cells and notes of their tables."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from metrics_framework.common.errors import UsageError, printable
from metrics_framework.common.registrable import Registrable
from metrics_framework.io.reading import uncompressed_name
from metrics_framework.reports.formats import REGISTRY
from metrics_framework.reports.numbers import all_digits

JSON = "json"
"""Not a table format: commands that offer it print the content of the results file."""
OTHER_FORMATS = (JSON, "sacrebleu-json", "sacrebleu-text")
"""The formats of scores that are not tables: the results file, and the output of sacreBLEU."""
DEFAULT_FORMAT = "table"
_OTHER_ENDINGS = (".xlsx", ".xls", ".ods", ".docx", ".odt", ".pdf", ".png", ".svg", ".jsonl", ".parquet", ".yaml")
"""Endings of files that would be unreadable for other programs with a table as text."""
SIGNIFICANT = "*"


class ScoreCell(NamedTuple):
    """A score of a table for people.

    Attributes:
        value: The score.
        interval: Its confidence interval, such as ``± 2.5`` or ``[1.0, 6.0]``, or an empty string.
        is_significant: Whether it differs significantly from the baseline.
        rank: 1 for the best score of the column, 2 for the second, 0 for all others or if no direction is better.
    """

    value: str
    interval: str = ""
    is_significant: bool = False
    rank: int = 0


class Note(NamedTuple):
    """A note below a table: the meaning of a mark, or a signature.

    Attributes:
        kind: The mark, or the kind of the note, such as ``signature``.
        text: The text.
        label: The metric that a signature belongs to, or an empty string.
        is_signature: Whether the text is a signature, which is not wrapped.
    """

    kind: str
    text: str
    label: str = ""
    is_signature: bool = False

    @property
    def line(self) -> str:
        """The note as a line of text."""
        return f"{self.kind} {self.label}".rstrip() + f": {self.text}"


def caution_notes(cautions: Iterable[str]) -> list[Note]:
    """Returns notes on where intervals and tests need care; that p is the least possible is a note about p."""
    return [Note("p", text[4:]) if text.startswith("p = ") else Note("caution", text) for text in cautions]


def without_repeats(rows: Iterable[list[str]], labels: int) -> list[list[str]]:
    """Leaves out the labels of rows that repeat those above.

    Args:
        rows: The rows.
        labels: The number of columns of labels.

    >>> without_repeats([["ter", "quality", "1"], ["ter", "quality", "2"]], 2)
    [['ter', 'quality', '1'], ['', '', '2']]
    """
    rows = list(rows)
    return [
        [""] * labels + row[labels:] if index and row[:labels] == rows[index - 1][:labels] else row
        for index, row in enumerate(rows)
    ]


Rows = Sequence[Sequence[str]]
Blocks = Mapping[str, Sequence[str]]
ScoreRows = Sequence[Sequence["str | ScoreCell"]]


class OutputFormat(Registrable, registry=REGISTRY):
    """Writes tables as text.

    Attributes:
        for_people: Whether people read the output: scores are rounded, and notes follow the table. Otherwise every
            digit is kept, and there are no notes.
        for_terminal: Whether the output is read on a terminal, where columns are aligned and long lines are folded.
        emphasizes: Whether the best scores are emphasized.
        endings: The endings of files in this format.
    """

    for_people: ClassVar[bool] = True
    for_terminal: ClassVar[bool] = False
    emphasizes: ClassVar[bool] = False
    endings: ClassVar[Sequence[str]] = ()

    @abstractmethod
    def table(self, columns: Sequence[str], rows: Rows, left: int) -> str:
        """Writes a table of cells that `text` and `score` returned; a format for programs escapes the rest.

        Args:
            columns: The names of the columns.
            rows: The rows, with a cell for every column.
            left: The number of columns that are left-aligned; the columns after them are right-aligned.
        """

    def table_of_blocks(self, first: Sequence[str], blocks: Blocks, rows: Rows) -> str:
        """Writes a table with blocks of columns; here, the name of a block precedes that of each of its columns.

        Args:
            first: The names of the columns before the blocks.
            blocks: Maps the name of each block to the names of its columns.
            rows: The rows, with a cell for every column.
        """
        names = [f"{name} {column}" for name, columns in blocks.items() for column in columns]
        return self.table([*first, *names], rows, 1)

    def text(self, text: str) -> str:
        """Returns a text as a cell: printable, and without markup."""
        return text if text.isprintable() else printable(text)

    def score(self, cell: ScoreCell) -> str:
        """Returns a score as a cell."""
        return f"{cell.value} {cell.interval}".rstrip() + f"{SIGNIFICANT if cell.is_significant else ''}"

    def note(self, note: Note) -> str:
        """Returns a note as a line."""
        return self.text(note.line)

    def with_notes(self, table: str, notes: Sequence[str | Note]) -> str:
        """Appends notes to a table, one per line; the format makes them printable.

        Args:
            table: The table.
            notes: The notes, which may contain any characters.
        """
        lines = [self.text(note) if isinstance(note, str) else self.note(note) for note in notes]
        return "\n".join([table, "", *lines]) if lines else table

    def paragraph(self, text: str) -> str:
        """Returns a text of sentences, which may contain any characters, as a paragraph."""
        return self.text(text)

    def render(self, columns: Sequence[str], rows: ScoreRows, left: int = 1, blocks: Blocks | None = None) -> str:
        """Writes a table whose cells may contain any characters; see `table`, and with blocks `table_of_blocks`."""
        written = [
            [self.score(cell) if isinstance(cell, ScoreCell) else self.text(cell) for cell in row] for row in rows
        ]
        names = [self.text(name) for name in columns]
        if blocks is None:
            return self.table(names, written, left)
        titles = {self.text(name): [self.text(title) for title in titles] for name, titles in blocks.items()}
        return self.table_of_blocks(names, titles, written)

    def render_records(self, records: Sequence[Mapping[str, Any]]) -> str:
        """Writes a row for each record, with all digits: the table of an analysis for programs.

        Args:
            records: The records; undefined and missing values are empty cells.
        """
        names = list(dict.fromkeys(name for record in records for name in record))
        return self.render(names, [[all_digits(record.get(name)) for name in names] for record in records])


def format_of_file(path: str | None) -> str:
    """Returns the format of a table by the ending of its file; without a known ending, that of a terminal.

    Raises:
        UsageError: if the ending is that of a format in which tables cannot be written.
    """
    if path is None:
        return DEFAULT_FORMAT
    name = uncompressed_name(path).lower()
    if name.endswith(_OTHER_ENDINGS):
        raise UsageError(
            f"a table cannot be written as '{path}'; use another ending, such as .csv for spreadsheets, .tex, .md or "
            ".html, or choose a format with --format"
        )
    if name.endswith(".json"):
        return JSON
    formats = (OutputFormat.by_name(known) for known in REGISTRY.names())
    return next((found.registered_name for found in formats if name.endswith(tuple(found.endings))), DEFAULT_FORMAT)
