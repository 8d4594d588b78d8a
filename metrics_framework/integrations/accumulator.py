"""`Accumulator`: corpus scores of outputs that arrive in batches, in one process or several."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from metrics_framework.api.settings import Metrics, metrics_of
from metrics_framework.common.errors import CallError, DataError, InputError, UsageError
from metrics_framework.data.file_formats import FORMAT, FORMATS, check_format
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.signature import definition_of
from metrics_framework.data.texts import as_list, is_list, shown
from metrics_framework.inputs.texts import parallel, without_checks
from metrics_framework.metrics.base.batch_scores import as_scores
from metrics_framework.metrics.base.checks import renamed
from metrics_framework.metrics.base.metric import SCORES, STATISTICS, CorpusMetric, LabelledMetric, Metric
from metrics_framework.metrics.base.totals import ExactSum, Path, leaves, nested

State: TypeAlias = dict[str, Any]
"""The sums of an accumulator, as plain Python values."""
Gather: TypeAlias = Callable[[State], Sequence[State]]
"""Returns the states of all processes, given that of this one."""
_SEVERAL = "metrics"
"""The key of the state of several metrics: label to the state of the metric."""
_OF_TORCHMETRICS = {"preds": "summary", "target": "references"}
"""The arguments of a metric of torchmetrics."""


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
        self._sums = [_MetricSums(labelled) for labelled in metrics_of(metric)]
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
            named: The same by name; ``preds`` and ``target``, as in torchmetrics, are summaries and references.

        Raises:
            InputError: if an argument is missing or superfluous, the lists differ in length, or an argument has a wrong
                shape.
        """
        arguments = self._arguments(fields, named)
        with without_checks():
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
            _check_version(state)
            found = state.get(_SEVERAL)
            if not isinstance(found, dict) or list(found) != labels:
                raise InputError(f"a state must be that of the metrics {', '.join(labels)}, got {shown(state)}")
        return [sums.merged([state[_SEVERAL][sums.labelled.label] for state in states]) for sums in self._sums]

    def _arguments(self, fields: Sequence[Any], named: dict[str, Any]) -> list[list[Any]]:
        """Returns the arguments of each metric.

        Raises:
            InputError: if there are too many, or they have no name and no metric needs the fields of all.
            CallError: if an argument is unknown or repeated.
        """
        wanted = list(dict.fromkeys(name for metric in self.metrics for name in metric.fields))
        names: Sequence[str] = next((one.fields for one in self.metrics if {*one.fields} >= {*wanted}), ())
        if fields and not names:
            raise InputError(f"no metric needs all of {', '.join(wanted)}, so update() needs them by name")
        superfluous = fields[len(names) :]
        if superfluous and len(self._sums) > 1:
            raise InputError(f"update() takes {len(names)} arguments ({', '.join(names)}), got {len(fields)}")
        given: dict[str, Any] = dict(zip(names, fields, strict=False))
        others = {name: field for name, field in _OF_TORCHMETRICS.items() if field not in named}
        named = {others.get(name, name): value for name, value in named.items()}
        for name, value in renamed(named, wanted).items():
            if name not in wanted or name in given:
                raise CallError(f"update() got an unexpected or repeated argument '{name}'")
            given[name] = value
        metrics = [] if self.count else [sums.labelled for sums in self._sums]  # warn of texts of the first batch
        ordered = {name: given[name] for name in wanted if name in given}
        given = parallel(ordered, None, metrics, is_generated=True)  # iterators are read once
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


