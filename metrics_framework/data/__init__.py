"""Data types without input or output: texts, instances, scores, signatures.

Those that metrics for SacreROUGE import from here are loaded on first use.
"""

from __future__ import annotations

from typing import Any

_NAMES = {
    "EvalInstance": "eval_instance",
    "Jackknifer": "jackknifers",
    "MetricsDict": "metrics_dict",
    "Pyramid": "pyramid",
    "PyramidAnnotation": "pyramid",
}


def __getattr__(name: str) -> Any:
    if name not in _NAMES:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    import importlib

    return getattr(importlib.import_module(f"{__name__}.{_NAMES[name]}"), name)
