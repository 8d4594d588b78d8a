"""Finds duplicates: further outputs of a system for the same input (decision 0010)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, count, islice
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from metrics_framework.common.errors import MAX_PROBLEMS_SHOWN

if TYPE_CHECKING:
    from metrics_framework.evaluation.storage.external_sort import ExternalSort, Row

Output: TypeAlias = tuple[str, str]
"""The ids of an input and of a system."""
Position: TypeAlias = "tuple[str | None, int | None]"
"""The file and line of an output."""


class Duplicate(NamedTuple):
    """A further output of a system for the same input.

    Attributes:
        instance_id: The input.
        summarizer_id: The system.
        position: The file and line of this output.
        first: The file and line of the first output.
    """

    instance_id: str
    summarizer_id: str
    position: Position
    first: Position


@dataclass
class DuplicateFinder:
    """Finds duplicates and counts inputs, in bounded memory.

    The first outputs are kept in memory, so that their duplicates are found immediately. If there are more outputs, all
    of them are sorted on disk, which makes duplicates neighbors.

    Args:
        in_memory: The number of outputs to keep in memory; the batch that reaches this number is kept whole.

    Attributes:
        num_instances: The number of inputs; set by `finish`.
    """

    in_memory: int
    num_instances: int = 0
    _known: dict[Output, Position] = field(default_factory=dict)
    _sort: ExternalSort | None = None
    _numbers: Iterator[int] = field(default_factory=count)
    _files: dict[str | None, int] = field(default_factory=dict)
    _num_found_by_sorting: int = 0

    def close(self) -> None:
        """Deletes the files on disk."""
        if self._sort is not None:
            self._sort.close()

    def add(
        self, ids: Sequence[str], systems: Sequence[str], paths: Sequence[str | None], lines: Sequence[int | None]
    ) -> list[Duplicate]:
        """Adds a batch of outputs; returns those that duplicate an output in memory."""
        outputs, positions = list(zip(ids, systems, strict=True)), list(zip(paths, lines, strict=True))
        is_full = len(self._known) >= self.in_memory
        duplicates: list[Duplicate] = []
        if not self._known.keys().isdisjoint(outputs) or not (is_full or len(set(outputs)) == len(outputs)):
            duplicates, outputs, positions = self._without_duplicates(outputs, positions, is_full)
        if not is_full:
            self._known.update(zip(outputs, positions, strict=True))
        else:
            if self._sort is None:
                from metrics_framework.evaluation.storage.external_sort import ExternalSort

                self._sort = ExternalSort()
                self._store(self._sort, list(self._known), list(self._known.values()))
            self._store(self._sort, outputs, positions)
        return duplicates

    def finish(self) -> tuple[list[Duplicate], int]:
        """Counts the inputs; returns the first duplicates that `add` did not find, and the number of all of these."""
        if self._sort is None:
            self.num_instances = len({instance_id for instance_id, _ in self._known})
            return [], 0
        from heapq import nsmallest

        rows = chain.from_iterable(self._sort.sorted_blocks())
        earliest = nsmallest(MAX_PROBLEMS_SHOWN, self._duplicates_among(rows))
        return [duplicate for _, duplicate in earliest], self._num_found_by_sorting

    def _without_duplicates(
        self, outputs: Sequence[Output], positions: Sequence[Position], is_full: bool
    ) -> tuple[list[Duplicate], list[Output], list[Position]]:
        """Separates outputs that duplicate one in memory from new ones; keeps the new ones unless memory is full."""
        duplicates: list[Duplicate] = []
        new: list[tuple[Output, Position]] = []
        for output, position in zip(outputs, positions, strict=True):
            if output in self._known:
                duplicates.append(Duplicate(*output, position, self._known[output]))
                continue
            new.append((output, position))
            if not is_full:
                self._known[output] = position
        return duplicates, [output for output, _ in new], [position for _, position in new]

    def _store(self, sort: ExternalSort, outputs: Sequence[Output], positions: Sequence[Position]) -> None:
        """Adds outputs to the external sort, each with its number in the input."""
        if outputs:
            from metrics_framework.evaluation.storage.external_sort import sort_keys

            keys = sort_keys(*zip(*outputs, strict=True))
            files = [self._files.setdefault(path, len(self._files)) for path, _ in positions]
            lines = [line for _, line in positions]
            sort.add(zip(keys, islice(self._numbers, len(keys)), files, lines, strict=True))

    def _duplicates_among(self, rows: Iterable[Row]) -> Iterator[tuple[int, Duplicate]]:
        """Yields the duplicates among sorted rows with their numbers in the input, and counts duplicates and inputs."""
        from metrics_framework.evaluation.storage.external_sort import SEPARATOR, split_key

        paths = list(self._files)
        last_key, input_prefix = None, None
        first_file, first_line = 0, None
        for key, number, file, line in rows:
            if key == last_key:
                self._num_found_by_sorting += 1
                yield number, Duplicate(*split_key(key), (paths[file], line), (paths[first_file], first_line))
                continue
            last_key, first_file, first_line = key, file, line
            if input_prefix is None or not key.startswith(input_prefix):
                self.num_instances += 1
                input_prefix = key[: key.index(SEPARATOR) + len(SEPARATOR)]
