"""Profiles: metrics that belong together, one file a profile."""

from metrics_framework.common.registrable import Registry

REGISTRY = Registry("profile", home="metrics_framework.evaluation.profiles", group="metrics_framework.profiles")
