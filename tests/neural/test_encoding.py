"""Batches by length, and smaller ones if the memory does not suffice."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics_framework.common.errors import InputError, ProcessError
from metrics_framework.neural.encoding import Batches, batches_by_length


@given(st.lists(st.integers(0, 50), max_size=60), st.integers(1, 9))
def test_batches_have_every_input_once_and_the_longest_first(lengths: list[int], batch_size: int) -> None:
    batches = batches_by_length(lengths, batch_size)
    order = [index for batch in batches for index in batch]
    assert sorted(order) == list(range(len(lengths)))
    assert [lengths[index] for index in order] == sorted(lengths, reverse=True)
    assert all(len(batch) == batch_size for batch in batches[:-1])


@given(st.lists(st.integers(0, 50), max_size=60), st.integers(1, 9), st.integers(1, 9))
def test_results_keep_the_order_of_the_inputs_even_without_much_memory(
    lengths: list[int], batch_size: int, most: int
) -> None:
    def compute(batch: list[int]) -> list[int]:
        if len(batch) > most:
            raise RuntimeError("CUDA out of memory. Tried to allocate 2 GiB")
        return [lengths[index] for index in batch]

    assert Batches(batch_size).run(lengths, compute) == lengths


def test_a_lack_of_memory_is_noted_once() -> None:
    def compute(batch: list[int]) -> list[int]:
        if len(batch) > 2:
            raise MemoryError
        return batch

    batches = Batches(8)
    assert batches.notes() == []
    assert batches.run([1] * 20, compute) == list(range(20))
    assert batches.notes() == ["the memory did not suffice for batches of 8; smaller ones were used, down to 2"]


def test_a_single_input_that_is_too_large_is_an_error() -> None:
    def compute(batch: list[int]) -> list[int]:
        raise RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes")

    with pytest.raises(ProcessError, match="out of memory for a single input of length 7; use a smaller model"):
        Batches(4).run([3, 7], compute)


def test_other_errors_are_not_caught() -> None:
    def compute(batch: list[int]) -> list[int]:
        raise RuntimeError("index out of range")

    with pytest.raises(RuntimeError, match="index out of range"):
        Batches(4).run([3], compute)


def test_a_batch_has_at_least_one_input() -> None:
    with pytest.raises(InputError, match="'batch_size' must be at least 1, got 0"):
        Batches(0)
