"""The page: one HTML file that contains its style, script and data, and makes no network request."""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from html import escape
from typing import Any

from metrics_framework.common.errors import counted
from metrics_framework.data.metrics_dict import ScoredCount
from metrics_framework.reports.html.document import as_script, document_pieces, facts_list, file, html
from metrics_framework.reports.html.model import Cell, Number, ReportData, ResamplingFacts, ScoreColumn, System
from metrics_framework.reports.numbers import NONE, number, p_equation, percent, span
from metrics_framework.reports.svg import Axis, isolated, shortened
from metrics_framework.significance.multiple_testing import is_significant
from metrics_framework.significance.resampling import METHOD_NAMES

SCRIPTS = (
    *("elements.js", "settings.js", "data.js", "marks.js", "matches.js", "notes.js", "outputs.js", "choices.js"),
    *("browser.js", "histogram.js", "compare.js", "buckets.js", "words.js", "page.js"),
)
SCORED_SCRIPT = "scored.js"
"""Added before the last script if some outputs have no score."""
SPANS_SCRIPT, SPANS_STYLE, SPANS_HELP = "error_spans.js", "error_spans.css", "error_spans_help.html"
"""Added if a metric predicts errors in the outputs."""
STYLES = ("page.css", "sentences.css", "views.css")


def page(data: ReportData) -> str:
    """Writes a report as HTML."""
    return "".join(page_pieces(data))


def page_pieces(data: ReportData) -> Iterator[str]:
    """Yields a report as HTML, piece by piece."""
    facts = data.facts
    plots = "".join(
        f"<figure><figcaption>{html(column.output_title)}</figcaption>{plot}</figure>"
        for column, plot in distribution_plots(data)
    )
    parts: dict[str, str | Iterable[str]] = {"title": html(data.title), "lead": _lead(data), "facts": _facts(data)}
    parts |= {"unit": facts.unit, "units": f"{facts.unit}s", "heading": f"{facts.unit}s".capitalize()}
    parts |= {"scores": _score_table(data), "legend": _legend(data), "data": embedded(data)}
    parts |= {"plots": plots, "no_plots": "" if plots else " hidden"}
    parts |= {"length_of": facts.length_of or "", "no_lengths": "" if data.lengths else " hidden"}
    parts["lengths"] = "".join(
        f'<div class="scroll" data-score="{html(column.name)}" tabindex="0" role="region" '
        f'aria-label="{html(column.title)} by length">{table}</div>'
        for column, table in _length_tables(data)
    )
    spans_help = file(SPANS_HELP).replace("METRIC", html(data.spans_of)) if data.spans_of else ""
    parts |= {"marks": file(f"{facts.marks}.html"), "marks_help": file(f"{facts.marks}_help.html") + spans_help}
    parts["signatures"] = "".join(f"<li><code>{html(signature)}</code></li>" for signature in data.signatures.values())
    notes = filter(None, [data.selection, *data.notes])
    parts["notes"] = "".join(f"<li>{html(note)}</li>" for note in notes)
    parts["selection"] = f'<p class="about">{html(data.selection)}</p>\n' if data.selection else ""
    yield from document_pieces("template.html", *_styles_and_scripts(data), parts)


def _styles_and_scripts(data: ReportData) -> tuple[Sequence[str], Sequence[str]]:
    scored = [SCORED_SCRIPT] * any(system.scored for system in data.systems)
    scripts = (*SCRIPTS[:-1], *scored, *[SPANS_SCRIPT] * bool(data.spans_of), SCRIPTS[-1])
    return (*STYLES, *[SPANS_STYLE] * bool(data.spans_of)), scripts


def set_pieces(title: str, reports: Mapping[str, ReportData]) -> Iterator[str]:
    """Yields one page with the reports of several data sets, after a table of their scores."""
    sets = {
        name: replace(data, systems=[system for system in data.systems if system.kind == "system"])
        for name, data in reports.items()
    }
    legends = {_legend(data): name for name, data in reversed(sets.items())}
    leads = (f"{html(name)}: {_lead(data)}" for name, data in sets.items())
    parts = {
        "title": html(title),
        "lead": "<br>".join(leads),
        "scores": _table_of_sets(sets),
        "pages": _frames(reports),
    }
    parts["legends"] = "".join(
        legend if len(legends) == 1 else f'<p class="legend"><b>{html(name)}</b></p>{legend}'
        for legend, name in reversed(legends.items())
    )
    signatures = ((html(name), html(of)) for name, data in sets.items() for of in data.signatures.values())
    parts["signatures"] = "".join(f"<li>{name} <code>{signature}</code></li>" for name, signature in signatures)
    framed = map(_styles_and_scripts, reports.values())
    yield from document_pieces("sets.html", ("page.css", "sets.css"), (), parts, framed)


