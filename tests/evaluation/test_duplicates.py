"""Duplicates: found, reported and counted, however many there are and however few outputs memory holds."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from messages import DUPLICATE_OUTPUT

from metrics_framework.common.errors import DataError, DataErrors, Problems
from metrics_framework.common.logs import Log
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.data.identity import Duplicates
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.evaluation import checked_input, external_sort
from metrics_framework.evaluation.checked_input import Duplicate, DuplicateFinder, checked_batches
from metrics_framework.evaluation.external_sort import ScratchFile
from metrics_framework.evaluation.input_summary import InputSummary
from metrics_framework.metrics.base.metric import labelled

ROWS = 50_000
FIELDS = {"summary": "a", "references": ["b"]}


class Twice(DatasetReader):
    """Gives every output twice: first all of one file, then all of another."""

    def __init__(self, rows: int) -> None:
        self.rows = rows

    def instances(self, input_files: Sequence[str], problems: Problems) -> Iterator[EvalInstance]:
        for path in ("a.jsonl", "b.jsonl"):
            for number in range(self.rows):
                yield EvalInstance(str(number), "s", "peer", FIELDS, path, number + 1)


class Counted(str):
    """A string that counts how often it is compared."""

    compared = 0

    def __eq__(self, other: object) -> bool:
        Counted.compared += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


class Given(DatasetReader):
    """Gives these instances, and puts in front of some of them what is wrong with a line."""

    def __init__(self, given: Sequence[EvalInstance | DataError]) -> None:
        self.given = given

    def instances(self, input_files: Sequence[str], problems: Problems) -> Iterator[EvalInstance]:
        for one in self.given:
            if isinstance(one, DataError):
                problems.add(one)
            else:
                yield one


def kept(
    reader: DatasetReader, duplicates: Duplicates = "error", size: int = 2048, in_memory: int = 1 << 14
) -> tuple[list[EvalInstance], InputSummary]:
    seen = InputSummary()
    batches = checked_batches(
        reader, ["a.jsonl", "b.jsonl"], labelled(["ter"]), seen, duplicates, size=size, in_memory=in_memory
    )
    return [instance for batch in batches for instance in batch.instances], seen


def output(instance_id: str, system: str = "s", place: str = "a.jsonl:1", **changes: Any) -> EvalInstance:
    path, line = place.split(":")
    return EvalInstance(instance_id, system, changes.pop("type", "peer"), {**FIELDS, **changes}, path, int(line))


def told(given: Sequence[EvalInstance | DataError], **memory: int) -> list[str]:
    """Returns the lines of the error, without the advice behind each."""
    with pytest.raises(DataError) as caught:
        kept(Given(given), **memory)
    return str(caught.value).replace("; use --duplicates first or last to keep one", "").split("\n")


@pytest.mark.parametrize("in_memory", [0, 5000, 10 * ROWS])
def test_very_many_duplicates_are_all_counted_and_the_first_ones_told(in_memory: int) -> None:
    with pytest.raises(DataErrors) as caught:
        kept(Twice(ROWS), in_memory=in_memory)
    assert caught.value.count == ROWS
    lines = str(caught.value).split("\n")
    assert len(lines) == 21
    assert lines[0].startswith(f"b.jsonl:1: {DUPLICATE_OUTPUT} 's' for input '0' (first in a.jsonl:1); ")
    assert lines[19].startswith(f"b.jsonl:20: {DUPLICATE_OUTPUT} 's' for input '19' (first in a.jsonl:20); ")
    assert lines[20] == f"… and {ROWS - 20} more problems"


@pytest.mark.parametrize(("duplicates", "path"), [("first", "a.jsonl"), ("last", "b.jsonl")])
def test_one_of_very_many_duplicates_is_kept_and_the_others_are_counted(duplicates: Duplicates, path: str) -> None:
    outputs, seen = kept(Twice(ROWS), duplicates)
    assert [output.instance_id for output in outputs] == [str(number) for number in range(ROWS)]
    assert {output.path for output in outputs} == {path}
    assert (seen.skipped, seen.outputs) == (ROWS, {"s": ROWS})


def test_duplicates_that_are_left_out_are_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    _, seen = kept(Twice(3), "first")
    seen.warn(Log())
    assert capsys.readouterr().err.count("3 duplicate outputs were skipped") == 1


def test_a_place_is_found_without_searching_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every output costs the same, so that many duplicates cannot take the square of their number."""
    monkeypatch.setattr(Counted, "compared", 0)
    ids = [Counted(str(number)) for number in range(1000)] * 2
    found = DuplicateFinder(10_000).add(ids, ["s"] * 2000, ["a.jsonl"] * 2000, range(2000))
    assert len(found) == 1000
    assert Counted.compared < 8 * 2000


