"""``fw evaluate`` and ``fw <metric> evaluate``."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any

from metrics_framework.commands.arguments import Flag, Parser
from metrics_framework.commands.command import Command
from metrics_framework.commands.output_paths import FORMAT_HELP, OUTPUT_HELP, PAPER_HELP
from metrics_framework.commands.run_arguments import INPUT_USAGE, RUN_KEYS, add_confidence_arguments, chosen_resampling
from metrics_framework.commands.scoring_command import (
    EVERYDAY,
    PAPER,
    TABLE,
    ScoringCommand,
    ScoringRequest,
    row_writer,
)
from metrics_framework.common.errors import UsageError
from metrics_framework.common.overriding import overrides
from metrics_framework.io.jsonl import to_json
from metrics_framework.io.reading import STANDARD
from metrics_framework.io.writing import output_files, print_result, standard_output
from metrics_framework.reports.formats import REGISTRY as FORMATS
from metrics_framework.reports.formats.output_format import DEFAULT_FORMAT, JSON, OTHER_FORMATS, format_of_file
from metrics_framework.significance.resampling import PAIRED_TRIALS, SACREBLEU

if TYPE_CHECKING:
    from metrics_framework.common.logs import Log
    from metrics_framework.evaluation.profiles.profile import Profile
    from metrics_framework.evaluation.sets import SetEvaluations
    from metrics_framework.evaluation.system_scores import Evaluation, Finish


MACRO, MICRO = "macro_output_json", "micro_output_jsonl"
DEFAULT_DIGITS = 2
LATEX = "latex"


def _aggregate(word: str) -> Finish:
    from metrics_framework.evaluation.autorank import add_autorank, parsed_aggregate

    try:
        return partial(add_autorank, named=parsed_aggregate(word))
    except ValueError:
        jury = f"; for a jury, --metric jury:aggregate={word}" if word in ("mean", "median", "majority") else ""
        raise argparse.ArgumentTypeError(f"must be autorank or autorank:metrics=A+B, got '{word}'{jury}") from None


class TableFlags:
    """Flags of the table.

    Args:
        digits: The number of decimal places, 0 to 15; ratios have two more.
        scores: The scores to show, in this order, by name or by heading of the profile (default: the main scores of
            each metric; csv and tsv show all).
        aggregate: Add the AutoRank of WMT25 under all metrics, or under the named ones: 1 for the best system, to the
            number of systems.
        components: Show all scores of each metric, such as sari_keep.
        no_counts: Leave out the column with the number of outputs.
        pooled: Add a row for the outputs of all systems together.
        sort: Sort systems by a score, the best first, or by name with 'system' (default: the order given, after the
            baseline).
        caption: The caption of a floating LaTeX table, in LaTeX.
        label: The label of a floating LaTeX table, for \\ref.
    """

    digits = Flag(
        *("-w", "--width"), type=int, choices=range(16), metavar="N", implied=f"{DEFAULT_DIGITS}; as in sacreBLEU 1"
    )
    scores = Flag("--score", nargs="+", action="extend", default=[], metavar="SCORE")
    aggregate = Flag(type=_aggregate, metavar="autorank[:metrics=A+B]")
    components = Flag(action="store_true")
    no_counts = Flag(action="store_true")
    pooled = Flag(action="store_true")
    sort = Flag(default="", metavar="SCORE")
    caption = Flag(default="", metavar="TEXT")
    label = Flag(default="", metavar="NAME")


class SacrebleuFlags:
    """Flags of the output and tests of sacreBLEU, besides ``-f``.

    Args:
        score_only: Print only scores.
        sentence_level: Print the score of each output of a system, one per line.
        short: Abbreviate the signatures of -f text.
        paired_bs: Compare systems with the first one by sacreBLEU's paired bootstrap.
        paired_bs_n: The number of resamples of --paired-bs.
        paired_ar: Compare systems with the first one by sacreBLEU's approximate randomization.
        paired_ar_n: The number of trials of --paired-ar.
    """

    score_only = Flag("-b", action="store_true")
    sentence_level = Flag("-sl", action="store_true")
    short = Flag("-sh", action="store_true")
    paired_bs = Flag("-pbs", action="store_true")
    paired_bs_n = Flag("-pbsn", type=int, metavar="N", implied=PAIRED_TRIALS["paired-bs"])
    paired_ar = Flag("-par", action="store_true")
    paired_ar_n = Flag("-parn", type=int, metavar="N", implied=PAIRED_TRIALS["paired-ar"])


_DESTINATIONS = {"shape"}.union(vars(SacrebleuFlags))
"""The parsed values that need `metrics_framework.commands.sacrebleu_output`."""


@Command.register("evaluate")
class Evaluate(ScoringCommand):
    """Scores systems: prints a table, writes files on request.

    To correlate the scores of a metric with ratings, use fw score, which also jackknifes references.
    """

    everyday = (
        *EVERYDAY,
        *("--format", "--scores", "--components", "--digits", "--confidence", "--baseline"),
        *("--profile", "--by", "--paper"),
    )
    output_names = {MACRO: "system scores", MICRO: "output scores"}
    takes_references = True
    prints_table = True
    has_engine = True
    config_keys = RUN_KEYS
    output_help = (
        "JSON file for system scores, then JSONL or Parquet file for output scores; both optional; - is standard "
        "output; other existing files are references"
    )
    usage = f"[MACRO.json [MICRO.jsonl]] {INPUT_USAGE}"
    example_lines = (
        "fw evaluate --metric sari --metric bleu --outputs a.txt b.txt \\\n"
        "    --references references.*.txt --sources sources.txt",
        "fw evaluate macro.json micro.jsonl --metric ter:case_sensitive=true \\\n"
        "    --confidence --input-files outputs.jsonl",
        "fw evaluate macro.json --metric sari --input-files outputs.jsonl --jobs 2",
    )

    @overrides
    def add_command_arguments(self, parser: Parser) -> None:
        group = parser.add_argument_group("table")
        group.add_argument("--format", choices=(*FORMATS.names(), *OTHER_FORMATS), help=FORMAT_HELP)
        group.add_argument("-o", "--output", metavar="FILE", help=OUTPUT_HELP)
        group.add_argument("--paper", metavar="OUT.tex", help=PAPER_HELP)
        parser.add_flags(group, TableFlags)
        add_confidence_arguments(parser, default="on with a profile" if self.metric is None else "off")
        group = parser.add_argument_group("output and tests as in sacreBLEU")
        group.add_argument(
            "-f",
            dest="shape",
            metavar="{text,json,…}",
            help="text, json: the shapes of sacreBLEU; other formats as with --format",
        )
        parser.add_flags(group, SacrebleuFlags)
        parser.set_defaults(as_sacrebleu=False)  # true for its own command: fw REFERENCE -i OUTPUT

    @overrides
    def run_request(self, request: ScoringRequest, arguments: argparse.Namespace) -> None:
        from metrics_framework.evaluation.system_scores import evaluate

        sacrebleu = None
        given = {name for name, value in vars(arguments).items() if value}
        if not _DESTINATIONS.isdisjoint(given) or str(arguments.format).startswith("sacrebleu-"):
            from metrics_framework.commands.sacrebleu_output import SacrebleuOutput

            files = next(iter(request.sets.values())).input_files
            sacrebleu = SacrebleuOutput(arguments, len(files) if arguments.outputs else None)
        column = arguments.by or request.config.get("by")
        if column or len(request.sets) > 1:
            refuse_sets(column, request, has_sacrebleu_flags=sacrebleu is not None)
        has_shape = sacrebleu is not None and sacrebleu.shape is not None
        chosen = JSON if has_shape else _chosen_format(arguments)  # a shape needs no notes
        if not request.outputs:
            standard_output()  # fails before scoring if it is closed
        by_default = self.profile is not None or (sacrebleu is not None and sacrebleu.is_paired)
        as_sacrebleu = arguments.as_sacrebleu or has_shape or (sacrebleu is not None and sacrebleu.is_paired)
        defaults = SACREBLEU if as_sacrebleu else {}
        resampling = chosen_resampling(arguments, request.config, by_default, defaults)
        _note_variables(arguments, {"FORMAT": as_sacrebleu, "SEED": as_sacrebleu and resampling}, request.log)
        micro = request.outputs.get(MICRO)
        options: dict[str, Any] = {
            "duplicates": arguments.duplicates,
            "jobs": arguments.jobs,
            "resampling": resampling if sacrebleu is None else sacrebleu.tested(resampling),
            "baseline": arguments.baseline or request.config.get("baseline"),
            "finish": arguments.aggregate,
        }
        result: Evaluation | SetEvaluations
        with output_files() as opened, ExitStack() as stack:
            streams = {name: opened.open(path) for name, path in request.outputs.items() if name != MICRO}
            write = row_writer(micro, opened, stack) if micro else None
            if column or len(request.sets) > 1:
                result, table = _evaluated_sets(column, request, options), None
            else:
                write = write if sacrebleu is None else sacrebleu.collecting(write)
                one = request.only
                read = one.reader, one.input_files, one.metrics
                result = evaluate(*read, write, request.log, engine=request.engine, **options)
                table = None if sacrebleu is None else sacrebleu.printed(result, one.metrics)
            if table is None:
                table = _printed_table(result, arguments, chosen, self.profile)
            for name, stream in streams.items():
                content = table if name == TABLE else to_json(result.as_json(), indent=True)
                stream.write(self._paper(result, request, arguments.scores) if name == PAPER else f"{content}\n")
        for name, path in [(name, path) for name, path in request.outputs.items() if path != STANDARD]:
            request.log.note(f"wrote {self.output_names.get(name, f'the {name}')} to {path}")
        if TABLE not in request.outputs and not (arguments.silent and request.outputs):
            print_result(f"{table}\n", to_error=STANDARD in request.outputs.values())
        if chosen != DEFAULT_FORMAT:  # which states the signatures
            _log_signatures(result, chosen, request.log)
        result.check_scores()

    def _paper(self, result: Any, request: ScoringRequest, scores: Sequence[str]) -> str:
        from metrics_framework.reports.paper import evaluation_paper

        test_set = next(iter(request.sets.values())).test_set
        return evaluation_paper(getattr(result, "sets", {test_set: result}), scores, self.profile)


def _note_variables(arguments: argparse.Namespace, act: Mapping[str, object], log: Log) -> None:
    """Notes which flags to use instead of the variables of sacreBLEU that would act in a run."""
    for variable, name, flag in (("FORMAT", "shape", "-f"), ("SEED", "seed", "--seed")):
        value = os.environ.get(f"SACREBLEU_{variable}")
        if value and act[variable] and name not in arguments.set_by_flags:
            log.note(f"SACREBLEU_{variable} is not read; use {flag} {value}")


def _evaluated_sets(column: str | None, request: ScoringRequest, options: Mapping[str, Any]) -> SetEvaluations:
    """Returns the scores of several data sets, or of one for each value of a column."""
    from metrics_framework.evaluation.sets import DATA_SETS, SetInput, evaluate_sets, sets_of_column

    if column:
        return evaluate_sets(column, sets_of_column(column, *request.only[:3], request.log), request.log, **options)
    inputs = [SetInput(name, *of_set[:3]) for name, of_set in request.sets.items()]
    return evaluate_sets(DATA_SETS, inputs, request.log, **options)


def _chosen_format(arguments: argparse.Namespace) -> str:
    """Returns the format of the table: the chosen one, else by the ending of the file.

    Raises:
        UsageError: if there is a caption or a label, and the format is not LaTeX.
    """
    chosen: str = arguments.format or format_of_file(arguments.output)
    for flag in ("caption", "label"):
        if getattr(arguments, flag) and chosen != LATEX:
            raise UsageError(f"--{flag} needs --format latex, got the format '{chosen}'")
    return chosen


def _printed_table(
    evaluation: Evaluation | SetEvaluations, arguments: argparse.Namespace, format: str, profile: Profile | None
) -> str:
    """Returns the table as the flags describe it.

    Raises:
        UnknownNameError: if a flag names a score that does not exist.
    """
    from metrics_framework.reports.formats.text_table import WIDTH
    from metrics_framework.reports.score_table import TableLayout, score_table

    width = WIDTH
    if sys.stdout.isatty() and arguments.output in (None, STANDARD):
        from metrics_framework.common.process import terminal_width

        width = terminal_width(WIDTH)
    shown = {name: getattr(arguments, name) for name in ("scores", "components", "pooled", "sort", "caption", "label")}
    layout = TableLayout(**shown, width=width, counts=not arguments.no_counts)
    digits = DEFAULT_DIGITS if arguments.digits is None else arguments.digits
    return score_table(evaluation, format, digits, profile, layout=layout)


def _log_signatures(result: Evaluation | SetEvaluations, format: str, log: Log) -> None:
    """Prints the signatures as notes if the table has none, because programs read it."""
    from metrics_framework.reports.formats.output_format import JSON, OutputFormat
    from metrics_framework.reports.score_table import signature_notes

    if format != JSON and not OutputFormat.by_name(format).for_people:
        sets: Mapping[str, Any] = getattr(result, "sets", {None: result})
        for name, evaluation in sets.items():
            for note in signature_notes(evaluation):
                label = f"{note.kind} {note.label}".rstrip()
                log.note(f"{'' if name is None else f'{name}: '}{label} {note.text}")


def refuse_sets(column: str | None, request: ScoringRequest, has_sacrebleu_flags: bool) -> None:
    """Rejects what several sets, of ``--by`` or of ``--dataset``, cannot be combined with.

    Raises:
        UsageError: if there is such a flag or output.
    """
    what, advice = f"--by {column}", f"use --where {column}=VALUE"
    if len(request.sets) > 1:
        what, advice = f"a run over {' and '.join(request.sets)}", "score one data set at a time"
    if request.engine is not None:
        raise UsageError(f"{what} scores on this machine; leave out --engine, or {advice}")
    if MICRO in request.outputs:
        raise UsageError(f"{what} writes no output scores, because sets may have the same ids; {advice} for each set")
    if has_sacrebleu_flags:
        raise UsageError(f"{what} has no output as sacreBLEU; leave out its flags, or {advice}")