def _frames(sets: Mapping[str, ReportData]) -> Iterator[str]:
    """Yields a tab for each data set, and its report in a frame."""
    for index, (name, data) in enumerate(sets.items()):
        tab = f"set-{index}"
        yield f'<input type="radio" class="sr" name="set" id="{tab}"><label for="{tab}">{html(name)}</label>'
        yield f'<iframe class="panel" title="{html(name)}" srcdoc="'
        for piece in page_pieces(data):
            yield escape(piece)
        yield '"></iframe>'


def _table_of_sets(sets: Mapping[str, ReportData]) -> str:
    """Writes the main scores of the systems on each data set."""
    columns = next(iter(sets.values())).main_scores
    lines = ["<table><caption>Scores of systems on each data set</caption>"]
    lines.append('<thead><tr><th scope="col" class="left">System</th>')
    for column in columns:
        arrow = {"higher": "↑", "lower": "↓"}.get(column.better or "", "")
        lines.append(f'<th scope="col">{html(column.title)} {arrow}</th>')
    lines.append("</tr></thead>")
    for name, data in sets.items():
        best = {column.name: _best(data, column) for column in columns}
        lines.append('<tbody class="systems"><tr class="group">')
        lines.append(f'<th scope="rowgroup" colspan="{len(columns) + 1}">{html(name)}</th></tr>')
        for system in data.systems:
            cells = (_score_cell(data, system, column, best[column.name]) for column in columns)
            lines.append(f"<tr>{_name(system)}{''.join(cells)}</tr>")
        lines.append("</tbody>")
    return "\n".join([*lines, "</table>"])


def _lead(data: ReportData) -> str:
    names = [system.name for system in data.systems if system.kind == "system"]
    systems = f"{len(names)} systems" if len(names) > 1 else f"The system {isolated(names[0])}"
    counts = data.facts.references.replace("-", "–")
    references = "" if counts == "0" else f" with {counts} reference{'' if counts == '1' else 's'} each"
    return html(f"{systems} on {counted(data.facts.sentences, data.facts.unit)}{references}.")


def _facts(data: ReportData) -> str:
    facts = data.facts
    words_of = "Words of the documents" if facts.length_of == "documents" else "Words per source"
    per_source = {} if facts.words_per_source is None else {words_of: number(facts.words_per_source, 1)}
    shown = {
        f"{facts.unit}s".capitalize(): str(facts.sentences),
        f"References per {facts.unit}": facts.references.replace("-", "–"),
        **per_source,
        "Words per reference": number(facts.words_per_reference, 1, undefined=NONE),
        "Licence of the data": facts.licence or "none stated",
    }
    return facts_list(shown, data.fw)


def _legend(data: ReportData) -> str:
    """Explains the intervals, the marks and the baselines below the table."""
    lines = []
    made = data.resampling
    if made is not None:
        drawn = "" if made.intervals == METHOD_NAMES["jackknife"] else f", {made.resamples} resamples, seed {made.seed}"
        how = f"{made.intervals} over {data.facts.unit}s{drawn}"
        lines.append(f"Small numbers: {percent(made.confidence / 100)} confidence intervals ({how}).")
        if made.compared_with is not None:
            first = isolated(made.compared_with)
            lines.append(
                f"▲ ▼: significantly higher or lower than {first} (p < {error_of(made):g}, two-sided {made.test}, "
                "Holm correction for several systems)."
            )
    means = [isolated(column.title) for column in data.main_scores if column.aggregate == "mean"]
    if means:
        lines.append(f"Averaged over outputs: {', '.join(means)}.")
    count = next((system.count(name) for system in data.systems for name in system.scored), None)
    if count is not None:
        lines.append(f"{count}: {count.scored} of {count.outputs} outputs have a score; means are over these.")
    lines += [f"Caution: {text}." for text in data.cautions]
    lines += [f"{system.name}: {system.about}." for system in data.systems if system.about]
    return "".join(f'<p class="legend">{html(line)}</p>' for line in lines)


