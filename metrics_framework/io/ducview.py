"""Pyramids and annotations in the XML format of the annotation tool DUCView (``.pyr`` and ``.pan``).

A pyramid contains the model summaries in one text, each below a header with the name of its file, and the content
units; the positions of parts are positions in this text::

    <pyramid>
      <startDocumentRegEx><![CDATA[[-]*\\n(\\s*)D[0-9]*\\.M\\.250\\.[A-Z]\\.[A-Z]\\n[-]*\\n]]></startDocumentRegEx>
      <text><line>-----</line><line>D0601.M.250.A.B</line><line>-----</line><line>The cat sat.</line></text>
      <scu uid="1" label="A cat sat (1.0)">
        <contributor label="The cat sat"><part label="The cat sat" start="28" end="39"/></contributor>
      </scu>
    </pyramid>

An annotation contains a pyramid and the annotated summary::

    <peerAnnotation>
      <pyramid>…</pyramid>
      <annotation>
        <text><line>A cat was sitting.</line></text>
        <peerscu uid="1" label="(1) A cat sat (1.0)">
          <contributor label="A cat was sitting"><part label="A cat was sitting" start="0" end="17"/></contributor>
        </peerscu>
      </annotation>
    </peerAnnotation>

Files may declare their elements in a document type, as the files of DUC and TAC do, but no entities.

A regular expression from a file could take forever to match, so that of headers is accepted only as a sequence of
characters and classes, each with at most one quantifier, whose runs are bounded. Without such an expression, a header
is a line between two lines of hyphens.
"""

from __future__ import annotations

import re
import warnings
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field

from metrics_framework.common.errors import DataError
from metrics_framework.common.overriding import overrides
from metrics_framework.data.pyramid import Part, Pyramid, PyramidAnnotation, Scu
from metrics_framework.io.reading import content_of
from metrics_framework.io.strict_xml import StrictXmlReader

MAX_CHARACTERS = 1_000_000
"""The longest text of a file; published texts have a few thousand characters."""
_WEIGHTS = re.compile(r" \(\d+\.\d+\)\Z")
_NUMBER = re.compile(r"\A\(\d+\) ")
NON_MATCHING = 0
"""The id under which DUCView collects the parts of a summary that express no unit of the pyramid."""
_TOKENS = re.compile(  # of the regular expression of headers
    r"""(?P<group>[()])
    |(?P<atom>\[\^?\]?(?:\\.|[^\]\\])*\]|\\[^0-9]|[^\\()|*+?{}\[\]^$])
     (?P<quantifier>[*+?]|\{[0-9]{1,3}(?:,[0-9]{0,3})?\})?""",
    re.DOTALL | re.VERBOSE,
)
_MAX_RUN = 200
_ASCII = "".join(map(chr, range(128)))
_DEFAULT_HEADER = re.compile(
    r"(?:^|(?<=\n))-{3,200}[ \t]*\n[ \t]{0,200}(?P<name>[^\s-][^\n]{0,200})\n-{3,200}[ \t]{0,200}(?:\n|\Z)"
)


@dataclass
class DucviewFile:
    """The content of a file.

    Args:
        path: The file.
        pyramid: The pyramid.
        annotation: The annotation, `None` if the file is a pyramid.
    """

    path: str
    pyramid: _Document | None = None
    annotation: _Document | None = None

    def to_pyramid(self, instance_id: str) -> Pyramid:
        """Returns the pyramid.

        Raises:
            DataError: if there is none, or it is contradictory.
        """
        if self.pyramid is None:
            raise DataError("contains no <pyramid>", self.path)
        return _pyramid(self.pyramid, instance_id, self.path)

    def to_annotation(self, instance_id: str, summarizer_id: str, summarizer_type: str = "peer") -> PyramidAnnotation:
        """Returns the annotation.

        Raises:
            DataError: if there is none.
        """
        if self.annotation is None:
            raise DataError("contains no <annotation>; it is a pyramid", self.path)
        text, shift = _stripped("\n".join(self.annotation.lines))
        units = [
            unit
            for unit in self.annotation.units
            if unit.number != NON_MATCHING and any(one.parts for one in unit.contributors)
        ]
        parts = [tuple(_shifted(part, shift) for one in unit.contributors for part in one.parts) for unit in units]
        return PyramidAnnotation(
            instance_id, summarizer_id, summarizer_type, text, tuple(unit.number for unit in units), tuple(parts)
        )


