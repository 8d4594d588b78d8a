"""`Accumulator`: corpus scores of outputs that arrive in batches, in one process or several."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from metrics_framework.api.settings import Metrics, metrics_of
from metrics_framework.common.errors import InputError
from metrics_framework.data.file_formats import FORMAT, FORMATS
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.texts import as_list, is_list, shown
from metrics_framework.integrations.metric_sums import MetricSums, State, check_version
from metrics_framework.metrics.base.checks import renamed
from metrics_framework.metrics.base.metric import Metric

Gather: TypeAlias = Callable[[State], Sequence[State]]
"""Returns the states of all processes, given that of this one."""
_SEVERAL = "metrics"
"""The key of the state of several metrics: label to the state of the metric."""


class Accumulator:
    """The corpus scores of outputs that arrive in batches, with the methods of a metric of torchmetrics.

    In an evaluation loop on several processes, each process updates its own accumulator, `sync` collects the sums of
    all, and `compute` returns the same scores in each. Sums are Python integers and exact sums of 64-bit floats, so
    that every digit is the same for any number of processes and any order of outputs.

    Scores are those of ``metric.evaluate`` on all outputs: equal to the last digit if the statistics of the metric are
    integers, as those of ``bleu`` and ``chrf``; others differ by rounding, since ``evaluate`` adds from left to right.

    Args:
        metric: The metric: a name, ``name:option=value,…``, a dictionary with ``type`` and options, or an object.
            Several are a list of these, or a dictionary from labels to these.

    Raises:
        UsageError: if a metric cannot be built, two have the same label, or scores depend on all inputs, as weights by
            frequency do.

    >>> import metrics_framework as fw
    >>> ter = fw.Accumulator("ter")
    >>> ter.update(["a cat"], [["a dog"]])
    >>> ter.update(["the dog sat down"], [["the dog sat"]])
    >>> ter.compute()
    {'ter': 40.0, 'ter_num_edits': 2, 'ter_ref_length': 5.0}
    """

    def __init__(self, metric: Metrics) -> None:
        self._sums = [MetricSums(labelled) for labelled in metrics_of(metric)]
        self.reset()

    @property
    def metric(self) -> Metric:
        """The metric.

        Raises:
            InputError: if there are several.
        """
        if len(self._sums) > 1:
            raise InputError(f"the accumulator has {len(self._sums)} metrics; 'metrics' is the list of them")
        return self._sums[0].metric

    @property
    def metrics(self) -> list[Metric]:
        """The metrics."""
        return [sums.metric for sums in self._sums]

    @property
    def count(self) -> int:
        """The number of outputs that this process added."""
        return self._sums[0].count

    def reset(self) -> None:
        """Removes all outputs."""
        for sums in self._sums:
            sums.reset()
        self._synced: list[State] | None = None

    def update(self, *fields: Any, **named: Any) -> None:
        """Adds outputs.

        If an argument is invalid, no metric adds any output.

        Args:
            fields: The arguments of ``metric.evaluate``: summaries, then references, sources or documents, as the
                metric needs them. For several metrics, those of the metric that needs the fields of all; without such a
                metric, only arguments by name.
            named: The same by name.

        Raises:
            InputError: if an argument is missing or superfluous, the lists differ in length, or an argument has a wrong
                shape.
        """
        arguments = self._arguments(fields, named)
        added = [sums.values_of(of_metric) for sums, of_metric in zip(self._sums, arguments, strict=True)]
        for sums, (count, values) in zip(self._sums, added, strict=True):
            sums.add(count, values)
        if added[0][0]:
            self._synced = None

    def sync(self, gather: Gather | None = None) -> None:
        """Collects the sums of all processes, for `compute`; all processes call it.

        Outputs added later are in `compute` after the next call.

        Args:
            gather: Returns the states of all processes, given that of this one, which can be pickled; by default,
                ``all_gather_object`` of ``torch.distributed``. It is called once, whatever the number of metrics.

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
            InputError: if there are none, or two metrics have a score of the same name.
        """
        states = [sums.state() for sums in self._sums] if self._synced is None else self._synced
        if not states[0]["count"]:
            raise InputError("there are no outputs to evaluate; call update() first, and sync() with several processes")
        scores = MetricsDict()
        for sums, state in zip(self._sums, states, strict=True):
            found = sums.scores_of(state)
            for name in found.keys() & scores.keys():
                raise InputError(f"two metrics have a score '{name}'; set a label, as in '{sums.metric.name}:label=x'")
            scores.update(found)
        return scores

    def state_dict(self) -> State:
        """Returns the sums of this process as plain Python values, which can be saved and pickled."""
        if len(self._sums) == 1:
            return self._sums[0].state()
        return {FORMAT: FORMATS["accumulator"], _SEVERAL: {sums.labelled.label: sums.state() for sums in self._sums}}

    def load_state_dict(self, state: State) -> None:
        """Replaces the sums of this process by saved ones.

        Raises:
            InputError: if they are of other metrics, options or definitions, of a later format, or of another Unicode
                version of Python.
        """
        merged = self._merged([state])
        self.reset()
        for sums, of_metric in zip(self._sums, merged, strict=True):
            sums.load(of_metric)

    def _merged(self, states: Sequence[State]) -> list[State]:
        """Returns the sum of states for each metric."""
        if len(self._sums) == 1:
            return [self._sums[0].merged(states)]
        labels = [sums.labelled.label for sums in self._sums]
        for state in states:
            check_version(state)
            found = state.get(_SEVERAL)
            if not isinstance(found, dict) or list(found) != labels:
                raise InputError(f"a state must be that of the metrics {', '.join(labels)}, got {shown(state)}")
        return [sums.merged([state[_SEVERAL][sums.labelled.label] for state in states]) for sums in self._sums]

    def _arguments(self, fields: Sequence[Any], named: dict[str, Any]) -> list[list[Any]]:
        """Returns the arguments of each metric.

        Raises:
            InputError: if there are too many, or they have no name and no metric needs the fields of all.
            TypeError: if an argument is unknown or repeated.
        """
        wanted = list(dict.fromkeys(name for metric in self.metrics for name in metric.fields))
        names: Sequence[str] = next((one.fields for one in self.metrics if {*one.fields} >= {*wanted}), ())
        if fields and not names:
            raise InputError(f"no metric needs all of {', '.join(wanted)}, so update() needs them by name")
        superfluous = fields[len(names) :]
        if superfluous and len(self._sums) > 1:
            raise InputError(f"update() takes {len(names)} arguments ({', '.join(names)}), got {len(fields)}")
        given = dict(zip(names, fields, strict=False))
        for name, value in renamed(named, wanted).items():
            if name not in wanted or name in given:
                raise TypeError(f"update() got an unexpected or repeated argument '{name}'")
            given[name] = value
        return [[*(given[name] for name in one.fields if name in given), *superfluous] for one in self.metrics]


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
