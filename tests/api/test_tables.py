"""Tables of pandas, polars and pyarrow and rows with columns of any name: read by their columns, answered in kind."""

from __future__ import annotations

import importlib
import json
import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from library_tables import LIBRARIES, library_of, table

import metrics_framework as fw

FRAME = {
    "id": [1, 1, 2, 2],
    "system": ["x", "y", "x", "y"],
    "prediction": ["a b", "a c", "c", "d e"],
    "reference_0": ["a b", "a b", "c d", "c d"],
    "ref_1": ["x", "x", None, None],
    "length": [0.5, 1.5, 2.5, 3.5],
}
OUTPUTS = ["a b", "c"]
REFERENCES = [["a b"], ["d"]]
ROWS = [
    {"generated": "a cat", "gold": "a dog", "other": "a cat", "split": "dev", "doc": 1, "model": "ours"},
    {"generated": "the dog sat down", "gold": "the dog sat", "other": None, "split": "test", "doc": 2, "model": "ours"},
    {"generated": "birds sing", "gold": "birds sing loud", "other": "", "split": "dev", "doc": 3, "model": "ours"},
]
COLUMNS = {"summary": "generated", "references": ["gold", "other"]}


@pytest.fixture(params=["rows", *LIBRARIES])
def given(request: pytest.FixtureRequest) -> Any:
    """The rows in each form."""
    return ROWS if request.param == "rows" else table(request.param, ROWS)


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_table_is_scored_by_its_columns_and_answered_in_kind(library: str) -> None:
    result = fw.evaluate("ter", table(library, FRAME))
    rows = [dict(zip(FRAME, values, strict=True)) for values in zip(*FRAME.values(), strict=True)]
    expected = fw.evaluate("ter", rows)
    assert result.systems == expected.systems
    assert list(result.systems) == ["x", "y"]
    to_rows = {"pandas": lambda frame: frame.to_dict("records"), "polars": lambda frame: frame.to_dicts()}
    for of in ("systems", "outputs"):
        frame = result.to_frame(of)
        assert library_of(frame) == library
        assert to_rows.get(library, lambda frame: frame.to_pylist())(frame) == expected.to_records(of)
    for asked in LIBRARIES:
        pytest.importorskip(asked)
        assert library_of(result.to_frame(library=asked)) == asked


@pytest.mark.parametrize("library", LIBRARIES)
def test_columns_of_tables_are_lists_of_texts_and_tables_are_not(library: str) -> None:
    """Iterating over a DataFrame yields the names of its columns, which would be scored as texts."""
    columns = table(library, {"a": ["a b", "c"], "b": [["a b"], ["c", "x"]]})
    assert fw.load("ter").evaluate(columns["a"], columns["b"])[0]["ter"] == 0.0
    assert fw.load("ter").score_all(columns["a"], columns["b"])[1]["ter"] == 0.0
    assert fw.evaluate("ter", {"x": columns["a"]}, references=columns["b"]).metrics["ter"] == 0.0
    several = table(library, {"first": ["a b", "x"], "second": [None, "c"]})
    assert fw.evaluate("ter", ["a b", "c"], references=several).metrics["ter"] == 0.0
    one = table(library, {"a b": ["c"]})
    with pytest.raises(fw.InputError, match=r"'sources' must be .* a table; pass one of its columns, as in sources"):
        fw.evaluate("sari", ["a"], references=["a"], sources=one)
    with pytest.raises(fw.InputError, match=r"'outputs\['x'\]' must be a list of texts"):
        fw.evaluate("ter", {"x": one}, references=["a"])
    with pytest.raises(fw.InputError, match="'summary' must be a list of texts, got a table"):
        fw.load("ter").evaluate(one, [["a"]])