def read_ducview(path: str) -> DucviewFile:
    """Reads a file.

    Raises:
        DataError: with the line, if the file cannot be read or is not in this format.
    """
    return parse_ducview(content_of(path), path)


def parse_ducview(data: bytes, path: str) -> DucviewFile:
    """Parses the content of a file.

    Args:
        data: The XML, in the encoding that it declares, by default UTF-8.
        path: Its name in error messages.

    Raises:
        DataError: with the line, if it is not in this format.
    """
    return _Reader(data, path).file


# ---- elements --------------------------------------------------------------------------------------------------------


@dataclass
class _Contributor:
    line: int
    parts: list[Part] = field(default_factory=list)


@dataclass
class _Unit:
    line: int
    number: int
    label: str
    contributors: list[_Contributor] = field(default_factory=list)


@dataclass
class _Document:
    """A pyramid or an annotation."""

    header: str = ""
    lines: list[str] = field(default_factory=list)
    units: list[_Unit] = field(default_factory=list)


class _Reader(StrictXmlReader):
    """Reads a file in one pass.

    Attributes:
        file: The content.
    """

    inside = {
        "": ("pyramid", "peerAnnotation"),
        "peerAnnotation": ("pyramid", "annotation"),
        "pyramid": ("startDocumentRegEx", "text", "scu"),
        "annotation": ("text", "peerscu"),
        "text": ("line",),
        "scu": ("contributor",),
        "peerscu": ("contributor",),
        "contributor": ("part",),
    }
    format = "the format of DUCView"
    allows_document_type = True

    def __init__(self, data: bytes, path: str) -> None:
        super().__init__(path)
        self.file = DucviewFile(path)
        self._document = _Document()
        self.read(data)

    @overrides
    def start(self, name: str, outer: str, attributes: dict[str, str]) -> None:
        if name in ("pyramid", "annotation"):
            self._start_document(name)
        elif name == "line":
            self._document.lines.append("")
        elif name in ("scu", "peerscu"):
            self._start_unit(name, attributes)
        elif name == "contributor":
            self._document.units[-1].contributors.append(_Contributor(self.line))
        elif name == "part":
            positions = [self._integer("part", attributes, key) for key in ("start", "end")]
            part = Part(attributes.get("label", ""), *positions)
            self._document.units[-1].contributors[-1].parts.append(part)

    def _start_document(self, name: str) -> None:
        if getattr(self.file, name) is not None:
            raise self.error(f"has a second <{name}>")
        self._document = _Document()
        setattr(self.file, name, self._document)

    def _start_unit(self, name: str, attributes: Mapping[str, str]) -> None:
        label = _WEIGHTS.sub("", _NUMBER.sub("", attributes.get("label", "")))
        number = self._integer(name, attributes, "uid")
        if any(unit.number == number for unit in self._document.units):
            raise self.error(f"has a duplicate <{name}> with uid {number}")
        self._document.units.append(_Unit(self.line, number, label))

    @overrides
    def end(self, name: str) -> None:
        if name == "text" and sum(map(len, self._document.lines)) > MAX_CHARACTERS:
            raise self.error(f"has a text of more than {MAX_CHARACTERS:,} characters")

    @overrides
    def text(self, text: str, inner: str) -> bool:
        if inner == "line":
            self._document.lines[-1] += text
        elif inner == "startDocumentRegEx":
            self._document.header += text
        return inner in ("line", "startDocumentRegEx")

    def _integer(self, element: str, attributes: Mapping[str, str], name: str) -> int:
        value = attributes.get(name, "")
        if not re.fullmatch(r"[0-9]{1,9}", value):
            raise self.error(f"<{element}> must have a number as '{name}', got '{value}'")
        return int(value)


# ---- pyramids --------------------------------------------------------------------------------------------------------


