"""What scores, counts and signatures are called in a run: by the label, which an alias is not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from messages import LABELLED_THE_SAME

from metrics_framework.commands.app import main
from metrics_framework.common.errors import UsageError
from metrics_framework.metrics.base.metric import Metric, labelled

PLUGIN = '''
from metrics_framework import Metric, ReferenceFreeMetric

@Metric.register("letters", "chars", "characters")
class Letters(ReferenceFreeMetric):
    """Counts letters; of an empty summary it gives nothing."""

    def score_multi_all(self, summaries_list):
        return [[self.of(summary) for summary in summaries] for summaries in summaries_list]

    def of(self, summary):
        value = float(len(summary)) if summary else float("nan")
        return {"letters": value, "letters_half": value / 2, "other": {"deep": value, "list": [1.0, value]}, "n": 1.0}
'''


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs ``fw`` with the plug-in over three outputs, one of them empty, and gives the macro file and the rows."""
    registry = Metric.registry()
    registry.search()
    monkeypatch.setattr(registry, "entries", dict(registry.entries))
    monkeypatch.setattr("metrics_framework.common.plugins._imported", {})
    monkeypatch.chdir(tmp_path)
    (tmp_path / "counts_letters.py").write_text(PLUGIN)
    rows = [{"instance_id": str(number), "summary": summary} for number, summary in enumerate(["abc", "", "a"])]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))

    def evaluate(*metrics: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        flags = [word for metric in metrics for word in ("--metric", metric)]
        files = ["--input-files", "in.jsonl", "--include-packages", "counts_letters.py", "--silent"]
        assert main(["evaluate", "macro.json", "micro.jsonl", *flags, *files]) == 0
        micro = [json.loads(line) for line in (tmp_path / "micro.jsonl").read_text().splitlines()]
        return json.loads((tmp_path / "macro.json").read_text()), micro

    return evaluate


Run = Callable[..., tuple[dict[str, Any], list[dict[str, Any]]]]
NAMES = ["letters", "letters_half", "other", "n"]


@pytest.mark.parametrize("name", ["letters", "chars", "characters"])
def test_an_alias_is_not_a_label(name: str, run: Run) -> None:
    macro, micro = run(name)
    assert list(macro["metrics"]) == list(micro[0]["metrics"]) == NAMES
    assert list(macro["signature"]) == ["letters"]
    assert macro["signature"]["letters"].startswith("letters|")
    assert macro["undefined"] == {"letters": 1, "letters_half": 1, "other_deep": 1, "other_list": 1}


def test_what_is_undefined_is_counted_under_the_label(run: Run) -> None:
    macro, micro = run("chars:label=mine")
    assert list(macro["metrics"]) == list(micro[0]["metrics"]) == ["mine", "mine_half", "mine_other", "mine_n"]
    assert macro["undefined"] == {"mine": 1, "mine_half": 1, "mine_other_deep": 1, "mine_other_list": 1}
    assert macro["metrics"]["mine"] == 2.0


def test_what_is_undefined_is_counted_for_each_of_two_labels(run: Run) -> None:
    macro, _ = run("letters", "chars:label=mine")
    assert {name: count for name, count in macro["undefined"].items() if "_" not in name} == {"letters": 1, "mine": 1}
    assert len(macro["undefined"]) == 8


def test_a_metric_and_its_alias_are_one_metric_twice(run: Run) -> None:
    run("letters")  # registers
    with pytest.raises(UsageError, match=f"{LABELLED_THE_SAME} 'letters'"):
        labelled(["letters", "characters"])
