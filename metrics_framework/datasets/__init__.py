"""Public data sets: the base in ``dataset``, one file a data set, and manifests of their files in ``manifests``."""

from metrics_framework.common.registrable import Registry

REGISTRY = Registry("data set", home="metrics_framework.datasets", group="metrics_framework.datasets")
