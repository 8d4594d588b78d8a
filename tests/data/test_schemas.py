"""The JSON Schemas of rows and results: all files that ``fw`` writes are valid, and changed ones are not.

The fixture ``fw`` checks each result that a test of a command writes.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from json_files import read_json
from json_schemas import RESULTS, ROWS, faults, validator
from written_files import COMMANDS, write_files

from metrics_framework.commands.app import main
from metrics_framework.data.file_formats import FORMATS

DOCUMENTS = [name for name in COMMANDS if name.endswith(".json")]
LINES = [*(name for name in COMMANDS if name.endswith(".jsonl")), "micro.jsonl"]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("written")
    write_files(folder, [name for name in COMMANDS if not name.endswith(".parquet")])  # which need an extra
    return folder


@pytest.fixture(scope="module")
def document(written: Path) -> Callable[[str], Any]:
    return lambda name: read_json(written / name)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_results_are_valid_and_without_a_member_invalid(name: str, document: Callable[[str], dict[str, Any]]) -> None:
    found = document(name)
    assert faults(RESULTS, found) == []
    kind = found.get("command", "fw macro" if "systems" in found else "fw pair").removeprefix("fw ")
    for key in {*validator(RESULTS).schema["$defs"][kind]["required"]} - {"command"}:
        assert faults(RESULTS, {other: value for other, value in found.items() if other != key}), key
        assert faults(RESULTS, {**found, key: object}), key


OF_CAMPAIGNS = [
    ("convert-ratings pearmut {} rows.jsonl --summary", "dropped"),
    ("agreement {} --raters-report -o", "raters"),
]


@pytest.mark.parametrize(("command", "key"), OF_CAMPAIGNS)
def test_counts_and_reports_of_a_campaign_are_valid(
    command: str, key: str, datasets_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([*command.format(datasets_path / "campaign" / "annotations.json").split(), "found.json"]) == 0
    found = read_json(tmp_path / "found.json")
    assert faults(RESULTS, found) == []
    assert faults(RESULTS, {**found, key: ["none"]})


@pytest.mark.parametrize("name", LINES)
def test_rows_are_valid(name: str, written: Path) -> None:
    for line in (written / name).read_text(encoding="utf-8").splitlines():
        assert faults(ROWS, json.loads(line)) == []


@pytest.mark.parametrize(
    "row",
    [
        {"instance_id": "1", "metrics": {"m": 1}},
        {"instance_id": "1", "summarizer_id": "a", "metrics": {"m": "high"}},
        {"instance_id": "1", "summarizer_id": "a", "metrics": [1]},
        {"instance_id": "1", "summarizer_id": "a", "summarizer_type": "human", "metrics": {}},
        {"instance_id": "1", "references": "a text"},
        {"summary": "a text"},
    ],
)
def test_invalid_rows_are_rejected(row: dict[str, Any]) -> None:
    assert faults(ROWS, row)


@pytest.mark.parametrize("name", ["outputs", "human"])
def test_rows_of_the_example_data_are_valid(name: str, datasets_path: Path) -> None:
    for line in (datasets_path / "simplification" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
        assert faults(ROWS, json.loads(line)) == []


def test_every_format_of_a_result_has_a_schema() -> None:
    branches = {name.removeprefix("fw ") for name in validator(RESULTS).schema["properties"]["command"]["enum"]}
    assert branches == {name.removeprefix("fw ") for name in FORMATS if name.startswith("fw ")}
    assert faults(RESULTS, {"command": "fw unknown", "format": 1})
