"""The metric cards of Hugging Face's ``evaluate``: the base class in ``card``, and one file per card."""

from metrics_framework.common.registrable import Registry

REGISTRY = Registry("metric card", home="metrics_framework.integrations.cards")
