"""``fw evaluate --by COLUMN``: one table over several test sets."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from metrics_framework.commands.confidence_arguments import chosen_resampling
from metrics_framework.commands.table_arguments import chosen_format, log_signatures, printed_table
from metrics_framework.common.errors import UsageError
from metrics_framework.io.jsonl import to_json
from metrics_framework.io.reading import STANDARD
from metrics_framework.io.writing import output_files, print_result, standard_output

if TYPE_CHECKING:
    from metrics_framework.commands.scoring_command import Plan
    from metrics_framework.evaluation.profiles.profile import Profile

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
