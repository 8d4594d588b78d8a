"""The card ``wer``."""

from metrics_framework.integrations.cards.card import Card
from metrics_framework.integrations.cards.error_rate import ErrorRateCard


@Card.register("wer")
class WerCard(ErrorRateCard):
    """Word error rate of jiwer, a fraction."""

    metric_name = "wer"
