"""`report` builds the page of `fw report` from data in memory or files."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import metrics_framework as fw
from metrics_framework.commands.app import main

pytest.importorskip("pysbd")
pytest.importorskip("wordfreq")
DATA = Path(__file__).resolve().parents[2] / "datasets" / "simplification"
ROWS = [json.loads(line) for line in (DATA / "outputs.jsonl").read_text(encoding="utf-8").splitlines()]
RATINGS = [json.loads(line) for line in (DATA / "human.jsonl").read_text(encoding="utf-8").splitlines()]


def data_of(html: str) -> Any:
    """Returns the data in a page, without the names of files and the number of further columns."""
    found = re.search(r'<script type="application/json"[^>]*>(.*?)</script>', html, re.DOTALL)
    assert found is not None
    data = json.loads(found[1])
    del data["facts"], data["embedded"]["fields"]
    return data


@pytest.fixture(scope="module")
def of_command(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("command") / "report.html"
    flags = ["--metric", "sari", "--scores-files", str(DATA / "human.jsonl"), "--baseline", "timid", "--silent"]
    assert main(["report", str(path), "--input-files", str(DATA / "outputs.jsonl"), *flags]) == 0
    return path.read_text(encoding="utf-8")


FORMS: dict[str, dict[str, Any]] = {
    "rows": {"outputs": ROWS, "scores": RATINGS},
    "files": {"files": DATA / "outputs.jsonl", "scores": DATA / "human.jsonl"},
    "two processes": {"outputs": ROWS, "scores": RATINGS, "metrics": ["sari", "quality-estimation"], "jobs": 2},
}


NAMED = {"instance_id": "nr", "summarizer_id": "engine"}  # in outputs and scores
FORMS["named columns"] = {"columns": NAMED, "where": ["engine!=nobody"]} | {
    name: [{NAMED.get(key, key): cell for key, cell in row.items()} for row in [*rows, {**rows[0], **nobody}]]
    for name, rows in FORMS["rows"].items()
    for nobody in [{"summarizer_id": "nobody"}]
}


@pytest.mark.parametrize("form", FORMS)
def test_all_forms_of_input_have_the_page_of_the_command(form: str, of_command: str) -> None:
    result = fw.report(**{"metrics": "sari", **FORMS[form]}, baseline="timid")
    assert data_of(result.html) == data_of(of_command)
    assert repr(result) == "Report('Simplification report', systems=['careful', 'timid', 'clumsy'])"


def test_a_report_is_saved_and_shown_in_a_notebook(tmp_path: Path) -> None:
    result = fw.report(ROWS[:6], metrics="sari", confidence=False, title="A & B")
    result.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == result.html
    assert result._repr_html_().startswith('<iframe sandbox="allow-scripts"')
    assert "<script" not in result._repr_html_()


def test_a_report_needs_sources() -> None:
    with pytest.raises(fw.InputError, match="the metric 'quality-estimation' needs 'source'; pass sources="):
        fw.report(["a"], references=["a"], metrics="ter")


def test_scores_without_numbers_are_refused() -> None:
    ratings = [{"instance_id": 1, "summarizer_id": "careful", "comment": "good"}]
    with pytest.raises(fw.DataError, match=r"^scores: contains no scores"):
        fw.report(ROWS, metrics="sari", scores=ratings)
