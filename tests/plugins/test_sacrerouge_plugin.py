"""Metrics that users of SacreROUGE wrote, with only the name of the package replaced in their imports."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from json_files import read_json

PLUGIN = str(Path(__file__).parent / "fw_sacrerouge_plugin" / "shared_words.py")
ROW = {"instance_id": "1", "summarizer_id": "s", "summarizer_type": "peer"}
TEXTS = {"summary": {"text": ["A cat", "sat"]}, "references": [{"text": "a cat"}, {"text": "a dog sat"}, {"text": "x"}]}


def fw(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "FW_PLUGINS"}
    command = [sys.executable, "-m", "metrics_framework", *words, "--include-packages", PLUGIN]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment)


def scores(folder: Path, metric: str, fields: dict[str, Any], *flags: str) -> dict[str, Any]:
    """Runs ``fw METRIC score`` on one output and returns its scores."""
    (folder / "rows.jsonl").write_text(json.dumps({**ROW, **fields}) + "\n", encoding="utf-8")
    done = fw(folder, metric, "score", "out.jsonl", "--input-files", "rows.jsonl", *flags)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = read_json(folder / "out.jsonl")["metrics"]
    return found


def test_a_metric_with_list_annotations_under_overrides_is_jackknifed_by_default(tmp_path: Path) -> None:
    """Two words are shared with each of the first two references, none with the last."""
    found = scores(tmp_path, "shared-words", TEXTS, "--dataset-reader", "reference-based")
    assert found == {
        "shared-words": {"mean": pytest.approx(4 / 9), "max": pytest.approx(2 / 3)},
        "shared-words_jk": {"mean": pytest.approx((2 / 6 + 2 / 6 + 4 / 6) / 3), "max": pytest.approx(2 / 3)},
    }


def test_its_options_are_flags(tmp_path: Path) -> None:
    found = scores(tmp_path, "shared-words", TEXTS, "--no-lowercase")
    assert found["shared-words"]["max"] == pytest.approx(1 / 3)
    assert "--lowercase" in fw(tmp_path, "shared-words", "score", "--help").stdout


def test_fields_without_a_jackknifer_keep_that_of_the_shape(tmp_path: Path) -> None:
    assert scores(tmp_path, "first-fields", TEXTS) == {"first-fields": 3, "first-fields_jk": 2}


def test_a_metric_of_no_shape_has_its_own_jackknifer(tmp_path: Path) -> None:
    assert scores(tmp_path, "own-jackknifer", TEXTS) == {"own-jackknifer": 3, "own-jackknifer_jk": 2}


def test_documents_are_not_jackknifed(tmp_path: Path) -> None:
    fields = {"summary": {"text": "a"}, "documents": [{"text": "b"}, {"text": ["c", "d"]}]}
    assert scores(tmp_path, "covered-documents", fields) == {"covered-documents": 2}


def test_a_metric_with_any_further_arguments(tmp_path: Path) -> None:
    assert scores(tmp_path, "length", {"summary": "abc"}, "--dataset-reader", "summary-only") == {"length": 3}


def test_evaluate_and_other_methods_of_its_class(tmp_path: Path) -> None:
    program = f"""
import runpy
names = runpy.run_path({PLUGIN!r})
metric = names["SharedWords"]()
macro, micro = metric.evaluate(["a cat", "x"], references_list=[["a cat"], ["y"]])
print(macro["shared-words"]["max"], [scores["shared-words"]["max"] for scores in micro])
print(metric.score("a cat", ["a"]), metric.score_all(["a"], [["a"]])[0]["shared-words"]["mean"])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout == "0.5 [1.0, 0.0]\n{'shared-words': {'mean': 0.5, 'max': 0.5}} 1.0\n", done.stderr
