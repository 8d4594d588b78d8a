"""Sorting on disk: the same order as in memory, however few rows are held and however few runs are open at once."""

from __future__ import annotations

import contextlib
import itertools
import random
from typing import IO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics_framework.evaluation import spool
from metrics_framework.evaluation.spool import SortedSpool

KEYS = st.tuples(st.text(max_size=2), st.text(max_size=2))


def spooled(keys: list[tuple[str, str]], rows_in_memory: int) -> list[str]:
    with SortedSpool(rows_in_memory) as rows:
        for number, key in enumerate(keys):
            rows.add(key, f"{number}\n")
        return list(rows.lines())


def in_order(keys: list[tuple[str, str]]) -> list[str]:
    return [f"{number}\n" for number, _ in sorted(enumerate(keys), key=lambda pair: pair[1])]


@settings(deadline=None)
@given(st.lists(KEYS | st.tuples(st.sampled_from("ab"), st.sampled_from("ab")), max_size=30), st.integers(1, 5))
def test_rows_come_sorted_and_equal_keys_in_the_order_they_came(keys: list[tuple[str, str]], held: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spool, "RUNS_AT_ONCE", 2)
        assert spooled(keys, held) == in_order(keys)


@pytest.mark.parametrize(("held", "runs"), [*itertools.product([1, 2, 3, 7], [2, 3, 64]), (100, 2), (101, 2)])
def test_runs_that_are_merged_stay_sorted(held: int, runs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "RUNS_AT_ONCE", runs)
    chosen = random.Random(held)
    keys = [(str(chosen.randrange(20)), str(chosen.randrange(3))) for _ in range(100)]
    assert spooled(keys, held) == in_order(keys)


def test_no_more_files_are_open_than_are_merged_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "RUNS_AT_ONCE", 2)
    written, most = [], 0
    write = spool._written

    def counted(rows: object) -> IO[str]:
        nonlocal most
        written.append(write(rows))  # type: ignore[arg-type]
        most = max(most, sum(not run.closed for run in written))
        return written[-1]

    monkeypatch.setattr(spool, "_written", counted)
    assert len(spooled([(str(number), "") for number in range(50)], 1)) == 50
    assert most == 3, "two runs and the one that they become"
    assert all(run.closed for run in written)


def test_the_files_of_a_run_that_fails_are_closed() -> None:
    rows, runs = SortedSpool(1), []
    with contextlib.suppress(KeyError), rows:
        for number in range(10):
            rows.add((str(number), ""), "x\n")
        runs += rows._runs
        raise KeyError
    assert runs
    assert all(run.closed for run in runs)
