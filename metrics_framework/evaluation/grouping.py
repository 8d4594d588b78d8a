"""Scores outputs in groups of equal context, so that work on the references is done once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from metrics_framework.common.errors import FwError, PluginError, failed_at, message_of
from metrics_framework.data.fields import context_key
from metrics_framework.metrics.metric import Metric, Scored


def score_grouped(metric: Metric, outputs: Sequence[Mapping[str, Any]]) -> list[Scored]:
    """Scores outputs and returns the scores in the order of the outputs.

    Args:
        metric: The metric.
        outputs: The fields of each output.

    Raises:
        PluginError: if the metric fails with an error that is not one of ours.
    """
    groups: dict[Any, list[int]] = {}
    for index, fields in enumerate(outputs):
        key = tuple(context_key(fields[name]) for name in metric.required_context_fields)
        groups.setdefault(key, []).append(index)
    members = list(groups.values())
    summaries = [
        [[outputs[index][name] for index in group] for group in members] for name in metric.required_summary_fields
    ]
    contexts = [[outputs[group[0]][name] for group in members] for name in metric.required_context_fields]
    results: list[Scored | None] = [None] * len(outputs)
    for group, scored in zip(members, _scored(metric, summaries, contexts), strict=True):
        for index, one in zip(group, scored, strict=True):
            results[index] = one
    return [result for result in results if result is not None]


def _scored(metric: Metric, summaries: list[Any], contexts: list[Any]) -> list[list[Scored]]:
    try:
        return metric.score_with_statistics(*summaries, *contexts)
    except (FwError, KeyboardInterrupt, MemoryError):
        raise
    except Exception as error:
        lists = "'list' object has no attribute" in str(error)
        advice = "; a text may be a list of sentences, which as_string of metrics_framework joins" if lists else ""
        raise PluginError(
            f"the metric '{metric.name}' failed{failed_at(error)}: {message_of(error)}{advice}"
        ) from error
