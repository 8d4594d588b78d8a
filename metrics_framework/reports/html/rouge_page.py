"""The page of ``fw visualize rouge``."""

from __future__ import annotations

from metrics_framework.common.errors import counted
from metrics_framework.reports.html.document import as_script, document, facts_list, file_list
from metrics_framework.reports.html.html_tables import html
from metrics_framework.reports.html.rouge_data import RougeData
from metrics_framework.version import __version__

_SCRIPTS = ("elements.js", "settings.js", "rouge_counts.js", "rouge_parts.js", "rouge.js")
_STYLES = ("page.css", "sentences.css", "visual.css", "rouge.css")


def rouge_page(data: RougeData) -> str:
    """Writes the page."""
    outputs = sum(len(texts.outputs) for texts in data.instances)
    counts = sorted({len(output.references) for texts in data.instances for output in texts.outputs})
    facts = {
        "Inputs": str(len(data.instances)),
        "Systems": str(len(data.systems)),
        "Summaries": str(outputs),
        "References per summary": "–".join(map(str, dict.fromkeys((counts[0], counts[-1])))),
        "Made with": f"fw {__version__}",
    }
    parts = {
        "title": html(data.title),
        "lead": html(f"{counted(len(data.systems), 'system')} on {counted(len(data.instances), 'input')}."),
        "facts": facts_list(facts),
        "notes": "".join(f"<li>{html(note)}</li>" for note in data.notes),
        "files": f"Files: {file_list(data.files)}" if data.files else "",
        "data": as_script(data.as_json()),
    }
    return document("rouge.html", _STYLES, _SCRIPTS, parts)
