"""Public data sets: one file per data set, the base in ``dataset``, and manifests of their files in ``manifests``."""

from metrics_framework.common.registrable import Registry

REGISTRY = Registry("data set", home="metrics_framework.datasets", group="metrics_framework.datasets")
