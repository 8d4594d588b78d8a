"""The page: one HTML file that contains its style, script and data, and makes no network request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from metrics_framework.common.errors import counted
from metrics_framework.reports.html.document import document_pieces, file
from metrics_framework.reports.html.embedded import embedded
from metrics_framework.reports.html.html_tables import error_of, html, length_tables, score_table
from metrics_framework.reports.html.model import ReportData
from metrics_framework.reports.html.plots import distribution_plots
from metrics_framework.reports.printable import isolated
from metrics_framework.significance.interval_options import METHOD_NAMES

SCRIPTS = (
    "elements.js",
    "settings.js",
    "data.js",
    "marks.js",
    "matches.js",
    "notes.js",
    "outputs.js",
    "choices.js",
    "browser.js",
    "histogram.js",
    "compare.js",
    "buckets.js",
    "words.js",
    "page.js",
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
        f"<figure><figcaption>{html(column.title)}</figcaption>{plot}</figure>"
        for column, plot in distribution_plots(data)
    )
    parts: dict[str, str | Iterable[str]] = {
        "title": html(data.title),
        "unit": facts.unit,
        "units": f"{facts.unit}s",
        "heading": f"{facts.unit}s".capitalize(),
        "length_of": facts.length_of or "",
        "no_lengths": "" if data.lengths else " hidden",
        "marks": file(f"{facts.marks}.html"),
        "marks_help": file(f"{facts.marks}_help.html") + _spans_help(data),
        "lead": _lead(data),
        "facts": _facts(data),
        "signatures": "".join(f"<li><code>{html(signature)}</code></li>" for signature in data.signatures.values()),
        "notes": "".join(f"<li>{html(note)}</li>" for note in filter(None, [data.selection, *data.notes])),
        "scores": score_table(data),
        "legend": _legend(data),
        "lengths": "".join(
            f'<div class="scroll" data-score="{html(column.name)}" tabindex="0" role="region" '
            f'aria-label="{html(column.title)} by length">{table}</div>'
            for column, table in length_tables(data)
        ),
        "plots": plots,
        "no_plots": "" if plots else " hidden",
        "selection": f'<p class="about">{html(data.selection)}</p>\n' if data.selection else "",
        "data": embedded(data),
    }
    is_complete = not any(system.scored for system in data.systems)
    scripts = SCRIPTS if is_complete else (*SCRIPTS[:-1], SCORED_SCRIPT, SCRIPTS[-1])
    styles = (*STYLES, SPANS_STYLE) if data.has_spans else STYLES
    scripts = (*scripts[:-1], SPANS_SCRIPT, scripts[-1]) if data.has_spans else scripts
    yield from document_pieces("template.html", styles, scripts, parts)


def _spans_help(data: ReportData) -> str:
    return file(SPANS_HELP).replace("METRIC", html(data.spans_of)) if data.has_spans else ""


def _lead(data: ReportData) -> str:
    names = [system.name for system in data.systems if system.kind == "system"]
    systems = f"{len(names)} systems" if len(names) > 1 else f"The system {isolated(names[0])}"
    counts = data.facts.references.replace("-", "–")
    references = "" if counts == "0" else f" with {counts} reference{'' if counts == '1' else 's'} each"
    return html(f"{systems} on {counted(data.facts.sentences, data.facts.unit)}{references}.")


def _facts(data: ReportData) -> str:
    facts = data.facts
    per_reference = "–" if facts.words_per_reference is None else f"{facts.words_per_reference:.1f}"
    words_of = "Words of the documents" if facts.length_of == "documents" else "Words per source"
    per_source = {} if facts.words_per_source is None else {words_of: f"{facts.words_per_source:.1f}"}
    shown = {
        f"{facts.unit}s".capitalize(): str(facts.sentences),
        f"References per {facts.unit}": facts.references.replace("-", "–"),
        **per_source,
        "Words per reference": per_reference,
        "Licence of the data": facts.licence or "none stated",
        "Made with": f"fw {data.fw}",
    }
    return "".join(f"<div><dt>{name}</dt><dd>{html(value)}</dd></div>" for name, value in shown.items())


def _legend(data: ReportData) -> str:
    """Explains the intervals, the marks and the baselines below the table."""
    lines = []
    made = data.resampling
    if made is not None:
        drawn = "" if made.intervals == METHOD_NAMES["jackknife"] else f", {made.resamples} resamples, seed {made.seed}"
        how = f"{made.intervals} over {data.facts.unit}s{drawn}"
        lines.append(f"Small numbers: {made.confidence:g} % confidence intervals ({how}).")
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
    lines += [f"{system.name}: {system.about}." for system in data.systems if system.about]
    return "".join(f'<p class="legend">{html(line)}</p>' for line in lines)
