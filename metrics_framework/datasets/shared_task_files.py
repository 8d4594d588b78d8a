"""The files of a shared task: archives, names, summaries, documents."""

from __future__ import annotations

import io
import os
import posixpath
import re
import tarfile
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from html.parser import HTMLParser
from typing import IO, Any, NamedTuple

from metrics_framework.common.errors import DataError
from metrics_framework.common.overriding import overrides
from metrics_framework.io.reading import content_of


class Output(NamedTuple):
    """An output: its input and its author.

    Attributes:
        instance_id: The input, in the form of SacreROUGE: ``d301``, or ``d0801-A`` for a part of an input.
        summarizer_id: The author: letters for people, digits for systems.
    """

    instance_id: str
    summarizer_id: str

    @property
    def summarizer_type(self) -> str:
        """``reference`` for people, ``peer`` for systems."""
        return "reference" if self.summarizer_id.isalpha() else "peer"

    def ids(self) -> dict[str, str]:
        """Returns the fields of a row that identify the output."""
        return {**self._asdict(), "summarizer_type": self.summarizer_type}


def instance_id(text: str) -> str:
    """Returns the id of an input, in the form of SacreROUGE.

    >>> instance_id("D301"), instance_id("D0801-A")
    ('d301', 'd0801-A')
    """
    name, hyphen, part = text.partition("-")
    return f"{name.lower()}{hyphen}{part}"


def author_of(text: str) -> str:
    """Returns the id of an author; numbers have no leading zeros.

    >>> author_of("01"), author_of("A")
    ('1', 'A')
    """
    return str(int(text)) if text.isdecimal() else text


def output_of(path: str) -> Output:
    """Returns the output in a file: the name starts with the input and ends with the author.

    Raises:
        DataError: if the name has another form.

    >>> output_of("UpdateSumm08_eval/ROUGE/peers/D0801-A.M.100.A.14")
    Output(instance_id='d0801-A', summarizer_id='14')
    """
    parts = posixpath.basename(path).split(".")
    if len(parts) < 2 or not parts[0] or not parts[-1]:
        raise DataError("has an unexpected name; expected INPUT.….AUTHOR, such as D0801-A.M.100.A.14", path)
    return Output(instance_id(parts[0]), author_of(parts[-1]))


def document_output(path: str, words: int) -> Output:
    """Returns the output in a file whose name ends with the name of the single document that is summarized.

    Args:
        path: The name of the file.
        words: The number of parts of the name of a document, between full stops.

    Raises:
        DataError: if the name has another form.

    >>> document_output("D30001.P.10.T.A.APW19981016.0240", 2)
    Output(instance_id='APW19981016.0240', summarizer_id='A')
    """
    parts = posixpath.basename(path).split(".")
    if len(parts) < 5 + words:
        raise DataError("has an unexpected name; expected CLUSTER.….AUTHOR.DOCUMENT", path)
    return Output(".".join(parts[5 : 5 + words]), author_of(parts[4]))


def find_file(folder: str, name: str) -> str:
    """Returns the path of a file with a given name, in a folder or in any folder below.

    Args:
        folder: The folder.
        name: The name, possibly with the last folders of the path before it.

    Raises:
        DataError: if there is none, or several that differ in size.
    """
    parts = name.split("/")
    named = (path for path in files_below(folder) if path.endswith(parts[-1]))
    found = [path for path in named if path.split(os.sep)[-len(parts) :] == parts]
    if not found:
        raise DataError(f"must contain '{name}', in any folder; none found", folder)
    if len({os.path.getsize(path) for path in found}) > 1:
        raise DataError(f"must contain only one '{name}', but {' and '.join(found[:2])} differ", folder)
    return found[0]


def files_below(folder: str) -> Iterator[str]:
    """Yields the paths of all files in a folder and the folders below, sorted."""
    for parent, _, names in sorted(os.walk(folder)):
        yield from (os.path.join(parent, name) for name in sorted(names))


def packed_files(path: str, is_wanted: Callable[[str], bool]) -> dict[str, bytes]:
    """Reads files of a tar or zip archive.

    Args:
        path: The archive.
        is_wanted: Whether to read a file, given its name in the archive.

    Returns:
        The contents by name, sorted by name.

    Raises:
        DataError: if the archive cannot be read, or contains no wanted file.
    """
    return _wanted(content_of(path), path, is_wanted)


def files_packed_twice(path: str, inner: str, is_wanted: Callable[[str], bool]) -> dict[str, bytes]:
    """Reads files of an archive that is itself a file of an archive; otherwise the same as `packed_files`."""
    return _wanted(packed_files(path, inner.__eq__)[inner], f"{path}:{inner}", is_wanted)


def _wanted(content: bytes, name: str, is_wanted: Callable[[str], bool]) -> dict[str, bytes]:
    found = read_archive(io.BytesIO(content), name, is_wanted)
    if not found:
        raise DataError("contains none of the expected files; is it the right archive?", name)
    return found


