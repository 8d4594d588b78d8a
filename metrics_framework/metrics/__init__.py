"""Metrics: the bases in ``metric``, and one file a metric."""
