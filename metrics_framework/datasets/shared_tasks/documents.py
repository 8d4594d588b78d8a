"""Documents in the markup of news agencies (SGML), as text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html.parser import HTMLParser

from metrics_framework.common.overriding import overrides

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
