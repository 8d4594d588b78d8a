"""Instances in batches, checked before they are scored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from metrics_framework.common.errors import (
    DataError,
    FwError,
    InputError,
    PluginError,
    Problems,
    UsageError,
    failed_at,
    message_of,
)
from metrics_framework.common.logs import Log
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.data.fields import check_field
from metrics_framework.data.texts import as_string, shown
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.evaluation.labels import LabelledMetric

BATCH = 2048
MOST_LINES = 1 << 40
FLAGS = {"source": "--sources", "references": "--references"}
Duplicates = Literal["error", "first", "last"]


@dataclass
class Seen:
    """What was seen of the input, in memory that grows by some 130 bytes an output.

    Attributes:
        outputs: Summarizer id to its number of outputs.
        types: Summarizer id to its type.
        references: Least and greatest number of references.
        own_text: Outputs of type ``reference`` whose own text is among their references.
        skipped: Duplicate outputs that were left out because the user chose so.
        places: Where each output stands.
        instances: The hashes of the instance ids.
    """

    outputs: dict[str, int] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    references: tuple[int, int] | None = None
    own_text: int = 0
    skipped: int = 0
    places: Places = field(default_factory=lambda: Places())
    instances: set[int] = field(default_factory=set)

    def add(self, instance: EvalInstance) -> None:
        """Takes note of one output."""
        system = instance.summarizer_id
        self.outputs[system] = self.outputs.get(system, 0) + 1
        self.types.setdefault(system, instance.summarizer_type)
        self.instances.add(hash(instance.instance_id))
        references = instance.fields.get("references")
        if not isinstance(references, (list, tuple)):
            return
        count = len(references)
        least, greatest = self.references or (count, count)
        self.references = (min(least, count), max(greatest, count))
        if instance.summarizer_type == "reference" and "summary" in instance.fields:
            own = as_string(instance.fields["summary"])
            self.own_text += any(as_string(reference) == own for reference in references)

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
        short = {name: count for name, count in self.outputs.items() if count < len(self.instances)}
        peers_short = [name for name in short if self.types[name] == "peer"]
        if peers_short and len(self.outputs) > 1:
            listing = ", ".join(f"'{name}' {short[name]}" for name in sorted(peers_short)[:5])
            log.warn(
                f"{len(peers_short)} of {len(self.outputs)} systems have outputs for fewer than all "
                f"{len(self.instances)} inputs ({listing}{', …' if len(peers_short) > 5 else ''}); "
                f"their scores are not over the same inputs"
            )


def checked_batches(
    reader: DatasetReader,
    input_files: Sequence[str],
    metrics: Sequence[LabelledMetric],
    seen: Seen,
    duplicates: Duplicates = "error",
    size: int = BATCH,
) -> Iterator[list[EvalInstance]]:
    """Gives the instances in batches; each batch was checked in full before it is given.

    From the first problem on, nothing more is given, but the input is read to its end, so that all problems are
    reported together.

    Args:
        reader: Reads the files.
        input_files: The files.
        metrics: The metrics; their fields must be there.
        seen: Takes note of what was read.
        duplicates: What to do with a second output of one system for one input.
        size: Instances in a batch.

    Raises:
        DataError: if a row is not as it must be, or there are no rows.
        UsageError: if the reader cannot give a field that a metric needs.
    """
    _check_fields(reader, metrics)
    problems = Problems()
    batch: list[EvalInstance] = []
    needed = {name: metric.name for metric in reversed(metrics) for name in metric.fields}
    for instance in _last_ones(reader, input_files, problems, seen, duplicates):
        problem = _problem(instance, needed, seen, duplicates)
        if problem is not None:
            problems.add(problem)
        if problems:
            batch = []
            continue
        seen.add(instance)
        batch.append(instance)
        if len(batch) == size:
            yield batch
            batch = []
    problems.raise_any()
    if not seen.outputs:
        raise DataError("holds no outputs; there is nothing to score", ", ".join(input_files))
    if batch:
        yield batch


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


def _last_ones(
    reader: DatasetReader, input_files: Sequence[str], problems: Problems, seen: Seen, duplicates: Duplicates
) -> Iterator[EvalInstance]:
    """Gives the instances; where the last of duplicates counts or the first does, only that one."""
    instances = _guarded(reader, reader.instances(reader.checked_files(input_files), problems))
    if duplicates == "error":
        yield from instances
        return
    if duplicates == "first":
        for instance in instances:
            if seen.places.add(instance) is None:
                yield instance
            else:
                seen.skipped += 1
        return
    last: dict[tuple[str, str], EvalInstance] = {}
    for instance in instances:
        key = (instance.instance_id, instance.summarizer_id)
        seen.skipped += key in last
        last[key] = instance
    yield from last.values()


def _guarded(reader: DatasetReader, instances: Iterator[EvalInstance]) -> Iterator[EvalInstance]:
    """Turns what a reader fails with into an error of ours."""
    try:
        for instance in instances:
            if not isinstance(instance, EvalInstance) or not _has_ids(instance):
                raise TypeError(f"must give instances of EvalInstance whose ids are strings, got {shown(instance)}")
            yield instance
    except (FwError, MemoryError):
        raise
    except Exception as error:
        name = reader.registered_name or type(reader).__name__
        raise PluginError(f"the dataset reader '{name}' failed{failed_at(error)}: {message_of(error)}") from error


def _has_ids(instance: EvalInstance) -> bool:
    return isinstance(instance.instance_id, str) and isinstance(instance.summarizer_id, str)


def _problem(instance: EvalInstance, needed: dict[str, str], seen: Seen, duplicates: Duplicates) -> DataError | None:
    for name, metric in needed.items():
        if name not in instance.fields:
            there = ", ".join(f"'{field}'" for field in instance.fields) or "no fields"
            return _at(instance, f"misses '{name}', which the metric '{metric}' needs; there is {there}")
        try:
            check_field(name, instance.fields[name])
        except InputError as error:
            return _at(instance, str(error))
    known = seen.types.get(instance.summarizer_id)
    if known is not None and known != instance.summarizer_type:
        return _at(
            instance, f"'{instance.summarizer_id}' is of type '{instance.summarizer_type}' here, '{known}' before"
        )
    return _duplicate(instance, seen) if duplicates == "error" else None


def _duplicate(instance: EvalInstance, seen: Seen) -> DataError | None:
    first = seen.places.add(instance)
    if first is None:
        return None
    path, line = first
    where = f"line {line}" if path == instance.path else f"{path}:{line}"
    return _at(
        instance,
        f"is a second output of '{instance.summarizer_id}' for '{instance.instance_id}'; the first is in {where} "
        f"(--duplicates first or last chooses one)",
    )


class Places:
    """Remembers where each output stands, in some 130 bytes an output whatever its ids are.

    Outputs are told apart by a 64-bit hash of their ids: two of a million are taken for one by chance once in 37
    million runs.
    """

    def __init__(self) -> None:
        self._lines: dict[int, int] = {}
        self._paths: list[str | None] = []

    def add(self, instance: EvalInstance) -> tuple[str | None, int] | None:
        """Takes note of an output; returns file and line of an earlier one of the same ids, if there is one."""
        key = hash((instance.instance_id, instance.summarizer_id))
        known = self._lines.get(key)
        if known is not None:
            number, line = divmod(known, MOST_LINES)
            return self._paths[number], line
        if not self._paths or self._paths[-1] != instance.path:
            self._paths.append(instance.path)
        self._lines[key] = (len(self._paths) - 1) * MOST_LINES + (instance.line or 0)
        return None


def _at(instance: EvalInstance, message: str) -> DataError:
    return DataError(message, instance.path, instance.line)
