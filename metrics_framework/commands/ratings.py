"""``fw convert-ratings``: converts files of human ratings to rows that ``fw correlate`` reads."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

from metrics_framework.commands.arguments import Parser
from metrics_framework.commands.command import Command
from metrics_framework.commands.output_paths import FORCE_HELP, refuse_overwriting
from metrics_framework.common.errors import UsageError, counted
from metrics_framework.common.logs import Log
from metrics_framework.common.options import Option, options_of, options_of_function
from metrics_framework.common.overriding import overrides
from metrics_framework.data.file_formats import head_of
from metrics_framework.inputs.rating_rows import RatingRules
from metrics_framework.inputs.row_view import parsed_columns, parsed_conditions
from metrics_framework.io.reading import STANDARD
from metrics_framework.io.writing import open_for_writing, output_path
from metrics_framework.meta_evaluation.ratings import REGISTRY
from metrics_framework.meta_evaluation.ratings.rating_format import RatingFormat

READING = ("columns", "where")
"""The options of formats whose columns have roles."""


@Command.register("convert-ratings", "ratings")
class Ratings(Command):
    """Converts published ratings to rows of scores.

    fw correlate, fw agreement and fw test-judge read these rows. Formats: mqm (annotated errors), esa (scores from 0 to
    100 with error spans), appraise and pearmut (the same, as these programs export it), genmt (files of WMT's general
    task) and mt-metrics-eval (the folders of WMT's metrics tasks).
    """

    example_lines = (
        "fw convert-ratings mqm mqm_ende.tsv mqm.jsonl",
        "fw convert-ratings appraise wave2.csv wave2.jsonl --keep bad",
        "fw convert-ratings pearmut annotations.json rows.jsonl",
        "fw convert-ratings mt-metrics-eval mt-metrics-eval-v2 wmt23.jsonl \\\n    --test-set wmt23 --pair en-de",
    )
    usage = "FORMAT IN [OUT.jsonl] [flags]"
    when_interrupted = "nothing was written"

    @overrides
    def add_arguments(self, parser: Parser) -> None:
        from metrics_framework.api.agreement import agreement

        names = REGISTRY.names()
        parser.add_argument("format", metavar="FORMAT", help=f"format of the ratings: {', '.join(names)}")
        parser.add_argument("input", metavar="IN", help="file or folder of the ratings")
        parser.add_argument(
            "rows",
            nargs="?",
            default=STANDARD,
            metavar="OUT.jsonl",
            help="file for the rows (default: standard output)",
        )
        group = parser.add_argument_group("run")
        group.add_argument("--force", action="store_true", help=FORCE_HELP)
        group.add_argument(
            "--summary", metavar="F.json", help="write the counts of rows, ratings, raters and what is left out by kind"
        )
        group.add_argument("-q", "--silent", action="store_true", help="print no notes")
        reading = [option for option in options_of_function(agreement, ("ratings", "log")) if option.name in READING]
        parser.add_options(parser.add_argument_group("reading: esa and mqm"), reading, "")
        owners: dict[str, list[str]] = {}  # option to its formats
        options: dict[str, Option] = {}
        for name in names:
            for option in options_of(RatingFormat.by_name(name), RatingFormat):
                owners.setdefault(option.name, []).append(name)
                options.setdefault(option.name, option)
        for formats in dict.fromkeys(map(tuple, owners.values())):
            shared = [options[name] for name in owners if tuple(owners[name]) == formats]
            parser.add_options(parser.add_argument_group(f"options of {', '.join(formats)}"), shared, "")

    @overrides
    def run(self, arguments: argparse.Namespace) -> int:
        from metrics_framework.io.jsonl import to_line

        chosen = RatingFormat.by_name(arguments.format)
        known = {option.name for option in options_of(chosen, RatingFormat)}.union(READING * chosen.has_roles)
        foreign = [name for name in arguments.options if name not in known]
        if foreign:
            raise UsageError(f"--{foreign[0].replace('_', '-')} is not an option of {arguments.format}")
        columns, where = (arguments.options.pop(name, ()) for name in READING)
        ratings: RatingFormat = chosen(**arguments.options)
        ratings.rules = RatingRules.of({"columns": parsed_columns(columns), "where": parsed_conditions(where)})
        path, summary = output_path(arguments.rows), arguments.summary and output_path(arguments.summary)
        refuse_overwriting(
            [path, *filter(None, [summary])], ratings.input_files(arguments.input), force=arguments.force
        )
        rows = ratings.read(arguments.input)
        with Log(silent=arguments.silent) as log:
            with open_for_writing(path) as stream:
                for row in rows:
                    stream.write(to_line(row))
            if summary:
                with open_for_writing(summary) as stream:
                    stream.write(to_line(_summary(rows, ratings.dropped)))
            for note in ratings.notes():
                log.note(note)
            if path != STANDARD:
                log.note(f"wrote {counted(len(rows), 'row')} to {path}")
        return 0


def _summary(rows: Sequence[Mapping[str, Any]], dropped: Mapping[str, int]) -> dict[str, Any]:
    raters = [rater for row in rows for rater in row.get("raters", ())]
    about = {**head_of("fw convert-ratings"), "rows": len(rows), "ratings": len(raters)}
    return {**about, "raters": len({*raters}), "dropped": dict(dropped)}
