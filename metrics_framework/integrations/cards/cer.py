"""The card ``cer``."""

from metrics_framework.integrations.cards.card import Card
from metrics_framework.integrations.cards.error_rate import ErrorRateCard


@Card.register("cer")
class CerCard(ErrorRateCard):
    """Character error rate of jiwer, a fraction."""

    metric_name = "cer"
