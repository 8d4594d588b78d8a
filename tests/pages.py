"""The pages that are written by hand, and the code in them.

How a page says what is done with a block:

- ``bash``: every ``fw`` command runs and must succeed; calls of pip, pytest and git are left out.
- ``console``: a line ``$ command`` runs, the lines below must be what it prints on both streams. A line ``…`` stands
  for any lines, ``…`` within a line for any characters. A command may fail where the output shows an error.
- ``python``: is executed, or tested as a doctest if it starts with ``>>>``.
- ``<!-- file: name -->`` above a block of any language: the block is written to that file.
- ``<!-- not run: reason -->`` above a block: it is left out.

The blocks of a page run in order, in one temporary folder in which `datasets/` is the example data. Blocks that name a
file of `PUBLIC` run only where the public data are.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
"""Pages whose blocks run."""
OF_THIS_VERSION = [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "benchmarks" / "README.md", *ROOT.glob("datasets/**/*.md")]
LINKING = [*OF_THIS_VERSION, ROOT / "CHANGELOG.md"]

PUBLIC = {
    "simplicity_DA.csv": "data/simplicity_da/simplicity_DA.csv",
    "simplicity_DA_ratings.csv": "data/simplicity_da/simplicity_DA_ratings.csv",
    **{f"asset.test.simp.{number}": f"data/asset/asset.test.simp.{number}" for number in range(10)},
}
FENCE = re.compile(
    r"^(?P<indent> *)(?P<fence>```+|~~~+)(?P<language>\w*)[^\n]*\n(?P<text>.*?)^ *(?P=fence) *$",
    re.DOTALL | re.MULTILINE,
)
DIRECTIVE = re.compile(r"<!--\s*(?P<kind>file|not run):\s*(?P<value>[^\n]*?)\s*-->\s*\Z")
SPAN = re.compile(r"(?<!`)(?P<ticks>`+)(?!`)(?P<code>.+?)(?<!`)(?P=ticks)(?!`)", re.DOTALL)


@dataclass
class Block:
    """One code block of a page."""

    language: str
    text: str
    line: int
    file: str | None
    run: bool

    @property
    def is_public(self) -> bool:
        return any(name in self.text for name in (*PUBLIC, "asset.test.simp")) or "da.jsonl" in self.text

    @property
    def lines(self) -> list[str]:
        """The lines; those that end with a backslash are joined with the next one."""
        return [line.strip() for line in self.text.replace("\\\n", " ").split("\n")]


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def prose(text: str) -> str:
    """Returns a text without its code blocks."""
    return FENCE.sub("", text)


def spans_of(page: Path) -> list[str]:
    """Returns what a page has in code style outside of blocks."""
    found = SPAN.finditer(prose(page.read_text(encoding="utf-8")))
    return [" ".join(span["code"].replace("\\|", "|").split()) for span in found]


def blocks_of(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    found = []
    for match in FENCE.finditer(text):
        directive = DIRECTIVE.search(text[: match.start()])
        kind, value = (directive["kind"], directive["value"]) if directive else ("", "")
        line = text[: match.start()].count("\n") + 2
        file = value if kind == "file" else None
        found.append(Block(match["language"], textwrap.dedent(match["text"]), line, file, kind != "not run"))
    return found
