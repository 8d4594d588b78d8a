"""A report on the run of an output folder: its input files, and the rows of its parts as a file of scores."""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from metrics_framework.common.errors import DataError, UsageError

if TYPE_CHECKING:
    from metrics_framework.dataset_readers.dataset_reader import DatasetReader


@contextmanager
def rows_of_parts(path: str, arguments: argparse.Namespace) -> Iterator[DatasetReader]:
    """Sets the input files and the files of scores to those of an output folder, and returns its reader.

    Args:
        path: The output folder of ``fw evaluate`` or ``fw score``.
        arguments: The arguments of the command.

    Raises:
        UsageError: if outputs are also given otherwise.
        DataError: if the folder is incomplete or damaged, or an input file has changed since the run.
    """
    from metrics_framework.evaluation.parts.stored_run import StoredRun

    if arguments.outputs or arguments.input_files:
        raise UsageError("--parts names outputs, as --outputs and --input-files do; use only one of them")
    if arguments.columns or arguments.where:
        raise UsageError("--parts reads the rows that the run has scored; leave out --columns and --where")
    run = StoredRun(path)
    run.check_complete()
    if os.getcwd() != run.plan.working_folder and not all(map(os.path.isabs, run.plan.paths)):
        raise UsageError(f"the run in '{path}' has paths relative to '{run.plan.working_folder}'; start fw there")
    change = run.plan.change()
    if change is not None:
        raise DataError(f"has changed since its outputs were scored ({change[1]}); score them again", change[0])
    with tempfile.TemporaryDirectory(prefix="fw-report-") as folder:
        rows = os.path.join(folder, f"{os.path.basename(os.path.normpath(path))}.jsonl")
        with open(rows, "w", encoding="utf-8") as stream:
            run.write_rows(stream.write)
        arguments.input_files = run.plan.paths
        arguments.scores_files = [rows, *arguments.scores_files]
        yield run.plan.loaded_reader()
