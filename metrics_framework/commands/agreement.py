"""``fw agreement``: how well raters agree, and how many raters a study needs."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import ClassVar

from metrics_framework.commands.analysis import LOG, Analysis, InputFiles
from metrics_framework.commands.arguments import Spelling
from metrics_framework.commands.command import Command
from metrics_framework.common.errors import UsageError
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
        "fw agreement ratings.csv --rating fluency --rating meaning \\\n    --statistic all --by sys_name --plan 3,100",
    )
    usage = "FILE … --rating R [--rating R …] | --raters A B …  [flags]"
    inputs = InputFiles(
        "FILE", "tables with one row per rating, or rows with lists of ratings", missing="files of ratings"
    )
    groups: ClassVar[Mapping[str, Sequence[str]]] = {
        "ratings": ("rating", "labels"),
        "agreement": ("statistics", "weights", "by", "pairwise", "cluster", "plans"),
        "confidence intervals": ("confidence", "seed"),
    }
    spellings: ClassVar[Mapping[str, Spelling]] = {"--statistic": "statistics", "--plan": "plans"}
    set_otherwise: ClassVar[Mapping[str, str]] = {"ratings": "FILE …", **LOG}

    @overrides
    def check(self, arguments: argparse.Namespace) -> None:
        rating, raters = self.value(arguments, "rating"), self.value(arguments, "raters")
        if rating and raters:
            raise UsageError("use either --rating, or --raters for a table with one column per rater")
        if not rating and not raters:
            raise UsageError("no rating; name the column of the ratings with --rating")
