"""Results under the names that people look for: `to_pandas`, `to_polars`, `to_latex` and `plot`; the caller's index."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from library_tables import LIBRARIES, library_of, table

import metrics_framework as fw

ROWS = [json.loads(line) for line in Path("datasets/simplification/outputs.jsonl").read_text("utf-8").splitlines()]
HUMAN = "datasets/simplification/human.jsonl"
RATINGS = [
    {"instance_id": i, "summarizer_id": system, "rater_id": rater, "quality": 1 + (i * number + len(rater)) % 5}
    for i in range(8)
    for number, system in enumerate(("old", "new"), 2)
    for rater in ("ann", "bert", "carla")
]
VOTES = [
    {"instance_id": i, "rater_id": "r", "system_a": "x", "system_b": "y", "winner": "ab"[i % 3 == 0]} for i in range(9)
]
EVALUATED = fw.evaluate(["sari", "ter"], ROWS, confidence={"resamples": 50})
Case: TypeAlias = "tuple[Any, list[str], tuple[str, ...], tuple[str, ...]]"
RESULTS: dict[str, tuple[Callable[[], Any], list[str], tuple[str, ...], tuple[str, ...]]] = {
    # result, columns of its DataFrame, lists of records, its other pictures
    "evaluate": (lambda: EVALUATED, ["system", "sari", "ter"], ("scores", "systems", "outputs"), ()),
    "compare": (
        lambda: fw.compare(["sari", "ter"], ROWS, trials=50, resamples=50),
        ["score", "system1", "system2"],
        ("pairs", "systems"),
        (),
    ),
    "correlate": (
        lambda: fw.correlate([EVALUATED, HUMAN], ["sari", "ter"], "simplicity", ci="none", test="cells", resamples=20),
        ["metric1", "metric2", "level", "n", "pearson", "spearman", "kendall-b"],
        ("metrics", "correlations", "differences"),
        ("system", "forest", "p-values", "ranks"),
    ),
    "agreement": (lambda: fw.agreement(RATINGS, "quality"), ["rating"], ("all",), ()),
    "prefer": (
        lambda: fw.prefer(VOTES),
        ["system"],
        ("systems", "pairs", "ranking", "agreement"),
        ("ranks",),
    ),
    "plan": (lambda: fw.plan("mean", sd=2, agreement=0.5, inputs=[50], simulations=100), ["goal"], ("all",), ()),
}


@pytest.fixture(params=RESULTS)
def case(request: pytest.FixtureRequest) -> Case:
    make, *rest = RESULTS[request.param]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of few systems
        return make(), *rest


def test_every_result_has_the_names_of_one_table(case: Case) -> None:
    result, columns, tables, _ = case
    assert result.to_latex() == result.table("latex")
    assert result.tables == tables
    for library, method in (("pandas", result.to_pandas), ("polars", result.to_polars)):
        pytest.importorskip(library)
        assert library_of(method()) == library
        assert list(method().columns)[: len(columns)] == columns
        assert [list(method(of).columns) for of in tables] == [
            list(result.to_frame(of, library).columns) for of in tables
        ]
    with pytest.raises(fw.InputError, match=f"'of' must be one of {tables[0]}"):
        result.to_pandas("scorse")


def test_every_result_has_a_plot_that_a_notebook_shows(
    case: Case,
) -> None:
    result, *_, kinds = case
    plot = result.plot()
    assert plot.startswith("<svg")
    assert plot._repr_svg_() == plot
    for kind in kinds:
        assert result.plot(kind).startswith("<svg")
    with pytest.raises(fw.InputError, match="'kind' must be one of"):
        result.plot("imaginary")


@pytest.mark.parametrize("ending", ["svg", "png", "pdf"])
def test_a_plot_is_saved_in_the_format_of_its_name(ending: str, tmp_path: Path) -> None:
    if ending != "svg":
        pytest.importorskip("cairosvg", reason="needs the extra 'pictures', which CI installs")
    path = tmp_path / f"scores.{ending}"
    EVALUATED.plot().save(path)
    assert path.read_bytes().startswith({"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF"}[ending])


def test_options_of_the_table_are_options_of_latex() -> None:
    assert EVALUATED.to_latex(digits=1, caption="Scores.") == EVALUATED.table("latex", digits=1, caption="Scores.")


def test_the_frame_of_main_scores_has_a_row_for_each_set_and_the_columns_of_the_profile() -> None:
    rows = [{**row, "half": ["first", "second"][int(row["instance_id"]) % 2]} for row in ROWS]
    of_sets = fw.evaluate("sari", rows, by="half")
    assert list(of_sets.to_records("scores")[0]) == ["system", "half", "sari"]
    assert {record["half"] for record in of_sets.to_records("scores")} == {"first", "second", "mean"}
    assert of_sets.plot().count("sari") > 0
    assert "sari_add" not in EVALUATED.to_records("scores")[0]


FRAME = {"summary": ["a b", "a c", "d"], "other": ["x", "y", "z"], "reference": ["a b", "a b", "c"], "part": [*"uvu"]}
KEPT: list[tuple[Callable[[Any], fw.EvaluationResult], str, str]] = [  # call, labels, why
    (lambda frame: fw.evaluate("ter", frame), "pqr", "one system"),
    (lambda frame: fw.evaluate("ter", frame, where={"part": "u"}), "pr", "some rows"),
    (lambda frame: fw.evaluate("ter", frame, by="part"), "prq", "sets"),
    (lambda frame: fw.evaluate("ter", frame, jobs=2), "pqr", "processes, to which a frame is sent"),
    (lambda frame: fw.evaluate("ter", frame.drop(columns="part"), systems=["summary", "other"]), "ppqqrr", "systems"),
    (lambda frame: fw.evaluate("ter", frame["summary"], references=frame["reference"]), "pqr", "a column"),
    (
        lambda frame: fw.evaluate(
            "ter", {"a": frame["summary"], "b": frame["other"]}, references=frame["reference"].tolist()
        ),
        "pqrpqr",
        "columns of systems",
    ),
]


@pytest.mark.parametrize(("call", "labels", "why"), KEPT)
def test_scores_of_outputs_keep_the_index_of_the_caller(
    call: Callable[[Any], fw.EvaluationResult], labels: str, why: str
) -> None:
    frame = table("pandas", FRAME).set_axis(list("pqr"))
    result = call(frame)
    assert list(result.to_pandas("outputs").index) == list(labels)
    assert list(result.to_pandas("systems").index) == list(range(len(result.to_records("systems"))))


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_table_is_scored_by_several_processes(library: str) -> None:
    assert fw.evaluate("ter", table(library, FRAME), jobs=2) == fw.evaluate("ter", table(library, FRAME))
