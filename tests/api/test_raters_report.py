"""``fw agreement --raters-report``: what the ratings of each rater say about their quality.

The published exports are read from ``FW_SHARED/data/appraise``, as in ``tests/commands/test_appraise.py``.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from io import BytesIO, TextIOWrapper
from math import fsum
from pathlib import Path

import pytest

import metrics_framework as fw
from metrics_framework.commands.app import main

EXPORT = """\
ann,one,1,TGT,eng,deu,80,d,False,[],1,10
ann,one,2,TGT,eng,deu,60,d,False,[],1,40
ann,one,3,TGT,eng,deu,60,d,False,[],1,240
ann,one,1,BAD,eng,deu,20,d#bad,False,[],1,250
ann,one,2,BAD,eng,deu,60,d#bad,False,[],1,260
ann,one,3,BAD,eng,deu,70,d#bad,False,[],1,262
ann,one,4,BAD,eng,deu,5,d#bad,False,[],1,264
ann,one,2,TGT,eng,deu,50,d#dup,False,[],1,270
bob,one,1,TGT,eng,deu,60,d,False,[],1,10
bob,one,2,TGT,eng,deu,50,d,False,[],1,20
bob,one,3,TGT,eng,deu,20,d,False,[],1,30
eve,one,1,TGT,eng,deu,10,d,False,[],1,10
"""


@pytest.fixture
def export(tmp_path: Path) -> str:
    path = tmp_path / "export.csv"
    path.write_text(EXPORT, encoding="utf-8")
    return str(path)


def test_a_report_by_hand(export: str) -> None:
    ann, bob, eve = fw.raters_report(export).to_records()
    assert (ann["rater"], ann["ratings"], ann["checks"], ann["repeats"], ann["shared"]) == ("ann", 3, 3, 1, 3)
    assert ann["passed"] == 1 / 3  # of 20, 60 and 70 after 80, 60 and 60; the fourth has no original
    assert (ann["passed_lower"], ann["passed_upper"]) == (
        pytest.approx(0.0615, abs=1e-3),
        pytest.approx(0.7923, abs=1e-3),
    )
    assert ann["p_value"] == pytest.approx(0.75)  # one or two of two that differ
    assert ann["repeat_difference"] == 10
    assert ann["minutes"] == 10 / 60  # of 30, 61 (200), 10, 10, 2, 2, 6, the first without a gap
    assert ann["commonest"] == 2 / 3
    others = [(60 + 10) / 2, 50, 20]
    assert ann["severity"] == pytest.approx(fsum(a - b for a, b in zip([80, 60, 60], others, strict=True)) / 3)
    mean, of_others = 200 / 3, 105 / 3
    products = fsum((a - mean) * (b - of_others) for a, b in zip([80, 60, 60], others, strict=True))
    spread = math.sqrt(fsum((a - mean) ** 2 for a in [80, 60, 60]) * fsum((b - of_others) ** 2 for b in others))
    assert ann["correlation"] == pytest.approx(products / spread)
    assert (bob["checks"], bob["repeats"]) == (0, 0)
    assert all(math.isnan(bob[name]) for name in ("passed", "p_value", "repeat_difference"))
    assert (eve["shared"], eve["severity"]) == (1, -60)
    assert math.isnan(eve["correlation"])


def test_columns_without_a_value_are_left_out(export: str, tmp_path: Path) -> None:
    assert "passed [95 %]" in str(fw.raters_report(export))
    table = tmp_path / "ratings.csv"
    table.write_text("id,rater,score\n1,ann,3\n2,ann,4\n1,bob,2\n2,bob,5\n", encoding="utf-8")
    shown = str(fw.raters_report(str(table), "score"))
    assert "passed" not in shown
    assert "severity" in shown


def test_the_command_writes_what_the_function_returns(export: str, tmp_path: Path) -> None:
    output = tmp_path / "report.json"
    assert main(["agreement", export, "--raters-report", "--output-file", str(output)]) == 0
    assert json.loads(output.read_text(encoding="utf-8")) == json.loads(fw.raters_report(export).to_json())


def test_an_export_from_standard_input_is_recognized(
    export: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = {"item": [{"src": "a", "tgt": {"x": "b"}}], "annotation": [{"x": {"score": 5}}], "user_id": "ann"}
    for content in (Path(export).read_bytes(), json.dumps(page).encode()):
        path = tmp_path / "content"
        path.write_bytes(content)
        monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(content)))
        assert fw.raters_report("-").to_json() == fw.raters_report(str(path)).to_json()


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--weights", "ordinal"], "--raters-report makes no use of --weights"),
        (["--rating", "a", "--rating", "b"], "--raters-report makes no use of a second --rating"),
    ],
)
def test_other_flags_are_refused(
    flags: list[str], message: str, export: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["agreement", export, "--raters-report", *flags]) == 2
    assert message in capsys.readouterr().err


def test_a_table_needs_the_column_of_ratings(tmp_path: Path) -> None:
    table = tmp_path / "ratings.csv"
    table.write_text("id,rater,score\n1,ann,3\n", encoding="utf-8")
    with pytest.raises(fw.InputError, match="'rating' is missing"):
        fw.raters_report(str(table))


@pytest.mark.parametrize(
    ("rule", "raters"), [("passed<0.5", {"bob", "eve"}), ("severity > 0", {"bob", "eve"}), ("", {"ann", "bob", "eve"})]
)
def test_raters_are_left_out_by_a_rule(rule: str, raters: set[str], export: str, tmp_path: Path) -> None:
    rows, summary = tmp_path / "rows.jsonl", tmp_path / "summary.json"
    flags = ["--drop-raters", rule] if rule else []
    assert main(["convert-ratings", "appraise", export, str(rows), "--summary", str(summary), *flags]) == 0
    read = [json.loads(line) for line in rows.read_text(encoding="utf-8").splitlines()]
    assert {rater for row in read for rater in row["raters"]} == raters
    options = f"|drop-raters:{rule.replace(' ', '')}" if rule else ""
    assert read[0]["signature"]["ratings"] == f"ratings:appraise{options}|better:higher"
    assert (
        json.loads(summary.read_text(encoding="utf-8"))["dropped"].get("dropped-rater", 0)
        == {
            "passed<0.5": 3,
            "severity > 0": 3,
            "": 0,
        }[rule]
    )


@pytest.mark.parametrize("rule", ["passed", "pased<1", "passed=1", "<1"])
def test_a_rule_of_another_form_is_an_error(rule: str, export: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert-ratings", "appraise", export, "--drop-raters", rule]) == 2
    assert "--drop-raters must be a rule such as passed<0.6" in capsys.readouterr().err


def test_a_file_without_ratings_of_outputs_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("ann,one,,TGT,eng,deu,80,d,False,[],1,10\n", encoding="utf-8")  # of a document
    with pytest.raises(fw.DataError, match="no ratings of outputs"):
        fw.raters_report(str(path))


def test_attention_checks_of_pearmut(shared_path: Callable[[str], Path]) -> None:
    path = str(shared_path("golden/shared-tasks/pearmut-annotations.json"))
    found = {
        one["rater"]: (one["ratings"], one["checks"], one["passed"]) for one in fw.raters_report(path).to_records()
    }
    assert found.pop("sordid-surgeon-662")[:2] == (28, 0)  # its checks were on pages that it reset
    assert found == {"silent-hut-323": (44, 2, 1.0), "righteous-toll-400": (28, 2, 1.0)}


@pytest.mark.parametrize(
    ("file", "raters", "degraded", "repeats"),
    [
        ("esa_generalMT2024_wave2.csv", 203, (2365, 2284), (166, 2.1325)),
        ("esa_generalMT2024_wave3.csv", 112, (1317, 1290), (88, 3.75)),
    ],
)
def test_published_exports_of_wmt24(
    file: str, raters: int, degraded: tuple[int, int], repeats: tuple[int, float], shared_path: Callable[[str], Path]
) -> None:
    found = fw.raters_report(str(shared_path(f"data/appraise/{file}"))).to_records()
    assert len(found) == raters
    assert sum(one["checks"] for one in found) == degraded[0]
    assert round(fsum(one["checks"] * one["passed"] for one in found if one["checks"])) == degraded[1]
    total = sum(one["repeats"] for one in found)
    difference = fsum(one["repeats"] * one["repeat_difference"] for one in found if one["repeats"]) / total
    assert (total, round(difference, 4)) == repeats


def test_ratings_whose_sum_is_too_large_are_an_error() -> None:
    rows = [{"id": item, "rater": rater, "score": 1.7e308} for item in range(4) for rater in "abc"]
    with pytest.raises(fw.DataError, match="exceeds the largest number"):
        fw.raters_report(rows, "score")
