"""Tables with one column of outputs per system have the same scores as lists, from files and in memory."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from library_tables import table

import metrics_framework as fw
from metrics_framework import DataError, InputError, UsageError
from metrics_framework.commands.app import main

ROWS = [
    {"src": "the big cat sat", "reference": "the cat sat", "ours": "a cat sat", "theirs": "the cat sat"},
    {"src": "a dog ran", "reference": "dogs ran", "ours": "dogs ran", "theirs": "dog ran"},
]
LISTS = {name: [row[name] for row in ROWS] for name in ROWS[0]}
SYSTEMS = ["ours", "theirs"]
SCORES = fw.evaluate(
    "sari", {name: LISTS[name] for name in SYSTEMS}, references=LISTS["reference"], sources=LISTS["src"]
).to_records("outputs")


def by_output(records: Any) -> Any:
    return {(str(one["instance_id"]), one["summarizer_id"]): one["sari"] for one in records}


@pytest.mark.parametrize("given", [ROWS, LISTS, "pandas", "pyarrow"], ids=["rows", "lists", "pandas", "pyarrow"])
def test_tables_in_memory(given: Any) -> None:
    found = fw.evaluate("sari", table(given, ROWS) if isinstance(given, str) else given, systems=SYSTEMS)
    assert by_output(found.to_records("outputs")) == by_output(SCORES)


@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
def test_files(ending: str, tmp_path: Path) -> None:
    path, out = tmp_path / f"x.{ending}", tmp_path / "out.json"
    if ending == "jsonl":
        path.write_text("".join(f"{json.dumps(row)}\n" for row in ROWS))
    elif ending == "csv":
        with open(path, "w", newline="") as file:
            csv.writer(file).writerows([ROWS[0], *(row.values() for row in ROWS)])
    else:
        pytest.importorskip("pyarrow.parquet").write_table(table("pyarrow", ROWS), path)
    flags = ["--input-files", str(path), "--systems", *SYSTEMS, "--metric", "sari"]
    assert main(["score", *flags, "--output", str(out), "--silent"]) == 0
    records = [json.loads(line) for line in out.read_text().splitlines()]
    assert by_output([{**one, **one["metrics"]} for one in records]) == by_output(SCORES)


def test_columns_that_are_missing_or_named_twice_are_refused() -> None:
    with pytest.raises((DataError, InputError), match="the column 'x' is missing"):
        fw.evaluate("sari", ROWS, systems=["ours", "x"])
    with pytest.raises(UsageError, match="use only one of them"):
        fw.evaluate("sari", ROWS, systems=SYSTEMS, columns={"output": "ours"})
