"""Files of printed tables: their formats by their endings, and how to recognize them."""

from __future__ import annotations

import re

from metrics_framework.io.streams import uncompressed_name
from metrics_framework.reports.formats import REGISTRY as FORMATS
from metrics_framework.reports.formats.output_format import JSON, OutputFormat

DEFAULT_FORMAT = "table"
OUTPUT_HELP = "write the table to a file instead of printing it; the ending selects the format, such as .tex or .md"
FORMAT_HELP = f"format of the table (default: by the ending of --output, else {DEFAULT_FORMAT})"
_TABLE = r"""(system|score|metric)\ .*\n─+(\ \ ─+)*\n           # text
    |\|\ (system\ +\|\ outputs|metric\ +\|\ against)\ +\|  # Markdown
    |(system[,\t]outputs|metric1[,\t]metric2)[,\t]         # CSV, TSV
    |(\\begin{table}\[t\]\n\\centering\n)?\\begin{tabular}{l+r*}\n\\toprule\n(system\ &\ outputs|metric\ &\ against)\ &
    |╒═+╤|[\w+]+\|nrefs:\S+\ =\                         # the shapes of sacreBLEU
    |<table>\n<thead>\n<tr><th[^>]*>(system</th><th[^>]*>outputs|metric</th><th[^>]*>against)</th>"""
"""Matches the start of a table in each format; compiled when it is needed, since that takes milliseconds."""


def format_of_file(path: str | None) -> str:
    """Returns the format of a table by the ending of its file; without a known ending, that of a terminal."""
    if path is None:
        return DEFAULT_FORMAT
    name = uncompressed_name(path).lower()
    if name.endswith(".json"):
        return JSON
    formats = (OutputFormat.by_name(known) for known in FORMATS.names())
    return next((found.registered_name for found in formats if name.endswith(tuple(found.endings))), DEFAULT_FORMAT)


def is_table(start: str) -> bool:
    """Returns whether the start of a file is that of a table of scores or correlations."""
    return re.match(_TABLE, start, re.VERBOSE) is not None
