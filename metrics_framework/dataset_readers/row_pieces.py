"""Splits files of rows into pieces; rows without ids are numbered as in a file that is read whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from metrics_framework.common.errors import DataError, Problems
from metrics_framework.dataset_readers.files_of_outputs import path_names
from metrics_framework.dataset_readers.row_numbers import ID_NAMES, SYSTEM_NAMES
from metrics_framework.dataset_readers.rows import read_rows
from metrics_framework.io.locations import is_remote
from metrics_framework.io.parquet import is_parquet
from metrics_framework.io.reading import STANDARD, Piece, is_read_once, number_of_rows, pieces_of_lines
from metrics_framework.io.tables import is_table

if TYPE_CHECKING:
    from metrics_framework.dataset_readers.row_view import RowView


def row_pieces(files: Sequence[str], size: int, view: RowView | None) -> list[Piece] | None:
    """Splits files of rows into pieces.

    Args:
        files: The files.
        size: The greatest number of bytes of a piece of a file that can be split.
        view: From which columns fields are read; `None` for rows as they are.

    Returns:
        The pieces; `None` if it is unknown whether rows are numbered, because the first row is in a pipe.
    """
    columns = None if view is None else view.without_conditions()
    first_row: Mapping[str, Any] | None = None
    for path in files:
        if is_read_once(path):
            if len(files) > 1:
                return None
        else:
            first_row = _first_row(path, columns)
        if first_row is not None:
            break
    is_numbered = None if first_row is None else ID_NAMES.isdisjoint(first_row)
    pieces = []
    for path, name in zip(files, path_names(files), strict=True):
        for piece in _pieces(path, name, size, columns, is_numbered=bool(is_numbered)):
            piece.is_numbered = is_numbered
            pieces.append(piece)
    return pieces


def _pieces(path: str, name: str, size: int, view: RowView | None, *, is_numbered: bool) -> list[Piece]:
    """Splits a file; if rows are numbered, its pieces have the number of rows before them and the system of all."""
    if is_parquet(path):
        from metrics_framework.dataset_readers.parquet_columns import pieces_of_row_groups

        pieces = pieces_of_row_groups(path, name, size)
    elif path == STANDARD or is_table(path) or (is_numbered and is_remote(path)):
        return [Piece(path, name)]
    else:
        pieces = pieces_of_lines(path, name, size)
    if is_numbered and len(pieces) > 1:
        row = _first_row(path, view) or {}
        before = 0
        for piece in pieces:
            piece.system = str(next((row[field] for field in SYSTEM_NAMES if field in row), name))
            if not is_parquet(path):
                piece.rows_before = before
                before += number_of_rows(piece)
    return pieces


def _first_row(path: str, view: RowView | None) -> dict[str, Any] | None:
    """Returns the first valid row of a file; `None` if there is none, or the file cannot be read."""
    try:
        return next((row for _, row in read_rows(path, Problems(), view=view)), None)
    except DataError:
        return None
