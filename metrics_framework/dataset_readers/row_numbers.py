"""Numbers the rows of files without ids: the id of a row is its position in its file (decision 0021)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from metrics_framework.common.errors import DataError, Problems, how_to_name_column
from metrics_framework.data.fields import OTHER_NAMES
from metrics_framework.io.reading import Piece

ID_NAMES = frozenset(("instance_id", *OTHER_NAMES["instance_id"]))
SYSTEM_NAMES = ("summarizer_id", *OTHER_NAMES["summarizer_id"])  # the ambiguous ones are last
IN_ALL_OR_NONE = "'instance_id' must be in all rows or in none; the first row has none"
Rows = Iterator[tuple[int, dict[str, Any]]]


class RowCounts:
    """What happened to the rows that a reader has read, for notes and errors.

    Attributes:
        is_numbered: Whether rows have no id, so that they were numbered.
        left_out: The number of rows that did not meet the conditions.
        values: The columns of conditions that were not met, and how many of these rows have each value.
        unused: Columns with the name of a field that was read from another column, and that field.
        is_viewed: Whether the view of the reader was applied to the rows.
    """

    def __init__(self) -> None:
        self.is_numbered = False
        self.is_viewed = False
        self.left_out = 0
        self.values: dict[str, dict[str, int]] = {}
        self.unused: dict[str, str] = {}


class View(Protocol):
    """What reading needs of a `RowView`, whose module imports that of rows."""

    counts: RowCounts

    def named(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Returns a row with the names of fields."""

    def keeps(self, row: Mapping[str, Any], named: Mapping[str, Any]) -> bool:
        """Returns whether a row meets the conditions, and counts it if it does not."""

    def is_named(self, column: str, meant: str) -> bool:
        """Returns whether a column is chosen, or the field whose name it resembles is read from another one."""


class RowNumbers:
    """Numbers the rows of a piece of a file, if its first row has no id and all are of one system.

    Args:
        piece: The piece; its ``is_numbered`` and ``system`` are set.
        counts: Records whether rows were numbered.

    Attributes:
        count: The number of rows of the file so far.
    """

    def __init__(self, piece: Piece, counts: RowCounts) -> None:
        self.count = piece.rows_before
        self._piece, self._counts = piece, counts

    def numbered(self, row: dict[str, Any]) -> dict[str, Any]:
        """Returns the next row, with its number as its id if rows are numbered.

        Raises:
            DataError: if some rows have ids and some have none, or rows without ids are of several systems.
        """
        self.count += 1
        if self.have_ids(row):
            return row
        system = next((row[name] for name in SYSTEM_NAMES if name in row), self._piece.name)
        self._check_systems([system], row)
        return {**row, "instance_id": self.count}

    def ids(self, systems: Sequence[Any], names: Iterable[str]) -> list[str]:
        """Returns the ids of the rows after those that are counted, which have none.

        Args:
            systems: The system of each row.
            names: Their columns.

        Raises:
            DataError: if they are of several systems.
        """
        self._check_systems(systems, names)
        return list(map(str, range(self.count + 1, self.count + 1 + len(systems))))

    def have_ids(self, names: Iterable[str]) -> bool:
        """Returns whether rows with these columns have ids, or should have: the first row of the input decides.

        Raises:
            DataError: if they have ids, but the first row has none.
        """
        if not ID_NAMES.isdisjoint(names):
            if self._piece.is_numbered:
                raise DataError(IN_ALL_OR_NONE)
            self._piece.is_numbered = False
            return True
        if self._piece.is_numbered is None:
            self._piece.is_numbered = True
        self._counts.is_numbered = self._counts.is_numbered or self._piece.is_numbered
        return not self._piece.is_numbered

    def _check_systems(self, systems: Sequence[Any], names: Iterable[str]) -> None:
        if self._piece.system is None:
            self._piece.system = str(systems[0])
        others = {*map(str, systems)} - {self._piece.system}
        if others:
            raise several_systems(self._piece.system, others.pop(), names, self._piece.path)


def several_systems(first: str | None, system: Any, row: Iterable[str], path: str) -> DataError:
    """Returns the error for rows of several systems without ids; it names the option for the ids."""
    option = how_to_name_column(path, "instance_id")
    listing = ", ".join(f"'{name}'" for name in row)
    return DataError(
        f"'instance_id' is missing, and rows are numbered only if all rows of a file are of one system, but '{system}' "
        f"follows '{first}'; name the column with the id of the input, as in {option}; the row has {listing}"
    )


def prepared(rows: Rows, path: str, problems: Problems, numbers: RowNumbers | None, view: View | None) -> Rows:
    """Renames the columns of rows, numbers them and leaves some out, as a view describes.

    Args:
        rows: The rows of a file, with line numbers.
        path: The file.
        problems: Collects the problems of rows.
        numbers: Numbers the rows; `None` if they must have ids.
        view: The names of columns and the conditions; `None` for all rows as they are.
    """
    if view is not None:
        view.counts.is_viewed = True
    return _prepared(rows, path, problems, numbers, view)


def _prepared(rows: Rows, path: str, problems: Problems, numbers: RowNumbers | None, view: View | None) -> Rows:
    for line, row in rows:
        try:
            named = row if view is None else view.named(row)
            if numbers is not None:
                named = numbers.numbered(named)
            if view is not None and not view.keeps(row, named):
                continue
        except DataError as problem:
            problems.add(DataError(problem.message, path, line))
        else:
            yield line, named
