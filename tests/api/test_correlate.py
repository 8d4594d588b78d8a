"""`correlate` has the numbers of `fw correlate`, for tables, rows, results of `evaluate` and files."""

from __future__ import annotations

import copy
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from coefficient_values import coefficient
from library_tables import LIBRARIES, library_of
from messages import TABLE_OR_ROWS

import metrics_framework as fw
from metrics_framework.commands.app import main

DATA = Path(__file__).resolve().parents[2] / "datasets" / "simplification"
HUMAN = DATA / "human.jsonl"


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def flat(row: dict[str, Any]) -> dict[str, Any]:
    return {**{name: value for name, value in row.items() if name != "metrics"}, **row["metrics"]}


@pytest.fixture(scope="module")
def evaluation() -> fw.EvaluationResult:
    return fw.evaluate(["sari", "ter"], read(DATA / "outputs.jsonl"))


@pytest.fixture(scope="module")
def of_command(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The JSON that the command writes."""
    folder = tmp_path_factory.mktemp("command")
    micro, out = str(folder / "micro.jsonl"), folder / "out.json"
    files = ["--input-files", str(DATA / "outputs.jsonl"), "--silent"]
    assert main(["evaluate", str(folder / "macro.json"), micro, *files, "--metric", "sari", "--metric", "ter"]) == 0
    pairs = ["--metric", "sari", "--metric", "ter", "--human", "simplicity"]
    assert main(["correlate", micro, str(HUMAN), *pairs, "--output-file", str(out), "--silent"]) == 0
    return json.loads(out.read_text(encoding="utf-8"))


def without_signatures(results: Any) -> Any:
    """The signature of a file does not state the number of references."""
    return [
        {name: value for name, value in result.items() if name != "signatures"} for result in results["correlations"]
    ]


@pytest.mark.filterwarnings("ignore:.*fewer than 4 systems")
@pytest.mark.parametrize("form", ["a list", "one table", "rows of scores", "a file"])
def test_all_forms_of_scores_have_the_numbers_of_the_command(
    form: str, evaluation: fw.EvaluationResult, of_command: Any
) -> None:
    ratings = read(HUMAN)
    by_id = {(row["instance_id"], row["summarizer_id"]): row["metrics"] for row in ratings}
    joined = [
        {**record, **by_id[record["instance_id"], record["summarizer_id"]]}
        for record in evaluation.to_records("outputs")
    ]
    scores: Any = {
        "a list": [evaluation, [flat(row) for row in ratings]],
        "one table": joined,
        "rows of scores": [evaluation.outputs, ratings],
        "a file": [evaluation, HUMAN],
    }[form]
    result = fw.correlate(scores, ["sari", "ter"], "simplicity")
    assert without_signatures(json.loads(result.to_json())) == without_signatures(of_command)
    assert [correlation.metric1 for correlation in result] == ["sari", "ter"]
    assert fw.correlate(scores, [("ter", "simplicity")]).to_records() == result.to_records()[9:]


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_table_is_correlated_by_its_columns(library: str, evaluation: fw.EvaluationResult) -> None:
    pytest.importorskip(library)
    result = fw.correlate(evaluation.to_frame("outputs", library), "sari", "ter", ci="none")
    assert result.to_records() == fw.correlate(evaluation, "sari", "ter", ci="none").to_records()
    assert library_of(result.to_frame()) == library


def rows(*scores: tuple[Any, Any]) -> list[dict[str, Any]]:
    return [{"instance_id": 1, "summarizer_id": i, "a": a, "b": b} for i, (a, b) in enumerate(scores)]


QUIET = {"ci": "none", "levels": ["global"]}


def value(result: fw.CorrelationResult) -> float:
    return result.correlations[0].levels["global"].estimates["pearson"].value


def test_single_ratings_are_averaged_and_missing_ones_counted() -> None:
    ratings = [{**row, "rater_id": rater} for row in rows((1, 1), (2, 3), (3, 2)) for rater in "xy"]
    assert value(fw.correlate(ratings, "a", "b", **QUIET)) == pytest.approx(0.5)
    with pytest.warns(UserWarning, match="left out: 1 output without b"):
        result = fw.correlate(rows((1, 1), (2, 3), (3, 2), (4, None)), "a", "b", **QUIET)
    assert value(result) == pytest.approx(0.5)
    assert any("left out: 1 output without b" in warning for warning in result.warnings)
    assert len(fw.correlate(ratings, ["a"], np.array(["b"]), **QUIET)) == 1


def test_a_result_is_shown_as_a_table_and_as_html(evaluation: fw.EvaluationResult) -> None:
    result = fw.correlate(evaluation, "sari", "ter", ci="none")
    assert str(result).startswith(f"{result.summary()}\n\nmetric  against  level")
    assert result._repr_html_().startswith(f"<p>{result.summary()}</p>\n\n<table>")
    assert result.plot().startswith("<svg")
    assert repr(result) == "CorrelationResult([('sari', 'ter')])"
    assert result.as_json()["metric1"] == "sari"
    assert "comparisons" in dir(copy.copy(result))
    assert (len(result), result["sari"].metric2) == (1, "ter")
    with pytest.raises(KeyError, match="ter"):
        result["ter"]
    with pytest.raises(fw.InputError, match="'kind' must be one of"):
        result.plot("rank")
    assert list(result.to_records()[0])[-5:] == ["coefficient", "value", "lower", "upper", "p_value"]


MISTAKES: list[tuple[Any, Any, Any, str]] = [
    (rows((1, 2)), "a", "c", "unknown metric 'c'"),
    (rows((1, 2), (2, "x")), "a", "b", r"unknown metric 'b'.*'b' must be a finite number, got the string 'x'"),
    (rows((1, 2)), "a", None, "'human' must name the ratings"),
    (rows((1, 2)), "a", "a", "two different scores, got 'a' twice"),
    (rows((1, 2)), [], "a", "'metrics' must name scores"),
    (3, "a", "b", "must be a table, rows, a result of evaluate.. or files, got the number 3"),
    ([3], "a", "b", f"'scores' {TABLE_OR_ROWS}"),
    ([rows((1, 2)), {"a": 1}], "a", "b", r"'scores\[1\]\['a'\]' must be a list"),
    ([{"rater": 1, "a": 2, "b": 3}], "a", "b", "scores.*has no column for the input"),
    (fw.evaluate("ter", ["a"], references=["a"], keep_outputs=False), "ter", "ter_num_edits", "keep_outputs=True"),
    (rows((1, 2)) * 2, "a", "b", r"^scores\[1\]: .*first at scores\[0\]"),
    ([[1, 2]], [[1], [2]], None, "'metric' has 1 × 2, 'human' 2 × 1"),
    ({"x": [1, 2]}, {"y": [1, 2]}, None, "must have the same systems"),
    ({"human": [[1, 2]]}, [[1, 2]], None, "must have different names, got human"),
    ([[1, "x"]], None, [[1, 2]], "'metric' must be a matrix of finite numbers or NaN, systems × inputs, got the list"),
    ({"a": [[1, 2]]}, ["b"], [[1, 2]], "unknown metric 'b'"),
]


@pytest.mark.parametrize(("scores", "metrics", "human", "message"), MISTAKES)
def test_mistakes_are_explained(scores: Any, metrics: Any, human: Any, message: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(fw.FwError, match=message):
            fw.correlate(scores, metrics, human, **QUIET)


@pytest.mark.parametrize("columns", [["id", "a", "b"], ["id", "b"]])
def test_a_table_without_systems_has_the_outputs_of_one(columns: list[str]) -> None:
    whole = [{"id": i, "system": "x", "a": i * 7 % 5, "b": i % 4} for i in range(9)]
    tables = [[{name: row[name] for name in columns} for row in whole], whole]
    assert value(fw.correlate(tables, "a", "b", **QUIET)) == value(fw.correlate(whole, "a", "b", **QUIET))
    with pytest.raises(fw.DataError, match="has no column for the system"):
        fw.correlate([*tables, [{**whole[0], "system": "y"}]], "a", "b")
    with pytest.raises(fw.DataError, match="has no column for the system"):
        fw.correlate(tables, "a", "b", levels="system")


BLEU, COMET, PEOPLE = np.random.default_rng(5).normal(size=(3, 4, 9)).tolist()
BLEU[1][3] = None
NAMES = ["w", "x", "y", "z"]
MATRICES: list[tuple[Any, Any, list[tuple[str, str]], str]] = [  # metrics, human ratings, pairs, why
    (BLEU, PEOPLE, [("metric", "human")], "lists"),
    (np.array(BLEU, dtype=float), np.array(PEOPLE), [("metric", "human")], "arrays"),
    ({"bleu": BLEU, "comet": COMET}, PEOPLE, [("bleu", "human"), ("comet", "human")], "several metrics"),
    (BLEU, {"a": PEOPLE, "b": COMET}, [("metric", "a"), ("metric", "b")], "several ratings"),
    (dict(zip(NAMES, BLEU, strict=True)), dict(zip(NAMES, PEOPLE, strict=True)), [("metric", "human")], "by system"),
]


@pytest.mark.filterwarnings("ignore")  # an output without a score
@pytest.mark.parametrize(("metrics", "human", "pairs", "why"), MATRICES)
def test_matrices_are_correlated_as_the_functions_on_arrays_do(
    metrics: Any, human: Any, pairs: list[tuple[str, str]], why: str
) -> None:
    options: dict[str, Any] = {"ci": "none", "levels": ["input", "system"], "coefficients": "kendall-b"}
    result = fw.correlate(metrics, human, **options)
    assert [(one.metric1, one.metric2) for one in result] == pairs
    for level in ("input", "system"):
        expected = coefficient(np.array(PEOPLE), np.array(BLEU, dtype=float), "kendall-b", level=level)
        assert result.correlations[0].levels[level].estimates["kendall-b"].value == pytest.approx(expected)
    assert fw.correlate(metrics, human=human, **options).to_records() == result.to_records()


@pytest.mark.filterwarnings("ignore")  # an output without a score
def test_a_matrix_may_be_a_table_and_its_systems_have_the_names_of_its_rows() -> None:
    pandas = pytest.importorskip("pandas")
    frames = [pandas.DataFrame(one, index=NAMES, dtype=float) for one in (BLEU, PEOPLE)]
    result = fw.correlate(*frames, ci="none")
    assert result["metric"].matrix.systems == NAMES
    assert result.to_records() == fw.correlate(BLEU, PEOPLE, ci="none").to_records()
    assert [one.metric1 for one in fw.correlate({"a": BLEU, "b": COMET}, "b", PEOPLE, ci="none")] == ["b"]
