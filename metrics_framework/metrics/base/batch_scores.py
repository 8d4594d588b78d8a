"""The results of a batch of outputs (`BatchScores`, `Vectors`), their checks, and the grouping by context."""

from __future__ import annotations

import functools
import math
import operator
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, chain, islice
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias, TypeVar

from metrics_framework.common.definitions import defined_at
from metrics_framework.common.errors import InputError
from metrics_framework.data.fields import context_key
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.texts import shown
from metrics_framework.kernels.dispatch import Request, count_objects, native_module
from metrics_framework.kernels.python.columns import vector_sums as python_vector_sums

Statistics: TypeAlias = Sequence[float]
Members: TypeAlias = "list[list[int]] | None"
"""For each group the indices of its outputs; `None` if each output is a separate group, in order."""
Grouped: TypeAlias = "tuple[list[Sequence[Any]], Members]"
"""The arguments of ``score_multi_all``, and the outputs of each group."""
Groups: TypeAlias = tuple[list[list[int]], bool]
"""The outputs of each group, and whether group after group they are in their order."""
Result = TypeVar("Result")
NEIGHBOURS = 64
"""The number of outputs in which equal neighbours are looked for before all are compared."""
MAX_GROUP_RATIO = 0.75
"""The largest number of groups, as a share of the outputs, at which grouping saves time."""
vector_sums: Callable[[bytearray, int, list[int] | None, list[float] | None], list[float]]
vector_sums = getattr(native_module, "vector_sums", python_vector_sums)
_LARGEST = float(1 << 53)
"""Up to here, floats are exact sums of integers."""
_SHOWN_SIZES = 5
"""The greatest number of groups whose sizes are all shown."""


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

    def for_total(self, of_statistics: bool) -> BatchScores:
        """Returns only what a total adds up, of statistics or of scores."""
        if self.vectors is not None:
            return BatchScores([], vectors=self.vectors)
        return BatchScores([], self.statistics) if of_statistics else BatchScores(self.scores)

    def in_order(self, members: Sequence[Sequence[int]]) -> BatchScores:
        """Returns the results in the order of the outputs, given the indices of the outputs of each group."""
        outputs = list(chain.from_iterable(members))
        rows = [0] * len(outputs)  # the position of each output among the results
        for row, output in enumerate(outputs):
            rows[output] = row
        columns = {name: getattr(self, name) for name in ("scores", "statistics", "jackknifed", "json")}
        return self._replace(
            vectors=None if self.vectors is None else replace(self.vectors, rows=rows),
            **{name: list(map(column.__getitem__, rows)) for name, column in columns.items() if column},
        )


@functools.cache
def column_names(request: int) -> tuple[str, ...]:
    """Returns the attributes of `BatchScores` for the columns that a kernel returns for a request."""
    named = {Request.SCORES: "scores", Request.STATISTICS: "statistics"}
    if not request & Request.JSON:  # with JSON the means are members too
        named[Request.JACKKNIFED] = "jackknifed"
    named |= {Request.SUM: "sum", Request.JSON: "json", Request.VECTORS: "vectors"}
    return tuple(name for flag, name in named.items() if request & flag)


@dataclass
class OutputsByContext:
    """The outputs of a batch of a run, grouped by equal context, so that metrics process a context once.

    Metrics with the same context fields share the groups.

    Args:
        column: Returns the values of a field, one for each output.
    """

    column: Callable[[str], Sequence[Any]]
    _keys: dict[str, Sequence[Any]] = field(default_factory=dict)  # of each field
    _groups: dict[tuple[str, ...], Groups] = field(default_factory=dict)  # of all fields of a context
    _for_kernels: dict[tuple[Any, ...], Sequence[Any]] = field(default_factory=dict)

    def arguments_of(self, summary: Sequence[str], context: Sequence[str], for_kernel: bool) -> Grouped:
        """Returns the arguments of ``score_multi_all``, and the outputs of each group; `None` if these are in order.

        Args:
            summary: The fields of an output.
            context: The fields that the outputs of a group share.
            for_kernel: Whether a kernel reads the arguments. Kernels modify none, so all get the same lists, and groups
                of one output are `GroupsOfOne`; other metrics get copies.

        >>> lists = {"summary": ["x", "y", "z", "u"], "references": [["a", "b"], ["c"], ["a", "b"], ["a", "b"]]}
        >>> OutputsByContext(lists.__getitem__).arguments_of(["summary"], ["references"], for_kernel=False)
        ([[['x', 'z', 'u'], ['y']], [['a', 'b'], ['c']]], [[0, 2, 3], [1]])
        """
        contexts = tuple(context)
        if contexts not in self._groups:
            for name in contexts:
                if name not in self._keys:
                    self._keys[name] = equal_keys(self.column(name))
                if not self._keys[name]:  # nor do outputs share several fields then
                    break
            self._groups[contexts] = groups_of(contexts, self._keys.__getitem__)
        groups, is_in_order = self._groups[contexts]
        arguments = []
        for name in (*summary, *contexts):
            key = (name, name in contexts, contexts if groups else ())
            argument = self._for_kernels.get(key) if for_kernel else None
            if argument is None:
                argument = argument_of(self.column(name), self._groups[contexts], name in contexts, for_kernel)
            if for_kernel:
                self._for_kernels[key] = argument
            arguments.append(argument)
        return arguments, None if is_in_order else groups