# ---- the finder ------------------------------------------------------------------------------------------------------

PATHS = ["a.jsonl", None, "a.jsonl", "b.jsonl"]


def added(finder: DuplicateFinder, given: Sequence[EvalInstance]) -> list[Duplicate]:
    columns = zip(*((one.instance_id, one.summarizer_id, one.path, one.line) for one in given), strict=True)
    return finder.add(*map(list, columns))


@pytest.mark.parametrize("in_memory", [0, 1000])
def test_duplicates_have_the_file_and_the_line_of_the_first_output(in_memory: int) -> None:
    given = [
        EvalInstance(str(number), "s", "peer", {}, PATHS[number % 4], None if number % 3 == 0 else number)
        for number in range(20)
    ]
    with closing(DuplicateFinder(in_memory)) as finder:
        assert added(finder, given) == []
        late = [Duplicate(one.instance_id, "s", (one.path, one.line), (one.path, one.line)) for one in given]
        assert added(finder, given) == (late if in_memory else [])
        assert finder.finish() == (([], 0) if in_memory else (late, 20))
        assert finder.num_instances == 20


@pytest.mark.parametrize("in_memory", [0, 1000])
def test_ids_that_only_together_are_the_same_are_different_outputs(in_memory: int) -> None:
    ids = [("ab", "c"), ("a", "bc"), ("", "abc"), ("abc", ""), ("a\0b", "c"), ("a", "b\0c"), ("a\0", "bc")]
    with closing(DuplicateFinder(in_memory)) as finder:
        assert added(finder, [EvalInstance(*pair, "peer") for pair in ids]) == []
        assert finder.finish() == ([], 0)
        assert finder.num_instances == len({first for first, _ in ids})


@pytest.mark.parametrize("name", ["a\0b", "\ud800", "", "a\nb", "é"])
def test_every_id_is_read_from_disk_as_it_was(name: str) -> None:
    with closing(DuplicateFinder(0)) as finder:
        added(finder, [output(name, name), output("other")])
        added(finder, [output(name, name, "a.jsonl:3")])
        assert finder.finish() == ([Duplicate(name, name, ("a.jsonl", 3), ("a.jsonl", 1))], 1)


def test_a_file_given_twice_has_duplicates_of_equal_positions() -> None:
    assert told([output("1"), output("1")]) == ["a.jsonl:1: " + SECOND.format("1", "on line 1")]


# ---- more outputs than memory remembers ------------------------------------------------------------------------------

FAR = [output(str(number), place=f"a.jsonl:{number + 1}") for number in range(100)]
SECOND = f"{DUPLICATE_OUTPUT} 's' for input '{{}}' (first {{}})"


@pytest.mark.parametrize("in_memory", [0, 10, 60, 1000])
@pytest.mark.parametrize("size", [1, 7, 2048])
def test_duplicates_far_apart_and_in_another_file_name_both_lines(size: int, in_memory: int) -> None:
    given = [*FAR, output("50", place="a.jsonl:101"), output("7", place="b.jsonl:1"), output("50", place="b.jsonl:2")]
    assert told(given, size=size, in_memory=in_memory) == [
        "a.jsonl:101: " + SECOND.format("50", "on line 51"),
        "b.jsonl:1: " + SECOND.format("7", "in a.jsonl:8"),
        "b.jsonl:2: " + SECOND.format("50", "in a.jsonl:51"),
    ]


@pytest.mark.parametrize("in_memory", [0, 10, 1000])
def test_duplicates_and_other_problems_come_in_the_order_of_the_lines(in_memory: int) -> None:
    given = [
        *FAR,
        output("90", place="b.jsonl:1"),
        DataError("is not JSON", "b.jsonl", 2),
        output("new", place="b.jsonl:3", summary=5),
        output("5", place="b.jsonl:4"),
        output("newer", place="b.jsonl:5", type="reference"),
        output("91", place="b.jsonl:6"),
    ]
    lines = told(given, size=10, in_memory=in_memory)
    assert [line[: line.index(" ")] for line in lines] == [f"b.jsonl:{number}:" for number in range(1, 7)]
    for line, words in zip(lines, ["'90'", "JSON", "number 5", "'5'", "of type 'reference' here", "'91'"], strict=True):
        assert words in line


