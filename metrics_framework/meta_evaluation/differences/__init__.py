"""Tests of the difference between two metrics in their agreement with human scores, one file each."""

from metrics_framework.common.registrable import Registry

REGISTRY = Registry(
    "test of differences",
    home="metrics_framework.meta_evaluation.differences",
    group="metrics_framework.difference_tests",
)
