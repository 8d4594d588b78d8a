"""Files of printed tables: their formats by their endings, and how to recognize them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from metrics_framework.common.errors import UsageError
from metrics_framework.io.reading import uncompressed_name
from metrics_framework.reports.formats import REGISTRY as FORMATS
from metrics_framework.reports.formats.output_format import JSON, OutputFormat

DEFAULT_FORMAT = "table"
OUTPUT_HELP = "write the table to a file instead of printing it; the ending selects the format, such as .tex or .md"
FORMAT_HELP = f"format of the table (default: by the ending of --output, else {DEFAULT_FORMAT})"
_OTHER_ENDINGS = (".xlsx", ".xls", ".ods", ".docx", ".odt", ".pdf", ".png", ".svg", ".jsonl", ".parquet", ".yaml")
"""Endings of files that would be unreadable for other programs with a table as text."""
_FIRST_HEADERS = (
    ("system", "outputs"),
    ("metric", "against"),
    ("metric", "rank"),
    ("metric", "system"),
    ("judge", "test"),
    ("judge", "system"),
    ("rating", "statistic"),
    ("metric", "rank"),  # of fw compare
    ("metric", "system"),  # of fw compare --baseline
    ("system", "strength"),
    ("first", "second"),
    ("judge", "systems"),
    ("judge", "ties"),
    ("judge", "subset"),
    ("level", "coefficient"),
)
"""The first two headers of each kind of table, on a terminal and in documents; each analysis adds its own."""
_FIRST_COLUMNS = (
    ("system", "outputs"),
    ("metric1", "metric2"),
    ("metric", "system"),
    ("judge", "is_sentinel"),
    ("judge", "system"),
    ("rating", "group"),
    ("metric", "system"),  # of fw compare
    ("system", "strength"),
    ("system_a", "system_b"),
    ("judge", "subset"),
    ("level", "coefficient"),
)
"""The same in CSV and TSV files."""


def _joined(pairs: Sequence[tuple[str, str]], between: str) -> str:
    return "|".join(re.escape(first) + between + re.escape(second) for first, second in pairs)


def _pattern() -> str:
    """Returns a pattern of the start of a table in each format; compiled when it is needed: that takes milliseconds."""
    labels = "|".join(dict.fromkeys(first for first, _ in _FIRST_HEADERS))
    markdown, latex, html, columns = (
        _joined(_FIRST_HEADERS, r"\ +\|\ "),
        _joined(_FIRST_HEADERS, r"\ &\ "),
        _joined(_FIRST_HEADERS, "</th><th[^>]*>"),
        _joined(_FIRST_COLUMNS, r"[,\t]"),
    )
    return rf"""({labels}|score)\ .*\n─+(\ \ ─+)*\n           # text
    |\|\ ({markdown})\ +\|                             # Markdown
    |({columns})[,\t]                                   # CSV, TSV
    |(\\begin{{table}}\[t\]\n\\centering\n)?\\begin{{tabular}}{{l+r*}}\n\\toprule\n({latex})\ &
    |%\ Metrics\ and\ human\ ratings:\                  # fw correlate --task-table
    |╒═+╤|[\w+]+\|nrefs:\S+\ =\                         # the shapes of sacreBLEU
    |<table>\n<thead>\n<tr><th[^>]*>({html})</th>"""


_ANSWERS = r"\A((% |<p>)?(Best|Only|No) metric [^\n]*(\n[^\n]+)*\n\n)+"
"""Matches the paragraphs above the tables of ``fw correlate``."""
_WITHOUT_COUNTS = r"""\|\ system\ +\|
    |(\\begin{table}\[t\]\n\\centering\n)?\\begin{tabular}{lr+}\n\\toprule\nsystem\ &
    |<table>\n<thead>\n<tr><th[^>]*>system</th>"""
"""Matches the start of a table that may also come from another program."""


def format_of_file(path: str | None) -> str:
    """Returns the format of a table by the ending of its file; without a known ending, that of a terminal.

    Raises:
        UsageError: if the ending is that of a format in which tables cannot be written.
    """
    if path is None:
        return DEFAULT_FORMAT
    name = uncompressed_name(path).lower()
    if name.endswith(_OTHER_ENDINGS):
        raise UsageError(
            f"a table cannot be written as '{path}'; use another ending, such as .csv for spreadsheets, .tex, .md or "
            ".html, or choose a format with --format"
        )
    if name.endswith(".json"):
        return JSON
    formats = (OutputFormat.by_name(known) for known in FORMATS.names())
    return next((found.registered_name for found in formats if name.endswith(tuple(found.endings))), DEFAULT_FORMAT)


def is_table(start: str) -> bool:
    """Returns whether the start of a file is that of a table of scores or correlations."""
    start = re.sub(_ANSWERS, "", start, count=1)
    return re.match(_pattern(), start, re.VERBOSE) is not None or (
        re.match(_WITHOUT_COUNTS, start, re.VERBOSE) is not None
        and re.search(r"\bsignature\b.*\|fw:", start) is not None
    )
