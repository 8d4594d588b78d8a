"""``fw gate`` and ``fw.gate``: verdicts, exit codes, what is printed and written, and messages."""

from __future__ import annotations

import json
import math
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from json_files import write_rows

import metrics_framework
from metrics_framework.common.errors import DataError, FwError, InputError

Run = Callable[[str], Any]
Scores = Sequence[float | None]


@pytest.fixture(name="fw")
def fw_of_a_line(fw: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Runs a command line in an empty folder, outside of a job on GitHub."""
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    monkeypatch.chdir(tmp_path)
    return lambda line: fw(*shlex.split(line))


def write(name: str, system: str = "model", **scores: Scores) -> Path:
    values = [dict(zip(scores, of_input, strict=True)) for of_input in zip(*scores.values(), strict=True)]
    rows = [
        {"instance_id": f"q{number}", "summarizer_id": system, "metrics": metrics, "document": f"d{number // 2}"}
        for number, metrics in enumerate(values)
    ]
    return write_rows(Path(name), rows)


def outcomes(inputs: int, gained: int, lost: int) -> tuple[list[float], list[float]]:
    """Returns new and old outcomes of 0 and 1."""
    same = inputs - gained - lost
    return [1.0] * gained + [0.0] * lost + [1.0] * same, [0.0] * gained + [1.0] * lost + [1.0] * same


CASES = [  # gained, lost, margin, verdict, exit code, why
    (30, 10, None, "better", 0, "30 of 40 changes are gains"),
    (10, 30, None, "worse", 3, "30 of 40 changes are losses"),
    (30, 45, None, "undecided", 0, "without a margin, only an alarm fails"),
    (30, 45, 0.05, "undecided", 4, "p of no worse is .126"),
    (30, 45, 0.08, "no worse by 0.08", 0, "p of no worse is .003"),
    (20, 45, 0.1, "worse, by less than 0.1", 0, "both p of worse and p of no worse are small"),
]


@pytest.mark.parametrize(("gained", "lost", "margin", "verdict", "code", "why"), CASES)
def test_verdicts(gained: int, lost: int, margin: float | None, verdict: str, code: int, why: str, fw: Run) -> None:
    new, old = outcomes(500, gained, lost)
    write("new.jsonl", exact_match=new)
    write("old.jsonl", exact_match=old)
    flag = "" if margin is None else f"--margin {margin}"
    run = fw(f"gate new.jsonl --against old.jsonl --metric exact_match {flag}")
    assert run.code == code, why
    assert verdict in run.out
    assert ("gate failed: exact_match: " in run.err) is (code > 0)
    found = metrics_framework.gate(new, old, margin=margin)
    assert (found.exit_code, found.verdict) == (code, verdict.split(" by")[0].replace("worse,", "no worse"))


def test_the_sentence_of_an_undecided_score(fw: Run) -> None:
    new, old = outcomes(500, 30, 45)
    found = metrics_framework.gate(new, old, "exact_match", margin=0.05)
    assert found.sentences == [
        "exact_match: undecided: 500 examples would suffice if nothing had changed; the observed change is "
        "-0.030 [-0.059, -0.002]; a loss above 0.059 is ruled out"
    ]
    (closer,) = metrics_framework.gate(new, old, margin=0.02).sentences
    assert closer.endswith(
        "a loss above 0.059 is ruled out; a margin of 0.02 needs about 2,338 examples if nothing changed"
    )


def test_the_alarms_are_corrected_for_the_number_of_scores(fw: Run) -> None:
    new, old = outcomes(200, 8, 19)  # p = .026
    assert metrics_framework.gate(new, old).verdict == "worse"
    same = outcomes(200, 10, 10)
    write("new.jsonl", a=new, b=same[0])
    write("old.jsonl", a=old, b=same[1])
    run = fw("gate new.jsonl --against old.jsonl --metric a --metric b --format json")
    found = json.loads(run.out)["scores"]
    assert found["a"]["p_worse_holm"] == 2 * found["a"]["p_worse"] > 0.05
    assert found["a"]["verdict"] == "undecided"
    alone = json.loads(fw("gate new.jsonl --against old.jsonl --metric a --format json").out)
    assert (alone["scores"]["a"]["verdict"], alone["exit_code"], alone["passed"]) == ("worse", 3, False)


@pytest.mark.parametrize(
    ("fail_on", "codes"),
    [("", (3, 4, 0)), ("worse", (3, 0, 0)), ("undecided", (0, 4, 0)), ("worse,undecided,no-worse", (3, 4, 5))],
)
def test_verdicts_that_fail(fail_on: str, codes: tuple[int, ...], fw: Run) -> None:
    for (gained, lost), code in zip([(10, 60), (30, 45), (0, 0)], codes, strict=True):
        new, old = outcomes(500, gained, lost)
        write("new.jsonl", a=new)
        write("old.jsonl", a=old)
        flag = f"--fail-on {fail_on}" if fail_on else ""
        run = fw(f"gate new.jsonl --against old.jsonl -m a --margin 0.05 {flag} --format json")
        assert run.code == code
        assert json.loads(run.out)["fail_on"] == (fail_on or "worse,undecided").split(",")


def test_the_worst_verdict_decides_the_exit_code(fw: Run) -> None:
    write("new.jsonl", a=outcomes(500, 30, 45)[0], b=outcomes(500, 10, 60)[0])
    write("old.jsonl", a=outcomes(500, 30, 45)[1], b=outcomes(500, 10, 60)[1])
    run = fw("gate new.jsonl --against old.jsonl -m a,b --margin 0.01 --margin b=0.02")
    assert run.code == 3
    assert run.err.count("fw: gate failed") == 1
    assert [line.split(":")[0] for line in run.err.splitlines() if "undecided" in line or "worse by" in line] == [
        "fw",
        "b",
    ]
    separate = fw("gate new.jsonl --against old.jsonl -m a,b --margin a=0.01 --margin b=0.02")
    assert fw("gate new.jsonl --against old.jsonl -m a,b --margin a=0.01,b=0.02").out == separate.out == run.out


def test_lower_is_better_turns_the_difference(fw: Run) -> None:
    rng = np.random.default_rng(0)
    old = rng.normal(50, 5, 100)
    new = old - rng.normal(2, 1, 100)
    assert metrics_framework.gate(new, old, higher_is_better=False).verdict == "better"
    assert metrics_framework.gate(new, old).verdict == "worse"
    write("new.jsonl", ter=new.tolist(), cost=new.tolist())
    write("old.jsonl", ter=old.tolist(), cost=old.tolist())
    run = fw("gate new.jsonl --against old.jsonl -m ter --format json")
    found = json.loads(run.out)["scores"]["ter"]
    assert (found["verdict"], found["higher_is_better"]) == ("better", False)
    assert found["difference"] == pytest.approx(found["old"] - found["new"])
    assert fw("gate new.jsonl --against old.jsonl -m cost").code == 3
    assert fw("gate new.jsonl --against old.jsonl -m cost --lower-is-better cost").code == 0


# ---- arrays ----------------------------------------------------------------------------------------------------------


def test_repeats_are_averaged_over_those_that_have_a_score() -> None:
    new = [[1, 0, np.nan], [1, 1, 1], [np.nan] * 3, [0, 0, 1], [1, 0, 0], [1, 1, 0]]
    old = [[0, 0], [1, 0], [1, 1], [0, np.nan], [0, 1], [1, 0]]
    found = metrics_framework.gate(new, old, unpaired="drop")
    assert found.new == pytest.approx((0.5 + 1 + 1 / 3 + 1 / 3 + 2 / 3) / 5)
    assert found.dropped == {"only in old": 1}
    assert "bet" in found.method  # the range of outcomes is known, and repeats are graded


def test_clusters_of_arrays() -> None:
    rng = np.random.default_rng(1)
    labels = np.repeat(np.arange(20), 3)
    differences = np.repeat(rng.normal(0, 0.1, 20), 3)
    alone, clustered = (
        metrics_framework.gate(differences, np.zeros(60), clusters=clusters) for clusters in (None, labels)
    )
    assert (alone.clusters, clustered.clusters) == (60, 20)
    assert clustered.upper - clustered.lower > 1.5 * (alone.upper - alone.lower)


def test_fewer_than_five_inputs_or_clusters_do_not_decide() -> None:
    assert metrics_framework.gate([1.0] * 4, [0.0] * 4).reason == "4 inputs, fewer than 5"
    found = metrics_framework.gate([1.0] * 40, [0.0] * 40, clusters=[*"abcd"] * 10)
    assert (found.verdict, found.reason) == ("undecided", "4 clusters, fewer than 5")


def test_inputs_of_one_run_alone() -> None:
    new, old = outcomes(100, 0, 0)
    new[:6] = [np.nan] * 6
    found = metrics_framework.gate(new, old, margin=0.05)
    assert (found.verdict, found.dropped) == ("undecided", {"only in old": 6})
    assert "'unpaired'" in found.reason
    assert metrics_framework.gate(new, old, margin=0.05, unpaired="drop").verdict == "no worse"
    worst = metrics_framework.gate(new, old, margin=0.05, unpaired="worst")
    assert (worst.inputs, worst.difference) == (100, -0.06)
    assert [line for line in str(worst).splitlines() if "only in" in line] == ["worst score  6 only in old"]
    new[:1] = [1.0]  # 5 % are few
    assert metrics_framework.gate(new, old, margin=0.05).verdict == "no worse"
    mirrored = metrics_framework.gate(new, old, unpaired="worst", higher_is_better=False)
    assert (mirrored.new, mirrored.difference) == (1.0, 0.0)


@pytest.mark.parametrize("no", [False, 0, "no"])
def test_a_direction_is_converted_as_its_flag_is(no: Any) -> None:
    assert metrics_framework.gate([0.0] * 90, [1.0] * 90, higher_is_better=no).verdict == "better"


def test_an_unknown_range_leaves_few_changes_undecided() -> None:
    old = np.linspace(0, 1, 40)
    found = metrics_framework.gate(old, old, margin=0.1)
    assert (found.verdict, found.reason) == ("undecided", "range unknown: 'score_range'")
    assert json.loads(found.to_json())["scores"]["score"]["p_no_worse"] is None
    assert metrics_framework.gate(old, old, margin=0.1, score_range=(0, 1)).verdict == "no worse"
    with pytest.raises(DataError, match=r"is 0.923077 for input '37', outside its range 0 to 0\.9"):
        metrics_framework.gate(old, old, score_range=(0, 0.9))


def test_a_test_that_is_sharper_than_the_interval_is_explained() -> None:
    new = [-0.1, -0.2, -0.3, -0.1, -0.2, -0.4, -0.1, *[0.0] * 23]
    found = metrics_framework.gate(new, [0.0] * 30, score_range=(-1, 0))
    assert (found.verdict, found.upper > 0) == ("worse", True)
    assert "wider" in found.reason
    assert "wider" in str(found)
    new[4:7] = [0.0] * 3
    assert metrics_framework.gate(new, [0.0] * 30, score_range=(-1, 0)).reason == ""


def test_cautions() -> None:
    rng = np.random.default_rng(4)
    differences = np.r_[rng.normal(0.03, 0.01, 57), [-0.9, -0.95, -0.97]]
    found = metrics_framework.gate(differences, np.zeros(60), score_range=(-1, 1))
    assert [warning.split(" (")[0] for warning in found.warnings] == [
        "few large differences decide",
        "changes rarer than 3/60 are unseen",
    ]
    assert metrics_framework.gate(*outcomes(100, 0, 3)).warnings == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"margin": 0}, "'margin' must be a number above 0"),
        ({"margin": 1e308}, "'margin' must be a number above 0 and below 1e50"),
        ({"margin": 1e-300}, "'margin' must be a number above 0"),
        ({"alpha": 0.6}, "'alpha' must be a number between 1e-06 and 0.5"),
        ({"alpha": 1e-300}, "'alpha' must be a number between"),
        ({"new": [1e308, -1e308]}, "is 1e\\+308 for input '1', outside its range -1e\\+50 to 1e\\+50"),
        ({"margin": {"accuracy": 0.1}}, "unknown score 'accuracy'"),
        ({"margin": 2}, "below the width of its range, 1, got 2"),
        ({"score_range": "high"}, "'score_range' must be a range such as 0-1"),
        ({"score_range": "bad,good"}, "'score_range' must be a range such as 0-1"),
        ({"score_range": (1, 0)}, "'score_range' must be a range such as 0-1"),
        ({"score_range": (0, 1, 2)}, "'score_range' must be a range such as 0-1"),
        ({"score_range": (0, np.inf)}, "'score_range' must be a range such as 0-1"),
        ({"higher_is_better": "x"}, "'higher_is_better' must be"),
        ({"clusters": ["a"]}, "has no cluster"),
        (
            {"unpaired": "worst", "new": [0.5, np.nan], "old": [0.1, 0.2]},
            "needs the range of 'score': set 'score_range'",
        ),
        ({"new": [1, 0, 1]}, "got 1 score of 3 and 2 inputs"),
        ({"new": [], "old": []}, "got 1 score of 0 and 0 inputs"),
        ({"metric": ["a", "b"]}, "got 2 scores of 2 and 2 inputs"),
        ({"new": [{"x": 1}], "old": [{"x": 0}]}, "no score to compare; name one with 'metric'. Known: x"),
        ({"new": [{"x": 1}], "old": "no.jsonl"}, "no.jsonl"),
        ({"new": [1, 0], "old": [0, 0], "lower_is_better": ["x"]}, "use 'higher_is_better', or leave"),
        ({"new": 3, "old": 4}, "'scores' must be"),
        ({"fail_on": []}, "'fail_on' must name a verdict"),
    ],
)
def test_invalid_arguments(options: dict[str, Any], message: str) -> None:
    with pytest.raises(FwError, match=message):
        metrics_framework.gate(**{"new": [1, 0], "old": [0, 1], **options})


def test_runs_without_a_common_input() -> None:
    message = "no input in common with 'score': the new one has '1', for example, the old one has '2', for example"
    with pytest.raises(DataError, match=message):
        metrics_framework.gate([1, np.nan], [np.nan, 1])
    with pytest.raises(DataError, match="the new one has no such input, the old one has '2'"):
        metrics_framework.gate([np.nan, np.nan], [np.nan, 1])


# ---- files -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        "s=new.jsonl --against old.jsonl -m a b --margin a=0.1 b=0.2 --scale a=0-1 b=0-1",
        "--against old.jsonl -m a b --scale a=0-1 b=0-1 --margin a=0.1 b=0.2 s=new.jsonl",
        "--margin a=0.1 --margin b=0.2 new.jsonl --against old.jsonl -m a,b --scale 0-1",
        "-m a b --margin a=0.1,b=0.2 new.jsonl --against old.jsonl --scale a=0-1,b=0-1",
    ],
)
def test_margins_and_ranges_of_scores_are_lists(words: str, fw: Run) -> None:
    for name, shift in (("new", 0.01), ("old", 0.0)):
        scores = [(number % 7 / 10 + shift * (number % 3), number % 5 / 10) for number in range(60)]
        write_rows(Path(f"{name}.jsonl"), [{"id": i, "system": "s", "a": a, "b": b} for i, (a, b) in enumerate(scores)])
    run = fw(f"gate {words} --format json")
    assert run.code == 0, run.err
    assert [one["margin"] for one in json.loads(run.out)["scores"].values()] == [0.1, 0.2]


def test_a_number_that_is_null_without_a_margin_has_a_reason() -> None:
    found = metrics_framework.gate(*outcomes(100, 0, 3))
    (written,) = json.loads(found.to_json())["scores"].values()
    assert (written["p_no_worse"], written["needed"], found.reason) == (None, None, "")
    assert "without a margin" in written["reason"]


def test_one_file_may_have_both_systems(fw: Run) -> None:
    rows = [
        {"instance_id": number, "summarizer_id": system, "metrics": {"a": number % 2 if system == "x" else 1}}
        for number in range(30)
        for system in "xy"
    ]
    write_rows(Path("both.jsonl"), rows)
    run = fw("gate both.jsonl --against both.jsonl --baseline x -m a --format json")
    found = json.loads(run.out)
    assert (found["new"], found["old"], found["scores"]["a"]["verdict"]) == ("y", "x", "better")
    assert "the new run is 'y', because its files have the scores of the baseline, 'x', too" in run.err
    assert (
        "the old run has 2 systems: x, y; name one with --baseline"
        in fw("gate both.jsonl --against both.jsonl -m a").err
    )


@pytest.mark.parametrize(
    ("flags", "code", "message"),
    [
        ("", 1, "fw: error: the new run has 2 systems: model, other; name one with --system"),
        ("--baseline model", 1, "fw: error: the new run has 2 systems: model, other; name one with --system"),
        ("--system model", 3, "a: worse by"),
        ("--system other --baseline model", 0, ""),
        ("--system third", 2, "unknown system 'third'. Known: model, other."),
    ],
)
def test_a_worse_rerun_beside_another_model(flags: str, code: int, message: str, fw: Run) -> None:
    new, old = outcomes(60, 0, 20)
    write("rerun.jsonl", a=new)
    write("other.jsonl", system="other", a=old)
    write("old.jsonl", a=old)
    run = fw(f"gate rerun.jsonl other.jsonl --against old.jsonl -m a {flags}")
    assert (run.code, message in run.err) == (code, True), run.err


def test_clusters_of_files(fw: Run) -> None:
    new, old = outcomes(40, 6, 4)
    write("new.jsonl", a=new)
    write("old.jsonl", a=old)
    run = fw("gate new.jsonl --against old.jsonl -m a --cluster document --scale 0-1")
    assert run.out.splitlines()[0].endswith("inputs  clusters")
    assert fw("gate new.jsonl --against old.jsonl -m a --cluster topic").code == 1


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("gate", 2, "no old scores"),
        ("gate new.jsonl --against old.jsonl", 2, "name one with --metric. Known: a."),
        ("gate --against old.jsonl -m a", 2, "no new scores"),
        ("gate new.jsonl --against old.jsonl -m b", 2, "unknown score 'b'"),
        ("gate new.jsonl --against old.jsonl -m a --margin -1", 2, "argument --margin: must be a number above 0"),
        ("gate new.jsonl --against old.jsonl -m a --margin b=1", 2, "unknown score 'b'"),
        ("gate new.jsonl --against missing.jsonl -m a", 1, "missing.jsonl"),
        (
            "gate new.jsonl --against old.jsonl -m a --scale 0-0.5",
            1,
            "outside its range 0 to 0.5; set its range with --",
        ),
        ("gate new.jsonl --against old.jsonl -m a --baseline z", 2, "unknown system 'z'"),
    ],
)
def test_wrong_usage(line: str, code: int, message: str, fw: Run) -> None:
    write("new.jsonl", a=[1, 0, 1, 1, 0, 1])
    write("old.jsonl", a=[1, 0, 1, 0, 0, 1])
    run = fw(line)
    assert (run.code, run.out) == (code, "")
    assert message in run.err


def test_scores_that_were_computed_in_two_ways_are_reported(fw: Run) -> None:
    for name, case in (("new", "lc"), ("old", "mixed")):
        rows = [
            {
                "instance_id": n,
                "summarizer_id": "m",
                "metrics": {"ter": n},
                "signature": {"ter": f"ter|case:{case}|fw:1"},
            }
            for n in range(6)
        ]
        write_rows(Path(f"{name}.jsonl"), rows)
    assert "'ter' was computed in two ways" in fw("gate new.jsonl --against old.jsonl -m ter").err


# ---- continuous integration ------------------------------------------------------------------------------------------


def test_a_job_on_github(fw: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    summary = Path("summary.md")
    summary.write_text("# before\n")
    new, old = outcomes(1000, 10, 41)
    write("new.jsonl", exact_match=new, f1=outcomes(1000, 30, 45)[0])
    write("old.jsonl", exact_match=old, f1=outcomes(1000, 30, 45)[1])
    run = fw("gate new.jsonl --against old.jsonl -m exact_match -m f1 --margin exact_match=0.02")
    assert run.code == 3
    lines = [line for line in run.out.splitlines() if line.startswith("::")]
    assert lines[0] == "::error title=fw gate::exact_match: worse by 0.031 [0.020, 0.044], 1,000 examples"
    assert lines[1].startswith("::warning title=fw gate::f1: undecided: ")
    text = summary.read_text()
    assert text.startswith("# before\n### fw gate: failed\n\n| metric")
    assert text.count("| exact_match | q") == 10
    assert "| q10 " in text
    fw("gate new.jsonl --against old.jsonl -m f1 --github no")
    assert summary.read_text() == text


def test_texts_of_data_are_escaped(fw: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    name = "a|b\n::error::100 % <i>"
    for run, value in (("new", 0), ("old", 1)):
        rows = [
            {"instance_id": f"<b>|{number}`", "summarizer_id": "m", "metrics": {name: value}} for number in range(20)
        ]
        write_rows(Path(f"{run}.jsonl"), rows)
    run = fw(f"gate new.jsonl --against old.jsonl -m '{name}' --github yes --junit gate.xml")
    (line,) = [line for line in run.out.splitlines() if line.startswith("::")]
    assert line.startswith("::error title=fw gate::a|b%0A::error::100 %25 <i>: worse by 1.000 [")
    text = Path("summary.md").read_text()
    assert r"&lt;b&gt;\|0\`" in text
    assert "<b>" not in text
    (case,) = ElementTree.parse("gate.xml").getroot()
    assert case.get("name") == name.replace("\n", "\\n")


def test_junit(fw: Run) -> None:
    write("new.jsonl", a=outcomes(500, 30, 45)[0], b=outcomes(500, 10, 60)[0], c=outcomes(500, 0, 0)[0])
    write("old.jsonl", a=outcomes(500, 30, 45)[1], b=outcomes(500, 10, 60)[1], c=outcomes(500, 0, 0)[1])
    assert fw("gate new.jsonl --against old.jsonl -m a,b,c --margin 0.02 --fail-on worse --junit gate.xml").code == 3
    suite = ElementTree.parse("gate.xml").getroot()
    counts = {name: suite.get(name) for name in ("name", "tests", "failures", "errors", "skipped")}
    assert counts == {"name": "fw gate", "tests": "3", "failures": "1", "errors": "0", "skipped": "1"}
    assert [case.get("classname") for case in suite] == ["fw.gate"] * 3
    inner = [case[0] for case in suite]
    assert [one.tag for one in inner] == ["skipped", "failure", "system-out"]
    assert inner[1].get("type") == "worse"
    assert (inner[1].text or "").startswith("worse by 0.100 [")


@pytest.mark.parametrize(
    ("files", "code", "message"),
    [
        ("moved.jsonl", 1, "no input in common with 'a': the new one has '5', for example, the old one has '0'"),
        ("missing.jsonl", 1, "missing.jsonl: cannot be read"),
        ("broken.jsonl", 1, "broken.jsonl:1: "),
        ("'none/*.jsonl'", 2, "no file matches 'none/*.jsonl'"),
        ("new.jsonl -m <b>", 2, "unknown score '<b>'"),
    ],
)
def test_runs_that_cannot_be_compared_are_reported(
    files: str, code: int, message: str, fw: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [{"instance_id": str(one), "summarizer_id": "m", "metrics": {"a": one % 2}} for one in range(10)]
    for name, part in (("new", rows[:5]), ("old", rows[:5]), ("moved", rows[5:])):
        write_rows(Path(f"{name}.jsonl"), part)
    Path("broken.jsonl").write_text("{")
    assert fw("gate new.jsonl --against old.jsonl -m a --junit gate.xml --output-file gate.json -o gate.md").code == 0
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    run = fw(f"gate {files} --against old.jsonl -m a --junit gate.xml --output-file gate.json -o gate.md --github yes")
    assert (run.code, run.out) == (code, "")
    assert f"::error title=fw gate::{message}" in run.err.replace("the two runs have ", "")
    suite = ElementTree.parse("gate.xml").getroot()
    counts = [suite.get(name) for name in ("tests", "failures", "errors", "skipped")]
    assert (counts, suite[0][0].tag) == (["1", "0", "1", "0"], "error")
    assert message in (suite[0][0].text or "")
    assert message in Path("summary.md").read_text()
    assert not Path("gate.json").exists()
    assert not Path("gate.md").exists()


def test_a_report_of_an_error_replaces_no_file_of_others(fw: Run) -> None:
    write("new.xml", a=[1, 0])
    Path("other.xml").write_text("<p>mine</p>")
    for name in ("new.xml", "other.xml"):
        before = Path(name).read_text()
        assert fw(f"gate new.xml --against missing.jsonl -m a --junit {name}").code == 2
        assert Path(name).read_text() == before


@pytest.mark.parametrize(
    "flags",
    [
        "--junit gate.xml",
        "--output-file g.json",
        "--paper g.tex",
        "-o g.csv",
        "-o g.md",
        "-o g.html",
        "-o g.tex",
        "-o g.txt",
        "-o g.json",
    ],
)
def test_results_replace_earlier_ones(flags: str, fw: Run) -> None:
    write("new.jsonl", a=[1, 0, 1, 1, 0, 1])
    write("old.jsonl", a=[1, 0, 1, 0, 0, 1])
    for _ in range(2):
        run = fw(f"gate new.jsonl --against old.jsonl -m a {flags}")
        assert run.code == 0, run.err


def test_results_in_other_forms() -> None:
    found = metrics_framework.gate(*outcomes(500, 30, 45), margin=0.05)
    assert repr(found) == "GateResult({'score': 'undecided'})"
    assert found["score"].needed == 389
    assert "undecided" in found._repr_html_()
    (record,) = found.to_records()
    assert record["p_no_worse"] == pytest.approx(0.1265, abs=5e-5)
    with pytest.raises(InputError, match="no picture"):
        found.plot()
    with pytest.raises(KeyError):
        found["other"]


# ---- logs, and the guide ---------------------------------------------------------------------------------------------

GOLDEN = [  # files, score, old and new mean, gained and lost
    ("lm-eval-{}.samples_toy_sums.jsonl", "exact_match:first", 0.5, 0.7, (5, 3)),
    ("inspect-{}.eval", "match", 7 / 12, 0.75, None),
    ("every-eval-ever-{}_samples.jsonl", "exact_match:first", 0.5, 0.7, (5, 3)),
]


@pytest.mark.parametrize(("files", "score", "old", "new", "changes"), GOLDEN)
def test_logs_of_harnesses(
    files: str, score: str, old: float, new: float, changes: Any, shared_path: Callable[[str], Path]
) -> None:
    paths = [str(shared_path("golden/logs") / files.format(run)) for run in ("new", "old")]
    found = metrics_framework.gate(*paths, score, score_range=(0, 1), log=lambda _: None)
    assert (found.old, found.new) == pytest.approx((old, new))
    assert found.to_json()
    if changes:
        gained, lost = changes
        assert found.p_better == pytest.approx(sum(math.comb(8, k) for k in range(gained, 9)) / 2**8)
        assert [loss[1:] for loss in found.losses] == [(1.0, 0.0)] * lost


LOGS = "datasets/logs/acme__{}/samples_capitals_2026-11-20T09-30-00.000000.jsonl"


def test_an_id_that_names_another_input_is_an_error(fw: Run, datasets_path: Path) -> None:
    old, new = (datasets_path.parent / LOGS.format(run) for run in ("old", "new"))
    rows = new.read_text(encoding="utf-8").splitlines(keepends=True)
    moved = [line.replace('"doc_id": 0,', '"doc_id": 1000,').replace('"doc_id": 1,', '"doc_id": 0,') for line in rows]
    Path("samples_capitals.jsonl").write_text("".join(moved).replace('"doc_id": 1000,', '"doc_id": 1,'))
    line = f"gate samples_capitals.jsonl --against {old} --metric exact_match:strict"
    run = fw(line)
    assert run.code == 1
    assert "has two sources" in run.err
    assert "--pair-by source" in run.err
    paired = fw(f"{line} --pair-by source --format json")
    assert paired.code == 0, paired.err
    assert json.loads(paired.out)["scores"]["exact_match:strict"]["new"] == pytest.approx(22 / 30)
    assert json.loads(paired.out)["left_out"]


def test_clusters_that_differ_between_the_runs_are_reported() -> None:
    old = [{"id": one, "system": "s", "m": one % 2, "doc": f"d{one // 2}"} for one in range(12)]
    new = [{**row, "doc": None if row["id"] == 3 else "d9" if row["id"] == 5 else row["doc"]} for row in old]
    found = metrics_framework.gate(new, old, "m", clusters="doc", log=print).warnings
    assert found[0].startswith("2 inputs with another 'doc' in the new run than in the old one, such as '3' (")
    same = metrics_framework.gate(old, old, "m", clusters="doc", log=print).warnings
    assert same == found[1:], "nothing is said of equal clusters"


def test_the_pipeline_of_the_guide(datasets_path: Path, tmp_path: Path) -> None:
    page = (datasets_path.parent / "docs" / "guides" / "gate.md").read_text(encoding="utf-8")
    (pipeline,) = re.findall(r"^```yaml\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    commands = re.findall(r"- run: (.*)", pipeline)
    assert len(commands) == 1
    (tmp_path / "datasets").symlink_to(datasets_path)
    (tmp_path / "fw").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m metrics_framework "$@"\n')
    (tmp_path / "fw").chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    job = {**os.environ, "PATH": path, "GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": "summary.md"}
    done = subprocess.run(["bash", "-e", "-c", commands[0]], cwd=tmp_path, env=job, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "### fw gate: passed" in (tmp_path / "summary.md").read_text(encoding="utf-8")
    assert ElementTree.parse(tmp_path / "gate.xml").getroot().get("failures") == "0"
