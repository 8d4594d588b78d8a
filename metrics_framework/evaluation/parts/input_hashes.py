"""Counts inputs, and finds outputs of one system for one input, from hashes of 64 bits."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from hashlib import blake2b
from itertools import chain
from typing import TYPE_CHECKING

from metrics_framework.evaluation.storage.scratch_file import ScratchFile

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Hashes = npt.NDArray[np.uint64]

_HASH_BYTES = 8
_HASHES_AT_ONCE = 1 << 17
"""The number of hashes that are in memory at the same time, about; more if they would be read too often."""
_MAX_ROUNDS = 64
_FEW_HASHES = 100_000
_MIXER = 0x9E3779B97F4A7C15
"""Multiplies the number of a system, to combine it with the hash of an input."""


def hash_of(instance_id: str) -> bytes:
    """Returns a hash of an id, the same in every process; 64 bits, as little-endian bytes."""
    return blake2b(instance_id.encode("utf-8", "surrogatepass"), digest_size=_HASH_BYTES).digest()


class InputHashes:
    """The hashes of the inputs of all outputs; in a temporary file if they are many."""

    def __init__(self) -> None:
        self._parts: list[tuple[bytes, bytes]] = []
        self._file: ScratchFile | None = None
        self._outputs = 0

    def close(self) -> None:
        """Deletes the temporary file."""
        if self._file is not None:
            self._file.close()

    def add(self, hashes: bytes, systems: bytes) -> None:
        """Adds outputs.

        Args:
            hashes: For each output the hash of its input, as bytes of 64-bit integers.
            systems: For each output the number of its system, as bytes of 32-bit integers.

        Raises:
            OSError: if the temporary file cannot be written.
        """
        self._outputs += len(hashes) // 8
        if self._file is None:
            self._parts.append((hashes, systems))
            if self._outputs <= _HASHES_AT_ONCE:
                return
            self._file, waiting, self._parts = ScratchFile(), self._parts, []
        else:
            waiting = [(hashes, systems)]
        for pair in waiting:
            self._file.write(pair)

    def counts(self) -> tuple[int, bool]:
        """Returns the number of different hashes, and whether two outputs have equal hashes and systems."""
        if self._outputs <= _FEW_HASHES:  # which do not need NumPy
            names = list(chain.from_iterable(array("Q", hashes) for hashes, _ in self._all()))
            systems = chain.from_iterable(array("I", numbers) for _, numbers in self._all())
            return len(set(names)), len(set(zip(names, systems, strict=True))) < self._outputs
        rounds = 1
        while rounds * _HASHES_AT_ONCE < self._outputs and rounds < _MAX_ROUNDS:
            rounds *= 2
        inputs, has_repeats = 0, False
        for number in range(rounds):
            selected, pairs = self._selected(rounds, number)
            inputs += _distinct(selected)
            has_repeats = has_repeats or _distinct(pairs) < len(pairs)
        return inputs, has_repeats

    def _all(self) -> Iterator[tuple[bytes, bytes]]:
        return iter(self._parts) if self._file is None else self._file.values()

    def _selected(self, rounds: int, number: int) -> tuple[Hashes, Hashes]:
        """Returns the hashes with a remainder, and those of the same outputs combined with their systems."""
        import numpy as np

        selected = []
        for hashes, systems in self._all():
            names = np.frombuffer(hashes, dtype=np.uint64)
            chosen = (names & np.uint64(rounds - 1)) == number
            selected.append((names[chosen], np.frombuffer(systems, dtype=np.uint32)[chosen]))
        names = np.concatenate([of_part for of_part, _ in selected])
        pairs = np.concatenate([of_part for _, of_part in selected]).astype(np.uint64)
        pairs *= np.uint64(_MIXER)
        pairs ^= names
        return names, pairs


def _distinct(values: Hashes) -> int:
    """Returns the number of different values, which are sorted in place."""
    import numpy as np

    values.sort()
    return int(np.count_nonzero(values[1:] != values[:-1])) + 1 if len(values) else 0
