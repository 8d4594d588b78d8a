"""``fw gate``: lets a pipeline pass or fail by the scores of a new run."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, ClassVar, cast

from metrics_framework.commands.analysis import PAPER, Analysis, InputFiles, Picture, Printable
from metrics_framework.commands.arguments import Flag, Parser, Spelling
from metrics_framework.commands.command import Command
from metrics_framework.commands.output_paths import check_ending, refuse_overwriting
from metrics_framework.common.errors import FwError, GateError, UsageError
from metrics_framework.common.logs import Log
from metrics_framework.common.overriding import overrides
from metrics_framework.io.locations import expanded, split_name
from metrics_framework.io.reading import STANDARD
from metrics_framework.io.writing import output_files, output_path, print_result

if TYPE_CHECKING:
    from metrics_framework.api.analysis_results import GateResult


class GateFlags:
    """Flags of the old run, and of both runs.

    Args:
        against: Files of scores of the old run.
        cluster: The field or column with the cluster of an input, such as document.
        github: Whether to append to the summary of a job on GitHub, and to print annotations; auto does so there.
    """

    against = Flag(nargs="+", metavar="OLD")
    cluster = Flag(metavar="FIELD")
    github = Flag(choices=("auto", "yes", "no"), default="auto")


@Command.register("gate")
class Gate(Analysis):
    """Passes or fails a new run by its scores.

    Reads files of scores of a new and an old run, and tests for each metric whether the new run is better, no worse by
    a margin, or worse. Exit codes: 0 passed, 1 invalid data, 2 wrong usage, 3 failed because a metric is worse, 4
    because one is undecided, 5 because one is only no worse.
    """

    function_name = "gate"
    example_lines = (
        "fw gate new.jsonl --against old.jsonl --metric accuracy --margin 0.02",
        "fw gate new.jsonl --against old.jsonl --metric sari --metric ter \\\n"
        "    --cluster document --junit gate.xml --output-file gate.json",
    )
    usage = "NEW … --against OLD … --metric M [--metric M2 …]  [flags]"
    everyday = (
        *("--against", "--metric", "--margin", "--system", "--baseline", "--cluster", "--lower-is-better"),
        *("--score-range", "--unpaired", "--fail-on", "--where", "--columns", "--github", "--junit", "--output"),
        "--output-file",
    )
    inputs = InputFiles("NEW", "files of scores of the new run", missing="new scores", distinct=False)
    groups: ClassVar[Mapping[str, Sequence[str]]] = {
        "runs": ("metric", "system", "baseline", "lower_is_better", "score_range", "unpaired"),
        "tests": ("margin", "alpha", "power", "fail_on", "seed"),
    }
    spellings: ClassVar[Mapping[str, Spelling]] = {"-m": "metric", "--scale": "score_range"}
    set_otherwise = ("new", "old", "clusters", "higher_is_better", "strict", "log")
    pictures: ClassVar[Mapping[str, Picture]] = {
        "--junit": Picture("JUnit report with a test case for each metric", method="junit", endings=(".xml",)),
        "--paper": PAPER,
    }

    @overrides
    def add_input_arguments(self, parser: Parser, group: argparse._ArgumentGroup) -> None:
        super().add_input_arguments(parser, group)
        parser.add_flags(group, GateFlags)

    @overrides
    def input_files(self, arguments: argparse.Namespace) -> Sequence[str]:
        if not arguments.against:
            raise UsageError("no old scores; name them with --against OLD")
        arguments.against = expanded(arguments.against)
        return [*super().input_files(arguments), *arguments.against]

    @overrides
    def result(self, arguments: argparse.Namespace, log: Log) -> Printable:
        self._arguments = arguments
        options = {**arguments.options, "clusters": arguments.cluster, "log": log}
        return self.function()(arguments.files, arguments.against, **options)

    @overrides
    def run(self, arguments: argparse.Namespace) -> int:
        try:
            return super().run(arguments)
        except GateError:
            raise
        except FwError as error:
            self._report(arguments, str(error))
            raise

    def _report(self, arguments: argparse.Namespace, problem: str) -> None:
        """Reports that the runs were not compared, and removes earlier results, which would seem to be of this run."""
        from metrics_framework.reports.gate import github_error, junit_error

        if _is_on_github(arguments):
            with suppress(OSError):  # the summary cannot be written to, and the problem itself is printed
                _tell_github(*github_error(problem), to_error=True)
        inputs = [split_name(one)[1] for one in (*arguments.files, *(arguments.against or ()))]
        for path in filter(None, (arguments.junit, arguments.output_file, arguments.output)):
            with suppress(FwError, OSError), output_files() as files:  # the problem may be that of the path
                refuse_overwriting([output_path(path)], inputs, force=arguments.force, log_file=arguments.log_file)
                if path == arguments.junit:
                    check_ending("--junit", path, self.pictures["--junit"].endings)
                    files.open(path).write(junit_error(problem))
                else:
                    os.remove(path)

    @overrides
    def check_result(self, result: Printable) -> None:
        found, arguments = cast("GateResult", result), self._arguments
        if _is_on_github(arguments):
            from metrics_framework.reports.gate import github_annotations, github_summary

            chosen = (arguments.output_file, arguments.junit, arguments.output)
            has_data = STANDARD in [output_path(one) for one in chosen if one is not None]
            _tell_github(github_summary(found.study), github_annotations(found.study), to_error=has_data)
        found.check()


def _is_on_github(arguments: argparse.Namespace) -> bool:
    return arguments.github == "yes" or (arguments.github == "auto" and os.environ.get("GITHUB_ACTIONS") == "true")


def _tell_github(summary: str, annotations: str, to_error: bool) -> None:
    if path := os.environ.get("GITHUB_STEP_SUMMARY"):
        with open(path, "a", encoding="utf-8") as file:
            file.write(summary)
    print_result(annotations, to_error=to_error)