@pytest.mark.parametrize("in_memory", [0, 1000])
def test_only_the_first_twenty_problems_of_all_kinds_are_told(in_memory: int) -> None:
    late = [DataError(f"is not JSON {number}", "b.jsonl", number + 1) for number in range(50)]
    given = [*FAR, *late, *(output(str(number), place=f"b.jsonl:{number + 1}") for number in range(100))]
    lines = told(given, in_memory=in_memory)
    assert [line.split(":")[1] for line in lines[:20]] == [str(1 + number // 2) for number in range(20)]
    assert lines[20:] == ["… and 130 more problems"]


@pytest.mark.parametrize("in_memory", [0, 10, 1000])
@pytest.mark.parametrize("duplicates", ["first", "last"])
def test_first_and_last_do_not_depend_on_memory(duplicates: Duplicates, in_memory: int) -> None:
    outputs, seen = kept(Twice(100), duplicates, 7, in_memory)
    assert [one.instance_id for one in outputs] == [str(number) for number in range(100)]
    assert {one.path for one in outputs} == {"a.jsonl" if duplicates == "first" else "b.jsonl"}
    assert (seen.skipped, seen.num_instances, seen.outputs) == (100, 100, {"s": 100})


NAMES = st.sampled_from(["", "1", "2", "3", "a\0", "\0a", "\ud800"])
OUTPUTS = st.lists(st.tuples(NAMES, NAMES, st.sampled_from(["peer", "peer", "reference"]), st.booleans()), max_size=25)


def outcome(given: Sequence[tuple[str, str, str, bool]], duplicates: Duplicates, size: int, in_memory: int) -> Any:
    reader = Given(
        [
            EvalInstance(instance_id, system, kind, FIELDS if good or number % 4 else {}, "a.jsonl", number + 1)
            for number, (instance_id, system, kind, good) in enumerate(given)
        ]
    )
    try:
        return kept(reader, duplicates, size, in_memory)
    except DataError as error:
        return str(error)


@settings(deadline=None)
@given(OUTPUTS, st.sampled_from(["error", "first", "last"]), st.integers(1, 6), st.integers(0, 12))
def test_little_memory_and_much_come_to_the_same(
    given: list[tuple[str, str, str, bool]], duplicates: Duplicates, size: int, in_memory: int
) -> None:
    found = outcome(given, duplicates, size, in_memory)
    assert found == outcome(given, duplicates, size, 1000)
    if not isinstance(found, str) and duplicates == "error":
        assert found[1].num_instances == len({instance_id for instance_id, *_ in given})
        assert sum(found[1].outputs.values()) == len(given)


# ---- temporary files -------------------------------------------------------------------------------------------------


@pytest.fixture
def scratch_files(monkeypatch: pytest.MonkeyPatch) -> list[ScratchFile]:
    """Every file that is made; ten rows are sorted in memory."""
    made: list[ScratchFile] = []

    class Recorded(ScratchFile):
        def __init__(self) -> None:
            super().__init__()
            made.append(self)

    monkeypatch.setattr(external_sort, "ScratchFile", Recorded)
    monkeypatch.setattr(checked_input, "ExternalSort", functools.partial(external_sort.ExternalSort, 10))
    return made


def test_temporary_files_are_gone_when_all_was_read(scratch_files: list[ScratchFile]) -> None:
    _, seen = kept(Given(FAR), size=7, in_memory=10)
    assert seen.num_instances == 100
    assert scratch_files
    assert all(file.closed for file in scratch_files)


def test_temporary_files_are_gone_when_there_was_an_error(scratch_files: list[ScratchFile]) -> None:
    assert told([*FAR, output("99", place="b.jsonl:1")], size=7, in_memory=10) == [
        "b.jsonl:1: " + SECOND.format("99", "in a.jsonl:100")
    ]
    assert scratch_files
    assert all(file.closed for file in scratch_files)


def test_temporary_files_are_gone_when_nobody_reads_on(scratch_files: list[ScratchFile]) -> None:
    batches = checked_batches(Given(FAR), ["a.jsonl"], labelled(["ter"]), InputSummary(), size=7, in_memory=10)
    for _ in range(5):
        next(batches)
    assert scratch_files
    assert not any(file.closed for file in scratch_files)
    del batches
    assert all(file.closed for file in scratch_files)


def test_a_small_input_makes_no_temporary_file(scratch_files: list[ScratchFile]) -> None:
    assert kept(Given(FAR))[1].num_instances == 100
    assert scratch_files == []
