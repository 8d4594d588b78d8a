"""The card ``ter``."""

from __future__ import annotations

from typing import ClassVar

from metrics_framework.integrations.cards.card import Card


@Card.register("ter")
class TerCard(Card):
    """TER of sacreBLEU."""

    metric_name = "ter"
    same_number_of_references: ClassVar[bool] = True
