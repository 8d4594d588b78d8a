"""Formats of human ratings, one per file, for ``fw convert-ratings``; the base class is in rating_format."""

from metrics_framework.common.registrable import Registry

REGISTRY = Registry(
    "rating format", home="metrics_framework.meta_evaluation.ratings", listed_by="fw convert-ratings --help"
)
