"""Tables of pandas, polars and pyarrow are scored by their columns; these libraries are in the extra `frames`."""

from __future__ import annotations

import importlib
from typing import Any

import pytest
from messages import ONE_ENTRY_FOR_EACH_OUTPUT

import metrics_framework as fw

REASON = "needs a library of the extra 'frames', which CI installs"
COLUMNS = {
    "id": [1, 1, 2, 2],
    "system": ["x", "y", "x", "y"],
    "prediction": ["a b", "a c", "c", "d e"],
    "reference_0": ["a b", "a b", "c d", "c d"],
    "ref_1": ["x", "x", None, None],
    "length": [0.5, 1.5, 2.5, 3.5],
}


def table(library: str, columns: dict[str, Any]) -> Any:
    module = pytest.importorskip(library, reason=REASON)
    return module.table(columns) if library == "pyarrow" else module.DataFrame(columns)


LIBRARIES = ["pandas", "polars", "pyarrow"]


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_table_is_scored_by_its_columns_and_answered_in_kind(library: str) -> None:
    result = fw.evaluate("ter", table(library, COLUMNS))
    names = list(COLUMNS)
    rows = [dict(zip(names, values, strict=True)) for values in zip(*COLUMNS.values(), strict=True)]
    expected = fw.evaluate("ter", rows)
    assert result.systems == expected.systems
    assert list(result.systems) == ["x", "y"]
    for of in ("systems", "outputs"):
        frame = result.to_frame(of)
        assert type(frame).__module__.partition(".")[0] == library
        records = (
            frame.to_pylist()
            if library == "pyarrow"
            else frame.to_dict("records")
            if library == "pandas"
            else frame.to_dicts()
        )
        assert records == expected.to_records(of)


@pytest.mark.parametrize("library", LIBRARIES)
def test_columns_of_tables_are_lists_of_texts(library: str) -> None:
    columns = table(library, {"a": ["a b", "c"], "b": [["a b"], ["c", "x"]]})
    assert fw.load("ter").evaluate(columns["a"], columns["b"])[0]["ter"] == 0.0
    assert fw.load("ter").score_all(columns["a"], columns["b"])[1]["ter"] == 0.0
    assert fw.evaluate("ter", {"x": columns["a"]}, references=columns["b"]).metrics["ter"] == 0.0


@pytest.mark.parametrize("library", LIBRARIES)
def test_several_references_may_be_the_columns_of_a_table(library: str) -> None:
    references = table(library, {"first": ["a b", "x"], "second": [None, "c"]})
    assert fw.evaluate("ter", ["a b", "c"], references=references).metrics["ter"] == 0.0


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_table_is_no_list_of_texts(library: str) -> None:
    """Iterating over a DataFrame yields the names of its columns, which would be scored as texts."""
    one = table(library, {"a b": ["c"]})
    with pytest.raises(fw.InputError, match="'sources' must be a list of texts"):
        fw.evaluate("sari", ["a"], references=["a"], sources=one)
    with pytest.raises(fw.InputError, match=r"'outputs\['x'\]' must be a list of texts"):
        fw.evaluate("ter", {"x": one}, references=["a"])
    with pytest.raises(fw.InputError, match=f"'summary' {ONE_ENTRY_FOR_EACH_OUTPUT}"):
        fw.load("ter").evaluate(one, [["a"]])


def test_a_lazy_frame_is_explained() -> None:
    polars = pytest.importorskip("polars", reason=REASON)
    with pytest.raises(fw.InputError, match=r"call collect\(\) first"):
        fw.evaluate("ter", polars.LazyFrame({"summary": ["a"], "reference": ["a"]}))


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("asked", LIBRARIES)
def test_any_library_of_tables_can_be_asked_for(library: str, asked: str) -> None:
    pytest.importorskip(asked, reason=REASON)
    frame = fw.evaluate("ter", table(library, COLUMNS)).to_frame(library=asked)
    assert type(frame).__module__.partition(".")[0] == asked


@pytest.mark.parametrize("missing", [None, float("nan"), "NA"])
def test_missing_texts_are_named_by_their_row(missing: Any) -> None:
    pandas = pytest.importorskip("pandas", reason=REASON)
    missing = pandas.NA if missing == "NA" else missing
    frame = pandas.DataFrame({"summary": ["a", missing], "reference": ["a", "b"]})
    with pytest.raises(fw.DataError, match=r"^rows\[1\]: 'summary' is missing"):
        fw.evaluate("ter", frame)


def test_a_column_that_is_nearly_a_field_is_an_error() -> None:
    pandas = pytest.importorskip("pandas", reason=REASON)
    with pytest.raises(fw.InputError, match="unknown column 'Summary'; did you mean 'summary'"):
        fw.evaluate("ter", pandas.DataFrame({"Summary": ["a"], "reference": ["a"]}))


def test_ratings_are_joined_with_the_scores_of_outputs() -> None:
    pandas = pytest.importorskip("pandas", reason=REASON)
    scores = fw.evaluate("ter", pandas.DataFrame(COLUMNS)).to_frame("outputs")
    ratings = pandas.DataFrame({"instance_id": [1, 2], "summarizer_id": ["x", "x"], "quality": [5, 3]})
    assert scores.merge(ratings)["quality"].tolist() == [5, 3]


def test_without_a_library_of_tables_records_remain(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        raise ImportError(name)

    result = fw.evaluate("ter", ["a"], references=["a"])
    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(fw.InputError, match=r"needs pandas, polars or pyarrow, .* or use to_records\(\)"):
        result.to_frame()
    assert result.to_records()[0]["ter"] == 0.0


def test_the_package_imports_no_library_of_tables() -> None:
    import subprocess
    import sys

    script = "import sys, metrics_framework as fw; fw.evaluate('ter', [{'summary': 'a', 'reference': 'a'}]);"
    script += "print({'pandas', 'polars', 'pyarrow', 'numpy'} & sys.modules.keys())"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True).stdout == "set()\n"
