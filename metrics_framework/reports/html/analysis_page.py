"""A page of one analysis: tables, figures, notes and method in one HTML file without scripts or network requests."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.resources import files

from metrics_framework.reports.html.html_tables import html
from metrics_framework.reports.html.page import style_hash
from metrics_framework.reports.svg import STYLE
from metrics_framework.version import __version__

_STYLES = ("page.css", "sentences.css", "analysis.css")


@dataclass(frozen=True)
class PageTable:
    """A table.

    Args:
        caption: What it shows.
        columns: The headings.
        rows: The cells, as text.
        left: The number of columns that are left-aligned.
    """

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    left: int = 1

    def html(self) -> str:
        """Writes the table."""
        head = "".join(f'<th scope="col"{self._kind(i)}>{html(name)}</th>' for i, name in enumerate(self.columns))
        body = "".join(f"<tr>{self._row(row)}</tr>" for row in self.rows)
        label = html(self.caption)
        return (
            f'<div class="scroll" tabindex="0" role="region" aria-label="{label}"><table class="analysis">'
            f"<caption>{label}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
        )

    def _row(self, cells: Sequence[str]) -> str:
        first, *others = cells
        written = (f"<td{self._kind(i)}>{html(cell)}</td>" for i, cell in enumerate(others, 1))
        return f'<th scope="row">{html(first)}</th>{"".join(written)}'

    def _kind(self, index: int) -> str:
        return ' class="left"' if index < self.left else ""


@dataclass(frozen=True)
class Figure:
    """A picture.

    Args:
        caption: What it shows; empty if the picture says it.
        svg: An SVG file of this package.
    """

    caption: str
    svg: str

    def html(self) -> str:
        """Writes the figure; the page has the style of all its pictures."""
        svg = re.sub(r"<style>.*?</style>\n", "", self.svg, flags=re.DOTALL)
        svg = re.sub(r' style="max-width[^"]*"', "", svg, count=1)
        caption = f"<figcaption>{html(self.caption)}</figcaption>" if self.caption else ""
        return f"<figure>{caption}{svg}</figure>"


@dataclass(frozen=True)
class Section:
    """A part of the page.

    Args:
        anchor: Its id, for links.
        heading: Its heading.
        about: The sentence below the heading.
        parts: Its tables and figures.
        notes: The lines below them.
    """

    anchor: str
    heading: str
    about: str = ""
    parts: Sequence[PageTable | Figure] = ()
    notes: Sequence[str] = ()

    def html(self) -> str:
        """Writes the section."""
        about = f'<p class="about">{html(self.about)}</p>' if self.about else ""
        parts = "".join(part.html() for part in self.parts)
        notes = "".join(f'<p class="legend">{html(note)}</p>' for note in self.notes)
        return (
            f'<section id="{html(self.anchor)}"><div class="title"><h2>{html(self.heading)}</h2></div>{about}'
            f'<div class="figures">{parts}</div>{notes}</section>'
        )


@dataclass(frozen=True)
class AnalysisPage:
    """The content of a page.

    Args:
        title: The title.
        lead: The sentence below the title.
        facts: Name to number of what the analysis is about, such as the number of systems.
        sections: The sections.
        warnings: What may make the results misleading.
    """

    title: str
    lead: str
    facts: dict[str, str] = field(default_factory=dict)
    sections: Sequence[Section] = ()
    warnings: Sequence[str] = ()

    def html(self) -> str:
        """Writes the page."""
        style = "\n" + "\n".join([*map(_file, _STYLES), f"@scope (figure) {{\n{STYLE}\n}}"])
        facts = {**self.facts, "Made with": f"fw {__version__}"}
        parts = {
            "title": html(self.title),
            "lead": html(self.lead),
            "policy": f"default-src 'none'; style-src '{style_hash(style)}'; base-uri 'none'; form-action 'none'",
            "style": style,
            "links": "".join(f'<a href="#{html(one.anchor)}">{html(one.heading)}</a>' for one in self.sections),
            "facts": "".join(
                f"<div><dt>{html(name)}</dt><dd>{html(value)}</dd></div>" for name, value in facts.items()
            ),
            "warnings": "".join(f"<li>{html(warning)}</li>" for warning in self.warnings),
            "sections": "\n".join(section.html() for section in self.sections),
        }
        return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], _file("analysis.html"))


def _file(name: str) -> str:
    return files("metrics_framework.reports.html").joinpath(name).read_text(encoding="utf-8")
