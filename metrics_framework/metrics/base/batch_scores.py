"""`BatchScores`: what scoring a batch of outputs returns, and groups of outputs that share a context."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import Any, TypeAlias, TypeVar

from metrics_framework.data.metrics_dict import MetricsDict

Statistics: TypeAlias = Sequence[float]
Members: TypeAlias = "list[list[int]] | None"
"""For each group the indices of its outputs; `None` where every output is a group of its own, in order."""
Result = TypeVar("Result")
MOST_GROUPS = 0.75
"""With more groups than this share of the outputs, grouping costs more than it saves."""


@dataclass(slots=True)
class BatchScores:
    """The results of a batch: each list has one entry for each output, in the order of the groups.

    Args:
        scores: The scores; empty where they come as JSON, or only statistics were requested.
        statistics: The additive statistics; `None` where the metric has none, or they were not requested.
        jackknifed: The means over the leave-one-out variants, `None` for an output without variants; `None` as a whole
            where they were not requested, or the metric has no jackknifer.
        sum: The sum of all statistics, where a kernel was asked for it.
        json: The scores and means as members of a JSON object, where they were requested and a kernel writes them.
    """

    scores: list[MetricsDict] = field(default_factory=list)
    statistics: list[Statistics] | None = None
    jackknifed: list[MetricsDict | None] | None = None
    sum: Statistics | None = None
    json: list[str] | None = None

    def in_order(self, members: Sequence[Sequence[int]]) -> BatchScores:
        """Returns the results in the order of the outputs, given the indices of the outputs of each group."""
        columns = ("scores", "statistics", "jackknifed", "json")
        return replace(
            self, **{name: in_order(getattr(self, name), members) for name in columns if getattr(self, name)}
        )


def by_context(summary_fields: int, lists: Sequence[Sequence[Any]]) -> tuple[list[Sequence[Any]], Members]:
    """Groups outputs whose context is the same object, so that work on it is done once: systems often share a list.

    Args:
        summary_fields: How many of the lists are fields of the outputs; the others are context.
        lists: One entry for each output in each list.

    Returns:
        The arguments of ``score_multi_all``, and the members of each group.

    >>> references = ["a", "b"]
    >>> by_context(1, [["x", "y", "z"], [references, ["c"], references]])
    ([[['x', 'z'], ['y']], [['a', 'b'], ['c']]], [[0, 2], [1]])
    """
    summaries, contexts = lists[:summary_fields], lists[summary_fields:]
    if not contexts or len(set(map(id, contexts[0]))) > MOST_GROUPS * len(contexts[0]):
        return [*([[value] for value in values] for values in summaries), *contexts], None
    groups: dict[Any, list[int]] = {}
    for index, context in enumerate(zip(*contexts, strict=True)):
        groups.setdefault(tuple(map(id, context)), []).append(index)
    members = list(groups.values())
    return [
        *(grouped(values, members) for values in summaries),
        *(firsts(values, members) for values in contexts),
    ], members


def grouped(values: Sequence[Result], members: Sequence[Sequence[int]]) -> list[list[Result]]:
    """Returns the values of each group."""
    return [[values[index] for index in group] for group in members]


def firsts(values: Sequence[Result], members: Sequence[Sequence[int]]) -> list[Result]:
    """Returns the value of the first member of each group."""
    return [values[group[0]] for group in members]


def in_order(values: Sequence[Result], members: Sequence[Sequence[int]]) -> list[Result]:
    """Sorts values that come group by group into the order of the outputs."""
    ordered: list[Any] = [None] * len(values)
    for index, value in zip(chain.from_iterable(members), values, strict=True):
        ordered[index] = value
    return ordered


def in_groups(values: Iterable[Result], groups: Sequence[Sequence[Any]]) -> list[list[Result]]:
    """Splits the values of all outputs into groups of the same sizes as others.

    >>> in_groups("abc", [["x", "y"], [], ["z"]])
    [['a', 'b'], [], ['c']]
    """
    remaining = iter(values)
    return [list(islice(remaining, len(group))) for group in groups]
