"""Sorting on disk: the same order as in memory, however few rows are held and however few runs are open at once."""

from __future__ import annotations

import contextlib
import itertools
import random
from collections.abc import Iterator
from contextlib import closing
from itertools import chain

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics_framework.evaluation import external_sort
from metrics_framework.evaluation.external_sort import ExternalSort, Run, merged, sort_keys, split_key

TEXTS = st.text(st.sampled_from("a\0\1\2b\ud800é") | st.characters(), max_size=3)
KEYS = st.tuples(TEXTS, TEXTS)


def spooled(keys: list[tuple[str, str]], rows_in_memory: int) -> list[str]:
    with closing(ExternalSort(rows_in_memory)) as rows:
        for number, key in enumerate(keys):
            rows.add(zip(sort_keys([key[0]], [key[1]]), [f"{number}\ud800\n"], strict=True))
        return [line for _, line in chain.from_iterable(rows.sorted_blocks())]


def in_order(keys: list[tuple[str, str]]) -> list[str]:
    return [f"{number}\ud800\n" for number, _ in sorted(enumerate(keys), key=lambda pair: pair[1])]


@settings(deadline=None)
@given(st.lists(KEYS | st.tuples(st.sampled_from("ab"), st.sampled_from("ab")), max_size=30), st.integers(1, 5))
def test_rows_come_sorted_and_equal_keys_in_the_order_they_came(keys: list[tuple[str, str]], held: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(external_sort, "RUNS_PER_MERGE", 2)
        assert spooled(keys, held) == in_order(keys)


@given(KEYS)
def test_a_key_is_split_into_the_strings_it_was_made_of(pair: tuple[str, str]) -> None:
    assert split_key(sort_keys([pair[0]], [pair[1]])[0]) == pair


@given(st.lists(KEYS))
def test_keys_sort_as_pairs_do(pairs: list[tuple[str, str]]) -> None:
    keys = sort_keys([first for first, _ in pairs], [second for _, second in pairs])
    assert [split_key(key) for key in sorted(keys)] == sorted(pairs)


def test_nothing_is_yielded_if_no_row_was_added() -> None:
    assert list(ExternalSort().sorted_blocks()) == []


@pytest.mark.parametrize(("held", "runs"), [*itertools.product([1, 2, 3, 7, 20], [2, 3, 64]), (100, 2), (101, 2)])
def test_runs_that_are_merged_stay_sorted(held: int, runs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(external_sort, "RUNS_PER_MERGE", runs)
    chosen = random.Random(held)
    keys = [(str(chosen.randrange(20)), str(chosen.randrange(3))) for _ in range(100)]
    assert spooled(keys, held) == in_order(keys)


@pytest.mark.parametrize("held", [4, 40])
def test_rows_of_one_key_stay_in_order_over_many_blocks_and_runs(held: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(external_sort, "RUNS_PER_MERGE", 2)
    keys = [("b", "s")] * 100 + [("a", "s")] * 50 + [("b", "s")] * 100
    assert spooled(keys, held) == in_order(keys)


def test_rows_that_come_in_order_are_one_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(external_sort, "RUNS_PER_MERGE", 2)
    given = [(f"{number // 2:03}", number) for number in range(200)]
    with closing(ExternalSort(10)) as rows:
        for row in given:
            rows.add([row])
        assert [len(runs) for runs in rows._levels] == [1]
        assert [*chain.from_iterable(rows.sorted_blocks())] == given


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[Run]:
    """Every run that is made, two at once and in blocks of one row."""
    made: list[Run] = []

    class Counted(Run):
        def __init__(self, rows_per_block: int) -> None:
            super().__init__(rows_per_block)
            made.append(self)
            assert sum(not run.closed for run in made) <= 2 * 6 + 1, "two of each level, and the one they become"

    monkeypatch.setattr(external_sort, "RUNS_PER_MERGE", 2)
    monkeypatch.setattr(external_sort, "Run", Counted)
    return made


def test_no_more_files_are_open_than_are_merged_at_once_on_each_level(runs: list[Run]) -> None:
    keys = [(f"{number:03}", "") for number in reversed(range(100))]
    assert spooled(keys, 1) == in_order(keys)
    assert len(runs) > 100
    assert all(run.closed for run in runs)


def test_the_files_of_a_run_that_fails_are_closed(runs: list[Run]) -> None:
    with contextlib.suppress(KeyError), closing(ExternalSort(1)) as rows:
        for number in range(10):
            rows.add([(str(9 - number), "x\n")])
        raise KeyError
    assert runs
    assert all(run.closed for run in runs)


ORDERS = [  # the keys of two runs, and why
    (lambda n: (n, n), "runs that lie over each other"),
    (lambda n: (n, 1000 + n), "one behind the other"),
    (lambda n: (1000 + n, n), "one in front of the other"),
    (lambda n: (0, 0), "all equal"),
    (lambda n: (n // 100, n), "one much denser than the other"),
]


@pytest.mark.parametrize(("keys", "why"), ORDERS)
def test_merging_reads_no_further_ahead_than_two_blocks_of_each_run(keys, why) -> None:
    read = 0

    def blocks(which: int) -> Iterator[list[tuple[str, str]]]:
        nonlocal read
        for start in range(0, 500, 10):
            read += 10
            yield [(f"{keys(number)[which]:04}", f"{which} {number:03}") for number in range(start, start + 10)]

    given = []
    for rows in merged([blocks(0), blocks(1)], 10):
        assert read - len(given) <= 2 * 2 * 10, why
        given += rows
    assert given == sorted(given), "by key, then by run, then as they came"
    assert len(given) == 1000
