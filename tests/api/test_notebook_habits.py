"""What users of notebooks type: guessed names, negative numbers of jobs, sets, columns of pandas with an index."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest
from messages import SAME_INDEX_IN_ANOTHER_ORDER

import metrics_framework as fw
from metrics_framework.integrations import hugging_face

OUTPUTS = ["a b", "c"]
REFERENCES = [["a b"], ["d"]]
ROWS = [
    {"instance_id": number, "summarizer_id": system, "summary": text, "reference": "a b"}
    for number in (7, 8)
    for system, text in (("x", "a b"), ("y", "c"))
]
PANDAS = "needs pandas of the extra 'frames', which CI installs"


@pytest.mark.parametrize("jobs", [-1, True, "2", None, 1.5])
def test_what_is_no_number_of_jobs_is_an_error(jobs: Any) -> None:
    with pytest.raises(fw.InputError, match="'jobs' must be an integer, 0 or more"):
        fw.evaluate("ter", OUTPUTS, references=REFERENCES, jobs=jobs)


def test_jobs_0_uses_all_available_cpus() -> None:
    expected = fw.evaluate("ter", OUTPUTS, references=REFERENCES)
    assert fw.evaluate("ter", OUTPUTS, references=REFERENCES, jobs=0).systems == expected.systems


@pytest.mark.parametrize("outputs", [{"a b", "c"}, frozenset(OUTPUTS), {"x": {"a b", "c"}}])
def test_a_set_of_texts_is_an_error_because_it_has_no_order(outputs: Any) -> None:
    with pytest.raises(fw.InputError, match=r"outputs.* must be"):
        fw.evaluate("ter", outputs, references=REFERENCES)
    with pytest.raises(fw.InputError, match="must be a list"):
        fw.load("ter").evaluate({"a b", "c"}, REFERENCES)


@pytest.mark.parametrize("metrics", [3, fw.load, fw.Metric, {"ter", "bleu"}])
def test_what_is_no_metric_is_an_error(metrics: Any) -> None:
    with pytest.raises(fw.InputError, match="'metrics' must be a metric or a list of metrics"):
        fw.evaluate(metrics, OUTPUTS, references=REFERENCES)


def test_a_dictionary_without_systems_is_an_error() -> None:
    with pytest.raises(fw.InputError, match="'outputs' must have at least one system"):
        fw.evaluate("ter", {}, references=[])


def test_columns_in_a_dictionary_are_an_error_that_says_so() -> None:
    with pytest.raises(fw.InputError, match="the keys of 'outputs' are systems, not columns; pass a table"):
        fw.evaluate("ter", {"summary": OUTPUTS, "references": REFERENCES})


def test_a_result_is_a_collection_of_systems() -> None:
    result = fw.evaluate("ter", {"x": OUTPUTS, "y": OUTPUTS}, references=REFERENCES)
    assert list(result) == ["x", "y"]
    assert len(result) == 2
    assert "x" in result
    assert "z" not in result
    assert dict(result) == result.systems
    with pytest.raises(KeyError, match="unknown system 'X'; did you mean 'x'"):
        result["X"]


@pytest.mark.parametrize(("name", "instead"), [("compute", "hugging_face"), ("corpus_score", r"use evaluate\(\)")])
def test_methods_of_other_packages_are_answered_with_the_method_here(name: str, instead: str) -> None:
    metric = pickle.loads(pickle.dumps(fw.load("bleu")))
    with pytest.raises(AttributeError, match=f"'Bleu' object has no attribute '{name}'.*{instead}"):
        getattr(metric, name)
    assert not hasattr(metric, "_repr_html_")
    assert hasattr(hugging_face.load("bleu"), "compute")


def test_only_public_names_are_completed() -> None:
    assert {name for name in dir(fw) if not name.startswith("__")} == set(fw.__all__) - {"__version__"}
    misspelt = "evalute"
    with pytest.raises(AttributeError) as caught:
        getattr(fw, misspelt)
    assert caught.value.name == misspelt
    assert caught.value.obj is fw  # Python suggests 'evaluate'


@pytest.mark.parametrize("id_type", [int, str])
def test_ids_of_outputs_have_the_type_of_the_rows(id_type: type) -> None:
    rows = [{**row, "instance_id": id_type(row["instance_id"])} for row in ROWS]
    result = fw.evaluate("ter", rows)
    assert [record["instance_id"] for record in result.to_records("outputs")] == [row["instance_id"] for row in rows]
    assert {row.instance_id for row in result.outputs} == {"7", "8"}  # as in files


def test_scores_can_be_merged_with_ratings() -> None:
    pandas = pytest.importorskip("pandas", reason=PANDAS)
    data = Path(__file__).resolve().parents[2] / "datasets" / "simplification"
    outputs, ratings = (
        pandas.DataFrame([json.loads(line) for line in (data / name).read_text(encoding="utf-8").splitlines()])
        for name in ("outputs.jsonl", "human.jsonl")
    )
    scores = fw.evaluate("ter", outputs).to_frame("outputs")
    assert len(scores.merge(ratings, on=["instance_id", "summarizer_id"])) == len(outputs) == len(ratings)


@pytest.mark.filterwarnings("ignore")  # few systems
@pytest.mark.parametrize("index", ["instance_id", ["instance_id", "summarizer_id"], ["summarizer_id"]])
def test_ids_in_the_index_of_a_table_are_read(index: Any) -> None:
    pandas = pytest.importorskip("pandas", reason=PANDAS)
    frame = pandas.DataFrame(ROWS)
    expected = fw.evaluate("ter", frame)
    assert list(expected) == ["x", "y"]
    assert fw.evaluate("ter", frame.set_index(index)).systems == expected.systems
    scores = pandas.DataFrame(expected.to_records("outputs")).assign(rating=[1, 2, 4, 3])
    assert (
        fw.correlate(scores.set_index(index), "ter", "rating", ci="none").to_records()
        == fw.correlate(scores, "ter", "rating", ci="none").to_records()
    )


def test_columns_with_the_same_index_in_another_order_are_an_error() -> None:
    pandas = pytest.importorskip("pandas", reason=PANDAS)
    texts, references = pandas.Series(OUTPUTS, index=[5, 3]), pandas.Series(REFERENCES, index=[3, 5])
    with pytest.raises(fw.InputError, match=f"'references' and 'outputs' {SAME_INDEX_IN_ANOTHER_ORDER}"):
        fw.evaluate("ter", texts, references=references)
    with pytest.raises(fw.InputError, match=rf"'outputs\['y'\]' and 'outputs\['x'\]' {SAME_INDEX_IN_ANOTHER_ORDER}"):
        fw.evaluate("ter", {"x": texts, "y": texts.sort_index()}, references=REFERENCES)
    expected = fw.evaluate("ter", OUTPUTS, references=REFERENCES).systems
    assert fw.evaluate("ter", texts, references=references.reset_index(drop=True)).systems == expected
    assert fw.evaluate("ter", texts, references=references.sort_index(ascending=False)).systems != expected


@pytest.mark.parametrize("labels", [[3, 7], [5, 5], [3.0, 4.0]])
def test_columns_with_an_index_that_overlaps_in_part_are_an_error(labels: list[Any]) -> None:
    pandas = pytest.importorskip("pandas", reason=PANDAS)
    texts, references = pandas.Series(OUTPUTS, index=[5, 3]), pandas.Series(REFERENCES, index=labels)
    match = r"'references' \(.*\) and '\w+' \(5, 3\) overlap only in part.*reset_index"
    with pytest.raises(fw.InputError, match=match):
        fw.columns("ter", texts, references)
    with pytest.raises(fw.InputError, match=match):
        fw.columns("ter", pandas.DataFrame({"summary": texts}), references)
    with pytest.raises(fw.InputError, match=match):
        fw.evaluate("ter", texts, references=references)
    with pytest.raises(fw.InputError, match=r"'source' \(5, 9\) and 'references' \(5, 3\)"):
        fw.columns("sari", OUTPUTS, texts, pandas.Series(OUTPUTS, index=[5, 9]))
    expected = fw.columns("ter", OUTPUTS, REFERENCES)
    assert fw.columns("ter", texts.reset_index(drop=True), references.reset_index(drop=True)) == expected


def test_a_missing_column_is_reported_once() -> None:
    pandas = pytest.importorskip("pandas", reason=PANDAS)
    with pytest.raises(
        fw.InputError, match=r"the metric 'sari' needs the column 'source'; the table has 'instance_id'"
    ):
        fw.evaluate("sari", pandas.DataFrame(ROWS))
    numbered = pandas.DataFrame({"prediction": OUTPUTS, "reference_0": OUTPUTS})
    assert fw.evaluate("ter", numbered).metrics["ter"] == 0.0
