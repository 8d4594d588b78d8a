"""Sorting on disk: the order of memory, however little is held and open at once; and files that a disk may not hold."""

from __future__ import annotations

import contextlib
import errno
import functools
import itertools
import json
import random
import tempfile
from collections.abc import Iterator
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from messages import CANNOT_READ_OR_WRITE
from processes import needs_full_device

from metrics_framework.commands.app import main
from metrics_framework.evaluation import external_sort
from metrics_framework.evaluation.checked_input import checked_batches
from metrics_framework.evaluation.external_sort import (
    ExternalSort,
    Run,
    ScratchFile,
    merged,
    packed,
    unescaped,
    unpacked,
)

TEXTS = st.text(st.sampled_from("a\0\1\2b\ud800é") | st.characters(), max_size=3)
KEYS = st.tuples(TEXTS, TEXTS)


def spooled(keys: list[tuple[str, str]], rows_in_memory: int, runs_per_merge: int = 2) -> list[str]:
    with closing(ExternalSort(rows_in_memory, runs_per_merge)) as rows:
        for number, key in enumerate(keys):
            rows.add(packed([key[0]], [key[1]], [f"{number:03}\ud800\n"]))
        return [line for block in rows.sorted_blocks() for line in unpacked(block, 3)[2]]


def in_order(keys: list[tuple[str, str]]) -> list[str]:
    return [f"{number:03}\ud800\n" for number, _ in sorted(enumerate(keys), key=lambda pair: pair[1])]


@settings(deadline=None)
@given(st.lists(KEYS | st.tuples(st.sampled_from("ab"), st.sampled_from("ab")), max_size=30), st.integers(1, 5))
def test_rows_come_sorted_by_all_their_columns(keys: list[tuple[str, str]], held: int) -> None:
    assert spooled(keys, held) == in_order(keys)


@settings(max_examples=40)
@given(st.lists(KEYS))
def test_keys_sort_as_pairs_do_and_are_split_into_the_strings_they_were_made_of(pairs: list[tuple[str, str]]) -> None:
    rows = packed([first for first, _ in pairs], [second for _, second in pairs], ["1"] * len(pairs))
    for some, expected in [(rows, pairs), (sorted(rows), sorted(pairs))] if pairs else []:
        firsts, seconds, others = unpacked(some, 3)
        assert list(zip(map(unescaped, firsts), map(unescaped, seconds), strict=True)) == expected
        assert set(others) == {"1"}


@pytest.mark.parametrize(("held", "runs"), [*itertools.product([1, 2, 3, 7, 20], [2, 3, 64]), (100, 2), (101, 2)])
def test_runs_that_are_merged_stay_sorted(held: int, runs: int) -> None:
    chosen = random.Random(held)
    keys = [(str(chosen.randrange(20)), str(chosen.randrange(3))) for _ in range(100)]
    assert spooled(keys, held, runs) == in_order(keys)
    of_one_key = [("b", "s")] * 100 + [("a", "s")] * 50 + [("b", "s")] * 100
    assert spooled(of_one_key, 2 * held, runs) == in_order(of_one_key)
    assert list(ExternalSort(held, runs).sorted_blocks()) == []


def test_rows_that_come_in_order_are_one_run(runs: list[Run]) -> None:
    rows = [f"{number // 2:03}" for number in range(200)]
    with closing(ExternalSort(10, 2)) as sort:
        for row in rows:
            sort.add([row])
        assert len(runs) == 1
        assert [*chain.from_iterable(sort.sorted_blocks())] == rows


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[Run]:
    """Every run that is made, two at once and in blocks of one row."""
    made: list[Run] = []

    class Counted(Run):
        def __init__(self, rows_per_block: int) -> None:
            super().__init__(rows_per_block)
            made.append(self)
            assert sum(not run.closed for run in made) <= 2 * 6 + 1, "two of each level, and the one they become"

    monkeypatch.setattr(external_sort, "Run", Counted)
    return made


