"""Checks the built site: ``python docs/check_site.py build/site``.

Pages must load nothing from a network, and must show what code hosts show: Python-Markdown, which makes the site, reads
lists and tables in other ways than CommonMark does.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

from markdown_it import MarkdownIt
from site_hooks import ROOT, generated_pages, repository_path

LOADING = {"src", "srcset", "data", "poster", "background"}  # attributes whose address a browser loads
REMOTE = re.compile(r"^(?:[a-z][a-z+.-]*:)?//", re.IGNORECASE)
OF_STYLES = re.compile(r"""(?:url\(|@import\s+)\s*["']?((?:[a-z]+:)?//[^"')\s;]+)""", re.IGNORECASE)
FETCHED_LATER = {"mermaid", "arithmatex"}  # classes of blocks for which the theme's scripts load a library
COUNTED = {"blockquote", "em", "h1", "h2", "h3", "h4", "img", "li", "ol", "pre", "strong", "table", "td", "th", "ul"}


class Loads(HTMLParser):
    """Collects the remote addresses that a page loads, without the links that a reader may follow.

    >>> page = Loads()
    >>> page.feed('<a href="https://a.org"><img src="//b.org/x.png"><link rel="stylesheet" href="https://c.org/x.css">')
    >>> page.found
    ['//b.org/x.png', 'https://c.org/x.css']
    """

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Adds what a tag loads."""
        for name, value in attrs:
            words = (value or "").split()
            if name in LOADING or (tag == "link" and name == "href"):
                self.found += filter(REMOTE.match, words)
            elif name == "style":
                self.found += OF_STYLES.findall(value or "")
            elif name == "class":
                self.found += [f"a library for .{word}" for word in words if word in FETCHED_LATER]

    def handle_data(self, data: str) -> None:
        """Adds what a style sheet in the page loads."""
        if self.cdata_elem == "style":
            self.found += OF_STYLES.findall(data)


class Content(HTMLParser):
    """Collects the text of a page, and counts its lists, tables and blocks.

    Args:
        container: The tag that contains the content; empty for all of the page.
    """

    def __init__(self, container: str = "") -> None:
        super().__init__()
        self.container = container
        self.counts: Counter[str] = Counter()
        self._inside = not container
        self._in_anchor = False
        self._text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Counts a tag."""
        self._inside = self._inside or tag == self.container
        self._in_anchor = ("class", "headerlink") in attrs
        if self._inside and tag in COUNTED:
            self.counts[tag] += 1

    def handle_endtag(self, tag: str) -> None:
        """Notes the end of the content."""
        self._inside = self._inside and tag != self.container
        self._in_anchor = False

    def handle_data(self, data: str) -> None:
        """Adds text, but not the signs of links to headings."""
        if self._inside and not self._in_anchor:
            self._text.append(data)

    @property
    def characters(self) -> str:
        """All characters but spaces."""
        return "".join("".join(self._text).split())


def remote_loads(site: Path) -> Iterator[str]:
    """Yields what the pages and style sheets of a site load from a network."""
    for path in sorted(site.rglob("*")):
        if path.suffix == ".html":
            page = Loads()
            page.feed(path.read_text(encoding="utf-8"))
            found = page.found
        else:
            found = OF_STYLES.findall(path.read_text(encoding="utf-8")) if path.suffix == ".css" else []
        yield from (f"{path.relative_to(site)} loads {address}" for address in found)


def differences(site: Path) -> Iterator[str]:
    """Yields the pages of a site that differ from what CommonMark makes of their files."""
    for path in sorted(site.rglob("*.html")):
        name = path.relative_to(site).with_suffix(".md").as_posix()
        source = ROOT / repository_path(name)
        if not source.exists():
            source = source.with_name("README.md")
        text = generated_pages().get(name) or (source.read_text(encoding="utf-8") if source.exists() else None)
        problem = difference(text, path.read_text(encoding="utf-8")) if text else ""
        yield from [f"{name}: {problem}"] if problem else []


def difference(markdown: str, page: str) -> str:
    """Describes how a page differs from what CommonMark makes of its text; empty if it does not."""
    expected, shown = Content(), Content("article")
    expected.feed(MarkdownIt("commonmark", {"html": True}).enable("table").render(markdown))
    shown.feed(page)
    counts = [
        f"{shown.counts[tag]} <{tag}>, not {expected.counts[tag]}"
        for tag in sorted(COUNTED)
        if shown.counts[tag] != expected.counts[tag]
    ]
    left, right = shown.characters, expected.characters
    if left == right:
        return "; ".join(counts)
    same = next(index for index, pair in enumerate(zip(f"{left}\0", f"{right}\0", strict=False)) if pair[0] != pair[1])
    return "; ".join([*counts, f"{left[same : same + 40]!r}, not {right[same : same + 40]!r}"])


def main() -> int:
    """Prints what is wrong, and returns 1 if anything is."""
    site = Path(sys.argv[1])
    problems = [*remote_loads(site), *differences(site)]
    print(*problems, sep="\n", end="\n" if problems else "")
    print(f"{len(list(site.rglob('*.html')))} pages of the site checked, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
