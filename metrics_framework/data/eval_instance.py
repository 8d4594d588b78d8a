"""Outputs with the fields that metrics need: one (`EvalInstance`), or consecutive ones of a file as columns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from operator import itemgetter
from typing import Any

from metrics_framework.common.overriding import overrides
from metrics_framework.data.fields import IDENTITY_FIELDS


@dataclass(slots=True)
class EvalInstance:
    """One output of a system.

    Args:
        instance_id: The input.
        summarizer_id: The system.
        summarizer_type: ``peer`` (a system) or ``reference`` (a person).
        fields: The value of each field (``summary``, ``references``, ``source``, ``documents``, …).
        path: The file it was read from, for messages.
        line: The line in that file.
    """

    instance_id: str
    summarizer_id: str
    summarizer_type: str
    fields: dict[str, Any] = field(default_factory=dict)
    path: str | None = None
    line: int | None = None

    def __post_init__(self) -> None:
        self.fields = self.fields or {}  # a reader may pass None


class ColumnBatch:
    """A batch of outputs, with their ids, types and fields as columns.

    Args:
        instances: The outputs.

    Attributes:
        instances: The outputs.
        ids: The ``instance_id`` of each output.
        systems: The ``summarizer_id`` of each output.
        types: The ``summarizer_type`` of each output.
        fields: The fields of each output.
        paths: The file of each output.
        lines: The line or row of each output.
        checksums: A checksum of what must not change within an input, for each output; empty if it is not computed.
    """

    checksums: Sequence[int] = ()

    def __init__(self, instances: Sequence[EvalInstance]) -> None:
        self.instances = instances
        self.ids = [instance.instance_id for instance in instances]
        self.systems = [instance.summarizer_id for instance in instances]
        self.types = [instance.summarizer_type for instance in instances]
        self.fields: list[dict[str, Any]] = [instance.fields for instance in instances]
        self.paths = [instance.path for instance in instances]
        self.lines = [instance.line for instance in instances]
        self._columns: dict[str, list[Any]] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return ColumnBatch, (list(self.instances),)  # sent to another process without the columns

    @cached_property
    def by_system(self) -> dict[str, Sequence[int]]:
        """The indices of the outputs of each system; the systems are in the order of their first outputs."""
        if len(set(self.systems)) == 1:
            return {self.systems[0]: range(len(self.systems))}
        indices = defaultdict[str, list[int]](list)
        for index, system in enumerate(self.systems):
            indices[system].append(index)
        return dict(indices)

    def column(self, name: str) -> list[Any]:
        """Returns the values of a field, `None` for outputs without it; ids and types are fields, too."""
        if name in IDENTITY_FIELDS:
            return {"instance_id": self.ids, "summarizer_id": self.systems, "summarizer_type": self.types}[name]
        if name not in self._columns:
            try:
                self._columns[name] = list(map(itemgetter(name), self.fields))
            except KeyError:
                self._columns[name] = [fields.get(name) for fields in self.fields]
        return self._columns[name]

    @property
    def names(self) -> list[str]:
        """The fields of the outputs."""
        return list(dict.fromkeys(chain.from_iterable(self.fields)))

    def has(self, name: str) -> bool:
        """Returns whether every output has a field."""
        return all(name in fields for fields in self.fields)

    def without_fields(self) -> ColumnBatch:
        """Returns the ids, types and positions of the outputs, which take little room."""
        return _WithoutFields(self.ids, self.systems, self.types, self.paths, self.lines, self.checksums)

    def forget_columns(self) -> None:
        """Drops the cached columns, after a field was replaced."""
        self._columns.clear()


class OutputColumns(ColumnBatch):
    """Consecutive outputs of a file, read as columns; instances are made on first use, which most runs never need.

    Args:
        ids: The input of each output.
        systems: The system of each output.
        types: The type of each output.
        fields: The values of each field; `None` for an output without it.
        path: The file.
        first: The row of the first output, counted from 1.
    """

    def __init__(
        self,
        ids: list[str],
        systems: list[str],
        types: list[str],
        fields: dict[str, list[Any]],
        path: str | None = None,
        first: int = 1,
    ) -> None:
        self.ids, self.systems, self.types, self._read = ids, systems, types, fields
        self.paths = [path] * len(ids)
        self.lines = list(range(first, first + len(ids)))
        self._columns = dict(fields)

    def __len__(self) -> int:
        return len(self.ids)

    def add(self, later: OutputColumns) -> bool:
        """Adds outputs if they have the same fields and follow in the file; returns whether they do."""
        if later.lines[0] != (self.lines[-1] or 0) + 1 or [*later._read] != [*self._read]:
            return False
        for known, new in ((self.ids, later.ids), (self.systems, later.systems), (self.types, later.types)):
            known += new
        self.paths += later.paths
        self.lines += later.lines
        for name, values in later._read.items():
            self._read[name] += values
        return True

    @cached_property
    def instances(self) -> Sequence[EvalInstance]:  # type: ignore[override]
        """The outputs."""
        rows = zip(*self._read.values(), strict=True) if self._read else [()] * len(self.ids)
        fields = [{name: one for name, one in zip(self._read, row, strict=True) if one is not None} for row in rows]
        columns = self.ids, self.systems, self.types, fields, self.paths, self.lines
        return [EvalInstance(*row) for row in zip(*columns, strict=True)]

    @cached_property
    def fields(self) -> list[dict[str, Any]]:  # type: ignore[override]
        """The fields of each output."""
        return [instance.fields for instance in self.instances]

    @overrides
    def column(self, name: str) -> list[Any]:
        if name in self._read or name in IDENTITY_FIELDS:
            return super().column(name)
        return self._columns.setdefault(name, [None] * len(self.ids))

    @property
    @overrides
    def names(self) -> list[str]:
        """The fields of the file."""
        return list(self._read)

    @overrides
    def has(self, name: str) -> bool:
        return None not in self.column(name)


class _WithoutFields(ColumnBatch):
    """The ids, types and positions of outputs, from another process."""

    def __init__(self, *columns: Any) -> None:
        self.ids, self.systems, self.types, self.paths, self.lines, self.checksums = columns
        self.fields = [{}] * len(self.ids)

    def __reduce__(self) -> tuple[Any, ...]:
        return _WithoutFields, (self.ids, self.systems, self.types, self.paths, self.lines, self.checksums)