def groups_of(contexts: Sequence[Result], keys_of: Callable[[Result], Sequence[Any]]) -> Groups:
    """Groups outputs, unless that would take more time than it saves.

    Args:
        contexts: The context fields: their names or values.
        keys_of: Returns a key for each value of a field, an empty list if they are too many: `equal_keys`,
            `neighbour_keys` or `identity_keys`. Outputs share a context if all its fields have equal keys.

    Returns:
        The outputs of each group, an empty list for none; and whether group after group they are in their order.
    """
    columns = []
    for context in contexts:
        columns.append(keys_of(context))
        if not columns[-1]:
            return [], True
    groups: dict[Any, list[int]] = {}
    for index, key in enumerate(columns[0] if len(columns) == 1 else zip(*columns, strict=True)):
        groups.setdefault(key, []).append(index)
    if not columns or len(groups) > MAX_GROUP_RATIO * len(columns[0]):
        return [], True
    members = list(groups.values())
    return members, all(group[-1] - group[0] == len(group) - 1 for group in members)


def argument_of(values: Sequence[Any], grouping: Groups, is_context: bool, for_kernel: bool) -> Sequence[Any]:
    """Returns the values of a field as ``score_multi_all`` takes them; without groups, each output is one."""
    groups, is_in_order = grouping
    if not groups:
        if is_context:
            return values if for_kernel else list(values)
        return GroupsOfOne(values) if for_kernel else [[value] for value in values]
    if is_context:
        return [values[group[0]] for group in groups]
    if is_in_order:
        return [values[group[0] : group[-1] + 1] for group in groups]
    return [[values[index] for index in group] for group in groups]


def equal_keys(values: Sequence[Any]) -> Sequence[Any]:
    """Returns keys that are equal for equal values; an empty list if so few are equal that grouping takes more time."""
    most = MAX_GROUP_RATIO * len(values)
    types = set(map(type, values))
    keys = values if types == {str} else ()
    if types == {list} and all(values):
        firsts = list(map(itemgetter(0), values))
        if set(map(type, firsts)) == {str} and len(set(firsts)) > most:  # faster than hashing all strings
            return ()
        keys = list(map(tuple, values))
        if set(map(type, chain.from_iterable(keys))) != {str}:
            keys = ()
    keys = keys or list(map(context_key, values))
    return keys if len(set(keys)) <= most else ()


def neighbour_keys(values: Sequence[Any]) -> Sequence[Any]:
    """Returns keys that are equal for equal neighbours, as of completions of one prompt, else `identity_keys`.

    Hashing all values would take longer than some kernels. Neighbours are compared only if some of the first are equal.
    """
    if any(map(operator.eq, values[:NEIGHBOURS], values[1:NEIGHBOURS])):
        keys = list(accumulate(map(operator.ne, values, islice(values, 1, None)), initial=0))
        if keys[-1] < MAX_GROUP_RATIO * len(values):
            return keys
    return identity_keys(values)


def identity_keys(values: Sequence[Any]) -> Sequence[Any]:
    """Returns keys that are equal for the same object; an empty list if they are too many."""
    return list(map(id, values)) if count_objects(values) <= MAX_GROUP_RATIO * len(values) else ()


