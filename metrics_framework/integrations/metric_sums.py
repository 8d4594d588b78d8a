"""`MetricSums`: what an accumulator keeps of one metric."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from metrics_framework.common.errors import DataError, InputError, UsageError
from metrics_framework.data.file_formats import FORMAT, FORMATS, check_format
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.signature import definition_of
from metrics_framework.data.texts import shown
from metrics_framework.metrics.base.batch_scores import as_scores
from metrics_framework.metrics.base.exact_totals import ExactSum, Path, leaves, nested
from metrics_framework.metrics.base.metric import SCORES, STATISTICS, CorpusMetric, LabelledMetric, Metric

State: TypeAlias = dict[str, Any]
"""The sums of an accumulator, as plain Python values."""
_KEYS = {"metric", "unicode", "count", "sums"}


class MetricSums:
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
        self.reset()

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
        check_version(state)
        if not state.keys() >= _KEYS:
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


def check_version(state: Any) -> None:
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
