"""The card ``meteor``."""

from typing import ClassVar

from metrics_framework.integrations.cards.card import Card, UnavailableCard


@Card.register("meteor")
class MeteorCard(UnavailableCard):
    """METEOR 1.0 of nltk, with WordNet."""

    reason: ClassVar[str] = (
        "it is METEOR 1.0 of nltk, and the metric 'meteor' is METEOR 1.5, whose scores differ; use "
        "HuggingFaceMetric(fw.load('meteor')) for METEOR 1.5, or nltk.translate.meteor_score for 1.0"
    )
