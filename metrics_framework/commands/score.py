"""``fw score`` and ``fw <metric> score``."""

from __future__ import annotations

import argparse
from contextlib import ExitStack

from metrics_framework.commands.arguments import Parser
from metrics_framework.commands.command import Command
from metrics_framework.commands.run_arguments import INPUT_USAGE
from metrics_framework.commands.scoring_command import EVERYDAY, ScoringCommand, ScoringRequest, row_writer
from metrics_framework.common.errors import UsageError, counted
from metrics_framework.common.overriding import overrides
from metrics_framework.io.reading import STANDARD
from metrics_framework.io.writing import output_files


@Command.register("score")
class Score(ScoringCommand):
    """Scores every output into a file, for fw correlate.

    Jackknifes references if the metric supports it. For a table of systems, use fw evaluate.
    """

    everyday = (*EVERYDAY, "--disable-peer-jackknifing", "--force")
    output_names = {"output_jsonl": "output scores"}
    takes_references = True
    has_engine = True
    output_help = (
        "JSONL or Parquet file for output scores; - is standard output (default: -); other existing files are "
        "references"
    )
    usage = f"[OUT.jsonl] {INPUT_USAGE}"
    example_lines = (
        "fw score scores.jsonl --metric sari --input-files outputs.jsonl",
        "fw score scores.jsonl --metric chrf:word_order=2 --metric bleu \\\n"
        "    --outputs a.txt b.txt --references references.*.txt",
    )

    @overrides
    def add_command_arguments(self, parser: Parser) -> None:
        group = parser.add_argument_group("jackknifing")
        group.add_argument(
            "--disable-peer-jackknifing",
            action="store_true",
            help="do not compute jackknifed scores (names that end in _jk) of peers",
        )

    @overrides
    def run_request(self, request: ScoringRequest, arguments: argparse.Namespace) -> None:
        from metrics_framework.evaluation.output_rows import score

        read = request.only
        if arguments.by:
            raise UsageError(
                f"fw score writes a row for each output, whatever its {arguments.by}; leave --by out, or compare the "
                "sets with fw evaluate --by or fw compare --by"
            )
        path = request.outputs.get("output_jsonl", STANDARD)
        with output_files() as opened, ExitStack() as stack:
            scored = score(
                read.reader,
                read.input_files,
                read.metrics,
                row_writer(path, opened, stack),
                request.log,
                peers=not arguments.disable_peer_jackknifing,
                duplicates=arguments.duplicates,
                jobs=arguments.jobs,
                engine=request.engine,
            )
        if path != STANDARD:
            request.log.note(f"wrote the scores of {counted(scored.count, 'output')} to {path}")
        scored.check()
