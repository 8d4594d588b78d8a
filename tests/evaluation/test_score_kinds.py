"""Kinds of scores: which are main scores, their direction, and which are ratios."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import pytest

from metrics_framework.evaluation.system_scores import ScoreKind, kinds_of
from metrics_framework.metrics.base.direction import facts_of
from metrics_framework.metrics.base.metric import LabelledMetric, Metric, load
from metrics_framework.metrics.base.shapes import ReferenceFreeMetric


class Share(ReferenceFreeMetric):
    """A metric from 0 to 1."""

    registered_name = "share"
    score_range: ClassVar[tuple[float | None, float | None]] = (0, 1)

    def score_multi_all(self, summaries_list):
        raise NotImplementedError


KINDS = [  # metric, label, scores: (whether it is a main score, whether higher is better, whether it is a ratio), why
    ("ter", "ter", {"ter": (True, False, False), "ter_num_edits": (False, None, False)}, "the score with its name"),
    ("bleu", "x", {"x": (True, True, False), "x_bp": (False, None, True)}, "the name is the label"),
    (
        "quality-estimation:splitter=none,lexical_complexity=false",
        "q",
        {"q_compression_ratio": (True, None, True), "q_lexical_complexity": (True, None, False)},
        "without a score with its name, all are main scores",
    ),
    (
        "rouge",
        "rouge",
        {"rouge-1_recall": (True, True, False), "rouge-1_f1": (True, True, False)},
        "which have its direction, so tables emphasize the best ROUGE",
    ),
    ("simetrix", "s", {"s_smoothedJSD": (True, None, True), "s_unigramProb": (True, None, False)}, "no direction"),
    (Share(), "share", {"share": (True, True, True)}, "a metric up to one is a ratio"),
    (
        "precomputed:file=scores.csv",
        "x",
        {
            "x_bleu": (True, True, False),
            "x_ter": (True, False, False),
            "x_meteor": (True, True, True),
            "x_ease": (True, None, False),
        },
        "scores of a file have the direction and the scale of their metric",
    ),
]


@pytest.mark.parametrize(("metric", "label", "kinds", "why"), KINDS)
def test_kinds_of_scores(
    metric: Any, label: str, kinds: dict[str, Any], why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("scores.csv").write_text("id,system,bleu,ter,meteor,ease\n1,a,1,2,0.3,4\n")
    metric = load(metric) if isinstance(metric, str) else metric
    found = kinds_of([LabelledMetric(metric, label)], {label: list(kinds)})
    without_ranges = {name: kind._replace(score_range=(None, None)) for name, kind in found.items()}
    assert without_ranges == {name: ScoreKind(label, *kind) for name, kind in kinds.items()}, why


def test_the_range_of_a_metric_is_that_of_its_main_scores_and_components_declare_theirs() -> None:
    found = kinds_of([LabelledMetric(load("bleu"), "x")], {"x": ["x", "x_bp", "x_jk"]})
    ranges = {"x": (0, 100), "x_bp": (0, 1), "x_jk": (None, None)}
    assert {name: kind.score_range for name, kind in found.items()} == ranges
    assert facts_of("bleu_bp", {"bleu": "bleu|fw:0"}, ["bleu", "bleu_bp"]).score_range == (0, 1)


@pytest.mark.parametrize("name", ["bleu", "ter", "wer", "cer", "sari"])
def test_components_with_a_range_are_scores_of_the_metric(name: str) -> None:
    metric = load(name)
    texts = {"summary": "a cat", "references": ["the cat"], "source": "the big cat", "sources": ["the big cat"]}
    fields = (*metric.required_summary_fields, *metric.required_context_fields)
    assert set(metric.score(*map(texts.__getitem__, fields))) == {name, *metric.component_ranges}


@pytest.mark.parametrize("name", ["quality-estimation", "bleu", "pyramid-score"])
def test_ratios_are_scores_of_the_metric(name: str) -> None:
    """A misspelled name would change nothing, and nobody would notice."""
    ratios = Metric.by_name(name).ratios
    assert ratios
    examples = {
        "bleu": lambda: load("bleu").score("a cat", ["a cat"]),
        "quality-estimation": lambda: load("quality-estimation", splitter="none", lexical_complexity=False).score(
            "a cat", "a cat"
        ),
        "pyramid-score": lambda: {"modified_pyramid_score": 1.0},
    }
    assert set(ratios) <= set(examples[name]())
