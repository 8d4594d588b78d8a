"""Leave-one-out scores of any metric: the outputs against every variant of their context, and the means of that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from metrics_framework.common.errors import PluginError, failed_at, message_of
from metrics_framework.data.jackknifers import Jackknifer
from metrics_framework.data.metrics_dict import MetricsDict

if TYPE_CHECKING:
    from metrics_framework.metrics.base.metric import Metric

Jackknifed: TypeAlias = "tuple[MetricsDict, MetricsDict | None]"


def jackknifed(metric: Metric, jackknifer: Jackknifer, arguments: Sequence[Any]) -> list[list[Jackknifed]]:
    """Scores groups of outputs and, in the same call, their leave-one-out variants.

    Args:
        metric: The metric.
        jackknifer: Makes the variants.
        arguments: What the metric's ``score_multi_all`` takes.

    Returns:
        For each output of each group its scores and the mean over the variants, `None` where there are none.

    Raises:
        PluginError: if the jackknifer fails.
    """
    of_summaries = len(metric.required_summary_fields)
    contexts = [
        dict(zip(metric.required_context_fields, values, strict=True))
        for values in zip(*arguments[of_summaries:], strict=True)
    ]
    variants_list = [_variants(metric, jackknifer, context) for context in contexts]
    expanded: list[list[Any]] = [[] for _ in arguments]
    for place, (context, variants) in enumerate(zip(contexts, variants_list, strict=True)):
        for variant in (context, *variants):
            fields = {**context, **variant}
            for index, name in enumerate(metric.fields):
                expanded[index].append(arguments[index][place] if index < of_summaries else fields[name])
    scored = iter(metric.score_with_statistics(*expanded))
    results: list[list[Jackknifed]] = []
    for variants in variants_list:
        plain, *others = ([scores for scores, _ in next(scored)] for _ in range(1 + len(variants)))
        means = map(MetricsDict.mean, zip(*others, strict=True)) if others else [None] * len(plain)
        results.append(list(zip(plain, means, strict=True)))
    return results


def _variants(metric: Metric, jackknifer: Jackknifer, context: Mapping[str, Any]) -> list[dict[str, Any]]:
    try:
        return jackknifer.variants(context)
    except Exception as error:
        kind = type(jackknifer).__name__
        raise PluginError(f"{kind} cannot jackknife '{metric.name}'{failed_at(error)}: {message_of(error)}") from error
