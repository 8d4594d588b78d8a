"""Metrics: one file per metric; their base classes are in ``base``.

Base classes can also be imported from here, where metrics for SacreROUGE look for them; they are loaded on first use.
"""

from __future__ import annotations

from typing import Any

from metrics_framework.common.registrable import Registry

_BASE_CLASSES = {
    "Metric": "metric",
    "CorpusMetric": "metric",
    "DocumentBasedMetric": "shapes",
    "ReferenceBasedMetric": "shapes",
    "ReferenceFreeMetric": "shapes",
    "SourceBasedMetric": "shapes",
    "SourceReferenceBasedMetric": "shapes",
}


def __getattr__(name: str) -> Any:
    if name not in _BASE_CLASSES:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    import importlib

    return getattr(importlib.import_module(f"{__name__}.base.{_BASE_CLASSES[name]}"), name)


def _answer(name: str) -> str:
    from metrics_framework.metrics.base.other_metrics import answer  # only for unknown names

    return answer(name)


REGISTRY = Registry(
    "metric",
    home="metrics_framework.metrics",
    group="metrics_framework.metrics",
    answer=_answer,
    listed_by="fw list metrics",
)
