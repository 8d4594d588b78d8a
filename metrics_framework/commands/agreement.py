"""``fw agreement``: how well raters agree, and how many raters a study needs."""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Mapping, Sequence
from typing import ClassVar

from metrics_framework.commands.analysis import Analysis, InputFiles, Printable
from metrics_framework.commands.arguments import Parser, Spelling
from metrics_framework.commands.command import Command
from metrics_framework.common.errors import UsageError
from metrics_framework.common.logs import Log
from metrics_framework.common.overriding import overrides


@Command.register("agreement")
class Agreement(Analysis):
    """Computes how well raters agree, and how many are needed.

    Also says how many inputs a study needs. Reads tables with one row per rating (.csv, .tsv, JSONL), or rows whose
    ratings are lists. Prints coefficients of agreement with confidence intervals, the reliability of studies of other
    sizes, and the ceiling: how well raters agree with each other by the coefficient that metrics are judged by.
    """

    function_name = "agreement"
    example_lines = (
        "fw agreement ratings.csv --rating simplicity --weights ordinal",
        "fw agreement wave2.csv --raters-report",
        "fw agreement ratings.csv --rating fluency --rating meaning \\\n    --statistic all --by sys_name --plan 3,100",
    )
    usage = "FILE … --rating R [--rating R …] | --raters A B …  [flags]"
    inputs = InputFiles(
        "FILE", "tables with one row per rating, or rows with lists of ratings", missing="files of ratings"
    )
    groups: ClassVar[Mapping[str, Sequence[str]]] = {
        "ratings": ("rating", "labels", "drop_raters"),
        "agreement": ("statistics", "weights", "by", "pairwise", "cluster", "plans"),
        "confidence intervals": ("confidence", "seed"),
    }
    spellings: ClassVar[Mapping[str, Spelling]] = {"--statistic": "statistics", "--plan": "plans"}
    set_otherwise = ("ratings", "log")

    @overrides
    def add_input_arguments(self, parser: Parser, group: argparse._ArgumentGroup) -> None:
        super().add_input_arguments(parser, group)
        group.add_argument(
            "--raters-report",
            action="store_true",
            help="report on each rater instead: attention checks, repeated items, time, agreement with the others, "
            "severity; of exports of Appraise and Pearmut without --rating",
        )

    @overrides
    def result(self, arguments: argparse.Namespace, log: Log) -> Printable:
        if not arguments.raters_report:
            return super().result(arguments, log)
        from metrics_framework.api.raters import raters_report

        given = {**arguments.options}
        ratings = [*given.pop("rating", ())]
        known = inspect.signature(raters_report).parameters
        idle = [name for name in given if name not in known]
        if idle or len(ratings) > 1:
            flag = f"--{idle[0].replace('_', '-')}" if idle else "a second --rating"
            raise UsageError(f"--raters-report makes no use of {flag}")
        return raters_report(arguments.files, *ratings, log=log, **given)

    @overrides
    def check(self, arguments: argparse.Namespace) -> None:
        if {"rating", "raters"} <= arguments.options.keys():
            raise UsageError("use either --rating, or --raters for a table with one column per rater")
        if "raters" not in arguments.options and not arguments.raters_report:
            super().check(arguments)
