"""``columns=`` and ``where=`` of the public functions."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from messages import NO_COLUMNS

import metrics_framework as fw

ROWS = [
    {"generated": "a cat", "gold": "a dog", "other": "a cat", "split": "dev", "doc": 1, "model": "ours"},
    {"generated": "the dog sat down", "gold": "the dog sat", "other": None, "split": "test", "doc": 2, "model": "ours"},
    {"generated": "birds sing", "gold": "birds sing loud", "other": "", "split": "dev", "doc": 3, "model": "ours"},
]
COLUMNS = {"summary": "generated", "references": ["gold", "other"]}


def table(library: str) -> Any:
    if library == "rows":
        return ROWS
    module = pytest.importorskip(library)
    return module.Table.from_pylist(ROWS) if library == "pyarrow" else module.DataFrame(ROWS)


LIBRARIES = ("rows", "pandas", "polars", "pyarrow")


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("columns", [COLUMNS, "summary=generated,references=gold+other"])
def test_tables_and_rows_have_columns_of_any_name(library: str, columns: Any) -> None:
    result = fw.evaluate("ter", table(library), columns=columns)
    # no edit of 2 words; 1 edit of 3; 1 edit of 3: 2 edits of 8 words
    assert result.systems["system"]["ter"] == pytest.approx(25)
    assert [row.instance_id for row in result.outputs] == ["1", "2", "3"]
    assert result.rows == {"columns": {"summary": "generated", "references": "gold+other"}}


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("where", [{"split": "dev"}, "split=dev", ["split!=test"], {"split": "dev", "model": "ours"}])
def test_conditions_leave_rows_out_and_keep_their_numbers(library: str, where: Any) -> None:
    result = fw.evaluate("ter", table(library), columns=COLUMNS, where=where)
    assert [row.instance_id for row in result.outputs] == ["1", "3"]
    assert result.rows["left_out"] == 1


@pytest.mark.parametrize("library", LIBRARIES)
def test_ids_and_systems_have_columns_of_any_name(library: str) -> None:
    columns = {**COLUMNS, "instance_id": "doc", "system_id": "model"}
    result = fw.evaluate("ter", table(library), columns=columns, where={"doc": 3})
    assert [(row.instance_id, row.summarizer_id) for row in result.outputs] == [("3", "ours")]


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_column_that_does_not_exist_is_an_error_with_a_suggestion(library: str) -> None:
    for arguments in ({"columns": {**COLUMNS, "summary": "generatd"}}, {"columns": COLUMNS, "where": {"splt": "dev"}}):
        with pytest.raises(fw.FwError, match=r"did you mean '(generated|split)'"):
            fw.evaluate("ter", table(library), **arguments)
    with pytest.raises(fw.FwError, match="did you mean 'summary'"):
        fw.evaluate("ter", table(library), columns={"sumary": "generated"})
    with pytest.raises(fw.FwError, match=r"'split' has the values 'dev' \(2\), 'test' \(1\)"):
        fw.evaluate("ter", table(library), columns=COLUMNS, where={"split": "train"})


@pytest.mark.parametrize("library", LIBRARIES[1:])
def test_new_columns_of_a_table_are_computed_from_columns_of_any_name(library: str) -> None:
    found = fw.columns("ter", table(library), columns=COLUMNS)
    assert found["ter"] == pytest.approx([0, 100 / 3, 100 / 3])


def test_new_columns_need_a_table_for_columns() -> None:
    with pytest.raises(fw.FwError, match="'summary' must be a table"):
        fw.columns("ter", ["a"], references=["a"], columns=COLUMNS)


def test_lists_of_texts_have_no_columns() -> None:
    with pytest.raises(fw.FwError, match=NO_COLUMNS):
        fw.evaluate("ter", ["a"], references=["a"], where={"split": "dev"})


def test_compare_report_and_visualize_have_the_options(tmp_path: Path) -> None:
    rows = [
        {**row, "generated": texts, "model": model, "doc": number}
        for model, texts in (("ours", "birds sing"), ("theirs", "birds"))
        for number, row in enumerate(ROWS * 30)
    ]
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    options: dict[str, Any] = {
        "columns": {**COLUMNS, "instance_id": "doc", "system_id": "model"},
        "where": {"split": "dev"},
    }
    calls: list[Callable[..., Any]] = [
        lambda **given: fw.compare("ter", trials=20, ci="jackknife", **given).num_instances,
        lambda **given: fw.report(profile="translation", metrics="ter", confidence=False, **given).data.facts.sentences,
        lambda **given: len(fw.visualize_rouge(**given).data["instances"]),
    ]
    for call in calls:
        assert call(outputs=rows, **options) == 60
        assert call(files=str(path), **options) == 60


def test_the_reader_of_the_caller_remains_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    reader = fw.load_reader("default")
    result = fw.evaluate("ter", files=str(path), reader=reader, columns=COLUMNS)
    assert not math.isnan(result.systems["rows"]["ter"])
    assert reader.view is None


def test_rows_of_one_named_system_are_numbered() -> None:
    rows = [{"summary": "a", "reference": "a", "system": "ours"}] * 3
    assert [row.instance_id for row in fw.evaluate("ter", rows).outputs] == ["1", "2", "3"]
    with pytest.raises(fw.FwError, match=r"rows\[3\].*'theirs' follows 'ours'.*columns=\{'instance_id': COLUMN\}"):
        fw.evaluate("ter", [*rows, {"summary": "a", "reference": "a", "system": "theirs"}])
