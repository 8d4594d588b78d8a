"""``fw prefer``: strengths and ranks of systems from votes between two outputs."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import ClassVar

from overrides import overrides

from metrics_framework.commands.analysis import Analysis, Printable, whole_number
from metrics_framework.commands.arguments import Parser
from metrics_framework.commands.command import Command
from metrics_framework.commands.confidence_arguments import LEVEL_VALUE
from metrics_framework.common.errors import UsageError
from metrics_framework.common.logs import Log
from metrics_framework.reports.pictures import ENDINGS


@Command.register("prefer")
class Prefer(Analysis):
    """Ranks systems by votes between two of their outputs, and compares the votes of judges with those of people.

    Reads tables with the columns input, system_a, system_b and winner (a, b, tie or the name of a system), and
    estimates strengths by the Bradley–Terry model with sandwich errors, ranks with intervals, and the influence of the
    order in which outputs are shown. A table with the columns best, worst and items is read as best–worst scaling.
    """

    usage = "VOTES … [--against PEOPLE …]  [flags]"
    pictures: ClassVar[Mapping[str, Sequence[str]]] = {"--plot": ENDINGS, "--rank-plot": ENDINGS}

    @overrides
    def examples(self) -> Sequence[str]:
        return (
            "fw prefer votes.csv --scale arena --plot strengths.svg",
            "fw prefer judge.jsonl --covariate length --against people.csv \\\n    --output-file preferences.json",
        )

    @overrides
    def add_input_arguments(self, parser: Parser) -> None:
        group = parser.add_argument_group("votes")
        group.add_argument(
            "files", nargs="*", metavar="VOTES", help="tables of votes (.csv, .tsv, JSON lines); - is standard input"
        )
        group.add_argument(
            "--against", nargs="+", default=[], metavar="PEOPLE", help="votes of people on the same outputs"
        )
        group.add_argument("--subset", metavar="COLUMN", help="column of PEOPLE that divides the agreement")
        group.add_argument(
            "--inconsistent",
            choices=("tie", "drop", "keep"),
            default="tie",
            help="what different verdicts of one rater on outputs shown in both orders become (default: tie)",
        )
        _add_model_arguments(parser)

    @overrides
    def add_picture_arguments(self, group: argparse._ArgumentGroup) -> None:
        group.add_argument(
            "--show",
            choices=("systems", "pairs", "agreement"),
            help="which table to print (default: systems, and agreement with --against; CSV and TSV have one table)",
        )
        group.add_argument(
            "--plot", metavar="OUT.svg", help="picture (.svg, .png, .pdf) of the strengths, with intervals"
        )
        group.add_argument("--rank-plot", metavar="OUT.svg", help="picture of the ranks, with intervals")

    @overrides
    def input_files(self, arguments: argparse.Namespace) -> Sequence[str]:
        from metrics_framework.meta_evaluation.preferences.strengths import check_scale

        check_scale(arguments.scale)
        if not arguments.files:
            raise UsageError("no votes; use fw prefer VOTES …")
        if arguments.show == "agreement" and not arguments.against:
            raise UsageError("--show agreement needs the votes of people; use --against PEOPLE")
        if arguments.subset and not arguments.against:
            raise UsageError("--subset divides the agreement with people; use it with --against PEOPLE")
        return [*arguments.files, *arguments.against]

    @overrides
    def result(self, arguments: argparse.Namespace, log: Log) -> Printable:
        from metrics_framework.api.prefer import prefer

        return prefer(
            arguments.files,
            scale=arguments.scale,
            covariates=arguments.covariate,
            cluster=arguments.cluster,
            ridge=arguments.ridge,
            against=arguments.against or None,
            subset=arguments.subset,
            inconsistent=arguments.inconsistent,
            correction=arguments.correct,
            confidence=arguments.confidence,
            seed=arguments.seed,
            show=arguments.show,
            log=log,
        )

    @overrides
    def picture(self, flag: str, result: Printable, path: str) -> str:
        from metrics_framework.api.preferences import PreferenceResult

        if not isinstance(result, PreferenceResult) or result.preferences.model is None:
            raise UsageError(f"{flag} shows strengths, which these votes do not determine; leave it out")
        return result.plot() if flag == "--plot" else result.rank_plot()


def _add_model_arguments(parser: Parser) -> None:
    group = parser.add_argument_group("strengths and ranks")
    group.add_argument(
        "--scale",
        default="natural",
        metavar="{natural,arena}",
        help="log-odds with mean 0, or 1000 + log-odds · 400/ln 10 (default: natural)",
    )
    group.add_argument(
        "--covariate",
        action="append",
        default=[],
        metavar="NAME",
        help="control for NAME, such as length, in columns NAME_a and NAME_b, or NAME (their difference); repeatable",
    )
    group.add_argument(
        "--cluster",
        metavar="COLUMN",
        help="votes that are dependent: input, rater, a column, or none (default: input if one has several votes)",
    )
    group.add_argument(
        "--ridge",
        type=float,
        default=0.0,
        metavar="L",
        help="penalty L/2 · Σ strength², which makes all strengths finite (default: 0)",
    )
    group.add_argument(
        "--correct",
        choices=("holm", "bh", "by", "none"),
        default="holm",
        help="correction of the tests of all pairs for ranks (default: holm)",
    )
    group.add_argument(
        "--confidence",
        default=0.95,
        **LEVEL_VALUE,
        help="confidence level of intervals and ranks, as a fraction or in percent (default: 95)",
    )
    group.add_argument(
        "--seed",
        type=whole_number(0),
        default=0,
        metavar="N",
        help="random seed of the splits for best–worst reliability (default: 0)",
    )
