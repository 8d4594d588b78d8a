"""Names of scores in studies: a minus sign negates a score, unless it is part of a name."""

from __future__ import annotations

import metrics_framework as fw


def correlation(name: str, scores: dict[str, float]) -> float:
    rows = [
        {
            "instance_id": str(number),
            "summarizer_id": system,
            "human": number + ord(system),
            **scores_of(scores, number),
        }
        for number in range(3)
        for system in "ab"
    ]
    found = fw.correlate(rows, name, "human", ci="none", levels=["global"])
    return found[name].levels["global"].estimates["pearson"].value


def scores_of(scores: dict[str, float], number: int) -> dict[str, float]:
    return {name: factor * number for name, factor in scores.items()}


def test_a_minus_sign_negates_a_score() -> None:
    assert correlation("-ter", {"ter": 1.0}) == -correlation("ter", {"ter": 1.0})


def test_a_name_that_starts_with_a_minus_sign_is_itself() -> None:
    both = {"-ter": 1.0, "ter": 1.0}
    assert correlation("-ter", both) == correlation("ter", both)
