"""Very many 64-bit hashes: divided on disk, counted, or packed in memory."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Iterator

from metrics_framework.evaluation.storage.scratch_file import ScratchFile

PARTS = 256
"""With 100 million hashes a part has 400,000, which are some 40 MB as a set."""
HELD = 1 << 15
"""So many hashes are held until they are written, those of each part together."""
HASH_BYTES = 8


class PartitionedHashes:
    """Takes hashes in any number and gives them back in parts that memory can hold: equal ones in the same part."""

    def __init__(self) -> None:
        self._held = [array("q") for _ in range(PARTS)]
        self._hold = [part.append for part in self._held]
        self._number_held = 0
        self._file: ScratchFile | None = None
        self._writes: list[tuple[int, array[int]]] = []

    def close(self) -> None:
        """Removes what is on disk."""
        if self._file is not None:
            self._file.close()

    def add(self, hashes: Collection[int]) -> None:
        """Takes hashes."""
        hold, last = self._hold, PARTS - 1
        for one in hashes:
            hold[one & last](one)
        self._number_held += len(hashes)
        if self._number_held >= HELD:
            self._write()

    def parts(self) -> Iterator[array[int]]:
        """Gives the parts; the hashes of a part are in the order in which they came."""
        for number, held in enumerate(self._held):
            part = array("q")
            if self._file is not None:
                for start, ends in self._writes:
                    begin = ends[number - 1] if number else 0
                    part.frombytes(self._file.read(start + begin, ends[number] - begin))
            part.extend(held)
            yield part

    def _write(self) -> None:
        if self._file is None:
            self._file = ScratchFile()
        ends, end = array("I"), 0
        for part in self._held:
            end += len(part) * HASH_BYTES
            ends.append(end)
        self._writes.append((self._file.write(b"".join(self._held)), ends))
        for part in self._held:
            del part[:]
        self._number_held = 0


class DistinctCount:
    """Counts different strings, by their hashes.

    Args:
        in_memory: So many, and the rest of a batch, are told apart at once; those behind them at the end.
    """

    def __init__(self, in_memory: int) -> None:
        self._in_memory = in_memory
        self._known: set[int] = set()
        self._others = PartitionedHashes()

    def close(self) -> None:
        """Removes what is on disk."""
        self._others.close()

    def add(self, texts: Iterable[str]) -> None:
        """Takes strings."""
        hashes = set(map(hash, texts))
        if len(self._known) < self._in_memory:
            self._known |= hashes
        else:
            self._others.add(hashes - self._known)

    def count(self) -> int:
        """Returns how many different ones there were."""
        return len(self._known) + sum(len(set(part)) for part in self._others.parts())


class PackedHashes:
    """A set of hashes in 12 to 24 bytes each: a table of numbers, looked through from where a hash belongs."""

    def __init__(self) -> None:
        self._slots = array("q", bytes(1024 * HASH_BYTES))
        self._number = 0

    def __len__(self) -> int:
        return self._number

    def add(self, one: int) -> bool:
        """Takes a hash; tells whether it is a new one."""
        one = one or 1  # 0 is an empty slot
        slots = self._slots
        place = _place(slots, one)
        if slots[place]:
            return False
        slots[place] = one
        self._number += 1
        if 3 * self._number > 2 * len(slots):
            self._grow()
        return True

    def _grow(self) -> None:
        slots = array("q", bytes(2 * len(self._slots) * HASH_BYTES))
        for one in self._slots:
            if one:
                slots[_place(slots, one)] = one
        self._slots = slots


def _place(slots: array[int], one: int) -> int:
    """Returns where a hash is, or where it is to go."""
    last = len(slots) - 1
    place = one & last
    while (there := slots[place]) and there != one:
        place = (place + 1) & last
    return place
