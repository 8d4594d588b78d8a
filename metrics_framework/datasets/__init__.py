"""Public data sets: one file per family, the base class in ``dataset``, and their manifests in ``manifests``."""

from metrics_framework.common.registrable import Registry

REGISTRY = Registry(
    "data set", home="metrics_framework.datasets", group="metrics_framework.datasets", listed_by="fw list datasets"
)
