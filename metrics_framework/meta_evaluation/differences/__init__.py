"""Tests of the difference between two metrics in their agreement with human scores, one file each."""

from metrics_framework.common.registrable import Registry

REMOVED = {
    "bootstrap-both": "the test 'bootstrap-both' is gone, because it finds no differences: it rejects true null "
    "hypotheses in less than 0.3 % of cases, not in 5 %; use the test 'both'"
}
"""Tests that no longer exist, and why."""

REGISTRY = Registry(
    "test of differences",
    home="metrics_framework.meta_evaluation.differences",
    group="metrics_framework.difference_tests",
    listed_by="fw list tests",
)
