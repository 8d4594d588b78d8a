"""Columns of any name, conditions and numbers of rows: as columns, in pieces and row by row the same."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics_framework.common.errors import DataErrors, Problems, UsageError
from metrics_framework.data.eval_instance import EvalInstance, OutputColumns
from metrics_framework.dataset_readers import row_reader
from metrics_framework.dataset_readers.dataset_reader import DatasetReader, load_reader
from metrics_framework.dataset_readers.row_reader import row_pieces
from metrics_framework.inputs.row_view import parsed_columns, parsed_conditions
from metrics_framework.io.reading import Piece

COLUMNS = {"summary": ["generated"], "references": ["gold", "other"]}
FIXED = {"generated": "a", "gold": "b", "other": "c"}


def rows_as_text(rows: Sequence[Any]) -> str:
    return "".join("\n" if row is None else f"{json.dumps(row)}\n" for row in rows)


def written(folder: Path, text: str, name: str = "x.jsonl") -> str:
    (folder / name).write_text(text)
    return str(folder / name)


def with_view(columns: Any = COLUMNS, where: Any = ()) -> DatasetReader:
    reader = load_reader("default")
    reader.set_view(parsed_columns(columns), parsed_conditions(list(where)))
    return reader


def row_by_row(reader: DatasetReader, path: str) -> tuple[list[EvalInstance], list[str]]:
    problems = Problems()
    return list(reader.instances([path], problems)), messages(problems)


def as_columns(reader: DatasetReader, piece: Piece) -> tuple[list[EvalInstance], list[str], int]:
    """Returns the outputs, the problems, and how many batches were read as columns."""
    problems, instances, count = Problems(), list[EvalInstance](), 0
    batches: Iterator[Any] | None = reader.columns_of(piece, problems, None, 7)
    assert batches is not None
    for batch in batches:
        count += isinstance(batch, OutputColumns)
        instances += batch.instances if isinstance(batch, OutputColumns) else batch
    return instances, messages(problems), count


def messages(problems: Problems) -> list[str]:
    try:
        problems.raise_any()
    except DataErrors as errors:
        return str(errors).split("\n")
    except Exception as error:
        return [str(error)]
    return []


texts = st.sampled_from(["a", "the cat", ""])
usual = st.fixed_dictionaries({"generated": texts, "gold": texts, "other": st.one_of(texts, st.none())})
unusual = st.fixed_dictionaries(
    {"generated": texts, "gold": texts},
    optional={"other": texts, "instance_id": st.integers(1, 9), "system": texts, "summary": texts, "references": texts},
)
lines = st.one_of(usual, usual, usual, st.none(), unusual)


@pytest.mark.usefixtures("kernels")
@given(st.lists(lines, max_size=30))
@settings(max_examples=25, deadline=None)
def test_columns_are_read_as_rows_are(tmp_path_factory: pytest.TempPathFactory, rows: list[Any]) -> None:
    path = written(tmp_path_factory.mktemp("rows"), rows_as_text(rows))
    reader = with_view()
    instances, problems, _ = as_columns(reader, Piece(path, "x"))
    assert (instances, problems) == row_by_row(reader, path)


@given(st.lists(st.one_of(usual, usual, st.none()), min_size=1, max_size=30), st.integers(20, 400))
@settings(max_examples=25, deadline=None)
def test_pieces_have_the_numbers_of_the_whole_file(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Any], size: int
) -> None:
    path = written(tmp_path_factory.mktemp("rows"), rows_as_text(rows))
    reader = with_view()
    pieces = reader.pieces([path], size)
    assert pieces is not None
    found = [instance for piece in pieces for instance in reader.instances_of(piece, Problems())]
    columns = [instance for piece in pieces for instance in as_columns(reader, piece)[0]]
    whole, _ = row_by_row(reader, path)
    numbers = [(one.instance_id, one.fields) for one in whole]
    assert [(one.instance_id, one.fields) for one in found] == numbers
    assert [(one.instance_id, one.fields) for one in columns] == numbers


@pytest.mark.usefixtures("kernels")
def test_renamed_and_numbered_rows_stay_columns(tmp_path: Path) -> None:
    path = written(tmp_path, rows_as_text([FIXED] * 20))
    instances, problems, count = as_columns(with_view(), Piece(path, "x"))
    assert (problems, count) == ([], 3)
    assert [instance.instance_id for instance in instances] == list(map(str, range(1, 21)))
    assert instances[0].fields == {**FIXED, "summary": "a", "references": ["b", "c"]}


def test_a_column_may_be_read_as_several_fields(tmp_path: Path) -> None:
    path = written(tmp_path, rows_as_text([FIXED] * 20))
    reader = with_view({"summary": "generated", "source": "generated", "instance_id": "generated"})
    instances, _, count = as_columns(reader, Piece(path, "x"))
    assert count > 0
    assert {(one.instance_id, one.fields["summary"], one.fields["source"]) for one in instances} == {("a", "a", "a")}


SETTINGS = [  # the columns, what they mean
    ("summary=generated", {"summary": ["generated"]}),
    ("summary=a, references=b+c", {"summary": ["a"], "references": ["b", "c"]}),
    (["summary=a", "references=b+c"], {"summary": ["a"], "references": ["b", "c"]}),
    ({"summary": "a", "references": ("b", "c")}, {"summary": ["a"], "references": ["b", "c"]}),
    ({"summary": 0, "references": [1, "c"]}, {"summary": ["0"], "references": ["1", "c"]}),
    ('{"summary": "a,b", "references": ["c+d"]}', {"summary": ["a,b"], "references": ["c+d"]}),
]


@pytest.mark.parametrize(("written", "meant"), SETTINGS)
def test_columns_are_written_in_several_ways(written: Any, meant: dict[str, list[str]]) -> None:
    assert parsed_columns(written) == meant


def test_other_columns_and_conditions_are_refused() -> None:
    columns: list[Any] = ["summary", "=a", "summary=", "references=a+", '{"summary": 1.5}', "{", [3], {"a": []}]
    conditions: list[Any] = ["split", "=dev", "!=dev", [3], {"split": ["dev"]}]
    for parsed, wrong in (parsed_columns, columns), (parsed_conditions, conditions):
        for value in wrong:
            with pytest.raises(UsageError):
                parsed(value)


VALUES = [  # a value, a condition, whether it holds
    ("dev", "x=dev", True),
    ("dev", "x!=dev", False),
    (3, "x=3", True),
    (0.5, "x=0.5", True),
    (True, "x=true", True),
    (None, "x=", True),
    ("a=b", "x=a=b", True),
]


@pytest.mark.parametrize(("value", "condition", "holds"), VALUES)
def test_values_are_compared_as_text(value: Any, condition: str, holds: bool, tmp_path: Path) -> None:
    path = written(tmp_path, rows_as_text([{"instance_id": 1, "summary": "a", "x": value}]))
    assert bool(row_by_row(with_view({}, [condition]), path)[0]) is holds
    path = written(tmp_path, rows_as_text([{"instance_id": 1, "summary": "a", "x": ["a"]}]))
    assert "'x' must be a string, a number or a boolean" in row_by_row(with_view({}, ["x=a"]), path)[1][0]


def test_a_condition_may_name_the_field_of_a_column(tmp_path: Path) -> None:
    path = written(tmp_path, rows_as_text([{"id": n, "system": name, "output": "a"} for n, name in enumerate("ab")]))
    instances, _ = row_by_row(with_view({}, ["summarizer_id=b"]), path)
    assert [one.summarizer_id for one in instances] == ["b"]


def test_a_column_whose_name_resembles_a_field_may_be_named(tmp_path: Path) -> None:
    path = written(tmp_path, "ID,Summary,Reference 1\n7,a,b\n", "x.csv")
    reader = with_view("instance_id=ID,summary=Summary,references=Reference 1")
    (instance,), problems = row_by_row(reader, path)
    assert (instance.instance_id, instance.fields["summary"], instance.fields["references"]) == ("7", "a", ["b"])
    assert problems == []


def test_a_cell_that_is_a_list_is_refused_under_any_name(tmp_path: Path) -> None:
    path = written(tmp_path, 'generated,gold,other\na,"[""b"", ""c""]",d\n', "x.csv")
    for columns in (COLUMNS, {"summary": "generated", "references": "gold"}):
        (problem,) = row_by_row(with_view(columns), path)[1]
        assert problem.startswith(f"{path}:2: a cell of")


def test_a_remote_file_without_ids_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, rows_as_text([FIXED] * 20))
    pieces = row_pieces([path], 100, None)
    assert pieces is not None
    assert [piece.rows_before for piece in pieces] == sorted({piece.rows_before for piece in pieces})
    monkeypatch.setattr(row_reader, "is_remote", lambda path: True)  # whose rows are not counted before
    assert row_pieces([path], 100, None) == [Piece(path, "x", is_numbered=True)]
    Path(path).write_text(rows_as_text([{"instance_id": 1, **FIXED}] * 20))
    with_ids = row_pieces([path], 100, None)
    assert with_ids is not None
    assert len(with_ids) > 1


def test_an_empty_file_before_others_does_not_decide(tmp_path: Path) -> None:
    paths = [written(tmp_path, "", "empty.jsonl"), written(tmp_path, rows_as_text([FIXED] * 20))]
    assert {piece.is_numbered for piece in row_pieces(paths, 100, None) or ()} == {True}
