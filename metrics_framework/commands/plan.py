"""``fw plan``: how many raters, inputs and ratings a study needs."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import ClassVar

from metrics_framework.commands.analysis import Analysis, InputFiles, Picture, Printable
from metrics_framework.commands.arguments import Parser
from metrics_framework.commands.command import Command
from metrics_framework.common.errors import UsageError
from metrics_framework.common.logs import Log
from metrics_framework.common.overriding import overrides
from metrics_framework.meta_evaluation.plan.request import GOALS


@Command.register("plan")
class Plan(Analysis):
    """Plans how many raters, inputs and ratings to ask for.

    Finds the smallest number of inputs for a wanted half-width or power, for each number of ratings of an output: of a
    mean rating (mean), a difference of systems (difference), a mean with the scores of a judge (estimate), or the
    alternative annotator test of a judge (alt-test). What ratings are like is stated, or follows from the ratings of a
    pilot. Each number is checked in simulated studies.
    """

    function_name = "plan"
    example_lines = (
        "fw plan mean --half-width 0.1 --sd 1.1 --agreement 0.4",
        "fw plan difference ratings.csv --rating helpfulness \\\n    --difference 0.2 --systems 3",
        "fw plan estimate --half-width 0.1 --sd 1.1 --agreement 0.4 \\\n"
        "    --judge-agreement 0.5 --judged 2000 --plot plan.svg",
    )
    usage = f"{'|'.join(GOALS)} [PILOT …]  [flags]"
    inputs = InputFiles("PILOT", "tables of ratings of a pilot (.csv, .tsv, JSONL), if there are any", missing="goal")
    groups: ClassVar[Mapping[str, Sequence[str]]] = {
        "goal": ("half_width", "difference", "power", "assurance", "confidence"),
        "design": ("raters", "inputs", "systems", "comparisons", "judged", "cluster_size"),
        "assumptions about ratings": (
            *("sd", "share", "agreement", "correlation", "judge_agreement"),
            *("cluster_correlation", "points"),
        ),
        "pilot": ("rating", "judge", "cluster"),
        "alternative annotator test": ("scoring", "epsilon", "q"),
        "simulated studies": ("simulations", "seed"),
    }
    set_otherwise = ("goal", "pilot", "log")
    pictures: ClassVar[Mapping[str, Picture]] = {
        "--plot": Picture("picture (.svg, .png, .pdf) of power or half-width against inputs"),
    }

    @overrides
    def add_input_arguments(self, parser: Parser, group: argparse._ArgumentGroup) -> None:
        group.add_argument("goal", nargs="?", choices=GOALS, metavar="|".join(GOALS), help="what the study is for")
        super().add_input_arguments(parser, group)

    @overrides
    def input_files(self, arguments: argparse.Namespace) -> Sequence[str]:
        if arguments.goal is None:
            raise UsageError(f"no {self.inputs.missing}; use fw {self.registered_name} {self.usage}")
        return list(arguments.files)

    @overrides
    def result(self, arguments: argparse.Namespace, log: Log) -> Printable:
        return self.function()(arguments.goal, arguments.files or None, **arguments.options, log=log)
