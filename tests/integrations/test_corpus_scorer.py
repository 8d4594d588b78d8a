"""The scores that adapters for evaluation harnesses return."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

from metrics_framework import ReferenceFreeMetric
from metrics_framework.integrations.corpus_scorer import CorpusScorer


class Graded(ReferenceFreeMetric):
    """Hits, of which more are better, and errors, of which fewer are."""

    directions: ClassVar[dict[str, bool]] = {"Graded_errors": False}

    def score_multi_all(self, summaries_list: Any) -> Any:
        return [[{"Graded": {"hits": 0.25, "errors": 0.75}} for _ in texts] for texts in summaries_list]


@pytest.mark.parametrize(
    ("metric", "score", "expected"),
    [
        (Graded(), "Graded_hits", True),
        (Graded(), "Graded_errors", False),
        ({"type": "ter", "label": "edits"}, None, False),
        ("ter", "ter_num_edits", False),
        ("bleu", "bleu_bp", True),
        ("quality-estimation", "compression_ratio", None),
    ],
)
def test_the_direction_is_that_of_the_score(metric: Any, score: str | None, expected: bool | None) -> None:
    assert CorpusScorer(metric, score).higher_is_better is expected
