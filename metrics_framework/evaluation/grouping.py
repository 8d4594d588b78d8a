"""Scores outputs in groups of equal context, so that work on the references is done once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from metrics_framework.common.errors import FwError, PluginError, failed_at, message_of
from metrics_framework.data.eval_instance import EvalInstance
from metrics_framework.data.fields import context_key
from metrics_framework.metrics.metric import Metric

Result = TypeVar("Result")


class Grouping:
    """Outputs that are to be scored, and their groups, which metrics that look at the same fields share.

    Args:
        outputs: The outputs.
    """

    def __init__(self, outputs: Sequence[EvalInstance]) -> None:
        self._fields = [instance.fields for instance in outputs]
        self._members: dict[tuple[str, ...], list[list[int]]] = {}
        self._columns: dict[tuple[str, tuple[str, ...]], list[Any]] = {}

    def score(self, metric: Metric, method: Callable[..., list[list[Result]]]) -> list[Result]:
        """Scores the outputs and returns the results in their order.

        Args:
            metric: The metric.
            method: The method of the metric that scores groups.

        Raises:
            PluginError: if the metric fails with an error that is not one of ours.
        """
        found = self.try_to_score(metric, method)
        if found is None:
            raise TypeError(f"{method.__qualname__} gave no results")
        return found

    def try_to_score(self, metric: Metric, method: Callable[..., list[list[Result]] | None]) -> list[Result] | None:
        """Does the same with a method that may give `None`."""
        if not self._fields:
            return []
        names = tuple(metric.required_context_fields)
        members = self._groups_of(names)
        if not metric.has_kernel:  # it may change the lists it is given
            self._columns.clear()
        summaries = [self._grouped(name, names) for name in metric.required_summary_fields]
        contexts = [self._shared(name, names) for name in names]
        groups = _scored(metric, method, [*summaries, *contexts])
        if not metric.has_kernel:
            self._columns.clear()
        if groups is None:
            return None
        results: list[Any] = [None] * len(self._fields)
        for group, scored in zip(members, groups, strict=True):
            for index, one in zip(group, scored, strict=True):
                results[index] = one
        return results

    def _groups_of(self, names: tuple[str, ...]) -> list[list[int]]:
        """Returns the outputs that are equal in some fields, group by group."""
        if names not in self._members:
            groups: dict[Any, list[int]] = {}
            for index, fields in enumerate(self._fields):
                key = tuple([context_key(fields[name]) for name in names])
                groups.setdefault(key, []).append(index)
            self._members[names] = list(groups.values())
        return self._members[names]

    def _grouped(self, name: str, names: tuple[str, ...]) -> list[Any]:
        """Returns a field of all outputs, group by group."""
        key = (f"{name} of each", names)
        if key not in self._columns:
            fields = self._fields
            self._columns[key] = [[fields[index][name] for index in group] for group in self._groups_of(names)]
        return self._columns[key]

    def _shared(self, name: str, names: tuple[str, ...]) -> list[Any]:
        """Returns a field that is the same for all outputs of a group, of each group."""
        key = (name, names)
        if key not in self._columns:
            self._columns[key] = [self._fields[group[0]][name] for group in self._groups_of(names)]
        return self._columns[key]


def _scored(
    metric: Metric, method: Callable[..., list[list[Result]] | None], arguments: Sequence[Any]
) -> list[list[Result]] | None:
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
