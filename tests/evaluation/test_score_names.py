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
ALIASES = ["letters", "chars", "characters"]


@pytest.mark.parametrize(("name", "label"), [*((name, "letters") for name in ALIASES), ("chars:label=mine", "mine")])
def test_scores_and_what_is_undefined_go_by_the_label_which_an_alias_is_not(name: str, label: str, run: Run) -> None:
    macro, micro = run(name)
    names = ["letters", "letters_half", "other", "n"]
    if label == "mine":
        names = ["mine", "mine_half", "mine_other", "mine_n"]
    assert list(macro["metrics"]) == list(micro[0]["metrics"]) == names
    assert list(macro["signature"]) == [label]
    assert macro["signature"][label].startswith("letters|")
    *ends, other, _ = names
    assert macro["undefined"] == dict.fromkeys([*ends, f"{other}_deep", f"{other}_list"], 1)
    assert macro["metrics"][label] == 2.0


def test_two_labels_are_two_metrics_but_an_alias_is_the_same_one(run: Run) -> None:
    macro, _ = run("letters", "chars:label=mine")
    assert {name: count for name, count in macro["undefined"].items() if "_" not in name} == {"letters": 1, "mine": 1}
    assert len(macro["undefined"]) == 8
    with pytest.raises(UsageError, match=f"{LABELLED_THE_SAME} 'letters'"):
        labelled(["letters", "characters"])
