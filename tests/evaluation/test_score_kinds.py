"""Kinds of scores: which are main scores, their direction, and which are ratios."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import pytest

from metrics_framework.evaluation.system_scores import ScoreKind, kinds_of
from metrics_framework.metrics.base.metric import LabelledMetric, Metric, load
from metrics_framework.metrics.base.shapes import ReferenceFreeMetric


class Share(ReferenceFreeMetric):
    """A metric from 0 to 1."""

    registered_name = "share"
    score_range: ClassVar[tuple[float | None, float | None]] = (0, 1)

    def score_multi_all(self, summaries_list):  # type: ignore[no-untyped-def]
        raise NotImplementedError


def test_the_score_with_the_name_of_the_metric_is_the_main_score() -> None:
    kinds = kinds_of([LabelledMetric(load("ter"), "ter")], {"ter": ["ter", "ter_num_edits"]})
    assert kinds == {"ter": ScoreKind("ter", True, False, False), "ter_num_edits": ScoreKind("ter", False, None, False)}
    renamed = kinds_of([LabelledMetric(load("bleu"), "x")], {"x": ["x", "x_bp"]})
    assert renamed == {"x": ScoreKind("x", True, True, False), "x_bp": ScoreKind("x", False, None, True)}


def test_without_such_a_score_all_are_main_scores() -> None:
    metric = LabelledMetric(load("quality-estimation", splitter="none", lexical_complexity=False), "q")
    kinds = kinds_of([metric], {"q": ["q_compression_ratio", "q_lexical_complexity"]})
    assert kinds["q_compression_ratio"] == ScoreKind("q", True, None, True)
    assert kinds["q_lexical_complexity"] == ScoreKind("q", True, None, False)


def test_scores_of_a_metric_without_one_of_its_name_have_its_direction() -> None:
    """So tables emphasize the best ROUGE."""
    kinds = kinds_of([LabelledMetric(load("rouge"), "rouge")], {"rouge": ["rouge-1_recall", "rouge-1_f1"]})
    assert {kind.higher_is_better for kind in kinds.values()} == {True}
    simetrix = kinds_of([LabelledMetric(load("simetrix"), "simetrix")], {"simetrix": ["smoothedJSD", "unigramProb"]})
    assert {kind.higher_is_better for kind in simetrix.values()} == {None}


def test_scores_of_a_file_have_the_direction_and_the_scale_of_their_metric(tmp_path: Path) -> None:
    file = tmp_path / "scores.csv"
    file.write_text("id,system,bleu,ter,meteor,ease\n1,a,1,2,0.3,4\n")
    metric = LabelledMetric(load("precomputed", file=str(file)), "x")
    kinds = kinds_of([metric], {"x": ["x_bleu", "x_ter", "x_meteor", "x_ease"]})
    assert kinds == {
        "x_bleu": ScoreKind("x", True, True, False),
        "x_ter": ScoreKind("x", True, False, False),
        "x_meteor": ScoreKind("x", True, True, True),
        "x_ease": ScoreKind("x", True, None, False),
    }


def test_a_metric_up_to_one_is_a_ratio() -> None:
    assert kinds_of([LabelledMetric(Share(), "share")], {"share": ["share"]})["share"].is_ratio


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
