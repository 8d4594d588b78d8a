"""A run asks kernels only for what it needs: statistics, rows as JSON, or scores. Its results are the same."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from samples import sampled
from twins import requires_native

from metrics_framework import ReferenceBasedMetric
from metrics_framework.common.logs import Log
from metrics_framework.data.eval_instance import ColumnBatch, EvalInstance
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.dataset_readers.rows_of_fields import DefaultReader
from metrics_framework.evaluation.checked_input import BATCH_SIZE, InputSummary
from metrics_framework.evaluation.run import Run
from metrics_framework.evaluation.scoring import PlainScorer, Scoring
from metrics_framework.evaluation.system_scores import evaluate
from metrics_framework.kernels.dispatch import Request
from metrics_framework.metrics.base.batch_scores import BatchScores
from metrics_framework.metrics.base.metric import LabelledMetric, Metric, labelled
from metrics_framework.metrics.ter import Ter

SPECS = [
    *("ter", "bleu", "chrf", "chrf:word_order=2", "sari", "sari:variant=easse-paper", "sari:variant=star"),
    *("sari:variant=joshua", "sari:variant=set", "sari:variant=hf", "sent-bleu", "google-rouge", "token-f1", "fkgl"),
    "rouge:official_average=true",
]
WORDS = ["the", "cat", "sat", "on", "a", "mat", ",", "dogs", "ran", "far", "away", "."]


def write_rows(path: Path, systems: Sequence[str], shared: bool, count: int) -> None:
    """Writes outputs of each system, which share references or have different numbers of them."""
    with open(path, "w", encoding="utf-8") as stream:
        for number in range(count):
            for index, system in enumerate(systems):
                start = number if shared else number + index
                references = [" ".join(WORDS[(start + step) % 5 :][: 4 + step]) for step in range(1 + start % 3)]
                texts = {
                    "summary": " ".join(WORDS[(number + index) % 7 :]),
                    "references": references,
                    "source": " ".join(WORDS[number % 4 :]),
                }
                row = {"instance_id": str(number), "summarizer_id": system, **texts}
                stream.write(json.dumps(row) + "\n")


CASES = itertools.product(["abc", "a"], [False, True], [1, 2], ["native", "python"])


@pytest.mark.parametrize(("systems", "shared", "jobs", "implementation"), sampled(CASES, 3))
def test_scores_of_systems_do_not_depend_on_rows(
    implementation: str,
    jobs: int,
    systems: str,
    shared: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("FW_KERNELS", implementation)
    path = tmp_path / "rows.jsonl"
    several_batches = systems == "abc" and implementation == "native" and jobs == 1 and not shared
    write_rows(path, systems, shared, 1 + BATCH_SIZE // len(systems) if several_batches else 23)
    metrics = [
        LabelledMetric(metric.metric, f"m{index}")
        for index, metric in enumerate(map(one, SPECS))
        if implementation == "native" or metric.metric.name != "google-rouge"
    ]
    results = [
        json.dumps(evaluate(DefaultReader(), [str(path)], metrics, write, Log(), jobs=jobs).as_json())
        for write in (None, lambda rows: None)
    ]
    assert results[0] == results[1]


KERNELS = [*SPECS, "wer", "cer", "rouge", "autosummeng"]


@requires_native
@pytest.mark.parametrize(
    ("spec", "jobs"), [*((spec, 1) for spec in KERNELS), *sampled([(spec, 2) for spec in KERNELS], 3)]
)
def test_rows_written_by_kernels_are_those_of_their_scores(spec: str, jobs: int, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    write_rows(path, "abc", shared=False, count=2 * BATCH_SIZE // 3 if spec == "ter" else 23)
    with open(path, "a", encoding="utf-8") as stream:
        for summary, references in (("", ["a cat"]), ("a cat", [""]), ("", [""])):
            row = {"instance_id": f"{summary} {references}", "summarizer_id": "a", "source": "a cat sat"}
            stream.write(json.dumps({**row, "summary": summary, "references": references}) + "\n")

    def results(observe: Any) -> tuple[str, str]:
        rows: list[str] = []
        run = evaluate(DefaultReader(), [str(path)], [one(spec)], rows.append, Log(), jobs=jobs, observe=observe)
        return json.dumps(run.as_json()), "".join(rows)

    assert results(None) == results(lambda batch, scores: None)


def one(spec: str) -> LabelledMetric:
    (metric,) = labelled([spec])
    return metric


def requested(metric: Metric, label: str = "m", **needed: bool) -> set[str]:
    """Returns what a scorer asks of a metric."""
    batch = ColumnBatch([EvalInstance("1", "a", "peer", {"summary": "a", "references": ["a"]})])
    seen: list[int] = []

    def score_batch(self: Metric, request: int, *arguments: Any, checked: bool) -> BatchScores:
        seen.append(int(request))
        return BatchScores([])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Metric, "score_batch", score_batch)
        PlainScorer([LabelledMetric(metric, label)], **needed)(batch)
    return {str(flag.name).lower() for flag in Request if seen[0] & flag}


@requires_native
def test_kernels_are_asked_for_what_is_needed() -> None:
    ter, rouge, everything = one("ter").metric, one("google-rouge").metric, {"scores", "statistics"}
    assert requested(ter, only_totals=True) == {"statistics", "vectors"}
    assert requested(rouge, only_totals=True) == {"statistics", "vectors"}
    assert requested(one("sent-bleu").metric, only_totals=True) == everything
    assert requested(ter, "ter", only_files=True) == everything | {"json", "vectors"}
    assert requested(ter, "renamed", only_files=True) == everything
    assert requested(rouge, "google-rouge", only_files=True) == everything | {"json", "vectors"}
    assert requested(one("sent-bleu").metric, "sent-bleu", only_files=True) == everything
    assert requested(one("sari:variant=joshua").metric, "sari", only_files=True) == everything

    class Doubled(Ter):
        def score_statistics(self, statistics: Sequence[float]) -> MetricsDict:
            return MetricsDict({name: 2 * value for name, value in super().score_statistics(statistics).items()})

    assert requested(Doubled(), only_totals=True) == everything
    assert requested(Doubled(), "ter", only_files=True) == everything


class InOneProcess(ReferenceBasedMetric):
    in_one_process = True

    def score_multi_all(self, summaries_list, references_list: Sequence[Sequence[str]]):
        return [[MetricsDict({"InOneProcess": len(text)}) for text in texts] for texts in summaries_list]


def test_a_metric_in_one_process_is_not_sent_to_workers(tmp_path, capsys):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"instance_id": "1", "summarizer_id": "a", "summary": "abc", "references": ["abd"]}\n')
    # It is not registered, so worker processes could not build it.
    metrics = [LabelledMetric(InOneProcess(), "InOneProcess")]
    result = evaluate(DefaultReader(), [str(path)], metrics, None, Log(), jobs=2)
    assert result.metrics == {"InOneProcess": 3}
    assert "--jobs has no effect with 'InOneProcess'" in capsys.readouterr().err


def test_one_process_scores_a_batch_only_when_its_results_are_needed(tmp_path):
    path = tmp_path / "rows.jsonl"
    row = {"summarizer_id": "a", "summary": "a cat", "references": ["a dog"]}
    lines = [json.dumps({"instance_id": str(number), **row}) + "\n" for number in range(2 * BATCH_SIZE + 1)]
    path.write_text("".join(lines))
    metrics = labelled(["ter"])
    summary, scoring = InputSummary(), Scoring(metrics, PlainScorer(metrics), has_rows=True, has_totals=True)
    batches = Run(DefaultReader(), [str(path)], scoring, summary, Log()).batches()
    read = [(len(scored.batch.ids), scored.rows.count("\n"), summary.outputs["a"]) for scored in batches]
    assert read == [(BATCH_SIZE, BATCH_SIZE, BATCH_SIZE), (BATCH_SIZE, BATCH_SIZE, 2 * BATCH_SIZE), (1, 1, len(lines))]
