"""``fw evaluate`` and ``fw <metric> evaluate``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Any

from overrides import overrides

from metrics_framework.commands.arguments import Parser
from metrics_framework.commands.command import Command
from metrics_framework.commands.confidence_arguments import (
    CONFIDENCE_KEYS,
    add_confidence_arguments,
    chosen_resampling,
)
from metrics_framework.commands.input_arguments import INPUT_USAGE
from metrics_framework.commands.sacrebleu_output import (
    TABLE_DIGITS,
    SentenceScores,
    add_sacrebleu_output,
    chosen_shape,
    in_shape,
    is_paired,
    with_effective_order,
    with_paired_test,
    without_repeated_baseline,
)
from metrics_framework.commands.scoring_command import Plan, ScoringCommand
from metrics_framework.common.logs import Log
from metrics_framework.evaluation.evaluate import evaluate
from metrics_framework.evaluation.profiles.profile import Profile
from metrics_framework.io.jsonl import to_json
from metrics_framework.io.streams import STANDARD, open_for_writing, standard_output
from metrics_framework.reports.formats import REGISTRY as FORMATS
from metrics_framework.reports.formats.output_format import JSON, OutputFormat
from metrics_framework.reports.score_table import score_table, signature_lines


@Command.register("evaluate")
class Evaluate(ScoringCommand):
    """Scores systems: prints a table, and writes files of system scores and output scores on request."""

    output_names = {"macro_output_json": "system scores", "micro_output_jsonl": "output scores"}
    takes_references = True
    config_keys = ("profile", *CONFIDENCE_KEYS)
    output_help = "JSON file for system scores, then JSONL file for output scores; both optional; - is standard output"
    usage = f"[MACRO.json [MICRO.jsonl]] {INPUT_USAGE}"

    @overrides
    def add_command_arguments(self, parser: Parser) -> None:
        group = parser.add_argument_group("table")
        group.add_argument(
            "--format",
            choices=(*FORMATS.names(), JSON, "sacrebleu-text", "sacrebleu-json"),
            help="format of the printed scores (default: table)",
        )
        group.add_argument(
            "-w",
            "--digits",
            type=int,
            choices=range(16),
            metavar="N",
            help=f"number of decimal places, 0 to 15 (default: {TABLE_DIGITS}, in the shapes of sacreBLEU 1)",
        )
        add_confidence_arguments(parser, default="on with a profile" if self.metric is None else "off")
        add_sacrebleu_output(parser)
        if self.metric is None:
            parser.add_argument_group("profile").add_argument(
                "--profile", metavar="NAME", help="set of metrics with its own table (fw list profiles shows all)"
            )

    @overrides
    def run(self, arguments: argparse.Namespace) -> int:
        without_repeated_baseline(arguments)
        return super().run(arguments)

    @overrides
    def chosen_metrics(self, arguments: argparse.Namespace, config: Mapping[str, Any]) -> Sequence[Any]:
        profile = _chosen_profile(arguments, config)
        if profile is None:
            return super().chosen_metrics(arguments, config)
        return [*profile.metrics, *(arguments.metric or config.get("metrics", []))]

    @overrides
    def adapted_metrics(self, specs: Sequence[Any], arguments: argparse.Namespace, log: Log) -> Sequence[Any]:
        return with_effective_order(super().adapted_metrics(specs, arguments, log), arguments)

    @overrides
    def run_plan(self, plan: Plan, arguments: argparse.Namespace) -> None:
        if not plan.outputs:
            standard_output()  # fails before scoring if it is closed
        profile = None if self.metric is not None else _chosen_profile(arguments, plan.config)
        shape = chosen_shape(arguments)
        sentences = SentenceScores() if arguments.sentence_level else None
        resampling = with_paired_test(
            chosen_resampling(arguments, plan.config, by_default=profile is not None or is_paired(arguments)),
            arguments,
            len(plan.input_files) if arguments.outputs else None,
        )
        macro, micro = plan.outputs.get("macro_output_json"), plan.outputs.get("micro_output_jsonl")
        with ExitStack() as stack:
            macro_stream = stack.enter_context(open_for_writing(macro)) if macro else None
            write = stack.enter_context(open_for_writing(micro)).write if micro else None
            result = evaluate(
                plan.reader,
                plan.input_files,
                plan.metrics,
                write if sentences is None else sentences.writing_to(write),
                plan.log,
                duplicates=plan.duplicates,
                jobs=plan.jobs,
                resampling=resampling,
                baseline=arguments.baseline or plan.config.get("baseline"),
                force=arguments.force,
            )
            if shape is not None:
                table = in_shape(result, plan.metrics, shape, sentences)
            else:
                digits = TABLE_DIGITS if arguments.digits is None else arguments.digits
                table = score_table(result, arguments.format, digits, profile)
            if macro_stream is not None:
                macro_stream.write(to_json(result.as_json(), indent=2) + "\n")
        for name, path in plan.outputs.items():
            if path != STANDARD:
                plan.log.note(f"wrote {self.output_names[name]} to {path}")
        if not (arguments.silent and plan.outputs):
            print(table, file=sys.stderr if STANDARD in (macro, micro) else sys.stdout)
            if shape is None and arguments.format != JSON and not OutputFormat.by_name(arguments.format).for_people:
                for line in signature_lines(result):
                    plan.log.note(line)


def _chosen_profile(arguments: argparse.Namespace, config: Mapping[str, Any]) -> type[Profile] | None:
    name = arguments.profile or config.get("profile")
    return None if name is None else Profile.by_name(name)
