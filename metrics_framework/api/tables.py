"""Results as tables: text, records, and DataFrames of the library of the input; and their pictures."""

from __future__ import annotations

import importlib
import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypeVar

from metrics_framework.common.errors import InputError, UnknownChoiceError, missing_attribute
from metrics_framework.io.jsonl import to_json
from metrics_framework.io.writing import open_for_writing, replacing

if TYPE_CHECKING:
    from metrics_framework.reports.formats.output_format import OutputFormat

Library = Literal["pandas", "polars", "pyarrow"]
Entry = TypeVar("Entry")
Of = TypeVar("Of", bound=str)
_FRAMES: Mapping[str, Callable[..., Any]] = {
    "pandas": lambda pandas, rows, labels: pandas.DataFrame(rows, index=labels),
    "polars": lambda polars, rows, _: polars.DataFrame(rows, infer_schema_length=None),
    "pyarrow": lambda pyarrow, rows, _: pyarrow.Table.from_pylist(rows),
}
"""Library to what makes its table of rows, and of labels if it has an index."""


class Plot(str):
    """A picture: the text of an SVG file, which a notebook shows."""

    __slots__ = ()

    def __repr__(self) -> str:
        """Returns a short text: a console would show all of the picture."""
        return "Plot()"

    def _repr_svg_(self) -> str:
        return str(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the picture to a file.

        Args:
            path: An SVG file, or a PNG or PDF file, which need the extra ``pictures``.

        Raises:
            UsageError: if the file cannot be written.
            MissingExtraError: if a package is not installed.
        """
        from metrics_framework.reports.pictures import check_converter, converted, format_of_picture

        name = os.fspath(path)
        check_converter(name)
        if (kind := format_of_picture(name)) == "svg":
            with open_for_writing(name) as stream:
                stream.write(self)
        else:
            with replacing(name) as file:
                file.write(converted(self, kind))


def entry_of(entries: Iterable[Entry], attribute: str, value: object) -> Entry:
    """Returns the first entry whose attribute has a value.

    Raises:
        KeyError: if there is none.
    """
    for entry in entries:
        if attrgetter(attribute)(entry) == value:
            return entry
    raise KeyError(value)


class Tabular(ABC, Generic[Of]):
    """A result that can be printed, and turned into records or a DataFrame.

    Attributes:
        tables: The names of its lists of records; the first is that of a DataFrame by default.
        library: The library of the input.
        labels: The index of the scores of outputs in pandas; `None` for their numbers.
    """

    tables: ClassVar[tuple[str, ...]] = ("all",)
    library: str | None = None
    labels: Any = None
    to_records: Callable[..., list[dict[str, Any]]]
    as_json: Callable[[], Any]

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Raises the error of an attribute that is missing, with what other libraries call so."""
            if name in vars(self).get("metrics", ()):
                raise AttributeError(f"'{name}' is a score; .metrics['{name}'] has it", name=name, obj=self)
            raise missing_attribute(self, name, "attributes of results")

    def table(self, format: str = "table") -> str:
        """Returns the result as text.

        Args:
            format: An output format of ``fw evaluate --format``, such as ``markdown``, ``latex``, ``csv`` or ``json``.
        """
        from metrics_framework.reports.formats.output_format import JSON, OutputFormat

        if format == JSON:
            return self.to_json()
        output: OutputFormat = OutputFormat.by_name(format)()
        return self._text(output) if output.for_people else output.render_records(self._data())

    def to_json(self) -> str:
        """Returns all results as ``--output-file`` of the command writes them; NaN is written as ``null``."""
        return to_json(self.as_json(), indent=True)

    def _text(self, output: OutputFormat) -> str:
        """Returns the tables for people, with their notes; not called where `table` is overridden."""
        raise NotImplementedError

    def _data(self) -> list[dict[str, Any]]:
        """Returns the records of the table for programs."""
        return self.to_records()

    @abstractmethod
    def _pictures(self) -> Mapping[str, Callable[[], str]]:
        """Returns the kinds of pictures, the default first, with the function that draws each."""

    def plot(self, kind: str | None = None) -> Plot:
        """Returns a picture as the command draws it.

        Args:
            kind: What it shows, see the class of the result; by default, scores or coefficients.

        Raises:
            InputError: if the result does not have what is to be drawn.
            UnknownChoiceError: if there is no picture of this kind.
        """
        pictures = self._pictures()
        kind = kind or next(iter(pictures))
        if kind not in pictures:
            raise UnknownChoiceError("kind", kind, pictures)
        return Plot(pictures[kind]())

    def to_latex(self, **options: Any) -> str:
        """Is ``table("latex")``, with the other options of `table`."""
        return self.table("latex", **options)

    def to_frame(self, of: Of | None = None, library: Library | None = None) -> Any:
        """Returns `to_records` as a DataFrame of pandas or polars, or a table of pyarrow.

        `to_pandas` and `to_polars` are this function with their library.

        Args:
            of: The records, as for `to_records`; by default those with the fewest columns.
            library: The library; by default that of the input, else one that is imported or installed.

        Raises:
            InputError: if no library is installed, or there are no such records.
        """
        chosen = of or self.tables[0]
        self._check(chosen)
        records = self.to_records(chosen) if len(self.tables) > 1 else self.to_records()
        return as_frame(records, library or self.library, self.labels if chosen == "outputs" else None)

    def to_pandas(self, of: Of | None = None) -> Any:
        """Is `to_frame` with pandas."""
        return self.to_frame(of, "pandas")

    def to_polars(self, of: Of | None = None) -> Any:
        """Is `to_frame` with polars."""
        return self.to_frame(of, "polars")

    def _check(self, of: str) -> None:
        if of not in self.tables:
            raise UnknownChoiceError("of", of, self.tables)

    def __str__(self) -> str:
        """Returns the table that the command prints."""
        return self.table()

    def _repr_html_(self) -> str:
        """Returns the table as HTML, for notebooks."""
        return self.table("html")


def as_frame(records: Sequence[Mapping[str, Any]], library: str | None, labels: Any = None) -> Any:
    """Returns records as a DataFrame of pandas or polars, or as a table of pyarrow.

    Args:
        records: The rows.
        library: The library; `None` for one that is already imported, else one that is installed.
        labels: The index of the DataFrame of pandas.

    Raises:
        InputError: if the library is not installed.
        UnknownChoiceError: if it is not one of `LIBRARIES`.
    """
    from metrics_framework.inputs.frames import LIBRARIES

    if library is not None and library not in LIBRARIES:
        raise UnknownChoiceError("library", library, LIBRARIES)
    imported = [name for name in LIBRARIES if name in sys.modules]
    for name in [library] if library else [*imported, *LIBRARIES]:
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        return _FRAMES[name](module, list(records), labels)
    raise InputError(
        f"to_frame() needs {library or 'pandas, polars or pyarrow'}, which is not installed; install it with pip, or "
        "use to_records()"
    )
