"""``fw evaluate`` and ``fw <metric> evaluate``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import IO

from overrides import overrides

from metrics_framework.commands.arguments import Parser
from metrics_framework.commands.command import Command
from metrics_framework.commands.scoring import Plan, ScoringCommand
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.evaluation.evaluate import evaluate
from metrics_framework.evaluation.row_lines import RowLines
from metrics_framework.evaluation.score import with_signature
from metrics_framework.io.jsonl import to_json
from metrics_framework.io.streams import STANDARD, open_for_writing
from metrics_framework.reports.score_table import score_table, signature_lines

FORMATS = ("table", "markdown", "latex", "csv", "tsv", "json")


@Command.register("evaluate")
class Evaluate(ScoringCommand):
    """Scores systems: a table of their scores, a macro file, and a micro file of the scores of every output."""

    output_names = ("macro_output_json", "micro_output_jsonl")
    outputs_help = "the macro file (scores of systems), then the micro file (scores of outputs); both may be left out"
    usage = "[MACRO.json [MICRO.jsonl]] --input-files FILE … | --outputs FILE … --references FILE …  [flags]"

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

    @overrides
    def run(self, arguments: argparse.Namespace) -> int:
        plan = self.plan(arguments)
        with plan.log:
            return self.carry_out(plan, arguments)

    def carry_out(self, plan: Plan, arguments: argparse.Namespace) -> int:
        """Scores, writes the files and prints."""
        macro, micro = plan.outputs.get("macro_output_json"), plan.outputs.get("micro_output_jsonl")
        with ExitStack() as stack:
            macro_stream = stack.enter_context(open_for_writing(macro)) if macro else None
            rows = stack.enter_context(_micro(micro, plan))
            result = evaluate(plan.reader, plan.input_files, plan.metrics, rows, plan.log, plan.duplicates)
            if macro_stream is not None:
                macro_stream.write(to_json(result.as_json(), indent=2) + "\n")
        for name, path in plan.outputs.items():
            if path != STANDARD:
                plan.log.note(f"wrote the {name.replace('_', ' ')} to {path}")
        if not (arguments.silent and plan.outputs):
            to_person = sys.stderr if STANDARD in (macro, micro) else sys.stdout
            print(score_table(result, arguments.format, arguments.digits), file=to_person)
            if arguments.format in ("csv", "tsv"):
                for line in signature_lines(result):
                    plan.log.note(line)
        return 0


@contextmanager
def _micro(path: str | None, plan: Plan) -> Iterator[MicroWriter]:
    if path is None:
        yield MicroWriter(None, {})
        return
    with open_for_writing(path) as stream:
        yield MicroWriter(stream, {metric.label: metric.metric.signature() for metric in plan.metrics})


class MicroWriter:
    """Writes micro rows, the first with the signatures; without a stream it writes nothing.

    Args:
        stream: Where to write.
        signature: Metric to its signature.
    """

    def __init__(self, stream: IO[str] | None, signature: dict[str, str]) -> None:
        self.stream = stream
        self.signature = signature
        self._lines = RowLines()

    def __call__(self, instance: EvalInstance, scores: Sequence[MetricsDict]) -> None:
        if self.stream is None:
            return
        line = self._lines.line(instance, scores)
        if self.signature:
            line = with_signature(line, self.signature)
            self.signature = {}
        self.stream.write(line)