NOT_SCORED: list[tuple[str, dict[str, Any], Callable[[Any], Any], str]] = [  # metric, columns, change, message
    ("ter", {"summary": ["a", None]}, lambda frame: frame, r"^rows\[1\]: 'summary' is null"),
    ("ter", {"summary": ["a", math.nan]}, lambda frame: frame, r"^rows\[1\]: 'summary' is null"),
    ("ter", {"summary": ["a", "NA"]}, lambda frame: frame.replace("NA", NA()), r"^rows\[1\]: 'summary' is null"),
    (
        "sari",
        {"summary": ["a", "b"]},
        lambda frame: frame,
        "the metric 'sari' needs 'source', but got only 'summary'",
    ),
]


def NA() -> Any:
    return importlib.import_module("pandas").NA


@pytest.mark.parametrize(("metric", "columns", "change", "message"), NOT_SCORED)
def test_a_table_that_cannot_be_scored_is_explained(
    metric: str, columns: dict[str, Any], change: Callable[[Any], Any], message: str
) -> None:
    with pytest.raises(fw.FwError, match=message):
        fw.evaluate(metric, change(table("pandas", {**columns, "reference": ["a", "b"]})))


def test_ratings_are_joined_with_the_scores_of_outputs() -> None:
    scores = fw.evaluate("ter", table("pandas", FRAME)).to_frame("outputs")
    ratings = table("pandas", {"instance_id": [1, 2], "summarizer_id": ["x", "x"], "quality": [5, 3]})
    assert scores.merge(ratings)["quality"].tolist() == [5, 3]


def test_without_a_library_of_tables_records_remain(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        raise ImportError(name)

    result = fw.evaluate("ter", ["a"], references=["a"])
    refused = pytest.raises(fw.InputError, match=r"needs pandas, polars or pyarrow, .* or use to_records\(\)")
    monkeypatch.setattr(importlib, "import_module", missing)
    with refused:
        result.to_frame()
    assert result.to_records()[0]["ter"] == 0.0


def test_the_package_imports_no_library_of_tables() -> None:
    script = "import sys, metrics_framework as fw; fw.evaluate('ter', [{'summary': 'a', 'reference': 'a'}]);"
    script += "print({'pandas', 'polars', 'pyarrow', 'numpy'} & sys.modules.keys())"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True).stdout == "set()\n"


# ---- the index of pandas ---------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore")  # few systems
@pytest.mark.parametrize("index", ["id", ["id", "system"], ["system"]])
def test_ids_in_the_index_of_a_table_are_read(index: Any) -> None:
    frame = table("pandas", FRAME)
    expected = fw.evaluate("ter", frame)
    assert fw.evaluate("ter", frame.set_index(index)).systems == expected.systems
    scores = table("pandas", {**FRAME, "ter": [1.0, 3.0, 2.0, 4.0], "rating": [1, 2, 4, 3]})
    of_index, of_columns = (
        fw.correlate(given, "ter", "rating", ci="none").to_records() for given in (scores.set_index(index), scores)
    )
    assert of_index == of_columns


def test_columns_with_the_same_index_in_another_order_are_an_error() -> None:
    series = pytest.importorskip("pandas").Series
    texts, references = series(OUTPUTS, index=[5, 3]), series(REFERENCES, index=[3, 5])
    with pytest.raises(fw.InputError, match="'references' and 'outputs' have the same index in different orders"):
        fw.evaluate("ter", texts, references=references)
    with pytest.raises(fw.InputError, match="'references' and 'summary' have the same index in different orders"):
        fw.columns("ter", texts, references)
    with pytest.raises(
        fw.InputError, match=r"'outputs\['y'\]' and 'outputs\['x'\]' have the same index in different orders"
    ):
        fw.evaluate("ter", {"x": texts, "y": texts.sort_index()}, references=REFERENCES)
    expected = fw.evaluate("ter", OUTPUTS, references=REFERENCES).systems
    assert fw.evaluate("ter", texts, references=references.reset_index(drop=True)).systems == expected
    assert fw.evaluate("ter", texts, references=references.sort_index(ascending=False)).systems != expected