def cell_text(value: Number, digits: int) -> str:
    """Writes a score; an undefined score is a dash, because columns are narrow. The script of the page does the same.

    >>> cell_text(0.125, 2), cell_text(3, 0), cell_text(None, 2)
    ('0.12', '3', '–')
    """
    return NONE if value is None else number(float(value), digits)


def _score_table(data: ReportData) -> str:
    """Writes the table of the scores of systems and baselines."""
    intervals = f" with {percent(data.resampling.confidence / 100)} confidence intervals" if data.resampling else ""
    heads = [_head(column.title, _class_of(column), column.name, column.better) for column in data.scores]
    lines = [f'<table id="scores"><caption>System scores{intervals}</caption>', "<thead><tr>"]
    lines += [_head("System", "left", "name"), *heads, "</tr></thead>"]
    best = {column.name: _best(data, column) for column in data.scores}
    compared = None if data.resampling is None else data.resampling.compared_with

    def row(system: System) -> str:
        cells = [_score_cell(data, system, column, best[column.name]) for column in data.scores]
        return "\n".join([_name(system, "baseline of the tests" * (system.name == compared)), *cells, ""])

    return "\n".join([*lines, *_bodies(data, row), "</table>"])


def _length_tables(data: ReportData) -> Iterator[tuple[ScoreColumn, str]]:
    """Writes a table for each main score, with a column for every bin of length; none without bins."""
    for column in data.main_scores if data.lengths else ():
        caption = f"<caption>{html(column.title)} by length of the {data.facts.length_of} in words</caption>"
        lines = ['<table class="lengths">', caption, f"<thead><tr>{_head('System', 'left', 'name')}"]
        for index, bin_ in enumerate(data.lengths):
            text = f"{span(bin_.shortest, bin_.longest)} words"
            lines.append(_head(text, "", str(index), note=counted(bin_.sentences, data.facts.unit)))
        lines.append("</tr></thead>")
        yield column, "\n".join([*lines, *_bodies(data, partial(_length_row, column)), "</table>"])


def _length_row(column: ScoreColumn, system: System) -> str:
    values, counts = system.by_length[column.name], system.scored_by_length.get(column.name, [])
    notes = [_count(count) if count.missing else "" for count in counts] or [""] * len(values)
    pairs = ((cell_text(value, column.digits), note) for value, note in zip(values, notes, strict=True))
    return _name(system) + "".join(f'<td><span class="value">{value}</span>{note}</td>' for value, note in pairs)


def _bodies(data: ReportData, row: Callable[[System], str]) -> Iterator[str]:
    """Yields the rows of the systems, then those of the baselines."""
    for kind in ("system", "baseline"):
        yield f'<tbody class="{kind}s">'
        for index, system in enumerate(data.systems):
            if system.kind == kind:
                yield f'<tr data-system="{index}">{row(system)}</tr>'
        yield "</tbody>"


def _class_of(column: ScoreColumn) -> str:
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
    kind = " ".join(filter(None, [_class_of(column), "best" if is_best else ""]))
    value = f'<span class="value">{cell_text(cell.value, column.digits)}</span>'
    best_text = '<span class="sr"> best</span>' if is_best else ""
    marks = f"{_mark(data, cell, column)}{best_text}{_interval(cell, column)}{_count(system.count(column.name))}"
    return f'<td class="{kind}">{value}{marks}</td>'


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


SENTENCES_A_BLOCK = 256
_INTEGERS = ("i1", "i2", "i4")


