"""More outputs than are kept: intervals and tests from sums over groups of inputs, in any order."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from significance_cases import Texts

import metrics_framework as fw
from metrics_framework.commands.app import main
from metrics_framework.metrics.base.batch_scores import BatchScores
from metrics_framework.metrics.base.metric import labelled
from metrics_framework.significance import confidence
from metrics_framework.significance.confidence import ScoreCollector
from metrics_framework.significance.resampling import Resampling

METRICS = ["ter", "bleu", "sent-bleu"]
COUNT = 900


@pytest.fixture
def few_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keeps 100 outputs only, so that 50 are added to their groups in one call."""
    monkeypatch.setattr(confidence, "MANY_OUTPUTS", 100)
    monkeypatch.setattr(confidence, "OUTPUTS_AT_ONCE", 50)


def _written(path: Path, order: Callable[[list[Any]], None] = lambda rows: None, missing: int = 0) -> str:
    texts = Texts(COUNT)
    rows = [
        {"instance_id": name, "summarizer_id": system, "summary": text, "references": references}
        for system, outputs in (("good", texts.good), ("bad", texts.bad))
        for name, text, references in zip(texts.ids, outputs, texts.references_list, strict=True)
        if system == "good" or int(name) > missing
    ]
    order(rows)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def _evaluated(file: str, **options: Any) -> Any:
    return fw.evaluate(METRICS, files=file, confidence=Resampling(method="jackknife"), baseline="good", **options)


def test_intervals_and_tests_are_close_to_those_of_outputs_that_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = _written(tmp_path / "in.jsonl")
    kept = _evaluated(file).confidence
    monkeypatch.setattr(confidence, "MANY_OUTPUTS", 100)
    grouped = _evaluated(file).confidence
    for name in METRICS:
        for one, other in ((kept.systems[name_of], grouped.systems[name_of]) for name_of in ("good", "bad")):
            close = pytest.approx((one[name].lower, one[name].upper), abs=0.1 * one[name].half_width)
            assert (other[name].lower, other[name].upper) == close
        everything = grouped.metrics[name].half_width / kept.metrics[name].half_width
        assert everything == pytest.approx(1, abs=0.1)  # outputs of both systems for an input are not independent
        p_values = (each.significance.p_values["bad"][name] for each in (kept, grouped))
        assert next(p_values) == pytest.approx(next(p_values), abs=0.05)


@pytest.mark.usefixtures("few_kept")
def test_any_order_and_number_of_processes_has_the_same_digits(tmp_path: Path) -> None:
    files = [_written(tmp_path / "a.jsonl"), _written(tmp_path / "b.jsonl", random.Random(1).shuffle)]
    first, *others = [_evaluated(file, jobs=jobs).confidence.as_json() for file in files for jobs in (1, 3)]
    for other in others:
        assert other["significance"] == first["significance"]
        assert other["intervals"]["systems"] == first["intervals"]["systems"]


@pytest.mark.filterwarnings("ignore:.*(different|same) inputs:UserWarning")
@pytest.mark.usefixtures("few_kept")
def test_systems_with_outputs_for_different_inputs_are_compared_on_all(tmp_path: Path) -> None:
    found = _evaluated(_written(tmp_path / "in.jsonl", missing=7))
    assert any("with more than 100 outputs, they are compared on all of their" in one for one in found.warnings)
    assert found.confidence.significance.inputs == {"bad": COUNT - 7}


def test_scores_that_are_missing_for_different_inputs_are_reported() -> None:
    collector = ScoreCollector(labelled(["sent-bleu"]), most=10)
    for system, missing in (("a", 3), ("b", 4)):
        scores = [fw.MetricsDict({"sent-bleu": None if number == missing else float(number)}) for number in range(20)]
        collector.add([str(number) for number in range(20)], [system] * 20, [BatchScores(scores)])
    warned: list[str] = []
    collector.confidence(labelled(["sent-bleu"]), Resampling(), None, fw.Log(warned.append))
    assert "'b' and 'a' are not scored for the same inputs" in warned[0]


@pytest.mark.usefixtures("few_kept")
def test_tables_and_files_name_the_delta_method(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = _written(tmp_path / "in.jsonl")
    assert main(["ter", "evaluate", str(tmp_path / "m.json"), "--input-files", file, "--confidence"]) == 0
    printed = capsys.readouterr().out
    assert "|ar:1000|seed:0|ci:delta|" in printed
    assert "95 % confidence interval (delta method)" in printed
    assert json.loads((tmp_path / "m.json").read_text())["intervals"]["method"] == "delta"
    assert main(["ter", "evaluate", "--input-files", file, "--ci", "delta"]) == 2
