"""The base class of formats of human ratings."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from metrics_framework.common.errors import DataError, Problems
from metrics_framework.common.registrable import Registrable
from metrics_framework.data.fields import parse_id
from metrics_framework.io.reading import read_lines
from metrics_framework.meta_evaluation.ratings import REGISTRY


class RatingFormat(Registrable, registry=REGISTRY):
    """A format of files with human ratings. The options of its constructor are flags of ``fw convert-ratings``."""

    @abstractmethod
    def rows(self, path: str, problems: Problems) -> Iterator[dict[str, Any]]:
        """Yields a row of ids and scores for each rated output, sorted by input and system as they first appear.

        Args:
            path: The file or folder.
            problems: Collects invalid lines.

        Raises:
            DataError: if the file cannot be read.
        """

    def input_files(self, path: str) -> Sequence[str]:
        """Returns the files and folders that `rows` reads, which no output may replace."""
        return [path, *self.files_read()]

    def signature(self) -> str:
        """Returns how the scores were computed; the first row states it."""
        return f"ratings:{self.registered_name}"

    @cached_property
    def dropped(self) -> Counter[str]:
        """Counts what `rows` left out, by kind, after it has been read."""
        return Counter()

    def notes(self) -> Sequence[str]:
        """Returns what `rows` left out or assumed, after it has been read."""
        kinds = ", ".join(f"{kind} ({count})" for kind, count in self.dropped.items() if count)
        return [f"left out: {kinds}"] if kinds else []


def read_tab_separated(path: str, columns: Sequence[str], problems: Problems) -> Iterator[tuple[int, dict[str, str]]]:
    """Yields each line of a tab-separated table without quoting, as annotation tools write it, with its number.

    Args:
        path: The table.
        columns: The columns that it must have; it may have more.
        problems: Collects lines with another number of fields than the header.

    Raises:
        DataError: if the table is empty, or a column is missing.
    """
    header: list[str] = []
    for number, line in enumerate(read_lines(path), 1):
        fields = line.rstrip("\r").split("\t")
        if not header:
            header = fields
            missing = [column for column in columns if column not in header]
            if missing:
                advice = "" if len(header) > 1 else "; columns are separated by tabs, and this line has none"
                got = ", ".join(header)
                raise DataError(f"has no column '{missing[0]}'; its columns are {got}{advice}", path, 1)
        elif len(fields) == len(header):
            yield number, dict(zip(header, fields, strict=True))
        elif line:
            problem = f"must have {len(header)} fields, as in the header, got {len(fields)}"
            problems.add(DataError(problem, path, number))
    if not header:
        raise DataError("is empty; the first line must name the columns", path)


def id_of(cells: dict[str, str], column: str) -> str:
    """Returns the id in a column, without surrounding spaces.

    Raises:
        DataError: if it is empty.
    """
    return parse_id(cells[column].strip(), column)
