"""Flags for the printed table of scores: its format, scores, systems and file."""

from __future__ import annotations

import argparse
import sys
from shutil import get_terminal_size

from metrics_framework.commands.arguments import Parser
from metrics_framework.common.errors import UsageError
from metrics_framework.evaluation.evaluate import Evaluation
from metrics_framework.evaluation.profiles.profile import Profile
from metrics_framework.io.streams import STANDARD, uncompressed_name
from metrics_framework.reports.formats import REGISTRY as FORMATS
from metrics_framework.reports.formats.output_format import JSON, OutputFormat
from metrics_framework.reports.formats.text_table import WIDTH
from metrics_framework.reports.score_table import score_table
from metrics_framework.reports.table_layout import TableLayout

DEFAULT_FORMAT = "table"
LATEX = "latex"


def add_table_arguments(parser: Parser) -> None:
    """Adds the flags; `printed_table` interprets them."""
    group = parser.add_argument_group("table")
    group.add_argument(
        "--format",
        choices=(*FORMATS.names(), JSON),
        help=f"format of the table (default: by the ending of --output, else {DEFAULT_FORMAT})",
    )
    group.add_argument("-o", "--output", metavar="FILE", help="write the table to a file instead of printing it")
    group.add_argument(
        "--digits",
        type=int,
        choices=range(16),
        default=2,
        metavar="N",
        help="number of decimal places, 0 to 15; ratios have two more (default: 2)",
    )
    group.add_argument(
        "--scores",
        "--columns",
        nargs="+",
        action="extend",
        default=[],
        metavar="SCORE",
        help="scores to show, in this order (default: the main scores of each metric; csv and tsv show all)",
    )
    group.add_argument("--components", action="store_true", help="show all scores of each metric, such as sari_keep")
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


def table_file(arguments: argparse.Namespace) -> str | None:
    """Returns the file for the table, `None` to print it."""
    path: str | None = arguments.output
    return None if path == STANDARD else path


def table_format(arguments: argparse.Namespace) -> str:
    """Returns the format of the table: the chosen one, else by the ending of the file.

    Raises:
        UsageError: if there is a caption or a label, and the format is not LaTeX.
    """
    chosen: str = arguments.format or _format_of(table_file(arguments)) or DEFAULT_FORMAT
    for flag in ("caption", "label"):
        if getattr(arguments, flag) and chosen != LATEX:
            raise UsageError(f"--{flag} needs --format latex, got the format '{chosen}'")
    return chosen


def _format_of(path: str | None) -> str | None:
    if path is None:
        return None
    name = uncompressed_name(path).lower()
    if name.endswith(".json"):
        return JSON
    formats = (OutputFormat.by_name(known) for known in FORMATS.names())
    return next((found.registered_name for found in formats if name.endswith(tuple(found.endings))), None)


def printed_table(evaluation: Evaluation, arguments: argparse.Namespace, profile: Profile | None) -> str:
    """Returns the table as the flags describe it.

    Raises:
        UnknownNameError: if a flag names a score that does not exist.
    """
    layout = TableLayout(
        arguments.scores, arguments.components, arguments.pooled, arguments.sort, _width(table_file(arguments))
    )
    table = score_table(evaluation, table_format(arguments), arguments.digits, profile, layout=layout)
    if arguments.caption or arguments.label:
        from metrics_framework.reports.formats.latex import Latex

        return Latex().floating(table, arguments.caption, arguments.label)
    return table


def _width(path: str | None) -> int:
    return get_terminal_size((WIDTH, 0)).columns if path is None and sys.stdout.isatty() else WIDTH
