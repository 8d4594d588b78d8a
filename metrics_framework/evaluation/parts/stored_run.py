"""Joins the parts of an output folder: the same scores, files and errors as those of one process."""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from functools import cached_property, partial
from itertools import chain, islice, pairwise
from typing import BinaryIO

from metrics_framework.common.errors import DataError, UnknownNameError, UsageError
from metrics_framework.common.logs import Log
from metrics_framework.evaluation.input.summary import InputSummary
from metrics_framework.evaluation.json_rows import RowWriter
from metrics_framework.evaluation.parts.folder import Checksummed, digest_of, done_of, incomplete_parts, part_names
from metrics_framework.evaluation.parts.merged_input import checked
from metrics_framework.evaluation.parts.part import PartResult, PartSource
from metrics_framework.evaluation.parts.run_plan import PLAN, RunPlan
from metrics_framework.evaluation.parts.stored_part import StoredPart
from metrics_framework.evaluation.run import joined
from metrics_framework.evaluation.sorted_rows import ScoredRows
from metrics_framework.evaluation.storage.external_sort import ROWS_IN_MEMORY, ExternalSort
from metrics_framework.evaluation.system_scores import Evaluation, Totals
from metrics_framework.evaluation.unscored_outputs import UnscoredOutputs
from metrics_framework.io.folders import Folder
from metrics_framework.io.locations import is_remote
from metrics_framework.io.open_files import OpenFile
from metrics_framework.metrics.base.labelled_metric import LabelledMetric

MACRO = "macro.json"
"""The file of system scores in an output folder."""
MAX_DRAWN = 2_000_000
"""The greatest number of outputs whose scores are kept in memory for intervals."""
_PARTS_NAMED = 10
_BYTES_READ = 1 << 20


