"""Very many hashes: divided, counted and packed as the sets and lists of Python would have them."""

from __future__ import annotations

import random
from contextlib import closing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics_framework.evaluation.storage import hash_store
from metrics_framework.evaluation.storage.hash_store import DistinctCount, PackedHashes, PartitionedHashes

HASHES = st.integers(-(1 << 63), (1 << 63) - 1) | st.integers(-3, 3) | st.integers(0, 3).map(lambda one: one << 10)


@settings(deadline=None)
@given(st.lists(st.lists(HASHES, max_size=5), max_size=20), st.integers(1, 20))
def test_every_hash_is_in_the_part_of_its_equals_in_the_order_they_came(batches: list[list[int]], held: int) -> None:
    with pytest.MonkeyPatch.context() as patch, closing(PartitionedHashes()) as divided:
        patch.setattr(hash_store, "HELD", held)
        for batch in batches:
            divided.add(batch)
        parts = [list(part) for part in divided.parts()]
    given = [one for batch in batches for one in batch]
    assert sorted(one for part in parts for one in part) == sorted(given)
    for part in parts:
        assert part == [one for one in given if one in set(part)]


def test_parts_are_of_one_size() -> None:
    with closing(PartitionedHashes()) as divided:
        divided.add([hash((str(number), "s")) for number in range(100_000)])
        sizes = [len(part) for part in divided.parts()]
    assert sum(sizes) == 100_000
    assert max(sizes) < 2 * min(sizes)


@pytest.mark.parametrize("in_memory", [0, 10, 1000])
@pytest.mark.parametrize("held", [1, 100, 1 << 16])
def test_different_strings_are_counted(in_memory: int, held: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hash_store, "HELD", held)
    texts = [str(number % 321) for number in range(1000)]
    random.Random(0).shuffle(texts)
    with closing(DistinctCount(in_memory)) as distinct:
        for start in range(0, 1000, 9):
            distinct.add(texts[start : start + 9])
        assert distinct.count() == 321


@given(st.lists(HASHES))
def test_packed_hashes_are_a_set(given: list[int]) -> None:
    packed, plain = PackedHashes(), set()
    for one in given:
        assert packed.add(one) is (one not in plain and not (one in (0, 1) and plain & {0, 1})), "0 is taken for 1"
        plain.add(one)


def test_packed_hashes_grow() -> None:
    packed = PackedHashes()
    assert all(packed.add(hash((number, ""))) for number in range(3000))
    assert not any(packed.add(hash((number, ""))) for number in range(3000))
    assert 12 <= len(packed._slots) * 8 / 3000 <= 24
