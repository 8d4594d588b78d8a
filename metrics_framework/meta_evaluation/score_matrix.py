"""`ScoreMatrix`: the scores of two metrics as matrices, systems by inputs, and what was left out of them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from metrics_framework.common.errors import DataError, InputError, UnknownNameError
from metrics_framework.data.metrics_row import MetricsRow
from metrics_framework.meta_evaluation.coefficients import Floats
from metrics_framework.meta_evaluation.settings import SUMMARIZER_FILTERS

CAUSES = ("summarizer_type", "metric1_missing", "metric2_missing", "both_missing")


@dataclass(frozen=True)
class ScoreMatrix:
    """Holds the outputs that have both scores.

    Args:
        x: The first metric, shape (systems, inputs); NaN where there is no output with both scores.
        z: The second, of the same shape, NaN at the same places.
        systems: The ids of the rows, sorted as strings.
        inputs: The ids of the columns, sorted as strings.
        dropped: How many outputs were left out, by cause.
        examples: By cause, instance and summarizer of one output left out, the least by id.
        missing_judgements: How many numbers were missing in lists of judgements; means are over the others.
        jackknifed_names: By metric, the ``_jk`` score that outputs left out for lack of the metric have instead.
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
        """How many outputs have both scores."""
        return int((~np.isnan(self.x)).sum())

    def has_outputs_of(self, other: ScoreMatrix) -> bool:
        """Tells whether two matrices have scores of the same outputs."""
        same_ids = (self.systems, self.inputs) == (other.systems, other.inputs)
        return same_ids and bool((np.isnan(self.x) == np.isnan(other.x)).all())

    def system_means(self) -> tuple[Floats, Floats]:
        """Averages both scores over the inputs of every system; shapes (systems,)."""
        return np.nanmean(self.x, axis=1), np.nanmean(self.z, axis=1)


def score_matrix(
    rows: Iterable[MetricsRow],
    metric1: str,
    metric2: str,
    summarizer_type: str = "peer",
    hints: Mapping[str, str] | None = None,
) -> ScoreMatrix:
    """Takes two metrics out of rows of scores.

    Args:
        rows: The scores, one row an output; they are not changed.
        metric1: Flat name of the first metric.
        metric2: Flat name of the second.
        summarizer_type: Whose outputs to keep: ``all``, ``reference`` or ``peer``.
        hints: By name, why there is no metric of that name, for the error message.

    Raises:
        UnknownNameError: if a metric occurs in no row.
        InputError: if the type is not one of the three, or an output occurs twice.
        DataError: if no output has both scores.
    """
    if summarizer_type not in SUMMARIZER_FILTERS:
        raise InputError(f"'summarizer_type' must be one of {', '.join(SUMMARIZER_FILTERS)}, got '{summarizer_type}'")
    taken = _Taken(metric1, metric2)
    for row in rows:
        taken.take(row, summarizer_type)
    taken.check_names(hints or {})
    if not taken.cells:
        raise DataError(taken.nothing_left(summarizer_type))
    return taken.as_matrix()


class _Taken:
    """Gathers the cells of two metrics and counts what is left out."""

    def __init__(self, metric1: str, metric2: str) -> None:
        self.names = (metric1, metric2)
        self.known: set[str] = set()
        self.cells: dict[tuple[str, str], tuple[float, float]] = {}
        self.seen: set[tuple[str, str]] = set()
        self.dropped = Counter(dict.fromkeys(CAUSES, 0))
        self.jackknifed_names: dict[str, str] = {}
        self.examples: dict[str, tuple[str, str]] = {}
        self.missing_judgements = 0

    def take(self, row: MetricsRow, summarizer_type: str) -> None:
        flat = row.metrics.flatten()
        self.known.update(flat)
        place = (row.summarizer_id, row.instance_id)
        if place in self.seen:
            raise InputError(f"instance '{row.instance_id}' of summarizer '{row.summarizer_id}' occurs twice")
        self.seen.add(place)
        if summarizer_type not in ("all", row.summarizer_type):
            self.dropped["summarizer_type"] += 1
            return
        x, z = (_number(flat.get(name)) for name in self.names)
        if not math.isnan(x) and not math.isnan(z):
            self.cells[place] = (x, z)
            self.missing_judgements += sum(_missing(flat[name]) for name in self.names)
            return
        for name, value in zip(self.names, (x, z), strict=True):
            if math.isnan(value):
                self._look_for_jackknifed(name, flat)
        both = math.isnan(x) and math.isnan(z)
        cause = "both_missing" if both else "metric1_missing" if math.isnan(x) else "metric2_missing"
        self.dropped[cause] += 1
        example = (row.instance_id, row.summarizer_id)
        self.examples[cause] = min(self.examples.get(cause, example), example)

    def _look_for_jackknifed(self, name: str, flat: Mapping[str, Any]) -> None:
        if name not in self.jackknifed_names:
            found = [other for other in flat if "_jk" in other and other.replace("_jk", "", 1) == name]
            if found:
                self.jackknifed_names[name] = found[0]

    def check_names(self, hints: Mapping[str, str]) -> None:
        for name in self.names:
            if name not in self.known:
                raise UnknownNameError("metric", name, self.known, hints.get(name, ""))

    def nothing_left(self, summarizer_type: str) -> str:
        whose = "" if summarizer_type == "all" else f" of type '{summarizer_type}'"
        first, second = self.names
        why = ("of another type", f"without '{first}'", f"without '{second}'", "without both")
        counts = ", ".join(f"{self.dropped[cause]} {one}" for cause, one in zip(CAUSES, why, strict=True))
        advice = "".join(f"; they have '{other}' instead of '{name}'" for name, other in self.jackknifed_names.items())
        return f"no output{whose} has both '{first}' and '{second}': left out are {counts}{advice}"

    def as_matrix(self) -> ScoreMatrix:
        systems = sorted({system for system, _ in self.cells})
        inputs = sorted({instance for _, instance in self.cells})
        row_of = {system: number for number, system in enumerate(systems)}
        column_of = {instance: number for number, instance in enumerate(inputs)}
        x = np.full((len(systems), len(inputs)), np.nan)
        z = np.full((len(systems), len(inputs)), np.nan)
        for (system, instance), (one, other) in self.cells.items():
            place = row_of[system], column_of[instance]
            x[place], z[place] = one, other
        return ScoreMatrix(
            x, z, systems, inputs, dict(self.dropped), self.jackknifed_names, self.examples, self.missing_judgements
        )


def _missing(value: Any) -> int:
    """Counts what is missing in a list of judgements."""
    return sum(one is None or math.isnan(one) for one in value) if isinstance(value, (list, tuple)) else 0


def _number(value: Any) -> float:
    """Turns a score into a number: a list into the mean of what is there, what is missing into NaN."""
    if isinstance(value, (list, tuple)):
        present = [one for one in value if one is not None and not math.isnan(one)]
        # An exact sum does not depend on the order of the judges.
        return math.fsum(present) / len(present) if present else math.nan
    return math.nan if value is None else float(value)
