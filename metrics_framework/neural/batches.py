"""Runs a model in batches of inputs of similar length, and in smaller ones if the memory does not suffice."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TypeVar

from metrics_framework.common.errors import InputError, ProcessError

T = TypeVar("T")
_OUT_OF_MEMORY = ("out of memory", "can't allocate memory", "not enough memory")


def batches_by_length(lengths: Sequence[int], batch_size: int) -> list[list[int]]:
    """Divides inputs into batches of similar length, so that little is padded.

    Args:
        lengths: The length of each input.
        batch_size: The number of inputs per batch.

    Returns:
        The indices of the inputs of each batch; the longest inputs first, so that a lack of memory shows at the start.

    >>> batches_by_length([3, 9, 4, 9], 3)
    [[1, 3, 2], [0]]
    """
    order = sorted(range(len(lengths)), key=lambda index: (-lengths[index], index))
    return [order[start : start + batch_size] for start in range(0, len(order), batch_size)]


class Batches:
    """Runs functions on batches; if the memory does not suffice, halves the size of all later batches.

    Args:
        batch_size: The number of inputs per batch.

    Raises:
        InputError: if the batch size is below 1.
    """

    def __init__(self, batch_size: int) -> None:
        if batch_size < 1:
            raise InputError(f"'batch_size' must be at least 1, got {batch_size}")
        self.batch_size = batch_size
        self._size_asked_for = batch_size

    def run(self, lengths: Sequence[int], compute: Callable[[list[int]], Sequence[T]]) -> list[T]:
        """Returns one result per input, in the given order.

        Args:
            lengths: The length of each input.
            compute: Returns the results of the inputs with the given indices.

        Raises:
            ProcessError: if the memory does not suffice for a single input.
        """
        results: dict[int, T] = {}
        batches = batches_by_length(lengths, self.batch_size)[::-1]
        while batches:
            batch = batches.pop()
            if len(batch) > self.batch_size:
                batches += [batch[self.batch_size :], batch[: self.batch_size]]
                continue
            try:
                results.update(zip(batch, compute(batch), strict=True))
            except (MemoryError, RuntimeError) as error:
                if not is_out_of_memory(error):
                    raise
                self._halve(len(batch), lengths[batch[0]], error)
                batches.append(batch)
        return [results[index] for index in range(len(lengths))]

    def notes(self) -> list[str]:
        """Returns a note if the memory did not suffice for the batch size."""
        if self.batch_size == self._size_asked_for:
            return []
        return [
            f"the memory did not suffice for batches of {self._size_asked_for}; "
            f"smaller ones were used, down to {self.batch_size}"
        ]

    def _halve(self, size: int, length: int, error: BaseException) -> None:
        if size == 1:
            raise ProcessError(
                f"out of memory for a single input of length {length}; use a smaller model, --precision bfloat16 or "
                "another device"
            ) from error
        self.batch_size = size // 2
        _free_memory()


def is_out_of_memory(error: BaseException) -> bool:
    """Returns whether an error means that the memory of the computer or of a graphics card does not suffice."""
    return isinstance(error, MemoryError) or any(words in str(error).lower() for words in _OUT_OF_MEMORY)


def _free_memory() -> None:
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        torch.cuda.empty_cache()
