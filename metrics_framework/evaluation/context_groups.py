"""Scores outputs in groups with equal context, so that references shared by systems are processed once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from metrics_framework.common.definitions import failed_at
from metrics_framework.common.errors import (
    PLUGIN_FAILURES,
    FwError,
    OutputError,
    PluginError,
    message_of,
)
from metrics_framework.data.fields import context_key
from metrics_framework.evaluation.input.column_batch import ColumnBatch
from metrics_framework.kernels.dispatch import Request
from metrics_framework.metrics.base.batch_scores import BatchScores, Members, alone, firsts, grouped
from metrics_framework.metrics.base.definition import wrong_scoring_arguments
from metrics_framework.metrics.base.metric import Metric

MAX_GROUPS = 0.9
"""The largest number of groups, as a share of the outputs, at which grouping by equal context saves time."""


@dataclass
class ContextGroups:
    """Groups of outputs with equal context; metrics with the same context fields share them.

    Args:
        batch: The outputs, checked.
    """

    batch: ColumnBatch
    _keys: dict[str, Sequence[Any]] = field(default_factory=dict)  # of each field; empty if nearly all values differ
    _members: dict[tuple[str, ...], Members] = field(default_factory=dict)
    _arguments: dict[tuple[Any, ...], Sequence[Any]] = field(default_factory=dict)

    def score(self, metric: Metric, request: Request) -> BatchScores:
        """Scores the outputs with `Metric.score_batch`; the results are in the order of the outputs.

        Raises:
            PluginError: if the metric fails with an error that is not an `FwError`.
        """
        if not self.batch.ids:
            return BatchScores([])
        contexts = tuple(metric.required_context_fields)
        members = self._members_of(contexts)
        arguments = [self._argument(name, contexts, members, metric.has_kernel) for name in metric.fields]
        try:
            results = metric.score_batch(request, *arguments, checked=True)
            return results if members is None else results.in_order(members)
        except OutputError as error:
            raise self._located(error, members) from None
        except (FwError, KeyboardInterrupt, MemoryError):
            raise
        except PLUGIN_FAILURES as error:
            wrong = wrong_scoring_arguments(type(metric), metric.name, metric.fields)
            if wrong is not None and isinstance(error, TypeError):
                raise wrong from None
            got_list = "'list' object has no attribute" in str(error)
            advice = (
                "; a text may be a list of sentences, which as_string of metrics_framework joins" if got_list else ""
            )
            raise PluginError(
                f"the metric '{metric.name}' failed{failed_at(error, type(metric))}: {message_of(error)}{advice}"
            ) from error

    def _located(self, error: OutputError, members: Members) -> OutputError:
        """Returns the error with the file and line of the output."""
        index = error.index if members is None else list(chain.from_iterable(members))[error.index]
        return located_in(self.batch, error, index)

    def _members_of(self, contexts: tuple[str, ...]) -> Members:
        """Returns the outputs of each group; `None` if grouping would not save time."""
        if contexts not in self._members:
            columns: list[Sequence[Any]] = []
            for name in contexts:
                if name not in self._keys:
                    keys = _keys(self.batch.column(name))
                    self._keys[name] = keys if len(set(keys)) <= MAX_GROUPS * len(keys) else ()
                columns.append(self._keys[name])
                if not columns[-1]:  # nearly all values are different, so that no groups share several fields either
                    break
            keys = columns[0] if len(contexts) == 1 else list(zip(*columns, strict=True)) if all(columns) else ()
            groups: dict[Any, list[int]] = {}
            if len(contexts) == 1 or len(set(keys)) <= MAX_GROUPS * len(keys):
                for index, key in enumerate(keys):
                    groups.setdefault(key, []).append(index)
            self._members[contexts] = list(groups.values()) or None
        return self._members[contexts]

    def _argument(self, name: str, contexts: tuple[str, ...], members: Members, has_kernel: bool) -> Sequence[Any]:
        """Returns the values of a field, group by group.

        Kernels do not modify their arguments, so all of them get the same lists; other metrics get copies."""
        key = (name, None if members is None else contexts, name in contexts)
        if has_kernel and key in self._arguments:
            return self._arguments[key]
        values = self.batch.column(name)
        argument: Sequence[Any]
        if name in contexts:
            argument = list(values) if members is None else firsts(values, members)
        elif members is None:
            argument = alone(values, has_kernel)
        else:
            argument = grouped(values, members)
        if has_kernel:
            self._arguments[key] = argument
        return argument


def _keys(values: Sequence[Any]) -> Sequence[Any]:
    """Returns the `context_key` of each value; without a Python loop for strings and lists of strings."""
    types = set(map(type, values))
    if types == {str}:
        return values
    if types == {list}:
        if set(map(len, values)) == {1}:
            return _keys(list(chain.from_iterable(values)))
        keys = list(map(tuple, values))
        if set(map(type, chain.from_iterable(keys))) == {str}:
            return keys
    return list(map(context_key, values))


def located_in(batch: ColumnBatch, error: OutputError, index: int) -> OutputError:
    """Returns an error about an output of a batch, given its index, with its file and line."""
    row = batch.instances[index]
    located = OutputError(*error.args, index=index)
    located.place(row.path, row.line, f"instance '{row.instance_id}' of system '{row.summarizer_id}'")
    return located
