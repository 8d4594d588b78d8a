"""Profiles: sets of metrics that are reported together."""

from metrics_framework.common.registrable import Registry

REGISTRY = Registry(
    "profile",
    home="metrics_framework.evaluation.profiles",
    group="metrics_framework.profiles",
    listed_by="fw list profiles",
)
