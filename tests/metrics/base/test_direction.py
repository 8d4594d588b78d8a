"""What is known of scores from a file: the facts of the metric that their signature names."""

from __future__ import annotations

from typing import Any

import pytest

from metrics_framework.metrics.base.direction import ScoreFacts, facts_of

TER, BERTSCORE, ROUGE = "ter|case:lc|fw:0", "bertscore|model:m|fw:0", "google-rouge|types:rouge1|fw:0"
READ = "precomputed|file:x|score:{}|missing:error|better:{}|rows:0|of:{}|fw:0"
CASES = [  # score, signatures, other scores of the file, facts, why
    ("ter", {"ter": TER}, (), ScoreFacts(False, (0, None)), "a main score"),
    ("ter_jk", {"ter": TER}, ("ter",), ScoreFacts(False, (0, None)), "a jackknifed one"),
    ("ter", {}, (), ScoreFacts(False, (0, None)), "a table has no signatures"),
    ("edits", {"edits": TER}, (), ScoreFacts(False, (0, None)), "a label"),
    ("meteor", {}, (), ScoreFacts(True, (0, 1), True), "up to 1"),
    ("ter_num_edits", {"ter": TER}, ("ter",), ScoreFacts(None, (0, None)), "a component"),
    ("ter_quality", {}, (), ScoreFacts(), "ratings may be called anything"),
    ("bleu_bp", {"bleu": "bleu|fw:0"}, ("bleu",), ScoreFacts(None, (0, 1), True), "a component that is a ratio"),
    ("x_bp", {"x": "bleu|fw:0"}, ("x",), ScoreFacts(None, (0, 1), True), "the same with a label"),
    ("bertscore_f1", {"bertscore": BERTSCORE}, (), ScoreFacts(True, (None, 1 + 1e-6), True), "one of several mains"),
    ("simplicity", {"ter": TER}, ("ter",), ScoreFacts(), "a rating"),
    ("lens", {"lens": "lens|fw:0"}, (), ScoreFacts(), "a metric that is not registered"),
    ("ter", {"ter": READ.format("ter", "lower", TER.replace("|", ";"))}, (), ScoreFacts(False, (0, None)), "read"),
    ("m", {"m": READ.format("meteor", "higher", "meteor;fw:0")}, (), ScoreFacts(True, (0, 1), True), "relabelled"),
    ("x", {"x": READ.format("x", "lower", "")}, (), ScoreFacts(False), "a direction that was given"),
]


@pytest.mark.parametrize(("score", "signatures", "others", "facts", "why"), CASES)
def test_facts_are_those_of_the_metric_in_the_signature(
    score: str, signatures: Any, others: list[float], facts: Any, why: str
) -> None:
    assert facts_of(score, signatures, [score, *others]) == facts
