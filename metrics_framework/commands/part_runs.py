"""Runs over parts into an output folder, for ``evaluate``, ``score`` and ``collect``."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from metrics_framework.commands.table_arguments import chosen_format, log_signatures, printed_table
from metrics_framework.common.errors import PARQUET, FwError, UsageError, counted
from metrics_framework.common.logs import Log, progress
from metrics_framework.evaluation.parts.engines import Engine, LocalEngine, engine_of
from metrics_framework.evaluation.parts.folder import score_part_into
from metrics_framework.evaluation.parts.run_plan import RunPlan, new_plan
from metrics_framework.evaluation.parts.stored_run import MACRO, StoredRun, check_drawn, prepared_folder
from metrics_framework.evaluation.profiles.profile import load_profile
from metrics_framework.evaluation.storage.parquet_rows import parquet_rows
from metrics_framework.io.jsonl import to_json
from metrics_framework.io.locations import is_remote
from metrics_framework.io.reading import STANDARD, splittable_size
from metrics_framework.io.writing import OutputFiles, output_files, print_result

if TYPE_CHECKING:
    from metrics_framework.commands.scoring_command import Plan, ScoringCommand

OUTPUT_NAMES = {
    "table": "the table",
    "macro_output_json": "system scores",
    "micro_output_jsonl": "output scores",
    "output_jsonl": "output scores",
}


def refuse_flags(arguments: argparse.Namespace, plan: Plan, has_habits: bool) -> None:
    """Rejects flags that an output folder does not support.

    Args:
        arguments: The flags.
        plan: The inputs and outputs of the run.
        has_habits: Whether flags of sacreBLEU change what is printed.

    Raises:
        UsageError: if there is such a flag.
    """
    if has_habits:
        raise UsageError(
            "flags that print or test as sacreBLEU does need all outputs in one process; leave them out, or use output "
            f"files in place of the output folder '{plan.folder}'"
        )
    if arguments.part and plan.outputs:
        raise UsageError(
            f"--part scores one part; when all parts are complete, write '{next(iter(plan.outputs.values()))}' with: "
            f"fw collect {plan.folder} …"
        )


def scored_run(
    command: ScoringCommand, plan: Plan, arguments: argparse.Namespace, name: str, options: Mapping[str, Any]
) -> StoredRun | None:
    """Scores the parts of a run that are not complete yet.

    Args:
        command: The command; receives the state of the folder for the message of an interrupted run.
        plan: The inputs and outputs of the run.
        arguments: The flags.
        name: ``evaluate`` or ``score``.
        options: The settings that results depend on.

    Returns:
        The run; `None` if this process scored one part only.

    Raises:
        UsageError: if the run cannot be divided into parts, or the folder has another run.
        FwError: if a part failed repeatedly.
    """
    engine = engine_of(arguments.cluster, arguments.cluster_timeout) if arguments.cluster else LocalEngine(plan.jobs)
    folder = str(plan.folder)

    def new(part_size: int | None, count: int | None) -> RunPlan:
        chosen = arguments.part_size or part_size
        count = arguments.part[1] if arguments.part else None if arguments.part_size else count
        return new_plan(
            name,
            plan.metrics,
            plan.reader,
            plan.input_files,
            duplicates=plan.duplicates,
            part_size=chosen,
            count=count,
            options=options,
        )

    run = prepared_folder(
        folder, new, resume=arguments.resume, force=arguments.force, of_one_part=arguments.part is not None
    )
    parts, wanted = len(run.plan.parts), run.incomplete()
    if arguments.part:
        wanted = [number for number in wanted if number == arguments.part[0] - 1]
    elif arguments.resume and len(wanted) < parts:
        plan.log.note(f"{parts - len(wanted)} of {counted(parts, 'part')} in {folder} were complete")
    if arguments.cluster:
        _report_whole_files(run, plan.log)
    command.when_interrupted = f"complete parts are in {folder}; --resume continues with the other parts"
    try:
        _score_parts(run, engine, wanted, plan.log)
        run.check_plan()
    except (FwError, OSError):
        run.folder.remove_strays()  # of processes that were ended because of the error
        plan.log.note(f"{parts - len(run.incomplete())} of {counted(parts, 'part')} are complete in {folder}")
        raise
    if not arguments.part:
        return run
    _report_part(run, *arguments.part, was_complete=not wanted, log=plan.log)
    return None


def _report_whole_files(run: StoredRun, log: Log) -> None:
    """Prints which input files cannot be divided, if other processes have nothing to do meanwhile."""
    whole = [path for path in run.plan.paths if splittable_size(path) is None]
    if whole:
        log.note(
            f"{whole[0]} cannot be read in parts (it is compressed or not a file), so one process scores all of it; "
            f"decompress it to use more processes"
        )


def _report_part(run: StoredRun, number: int, count: int, *, was_complete: bool, log: Log) -> None:
    """Prints how to join the parts, and whether a part has problems."""
    done = f"part {number} of {count} {'was complete already' if was_complete else 'is complete'}"
    log.note(f"{done}; when all are, join them with: fw collect {run.path}")
    if problems := run.problems(number - 1):
        log.note(f"part {number} has {counted(problems, 'problem')}; fw collect {run.path} reports the problems")


def _score_parts(run: StoredRun, engine: Engine, wanted: Sequence[int], log: Log) -> None:
    """Scores parts, and shows the progress.

    Raises:
        UsageError: if there are too many outputs for intervals.
        FwError: if a part failed repeatedly.
    """
    folder = run.path if is_remote(run.path) else os.path.abspath(run.path)
    outputs = 0
    if wanted and engine.connects_to:
        log.note(f"connecting to {engine.connects_to}")
    with progress("scored", "parts", log, len(wanted)) as advance:
        for number in engine.completed(score_part_into, folder, wanted):
            advance(1)
            outputs += run.outputs(number)
            if run.draws:
                check_drawn(outputs)


def write_evaluation(
    run: StoredRun, arguments: argparse.Namespace, outputs: Mapping[str, str], log: Log, *, to_folder: bool
) -> None:
    """Prints the table of system scores, and writes the requested files.

    Args:
        run: The run.
        arguments: The flags of the table.
        outputs: The files.
        log: Receives notes and warnings.
        to_folder: Whether to write the file of system scores to the folder.

    Raises:
        FwError: if the run is incomplete, or its input is invalid.
        UndefinedScoresError: if all scores are undefined, after all files are written.
    """
    run.check_complete()
    run.folder.remove_strays()
    chosen, spec = chosen_format(arguments), run.plan.options.get("profile")
    macro, micro = outputs.get("macro_output_json"), outputs.get("micro_output_jsonl")
    with output_files() as opened, ExitStack() as stack:
        macro_stream = opened.open(macro) if macro else None
        write = stack.enter_context(_rows_file(opened, micro)) if micro else None
        table_stream = opened.open(outputs["table"]) if "table" in outputs else None
        result = run.evaluation(log, force=arguments.force)
        table = printed_table(result, arguments, chosen, None if spec is None else load_profile(spec))
        content = to_json(result.as_json(), indent=2) + "\n"
        if table_stream is not None:
            table_stream.write(table + "\n")
        if macro_stream is not None:
            macro_stream.write(content)
        if write is not None:
            run.write_rows(write)
        if to_folder:
            run.folder.write(MACRO, content.encode())
    written = {"macro_output_json": run.folder.path_of(MACRO)} if to_folder else {}
    for name, path in [*written.items(), *outputs.items()]:
        if path != STANDARD:
            log.note(f"wrote {OUTPUT_NAMES[name]} to {path}")
    if "table" not in outputs and not (arguments.silent and (outputs or to_folder)):
        print_result(f"{table}\n", to_error=STANDARD in (macro, micro))
    log_signatures(result, chosen, log)
    result.check_scores()


@contextmanager
def _rows_file(opened: OutputFiles, path: str) -> Iterator[Callable[[str], object]]:
    """Opens a file of rows, JSONL or Parquet by its ending, and yields the function that writes rows."""
    if not path.endswith(PARQUET):
        yield opened.open(path).write
        return
    with parquet_rows(opened, path) as write:
        yield write


def write_scores(run: StoredRun, path: str | None, log: Log) -> None:
    """Checks the input of a run of ``score`` and, if a file is given, joins its parts.

    Args:
        run: The run.
        path: The file; `None` to leave the rows in their parts.
        log: Receives notes and warnings.

    Raises:
        FwError: if the run is incomplete, or its input is invalid.
        UndefinedScoresError: if all scores are undefined, after all files are written.
    """
    run.check_complete()
    run.folder.remove_strays()
    if path is None:
        scored = run.check_scores(log)
        log.note(f"scored {counted(scored.count, 'output')}; join them with: fw collect {run.path} scores.jsonl")
        scored.check()
        return
    with output_files() as opened, _rows_file(opened, path) as write:
        scored = run.check_scores(log)
        run.write_rows(write)
    if path != STANDARD:
        log.note(f"wrote the scores of {counted(scored.count, 'output')} to {path}")
    scored.check()
