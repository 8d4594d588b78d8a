"""The scores of two metrics as matrices, systems by inputs, and the outputs left out."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from metrics_framework.common.errors import DataError, InputError, UnknownNameError
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.metrics_row import MetricsRow
from metrics_framework.meta_evaluation.coefficients.system_means import system_means
from metrics_framework.meta_evaluation.scores.components import Components
from metrics_framework.meta_evaluation.settings import SUMMARIZER_FILTERS
from metrics_framework.significance.arrays import Floats

CAUSES = ("summarizer_type", "metric1_missing", "metric2_missing", "both_missing")


@dataclass(frozen=True)
class ScoreMatrix:
    """The outputs that have both scores.

    Args:
        x: The first metric, shape (systems, inputs); NaN if there is no output with both scores.
        z: The second, of the same shape, NaN in the same cells.
        systems: The ids of the rows, sorted as strings.
        inputs: The ids of the columns, sorted as strings.
        dropped: Cause to the number of outputs left out.
        jackknifed_names: Metric to the ``_jk`` score that outputs without the metric have instead.
        examples: Cause to the instance and summarizer of one output left out, the first by id.
        missing_judgements: The number of judgements missing from lists of judgements; means are over those present.
    """

    x: Floats
    z: Floats
    systems: Sequence[str]
    inputs: Sequence[str]
    dropped: Mapping[str, int]
    jackknifed_names: Mapping[str, str]
    examples: Mapping[str, tuple[str, str]]
    missing_judgements: int

    @property
    def num_cells(self) -> int:
        """The number of outputs that have both scores."""
        return int((~np.isnan(self.x)).sum())

    def has_outputs_of(self, other: ScoreMatrix) -> bool:
        """Returns whether two matrices have scores of the same outputs."""
        same_ids = (self.systems, self.inputs) == (other.systems, other.inputs)
        return same_ids and bool((np.isnan(self.x) == np.isnan(other.x)).all())

    def system_means(self) -> tuple[Floats, Floats]:
        """Averages both scores of each system over its inputs; shapes (systems,)."""
        return system_means(self.x), system_means(self.z)


def score_matrix(
    rows: Iterable[MetricsRow],
    metric1: str,
    metric2: str,
    summarizer_type: str = "peer",
    hints: Mapping[str, str] | None = None,
    signatures: Iterable[str] = (),
) -> ScoreMatrix:
    """Selects two metrics from rows of scores.

    Args:
        rows: The scores, one row per output; they are not changed.
        metric1: Flat name of the first metric.
        metric2: Flat name of the second.
        summarizer_type: Which outputs to include: ``all``, ``reference`` or ``peer``.
        hints: Name to why it is not a metric, for the error message.
        signatures: The labels of the metrics that have signatures.

    Raises:
        UnknownNameError: if a metric appears in no row.
        UsageError: if a metric is a list of different numbers, such as ``bleu_precisions``.
        InputError: if the type is unknown, or an output appears twice.
        DataError: if no output has both scores.
    """
    if summarizer_type not in SUMMARIZER_FILTERS:
        raise InputError(f"'summarizer_type' must be one of {', '.join(SUMMARIZER_FILTERS)}, got '{summarizer_type}'")
    selection = _Selection(metric1, metric2, summarizer_type, Components(signatures))
    for row in rows:
        selection.add(row)
    for name in (metric1, metric2):
        if name not in selection.known:
            raise UnknownNameError("metric", name, selection.known, (hints or {}).get(name, ""))
    return selection.matrix()


class _Selection:
    """The cells of two metrics, and counts of the outputs left out.

    Args:
        metric1: Flat name of the first metric.
        metric2: Flat name of the second.
        summarizer_type: Which outputs to include.
        components: Finds the numbers of lists.
    """

    def __init__(self, metric1: str, metric2: str, summarizer_type: str, components: Components) -> None:
        self.names = (metric1, metric2)
        self.components = components
        self.summarizer_type = summarizer_type
        self.known: set[str] = set()
        self.seen: set[str] = set()  # these, with lists under their own names
        self.outputs: set[tuple[str, str]] = set()
        self.cells: dict[tuple[str, str], tuple[float, float]] = {}
        self.dropped = Counter(dict.fromkeys(CAUSES, 0))
        self.jackknifed_names: dict[str, str] = {}
        self.examples: dict[str, tuple[str, str]] = {}
        self.missing_judgements = 0

    def add(self, row: MetricsRow) -> None:
        nested = any(isinstance(value, MetricsDict) for value in row.metrics.values())
        scores = row.metrics.flatten() if nested else row.metrics
        for name in scores.keys() - self.seen:
            self.known.update(self.components.names(name, scores[name]) or [name])
        self.seen.update(scores)
        output = (row.summarizer_id, row.instance_id)
        if output in self.outputs:
            raise InputError(f"instance '{row.instance_id}' of summarizer '{row.summarizer_id}' appears twice")
        self.outputs.add(output)
        if self.summarizer_type not in ("all", row.summarizer_type):
            self.dropped["summarizer_type"] += 1
            return
        values = [self.components.value(scores, name) for name in self.names]
        x, z = map(_number, values)
        if math.isnan(x) or math.isnan(z):
            self._drop(row, scores, x, z)
        else:
            self.cells[output] = (x, z)
            self.missing_judgements += sum(map(_missing_in, values))

    def _drop(self, row: MetricsRow, scores: Mapping[str, Any], x: float, z: float) -> None:
        missing = [name for name, value in zip(self.names, (x, z), strict=True) if math.isnan(value)]
        for name in missing:
            if name not in self.jackknifed_names:
                jackknifed = [
                    other
                    for other, value in scores.items()
                    if "_jk" in other and other.replace("_jk", "", 1) == name and not math.isnan(_number(value))
                ]
                if jackknifed:
                    self.jackknifed_names[name] = jackknifed[0]
        cause = "both_missing" if len(missing) == 2 else "metric1_missing" if math.isnan(x) else "metric2_missing"
        self.dropped[cause] += 1
        example = (row.instance_id, row.summarizer_id)
        self.examples[cause] = min(self.examples.get(cause, example), example)

    def matrix(self) -> ScoreMatrix:
        if not self.cells:
            raise DataError(self._why_empty())
        systems = sorted({system for system, _ in self.cells})
        inputs = sorted({instance for _, instance in self.cells})
        row_of = {system: index for index, system in enumerate(systems)}
        column_of = {instance: index for index, instance in enumerate(inputs)}
        x = np.full((len(systems), len(inputs)), np.nan)
        z = np.full((len(systems), len(inputs)), np.nan)
        for (system, instance), scores in self.cells.items():
            cell = row_of[system], column_of[instance]
            x[cell], z[cell] = scores
        return ScoreMatrix(
            x, z, systems, inputs, dict(self.dropped), self.jackknifed_names, self.examples, self.missing_judgements
        )

    def _why_empty(self) -> str:
        whose = "" if self.summarizer_type == "all" else f" of type '{self.summarizer_type}'"
        first, second = self.names
        why = ("of another type", f"without '{first}'", f"without '{second}'", "without both")
        counts = ", ".join(f"{self.dropped[cause]} {reason}" for cause, reason in zip(CAUSES, why, strict=True))
        advice = "".join(f"; they have '{other}' instead of '{name}'" for name, other in self.jackknifed_names.items())
        examples = self._examples_without_the_other() if not advice else ""
        return f"no output{whose} has both '{first}' and '{second}'; left out: {counts}{advice}{examples}"

    def _examples_without_the_other(self) -> str:
        """Returns an output with each of the two scores if different outputs have them: their names differ."""
        has = [self.examples.get(cause) for cause in ("metric2_missing", "metric1_missing")]
        if None in has:
            return ""
        (input1, system1), (input2, system2) = (example for example in has if example)
        first, second = self.names
        return (
            f"; for example, '{system1}' on '{input1}' has only '{first}', and '{system2}' on '{input2}' only "
            f"'{second}'; ids and names of systems must be the same in all files"
        )


def _missing_in(value: Any) -> int:
    """Counts the missing numbers in a list of judgements."""
    return sum(number is None or math.isnan(number) for number in value) if isinstance(value, (list, tuple)) else 0


def _number(value: Any) -> float:
    """Turns a score into a number: a list into the mean of its defined numbers, a missing score into NaN."""
    if isinstance(value, (list, tuple)):
        present = [number for number in value if number is not None and not math.isnan(number)]
        # An exact sum does not depend on the order of the judges; a divided one does not overflow.
        try:
            return math.fsum(present) / len(present) if present else math.nan
        except OverflowError:
            return math.fsum(number / len(present) for number in present)
    return math.nan if value is None else float(value)
