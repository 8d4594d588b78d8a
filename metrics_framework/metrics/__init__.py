"""Metrics: one file per metric; their base classes are in ``base``."""

from metrics_framework.common.registrable import Registry


def _answer(name: str) -> str:
    from metrics_framework.metrics.base.other_metrics import answer  # only for unknown names

    return answer(name)


REGISTRY = Registry("metric", home="metrics_framework.metrics", group="metrics_framework.metrics", answer=_answer)
