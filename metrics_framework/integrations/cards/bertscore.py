"""The card ``bertscore``."""

from typing import ClassVar

from metrics_framework.integrations.cards.card import Card, UnavailableCard


@Card.register("bertscore")
class BertscoreCard(UnavailableCard):
    """BERTScore of the package bert-score."""

    reason: ClassVar[str] = (
        "its results are lists, with a hash code of the package bert-score; use "
        "HuggingFaceMetric(fw.load('bertscore', model=…)), which returns the means bertscore_precision, "
        "bertscore_recall and bertscore_f1, and lists with use_aggregator=False"
    )
