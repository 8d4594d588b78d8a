"""``fw score`` and ``fw <metric> score``."""

from __future__ import annotations

import argparse

from overrides import overrides

from metrics_framework.commands.arguments import Parser
from metrics_framework.commands.command import Command
from metrics_framework.commands.scoring import INPUT_USAGE, Plan, ScoringCommand
from metrics_framework.evaluation.score import score
from metrics_framework.io.streams import STANDARD, open_for_writing


@Command.register("score")
class Score(ScoringCommand):
    """Scores every output, with jackknifing where the metric can: the rows that fw correlate reads."""

    output_names = ("output_jsonl",)
    outputs_help = "the file of scores; standard output without it"
    usage = f"[OUT.jsonl] {INPUT_USAGE}"

    @overrides
    def add_own_arguments(self, parser: Parser) -> None:
        group = parser.add_argument_group("jackknifing")
        group.add_argument(
            "--disable-peer-jackknifing", action="store_true", help="give peers no scores with _jk behind their names"
        )

    @overrides
    def run(self, arguments: argparse.Namespace) -> int:
        plan = self.plan(arguments)
        with plan.log:
            return self.carry_out(plan, arguments)

    def carry_out(self, plan: Plan, arguments: argparse.Namespace) -> int:
        """Scores, writes the files and prints."""
        path = plan.outputs.get("output_jsonl", STANDARD)
        with open_for_writing(path) as stream:
            count = score(
                plan.reader,
                plan.input_files,
                plan.metrics,
                stream.write,
                plan.log,
                peers=not arguments.disable_peer_jackknifing,
                duplicates=plan.duplicates,
                jobs=plan.jobs,
            )
        if path != STANDARD:
            plan.log.note(f"wrote the scores of {count} outputs to {path}")
        return 0
