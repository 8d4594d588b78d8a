"""`Accumulator`: corpus scores of outputs that arrive in batches, in one process or several."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from metrics_framework.api.settings import MetricSpec, metric_of
from metrics_framework.common.errors import InputError, UsageError
from metrics_framework.data.lists import as_list, is_list
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.texts import shown
from metrics_framework.metrics.base.checks import as_scores
from metrics_framework.metrics.base.exact_totals import ExactSum, Path, leaves, nested
from metrics_framework.metrics.base.keywords import renamed
from metrics_framework.metrics.base.metric import SCORES, STATISTICS, CorpusMetric, Metric

State: TypeAlias = dict[str, Any]
"""The sums of an accumulator, as plain Python values."""
Gather: TypeAlias = Callable[[State], Sequence[State]]
"""Returns the states of all processes, given that of this one."""


class Accumulator:
    """The corpus scores of outputs that arrive in batches, with the methods of a metric of torchmetrics.

    In an evaluation loop on several processes, each process updates its own accumulator, `sync` collects the sums of
    all, and `compute` returns the same scores in each. Sums are Python integers and exact sums of 64-bit floats, so
    that every digit is the same for any number of processes and any order of outputs.

    Scores are those of ``metric.evaluate`` on all outputs: equal to the last digit if the statistics of the metric are
    integers, as those of ``bleu`` and ``chrf``; others differ by rounding, since ``evaluate`` adds from left to right.

    Args:
        metric: The metric: a name, ``name:option=value,…``, a dictionary with ``type`` and options, or an object.

    Raises:
        UsageError: if the metric cannot be built, or its scores depend on all inputs, as weights by frequency do.

    >>> import metrics_framework as fw
    >>> ter = fw.Accumulator("ter")
    >>> ter.update(["a cat"], [["a dog"]])
    >>> ter.update(["the dog sat down"], [["the dog sat"]])
    >>> ter.compute()
    {'ter': 40.0, 'ter_num_edits': 2, 'ter_ref_length': 5.0}
    """

    def __init__(self, metric: MetricSpec) -> None:
        self._labelled = metric_of(metric)
        if self.metric.needs_all_inputs:
            raise UsageError(
                f"scores of '{self._labelled.label}' depend on all inputs; call its evaluate() with all outputs"
            )
        self.reset()

    @property
    def metric(self) -> Metric:
        """The metric."""
        return self._labelled.metric

    def reset(self) -> None:
        """Removes all outputs."""
        self.count = 0
        """The number of outputs that this process added."""
        self._sums: dict[Path, ExactSum] = {}
        self._synced: State | None = None

    def update(self, *fields: Any, **named: Any) -> None:
        """Adds outputs.

        Args:
            fields: The arguments of ``metric.evaluate``: summaries, then references, sources or documents, as the
                metric needs them.
            named: The same by name.

        Raises:
            InputError: if an argument is missing or superfluous, the lists differ in length, or an argument has a wrong
                shape.
        """
        names = self.metric.fields
        given = renamed(named, names)
        fields += tuple(given.pop(name) for name in names[len(fields) :] if name in given)
        if given:
            raise TypeError(f"update() got an unexpected or repeated argument '{next(iter(given))}'")
        is_corpus_metric = isinstance(self.metric, CorpusMetric)
        batch = self.metric.score_each(STATISTICS if is_corpus_metric else SCORES, fields)
        rows: Sequence[Any] = (batch.statistics or []) if is_corpus_metric else batch.scores
        if not rows:
            return
        added = dict(leaves(rows))
        if self.count and added.keys() != self._sums.keys():
            raise InputError(f"'{self.metric.name}' must return the same scores for every output")
        for path, values in added.items():
            self._sums.setdefault(path, ExactSum()).add(values)
        self.count += len(rows)
        self._synced = None

    def sync(self, gather: Gather | None = None) -> None:
        """Collects the sums of all processes, for `compute`; all processes call it.

        Outputs added later are in `compute` after the next call.

        Args:
            gather: Returns the states of all processes, given that of this one, which can be pickled; by default,
                ``all_gather_object`` of ``torch.distributed``.

        Raises:
            InputError: if the processes have different metrics, options or Unicode versions of Python, the function
                returns no states, or there is neither ``torch.distributed`` nor a function.
        """
        states = (gather or _gather_with_torch)(self.state_dict())
        if not is_list(states):
            raise InputError(f"gather must return a list of the states of all processes, got {shown(states)}")
        self._synced = self._merged(as_list(states))

    def compute(self) -> MetricsDict:
        """Returns the scores of all outputs: those of all processes after `sync`, else those of this one.

        Raises:
            InputError: if there are none.
        """
        state = self.state_dict() if self._synced is None else self._synced
        if not state["count"]:
            raise InputError("there are no outputs to evaluate; call update() first, and sync() with several processes")
        sums = {path: ExactSum(*parts) for path, parts in state["sums"].items()}
        if isinstance(self.metric, CorpusMetric):
            statistics = [one.value for _, one in sorted(sums.items())]
            return self._labelled.renamed(as_scores(self.metric.name, self.metric.score_statistics(statistics)))
        means = {path: one.value / one.count if one.count else float("nan") for path, one in sums.items()}
        return self._labelled.renamed(nested(means))

    def state_dict(self) -> State:
        """Returns the sums of this process as plain Python values, which can be saved and pickled."""
        return {
            "metric": self.metric.signature(),
            "unicode": unicodedata.unidata_version,
            "count": self.count,
            "sums": {path: one.state() for path, one in self._sums.items()},
        }

    def load_state_dict(self, state: State) -> None:
        """Replaces the sums of this process by saved ones.

        Raises:
            InputError: if they are of another metric, of other options, or of another Unicode version of Python.
        """
        merged = self._merged([state])
        self.reset()
        self.count = merged["count"]
        self._sums = {path: ExactSum(*parts) for path, parts in merged["sums"].items()}

    def _merged(self, states: Sequence[State]) -> State:
        sums: dict[Path, ExactSum] = {}
        for state in states:
            if not isinstance(state, Mapping) or not state.keys() >= {"metric", "unicode", "count", "sums"}:
                raise InputError(f"a state must be what state_dict() returns, got {shown(state)}")
            if state["metric"] != self.metric.signature():
                raise InputError(f"the sums must be those of '{self.metric.signature()}', got '{state['metric']}'")
            if state["unicode"] != unicodedata.unidata_version:
                raise InputError(
                    f"the sums must be those of a Python with Unicode {unicodedata.unidata_version}, as this one, got "
                    f"Unicode {shown(state['unicode'])}, so lower case and words may differ; use one version of "
                    "Python in all processes"
                )
            if sums and state["count"] and state["sums"].keys() != sums.keys():
                raise InputError(f"'{self.metric.name}' must return the same scores in every process")
            for path, parts in state["sums"].items():
                sums.setdefault(path, ExactSum()).merge(ExactSum(*parts))
        count = sum(state["count"] for state in states)
        return {
            "metric": self.metric.signature(),
            "unicode": unicodedata.unidata_version,
            "count": count,
            "sums": {path: one.state() for path, one in sums.items()},
        }


def _gather_with_torch(state: State) -> Sequence[State]:
    try:
        import torch.distributed as processes
    except ImportError as error:
        raise InputError(f"sync() uses torch.distributed, which cannot be imported ({error}); pass gather=") from None
    if not (processes.is_available() and processes.is_initialized()):
        raise InputError("torch.distributed is not initialized; initialize it, or pass gather= to sync()")
    states: list[Any] = [None] * processes.get_world_size()
    processes.all_gather_object(states, state)
    return states