def embedded(data: ReportData) -> Iterator[str]:
    """Yields the elements of a page that contain its data."""
    places = data.places
    described = {"key": _key(data), "sentences_listed": len(places), "block": SENTENCES_A_BLOCK}
    has_sources = any(data.sentences[place].source is not None for place in places)
    described |= {"has_lengths": bool(data.word_counts), "has_sources": has_sources}
    yield _block("data", {**data.head(), "embedded": {**described, "fields": len(data.fields)}})
    for at, system in enumerate(data.systems):
        for index, column in enumerate(data.scores):
            if column.name in system.values:
                yield _block(f"n-{at}-{index}", packed(system.values[column.name], data.listed))
    if data.word_counts:
        yield _block("word-counts", packed(data.word_counts, data.listed))
    for index, field in enumerate(data.fields):
        codes = [packed(codes, data.listed) for codes in field.codes]
        yield _block(f"f-{index}", {"name": field.name, "values": field.values, "codes": codes})
    for index, start in enumerate(range(0, len(places), SENTENCES_A_BLOCK)):
        yield _block(f"t-{index}", _texts(data, places[start : start + SENTENCES_A_BLOCK]))


def packed(numbers: Sequence[Any], places: Sequence[int] | None = None) -> list[str]:
    """Packs numbers into the shortest array that has all their digits.

    Args:
        numbers: The numbers, `None` if undefined.
        places: The indices of those to pack; `None` for all.

    Returns:
        The type of the array (``i1``, ``i2``, ``i4``, ``f4`` or ``f8``), and the array in base64.

    >>> packed([1, None, 3])
    ['i1', 'AYAD']
    >>> packed([0.5, 2.0])
    ['f4', 'AAAAPwAAAEA=']
    """
    import numpy as np

    values = np.asarray(getattr(numbers, "array", numbers), dtype=np.float64)
    values = values if places is None else values[list(places)]
    undefined = ~np.isfinite(values)
    defined = values[~undefined]
    kind = _kind(defined)
    if kind in _INTEGERS:
        array = np.full(len(values), np.iinfo(kind).min, dtype=f"<{kind}")
        array[~undefined] = defined
    else:
        array = np.where(undefined, np.nan, values).astype(f"<{kind}")
    return [kind, base64.b64encode(array.tobytes()).decode("ascii")]


def _kind(defined: Any) -> str:
    import numpy as np

    is_whole = bool((np.trunc(defined) == defined).all()) and not bool((np.signbit(defined) & (defined == 0)).any())
    most = float(np.abs(defined).max(initial=0.0))
    for kind in _INTEGERS if is_whole else ():
        if most <= np.iinfo(kind).max:
            return kind
    if most > float(np.finfo(np.float32).max):
        return "f8"
    return "f4" if bool((defined.astype(np.float32).astype(np.float64) == defined).all()) else "f8"


def _key(data: ReportData) -> str:
    """Returns a name of the outputs, by which a browser finds the notes of its reader on them."""
    names = hashlib.sha256()
    for system in data.systems:
        for place in data.places if system.texts else ():
            text = f"{system.name}\0{data.sentences[place].id}\0{system.texts[place]}\0"
            names.update(text.encode("utf-8", "surrogatepass"))
    return names.hexdigest()[:16]


def _texts(data: ReportData, places: Sequence[int]) -> dict[str, Any]:
    sentences = [data.sentences[place] for place in places]
    systems = [system for system in data.systems if system.kind == "system"]
    answers = [[system.answers[place] for place in places] for system in systems if system.answers]
    spans = [[system.spans[place] for place in places] if system.spans else None for system in systems]
    return {
        **({"spans": spans} if data.spans_of else {}),
        "sentences": [[one.id, one.source, one.references, one.documents] for one in sentences],
        "texts": [[system.texts[place] for place in places] for system in systems],
        **({"answers": answers} if answers else {}),
    }


def _block(name: str, content: Any) -> str:
    return f'<script type="application/json" id="{name}">{as_script(content)}</script>\n'


BARS = 36
WIDTH, NAMES, RIGHT, FOOT = 460.0, 112.0, 14.0, 26.0
MAX_CHARACTERS = 14


def distribution_plots(data: ReportData) -> Iterator[tuple[ScoreColumn, str]]:
    """Draws a plot for each main score, with a row for each system: a histogram of its outputs, quartiles and mean.

    A score with only two values, such as exact copies, has no plot, since its mean describes it completely.
    """
    systems = [system for system in data.systems if system.kind == "system"]
    for column in data.main_scores:
        values = {
            system.name: sorted(value for value in system.values.get(column.name, []) if value is not None)
            for system in systems
        }
        everything = [value for of_system in values.values() for value in of_system]
        if len(set(everything)) > 2:
            yield column, _plot(column, systems, values, _axis(everything, column.name))


