"""Answers of language models beside the outputs: who said what, on the page and in its data."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from chromium import Page
from json_files import write_rows

from metrics_framework.commands.app import main
from metrics_framework.common.errors import DataError
from metrics_framework.language_models.answer_file import described_answers
from metrics_framework.reports.html.model import ReportData
from metrics_framework.reports.html.page import page

Row = dict[str, Any]
ROWS = [
    {"instance_id": number, "summarizer_id": name, "summary": f"a {name}", "source": "a b c", "references": ["a b"]}
    for number in "12"
    for name in "xy"
]
ANSWER = {"instance_id": "1", "summarizer_id": "x", "model": "m", "template": "t", "sample": 0, "prompt": "0"}
ANSWERS: dict[tuple[str, str], list[str]] = {("1", "x"): ["m, t: 4. <b>Kind</b>.", "m, t, sample 2: 3."]}


def written(path: Path, *rows: Row) -> str:
    write_rows(path, rows)
    return str(path)


def test_answers_are_described_by_output(tmp_path: Path) -> None:
    rows = [
        {**ANSWER, "answer": "4", "reasoning": "Kind.", "score": 4.0},
        {**ANSWER, "sample": 1, "answer": "I can't.", "reasoning": "", "score": None, "problem": "refused"},
        {**ANSWER, "summarizer_id": "y", "answer": "[[A]]", "verdict": "first", "shown_as": "second"},
        {**ANSWER, "summarizer_id": "y", "probe_injection": True, "answer": "5", "score": 5},
        {**ANSWER, "instance_id": 2, "problem": "no answer", "score": None},
    ]
    assert described_answers([written(tmp_path / "answers.jsonl", *rows)]) == {
        ("1", "x"): ["m, t: 4. Kind.", "m, t, sample 2: refused. I can't."],
        ("1", "y"): ["m, t, shown as the second: first. [[A]]", "m, t, with a claimed score: 5. 5"],
        ("2", "x"): ["m, t: no answer."],
    }
    with pytest.raises(DataError, match=r"scores\.jsonl:1: is no answer"):
        described_answers([written(tmp_path / "scores.jsonl", {"instance_id": "1", "summarizer_id": "x"})])


def test_the_data_have_answers_only_if_there_are_any(report_of: Callable[..., ReportData]) -> None:
    data = report_of(ROWS, ["sari"], answers=ANSWERS)
    assert [system.answers for system in data.systems if system.kind == "system"] == [[ANSWERS["1", "x"], []], [[], []]]
    assert data.as_json()["systems"][0]["answers"] == [ANSWERS["1", "x"], []]
    without = report_of(ROWS, ["sari"])
    assert all("answers" not in system for system in without.as_json()["systems"])
    assert '"answers":' not in page(without)


@pytest.mark.slow
def test_the_page_shows_answers_below_their_output(browser: Page, report_of: Callable[..., ReportData]) -> None:
    data = report_of(ROWS, ["sari"], answers=ANSWERS)
    browser.show(page(data))
    browser.run("localStorage.clear()")
    browser.reload()
    folded = "[...document.querySelectorAll('li.output .answers summary')].map((one) => one.textContent)"
    assert browser.run(folded) == ["2 answers"]
    browser.run("document.querySelector('.answers').open = true")
    shown = "[...document.querySelectorAll('.answers li')].map((one) => one.textContent)"
    assert browser.run(f"new Promise((done) => setTimeout(() => done({shown}), 50))") == ANSWERS["1", "x"]


@pytest.mark.slow
def test_the_command_reads_files_of_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    written(Path("rows.jsonl"), *ROWS)
    answers = [{**ANSWER, "answer": "4", "score": 4}, {**ANSWER, "instance_id": "9", "answer": "4", "score": 4}]
    written(Path("answers.jsonl"), *answers)
    words = ["report", "report.html", "--input-files", "rows.jsonl", "--metric", "sari", "--metric"]
    words += ["quality-estimation:splitter=none,lexical_complexity=false", "--answers", "answers.jsonl"]
    assert main(words) == 0
    assert "m, t: 4. 4" in Path("report.html").read_text(encoding="utf-8")
    assert "also have answers about 1 output that this report does not have" in capsys.readouterr().err
    assert main([*words, "--answers", "rows.jsonl"]) == 1
    assert "rows.jsonl:1: is no answer" in capsys.readouterr().err
