"""Coefficients of agreement between a metric and human scores, one file each."""

from metrics_framework.common.registrable import Registry

REGISTRY = Registry(
    "coefficient",
    home="metrics_framework.meta_evaluation.coefficients",
    group="metrics_framework.coefficients",
    further_characters=":",
    listed_by="fw list coefficients",
)
