"""Where each output stands, so that a second output of one system for one input is found."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from metrics_framework.common.errors import MOST_PROBLEMS_SHOWN
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.evaluation.input.column_batch import ColumnBatch
from metrics_framework.evaluation.storage.hash_store import PartitionedHashes
from metrics_framework.evaluation.storage.scratch_file import ScratchFile

MOST_LINES = 1 << 40


class Duplicate(NamedTuple):
    """A second output of one system for one input.

    Attributes:
        instance_id: Which input.
        summarizer_id: Which system.
        place: File and line where it stands.
        first: File and line of the first output.
    """

    instance_id: str
    summarizer_id: str
    place: tuple[str | None, int]
    first: tuple[str | None, int]


class Rows(NamedTuple):
    """Outputs by columns: hashes of their ids, the ids, and their places as numbers."""

    keys: list[int]
    ids: list[str]
    systems: list[str]
    places: list[int]


class Places:
    """Remembers where each output stands, in memory that does not grow with their number.

    Outputs are told apart by a 64-bit hash of their ids. The first ones are remembered in memory, so that another one
    like these is found at once. Of all others the ids and the place go to one file on disk and the hash to a second
    one, which is looked through part by part at the end.

    Args:
        in_memory: So many outputs, and the rest of a batch, are remembered in memory.
    """

    def __init__(self, in_memory: int) -> None:
        self._in_memory = in_memory
        self._known: dict[int, int] = {}
        self._paths: list[str | None] = []
        self._starts: dict[str | None, int] = {}
        self._hashes = PartitionedHashes()
        self._rows: ScratchFile | None = None

    def close(self) -> None:
        """Removes what is on disk."""
        self._hashes.close()
        if self._rows is not None:
            self._rows.close()

    def add(self, batch: ColumnBatch) -> list[Duplicate]:
        """Takes note of outputs; returns those among them whose first is in memory."""
        ids, systems = batch.ids, batch.systems
        rows = Rows(pair_hashes(ids, systems), ids, systems, self._places(batch.instances))
        full = len(self._known) >= self._in_memory
        found: list[Duplicate] = []
        if not self._known.keys().isdisjoint(rows.keys) or not (full or len(set(rows.keys)) == len(rows.keys)):
            found, rows = self._without_known(rows, full)
        if full:
            self._write(rows)
        else:
            self._known.update(zip(rows.keys, rows.places, strict=True))
        return found

    def late(self) -> tuple[list[Duplicate], int]:
        """Returns the duplicates that are found on disk: the first twenty in the order they came, and their number."""
        count, wanted = 0, set[int]()
        for part in self._hashes.parts():
            more = len(part) - len(set(part))
            if more:
                count += more
                wanted.update(islice(_repeated(part), MOST_PROBLEMS_SHOWN))
        return (list(islice(self._on_disk(wanted), MOST_PROBLEMS_SHOWN)) if wanted else []), count

    def _places(self, instances: Sequence[EvalInstance]) -> list[int]:
        """Returns file and line of each output as one number."""
        lines = [one.line or 0 for one in instances]
        paths = [one.path for one in instances]
        starts = {path: self._start(path) for path in set(paths)}
        if len(starts) > 1:
            return [starts[path] + line for path, line in zip(paths, lines, strict=True)]
        start = sum(starts.values())
        return [start + line for line in lines] if start else lines

    def _start(self, path: str | None) -> int:
        """Returns the number from which the places of a file count."""
        if path not in self._starts:
            self._starts[path] = len(self._paths) * MOST_LINES
            self._paths.append(path)
        return self._starts[path]

    def _place(self, place: int) -> tuple[str | None, int]:
        number, line = divmod(place, MOST_LINES)
        return self._paths[number], line

    def _without_known(self, rows: Rows, full: bool) -> tuple[list[Duplicate], Rows]:
        """Takes out the outputs of which another is in memory, or in front of them where memory is not full."""
        found: list[Duplicate] = []
        left: list[tuple[int, str, str, int]] = []
        for row in zip(*rows, strict=True):
            key, instance_id, system, place = row
            first = self._known.get(key)
            if first is not None:
                found.append(Duplicate(instance_id, system, self._place(place), self._place(first)))
                continue
            left.append(row)
            if not full:
                self._known[key] = place
        return found, Rows(*map(list, zip(*left, strict=True))) if left else Rows([], [], [], [])

    def _write(self, rows: Rows) -> None:
        if self._rows is None:
            self._rows = ScratchFile()
        self._rows.write_block((_packed(rows.ids), _packed(rows.systems), array("q", rows.places).tobytes()))
        self._hashes.add(rows.keys)

    def _on_disk(self, wanted: set[int]) -> Iterator[Duplicate]:
        """Gives the duplicates on disk that have one of the hashes."""
        firsts: dict[int, int] = {}
        for *packed, numbers in self._rows.blocks() if self._rows else ():
            ids, systems = map(_unpacked, packed)
            places = array("q", numbers)
            for key, instance_id, system, place in zip(pair_hashes(ids, systems), ids, systems, places, strict=True):
                if key in firsts:
                    yield Duplicate(instance_id, system, self._place(place), self._place(firsts[key]))
                elif key in wanted:
                    firsts[key] = place


def pair_hashes(ids: Sequence[str], systems: Sequence[str]) -> list[int]:
    """Returns a hash of the two ids of each output."""
    return list(map(hash, zip(ids, systems, strict=True)))


def _packed(texts: list[str]) -> str | list[str]:
    """Joins texts, which is quicker to write; only where that can be undone."""
    joined = "\0".join(texts)
    return joined if joined.count("\0") == len(texts) - 1 else texts


def _unpacked(packed: str | list[str]) -> list[str]:
    return packed.split("\0") if isinstance(packed, str) else packed


def _repeated(part: array[int]) -> Iterator[int]:
    """Gives every hash that was there before."""
    before = set()
    for one in part:
        if one in before:
            yield one
        before.add(one)
