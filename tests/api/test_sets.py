"""``by=`` of ``fw.evaluate``: the scores of several test sets, and their means."""

from __future__ import annotations

import csv
import io
import itertools
import json
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from library_tables import library_of, table
from messages import NEEDS_ROWS
from samples import sampled

import metrics_framework as fw
from metrics_framework.commands.app import main

TEXTS = ("the cat sat on the mat", "a dog ran far away", "birds sing", "the old house is red", "we ate rice today")
ROWS: list[dict[str, Any]] = [
    {
        "doc": number // 2,  # each set has the same ids
        "model": system,
        "summary": TEXTS[(number * (1 + shift)) % 5],
        "reference": TEXTS[number % 5],
        "test_set": ("asset", "turk")[number % 2],
        "language": "de" if number % 6 == 5 else "en",
    }
    for shift, system in enumerate(("ours", "theirs"))
    for number in range(48)
]
COLUMNS = {"instance_id": "doc", "system_id": "model"}
pytestmark = pytest.mark.filterwarnings("ignore::metrics_framework.TextWarning")  # few texts that repeat
FORMS = ("rows", "pandas", "polars", "pyarrow", "jsonl", "csv", "parquet")


@pytest.fixture
def given(tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """Returns the arguments for rows in a form: in memory, as a table of a library, or in a file."""

    def arguments(form: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
        path = tmp_path / f"rows.{form}"
        if form == "rows":
            return {"outputs": rows}
        if form == "jsonl":
            path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        elif form == "csv":
            with path.open("w", newline="") as file:
                writer = csv.DictWriter(file, rows[0])
                writer.writeheader()
                writer.writerows(rows)
        elif form == "parquet":
            pytest.importorskip("pyarrow.parquet").write_table(table("pyarrow", rows), path)
        else:
            return {"outputs": table(form, rows)}
        return {"files": str(path)}

    return arguments


OPTIONS: list[dict[str, Any]] = [
    {"confidence": {"resamples": 40}},
    {"baseline": "theirs", "confidence": {"resamples": 40}},
    {"where": "language!=de"},
    {"jobs": 2},
    {"keep_outputs": True},
    {"keep_outputs": False},
    {"profile": "translation", "confidence": False},
]


@pytest.mark.parametrize(
    ("form", "options"),
    [
        *((form, {}) for form in FORMS),
        *sampled(itertools.product(("rows", "jsonl"), OPTIONS), 7),
    ],
)
def test_each_set_has_the_result_of_a_run_on_its_rows(form: str, options: dict[str, Any], given: Any) -> None:
    arguments = {"metrics": ["bleu", "ter"][: 2 - ("profile" in options)], "columns": COLUMNS, **given(form, ROWS)}
    arguments["metrics"] = [] if "profile" in options else arguments["metrics"]
    result = fw.evaluate(**{**arguments, **options}, by="test_set")
    where = [options["where"]] if "where" in options else []
    assert list(result.sets) == ["asset", "turk"]
    for name, of_set in result.sets.items():
        alone = fw.evaluate(**{**arguments, **options, "where": [*where, f"test_set={name}"]})
        assert of_set.as_json() == alone.as_json()
        assert of_set.outputs == alone.outputs
        assert of_set.to_records() == alone.to_records()
    for system in ("ours", "theirs"):
        values = [of_set[system]["bleu"] for of_set in result.sets.values()]
        assert result[system]["bleu"] == pytest.approx(sum(values) / 2, abs=1e-12)


@pytest.mark.parametrize("form", FORMS)
def test_the_table_and_the_json_are_those_of_the_command(
    form: str, given: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, macro = given("jsonl", ROWS)["files"], tmp_path / "macro.json"
    columns = ",".join(f"{name}={column}" for name, column in COLUMNS.items())
    command = ["evaluate", str(macro), "-m", "bleu", "-m", "ter", "--by", "test_set", "--columns", columns]
    result = fw.evaluate(["bleu", "ter"], by="test_set", columns=COLUMNS, **given(form, ROWS))
    for name in ("table", "markdown", "latex", "csv"):
        assert main([*command, "--format", name, "--input-files", path]) == 0
        assert capsys.readouterr().out == result.table(name) + "\n"
    without_places = partial(re.sub, r" \(first at [^)]*\)", "")  # which differ, as files and lists have other names
    assert json.loads(without_places(result.table("json"))) == json.loads(without_places(macro.read_text()))


@pytest.mark.parametrize("form", FORMS[:4])
def test_records_have_a_row_for_each_system_and_set(form: str, given: Any) -> None:
    rows = [row for row in ROWS if (row["model"], row["test_set"]) != ("theirs", "turk")]
    result = fw.evaluate("ter", by="test_set", columns=COLUMNS, **given(form, rows))
    found = [(record["system"], record["outputs"], record["test_set"]) for record in result.to_records()]
    assert found == [("ours", 24, "asset"), ("theirs", 24, "asset"), ("ours", 24, "turk"), ("ours", 48, "mean")]
    table = list(csv.DictReader(io.StringIO(result.table("csv"))))
    assert [(row["system"], row["test_set"], float(row["ter"])) for row in table] == [
        (record["system"], record["test_set"], record["ter"]) for record in result.to_records()
    ]
    outputs = result.to_records("outputs")
    assert [(row["test_set"], row["instance_id"]) for row in outputs[:2]] == [("asset", 0), ("asset", 1)]
    assert len(outputs) == 72
    if form != "rows":
        assert len(result.to_frame()) == 4
        assert library_of(result.to_frame("outputs")) == form
    assert list(result.flat("theirs")) == [
        f"asset/{name}" for name in ("outputs", "ter", "ter_num_edits", "ter_ref_length")
    ]
    assert result.flat()["mean/ours/ter"] == result["ours"]["ter"]
    assert repr(result) == "EvaluationResult(metrics=['ter'], systems=['ours'], by='test_set', sets=['asset', 'turk'])"


def test_a_set_is_correlated_and_compared_but_not_the_means_over_sets() -> None:
    counts: list[int] = []
    result = fw.evaluate("ter", ROWS, by="test_set", columns=COLUMNS, progress=counts.append)
    assert sum(counts) == len(ROWS)
    with pytest.raises(fw.InputError, match=r"use one, as in result.sets\['asset'\]"):
        fw.compare(scores=result)
    assert fw.compare(scores=result.sets["asset"], trials=20, ci="jackknife").num_instances == 24


def test_numbered_rows_keep_their_numbers_and_counts_are_those_of_a_set() -> None:
    rows = [{key: row[key] for key in ("summary", "reference", "test_set")} for row in ROWS[:4]]
    result = fw.evaluate("ter", rows, by="test_set", where="test_set!=x")
    assert [[row.instance_id for row in one.outputs] for one in result.sets.values()] == [["1", "3"], ["2", "4"]]
    assert [one.rows["left_out"] for one in result.sets.values()] == [2, 2]


def test_warnings_have_the_name_of_their_set() -> None:
    rows = [{**row, "reference": [row["reference"]], "summary": [row["summary"]]} for row in ROWS]
    rows += [{**ROWS[0], "doc": 50, "reference": ""}]
    with pytest.warns(UserWarning, match="^asset: "):
        result = fw.evaluate("ter", rows, by="test_set", columns=COLUMNS, duplicates="first")
    sets = {name: one.warnings for name, one in result.sets.items()}
    assert result.warnings == [f"{name}: {warning}" for name in sets for warning in sets[name]]
    assert not any("empty" in warning for warning in result.sets["turk"].warnings)


def test_a_set_with_the_name_of_the_means_has_no_record() -> None:
    result = fw.evaluate("ter", [{**row, "test_set": "mean"} for row in ROWS[:48:2]], by="test_set", columns=COLUMNS)
    with pytest.raises(fw.FwError, match="a set is called 'mean'"):
        result.to_records()


def test_text_files_have_no_columns(tmp_path: Path) -> None:
    for name in ("out.txt", "ref.txt"):
        (tmp_path / name).write_text("a\n")
    with pytest.raises(fw.FwError, match=f"{NEEDS_ROWS}, which the reader 'plain-text'"):
        fw.evaluate("ter", files=str(tmp_path / "out.txt"), references=str(tmp_path / "ref.txt"), by="test_set")
