"""Instances in batches, checked before they are scored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any, Literal

from metrics_framework.common.errors import (
    MOST_PROBLEMS_SHOWN,
    DataError,
    FwError,
    PluginError,
    Problems,
    UsageError,
    failed_at,
    message_of,
)
from metrics_framework.common.logs import Log
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.data.texts import as_string, shown
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.evaluation.input.column_batch import Columns
from metrics_framework.evaluation.input.duplicates import Duplicate, DuplicateFinder
from metrics_framework.evaluation.input.row_validation import RowValidator
from metrics_framework.metrics.base.labelled_metric import LabelledMetric

BATCH = 2048
IN_MEMORY = 1 << 13
FLAGS = {"source": "--sources", "references": "--references"}
Duplicates = Literal["error", "first", "last"]


@dataclass
class InputSummary:
    """What was seen of the input.

    Attributes:
        outputs: Summarizer id to its number of outputs.
        types: Summarizer id to its type.
        references: Least and greatest number of references.
        own_text: Outputs of type ``reference`` whose own text is among their references.
        skipped: Duplicate outputs that were left out because the user chose so.
        num_instances: The number of inputs, known when all was read.
    """

    outputs: dict[str, int] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    references: tuple[int, int] | None = None
    own_text: int = 0
    skipped: int = 0
    num_instances: int = 0

    def add(self, batch: Columns) -> None:
        """Takes note of outputs."""
        for (system, _), count in batch.outputs.items():
            self.outputs[system] = self.outputs.get(system, 0) + count
        given, kinds = batch.column("references")
        counts = set(map(len, given if kinds == {list} else filter(_is_list, given)))
        if counts:
            least, greatest = self.references or (min(counts), max(counts))
            self.references = (min(least, *counts), max(greatest, *counts))
        if any(kind == "reference" for _, kind in batch.outputs):
            self.own_text += sum(map(_has_own_text, batch.instances))

    @property
    def number_of_references(self) -> str:
        """The number of references as a signature has it: ``8``, or ``1-10`` where it varies."""
        if self.references is None:
            return "0"
        least, greatest = self.references
        return str(least) if least == greatest else f"{least}-{greatest}"

    def tell(self, log: Log) -> None:
        """Warns of what may mislead: outputs compared with themselves, rows left out."""
        if self.own_text:
            log.warn(
                f"{self.own_text} outputs of type 'reference' have their own text among their references, "
                f"which inflates their scores; take it out of the references of those rows"
            )
        if self.skipped:
            log.warn(f"{self.skipped} duplicate outputs were left out, as --duplicates asks")

    def tell_missing(self, log: Log) -> None:
        """Warns of systems whose scores are over fewer inputs than those of others."""
        short = {name: count for name, count in self.outputs.items() if count < self.num_instances}
        peers_short = [name for name in short if self.types[name] == "peer"]
        if peers_short and len(self.outputs) > 1:
            listing = ", ".join(f"'{name}' {short[name]}" for name in sorted(peers_short)[:5])
            log.warn(
                f"{len(peers_short)} of {len(self.outputs)} systems have outputs for fewer than all "
                f"{self.num_instances} inputs ({listing}{', …' if len(peers_short) > 5 else ''}); "
                f"their scores are not over the same inputs"
            )


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple))


def _has_own_text(instance: EvalInstance) -> bool:
    references = instance.fields.get("references") or ()
    if instance.summarizer_type != "reference" or "summary" not in instance.fields or not _is_list(references):
        return False
    own = as_string(instance.fields["summary"])
    return own in map(as_string, references)


def checked_batches(
    reader: DatasetReader,
    input_files: Sequence[str],
    metrics: Sequence[LabelledMetric],
    seen: InputSummary,
    duplicates: Duplicates = "error",
    size: int = BATCH,
    in_memory: int = IN_MEMORY,
) -> Iterator[Sequence[EvalInstance]]:
    """Gives the instances in batches; each batch was checked in full before it is given.

    From the first problem on, nothing more is given, but the input is read to its end, so that all problems are
    reported together. Memory does not grow with the input, but for ``duplicates`` other than ``error``: ``first`` keeps
    a hash of every output, up to 100 bytes, ``last`` keeps the outputs.

    Args:
        reader: Reads the files.
        input_files: The files.
        metrics: The metrics; their fields must be there.
        seen: Takes note of what was read.
        duplicates: What to do with a second output of one system for one input.
        size: Instances in a batch, at most.
        in_memory: How many outputs are remembered in memory; a duplicate of another one is found at the end.

    Raises:
        DataError: if a row is not as it must be, or there are no rows.
        UsageError: if the reader cannot give a field that a metric needs.
        OSError: if the disk cannot hold what memory does not.
    """
    _check_fields(reader, metrics)
    unread, unfit, repeated = Problems(), Problems(), Problems()
    checks = RowValidator(metrics, seen.types)
    with closing(DuplicateFinder(in_memory)) as finder:
        for every in _chosen(_read(reader, input_files, unread, size), seen, duplicates, size):
            batch = _fit(every, checks, unfit)
            paths, lines = [one.path for one in batch.instances], [one.line for one in batch.instances]
            _add_all(repeated, finder.add(batch.ids, batch.systems, paths, lines))
            seen.add(batch)
            if batch.instances and not (unread or unfit or repeated):
                yield batch.instances
        _raise_any([unread, unfit, repeated, _late(finder)], input_files)
        seen.num_instances = finder.num_instances
    if not seen.outputs:
        raise DataError("holds no outputs; there is nothing to score", ", ".join(input_files))


def _check_fields(reader: DatasetReader, metrics: Sequence[LabelledMetric]) -> None:
    """Refuses at once what no row could have."""
    provided = reader.provides()
    if provided is None:
        return
    for metric in metrics:
        for name in metric.fields:
            if name not in provided:
                flag = FLAGS.get(name) if hasattr(reader, "sources") else None
                raise UsageError(
                    f"the metric '{metric.name}' needs '{name}', which the dataset reader '{reader.registered_name}' "
                    f"does not give here; {f'{flag} FILE does' if flag else 'fw list readers shows others'}"
                )


def _read(reader: DatasetReader, input_files: Sequence[str], problems: Problems, size: int) -> Iterator[Columns]:
    """Gives what a reader gives, in batches, and turns what it fails with into an error of ours."""
    try:
        instances = iter(reader.instances(reader.checked_files(input_files), problems))
        while batch := list(islice(instances, size)):
            yield _checked_columns(batch)
    except (FwError, MemoryError):
        raise
    except Exception as error:
        name = reader.registered_name or type(reader).__name__
        raise PluginError(f"the dataset reader '{name}' failed{failed_at(error)}: {message_of(error)}") from error


def _checked_columns(batch: Sequence[Any]) -> Columns:
    if set(map(type, batch)) == {EvalInstance}:
        columns = Columns(batch)
        if set(map(type, chain(columns.ids, columns.systems, set(columns.types)))) == {str}:
            return columns
    for one in batch:
        if not isinstance(one, EvalInstance) or not _has_strings(one):
            raise TypeError(f"must give instances of EvalInstance whose type and ids are strings, got {shown(one)}")
    columns = Columns(batch)
    columns.ids, columns.systems = list(map(str, columns.ids)), list(map(str, columns.systems))
    return columns


def _has_strings(instance: EvalInstance) -> bool:
    named = (instance.instance_id, instance.summarizer_id, instance.summarizer_type)
    return all(isinstance(one, str) for one in named)


def _chosen(batches: Iterator[Columns], seen: InputSummary, duplicates: Duplicates, size: int) -> Iterator[Columns]:
    """Gives the instances; where the first of duplicates counts or the last does, only that one."""
    if duplicates == "error":
        yield from batches
    elif duplicates == "first":
        known: set[int] = set()
        for batch in batches:
            hashes = map(hash, zip(batch.ids, batch.systems, strict=True))
            new: dict[int, EvalInstance] = {}
            for key, one in zip(hashes, batch.instances, strict=True):
                if key not in known:
                    new.setdefault(key, one)
            known.update(new)
            seen.skipped += len(batch.instances) - len(new)
            yield Columns(list(new.values()))
    else:
        last: dict[tuple[str, str], EvalInstance] = {}
        for batch in batches:
            seen.skipped += len(batch.instances)
            last.update(zip(zip(batch.ids, batch.systems, strict=True), batch.instances, strict=True))
        seen.skipped -= len(last)
        instances = iter(last.values())
        while chosen := list(islice(instances, size)):
            yield Columns(chosen)


def _fit(batch: Columns, checks: RowValidator, problems: Problems) -> Columns:
    """Returns the rows that can be scored, and puts into ``problems`` why others cannot."""
    unfit = checks.unfit(batch)
    if not unfit:
        return batch
    for problem in unfit.values():
        problems.add(problem)
    return Columns([one for number, one in enumerate(batch.instances) if number not in unfit])


def _late(finder: DuplicateFinder) -> Problems:
    duplicates, count = finder.finish()
    problems = Problems()
    _add_all(problems, duplicates)
    problems.count = count
    return problems


def _add_all(problems: Problems, duplicates: Sequence[Duplicate]) -> None:
    for duplicate in duplicates:
        (path, line), (first_path, first_line) = duplicate.position, duplicate.first
        where = f"line {first_line}" if first_path == path else f"{first_path}:{first_line}"
        message = (
            f"is a second output of '{duplicate.summarizer_id}' for '{duplicate.instance_id}'; the first is in {where} "
            f"(--duplicates first or last chooses one)"
        )
        problems.add(DataError(message, path, line))


def _raise_any(kinds: Sequence[Problems], input_files: Sequence[str]) -> None:
    """Raises what was found, if anything; problems of several kinds in the order of the files and lines."""
    joined = Problems()
    joined.kept = [problem for kind in kinds for problem in kind.kept]
    joined.count = sum(kind.count for kind in kinds)
    if sum(map(bool, kinds)) > 1:
        numbers = {path: number for number, path in reversed([*enumerate(input_files)])}
        joined.kept.sort(key=lambda problem: (numbers.get(problem.path or "", len(numbers)), problem.line or 0))
    del joined.kept[MOST_PROBLEMS_SHOWN:]
    joined.raise_any()
