"""Flags for the printed table of scores: its format, scores, systems and file."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from metrics_framework.commands.arguments import Parser
from metrics_framework.commands.sacrebleu_output_flags import OTHER_FORMATS
from metrics_framework.commands.table_files import DEFAULT_FORMAT, FORMAT_HELP, OUTPUT_HELP, format_of_file
from metrics_framework.common.errors import UsageError
from metrics_framework.io.reading import STANDARD
from metrics_framework.reports.formats import REGISTRY as FORMATS

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
    from metrics_framework.reports.table_layout import TableLayout

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
    from metrics_framework.reports.score_notes import signature_notes

    if format != JSON and not OutputFormat.by_name(format).for_people:
        for note in signature_notes(evaluation):
            log.note(of_set + f"{note.kind} {note.label}".rstrip() + f" {note.text}")
