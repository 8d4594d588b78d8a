"""Records agree with data classes in what this package uses of them."""

from __future__ import annotations

import dataclasses
import pickle
from typing import Any, ClassVar

import pytest

from metrics_framework.common.records import asdict, field, record, replace
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.io.pieces import Piece


@record
class Counts:
    name: str
    numbers: list[int] = field(default_factory=list)
    total: int = 0


@record
class NamedCounts(Counts):
    kind: ClassVar[str] = "named"
    label: str = ""


@dataclasses.dataclass
class Expected:
    name: str
    numbers: list[int] = dataclasses.field(default_factory=list)
    total: int = 0


ARGUMENTS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    (("a",), {}),
    ((), {"name": "a"}),
    (("a", [1], 2), {}),
    (("a",), {"total": 3}),
]


@pytest.mark.parametrize(("values", "named"), ARGUMENTS)
def test_a_record_has_the_fields_of_a_data_class(values: tuple[Any, ...], named: dict[str, Any]) -> None:
    expected = dataclasses.asdict(Expected(*values, **named))
    assert asdict(Counts(*values, **named)) == expected


@pytest.mark.parametrize(
    ("values", "named"), [((), {}), (("a", [], 0, 1), {}), (("a",), {"name": "b"}), (("a",), {"size": 1})]
)
def test_wrong_arguments_are_a_type_error(values: tuple[Any, ...], named: dict[str, Any]) -> None:
    for cls in (Counts, Expected):
        with pytest.raises(TypeError):
            cls(*values, **named)


def test_defaults_are_not_shared() -> None:
    first, second = Counts("a"), Counts("a")
    first.numbers.append(1)
    assert second.numbers == []


def test_records_are_compared_by_class_and_fields() -> None:
    assert Counts("a") == Counts("a") != Counts("b")
    assert Counts("a") != NamedCounts("a")
    assert repr(NamedCounts("a", [1])) == "NamedCounts(name='a', numbers=[1], total=0, label='')"
    assert replace(NamedCounts("a", [1]), label="x") == NamedCounts("a", [1], label="x")


def test_the_functions_of_dataclasses_accept_records() -> None:
    one = NamedCounts("a", [1], label="x")
    assert dataclasses.asdict(one) == {"name": "a", "numbers": [1], "total": 0, "label": "x"}
    assert dataclasses.replace(one, total=3) == NamedCounts("a", [1], 3, "x")
    instance = EvalInstance("1", "a", "peer", {"summary": "a cat"})
    assert dataclasses.replace(instance, line=3) == EvalInstance("1", "a", "peer", {"summary": "a cat"}, line=3)

    @dataclasses.dataclass
    class More(NamedCounts):
        more: int = 1

    assert dataclasses.asdict(More("a", more=2)) == {"name": "a", "numbers": [], "total": 0, "label": "", "more": 2}


def test_records_can_change_and_so_are_no_keys() -> None:
    for value in (Counts("a"), Expected("a")):
        with pytest.raises(TypeError, match="unhashable"):
            hash(value)


def test_records_can_be_pickled() -> None:
    piece = Piece("a.jsonl", "a", 3, lines=2)
    assert pickle.loads(pickle.dumps(piece)) == piece