def test_no_more_files_are_open_than_are_merged_at_once_on_each_level(runs: list[Run]) -> None:
    keys = [(f"{number:03}", "") for number in reversed(range(100))]
    assert spooled(keys, 1) == in_order(keys)
    assert len(runs) > 100
    assert all(run.closed for run in runs)


def test_the_files_of_a_run_that_fails_are_closed(runs: list[Run]) -> None:
    with contextlib.suppress(KeyError), closing(ExternalSort(1, 2)) as rows:
        for number in range(10):
            rows.add([str(9 - number)])
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

    def blocks(which: int) -> Iterator[list[str]]:
        nonlocal read
        for start in range(0, 500, 10):
            read += 10
            yield [f"{keys(number)[which]:04} {which} {number:03}" for number in range(start, start + 10)]

    given = []
    for rows in merged([blocks(0), blocks(1)], 10):
        assert read - len(given) <= 2 * 2 * 10, why
        given += rows
    assert given == sorted(given)
    assert len(given) == 1000


ANY_TEXT = st.text(st.characters() | st.sampled_from("\0\ud800\n"))


@settings(max_examples=40)
@given(st.lists(st.lists(ANY_TEXT) | ANY_TEXT | st.tuples(st.integers(), st.binary(), st.none())))
def test_values_are_read_as_they_were_written(values: list[Any]) -> None:
    file = ScratchFile()
    for value in values:
        file.write(value)
    assert list(file.values()) == values
    assert list(file.values()) == values, "a second time"
    file.close()
    assert file.closed


def test_a_file_leaves_nothing_behind_and_names_a_folder_that_cannot_be_written_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    file = ScratchFile()
    file.write(b"x" * 100_000)
    file.close()
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))
    with pytest.raises(FileNotFoundError) as caught:
        ScratchFile()
    assert caught.value.filename == str(tmp_path / "none")


@pytest.fixture
def full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files, on a disk that is full."""
    folder = tmp_path / "scratch"
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **_: open("/dev/full", "w+b"))  # noqa: SIM115
    return folder


@needs_full_device
@pytest.mark.parametrize("size", [10, 100_000])
def test_a_full_disk_is_named_and_closing_says_nothing_more(size: int, full_disk: Path) -> None:
    file = ScratchFile()
    with pytest.raises(OSError, match="No space left") as caught:  # noqa: PT012 - a small one fails when it is read
        file.write(b"x" * size)
        list(file.values())
    assert (caught.value.errno, caught.value.filename) == (errno.ENOSPC, str(full_disk))
    file.close()
    assert file.closed


SORTS = [("checked_input", "evaluate"), ("checked_input", "score"), ("output_rows", "score")]


@needs_full_device
@pytest.mark.parametrize(("module", "command"), SORTS)
def test_a_run_whose_temporary_files_find_no_room_says_so_and_writes_nothing(
    module: str,
    command: str,
    full_disk: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows = [{"instance_id": f"{999 - number}", "summary": "a", "references": ["b"]} for number in range(1000)]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    small_batches = functools.partial(checked_batches, size=10, in_memory=0)
    monkeypatch.setattr("metrics_framework.evaluation.run.checked_batches", small_batches)
    small_sort = functools.partial(ExternalSort, 10)
    monkeypatch.setattr(f"metrics_framework.evaluation.{module}.ExternalSort", small_sort)
    out = tmp_path / ("out.json" if command == "evaluate" else "out.jsonl")
    assert main(["ter", command, str(out), "--input-files", str(tmp_path / "in.jsonl")]) == 1
    captured = capsys.readouterr()
    assert captured.err == f"fw: error: {CANNOT_READ_OR_WRITE}: '{full_disk}': No space left on device\n"
    assert captured.out == ""
    assert [path.name for path in tmp_path.iterdir()] == ["in.jsonl"]