def _axis(values: Sequence[float], name: str) -> Axis:
    """Returns an axis over all but the most extreme values, which are counted in the outermost bars."""
    ordered = sorted(values)
    low, high = quantile(ordered, 0.005), quantile(ordered, 0.995)
    if 0 <= low < 0.15 * high:
        low = 0.0
    if high <= low:
        low, high = low - 0.5, low + 0.5
    return Axis(low, high, name)


def quantile(ordered: Sequence[float], share: float) -> float:
    """Returns a quantile of sorted numbers, by linear interpolation.

    >>> quantile([1.0, 2.0, 4.0], 0.75)
    3.0
    """
    index = share * (len(ordered) - 1)
    below = math.floor(index)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (index - below) * (ordered[above] - ordered[below])


def _plot(column: ScoreColumn, systems: Sequence[System], values: dict[str, list[float]], axis: Axis) -> str:
    row = 46.0 if len(systems) <= 6 else 30.0
    bottom = row * len(systems)
    height = bottom + FOOT
    title = html(f"Distribution of {column.output_title} over the outputs of each system")
    lines = [f'<svg viewBox="0 0 {WIDTH:g} {height:g}" role="img" aria-label="{title}">']
    for value, label in axis.ticks():
        x = _x(axis, value)
        lines.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="4" y2="{bottom:g}"/>')
        lines.append(f'<text class="tick" x="{x:.1f}" y="{bottom + 17:g}">{label}</text>')
    for index, system in enumerate(systems):
        lines.append(_row(system, column, values[system.name], axis, index * row, row))
    return "\n".join([*lines, "</svg>"])


def _row(system: System, column: ScoreColumn, values: list[float], axis: Axis, top: float, row: float) -> str:
    base = top + row
    name = f'<text class="name" x="0" y="{base - 5:g}">{html(shortened(system.name, MAX_CHARACTERS))}</text>'
    line = f'<line class="base" x1="{NAMES:g}" x2="{WIDTH - RIGHT:g}" y1="{base:g}" y2="{base:g}"/>'
    if not values:
        return f"<g>{name}{line}</g>"
    lower, middle, upper = (quantile(values, share) for share in (0.25, 0.5, 0.75))
    average = math.fsum(values) / len(values)
    digits = max(2, column.output_digits)
    description = (
        f"{system.name}: {len(values)} outputs, mean {cell_text(average, digits)}, median {cell_text(middle, digits)}, "
        f"quartiles {cell_text(lower, digits)} and {cell_text(upper, digits)}, "
        f"minimum {cell_text(values[0], digits)}, maximum {cell_text(values[-1], digits)}"
    )
    left, right, at = (_x(axis, value) for value in (lower, upper, average))
    return (
        f'<g><title>{html(description)}</title><rect class="hit" x="0" y="{top:g}" width="{WIDTH:g}" height="{row:g}"/>'
        f'{name}<path class="bars" d="{_bars(values, axis, base, row - 8)}"/>{line}'
        f'<line class="quartiles" x1="{left:.1f}" x2="{right:.1f}" y1="{base:g}" y2="{base:g}"/>'
        f'<circle class="mean" cx="{at:.1f}" cy="{base:g}" r="3.2"/></g>'
    )


def _bars(values: Sequence[float], axis: Axis, base: float, tallest: float) -> str:
    """Draws a histogram as one path; the highest bar of each system fills the height of the row."""
    counts = [0] * BARS
    for value in values:
        counts[min(BARS - 1, max(0, int(axis.share(value) * BARS)))] += 1
    width = (WIDTH - RIGHT - NAMES) / BARS
    most = max(counts)
    return "".join(
        f"M{NAMES + bar * width + 0.5:.1f} {base:g}v{-tallest * count / most:.1f}h{width - 1:.1f}V{base:g}z"
        for bar, count in enumerate(counts)
        if count
    )


def _x(axis: Axis, value: float) -> float:
    share = min(1.0, max(0.0, axis.share(value)))
    return NAMES + share * (WIDTH - RIGHT - NAMES)
