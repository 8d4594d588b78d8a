"""``fw agreement``: how well raters agree, and how many raters a study needs."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence

from overrides import overrides

from metrics_framework.commands.analysis import Analysis, Printable, add_resampling_arguments
from metrics_framework.commands.arguments import Parser
from metrics_framework.commands.command import Command
from metrics_framework.common.errors import UsageError
from metrics_framework.common.logs import Log

_STATISTICS = "krippendorff, gwet, fleiss, cohen, icc or all"
_WEIGHTS = re.compile(r"[123],[1k]|[^,]+")  # the forms of the ICC contain a comma


@Command.register("agreement")
class Agreement(Analysis):
    """Computes how well raters agree, and how many raters and inputs a study needs.

    Reads tables with one row per rating (.csv, .tsv, JSONL), or rows whose ratings are lists. Prints coefficients of
    agreement with confidence intervals, the reliability of studies of other sizes, and the ceiling: how well raters
    agree with each other by the coefficient that metrics are judged by.
    """

    usage = "FILE … --rating R [--rating R …] | --raters A B …  [flags]"

    @overrides
    def examples(self) -> Sequence[str]:
        return (
            "fw agreement ratings.csv --rating simplicity --weights ordinal",
            "fw agreement ratings.csv --rating fluency --rating meaning \\\n"
            "    --statistic all --by sys_name --plan 3,100",
        )

    @overrides
    def add_input_arguments(self, parser: Parser) -> None:
        group = parser.add_argument_group("ratings")
        group.add_argument(
            "files", nargs="*", metavar="FILE", help="tables with one row per rating, or rows with lists of ratings"
        )
        group.add_argument(
            "--rating", action="append", default=[], metavar="R", help="column of the ratings; repeat for several"
        )
        group.add_argument(
            "--rater-column", metavar="COLUMN", help="column of the raters (default: rater_id, rater, …)"
        )
        group.add_argument(
            "--raters",
            nargs="+",
            default=[],
            metavar="COLUMN",
            help="columns of a table with one column per rater, instead of --rating",
        )
        group.add_argument("--labels", action="store_true", help="ratings are categories, which may be text")
        group = parser.add_argument_group("agreement")
        group.add_argument(
            "--statistic",
            type=_names,
            default=["krippendorff"],
            metavar="NAME,…",
            help=f"coefficients of agreement: {_STATISTICS} (default: krippendorff)",
        )
        group.add_argument(
            "--weights",
            type=_weights,
            default=[],
            metavar="NAME,…",
            help="nominal, ordinal, interval or ratio (krippendorff); identity, linear or quadratic (gwet, fleiss, "
            "cohen); 1,1 to 3,k (icc) (default: interval; identity; 2,1)",
        )
        group.add_argument("--by", metavar="COLUMN", help="also analyse the outputs of each value of a column")
        group.add_argument("--pairwise", action="store_true", help="compare all pairs of raters")
        group.add_argument(
            "--cluster",
            metavar="COLUMN",
            help="column of the inputs, such as their document, whose outputs are resampled together",
        )
        group.add_argument(
            "--plan",
            nargs="+",
            type=_plan,
            default=[],
            metavar="RATERS,INPUTS",
            help="predict the reliability of a study of this size, such as 3,100",
        )
        add_resampling_arguments(parser.add_argument_group("confidence intervals"))

    @overrides
    def input_files(self, arguments: argparse.Namespace) -> Sequence[str]:
        if not arguments.files:
            raise UsageError("no files of ratings; use fw agreement FILE … --rating R")
        if arguments.rating and arguments.raters:
            raise UsageError("use either --rating, or --raters for a table with one column per rater")
        if not arguments.rating and not arguments.raters:
            raise UsageError("no rating; name the column of the ratings with --rating")
        return list(dict.fromkeys(arguments.files))

    @overrides
    def result(self, arguments: argparse.Namespace, log: Log) -> Printable:
        from metrics_framework.api.agreement import agreement

        return agreement(
            self.input_files(arguments),
            arguments.rating,
            arguments.statistic,
            weights=arguments.weights,
            by=arguments.by,
            pairwise=arguments.pairwise,
            plans=arguments.plan,
            labels=arguments.labels,
            rater_column=arguments.rater_column,
            raters=arguments.raters,
            cluster=arguments.cluster,
            confidence=arguments.confidence,
            resamples=arguments.resamples,
            seed=arguments.seed,
            log=log,
        )


def _names(value: str) -> list[str]:
    return [name.strip() for name in value.split(",") if name.strip()]


def _weights(value: str) -> list[str]:
    return [name.strip() for name in _WEIGHTS.findall(value) if name.strip()]


def _plan(value: str) -> tuple[int, int]:
    try:
        raters, inputs = map(int, value.split(","))
    except ValueError:
        raters = inputs = 0
    if raters < 1 or inputs < 1:
        raise argparse.ArgumentTypeError(f"must be numbers of raters and inputs, such as 3,100, got '{value}'")
    return raters, inputs
