"""The tables of a report as HTML: scores of systems, and the same by length of the source."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from metrics_framework.reports.html.model import Cell, Number, ReportData, Resampling, ScoreColumn, System
from metrics_framework.reports.html.writing import counted, isolated
from metrics_framework.significance.multiple_testing import is_significant

UNDEFINED = "–"


def printable(text: str) -> str:
    """Escapes a text for HTML, once; what no page can hold becomes U+FFFD.

    >>> printable("<b> &amp; \\x00")
    '&lt;b&gt; &amp;amp; �'
    """
    return escape("".join("�" if _is_unprintable(sign) else sign for sign in text))


def _is_unprintable(sign: str) -> bool:
    return (sign < " " and sign not in "\t\n\r") or "\x7f" <= sign <= "\x9f" or "\ud800" <= sign <= "\udfff"


def cell_text(value: Number, digits: int) -> str:
    """Writes a score; one that is not defined is a dash. The page's script writes scores in the same way.

    >>> cell_text(0.125, 2), cell_text(3, 0), cell_text(None, 2)
    ('0.12', '3', '–')
    """
    return UNDEFINED if value is None else f"{value:.{digits}f}"


def score_table(data: ReportData) -> str:
    """Writes the table of the scores of systems and baselines."""
    caption = "Scores of the systems" + (
        f", with {data.resampling.confidence:g} % intervals" if data.resampling else ""
    )
    lines = [f'<table id="scores"><caption>{caption}</caption>', "<thead><tr>", _head("System", "left", "name")]
    lines += [_head(column.title, _kind(column), column.name, column.better) for column in data.scores]
    lines.append("</tr></thead>")
    best = {column.name: _best(data, column) for column in data.scores}
    for kind in ("system", "baseline"):
        lines.append(f'<tbody class="{kind}s">')
        for place, system in enumerate(data.systems):
            if system.kind == kind:
                lines.append(f'<tr data-system="{place}">{_name(system)}')
                lines += [_score_cell(data, system, column, best[column.name]) for column in data.scores]
                lines.append("</tr>")
        lines.append("</tbody>")
    return "\n".join([*lines, "</table>"])


def length_tables(data: ReportData) -> Iterator[tuple[ScoreColumn, str]]:
    """Writes a table for each main score: its value in every bin of source length."""
    for column in data.main_scores:
        lines = ['<table class="lengths">']
        lines.append(f"<caption>{printable(column.title)} by number of words of the source</caption>")
        lines.append(f"<thead><tr>{_head('System', 'left', 'name')}")
        for place, one in enumerate(data.lengths):
            text = f"{one.shortest}–{one.longest} words" if one.shortest < one.longest else f"{one.longest} words"
            lines.append(_head(text, "", str(place), note=counted(one.sentences, "sentence")))
        lines.append("</tr></thead>")
        for kind in ("system", "baseline"):
            lines.append(f'<tbody class="{kind}s">')
            for number, system in enumerate(data.systems):
                if system.kind == kind:
                    cells = [_plain_cell(value, column.digits) for value in system.by_length[column.name]]
                    lines.append(f'<tr data-system="{number}">{_name(system)}{"".join(cells)}</tr>')
            lines.append("</tbody>")
        yield column, "\n".join([*lines, "</table>"])


def _kind(column: ScoreColumn) -> str:
    return "" if column.main else "component"


def _head(text: str, kind: str, key: str, better: str | None = None, note: str = "") -> str:
    arrow = {"higher": "↑", "lower": "↓"}.get(better or "", "")
    tail = f'<span class="better" title="{better} is better">{arrow}</span>' if arrow else ""
    tail += f'<span class="sr"> ({better} is better)</span>' if arrow else ""
    tail += f'<span class="note">{note}</span>' if note else ""
    return (
        f'<th scope="col" class="{kind}" data-key="{printable(key)}">'
        f'<button type="button">{_breakable(printable(text))}{tail}</button></th>'
    )


def _breakable(escaped: str) -> str:
    """Lets a name break behind an underscore."""
    return escaped.replace("_", "_<wbr>")


def _name(system: System) -> str:
    about = f' title="{printable(system.about)}"' if system.about else ""
    return f'<th scope="row" dir="auto"{about}>{printable(system.name)}</th>'


def _plain_cell(value: Number, digits: int) -> str:
    return f'<td><span class="value">{cell_text(value, digits)}</span></td>'


def _score_cell(data: ReportData, system: System, column: ScoreColumn, best: Number) -> str:
    cell = system.scores[column.name]
    is_best = best is not None and system.kind == "system" and cell.value == best
    kind = " ".join(filter(None, [_kind(column), "best" if is_best else ""]))
    value = f'<span class="value">{cell_text(cell.value, column.digits)}</span>'
    best_text = '<span class="sr"> best</span>' if is_best else ""
    return f'<td class="{kind}">{value}{_sign(data, cell, column)}{best_text}{_interval(cell, column)}</td>'


def _interval(cell: Cell, column: ScoreColumn) -> str:
    if cell.low is None or cell.high is None:
        return ""
    digits = column.digits or 1
    return (
        f'<span class="interval"><span class="sr">from </span>{cell_text(cell.low, digits)}'
        f'<span aria-hidden="true"> – </span><span class="sr"> to </span>{cell_text(cell.high, digits)}</span>'
    )


def error_of(resampling: Resampling | None) -> float:
    """Returns the p-value below which a difference is marked: what an interval leaves out."""
    return 0.0 if resampling is None else round(1 - resampling.confidence / 100, 12)


def _sign(data: ReportData, cell: Cell, column: ScoreColumn) -> str:
    """Marks a score that differs from that of the system compared with, on the sentences that both have."""
    name = None if data.resampling is None else data.resampling.compared_with
    if name is None or cell.p_holm is None or not is_significant(cell.p_holm, error_of(data.resampling)):
        return ""
    if not cell.difference:
        return ""
    word, arrow = ("higher", "▲") if cell.difference > 0 else ("lower", "▼")
    judged = "" if column.better is None else " good" if column.better == word else " bad"
    where = "" if cell.compared == data.facts.sentences else f" on the {cell.compared} sentences that both have"
    told = printable(f"significantly {word} than {isolated(name)}{where} (p = {cell.p_holm:.3g})")
    return (
        f'<span class="sign{judged}" title="{told}"><span aria-hidden="true">{arrow}</span>'
        f'<span class="sr"> {told}</span></span>'
    )


def _best(data: ReportData, column: ScoreColumn) -> Number:
    """Returns the best score of the systems, `None` where no direction is known or there is one system."""
    found = [one.scores[column.name].value for one in data.systems if one.kind == "system"]
    values = [value for value in found if value is not None]
    if column.better is None or len(values) < 2:
        return None
    return max(values) if column.better == "higher" else min(values)
