"""A trivial UCCA parser for tests that turns every text into one scene.

As a program it reads a text from standard input and writes a passage in the standard XML format. The first word is the
process and every other word a participant; a text without words has no scene.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from xml.sax.saxutils import quoteattr

COMMAND = shlex.join([sys.executable, __file__])
"""The command that runs it, for the option ``parser`` of metrics."""


def flat_passage(text: str) -> str:
    """Returns the passage of a text.

    >>> [line.strip() for line in flat_passage("Stop !").splitlines() if "text" in line]
    ['<node ID="0.1" type="Word"><attributes text="Stop"/></node>', \
'<node ID="0.2" type="Punctuation"><attributes text="!"/></node>']
    """
    return "\n".join(_lines(text.split()))


def _lines(words: list[str]) -> Iterator[str]:
    yield '<root passageID="1" annotationID="0"><attributes/><layer layerID="0"><attributes/>'
    kinds = ["Word" if any(map(str.isalnum, word)) else "Punctuation" for word in words]
    for number, (word, kind) in enumerate(zip(words, kinds, strict=True), 1):
        yield f'<node ID="0.{number}" type="{kind}"><attributes text={quoteattr(word)}/></node>'
    yield '</layer><layer layerID="1"><attributes/>'
    tags = ["U" if kind == "Punctuation" else "A" for kind in kinds]
    if "A" in tags:
        tags[tags.index("A")] = "P"
    edges = [f'<edge toID="1.{number}" type="{tag}"><attributes/></edge>' for number, tag in enumerate(tags, 2)]
    yield f'<node ID="1.1" type="FN"><attributes/>{"".join(edges)}</node>'
    for number, tag in enumerate(tags, 1):
        edge = f'<edge toID="0.{number}" type="Terminal"><attributes/></edge>'
        yield f'<node ID="1.{number + 1}" type="{"PNCT" if tag == "U" else "FN"}"><attributes/>{edge}</node>'
    yield "</layer></root>"


if __name__ == "__main__":
    sys.stdout.buffer.write(flat_passage(sys.stdin.buffer.read().decode("utf-8")).encode("utf-8"))
