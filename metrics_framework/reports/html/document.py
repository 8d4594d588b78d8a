"""HTML documents: templates that are filled in, and the page of an analysis, without scripts or network requests."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from typing import Any

from metrics_framework.common.overriding import overrides
from metrics_framework.io.jsonl import to_json
from metrics_framework.reports.formats.html import HtmlTable
from metrics_framework.reports.formats.output_format import Note, Rows
from metrics_framework.reports.svg import STYLE, replaced_for_page
from metrics_framework.version import __version__

_STYLES = ("page.css", "sentences.css", "analysis.css")


def data_page(
    name: str, scripts: Sequence[str], lead: str, facts: Mapping[str, str], found: Mapping[str, Any], **parts: str
) -> tuple[str, dict[str, Any]]:
    """Writes the page of a visualization, and returns it with the data that it embeds.

    Args:
        name: The name of its template and its style.
        scripts: The files of its further scripts.
        lead: The sentence below the title.
        facts: Name to number of what the page shows.
        found: The data, with ``format``, ``title``, the names of ``files`` and ``notes``.
        parts: Further parts of the template.
    """
    data = {"format": "", "format_version": 1, "fw": __version__, **found}
    files = ", ".join(f"<bdi>{html(file)}</bdi>" for file in data["files"])  # each with its own text direction
    every = {"title": html(data["title"]), "lead": html(lead), "facts": facts_list(facts), "data": as_script(data)}
    every["notes"] = "".join(f"<li>{html(note)}</li>" for note in data["notes"])
    every |= {"files": f"Files: {files}" if files else "", **parts}
    styles = ("page.css", "sentences.css", "visual.css", f"{name}.css")
    return "".join(document_pieces(f"{name}.html", styles, ("elements.js", "settings.js", *scripts), every)), data


def document_pieces(
    template: str,
    styles: Sequence[str],
    scripts: Sequence[str],
    parts: Mapping[str, str | Iterable[str]],
    framed: Iterable[tuple[Sequence[str], Sequence[str]]] = (),
) -> Iterator[str]:
    """Yields a template that is filled in, piece by piece.

    Args:
        template: The file of the template, in which ``{{name}}`` is a part.
        styles: The files of the style sheet.
        scripts: The files of the script; they share one scope.
        parts: Name to HTML, or to pieces of HTML. ``style``, ``script`` and the content security policy ``policy``
            are added.
        framed: The styles and scripts of the pages in frames, to which the policy applies, too.
    """
    style, script = _joined(styles), _joined(scripts)
    allowed: tuple[dict[str, None], dict[str, None]] = {}, {}
    for names in [(styles, scripts), *framed]:
        for hashes, of_names in zip(allowed, names, strict=True):
            hashes[f"'{style_hash(_joined(of_names))}'"] = None
    style_hashes, script_hashes = map(" ".join, allowed)
    policy = (
        f"default-src 'none'; script-src {script_hashes}; style-src {style_hashes}; base-uri 'none'; form-action 'none'"
    )
    every: dict[str, str | Iterable[str]] = {**parts, "style": style, "script": script, "policy": policy}
    for index, piece in enumerate(re.split(r"\{\{(\w+)\}\}", page_of(template))):
        part = every[piece] if index % 2 else piece
        if isinstance(part, str):
            yield part
        else:
            yield from part


def _joined(names: Sequence[str]) -> str:
    return "\n" + "\n".join(map(file, names))


def as_script(data: Any) -> str:
    """Writes data as JSON that cannot end the script element: every ``<`` is written ``\\\\u003c``."""
    return to_json(data).replace("<", "\\u003c")


def file(name: str) -> str:
    """Returns a file of this package."""
    return files("metrics_framework.reports.html").joinpath(name).read_text(encoding="utf-8")


def page_of(template: str) -> str:
    """Returns a template with the head that all pages share."""
    return file("head.html") + file(template)


def style_hash(content: str) -> str:
    """Returns the hash that allows an inline style or script in a content security policy."""
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode("utf-8")).digest()).decode("ascii")


def facts_list(facts: Mapping[str, str], version: str = __version__) -> str:
    """Writes the facts at the top of a page, with the version of this package that made it."""
    every = {**facts, "Made with": f"fw {version}"}
    return "".join(f"<div><dt>{html(name)}</dt><dd>{html(value)}</dd></div>" for name, value in every.items())


def html(text: str) -> str:
    """Escapes a text for HTML, once; characters that HTML cannot contain become U+FFFD.

    >>> html("<b> &amp; \\x00")
    '&lt;b&gt; &amp;amp; �'
    """
    return escape(replaced_for_page(text))


class PageTables(HtmlTable):
    """Writes a table for a page: its alignment is in classes, because the page forbids other styles."""

    emphasizes = False

    @overrides
    def table(self, columns: Sequence[str], rows: Rows, left: int) -> str:
        head = "".join(f'<th scope="col"{_alignment(i, left)}>{name}</th>' for i, name in enumerate(columns))
        body = "".join(f"<tr>{_cells(row, left)}</tr>" for row in rows)
        return (
            '<div class="scroll" tabindex="0" role="region" aria-label="Table"><table class="analysis">'
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
        )


def _cells(row: Sequence[str], left: int) -> str:
    first, *others = row
    return f'<th scope="row">{first}</th>' + "".join(
        f"<td{_alignment(i, left)}>{cell}</td>" for i, cell in enumerate(others, 1)
    )


def _alignment(index: int, left: int) -> str:
    return ' class="left"' if index < left else ""


def figure(svg: str) -> str:
    """Writes a picture, an SVG file of this package; the page has the style of all its pictures."""
    svg = re.sub(r"<style>.*?</style>\n", "", svg, flags=re.DOTALL)
    svg = re.sub(r' style="max-width[^"]*"', "", svg, count=1)
    return f"<figure>{svg}</figure>"


@dataclass(frozen=True)
class Section:
    """A part of the page.

    Args:
        anchor: Its id, for links.
        heading: Its heading.
        about: The sentence below the heading.
        parts: Its pictures as `figure` writes them, and its tables as `PageTables` does.
        notes: The lines below them.
        is_folded: Whether only the heading is shown until a reader opens the section; a printed page shows all.
    """

    anchor: str
    heading: str
    about: str = ""
    parts: Sequence[str] = ()
    notes: Sequence[str] = ()
    is_folded: bool = False

    def html(self) -> str:
        """Writes the section."""
        about = f'<p class="about">{html(self.about)}</p>' if self.about else ""
        notes = "".join(f'<p class="legend">{html(note)}</p>' for note in self.notes)
        content = f'{about}<div class="figures">{"".join(self.parts)}</div>{notes}'
        anchor, heading = html(self.anchor), f"<h2>{html(self.heading)}</h2>"
        if self.is_folded:  # a link to an element inside opens it
            return (
                f'<section class="fold"><details><summary>{heading}</summary>'
                f'<div class="inside" id="{anchor}">{content}</div></details></section>'
            )
        return f'<section id="{anchor}"><div class="title">{heading}</div>{content}</section>'


def notes_and_method(notes: Iterable[Note], method: Sequence[str]) -> list[Section]:
    """Returns the last sections of a page."""
    return [Section("notes", "Notes", notes=[note.line for note in notes]), Section("method", "Method", notes=method)]


def analysis_page(
    title: str,
    lead: str,
    facts: Mapping[str, str],
    sections: Sequence[Section],
    warnings: Sequence[str],
    answers: Sequence[str] = (),
) -> str:
    """Writes the page of an analysis.

    Args:
        title: The title.
        lead: The sentence below the title.
        facts: Name to number of what the analysis is about, such as the number of systems.
        sections: The sections.
        warnings: What may make the results misleading.
        answers: Paragraphs that answer the question of the page.
    """
    style = "\n" + "\n".join([*map(file, _STYLES), f"@scope (figure) {{\n{STYLE}\n}}"])
    parts = {"title": html(title), "lead": html(lead), "facts": facts_list(facts), "style": style}
    parts["policy"] = f"default-src 'none'; style-src '{style_hash(style)}'; base-uri 'none'; form-action 'none'"
    parts["links"] = "".join(f'<a href="#{html(one.anchor)}">{html(one.heading)}</a>' for one in sections)
    parts["answers"] = "".join(f"<p>{html(answer)}</p>" for answer in answers)
    parts["warnings"] = "".join(f"<li>{html(warning)}</li>" for warning in warnings)
    parts["sections"] = "\n".join(section.html() for section in sections)
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], page_of("analysis.html"))
