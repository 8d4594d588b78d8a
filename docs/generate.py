"""Generates the reference pages from the code: ``python docs/generate.py``."""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path
from typing import Any

from command_pages import FOLDER as COMMAND_FOLDER
from command_pages import command_pages
from load_stub import PATH as LOAD_STUB
from load_stub import load_stub
from markdown_parts import fence, joined
from option_tables import option_tables
from python_page import python_page

from metrics_framework.commands import REGISTRY as COMMANDS
from metrics_framework.common.options import options_of, parse_docstring
from metrics_framework.common.registrable import Registry
from metrics_framework.data.error_spans import ErrorSpan
from metrics_framework.data.pyramid import Pyramid, PyramidAnnotation, Scu
from metrics_framework.dataset_readers import REGISTRY as READERS
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.metrics import REGISTRY as METRICS
from metrics_framework.metrics.base.metric import Metric, load
from metrics_framework.testing.contracts import Example, example_of
from metrics_framework.testing.flat_passage import COMMAND

FOLDER = Path(__file__).parent / "reference"
DECISIONS = Path(__file__).parent / "decisions"
NOTE = "<!-- Written by docs/generate.py; a test fails when it is out of date. -->\n"
ABOUT_OPTIONS = """\
[fw METRIC evaluate](cli.md#commands-of-metrics) has a flag for each option, and `--metric METRIC:option=value` sets an
option where several metrics are scored. In Python, options are arguments of `fw.load("METRIC", option=value)`.
`fw cite METRIC` prints the entries to cite.
"""

UNITS = Pyramid("1", ("A", "B"), ("reference", "reference"), ("", ""), (Scu(1, (0, 1)),))
TESTED = ("simplification",)  # extras that are installed wherever the pages are written
EXAMPLES = {  # for metrics that do not score texts
    "error-spans": Example({"predicted_spans": [[ErrorSpan(0, 5)]], "spans": [[ErrorSpan(2, 7)]]}),
    "pyramid-score": Example({"annotation": [PyramidAnnotation("1", "S", "peer", "", (1,))], "pyramid": [UNITS]}),
}
NEEDED = {  # options required for scoring
    **{name: {"parser": COMMAND} for name in ("samsa", "samsa-abl")},
    "jury": {"judges": ["a+b"]},
    "precomputed": {"file": "scores.jsonl"},
    "external": {"command": "sh -c 'while read -r row; do echo ${#row}; done'"},
}


def pages() -> dict[str, str]:
    """Returns the generated pages: file name to text."""
    return {
        **command_pages(NOTE),
        "metrics.md": metrics_page(),
        "python.md": f"{NOTE}\n{python_page()}",
        "readers.md": readers_page(),
    }


def built_in(registry: Registry) -> list[str]:
    """Returns the names registered by this package, without plug-ins."""
    return [name for name in registry.names() if registry.entries[name].module.startswith("metrics_framework.")]


def metrics_page() -> str:
    """Returns the page with description, options and scores of every metric."""
    names, entries = built_in(METRICS), {}
    options = option_tables({name: options_of(METRICS.get(name), Metric) for name in names})
    parts = [NOTE, "# Metrics\n", f"{ABOUT_OPTIONS}\n"]
    for name in names:
        metric = load(name, **NEEDED.get(name, {}))
        text = parse_docstring(type(metric).__doc__)
        better = {True: "Higher is better", False: "Lower is better", None: "No direction"}[metric.higher_is_better]
        low, high = metric.score_range
        bounds = f"from {'−∞' if low is None else f'{low:g}'} to {'∞' if high is None else f'{high:g}'}"
        parts += [f"## {name}\n", f"{text.summary}\n"]
        if text.description:
            parts.append(f"{text.description}\n")
        parts.append(f"Takes {joined(metric.fields)}. {better}; {bounds}.\n")
        parts += _written(metric, EXAMPLES.get(name) or example_of(metric))
        parts.append(options[name])
        if metric.citation:
            cited = _entries(metric.citation)
            parts.append(f"[Cite](#citations): {joined(cited)}.\n")
            entries.update(cited)
    listed = "\n".join(entries[key] for key in sorted(entries))
    return "\n".join([*parts, "## Citations\n", fence("bibtex", listed)])


def _entries(citation: str) -> dict[str, str]:
    """Returns the BibTeX entries of a citation: key to entry."""
    found = re.split(r"^(?=@)", inspect.cleandoc(citation), flags=re.MULTILINE)
    return {entry[entry.index("{") + 1 : entry.index(",")]: entry.strip() for entry in found if entry.strip()}


def _written(metric: Any, example: Example | None) -> list[str]:
    """Lists the scores of a metric; empty without an example to score, or if it needs more than this package."""
    if example is None or any(getattr(needed, "extra", "") not in TESTED for needed in metric.requirements):
        return []
    scores = metric.evaluate(*example.of(metric))[0].flatten()
    jackknifed = "; `fw score` adds each with the suffix `_jk`" if metric.jackknifer is not None else ""
    return [f"Writes: {joined(scores)}{jackknifed}.\n"]


def readers_page() -> str:
    """Returns the page with description and options of every reader."""
    parts = [NOTE, "# Dataset readers\n"]
    names = built_in(READERS)
    options = option_tables({name: options_of(READERS.get(name), DatasetReader) for name in names})
    for name in names:
        reader = READERS.get(name)
        text = parse_docstring(reader.__doc__)
        parts += [f"## {name}\n", f"{text.summary}\n"]
        if text.description:
            parts.append(f"{text.description}\n")
        parts.append(f"Input files: {reader.files_meaning}.\n")
        parts.append(options[name])
    return "\n".join(parts)


def decisions_page() -> str:
    """Returns the list of design decisions, with the titles of their pages."""
    rows = []
    for page in sorted(DECISIONS.glob("[0-9]*.md")):
        number, _, title = page.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ").partition(" ")
        rows.append(f"| [{number}]({page.name}) | {title} |")
    about = "Each page states a problem, the decision, its reasons, and the alternatives that were rejected.\n"
    return "\n".join([NOTE, "# Design decisions\n", about, "| number | decision |", "|---|---|", *rows, ""])


def main() -> int:
    """Writes the pages and the stub of `load`, or with ``--check`` lists those that are out of date."""
    stale = []
    written = {FOLDER / name: text for name, text in pages().items()}
    written[DECISIONS / "README.md"] = decisions_page()
    for path, text in {**written, FOLDER.parents[1] / LOAD_STUB: load_stub()}.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(path.name)
            if "--check" not in sys.argv:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
    for path in set((FOLDER / COMMAND_FOLDER).glob("*.md")) - written.keys():  # of commands that were renamed
        stale.append(path.name)
        if "--check" not in sys.argv:
            path.unlink()
    print(f"{'out of date' if '--check' in sys.argv else 'written'}: {', '.join(stale) or 'nothing'}")
    return 1 if stale and "--check" in sys.argv else 0


if __name__ == "__main__":
    COMMANDS.search()
    sys.exit(main())
