"""HTML documents, and the tables of a report: system scores, over all sentences and by length of the source."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from importlib.resources import files
from typing import Any

from metrics_framework.common.errors import counted
from metrics_framework.data.metrics_dict import ScoredCount
from metrics_framework.io.jsonl import to_json
from metrics_framework.reports.html.model import Cell, Number, ReportData, ResamplingFacts, ScoreColumn, System
from metrics_framework.reports.numbers import NONE, number, p_equation, percent, span
from metrics_framework.reports.svg import isolated, replaced_for_page
from metrics_framework.significance.multiple_testing import is_significant


def html(text: str) -> str:
    """Escapes a text for HTML, once; characters that HTML cannot contain become U+FFFD.

    >>> html("<b> &amp; \\x00")
    '&lt;b&gt; &amp;amp; �'
    """
    return escape(replaced_for_page(text))


def cell_text(value: Number, digits: int) -> str:
    """Writes a score; an undefined score is a dash, because columns are narrow. The script of the page does the same.

    >>> cell_text(0.125, 2), cell_text(3, 0), cell_text(None, 2)
    ('0.12', '3', '–')
    """
    return NONE if value is None else number(float(value), digits)


def score_table(data: ReportData) -> str:
    """Writes the table of the scores of systems and baselines."""
    intervals = f" with {percent(data.resampling.confidence / 100)} confidence intervals" if data.resampling else ""
    lines = [
        f'<table id="scores"><caption>System scores{intervals}</caption>',
        "<thead><tr>",
        _head("System", "left", "name"),
    ]
    lines += [_head(column.title, _kind(column), column.name, column.better) for column in data.scores]
    lines.append("</tr></thead>")
    best = {column.name: _best(data, column) for column in data.scores}
    for kind in ("system", "baseline"):
        lines.append(f'<tbody class="{kind}s">')
        for index, system in enumerate(data.systems):
            if system.kind == kind:
                is_compared = data.resampling is not None and data.resampling.compared_with == system.name
                note = "baseline of the tests" if is_compared else ""
                lines.append(f'<tr data-system="{index}">{_name(system, note)}')
                lines += [_score_cell(data, system, column, best[column.name]) for column in data.scores]
                lines.append("</tr>")
        lines.append("</tbody>")
    return "\n".join([*lines, "</table>"])


def length_tables(data: ReportData) -> Iterator[tuple[ScoreColumn, str]]:
    """Writes a table for each main score, with a column for every bin of length; none without bins."""
    for column in data.main_scores if data.lengths else ():
        lines = ['<table class="lengths">']
        lines.append(f"<caption>{html(column.title)} by length of the {data.facts.length_of} in words</caption>")
        lines.append(f"<thead><tr>{_head('System', 'left', 'name')}")
        for index, bin_ in enumerate(data.lengths):
            low, high = bin_.shortest, bin_.longest
            text = f"{span(low, high)} words"
            lines.append(_head(text, "", str(index), note=counted(bin_.sentences, data.facts.unit)))
        lines.append("</tr></thead>")
        for kind in ("system", "baseline"):
            lines.append(f'<tbody class="{kind}s">')
            for index, system in enumerate(data.systems):
                if system.kind == kind:
                    cells = [
                        f'<td><span class="value">{cell_text(value, column.digits)}</span>{count}</td>'
                        for value, count in zip(
                            system.by_length[column.name], _counts_by_length(system, column.name), strict=True
                        )
                    ]
                    lines.append(f'<tr data-system="{index}">{_name(system)}{"".join(cells)}</tr>')
            lines.append("</tbody>")
        yield column, "\n".join([*lines, "</table>"])


def _kind(column: ScoreColumn) -> str:
    return "" if column.main else "component"


def _head(text: str, kind: str, key: str, better: str | None = None, note: str = "") -> str:
    arrow = {"higher": "↑", "lower": "↓"}.get(better or "", "")
    tail = f'<span class="better" title="{better} is better">{arrow}</span>' if arrow else ""
    tail += f'<span class="sr"> ({better} is better)</span>' if arrow else ""
    tail += f'<span class="note">{note}</span>' if note else ""
    breakable = html(text).replace("_", "_<wbr>")
    return (
        f'<th scope="col" class="{kind}" data-key="{html(key)}"><button type="button">{breakable}{tail}</button></th>'
    )


def _name(system: System, note: str = "") -> str:
    about = f' title="{html(system.about)}"' if system.about else ""
    if note:
        about += f' data-note="{note}"'
    return f'<th scope="row" dir="auto"{about}>{html(system.name)}</th>'


def _score_cell(data: ReportData, system: System, column: ScoreColumn, best: Number) -> str:
    cell = system.scores[column.name]
    is_best = best is not None and system.kind == "system" and cell.value == best
    kind = " ".join(filter(None, [_kind(column), "best" if is_best else ""]))
    value = f'<span class="value">{cell_text(cell.value, column.digits)}</span>'
    best_text = '<span class="sr"> best</span>' if is_best else ""
    marks = f"{_mark(data, cell, column)}{best_text}{_interval(cell, column)}{_count(system.count(column.name))}"
    return f'<td class="{kind}">{value}{marks}</td>'


def _counts_by_length(system: System, name: str) -> list[str]:
    """Returns, for each bin, how many of the outputs have a score, if it is not all."""
    counts = system.scored_by_length.get(name)
    if counts is None:
        return [""] * len(system.by_length[name])
    return [_count(count) if count.missing else "" for count in counts]


def _count(count: ScoredCount | None) -> str:
    """Writes how many outputs have a score, if it is not all."""
    if count is None:
        return ""
    return f'<span class="note scored" title="{count.scored} of {count.outputs} outputs have a score">{count}</span>'


def _interval(cell: Cell, column: ScoreColumn) -> str:
    if cell.low is None or cell.high is None:
        return ""
    digits = column.digits or 1  # the ends of an interval of an integer score need not be integers
    return (
        f'<span class="interval"><span class="sr">from </span>{cell_text(cell.low, digits)}'
        f'<span aria-hidden="true"> – </span><span class="sr"> to </span>{cell_text(cell.high, digits)}</span>'
    )


def error_of(resampling: ResamplingFacts | None) -> float:
    """Returns the significance level of the tests: the part that the intervals leave out."""
    return 0.0 if resampling is None else round(1 - resampling.confidence / 100, 12)


def _mark(data: ReportData, cell: Cell, column: ScoreColumn) -> str:
    """Marks a score that differs significantly from the score of the baseline, on the sentences that both have."""
    name = None if data.resampling is None else data.resampling.compared_with
    if name is None or cell.p_holm is None or not is_significant(cell.p_holm, error_of(data.resampling)):
        return ""
    if not cell.difference:
        return ""
    word, arrow = ("higher", "▲") if cell.difference > 0 else ("lower", "▼")
    judged = "" if column.better is None else " good" if column.better == word else " bad"
    where = "" if cell.compared == data.facts.sentences else f" on the {cell.compared} sentences of both"
    description = html(f"significantly {word} than {isolated(name)}{where} ({p_equation(cell.p_holm)})")
    return (
        f'<span class="sign{judged}" title="{description}"><span aria-hidden="true">{arrow}</span>'
        f'<span class="sr"> {description}</span></span>'
    )


def _best(data: ReportData, column: ScoreColumn) -> Number:
    """Returns the best score of the systems, `None` if the direction is unknown or there is only one system."""
    scores = [system.scores[column.name].value for system in data.systems if system.kind == "system"]
    values = [value for value in scores if value is not None]
    if column.better is None or len(values) < 2:
        return None
    return max(values) if column.better == "higher" else min(values)


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