@pytest.mark.parametrize("labels", [[3, 7], [5, 5], [3.0, 4.0]])
def test_columns_with_an_index_that_overlaps_in_part_are_an_error(labels: list[Any]) -> None:
    pandas = pytest.importorskip("pandas")
    texts, references = pandas.Series(OUTPUTS, index=[5, 3]), pandas.Series(REFERENCES, index=labels)
    match = r"'references' \(.*\) and '\w+' \(5, 3\) overlap only in part.*reset_index"
    for score, given in (fw.columns, texts), (fw.columns, pandas.DataFrame({"summary": texts})), (fw.evaluate, texts):
        with pytest.raises(fw.InputError, match=match):
            score("ter", given, references=references)
    with pytest.raises(fw.InputError, match=r"'source' \(5, 9\) and 'references' \(5, 3\)"):
        fw.columns("sari", OUTPUTS, texts, pandas.Series(OUTPUTS, index=[5, 9]))
    expected = fw.columns("ter", OUTPUTS, REFERENCES)
    assert fw.columns("ter", texts.reset_index(drop=True), references.reset_index(drop=True)) == expected


# ---- columns of any name ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("columns", [COLUMNS, "summary=generated,references=gold+other"])
def test_tables_and_rows_have_columns_of_any_name(given: Any, columns: Any) -> None:
    result = fw.evaluate("ter", given, columns=columns)
    # no edit of 2 words; 1 edit of 3; 1 edit of 3: 2 edits of 8 words
    assert result.systems["ours"]["ter"] == pytest.approx(25)
    assert [row.instance_id for row in result.outputs] == ["1", "2", "3"]
    assert result.rows == {"columns": {"summary": "generated", "references": "gold+other"}}
    if given is not ROWS:
        assert fw.columns("ter", given, columns=columns)["ter"] == pytest.approx([0, 100 / 3, 100 / 3])


@pytest.mark.parametrize("where", [{"split": "dev"}, "split=dev", ["split!=test"], {"split": "dev", "model": "ours"}])
def test_conditions_leave_rows_out_and_keep_their_numbers(given: Any, where: Any) -> None:
    result = fw.evaluate("ter", given, columns=COLUMNS, where=where)
    assert [row.instance_id for row in result.outputs] == ["1", "3"]
    assert result.rows["left_out"] == 1


def test_ids_and_systems_have_columns_of_any_name(given: Any) -> None:
    columns = {**COLUMNS, "instance_id": "doc", "system_id": "model"}
    result = fw.evaluate("ter", given, columns=columns, where={"doc": 3})
    assert [(row.instance_id, row.summarizer_id) for row in result.outputs] == [("3", "ours")]


WRONG_COLUMNS: list[tuple[dict[str, Any], str]] = [  # arguments, message
    ({"columns": {**COLUMNS, "summary": "generatd"}}, "did you mean 'generated'"),
    ({"columns": COLUMNS, "where": {"splt": "dev"}}, "did you mean 'split'"),
    ({"columns": {"sumary": "generated"}}, "did you mean 'summary'"),
    ({"columns": COLUMNS, "where": {"split": "train"}}, r"'split' has the values 'dev' \(2\), 'test' \(1\)"),
    ({"columns": COLUMNS, "by": "splt"}, "did you mean 'split'"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG_COLUMNS)
def test_a_column_that_does_not_exist_is_an_error_with_a_suggestion(
    given: Any, arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(fw.FwError, match=message):
        fw.evaluate("ter", given, **arguments)


@pytest.mark.filterwarnings("ignore::metrics_framework.TextWarning")  # all outputs of a system are equal
def test_compare_report_and_visualize_have_the_options(tmp_path: Path) -> None:
    rows = [
        {**row, "generated": texts, "model": model, "doc": number}
        for model, texts in (("ours", "birds sing"), ("theirs", "birds"))
        for number, row in enumerate(ROWS * 30)
    ]
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    options = {"columns": {**COLUMNS, "instance_id": "doc", "system_id": "model"}, "where": {"split": "dev"}}
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
    assert not math.isnan(result.systems["ours"]["ter"])
    assert reader.view is None
