"""Metrics: one file per metric; their base classes are in ``base``."""

from metrics_framework.common.registrable import Registry

REGISTRY = Registry("metric", home="metrics_framework.metrics", group="metrics_framework.metrics")
