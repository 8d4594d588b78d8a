"""The base class of formats of human ratings."""

from __future__ import annotations

import math
import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, TypeAlias

from metrics_framework.common.errors import DataError, Problems
from metrics_framework.common.registrable import Registrable
from metrics_framework.inputs.keys import LongRow
from metrics_framework.inputs.rating_rows import RATINGS, RatingRows, RatingRules
from metrics_framework.inputs.roles import column_key, column_named, no_column, roles_of_name
from metrics_framework.inputs.tables import header_line
from metrics_framework.io.reading import is_read_once
from metrics_framework.meta_evaluation.ratings import REGISTRY
from metrics_framework.metrics.base.direction import BETTER_HIGHER

Span: TypeAlias = "dict[str, Any]"
_ABOUT = {"document": ("document", "doc", "doc_name", "document_id", "docid", "doc_id"), "domain": ("domain",)}
"""What rows of tables of annotations state of the input, and the columns of it, of which the first one counts."""
_MARK_OF_ERROR = re.compile(r"</?v>")
_MARKS = re.compile(r"#(bad|dup|incomplete).*")
"""What Appraise appends to the document of items that are no ratings of outputs."""


class Rating(NamedTuple):
    """One rating of an export.

    Args:
        kind: Why it is no rating of an output, such as ``tutorial``; empty if it is one.
        rater: The rater.
        system: The system.
        pair: The language pair.
        document: The document.
        segment: The segment.
        scores: Name to score, NaN if it is missing.
        spans: The error spans.
        end: When the rater finished, so that the last of several ratings of an output is found.
        about: Further fields of the row of the output: its ``domain``, ``source`` and ``summary``, if they are known.
        seconds: The time of work on the segment, without long pauses; NaN if it is unknown.
    """

    kind: str
    rater: str
    system: str
    pair: str
    document: str
    segment: str
    scores: Mapping[str, float]
    spans: Sequence[Span]
    end: float = 0.0
    about: Mapping[str, str] = {}
    seconds: float = math.nan

    @property
    def output(self) -> tuple[str, ...]:
        """The output: language pair, document without marks such as ``#bad``, segment and system."""
        return (self.pair, _MARKS.sub("", self.document), self.segment, self.system)

    @property
    def score(self) -> float:
        """The first score; NaN if it is missing."""
        return next(iter(self.scores.values()), math.nan)


class RatingFormat(Registrable, registry=REGISTRY):
    """A format of files with human ratings. The options of its constructor are flags of ``fw convert-ratings``.

    Attributes:
        has_roles: Whether columns are found by their roles, with `annotation_rows`, so that ``--columns`` and
            ``--where`` apply.
        are_higher_better: Whether higher ratings are better, of all ratings without a separate signature.
    """

    has_roles: ClassVar[bool] = False
    are_higher_better: ClassVar[bool] = False

    @abstractmethod
    def rows(self, path: str, problems: Problems) -> Iterator[dict[str, Any]]:
        """Yields a row of ids and scores for each rated output, sorted by input and system as they first appear.

        Args:
            path: The file or folder.
            problems: Collects invalid lines.

        Raises:
            DataError: if the file cannot be read.
        """

    def read(self, path: str) -> list[dict[str, Any]]:
        """Returns the rows of a file or folder, of which the first has the signatures.

        Raises:
            DataError: if the file is invalid, or contains no ratings.
        """
        problems = Problems()
        rows = [*self.rows(path, problems)]
        problems.raise_any()
        if not rows:
            raise DataError("; ".join(["contains no ratings", *self.notes()]), path)
        rows[0]["signature"] = self.signatures()
        return rows

    def input_files(self, path: str) -> Sequence[str]:
        """Returns the files and folders that `rows` reads, which no output may replace."""
        return [path, *self.files_read()]

    def signature(self) -> str:
        """Returns how the scores were computed; the first row states it."""
        return f"{RATINGS}{self.registered_name}"

    def signatures(self) -> dict[str, str]:
        """Returns the signatures of ``ratings`` and of single scores, after `rows` has been read."""
        return {"ratings": self.signature() + f"|{BETTER_HIGHER}" * self.are_higher_better}

    @cached_property
    def rules(self) -> RatingRules:
        """The columns and the conditions of `annotation_rows`."""
        return RatingRules()

    @cached_property
    def dropped(self) -> Counter[str]:
        """Counts what `rows` left out, by kind, after it has been read."""
        return Counter()

    def notes(self) -> Sequence[str]:
        """Returns what `rows` left out or assumed, after it has been read."""
        kinds = ", ".join(f"{kind} ({count})" for kind, count in self.dropped.items() if count)
        return [f"left out: {kinds}"] if kinds else []


def annotation_rows(
    path: str, columns: Sequence[str], problems: Problems, rules: RatingRules
) -> Iterator[tuple[LongRow, tuple[str, ...]]]:
    """Yields the rows of a table of annotations with the texts in some columns.

    Args:
        path: The table.
        columns: The columns that it must have, besides those of the input, the system and the rater.
        problems: Collects invalid rows.
        rules: The columns and the conditions; what they leave out is counted there.

    Raises:
        DataError: if the table cannot be read, or a column is missing.
    """
    rows, names = RatingRows(path, rules, problems), list[str]()
    for row in rows:
        names = names or _columns(row, columns)
        yield row, tuple(str(row.cells[name]).strip() for name in names)
    if not is_read_once(path):
        again = RatingRows(path, rules, Problems())
        rules.check_inputs(row._replace(cells=_without_marks(row.cells)) for row in again)


def about_input(row: LongRow) -> dict[str, str]:
    """Returns the document and the domain of the input of a row, if it has them."""
    cells = {column_key(name): str(cell).strip() for name, cell in row.cells.items()}
    found = {field: next(filter(None, map(cells.get, names)), None) for field, names in _ABOUT.items()}
    return {field: cell for field, cell in found.items() if cell}


def _without_marks(cells: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the cells of a row without its output, and without the marks of errors in its source."""
    kept = {name: cell for name, cell in cells.items() if "summary" not in roles_of_name(name)}
    sources = {name: cell for name, cell in kept.items() if "source" in roles_of_name(name) and isinstance(cell, str)}
    return kept | {name: " ".join(_MARK_OF_ERROR.sub("", cell).split()) for name, cell in sources.items()}


def _columns(row: LongRow, columns: Sequence[str]) -> list[str]:
    try:
        if not row.summarizer_id or row.rater is None:
            raise no_column("rater" if row.summarizer_id else "summarizer_id", row.cells, row.path)
        return [column_named(row.cells, name) for name in columns]
    except DataError as problem:
        raise DataError(problem.message, row.path, header_line(row.path)) from None
