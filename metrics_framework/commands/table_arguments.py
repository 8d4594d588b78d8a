"""Flags for the printed table of scores: its format, scores, systems and file."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from metrics_framework.commands.arguments import Parser
from metrics_framework.common.errors import UsageError
from metrics_framework.io.reading import STANDARD, uncompressed_name
from metrics_framework.reports.formats import REGISTRY as FORMATS
from metrics_framework.reports.formats.output_format import JSON, OutputFormat

if TYPE_CHECKING:
    from metrics_framework.common.logs import Log
    from metrics_framework.evaluation.profiles.profile import Profile
    from metrics_framework.evaluation.sets import SetEvaluations
    from metrics_framework.evaluation.system_scores import Evaluation


DEFAULT_DIGITS = 2
LATEX = "latex"


def add_table_arguments(parser: Parser) -> argparse._ArgumentGroup:
    """Adds the flags, and returns their group; `printed_table` interprets them."""
    group = parser.add_argument_group("table")
    group.add_argument(
        "--format",
        choices=(*FORMATS.names(), *OTHER_FORMATS),
        help=FORMAT_HELP,
    )
    group.add_argument("-o", "--output", metavar="FILE", help=OUTPUT_HELP)
    group.add_argument(
        "-w",
        "--digits",
        "--width",
        type=int,
        choices=range(16),
        metavar="N",
        help=f"number of decimal places, 0 to 15; ratios have two more (default: {DEFAULT_DIGITS}; as in sacreBLEU 1)",
    )
    group.add_argument(
        "--scores",
        "--score",
        nargs="+",
        action="extend",
        default=[],
        metavar="SCORE",
        help="scores to show, in this order, by name or by heading of the profile (default: the main scores of each "
        "metric; csv and tsv show all)",
    )
    group.add_argument("--components", action="store_true", help="show all scores of each metric, such as sari_keep")
    group.add_argument("--no-counts", action="store_true", help="leave out the column with the number of outputs")
    group.add_argument("--pooled", action="store_true", help="add a row for the outputs of all systems together")
    group.add_argument(
        "--sort",
        default="",
        metavar="SCORE",
        help="sort systems by a score, the best first, or by name with 'system' (default: the order given, after the "
        "baseline)",
    )
    group.add_argument("--caption", default="", metavar="TEXT", help="caption of a floating LaTeX table, in LaTeX")
    group.add_argument("--label", default="", metavar="NAME", help="label of a floating LaTeX table, for \\ref")
    return group


def chosen_format(arguments: argparse.Namespace) -> str:
    """Returns the format of the table: the chosen one, else by the ending of the file.

    Raises:
        UsageError: if there is a caption or a label, and the format is not LaTeX.
    """
    chosen: str = arguments.format or (DEFAULT_FORMAT if arguments.output is None else format_of_file(arguments.output))
    for flag in ("caption", "label"):
        if getattr(arguments, flag) and chosen != LATEX:
            raise UsageError(f"--{flag} needs --format latex, got the format '{chosen}'")
    return chosen


def printed_table(
    evaluation: Evaluation | SetEvaluations, arguments: argparse.Namespace, format: str, profile: Profile | None
) -> str:
    """Returns the table as the flags describe it.

    Raises:
        UnknownNameError: if a flag names a score that does not exist.
    """
    from metrics_framework.evaluation.system_scores import Evaluation
    from metrics_framework.reports.formats.text_table import WIDTH
    from metrics_framework.reports.score_table import TableLayout

    width = WIDTH
    if sys.stdout.isatty() and arguments.output in (None, STANDARD):
        from metrics_framework.common.process import terminal_width

        width = terminal_width(WIDTH)
    layout = TableLayout(
        arguments.scores, arguments.components, arguments.pooled, arguments.sort, width, counts=not arguments.no_counts
    )
    digits = DEFAULT_DIGITS if arguments.digits is None else arguments.digits
    if isinstance(evaluation, Evaluation):
        from metrics_framework.reports.score_table import score_table

        table = score_table(evaluation, format, digits, profile, layout=layout)
    else:
        from metrics_framework.reports.set_table import set_table

        table = set_table(evaluation, format, digits, profile, layout=layout)
    if arguments.caption or arguments.label:
        from metrics_framework.reports.formats.latex import Latex

        return Latex().floating(table, arguments.caption, arguments.label)
    return table


def log_signatures(evaluation: Evaluation, format: str, log: Log, of_set: str = "") -> None:
    """Prints the signatures as notes if the table has none, because programs read it.

    Args:
        evaluation: The scores.
        format: The format of the table.
        log: Receives the notes.
        of_set: The set of the scores and a colon, if there are several sets.
    """
    from metrics_framework.reports.formats.output_format import JSON, OutputFormat
    from metrics_framework.reports.score_table import signature_notes

    if format != JSON and not OutputFormat.by_name(format).for_people:
        for note in signature_notes(evaluation):
            log.note(of_set + f"{note.kind} {note.label}".rstrip() + f" {note.text}")


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


_YES: Mapping[str, Any] = {"action": "store_true"}
_COUNT: Mapping[str, Any] = {"type": int, "metavar": "N"}
OUTPUT_FLAGS: Sequence[tuple[Sequence[str], Mapping[str, Any], str]] = (  # names, argparse's options, help text
    (
        ("-f",),
        {"dest": "shape", "metavar": "{text,json,…}"},
        "text, json: the shapes of sacreBLEU; other formats as with --format",
    ),
    (("-b", "--score-only"), _YES, "print only scores"),
    (("-sl", "--sentence-level"), _YES, "print the score of each output of a system, one per line"),
    (("-sh", "--short"), _YES, "abbreviate the signatures of -f text"),
    (("-pbs", "--paired-bs"), _YES, "compare systems with the first one by sacreBLEU's paired bootstrap"),
    (("-pbsn", "--paired-bs-n"), _COUNT, "number of resamples of --paired-bs (default: 1000)"),
    (("-par", "--paired-ar"), _YES, "compare systems with the first one by sacreBLEU's approximate randomization"),
    (("-parn", "--paired-ar-n"), _COUNT, "number of trials of --paired-ar (default: 10000)"),
)
DESTINATIONS = frozenset(
    ("shape", "score_only", "sentence_level", "short", "paired_bs", "paired_bs_n", "paired_ar", "paired_ar_n")
)
"""The parsed values that need `metrics_framework.commands.sacrebleu_output`."""
OTHER_FORMATS = ("json", "sacrebleu-json", "sacrebleu-text")
"""The choices of ``--format`` that are not registered."""