class _MetricSums:
    """The sums of one metric: of statistics, or of scores, over the outputs that this process added.

    Args:
        labelled: The metric.

    Raises:
        UsageError: if its scores depend on all inputs, as weights by frequency do.
    """

    def __init__(self, labelled: LabelledMetric) -> None:
        self.labelled = labelled
        if self.metric.needs_all_inputs:
            raise UsageError(f"scores of '{labelled.label}' depend on all inputs; call its evaluate() with all outputs")

    @property
    def metric(self) -> Metric:
        """The metric."""
        return self.labelled.metric

    def reset(self) -> None:
        """Removes all outputs."""
        self.count = 0
        self._sums: dict[Path, ExactSum] = {}

    def values_of(self, fields: Sequence[Any]) -> tuple[int, dict[Path, Sequence[Any]]]:
        """Returns the number of outputs, and the values that `add` adds to each sum.

        Raises:
            InputError: if the arguments have a wrong shape, or the metric returns other scores than before.
        """
        is_corpus_metric = isinstance(self.metric, CorpusMetric)
        batch = self.metric.score_each(STATISTICS if is_corpus_metric else SCORES, fields)
        rows: Sequence[Any] = (batch.statistics or []) if is_corpus_metric else batch.scores
        values: dict[Path, Sequence[Any]] = dict(leaves(rows)) if rows else {}
        if self.count and rows and values.keys() != self._sums.keys():
            raise InputError(f"'{self.metric.name}' must return the same scores for every output")
        return len(rows), values

    def add(self, count: int, values: Mapping[Path, Sequence[Any]]) -> None:
        """Adds what `values_of` returned."""
        for path, of_outputs in values.items():
            self._sums.setdefault(path, ExactSum()).add(of_outputs)
        self.count += count

    def state(self) -> State:
        """Returns the sums as plain Python values."""
        return self._as_state(self.count, self._sums)

    def load(self, state: State) -> None:
        """Replaces the sums by those of a state that `merged` returned."""
        self.count = state["count"]
        self._sums = {path: ExactSum(*parts) for path, parts in state["sums"].items()}

    def merged(self, states: Sequence[Any]) -> State:
        """Returns the sum of states.

        Raises:
            InputError: if one is no state, or is of another metric, definition, format or Unicode version of Python.
        """
        sums: dict[Path, ExactSum] = {}
        for state in states:
            self._check(state)
            if sums and state["count"] and state["sums"].keys() != sums.keys():
                raise InputError(f"'{self.metric.name}' must return the same scores in every process")
            for path, parts in state["sums"].items():
                sums.setdefault(path, ExactSum()).merge(ExactSum(*parts))
        return self._as_state(sum(state["count"] for state in states), sums)

    def scores_of(self, state: State) -> MetricsDict:
        """Returns the scores of all outputs of a state, with the names they have in this run."""
        sums = {path: ExactSum(*parts) for path, parts in state["sums"].items()}
        if isinstance(self.metric, CorpusMetric):
            statistics = [one.value for _, one in sorted(sums.items())]
            return self.labelled.renamed(as_scores(self.metric.name, self.metric.score_statistics(statistics)))
        means = {path: one.value / one.count if one.count else float("nan") for path, one in sums.items()}
        return self.labelled.renamed(nested(means))

    def _as_state(self, count: int, sums: Mapping[Path, ExactSum]) -> State:
        return {
            FORMAT: FORMATS["accumulator"],
            "metric": self.metric.signature(),
            "unicode": unicodedata.unidata_version,
            "count": count,
            "sums": {path: one.state() for path, one in sums.items()},
        }

    def _check(self, state: Any) -> None:
        _check_version(state)
        if not state.keys() >= {"metric", "unicode", "count", "sums"}:
            raise InputError(f"a state must be what state_dict() returns, got {shown(state)}")
        signature = self.metric.signature()
        if definition_of(str(state["metric"])) != definition_of(signature):
            raise InputError(f"the sums must be those of '{signature}', got '{state['metric']}'")
        if state["unicode"] != unicodedata.unidata_version:
            raise InputError(
                f"the sums must be those of a Python with Unicode {unicodedata.unidata_version}, as this one, got "
                f"Unicode {shown(state['unicode'])}, so lower case and words may differ; use one version of "
                "Python in all processes"
            )


def _check_version(state: Any) -> None:
    """Checks that a state is a dictionary of a format that this package reads.

    Raises:
        InputError: if it is not.
    """
    if not isinstance(state, Mapping):
        raise InputError(f"a state must be what state_dict() returns, got {shown(state)}")
    try:
        check_format(state, "accumulator")
    except DataError as error:
        raise InputError(f"the state {error}") from None
