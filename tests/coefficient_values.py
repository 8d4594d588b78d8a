"""The value of a coefficient of arrays, without its interval."""

from __future__ import annotations

from typing import Any

from metrics_framework import meta_evaluation


def coefficient(human: Any, metric: Any, name: str, **options: Any) -> float:
    return meta_evaluation.coefficient(human, metric, name, ci="none", **options).value
