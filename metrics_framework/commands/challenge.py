"""``fw challenge``: how often metrics score the good output of a challenge set above the bad one."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from metrics_framework.commands.analysis import Analysis, InputFiles, Picture, Printable
from metrics_framework.commands.arguments import Parser, StoreList, cannot_be_file
from metrics_framework.commands.command import Command
from metrics_framework.commands.run_arguments import specs_of
from metrics_framework.common.logs import Log
from metrics_framework.common.overriding import overrides


@Command.register("challenge")
class Challenge(Analysis):
    """Tests metrics on pairs of a good and a bad output.

    Reads a challenge set: rows with good, bad, source, reference, phenomenon and category, and scores both outputs; or
    files of scores with it. Prints the accuracy of each metric by phenomenon and category, tests of McNemar, and the
    ACES score.
    """

    function_name = "challenge"
    example_lines = (
        "fw challenge challenge.jsonl --metric chrf --metric ter",
        "fw challenge scores.jsonl challenge.jsonl --by phenomenon --cluster source",
    )
    usage = "FILE … [--metric M …]  [flags]"
    inputs = InputFiles("FILE", "challenge set, and files of scores of its outputs", missing="challenge set")
    groups: ClassVar[Mapping[str, Sequence[str]]] = {
        "metrics": ("lower_is_better",),
        "groups": ("by", "categories", "cluster"),
        "intervals and tests": ("confidence", "correct", "alpha"),
    }
    set_otherwise = ("scores", "metrics", "log")
    pictures: ClassVar[Mapping[str, Picture]] = {"--plot": Picture("picture of the accuracies")}

    @overrides
    def add_input_arguments(self, parser: Parser, group: argparse._ArgumentGroup) -> None:
        super().add_input_arguments(parser, group)
        words: Mapping[str, Any] = {"action": StoreList, "type": specs_of, "default": []}
        help_text = "metrics to score outputs with, or scores of the files (fw list metrics shows all)"
        group.add_argument("-m", "--metric", **words, metavar="NAME[:OPTION=VALUE,…]", help=help_text)
        parser.list_flags |= dict.fromkeys(("-m", "--metric"), cannot_be_file)

    @overrides
    def result(self, arguments: argparse.Namespace, log: Log) -> Printable:
        return self.function()(arguments.files, arguments.metric, **arguments.options, log=log)
