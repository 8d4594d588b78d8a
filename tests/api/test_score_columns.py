"""Columns of scores: the same for lists, pandas, Polars, Arrow and datasets, and those of `evaluate`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from library_tables import LIBRARIES, table
from messages import IS_NULL, LIST_WRITTEN_AS_TEXT, NUMBERED_OR_NONE, ONE_ENTRY_FOR_EACH_OUTPUT
from real_outputs import example_outputs, published_outputs

import metrics_framework as fw
from metrics_framework import InputError, ReferenceFreeMetric, UsageError

SUMMARIES = ["a cat sat", "the dog sat down", "birds"]
REFERENCES = [["a cat sat down", "the cat sat"], ["a dog sat"], ["birds fly", "birds"]]
SOURCES = ["a big cat sat", "the dog sat down", "birds"]
FIELDS = {"summary": SUMMARIES, "references": REFERENCES, "source": SOURCES}
NUMBERED = {
    "summary": SUMMARIES,
    "ref0": [references[0] for references in REFERENCES],
    "ref1": ["the cat sat", None, "birds"],
    "source": SOURCES,
}
METRICS = ("ter", "sari", "bleu", "rouge")
WRITTEN = ["a cat", "['a dog', 'the dog']"]
"""References as pandas reads them from a CSV file that it wrote from lists."""


pandas_table, polars_table, arrow_table = (partial(table, library) for library in LIBRARIES)


def chunked_table(columns: dict[str, list[Any]]) -> Any:
    """Returns a table whose columns consist of two chunks."""
    parts = [arrow_table({name: values[rows] for name, values in columns.items()}) for rows in (slice(1), slice(1, 9))]
    return pytest.importorskip("pyarrow").concat_tables(parts, promote_options="default")


def dataset(columns: dict[str, list[Any]]) -> Any:
    module = pytest.importorskip("datasets.arrow_dataset", reason="needs the package datasets")
    return module.Dataset.from_dict(columns)


def arrays(columns: dict[str, list[Any]]) -> Any:
    """Returns arrays by name, as Ray Data passes a batch."""
    import numpy

    batch = {}
    for name, values in columns.items():
        batch[name] = numpy.empty(len(values), dtype=object)
        batch[name][:] = [numpy.array(value, dtype=object) if isinstance(value, list) else value for value in values]
    return batch


Table = Callable[[dict[str, list[Any]]], Any]
TABLES = [dict, pandas_table, polars_table, arrow_table, chunked_table, dataset, arrays]


def expected() -> dict[str, list[Any]]:
    """Returns the scores of each metric, one output at a time."""
    columns: dict[str, list[Any]] = {}
    for name in METRICS:
        metric = fw.load(name)
        for row in zip(*(FIELDS[field] for field in metric.fields), strict=True):
            for score, value in metric.score(*row).flatten().items():
                columns.setdefault(score, []).append(value)
    return columns


@pytest.mark.parametrize("table", TABLES)
def test_columns_are_the_same_in_every_library(table: Table) -> None:
    given, numbered = table(FIELDS), table(NUMBERED)
    assert fw.columns(METRICS, given) == fw.columns(METRICS, numbered) == expected()
    assert fw.columns(METRICS, given["summary"], given["references"], given["source"]) == expected()
    if table in (pandas_table, polars_table):
        references = numbered[["ref0", "ref1"]]
        assert fw.columns(METRICS, numbered["summary"], references, numbered["source"]) == expected()


@pytest.mark.parametrize("table", TABLES)
def test_metrics_accept_columns_where_they_accept_lists(table: Table) -> None:
    given = table(FIELDS)
    for name in ("sari", "ter"):
        metric = fw.load(name)
        lists = [FIELDS[field] for field in metric.fields]
        columns = [given[field] for field in metric.fields]
        assert metric.score_all(*columns) == metric.score_all(*lists)
        assert metric.evaluate(*columns) == metric.evaluate(*lists)


@pytest.mark.parametrize("is_published", [False, True])
def test_columns_are_those_of_evaluate(is_published: bool, shared_path: Callable[[str], Path]) -> None:
    outputs: Any = published_outputs(shared_path) if is_published else example_outputs()
    found = fw.columns(METRICS, **outputs)
    result = fw.evaluate(METRICS, outputs["summary"], references=outputs["references"], sources=outputs["source"])
    records = result.to_records("outputs")
    assert found == {name: [record[name] for record in records] for name in found}
    assert set(found) == set(records[0]) - {"instance_id", "summarizer_id", "summarizer_type"}


@settings(max_examples=20)
@given(st.lists(st.tuples(st.text(), st.lists(st.text(), min_size=1, max_size=3)), min_size=1))
def test_any_texts_have_the_scores_of_single_outputs(rows: list[tuple[str, list[str]]]) -> None:
    summaries, references = map(list, zip(*rows, strict=True))
    found = fw.columns(["chrf", "ter"], summaries, references)
    assert found["chrf"] == [fw.load("chrf").score(*row)["chrf"] for row in rows]
    assert found["ter"] == [fw.load("ter").score(*row)["ter"] for row in rows]


@pytest.mark.parametrize("table", [pandas_table, polars_table, arrow_table, dataset])
def test_a_missing_value_is_reported_with_its_row(table: Table) -> None:
    given = table({"summary": ["a", None], "references": [["a"], None]})
    for score in (partial(fw.columns, "ter"), fw.load("ter").score_all):
        with pytest.raises(InputError, match=rf"'summary\[1\]' {IS_NULL}"):
            score(given["summary"], [["a"], ["b"]])
    with pytest.raises(InputError, match="output 1 has no reference"):
        fw.columns("ter", ["a", "b"], given["references"])


def test_empty_tables_have_the_same_columns() -> None:
    assert fw.columns(METRICS, [], [], []) == {name: [] for name in expected()}


def test_a_name_of_a_score_returns_its_columns_alone() -> None:
    with pytest.warns(UserWarning, match="is read as the metric 'google-rouge'"):
        found = fw.columns(["rouge1", "ter"], ["a cat"], ["a cat"])
    assert [*found] == [
        "rouge1_precision",
        "rouge1_recall",
        "rouge1_fmeasure",
        "ter",
        "ter_num_edits",
        "ter_ref_length",
    ]


def test_labels_rename_columns() -> None:
    found = fw.columns({"loose": "ter", "strict": fw.load("ter", case_sensitive=True)}, ["A cat"], ["a cat"])
    assert (found["loose"], found["strict"], found["strict_num_edits"]) == ([0.0], [50.0], [1])


def test_undefined_scores_are_nan() -> None:
    class Undefined(ReferenceFreeMetric):
        def score_multi_all(self, summaries_list: Any) -> Any:
            return [[{"x": None, "y": 1.0} for _ in summaries] for summaries in summaries_list]

    (value,) = fw.columns(Undefined(), ["a"])["x"]
    assert value != value


MISTAKES: list[tuple[Any, dict[str, Any], str]] = [  # metrics, arguments, message
    ("sari", {"summary": SUMMARIES, "references": REFERENCES}, "'sari' needs 'source', but got only 'summary', 'ref"),
    (
        "sari",
        {"summary": {"summary": SUMMARIES}},
        "'sari' needs 'references', but got only 'summary'; pass references=",
    ),
    (
        "sari",
        {**FIELDS, "summary": SUMMARIES[:2]},
        "got 2 in summary, 3 in references, 3 in source",
    ),
    ("sari", {**FIELDS, "summary": "a cat"}, f"'summary' {ONE_ENTRY_FOR_EACH_OUTPUT}, got the string"),
    ("sari", {"summary": {**NUMBERED, "references": REFERENCES}}, NUMBERED_OR_NONE),
    ("sari", {"summary": {**FIELDS, "prediction": SUMMARIES}}, "both name the output"),
    ("sari", {**FIELDS, "sorce": ["a"] * 3}, "has the field 'sorce'; their fields are summary, ref"),
    ("ter", {"summary": ["a", "b"], "references": WRITTEN}, rf"{LIST_WRITTEN_AS_TEXT} \(entry 1\)"),
    (
        "ter",
        {"summary": {"summary": ["a", "b"], "references": WRITTEN}},
        rf"{LIST_WRITTEN_AS_TEXT} \(entry 1\)",
    ),
    ("ter", {"summary": {"summary": ["a", "b"], "ref1": ["a", None]}}, "^output 1 has no reference$"),
    ("ter", {"summary": ["a"], "references": ["a"], "columns": {"summary": "x"}}, "'summary' must be a table"),
]


@pytest.mark.parametrize(("metrics", "arguments", "message"), MISTAKES)
def test_wrong_arguments_are_reported(metrics: Any, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(fw.FwError, match=message):
        fw.columns(metrics, **arguments)


def test_a_lazy_frame_is_reported() -> None:
    lazy = polars_table({**FIELDS, "instance_id": [1, 2, 3]}).lazy()
    for score in (fw.columns, fw.evaluate):
        with pytest.raises(InputError, match=r"call collect\(\) first"):
            score("sari", lazy)


def test_scores_of_one_name_are_reported() -> None:
    class Other(ReferenceFreeMetric):
        def score_multi_all(self, summaries_list: Any) -> Any:
            return [[{"ter": 1.0} for _ in summaries] for summaries in summaries_list]

    with pytest.raises(UsageError, match="two metrics have a score called 'ter'"):
        fw.columns(["ter", Other()], ["a"], ["a"])


def test_scores_that_differ_between_outputs_are_reported() -> None:
    class Changing(ReferenceFreeMetric):
        def score_multi_all(self, summaries_list: Any) -> Any:
            return [[{summary: 1.0} for summary in summaries] for summaries in summaries_list]

    with pytest.raises(InputError, match="must return the same scores for every output"):
        fw.columns(Changing(), ["a", "b"])


def test_columns_are_added_to_each_kind_of_table() -> None:
    scores = fw.columns("ter", **{name: FIELDS[name] for name in ("summary", "references")})
    pandas = pandas_table(FIELDS)
    assert pandas.assign(**fw.columns("ter", pandas))["ter"].to_list() == scores["ter"]
    polars = polars_table(FIELDS)
    import polars as pl

    added = polars.with_columns(pl.Series(name, values) for name, values in fw.columns("ter", polars).items())
    assert added["ter"].to_list() == scores["ter"]
    arrow = arrow_table(FIELDS)
    for name, values in fw.columns("ter", arrow).items():
        arrow = arrow.append_column(name, [values])
    assert arrow["ter"].to_pylist() == scores["ter"]


@pytest.mark.filterwarnings("ignore")
def test_columns_are_added_by_map_of_datasets() -> None:
    scores = fw.columns("ter", SUMMARIES, REFERENCES)
    mapped = dataset(FIELDS).map(lambda batch: fw.columns("ter", batch), batched=True, batch_size=2)
    assert {name: mapped[name][:] for name in scores} == scores


def test_brackets_and_quotation_marks_are_text_and_missing_references_are_left_out() -> None:
    assert fw.columns("ter", ["['a'] b"], ["['a'] b"])["ter"] == [0.0]
    assert fw.columns("ter", ["a b"], [["a b", None]]) == fw.columns("ter", ["a b"], ["a b"])


def test_two_columns_of_one_role_are_told_apart_with_an_argument_of_python() -> None:
    table = {"summary": ["a"], "hypothesis": ["b"], "references": [["a"]]}
    with pytest.raises(InputError, match=r"choose one with columns=\{'summary': COLUMN\}"):
        fw.columns("ter", table)
    assert fw.columns("ter", table, columns={"summary": "hypothesis"})["ter"] == [100.0]
