"""One HTML file that contains its style, scripts and data, and makes no network request."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Any

from metrics_framework.io.jsonl import to_json
from metrics_framework.reports.html.html_tables import html


def document(template: str, styles: Sequence[str], scripts: Sequence[str], parts: Mapping[str, str]) -> str:
    """Fills in a template, as `document_pieces` does, and returns the whole file."""
    return "".join(document_pieces(template, styles, scripts, parts))


def document_pieces(
    template: str, styles: Sequence[str], scripts: Sequence[str], parts: Mapping[str, str | Iterable[str]]
) -> Iterator[str]:
    """Yields a template that is filled in, piece by piece.

    Args:
        template: The file of the template, in which ``{{name}}`` is a part.
        styles: The files of the style sheet.
        scripts: The files of the script; they share one scope.
        parts: Name to HTML, or to pieces of HTML. ``style``, ``script`` and the content security policy ``policy``
            are added.
    """
    style, script = ("\n" + "\n".join(map(file, names)) for names in (styles, scripts))
    policy = (
        f"default-src 'none'; script-src '{style_hash(script)}'; style-src '{style_hash(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    every: dict[str, str | Iterable[str]] = {**parts, "style": style, "script": script, "policy": policy}
    for index, piece in enumerate(re.split(r"\{\{(\w+)\}\}", file(template))):
        part = every[piece] if index % 2 else piece
        if isinstance(part, str):
            yield part
        else:
            yield from part


def as_script(data: Any) -> str:
    """Writes data as JSON that cannot end the script element: every ``<`` is written ``\\\\u003c``."""
    return to_json(data).replace("<", "\\u003c")


def file(name: str) -> str:
    """Returns a file of this package."""
    return files("metrics_framework.reports.html").joinpath(name).read_text(encoding="utf-8")


def style_hash(content: str) -> str:
    """Returns the hash that allows an inline style or script in a content security policy."""
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode("utf-8")).digest()).decode("ascii")


def facts_list(facts: dict[str, str]) -> str:
    """Writes the facts at the top of a page."""
    return "".join(f"<div><dt>{html(name)}</dt><dd>{html(value)}</dd></div>" for name, value in facts.items())


def file_list(files: list[str]) -> str:
    """Writes names of files, each with its own text direction."""
    return ", ".join(f"<bdi>{html(name)}</bdi>" for name in files)