@dataclass(eq=False)
class GroupsOfOne(Sequence[tuple[Any]]):
    """Values as groups that have one member each, without an object for each; kernels read the values themselves.

    Args:
        only_members: The values.

    >>> list(GroupsOfOne(["a", "b"]))
    [('a',), ('b',)]
    """

    only_members: Sequence[Any]

    def __len__(self) -> int:
        return len(self.only_members)

    def __iter__(self) -> Iterator[tuple[Any]]:
        return zip(self.only_members, strict=True)

    def __getitem__(self, index: Any) -> Any:
        selected = self.only_members[index]
        return GroupsOfOne(selected) if isinstance(index, slice) else (selected,)


def outputs_in(groups: Sequence[Sequence[Any]], count: int) -> list[list[tuple[Any, ...]]]:
    """Returns for each group its outputs, each as the values of all fields.

    Args:
        groups: The arguments of ``score_multi_all``.
        count: The number of fields of outputs; the other fields are the context of a group.

    >>> outputs_in([[["a", "b"], ["c"]], ["source", "other"]], 1)
    [[('a', 'source'), ('b', 'source')], [('c', 'other')]]
    """
    contexts = list(zip(*groups[count:], strict=True)) or [()] * len(groups[0])
    return [
        [(*output, *context) for output in zip(*group, strict=True)]
        for group, context in zip(zip(*groups[:count], strict=True), contexts, strict=True)
    ]


def in_groups(values: Iterable[Result], groups: Sequence[Sequence[Any]]) -> list[list[Result]]:
    """Splits values, one per output, into groups of the same sizes as the given groups.

    >>> in_groups("abc", [["x", "y"], [], ["z"]])
    [['a', 'b'], [], ['c']]
    """
    remaining = iter(values)
    return [list(islice(remaining, len(group))) for group in groups]


