"""``fw collect``: joins the parts of an output folder."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from metrics_framework.commands.arguments import Parser
from metrics_framework.commands.command import Command
from metrics_framework.commands.earlier_results import FORCE_HELP
from metrics_framework.commands.output_paths import check_output_argument, refuse_overwriting
from metrics_framework.commands.table_arguments import add_table_arguments
from metrics_framework.common.errors import UsageError
from metrics_framework.common.logs import Log
from metrics_framework.common.overriding import overrides
from metrics_framework.io.reading import STANDARD
from metrics_framework.io.writing import output_path

_FILES = {
    "evaluate": {"macro_output_json": "system scores", "micro_output_jsonl": "output scores"},
    "score": {"output_jsonl": "output scores"},
}
"""By the command of a run, the names of its output files and their content."""


@Command.register("collect")
class Collect(Command):
    """Joins the parts of a run in an output folder.

    Prints the table of fw evaluate, and writes files as one process would. The parts of fw score are joined to one
    sorted file.
    """

    usage = "OUT/ [MACRO.json [MICRO.jsonl]] [flags]\n       fw collect OUT/ SCORES.jsonl"
    when_interrupted = "nothing was written"

    @overrides
    def examples(self) -> Sequence[str]:
        return "fw collect out/ macro.json micro.jsonl", "fw collect scores/ scores.jsonl"

    @overrides
    def add_arguments(self, parser: Parser) -> None:
        parser.add_argument("folder", metavar="OUT/", help="output folder of fw evaluate or fw score")
        parser.add_argument(
            "files",
            nargs="*",
            default=[],
            metavar="FILE",
            help="of fw evaluate: JSON file for system scores, then JSONL file for output scores; of fw score: JSONL "
            "file for output scores; - is standard output",
        )
        add_table_arguments(parser)
        run = parser.add_argument_group("run")
        help_text = f"{FORCE_HELP}; do not warn of outputs that look tokenized"
        run.add_argument("--force", action="store_true", help=help_text)
        run.add_argument("--strict", action="store_true", help="treat warnings as errors")
        help_text = "print no notes or warnings; with an output file, no table either"
        run.add_argument("-q", "--silent", "--quiet", action="store_true", help=help_text)
        run.add_argument("--log-file", metavar="FILE", help="append notes and warnings to a file")

    @overrides
    def run(self, arguments: argparse.Namespace) -> int:
        from metrics_framework.commands.part_runs import write_evaluation, write_scores
        from metrics_framework.evaluation.parts.stored_run import MACRO, StoredRun

        run = StoredRun(arguments.folder)
        outputs = _outputs(arguments, run.plan.command)
        read = [run.folder.path_of(name) for name in run.folder.names() if name != MACRO]
        refuse_overwriting(outputs.values(), read, force=arguments.force, log_file=arguments.log_file)
        with Log(arguments.strict, arguments.silent, arguments.log_file) as log:
            if run.plan.command == "score":
                write_scores(run, outputs.get("output_jsonl"), log)
            else:
                write_evaluation(run, arguments, outputs, log, to_folder=False)
        return 0


def _outputs(arguments: argparse.Namespace, command: str) -> dict[str, str]:
    """Returns the path of each requested file.

    Raises:
        UsageError: if there are too many files, or the name of one is that of another kind.
    """
    names = _FILES[command]
    if len(arguments.files) > len(names):
        raise UsageError(
            f"unexpected argument '{arguments.files[len(names)]}'; the folder '{arguments.folder}' is of fw {command}, "
            f"whose output files are: {', '.join(names.values())}"
        )
    for path, name in zip(arguments.files, names, strict=False):
        check_output_argument(path, name, names[name], has_flags=False)
    outputs = {name: output_path(path) for name, path in zip(names, arguments.files, strict=False)}
    if arguments.output not in (None, STANDARD):
        outputs["table"] = arguments.output
    return outputs
