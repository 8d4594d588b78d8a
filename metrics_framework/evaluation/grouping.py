"""Scores outputs in groups of equal context, so that work on the references is done once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from metrics_framework.common.errors import FwError, PluginError, failed_at, message_of
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.data.fields import context_key
from metrics_framework.metrics.metric import Metric

Result = TypeVar("Result")


def score_grouped(
    metric: Metric, method: Callable[..., list[list[Result]]], batch: Sequence[EvalInstance]
) -> list[Result]:
    """Scores outputs and returns the results in the order of the outputs.

    Args:
        metric: The metric.
        method: The method of the metric that scores groups.
        batch: The outputs.

    Raises:
        PluginError: if the metric fails with an error that is not one of ours.
    """
    groups: dict[Any, list[int]] = {}
    names = metric.required_context_fields
    for index, instance in enumerate(batch):
        key = tuple([context_key(instance.fields[name]) for name in names])
        groups.setdefault(key, []).append(index)
    members = list(groups.values())
    summaries = [
        [[batch[index].fields[name] for index in group] for group in members] for name in metric.required_summary_fields
    ]
    contexts = [[batch[group[0]].fields[name] for group in members] for name in names]
    results: list[Any] = [None] * len(batch)
    for group, scored in zip(members, _scored(metric, method, [*summaries, *contexts]), strict=True):
        for index, one in zip(group, scored, strict=True):
            results[index] = one
    return results


def _scored(metric: Metric, method: Callable[..., list[list[Result]]], arguments: Sequence[Any]) -> list[list[Result]]:
    try:
        return method(*arguments)
    except (FwError, KeyboardInterrupt, MemoryError):
        raise
    except Exception as error:
        lists = "'list' object has no attribute" in str(error)
        advice = "; a text may be a list of sentences, which as_string of metrics_framework joins" if lists else ""
        raise PluginError(
            f"the metric '{metric.name}' failed{failed_at(error)}: {message_of(error)}{advice}"
        ) from error
