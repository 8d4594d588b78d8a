"""Documents in the markup of news agencies (SGML), as text."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser
from typing import Any

from metrics_framework.common.errors import DataError
from metrics_framework.common.overriding import overrides
from metrics_framework.datasets.shared_tasks.packed_files import find_file

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
    content: bytes,
    elements: Sequence[str] = ("text",),
    breaks: Sequence[str] = ("p",),
    attribute: str = "",
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


_TOPIC = re.compile(r'<topic\s+id\s*=\s*"([^"]+)".*?</topic>', re.DOTALL | re.IGNORECASE)
_SET = re.compile(r"<docset([ab])\b.*?</docset\1>", re.DOTALL | re.IGNORECASE)
_DOCUMENT = re.compile(r'<doc\s+id\s*=\s*"([^"]+)"', re.IGNORECASE)
_LENGTH_OF_LDC_ID = len(".LDC2009T13")
_LENGTH_OF_FILE = len("NYT_ENG_200501")


def gigaword_rows(folder: str, topics_file: str) -> Iterator[dict[str, Any]]:
    """Yields the documents of every input.

    Args:
        folder: A folder with the file of topics and the files of Gigaword, such as ``nyt_eng_200501.gz``.
        topics_file: The name of the file of topics.

    Raises:
        DataError: if a file or a document is missing.
    """
    path = find_file(folder, topics_file)
    with open(path, encoding="utf-8", errors="replace") as stream:
        content = stream.read()
    topics = list(_TOPIC.finditer(content))
    if not topics:
        raise DataError("contains no topics", path)
    articles = _Articles(folder)
    for topic in topics:
        for documents in _SET.finditer(topic[0]):
            ids = [name[:-_LENGTH_OF_LDC_ID] for name in _DOCUMENT.findall(documents[0])]
            yield {
                "instance_id": f"{topic[1].strip()[:-1].lower()}-{documents[1].upper()}",
                "documents": [{"filename": name, "text": articles.paragraphs(name)} for name in ids],
            }


class _Articles:
    """The articles of Gigaword; the file read last is kept, because inputs share files."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._path = ""
        self._content = b""

    def paragraphs(self, name: str) -> list[str]:
        path = find_file(self._folder, f"{name[:_LENGTH_OF_FILE].lower()}.gz")
        if path != self._path:
            try:
                with gzip.open(path) as stream:
                    self._content = stream.read()
            except (OSError, EOFError) as error:
                raise DataError(f"cannot be read: {error}", path) from None
            self._path = path
        start = self._content.find(f'<DOC id="{name}"'.encode())
        end = self._content.find(b"</DOC>", start)
        if start < 0 or end < 0:
            raise DataError(f"does not contain the document '{name}'", path)
        return paragraphs_in(self._content[start:end])
