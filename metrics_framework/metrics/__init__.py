"""Metrics: the bases in ``metric``, and one file a metric."""

from metrics_framework.common.registrable import Registry

REGISTRY = Registry("metric", home="metrics_framework.metrics", group="metrics_framework.metrics")
