"""The card ``exact_match``."""

from typing import ClassVar

from metrics_framework.integrations.cards.card import Card, UnavailableCard


@Card.register("exact_match")
class ExactMatchCard(UnavailableCard):
    """The share of predictions that equal their reference."""

    reason: ClassVar[str] = (
        "no metric compares whole texts; use evaluate.load('exact_match'), or HuggingFaceMetric(fw.load('token-f1')) "
        "for the overlap of words"
    )