class StoredRun:
    """The run of an output folder. It reads one part after the other, so that memory does not grow with the rows.

    Args:
        path: The folder.

    Raises:
        DataError: if it has no run of this version of fw.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.folder = Folder(path)
        if not self.folder.exists(PLAN):
            found = "has no plan.json" if os.path.isdir(path) or is_remote(path) else "does not exist"
            what = f"the file '{path}' is not a folder" if os.path.isfile(path) else f"the folder '{path}' {found}"
            raise DataError(f"{what}; pass the output folder of fw evaluate or fw score")
        data = self.folder.read(PLAN)
        self.plan = RunPlan.from_bytes(data, self.folder.path_of(PLAN))
        self._digest = digest_of(data)

    @cached_property
    def metrics(self) -> list[LabelledMetric]:
        """The metrics.

        Raises:
            UsageError: if one is not available here.
        """
        try:
            return self.plan.loaded_metrics()
        except UnknownNameError as error:  # a plan from elsewhere must not choose what is imported
            plugins = " ".join(self.plan.plugins[0].values()) if self.plan.plugins else ""
            hint = f"; this run used plug-ins: --include-packages {plugins}" if plugins else ""
            raise UsageError(f"{error}{hint}") from None
        except (TypeError, ValueError, KeyError):
            raise DataError("is not the plan of a run of fw", self.folder.path_of(PLAN)) from None

    @property
    def draws(self) -> bool:
        """Whether intervals are computed from draws of inputs, which need the scores of all outputs in memory."""
        return self.plan.resampling is not None and self.plan.resampling.scheme == "draws"

    def incomplete(self) -> list[int]:
        """Returns the parts that are not complete, counted from 0."""
        return incomplete_parts(self.folder, len(self.plan.parts), self._digest)

    def remove_others(self) -> None:
        """Removes the files of an earlier run that this run does not replace.

        Files of parts with the same names stay: another process of this run may have written them, and those of another
        run do not count as complete.
        """
        own = {name for number in range(len(self.plan.parts)) for name in part_names(number).values()}
        for name in self.folder.names():
            if _is_of_a_run(name) and name != PLAN and name not in own:
                self.folder.remove(name)

    def check_plan(self) -> None:
        """Checks that the plan in the folder is still that of this run.

        Raises:
            DataError: if it is not.
        """
        if not self.folder.exists(PLAN) or digest_of(self.folder.read(PLAN)) != self._digest:
            raise DataError(f"another run has replaced this run in '{self.path}'; run this command in another folder")

    def check_complete(self) -> None:
        """Raises an error if parts are not complete.

        Raises:
            DataError: if a part is incomplete; it names the parts and how to continue.
        """
        missing, count = self.incomplete(), len(self.plan.parts)
        if not missing:
            return
        named = ", ".join(str(number + 1) for number in missing[:_PARTS_NAMED])
        more = ", …" if len(missing) > _PARTS_NAMED else ""
        parts = "part" if len(missing) == 1 else "parts"
        other = f", or with --part {missing[0] + 1}/{count}" if self.plan.part_size is None else ""
        raise DataError(
            f"the run in '{self.path}' is incomplete: {len(missing)} of {count} parts must still be scored ({parts} "
            f"{named}{more}); run its command again with --resume{other}"
        )

    def outputs(self, number: int) -> int:
        """Returns the number of outputs of a complete part."""
        return int((done_of(self.folder, number, self._digest) or {}).get("outputs", 0))

    def problems(self, number: int) -> int:
        """Returns the number of problems of a complete part."""
        return int((done_of(self.folder, number, self._digest) or {}).get("problems", 0))

    def evaluation(self, log: Log, *, force: bool) -> Evaluation:
        """Returns the scores of systems.

        Args:
            log: Receives warnings.
            force: Whether outputs are known to be detokenized, even if they look tokenized.

        Raises:
            DataError: if the input is invalid, or a file of the folder is damaged.
            UsageError: if two metrics have a score of the same name, or there are too many outputs for intervals.
        """
        if self.draws:
            check_drawn(sum(map(self.outputs, range(len(self.plan.parts)))))
        scoring = self.plan.scoring(self.metrics)
        totals = Totals(scoring._replace(counts_tokenized=scoring.counts_tokenized and not force))
        with closing(self._results(totals.summary, log)) as parts:
            for part in parts:
                totals.add(part)
        return totals.evaluation(log, self.plan.resampling, self.plan.options.get("baseline"))

    def check_scores(self, log: Log) -> ScoredRows:
        """Checks the input of a run of ``score``, and returns how many outputs there are.

        Raises:
            DataError: if the input is invalid, or a file of the folder is damaged.
        """
        summary, unscored = InputSummary(), UnscoredOutputs(self.metrics)
        with closing(self._results(summary, log)) as parts:
            for part in parts:
                unscored.merge(part.unscored)
        return ScoredRows(summary, unscored, log)

    def write_rows(self, write: Callable[[str], object]) -> None:
        """Writes the rows of all parts: those of ``evaluate`` in the order of the input, those of ``score`` sorted.

        Args:
            write: Receives strings of complete rows; the first row has the signatures.

        Raises:
            DataError: if a file of the folder is damaged.
        """
        order = self._order()
        with RowWriter(write, self.metrics) as rows:
            if order is None:
                for lines in self._sorted_rows():
                    rows.write("".join(lines))
            elif sys.platform == "linux" and not is_remote(self.path):
                for number in order:
                    with self._rows_file(number) as file:
                        rows.write_file(file)
            else:
                for lines in chain.from_iterable(map(self._rows_of, order)):
                    rows.write("".join(lines))

    def _order(self) -> list[int] | None:
        """Returns the parts in the order of their rows; `None` if the rows of several parts are mixed."""
        numbers = range(len(self.plan.parts))
        if self.plan.command == "evaluate":
            return list(numbers)
        ranges = []
        for number in numbers:
            with self._opened(number) as stored:
                if (keys := stored.key_range()) is not None:
                    ranges.append((*keys, number))
        ranges.sort()
        is_mixed = any(one[1] >= following[0] for one, following in pairwise(ranges))
        return None if is_mixed else [number for _, _, number in ranges]

    def _results(self, summary: InputSummary, log: Log) -> Generator[PartResult, None, None]:
        """Returns the results of the parts, up to the first problem; the others are still checked."""
        parts = checked(self._stored_results(), self.plan.paths, summary, self._ids)
        return joined(PartSource(parts), self.metrics, log)

    def _stored_results(self) -> Iterator[PartResult]:
        new_collector = self.plan.scoring(self.metrics).new_collector
        for number in range(len(self.plan.parts)):
            with self._opened(number) as stored:
                result = stored.result(new_collector)
            yield result

    @contextmanager
    def _opened(self, number: int) -> Iterator[StoredPart]:
        """Opens the results of a part.

        Raises:
            DataError: if they belong to another file of rows than the mark of completion.
        """
        name = part_names(number)["results"]
        with self.folder.open(name) as stream:
            self._check(stream, number, "results")
            yield StoredPart(stream, self.folder.path_of(name))

    @contextmanager
    def _rows_file(self, number: int) -> Iterator[OpenFile]:
        """Opens the rows of a part.

        Raises:
            DataError: if they are not those that were written last.
        """
        with self.folder.open(part_names(number)["rows"]) as stream:
            self._check(stream, number, "rows")
            yield OpenFile(stream.fileno())

    def _check(self, stream: BinaryIO, number: int, kind: str) -> None:
        """Checks a file of a part, and returns to its start.

        Raises:
            DataError: if it is not the one that was written last.
        """
        blocks = Checksummed(iter(partial(stream.read, _BYTES_READ), b""))
        deque(blocks, maxlen=0)
        self._compare(blocks, number, kind)
        stream.seek(0)

    def _compare(self, blocks: Checksummed, number: int, kind: str) -> None:
        if blocks.identity() != (done_of(self.folder, number, self._digest) or {}).get(kind):
            raise self._damaged(number, part_names(number)[kind])

    def _damaged(self, number: int, name: str) -> DataError:
        message = f"is damaged; delete {part_names(number)['done']}, and run the command again with --resume"
        return DataError(message, self.folder.path_of(name))

    def _ids(self, number: int) -> bytes:
        with self._opened(number) as stored:
            return stored.ids()

    def _rows_of(self, number: int) -> Iterator[list[str]]:
        """Yields the rows of a part in lists.

        Raises:
            DataError: if they are not those that were written last.
        """
        with self.folder.open(part_names(number)["rows"]) as stream:
            lines = iter(partial(stream.readlines, _BYTES_READ), [])
            blocks = Checksummed(map(b"".join, lines))
            for block in blocks:
                yield [line.decode() for line in block.splitlines(keepends=True)]
        self._compare(blocks, number, "rows")

    def _sorted_rows(self) -> Iterator[list[str]]:
        """Yields the rows of all parts, sorted, in lists."""
        with closing(ExternalSort()) as sort:
            for number in range(len(self.plan.parts)):
                with self._opened(number) as stored:
                    lines = (line for block in self._rows_of(number) for line in block)
                    pairs = zip(stored.keys(), lines, strict=True)
                    while some := list(islice(pairs, ROWS_IN_MEMORY)):
                        sort.add(some)
            for block in sort.sorted_blocks():
                yield [line for _, line in block]


def check_drawn(outputs: int) -> None:
    """Checks that intervals can be computed from the scores of all outputs.

    Raises:
        UsageError: if there are too many.
    """
    if outputs > MAX_DRAWN:
        raise UsageError(
            f"intervals that draw inputs keep the scores of all outputs in memory, of {MAX_DRAWN:,} at most, and this "
            f"run has {outputs:,} or more; use --resampling poisson, whose memory does not grow"
        )


def prepared_folder(
    path: str, new: Callable[[int | None, int | None], RunPlan], *, resume: bool, force: bool, of_one_part: bool
) -> StoredRun:
    """Writes the plan of a run to an output folder, or checks that the folder has the same plan.

    Args:
        path: The folder.
        new: Returns the plan, given the size and the number of parts of the plan in the folder, if there is one.
        resume: Whether to continue the run in the folder.
        force: Whether to replace the run in the folder.
        of_one_part: Whether this process scores one part, and other processes score other parts.

    Raises:
        DataError: if the folder has the plan of another version.
        ProcessError: if the run in the folder was planned with another version of Python's Unicode tables.
        UsageError: if the folder has another run, a run although ``resume`` is not set, or other files.
    """
    folder = Folder(path)
    if folder.exists(PLAN) and (resume or of_one_part):
        run = StoredRun(path)
        plan = new(run.plan.part_size, len(run.plan.parts) if run.plan.part_size is None else None)
        _check_equal(run, plan)
        return run
    plan = new(None, None)
    _refuse_read(path, plan)
    if not force:
        _refuse_used(folder, path, of_one_part)
    folder.create()
    for name in filter(_is_of_a_run, sorted(folder.names(), key=PLAN.__ne__) if force and not of_one_part else []):
        folder.remove(name)  # the plan first
    is_new = folder.write_new(PLAN, plan.as_bytes())
    run = StoredRun(path)
    _check_equal(run, plan)  # another process may have written it
    if is_new and not of_one_part:
        run.remove_others()
    return run


def _refuse_read(path: str, plan: RunPlan) -> None:
    """Rejects an output folder in a folder that the run reads, whose content each part would change."""
    folder = os.path.realpath(path)
    for read in (file["path"] for file in plan.other_files if "files" in file):
        if not is_remote(path) and f"{folder}{os.sep}".startswith(f"{os.path.realpath(read)}{os.sep}"):
            raise UsageError(f"'{path}' is in the folder '{read}', which the run reads; use another folder")


def _check_equal(run: StoredRun, plan: RunPlan) -> None:
    run.plan.check_unicode(run.path)
    difference = run.plan.difference(plan)
    if difference:
        raise UsageError(
            f"the run in '{run.path}' is a different one ({difference}); use another folder, or --force to replace it"
        )


def _refuse_used(folder: Folder, path: str, of_one_part: bool) -> None:
    names = folder.names()
    if PLAN in names and not of_one_part:
        raise UsageError(
            f"'{path}' has a run already; use --resume to continue it, another folder, or --force to replace it"
        )
    others = [name for name in names if not _is_of_a_run(name)]
    if others:
        raise UsageError(f"'{path}' has other files, such as '{others[0]}'; use a new or an empty folder")


def _is_of_a_run(name: str) -> bool:
    return name in (PLAN, MACRO) or (name.startswith("part-") and name.endswith((".done.json", ".jsonl", ".results")))
