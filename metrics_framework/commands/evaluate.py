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
from metrics_framework.commands.confidence import CONFIGURATION, add_confidence, chosen_baseline, chosen_resampling
from metrics_framework.commands.scoring import INPUT_USAGE, Plan, ScoringCommand
from metrics_framework.evaluation.evaluate import evaluate
from metrics_framework.evaluation.profiles.profile import Profile
from metrics_framework.io.jsonl import to_json
from metrics_framework.io.streams import STANDARD, open_for_writing, standard_output
from metrics_framework.reports.score_table import score_table, signature_lines

FORMATS = ("table", "markdown", "latex", "csv", "tsv", "json")


@Command.register("evaluate")
class Evaluate(ScoringCommand):
    """Scores systems: a table of their scores, a macro file, and a micro file of the scores of every output."""

    output_names = ("macro_output_json", "micro_output_jsonl")
    config_keys = ("profile", *CONFIGURATION)
    outputs_help = "the macro file (scores of systems), then the micro file (scores of outputs); both may be left out"
    usage = f"[MACRO.json [MICRO.jsonl]] {INPUT_USAGE}"

    @overrides
    def add_own_arguments(self, parser: Parser) -> None:
        group = parser.add_argument_group("table")
        group.add_argument(
            "--format", choices=FORMATS, default="table", help="how to print the scores (default: table)"
        )
        group.add_argument(
            "--digits",
            type=int,
            choices=range(16),
            default=2,
            metavar="N",
            help="digits behind the point, 0 to 15 (default: 2)",
        )
        add_confidence(parser)
        if self.metric is None:
            parser.add_argument_group("profile").add_argument(
                "--profile", metavar="NAME", help="metrics that belong together, and their table (fw list profiles)"
            )

    @overrides
    def chosen_metrics(self, arguments: argparse.Namespace, config: Mapping[str, Any]) -> Sequence[Any]:
        profile = self._profile(arguments, config)
        if profile is None:
            return super().chosen_metrics(arguments, config)
        more = arguments.metric or config.get("metrics") or []
        return [*profile.metrics, *(more if isinstance(more, list) else [more])]

    def _profile(self, arguments: argparse.Namespace, config: Mapping[str, Any]) -> type[Profile] | None:
        name = None if self.metric is not None else arguments.profile or config.get("profile")
        return None if name is None else Profile.by_name(name)

    @overrides
    def run(self, arguments: argparse.Namespace) -> int:
        plan = self.plan(arguments)
        with plan.log:
            return self.carry_out(plan, arguments)

    def carry_out(self, plan: Plan, arguments: argparse.Namespace) -> int:
        """Scores, writes the files and prints."""
        if not plan.outputs:
            standard_output()  # refuses to score for nobody
        profile = self._profile(arguments, plan.config)
        resampling = chosen_resampling(arguments, plan.config, by_default=profile is not None)
        macro, micro = plan.outputs.get("macro_output_json"), plan.outputs.get("micro_output_jsonl")
        with ExitStack() as stack:
            macro_stream = stack.enter_context(open_for_writing(macro)) if macro else None
            rows = stack.enter_context(open_for_writing(micro)).write if micro else None
            result = evaluate(
                plan.reader,
                plan.input_files,
                plan.metrics,
                rows,
                plan.log,
                duplicates=plan.duplicates,
                jobs=plan.jobs,
                resampling=resampling,
                baseline=chosen_baseline(arguments, plan.config),
            )
            table = score_table(result, arguments.format, arguments.digits, profile)
            if macro_stream is not None:
                macro_stream.write(to_json(result.as_json(), indent=2) + "\n")
        for name, path in plan.outputs.items():
            if path != STANDARD:
                plan.log.note(f"wrote the {name.replace('_', ' ')} to {path}")
        if not (arguments.silent and plan.outputs):
            to_person = sys.stderr if STANDARD in (macro, micro) else sys.stdout
            print(table, file=to_person)
            if arguments.format in ("csv", "tsv"):
                for line in signature_lines(result):
                    plan.log.note(line)
        return 0
