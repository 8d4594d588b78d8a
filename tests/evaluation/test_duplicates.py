"""Duplicates: found, told and counted in one look-up a row, however many there are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from metrics_framework.common.errors import DataErrors, Problems
from metrics_framework.common.logs import Log
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.dataset_readers.dataset_reader import DatasetReader
from metrics_framework.evaluation.batches import Duplicates, Places, Seen, checked_batches
from metrics_framework.evaluation.labels import labelled

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


class Counted(int):
    """A number that counts how often it is compared."""

    compared = 0

    def __eq__(self, other: object) -> bool:
        Counted.compared += 1
        return int(self) == other

    __hash__ = int.__hash__


def kept(rows: int, duplicates: Duplicates) -> tuple[list[EvalInstance], Seen]:
    seen = Seen()
    batches = checked_batches(Twice(rows), ["a.jsonl"], labelled(["ter"]), seen, duplicates)
    return [instance for batch in batches for instance in batch], seen


def test_very_many_duplicates_are_all_counted_and_the_first_ones_told() -> None:
    with pytest.raises(DataErrors) as caught:
        kept(ROWS, "error")
    assert caught.value.count == ROWS
    lines = str(caught.value).split("\n")
    assert len(lines) == 21
    assert lines[0].startswith("b.jsonl:1: is a second output of 's' for '0'; the first is in a.jsonl:1 ")
    assert lines[19].startswith("b.jsonl:20: is a second output of 's' for '19'; the first is in a.jsonl:20 ")
    assert lines[20] == f"… and {ROWS - 20} more problems"


@pytest.mark.parametrize(("duplicates", "path"), [("first", "a.jsonl"), ("last", "b.jsonl")])
def test_one_of_very_many_duplicates_is_kept_and_the_others_are_counted(duplicates: Duplicates, path: str) -> None:
    outputs, seen = kept(ROWS, duplicates)
    assert [output.instance_id for output in outputs] == [str(number) for number in range(ROWS)]
    assert {output.path for output in outputs} == {path}
    assert (seen.skipped, seen.outputs) == (ROWS, {"s": ROWS})


def test_duplicates_that_are_left_out_are_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    _, seen = kept(3, "first")
    seen.tell(Log())
    assert capsys.readouterr().err.count("3 duplicate outputs were left out") == 1


def test_a_place_is_found_without_searching_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every output costs the same, so that many duplicates cannot take the square of their number."""
    monkeypatch.setattr("metrics_framework.evaluation.batches.hash", lambda key: Counted(hash(key)), raising=False)
    monkeypatch.setattr(Counted, "compared", 0)
    places = Places()
    for instance in Twice(1000).instances([], Problems()):
        places.add(instance)
    assert Counted.compared < 4 * 2000


PATHS = ["a.jsonl", None, "a.jsonl", "b.jsonl"]


def test_places_know_the_file_and_the_line_of_the_first_output() -> None:
    places = Places()
    given = [
        EvalInstance(str(number), "s", "peer", {}, PATHS[number % 4], None if number % 3 == 0 else number)
        for number in range(40)
    ]
    assert [places.add(instance) for instance in given] == [None] * 40
    assert [places.add(instance) for instance in given] == [(one.path, one.line or 0) for one in given]


def test_ids_that_only_together_are_the_same_are_different_outputs() -> None:
    places = Places()
    ids = [("ab", "c"), ("a", "bc"), ("", "abc"), ("abc", "")]
    assert [places.add(EvalInstance(*pair, "peer")) for pair in ids] == [None] * 4