def read_archive(stream: IO[bytes], name: str, is_wanted: Callable[[str], bool]) -> dict[str, bytes]:
    """Returns the contents of some files of an archive by their names, sorted.

    Args:
        stream: The archive.
        name: Its name, which ends with ``.zip`` unless it is a tar archive.
        is_wanted: Whether to read a file, given its name in the archive.

    Raises:
        DataError: if the archive cannot be read.
    """
    files = _zip_files if name.endswith(".zip") else _tar_files
    try:
        return dict(sorted(files(stream, is_wanted)))
    except (tarfile.TarError, zipfile.BadZipFile, EOFError, OSError) as error:
        raise DataError(f"is not a readable archive: {error}", name) from None


def _tar_files(stream: IO[bytes], is_wanted: Callable[[str], bool]) -> Iterator[tuple[str, bytes]]:
    with tarfile.open(fileobj=stream, mode="r:*") as archive:
        for member in archive:
            name = member.name.removeprefix("./")
            if member.isfile() and is_wanted(name):
                content = archive.extractfile(member)
                assert content is not None  # because it is a file
                yield name, content.read()


def _zip_files(stream: IO[bytes], is_wanted: Callable[[str], bool]) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(stream) as archive:
        for name in archive.namelist():
            if not name.endswith("/") and is_wanted(name):
                yield name, archive.read(name)


def lines_of(content: bytes) -> list[str]:
    """Returns the lines of a summary that are not blank, without spaces at the ends.

    Bytes that are not UTF-8 become the replacement character.
    """
    return [stripped for line in content.decode("utf-8", "replace").splitlines() if (stripped := line.strip())]


def lines_of_annotated(content: bytes) -> list[str]:
    """Returns the units of a summary as the Summary Evaluation Environment (SEE) shows them, or its lines.

    Units are elements ``<a id="…">`` of HTML; a file without them has one unit per line.
    """
    return paragraphs_in(content, ("a",), (), "id") or lines_of(content)


def read_summaries(
    files: Mapping[str, bytes], output_of: Callable[[str], Output | None], lines_of: Callable[[bytes], list[str]]
) -> dict[Output, list[str]]:
    """Returns the summary in each file; files with a known summary of the same output are the same.

    Args:
        files: The files by name.
        output_of: Returns the output in a file, given its name; `None` for files of other tasks.
        lines_of: Returns the lines of a summary.

    Raises:
        DataError: if two files contain different summaries of one output.
    """
    summaries: dict[Output, list[str]] = {}
    for path, content in files.items():
        output = output_of(path)
        if output is None:
            continue
        lines = lines_of(content)
        if summaries.setdefault(output, lines) != lines:
            raise DataError(
                f"contains another summary of '{output.summarizer_id}' for '{output.instance_id}' than an earlier file",
                path,
            )
    return summaries


def summary_rows(summaries: Mapping[Output, list[str]]) -> Iterator[dict[str, Any]]:
    """Yields the rows of summaries: each with the references by other people, in the order of their authors.

    Args:
        summaries: The lines of each summary.
    """
    references: dict[str, list[tuple[str, list[str]]]] = {}
    for output, lines in sorted(summaries.items()):
        if output.summarizer_type == "reference":
            references.setdefault(output.instance_id, []).append((output.summarizer_id, lines))
    for output, lines in sorted(summaries.items()):
        others = [text for author, text in references.get(output.instance_id, []) if author != output.summarizer_id]
        yield {**output.ids(), "summary": {"text": lines}, "references": [{"text": text} for text in others]}


_SPACES = re.compile(r"\s+")


class _Collector(HTMLParser):
    """Collects the text of some elements, as paragraphs."""

    def __init__(self, elements: Sequence[str], breaks: Sequence[str], attribute: str) -> None:
        super().__init__(convert_charrefs=True)
        self.paragraphs: list[list[str]] = [[]]
        self._elements = elements
        self._breaks = breaks
        self._attribute = attribute
        self._depth = 0

    @overrides
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._depth += tag in self._elements and (not self._attribute or self._attribute in dict(attrs))
        if tag in self._breaks or tag in self._elements:
            self.paragraphs.append([])

    @overrides
    def handle_endtag(self, tag: str) -> None:
        if tag in self._elements and self._depth:
            self._depth -= 1
        if tag in self._breaks or tag in self._elements:
            self.paragraphs.append([])

    @overrides
    def handle_data(self, data: str) -> None:
        if self._depth:
            self.paragraphs[-1].append(data)


def paragraphs_in(
    content: bytes, elements: Sequence[str] = ("text",), breaks: Sequence[str] = ("p",), attribute: str = ""
) -> list[str]:
    """Returns the paragraphs of a document, with single spaces as whitespace.

    Bytes that are not UTF-8 become the replacement character.

    Args:
        content: The document.
        elements: The elements with text, in lower case.
        breaks: The elements that start a paragraph, in lower case.
        attribute: An attribute that the elements must have, in lower case; empty for none.

    >>> paragraphs_in(b"<DOC><HEADLINE>Rain</HEADLINE><TEXT><P>It rained\\nin York.</P><P>A lot.</P></TEXT></DOC>")
    ['It rained in York.', 'A lot.']
    """
    collector = _Collector(elements, breaks, attribute)
    collector.feed(content.decode("utf-8", "replace"))
    collector.close()
    texts = (_SPACES.sub(" ", "".join(pieces)).strip() for pieces in collector.paragraphs)
    return [text for text in texts if text]
