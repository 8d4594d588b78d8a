"""The card ``rouge``."""

from metrics_framework.integrations.cards.card import Card


@Card.register("rouge")
class RougeCard(Card):
    """F1 of the package rouge-score; the mean over predictions, not the median of the means of random resamples."""

    metric_name = "google-rouge"