def _pyramid(document: _Document, instance_id: str, path: str) -> Pyramid:
    text = "\n".join(document.lines)
    headers = summary_headers(text, document.header)
    if not headers:
        raise DataError("has no header of a summary in its <text>; <startDocumentRegEx> describes them", path)
    names = tuple(header.name for header in headers)
    if len(set(names)) < len(names):
        raise DataError(f"has two summaries with the same name: {', '.join(names)}", path)
    ends = [header.start for header in headers[1:]] + [len(text)]
    summaries = [_stripped(text[header.end : end]) for header, end in zip(headers, ends, strict=True)]
    starts = [header.end + shift for header, (_, shift) in zip(headers, summaries, strict=True)]
    return Pyramid(
        instance_id,
        names,
        ("reference",) * len(names),
        tuple(summary for summary, _ in summaries),
        tuple(_scu(unit, starts, path) for unit in document.units),
    )


def _scu(unit: _Unit, starts: list[int], path: str) -> Scu:
    """Returns a unit; parts belong to the summary in which they start, positions count from its start."""
    by_summary: dict[int, list[Part]] = {}
    for contributor in unit.contributors:
        if not contributor.parts:
            raise DataError(f"a <contributor> of the unit {unit.number} has no <part>", path, contributor.line)
        for part in contributor.parts:
            summary = bisect_right(starts, part.start or 0) - 1
            if summary < 0:
                raise DataError(
                    f"a part of the unit {unit.number} starts at {part.start}, before the first summary, which starts "
                    f"at {starts[0]}",
                    path,
                    contributor.line,
                )
            by_summary.setdefault(summary, []).append(_shifted(part, starts[summary]))
    indices = tuple(sorted(by_summary))
    return Scu(unit.number, indices, unit.label, tuple(tuple(by_summary[index]) for index in indices))


def _stripped(text: str) -> tuple[str, int]:
    """Returns a summary in one line, without whitespace around it, and the number of characters before it."""
    return text.strip().replace("\n", " "), len(text) - len(text.lstrip())


def _shifted(part: Part, by: int) -> Part:
    start, end = (None if position is None else position - by for position in (part.start, part.end))
    return Part(part.text, start, end)


@dataclass(frozen=True)
class Header:
    """A header between model summaries.

    Args:
        name: The name of the author: the part of the file name after its last period.
        start: The position of its first character.
        end: The position after its last character.
    """

    name: str
    start: int
    end: int


def summary_headers(text: str, expression: str) -> list[Header]:
    """Returns the headers of a text.

    Args:
        text: The text of all summaries.
        expression: The regular expression of the file, empty if it has none.

    >>> summary_headers("-----\\nD1.M.250.A.B\\n-----\\nThe cat sat.", "")
    [Header(name='B', start=0, end=25)]
    """
    pattern = _bounded(expression.strip()) or _DEFAULT_HEADER
    found = [match for match in pattern.finditer(text) if match[0].strip()]
    return [Header(_author(match[0]), *match.span()) for match in found]


def _author(header: str) -> str:
    return header.strip(" -\n\r\t").rpartition(".")[2].strip() or header.strip()


def _bounded(expression: str) -> re.Pattern[str] | None:
    """Returns a regular expression that never backtracks over more than a run, `None` if it is of another form."""
    atoms: list[tuple[str, str]] = []
    end = 0
    for token in _TOKENS.finditer(expression):
        if token.start() != end:
            return None
        end = token.end()
        if token["atom"]:  # groups without quantifier and alternative only mark a part
            atoms.append((token["atom"], _quantifier(token["quantifier"] or "")))
    if not atoms or end != len(expression):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", FutureWarning)  # of brackets that may get another meaning
            return None if _is_ambiguous(atoms) else re.compile("".join(map("".join, atoms)))
    except (re.error, FutureWarning):
        return None


def _quantifier(written: str) -> str:
    """Bounds a run: ``*`` becomes ``{0,200}``."""
    bounds = {"*": "{0,", "+": "{1,"}.get(written, written)
    return re.sub(r",\}?\Z", f",{_MAX_RUN}}}", bounds)


def _is_ambiguous(atoms: list[tuple[str, str]]) -> bool:
    """Returns whether the character after a run could also belong to the run, so that a match has several forms."""
    characters = [set(re.findall(atom, _ASCII, re.DOTALL)) for atom, _ in atoms]
    for index, (_, quantifier) in enumerate(atoms):
        if quantifier:
            for following in range(index + 1, len(atoms)):
                if characters[index] & characters[following]:
                    return True
                if not atoms[following][1].startswith(("{0", "?")):
                    break
    return False
