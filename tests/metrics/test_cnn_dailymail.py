"""The recipe for CNN/DailyMail: files of PreSumm have the scores of rouge-score for one sentence per line."""

from __future__ import annotations

from pathlib import Path

import pytest
from rouge_score.rouge_scorer import RougeScorer

from metrics_framework.metrics.base.metric import load

KINDS = ["rouge1", "rouge2", "rougeLsum"]


@pytest.fixture
def texts(datasets_path: Path) -> list[list[str]]:
    """The candidates and references of the example, with separators."""
    names = "presumm.candidate.txt", "presumm.gold.txt"
    return [(datasets_path / "summarization" / name).read_text(encoding="utf-8").splitlines() for name in names]


def test_separated_sentences_have_the_scores_of_rouge_score(texts):
    scorer = RougeScorer(KINDS, use_stemmer=True)
    candidates, gold = texts
    _, found = load("google-rouge", rouge_types=KINDS, use_stemmer=True, sentences="<q>").evaluate(
        candidates, [[text] for text in gold]
    )
    for scores, candidate, reference in zip(found, candidates, gold, strict=True):
        expected = scorer.score(reference.replace("<q>", "\n"), candidate.replace("<q>", "\n"))
        assert scores == {kind: score._asdict() for kind, score in expected.items()}


def test_separated_sentences_have_the_scores_of_lines(texts):
    candidates, references = texts[0], [[text] for text in texts[1]]
    lines = [text.replace("<q>", "\n") for text in candidates], [[one.replace("<q>", "\n")] for [one] in references]
    metric = load("rouge", compute_rouge_l=True, sentences="<q>")
    assert metric.evaluate(candidates, references) == load("rouge", compute_rouge_l=True).evaluate(*lines)
    assert metric.evaluate(candidates, references) != load("rouge", compute_rouge_l=True).evaluate(
        candidates, references
    )
