"""Reads XML files of a known format: elements and text in wrong places, and entities, are errors with their line."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar
from xml.parsers import expat

from metrics_framework.common.errors import DataError


class StrictXmlReader(ABC):
    """Reads a file in one pass, in the constructor of a subclass with `read`.

    Entities are errors because a file of a few lines can define texts of gigabytes.

    Args:
        path: The name of the file in error messages.

    Attributes:
        inside: Maps each element to the elements that may be in it; the empty name to those at the top level.
        format: The format, as in "expected <root> (in FORMAT)".
        allows_document_type: Whether a file may declare its elements.
    """

    inside: ClassVar[Mapping[str, Sequence[str]]]
    format: ClassVar[str]
    allows_document_type: ClassVar[bool] = False

    def __init__(self, path: str) -> None:
        self.path = path
        self._open: list[str] = []
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        self._parser.StartDoctypeDeclHandler = self._document_type
        self._parser.EntityDeclHandler = self._entity
        self._parser.SkippedEntityHandler = self._entity

    def read(self, data: bytes) -> None:
        """Reads the content of the file.

        Raises:
            DataError: with the line, if it is not XML of the format.
        """
        try:
            self._parser.Parse(data, True)
        except expat.ExpatError as error:
            raise DataError(f"is not XML: {expat.ErrorString(error.code)}", self.path, error.lineno) from None
        except (ValueError, LookupError) as error:  # an unknown encoding
            raise DataError(f"is not valid XML: {error}", self.path, 1) from None

    @property
    def line(self) -> int:
        """The number of the current line."""
        return self._parser.CurrentLineNumber

    def error(self, message: str) -> DataError:
        """Returns an error with the current line."""
        return DataError(message, self.path, self.line)

    @abstractmethod
    def start(self, name: str, outer: str, attributes: dict[str, str]) -> None:
        """Handles the start of an element; ``outer`` is the element that contains it, empty at the top level."""

    @abstractmethod
    def end(self, name: str) -> None:
        """Handles the end of an element."""

    def text(self, text: str, inner: str) -> bool:
        """Handles a part of a text and returns whether the element ``inner`` may contain it; by default none may."""
        return False

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        outer = self._open[-1] if self._open else ""
        allowed = self.inside.get(outer, ())
        if name not in allowed:
            where = f"in <{outer}>" if outer else "at the top level"
            expected = f"<{'>, <'.join(allowed)}>" if allowed else "nothing"
            raise self.error(f"has <{name}> {where}, expected {expected} (in {self.format})")
        self._open.append(name)
        self.start(name, outer, attributes)

    def _end(self, name: str) -> None:
        self._open.pop()
        self.end(name)

    def _text(self, text: str) -> None:
        if not self.text(text, self._open[-1] if self._open else "") and text.strip():
            raise self.error(f"has text where only elements are allowed: {text.strip()[:40]!r}")

    def _document_type(self, *_: object) -> None:
        if not self.allows_document_type:
            raise self.error("has a document type, which could define entities; remove it")

    def _entity(self, name: str, *_: object) -> None:
        raise self.error(f"defines or uses the entity '{name}'; remove it")
