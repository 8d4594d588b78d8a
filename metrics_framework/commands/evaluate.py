"""``fw evaluate`` and ``fw <metric> evaluate``."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from metrics_framework.commands.arguments import Parser
from metrics_framework.commands.command import Command
from metrics_framework.commands.confidence_arguments import (
    CONFIDENCE_KEYS,
    add_confidence_arguments,
    chosen_resampling,
)
from metrics_framework.commands.input_arguments import INPUT_USAGE
from metrics_framework.commands.scoring_command import EVERYDAY, Plan, ScoringCommand, row_writer
from metrics_framework.commands.table_arguments import (
    DEFAULT_FORMAT,
    DESTINATIONS,
    OUTPUT_FLAGS,
    add_table_arguments,
    chosen_format,
    log_signatures,
    printed_table,
)
from metrics_framework.common.errors import UsageError
from metrics_framework.common.overriding import overrides
from metrics_framework.io.jsonl import to_json
from metrics_framework.io.reading import STANDARD
from metrics_framework.io.writing import output_files, print_result, standard_output

if TYPE_CHECKING:
    from metrics_framework.commands.sacrebleu_output import SacrebleuOutput
    from metrics_framework.commands.scoring_command import Plan
    from metrics_framework.evaluation.profiles.profile import Profile


_TABLE = "table"
"""The key of the file for the table among the outputs."""
_BY_HELP = "make one table over several test sets: a block of columns for each value of a column, and their means"


@Command.register("evaluate")
class Evaluate(ScoringCommand):
    """Scores systems: prints a table, writes files on request.

    To correlate the scores of a metric with ratings, use fw score, which also jackknifes references.
    """

    everyday = (
        *EVERYDAY,
        *("--format", "--scores", "--components", "--digits", "--confidence", "--baseline", "--profile", "--by"),
    )
    output_names = {"macro_output_json": "system scores", "micro_output_jsonl": "output scores"}
    takes_references = True
    has_engine = True
    config_keys = ("profile", "by", *CONFIDENCE_KEYS)
    output_help = (
        "JSON file for system scores, then JSONL or Parquet file for output scores; both optional; - is standard "
        "output; other existing files are references"
    )
    usage = f"[MACRO.json [MICRO.jsonl]] {INPUT_USAGE}"

    @overrides
    def examples(self) -> Sequence[str]:
        from metrics_framework.commands.scoring_command import examples_of_command, examples_of_metric

        if self.metric is None:
            return examples_of_command("evaluate")
        return examples_of_metric(self.metric, self.name, "evaluate")

    @overrides
    def add_command_arguments(self, parser: Parser) -> None:
        group = add_table_arguments(parser)
        group.add_argument("--by", metavar="COLUMN", help=_BY_HELP)
        add_confidence_arguments(parser, default="on with a profile" if self.metric is None else "off")
        group = parser.add_argument_group("output and tests as in sacreBLEU")
        for flags, values, help_text in OUTPUT_FLAGS:
            group.add_argument(*flags, help=help_text, **values)
        if self.metric is None:
            parser.add_argument_group("profile").add_argument(
                "--profile",
                metavar="NAME[:OPTION=VALUE,…]",
                help="set of metrics with its own table, and its options (fw list profiles shows all)",
            )

    @overrides
    def chosen_metrics(self, arguments: argparse.Namespace, config: Mapping[str, Any]) -> Sequence[Any]:
        profile = _chosen_profile(arguments, config)
        if profile is None:
            return super().chosen_metrics(arguments, config)
        return [*profile.metrics, *(arguments.metric or config.get("metrics", []))]

    @overrides
    def chosen_outputs(
        self, arguments: argparse.Namespace, config: Mapping[str, Any], positional: Sequence[str]
    ) -> dict[str, str]:
        outputs = super().chosen_outputs(arguments, config, positional)
        return outputs if arguments.output in (None, STANDARD) else {**outputs, _TABLE: arguments.output}

    @overrides
    def run_plan(self, plan: Plan, arguments: argparse.Namespace) -> None:
        from metrics_framework.evaluation.system_scores import evaluate

        habits = _sacrebleu_output(plan, arguments)
        profile = None if self.metric is not None else _chosen_profile(arguments, plan.config)
        if column := arguments.by or plan.config.get("by"):
            run_sets(column, plan, arguments, profile, has_habits=habits is not None)
            return
        chosen = chosen_format(arguments) if habits is None else habits.table_format(arguments)
        if not plan.outputs:
            standard_output()  # fails before scoring if it is closed
        resampling = chosen_resampling(
            arguments, plan.config, by_default=profile is not None or (habits is not None and habits.is_paired)
        )
        macro, micro = plan.outputs.get("macro_output_json"), plan.outputs.get("micro_output_jsonl")
        with output_files() as opened, ExitStack() as stack:
            macro_stream = opened.open(macro) if macro else None
            write = row_writer(micro, opened, stack) if micro else None
            table_stream = opened.open(plan.outputs[_TABLE]) if _TABLE in plan.outputs else None
            result = evaluate(
                plan.reader,
                plan.input_files,
                plan.metrics,
                write if habits is None else habits.collecting(write),
                plan.log,
                duplicates=plan.duplicates,
                jobs=plan.jobs,
                engine=plan.engine,
                resampling=resampling if habits is None else habits.tested(resampling),
                baseline=arguments.baseline or plan.config.get("baseline"),
                force=arguments.force,
            )
            table = None if habits is None else habits.printed(result, plan.metrics)
            if table is None:
                table = printed_table(result, arguments, chosen, profile)
            if table_stream is not None:
                table_stream.write(table + "\n")
            if macro_stream is not None:
                from metrics_framework.io.jsonl import to_json

                macro_stream.write(to_json(result.as_json(), indent=2) + "\n")
        for name, path in plan.outputs.items():
            if path != STANDARD:
                plan.log.note(f"wrote {self.output_names.get(name, 'the table')} to {path}")
        if _TABLE not in plan.outputs and not (arguments.silent and plan.outputs):
            print_result(f"{table}\n", to_error=STANDARD in (macro, micro))
        if chosen != DEFAULT_FORMAT:  # which states the signatures
            log_signatures(result, chosen, plan.log)
        result.check_scores()


def _sacrebleu_output(plan: Plan, arguments: argparse.Namespace) -> SacrebleuOutput | None:
    """Returns what the flags of sacreBLEU change of the run; `None` if there are none."""
    given = {name for name, value in vars(arguments).items() if value}
    if DESTINATIONS.isdisjoint(given) and not str(arguments.format).startswith("sacrebleu-"):
        return None
    from metrics_framework.commands.sacrebleu_output import SacrebleuOutput

    return SacrebleuOutput(arguments, len(plan.input_files) if arguments.outputs else None)


def _chosen_profile(arguments: argparse.Namespace, config: Mapping[str, Any]) -> Profile | None:
    from metrics_framework.evaluation.profiles.profile import load_profile

    spec = arguments.profile or config.get("profile")
    return None if spec is None else load_profile(spec)


MACRO, MICRO, TABLE = "macro_output_json", "micro_output_jsonl", "table"


def refuse_sets(column: str, plan: Plan, has_habits: bool) -> None:
    """Rejects what ``--by`` cannot be combined with.

    Raises:
        UsageError: if there is such a flag or output.
    """
    if plan.engine is not None:
        raise UsageError(f"--by {column} scores on this machine; leave out --engine, or use --where {column}=VALUE")
    if MICRO in plan.outputs:
        raise UsageError(
            f"--by {column} writes no output scores, because sets may have the same ids; use --where {column}=VALUE "
            "for each set"
        )
    if has_habits:
        raise UsageError(
            f"--by {column} has no output as sacreBLEU; leave out its flags, or use --where {column}=VALUE"
        )


def run_sets(
    column: str,
    plan: Plan,
    arguments: argparse.Namespace,
    profile: Profile | None,
    *,
    has_habits: bool,
) -> None:
    """Scores the sets, writes the requested files, and prints the table.

    Raises:
        UsageError: if a flag or an output cannot be combined with sets.
    """
    from metrics_framework.evaluation.sets import evaluate_sets

    refuse_sets(column, plan, has_habits)
    resampling = chosen_resampling(arguments, plan.config, by_default=profile is not None)
    chosen = chosen_format(arguments)
    if not plan.outputs:
        standard_output()  # fails before scoring if it is closed
    macro, table_file = plan.outputs.get(MACRO), plan.outputs.get(TABLE)
    with output_files() as opened:
        macro_stream = opened.open(macro) if macro else None
        table_stream = opened.open(table_file) if table_file else None
        result = evaluate_sets(
            column,
            plan.reader,
            plan.input_files,
            plan.metrics,
            plan.log,
            duplicates=plan.duplicates,
            jobs=plan.jobs,
            resampling=resampling,
            baseline=arguments.baseline or plan.config.get("baseline"),
            force=arguments.force,
        )
        table = printed_table(result, arguments, chosen, profile)
        if table_stream is not None:
            table_stream.write(table + "\n")
        if macro_stream is not None:
            macro_stream.write(to_json(result.as_json(), indent=2) + "\n")
    for path, content in ((macro, "system scores"), (table_file, "the table")):
        if path not in (None, STANDARD):
            plan.log.note(f"wrote {content} to {path}")
    if table_file is None and not (arguments.silent and plan.outputs):
        print_result(f"{table}\n", to_error=macro == STANDARD)
    for name, evaluation in result.sets.items():
        log_signatures(evaluation, chosen, plan.log, f"{name}: ")
    result.check_scores()
