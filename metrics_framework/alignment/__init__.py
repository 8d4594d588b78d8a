"""Word aligners: the base class in ``aligner``, and one file per aligner."""

from metrics_framework.common.registrable import Registry

REGISTRY = Registry(
    "aligner", home="metrics_framework.alignment", group="metrics_framework.aligners", listed_by="fw list aligners"
)
