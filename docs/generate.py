"""Generates the reference from the code, for the site or into a folder: ``python docs/generate.py FOLDER``."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from command_pages import command_pages
from markdown_parts import cell, fence, joined
from python_page import arrays_page, python_page

from metrics_framework.common.options import REQUIRED, Option, options_of, parse_docstring
from metrics_framework.common.registrable import Registry
from metrics_framework.data.error_spans import ErrorSpan
from metrics_framework.data.pyramid import Pyramid, PyramidAnnotation, Scu
from metrics_framework.dataset_readers import REGISTRY as READERS
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.metrics import REGISTRY as METRICS
from metrics_framework.metrics.base.metric import Metric, load
from metrics_framework.testing.contracts import Example, example_of
from metrics_framework.testing.flat_passage import COMMAND

ABOUT_OPTIONS = """\
[fw METRIC evaluate](cli.md#commands-of-metrics) has a flag for each option, and `--metric METRIC:option=value` sets an
option where several metrics are scored. In Python, options are arguments of `fw.load("METRIC", option=value)`.
`fw cite NAME` prints the entries to cite.
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


@cache
def reference_pages() -> dict[str, str]:
    """Returns the generated pages: file name to text."""
    pages = {"metrics.md": metrics_page(), "readers.md": readers_page(), "python.md": python_page()}
    return {**command_pages(), **pages, "arrays.md": arrays_page()}


def built_in(registry: Registry) -> list[str]:
    """Returns the names registered by this package, without plug-ins."""
    return [name for name in registry.names() if registry.entries[name].module.startswith("metrics_framework.")]


def metrics_page() -> str:
    """Returns the page with description, options and scores of every metric."""
    names, entries = built_in(METRICS), {}
    parts = ["# Metrics\n", f"{ABOUT_OPTIONS}\n"]
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
        parts.append(option_table(options_of(METRICS.get(name), Metric)))
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
    parts = ["# Dataset readers\n"]
    for name in built_in(READERS):
        reader = READERS.get(name)
        text = parse_docstring(reader.__doc__)
        parts += [f"## {name}\n", f"{text.summary}\n"]
        if text.description:
            parts.append(f"{text.description}\n")
        parts.append(f"Input files: {reader.files_meaning}.\n")
        parts.append(option_table(options_of(reader, DatasetReader)))
    return "\n".join(parts)


def option_table(options: Sequence[Option]) -> str:
    """Returns the table of the options of a class."""
    if not options:
        return "No options.\n"
    rows = ["| option | values | default | meaning |", "|---|---|---|---|"]
    for option in options:
        names = joined((option.name, *option.aliases))
        default = "required" if option.default is REQUIRED else f"`{option.default}`"
        rows.append(f"| {names} | {cell(option.expected())} | {default} | {cell(option.help)} |")
    return "\n".join([*rows, ""])


def main() -> None:
    """Writes the pages into a folder."""
    folder = Path(sys.argv[1])
    for name, text in reference_pages().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
