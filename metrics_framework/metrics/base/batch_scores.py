"""The results of a batch of outputs (`BatchScores`), and the grouping of outputs that share a context."""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, compress, islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar, overload

from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.kernels.dispatch import Request, count_objects

if TYPE_CHECKING:
    from metrics_framework.metrics.base.vectors import Vectors

Statistics: TypeAlias = Sequence[float]
Members: TypeAlias = "list[list[int]] | None"
"""For each group the indices of its outputs; `None` if each output is a separate group, in order."""
Grouped: TypeAlias = "tuple[list[Sequence[Any]], Members]"
"""The arguments of ``score_multi_all``, and the outputs of each group."""
Result = TypeVar("Result")
NEIGHBOURS = 64
"""The number of outputs in which equal neighbours are looked for before all are compared."""
MAX_GROUP_RATIO = 0.75
"""The largest number of groups, as a share of the outputs, at which grouping saves time."""


class BatchScores(NamedTuple):
    """The results of a batch; each list has one entry per output, group after group.

    Args:
        scores: The scores; empty if they are returned as ``json``, or if only statistics were requested.
        statistics: The additive statistics; `None` if the metric has none or they were not requested.
        jackknifed: The mean scores of the leave-one-out variants, `None` for an output without variants. The list is
            `None` if jackknifing was not requested or the metric has no jackknifer.
        sum: The sum of all statistics, if a kernel computed it.
        json: The scores and jackknifed scores as members of a JSON object, if a kernel wrote them.
        vectors: The statistics, or scores of which the score of a system is the mean, as a table, if that was requested
            and a kernel computed them.
    """

    scores: list[MetricsDict]
    statistics: list[Statistics] | None = None
    jackknifed: list[MetricsDict | None] | None = None
    sum: Statistics | None = None
    json: list[str] | None = None
    vectors: Vectors | None = None

    def statistics_of_outputs(self) -> list[Statistics] | None:
        """Returns the statistics as lists, also if they are a table."""
        if self.vectors is None:
            return self.statistics
        return list(map(self.vectors.row, range(len(self.vectors.data) // (8 * self.vectors.width))))

    def in_order(self, members: Members) -> BatchScores:
        """Returns the results in the order of the outputs, given the indices of the outputs of each group."""
        if members is None:
            return self
        columns = ("scores", "statistics", "jackknifed", "json")
        return self._replace(
            vectors=None if self.vectors is None else self.vectors.in_order(members),
            **{name: in_order(getattr(self, name), members) for name in columns if getattr(self, name)},
        )


@functools.cache
def column_names(request: int) -> tuple[str, ...]:
    """Returns the attributes of `BatchScores` for the columns that a kernel returns for a request."""
    named = {Request.SCORES: "scores", Request.STATISTICS: "statistics"}
    if not request & Request.JSON:  # with JSON the means are members too
        named[Request.JACKKNIFED] = "jackknifed"
    named |= {Request.SUM: "sum", Request.JSON: "json", Request.VECTORS: "vectors"}
    return tuple(name for flag, name in named.items() if request & flag)


def by_context(
    summary_fields: int, lists: Sequence[Sequence[Any]], are_texts: bool = True, for_kernel: bool = False
) -> Grouped:
    """Groups outputs that share a context, so that each context is processed once.

    Neighbours share a context if it is equal, as those of a model that is trained on several outputs for one input, and
    any outputs if it is the same object, as those of several systems that share one list of references. Neighbours are
    compared only if some of the first are equal.

    Args:
        summary_fields: The number of lists with fields of the outputs; the remaining lists contain context.
        lists: Lists with one entry per output.
        are_texts: Whether the context consists of texts and lists of texts, which can be compared.
        for_kernel: Whether groups of one output may be `GroupsOfOne`, which takes no time for each.

    Returns:
        The arguments of ``score_multi_all``, and the outputs of each group; `None` if these are in order.

    >>> references = ["a", "b"]
    >>> by_context(1, [["x", "y", "z"], [references, ["c"], references]])
    ([[['x', 'z'], ['y']], [['a', 'b'], ['c']]], [[0, 2], [1]])
    >>> by_context(1, [["x", "y", "z"], [["a"], ["a"], ["c"]]])
    ([[['x', 'y'], ['z']], [['a'], ['c']]], None)
    """
    summaries, contexts = lists[:summary_fields], lists[summary_fields:]
    if not contexts or len(contexts[0]) < 2:
        return [*(alone(values, for_kernel) for values in summaries), *contexts], None
    most = MAX_GROUP_RATIO * len(contexts[0])
    starts = _starts(contexts) if are_texts and _has_equal_neighbours(contexts[0]) else []
    if starts and len(starts) <= most:
        ranges = list(zip(starts, [*starts[1:], None], strict=True))
        return [
            *([values[start:end] for start, end in ranges] for values in summaries),
            *([values[start] for start in starts] for values in contexts),
        ], None
    if count_objects(contexts[0]) > most:
        return [*(alone(values, for_kernel) for values in summaries), *contexts], None
    groups: dict[Any, list[int]] = {}
    for index, context in enumerate(zip(*(map(id, values) for values in contexts), strict=True)):
        groups.setdefault(context, []).append(index)
    members = list(groups.values())
    return [
        *(grouped(values, members) for values in summaries),
        *(firsts(values, members) for values in contexts),
    ], members


def _has_equal_neighbours(values: Sequence[Any]) -> bool:
    """Returns whether two neighbours among the first values are equal; comparing all takes time in calls without."""
    return any(map(operator.eq, values[:NEIGHBOURS], values[1:NEIGHBOURS]))


def _starts(contexts: Sequence[Sequence[Any]]) -> list[int]:
    """Returns the index of each output whose context differs from the previous one; only that of the first is 0."""
    differs = [map(operator.ne, values, islice(values, 1, None)) for values in contexts]
    first = differs[0] if len(differs) == 1 else map(any, zip(*differs, strict=True))
    return [0, *compress(range(1, len(contexts[0])), first)]


class GroupsOfOne(Sequence[tuple[Any]]):
    """Values as groups that have one member each, without an object for each; kernels read the values themselves.

    Args:
        only_members: The values.

    >>> list(GroupsOfOne(["a", "b"]))
    [('a',), ('b',)]
    """

    def __init__(self, only_members: Sequence[Any]) -> None:
        self.only_members = only_members

    def __len__(self) -> int:
        return len(self.only_members)

    def __iter__(self) -> Iterator[tuple[Any]]:
        return zip(self.only_members, strict=True)

    @overload
    def __getitem__(self, index: int) -> tuple[Any]: ...

    @overload
    def __getitem__(self, index: slice) -> GroupsOfOne: ...

    def __getitem__(self, index: int | slice) -> tuple[Any] | GroupsOfOne:
        selected = self.only_members[index]
        return GroupsOfOne(selected) if isinstance(index, slice) else (selected,)


def alone(values: Sequence[Any], for_kernel: bool) -> Sequence[Sequence[Any]]:
    """Returns each value as a separate group: a list, or for kernels, which change no argument, `GroupsOfOne`."""
    return GroupsOfOne(values) if for_kernel else [[value] for value in values]


def grouped(values: Sequence[Result], members: Sequence[Sequence[int]]) -> list[list[Result]]:
    """Returns the values of each group."""
    return [[values[index] for index in group] for group in members]


def firsts(values: Sequence[Result], members: Sequence[Sequence[int]]) -> list[Result]:
    """Returns the value of the first member of each group."""
    return [values[group[0]] for group in members]


def in_order(values: Sequence[Result], members: Sequence[Sequence[int]]) -> list[Result]:
    """Returns values, listed group after group, in the order of the outputs."""
    ordered: list[Any] = [None] * len(values)
    for index, value in zip(chain.from_iterable(members), values, strict=True):
        ordered[index] = value
    return ordered


def in_groups(values: Iterable[Result], groups: Sequence[Sequence[Any]]) -> list[list[Result]]:
    """Splits values, one per output, into groups of the same sizes as the given groups.

    >>> in_groups("abc", [["x", "y"], [], ["z"]])
    [['a', 'b'], [], ['c']]
    """
    remaining = iter(values)
    return [list(islice(remaining, len(group))) for group in groups]