@dataclass
class Vectors:
    """The statistics of the outputs of a batch, or their scores if the score of a system is their mean.

    Args:
        data: The numbers as bytes of doubles, row after row.
        width: The number of statistics or scores of an output.
        whole: How many of them, from the first on, are integers.
        paths: For each score the keys and indices that lead to it; `None` for statistics.
        rows: The row of each output; `None` for the order of the rows.
    """

    data: bytearray
    width: int
    whole: int
    paths: list[tuple[Any, ...]] | None = None
    rows: list[int] | None = None

    def row(self, output: int) -> list[float]:
        """Returns the statistics of an output."""
        row = output if self.rows is None else self.rows[output]
        numbers = memoryview(self.data)[8 * self.width * row : 8 * self.width * (row + 1)].cast("d").tolist()
        return [*map(int, numbers[: self.whole]), *numbers[self.whole :]]

    def column(self, number: int) -> Iterator[float]:
        """Yields one statistic of all outputs, as floats."""
        column = memoryview(self.data).cast("d")[number :: self.width].tolist()
        return iter(column) if self.rows is None else map(column.__getitem__, self.rows)

    def added_to(self, sums: Sequence[float] | None, outputs: Sequence[int] | None = None) -> list[float]:
        """Adds the statistics of outputs to sums, from left to right (decision 0013).

        Args:
            sums: The sum of each statistic; `None` for none.
            outputs: The outputs; `None` for all.
        """
        if not (self.data if outputs is None else outputs):
            return list(sums or ())
        rows = self.rows if outputs is None else list(outputs)
        if outputs is not None and self.rows is not None:
            rows = [self.rows[output] for output in outputs]
        start = None if sums is None else [0.0] * self.whole + list(sums[self.whole :])
        added = vector_sums(self.data, self.width, rows, start)
        whole = list(map(int, added[: self.whole]))
        if any(abs(number) > _LARGEST for number in added[: self.whole]):
            whole = self._exact_sums(rows)
        if sums is not None:
            whole = [int(before) + number for before, number in zip(sums, whole, strict=False)]
        return [*whole, *added[self.whole :]]

    def _exact_sums(self, rows: Sequence[int] | None) -> list[int]:
        """Returns the sums of the integers, of any size."""
        chosen = range(len(self.data) // (8 * self.width)) if rows is None else rows
        numbers = memoryview(self.data).cast("d")
        return [sum(int(numbers[row * self.width + column]) for row in chosen) for column in range(self.whole)]


def check_results(
    metric: str,
    method: Callable[..., Any],
    results: Any,
    summaries_list: Sequence[Any],
    convert: Callable[[str, Any], Any],
) -> list[Any]:
    """Checks that a metric returned one result for each summary of each group.

    Args:
        metric: The name of the metric, for error messages.
        method: The method that returned the results; errors name its file and line.
        results: The results, one list per group.
        summaries_list: The groups of summaries.
        convert: Checks and converts one result: `as_scores` or `as_vector`.

    Returns:
        The results of all groups in one list.

    Raises:
        InputError: if the number of results is wrong, or they are not lists, or a result is invalid.
    """
    try:
        results = _in_one_list(metric, method.__name__, results, summaries_list)
        return [convert(metric, result) for result in results]
    except InputError as error:
        raise InputError(f"{error} ({defined_at(method)})") from None


def _in_one_list(metric: str, method: str, results: Any, summaries_list: Sequence[Any]) -> Iterator[Any]:
    expected = f"{method} of '{metric}' must return a list with one list of results for each group of summaries"
    if not hasattr(results, "__iter__") or isinstance(results, (str, Mapping)):
        raise InputError(f"{expected}, got {shown(results)}")
    groups = list(results)
    for group in groups:
        if not isinstance(group, list) and (not hasattr(group, "__iter__") or isinstance(group, (str, Mapping))):
            raise InputError(f"{expected}, got a list that contains {shown(group)}")
    groups = [group if isinstance(group, (list, tuple)) else list(group) for group in groups]
    sizes, expected_sizes = list(map(len, groups)), list(map(len, summaries_list))
    if sizes != expected_sizes:
        difference = _difference(sizes, expected_sizes)
        raise InputError(f"{method} of '{metric}' must return one result for each summary: {difference}")
    return chain.from_iterable(groups)


def _difference(sizes: list[int], expected: list[int]) -> str:
    """Returns how the sizes of groups differ: all of them if they are few, else their number or the first difference.

    >>> _difference([1, 1], [1, 2]), _difference([1] * 8, [1] * 9), _difference([1] * 9, [1] * 8 + [2])
    ('groups of [1, 2], got [1, 1]', '9 groups, got 8', '2 in entry 8 of the list, got 1')
    """
    if max(len(sizes), len(expected)) <= _SHOWN_SIZES:
        return f"groups of {expected}, got {sizes}"
    if len(sizes) != len(expected):
        return f"{len(expected)} groups, got {len(sizes)}"
    index = next(index for index, (size, other) in enumerate(zip(sizes, expected, strict=True)) if size != other)
    return f"{expected[index]} in entry {index} of the list, got {sizes[index]}"


def as_scores(metric: str, result: Any) -> MetricsDict:
    """Returns scores as a `MetricsDict` of Python numbers, converting NumPy numbers and arrays.

    Infinite scores become NaN: their mean is meaningless, and JSON cannot represent them. Booleans become 0 or 1.
    """
    if not (result and isinstance(result, Mapping)):
        raise InputError(f"'{metric}' must return dictionaries of scores, got {shown(result)}")
    scores = result if isinstance(result, MetricsDict) else MetricsDict(result)
    for name, value in scores.items():
        if not isinstance(name, str):
            raise InputError(f"'{metric}' must name its scores by strings, got {shown(name)}")
        value_type = type(value)
        if value_type is float:
            if value - value != 0.0:  # faster than math.isfinite
                scores[name] = math.nan
        elif value_type is not int or not -_LARGEST <= value <= _LARGEST:
            scores[name] = _score(metric, name, value)
    return scores


def _score(metric: str, name: str, value: Any) -> Any:
    if type(value) is float:  # nearly always: the other tests take longer
        return value if math.isfinite(value) else math.nan
    if isinstance(value, Mapping):
        return as_scores(metric, value)
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [_score(metric, name, number) for number in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else math.nan
    if isinstance(value, bool):
        return int(value)
    if value is None or (isinstance(value, int) and abs(value) <= sys.float_info.max):
        return value
    raise InputError(f"'{metric}' must return numbers, got {shown(value)} for '{name}'")


def as_vector(metric: str, result: Any) -> Any:
    """Returns the statistics of an output as a list or tuple of Python numbers."""
    vector = result.tolist() if hasattr(result, "tolist") else result
    if not isinstance(vector, (list, tuple)):
        raise InputError(f"'{metric}' must return a vector of statistics for each summary, got {shown(result)}")
    if all(type(number) is int or type(number) is float for number in vector):
        return vector
    return [number.item() if hasattr(number, "item") else number for number in vector]
