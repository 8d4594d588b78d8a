"""Jackknifing for any metric: scores each output against all leave-one-out variants of its context."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from metrics_framework.common.definitions import failed_at
from metrics_framework.common.errors import PLUGIN_FAILURES, OutputError, PluginError, message_of
from metrics_framework.data.jackknifers import Jackknifer
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.metrics.base.batch_scores import BatchScores, in_groups
from metrics_framework.metrics.base.checks import FieldNames


def jackknifed(
    metric: str,
    jackknifer: Jackknifer,
    fields: FieldNames,
    score: Callable[..., Sequence[MetricsDict]],
    groups: Sequence[Sequence[Any]],
) -> BatchScores:
    """Scores groups of outputs and their leave-one-out variants in one call.

    Args:
        metric: The name of the metric, for error messages.
        jackknifer: Creates the variants of a context.
        fields: The names of the arguments.
        score: Scores groups of outputs; returns the scores of all outputs in one list.
        groups: The arguments of the metric's ``score_multi_all``.

    Returns:
        The scores of all outputs and, as jackknifed scores, the means over the variants.

    Raises:
        PluginError: if the jackknifer fails.
    """
    summaries, contexts = groups[: len(fields.summary)], groups[len(fields.summary) :]
    expanded: list[list[Any]] = [[] for _ in groups]
    variants_list = []
    for index, values in enumerate(zip(*contexts, strict=True)):
        context = dict(zip(fields.context, values, strict=True))
        variants_list.append(_variants(metric, jackknifer, context))
        for variant in (context, *variants_list[-1]):
            changed = {**context, **variant}
            row = (*(group[index] for group in summaries), *(changed[name] for name in fields.context))
            for column, value in zip(expanded, row, strict=True):
                column.append(value)
    try:
        scored = iter(in_groups(score(*expanded), expanded[0]))
    except OutputError as error:
        error.index = _original_index(error.index, [len(variants) for variants in variants_list], summaries[0])
        raise
    scores: list[MetricsDict] = []
    means: list[MetricsDict | None] = []
    for variants in variants_list:
        plain, *of_variants = (next(scored) for _ in range(1 + len(variants)))
        scores += plain
        means += map(MetricsDict.mean, zip(*of_variants, strict=True)) if of_variants else [None] * len(plain)
    return BatchScores(scores, jackknifed=means)


def _original_index(index: int, variants: Sequence[int], groups: Sequence[Sequence[Any]]) -> int:
    """Returns the index of an output without variants, given its index among outputs and variants.

    >>> [_original_index(index, [1, 0], ["ab", "c"]) for index in range(5)]
    [0, 1, 0, 1, 2]
    """
    start = 0
    for count, group in zip(variants, groups, strict=True):
        if index < len(group) * (1 + count):
            return start + index % len(group)
        index -= len(group) * (1 + count)
        start += len(group)
    return start


def _variants(metric: str, jackknifer: Jackknifer, context: Mapping[str, Any]) -> list[dict[str, Any]]:
    try:
        return jackknifer.variants(context)
    except PLUGIN_FAILURES as error:
        where = failed_at(error, type(jackknifer))
        class_name = type(jackknifer).__name__
        raise PluginError(f"{class_name} cannot jackknife '{metric}'{where}: {message_of(error)}") from error
