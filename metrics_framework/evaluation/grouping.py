"""Scores outputs in groups of equal context, so that work on the references is done once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from operator import itemgetter
from typing import Any, TypeAlias, TypeVar

from metrics_framework.common.errors import FwError, PluginError, failed_at, message_of
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.data.fields import context_key
from metrics_framework.metrics.base.metric import Metric

Result = TypeVar("Result")
Members: TypeAlias = "list[list[int]] | None"
"""The places of the outputs of each group; `None` where each output is a group of its own."""
MOST_ALONE = 0.9
"""Where there are more groups than this part of the outputs, putting them together costs more than it saves."""


class Grouping:
    """Outputs that are to be scored, and their groups, which metrics that look at the same fields share.

    Args:
        outputs: The outputs.
    """

    def __init__(self, outputs: Sequence[EvalInstance]) -> None:
        self._fields = [instance.fields for instance in outputs]
        self._members: dict[tuple[str, ...], Members] = {}
        self._columns: dict[tuple[str, tuple[str, ...] | None], list[Any]] = {}

    def score(self, metric: Metric, method: Callable[..., list[list[Result]]]) -> list[Result]:
        """Scores the outputs and returns the results in their order.

        Args:
            metric: The metric.
            method: The method of the metric that scores groups.

        Raises:
            PluginError: if the metric fails with an error that is not one of ours.
        """
        groups = self._called(metric, method)
        if groups is None:
            raise TypeError(f"{method.__qualname__} gave no results")
        return self._in_order(metric, chain.from_iterable(groups))

    def score_as_json(self, metric: Metric) -> list[str] | None:
        """Returns what the method of that name of a metric does, in the order of the outputs."""
        found = self._called(metric, metric.score_as_json)
        return None if found is None else self._in_order(metric, found)

    def _called(self, metric: Metric, method: Callable[..., list[Result] | None]) -> list[Result] | None:
        """Calls a method that scores groups."""
        if not self._fields:
            return []
        names = tuple(metric.required_context_fields)
        if not metric.has_kernel:  # it may change the lists it is given
            self._columns.clear()
        summaries = [self._grouped(name, names, metric.has_kernel) for name in metric.required_summary_fields]
        contexts = [self._shared(name, names) for name in names]
        found = _scored(metric, method, [*summaries, *contexts])
        if not metric.has_kernel:
            self._columns.clear()
        return found

    def _in_order(self, metric: Metric, results: Iterable[Result]) -> list[Result]:
        """Puts results that come group by group into the order of the outputs."""
        members = self._groups_of(tuple(metric.required_context_fields)) if self._fields else None
        if members is None:
            return results if isinstance(results, list) else list(results)
        ordered: list[Any] = [None] * len(self._fields)
        for index, one in zip(chain.from_iterable(members), results, strict=True):
            ordered[index] = one
        return ordered

    def _groups_of(self, names: tuple[str, ...]) -> Members:
        """Returns the outputs that are equal in some fields, group by group; `None` if no two are."""
        if names not in self._members:
            differ = len(names) > 1 and self._groups_of(names[:1]) is None  # as they do in one field
            self._members[names] = None if differ else self._grouped_by(names)
        return self._members[names]

    def _grouped_by(self, names: tuple[str, ...]) -> Members:
        columns = [_keys(self._values(name)) for name in names]
        keys = columns[0] if len(columns) == 1 else list(zip(*columns, strict=True))
        if not keys or len(set(keys)) > MOST_ALONE * len(keys):
            return None
        groups: dict[Any, list[int]] = {}
        for index, key in enumerate(keys):
            groups.setdefault(key, []).append(index)
        return list(groups.values())

    def _values(self, name: str) -> list[Any]:
        """Returns a field of all outputs."""
        if (name, None) not in self._columns:
            self._columns[name, None] = list(map(itemgetter(name), self._fields))
        return self._columns[name, None]

    def _grouped(self, name: str, names: tuple[str, ...], has_kernel: bool) -> list[Any]:
        """Returns a field of all outputs, group by group: for kernels in tuples where that is quicker, or in lists."""
        members = self._groups_of(names)
        key = f"{name} of each", None if members is None else names
        if key not in self._columns:
            values = self._values(name)
            if members is None:
                self._columns[key] = list(zip(values, strict=True)) if has_kernel else [[value] for value in values]
            else:
                self._columns[key] = [[values[index] for index in group] for group in members]
        return self._columns[key]

    def _shared(self, name: str, names: tuple[str, ...]) -> list[Any]:
        """Returns a field that is the same for all outputs of a group, of each group."""
        members = self._groups_of(names)
        if members is None:
            return self._values(name)
        if (name, names) not in self._columns:
            values = self._values(name)
            self._columns[name, names] = [values[group[0]] for group in members]
        return self._columns[name, names]


def _keys(values: Sequence[Any]) -> Sequence[Any]:
    """Returns `context_key` of all values of a field; for strings and lists of strings, which most are, in one go."""
    kinds = set(map(type, values))
    if kinds == {str}:
        return values
    if kinds == {list}:
        if set(map(len, values)) == {1}:
            return _keys(list(chain.from_iterable(values)))
        keys = list(map(tuple, values))
        if set(map(type, chain.from_iterable(keys))) == {str}:
            return keys
    return list(map(context_key, values))


def _scored(
    metric: Metric, method: Callable[..., list[Result] | None], arguments: Sequence[Any]
) -> list[Result] | None:
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
