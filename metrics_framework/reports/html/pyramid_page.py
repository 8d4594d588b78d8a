"""The page of ``fw visualize pyramid``."""

from __future__ import annotations

from metrics_framework.common.errors import counted
from metrics_framework.reports.html.document import as_script, document, facts_list, file_list
from metrics_framework.reports.html.html_tables import html
from metrics_framework.reports.html.pyramid_data import PyramidData
from metrics_framework.version import __version__

_SCRIPTS = ("elements.js", "settings.js", "pyramid_parts.js", "pyramid.js")
_STYLES = ("page.css", "sentences.css", "visual.css", "pyramid.css")


def pyramid_page(data: PyramidData) -> str:
    """Writes the page."""
    views = data.pyramids
    facts = {
        "Pyramids": str(len(views)),
        "Model summaries": str(sum(len(view.models) for view in views)),
        "Content units": str(sum(len(view.units) for view in views)),
        "Scored summaries": str(sum(len(view.summaries) for view in views)),
        "Made with": f"fw {__version__}",
    }
    systems = {summary.name for view in views for summary in view.summaries if summary.kind == "peer"}
    parts = {
        "title": html(data.title),
        "lead": html(f"{counted(len(systems), 'system')} on {counted(len(views), 'input')}."),
        "facts": facts_list(facts),
        "notes": "".join(f"<li>{html(note)}</li>" for note in data.notes),
        "signature": html(data.signature),
        "files": f"Files: {file_list(data.files)}" if data.files else "",
        "data": as_script(data.as_json()),
    }
    return document("pyramid.html", _STYLES, _SCRIPTS, parts)
