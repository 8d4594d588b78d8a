"""Scores as matrices of systems × inputs: all requested scores in one pass over the rows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from metrics_framework.common.errors import DataError, InputError, UnknownNameError
from metrics_framework.data.metrics_dict import MetricsDict
from metrics_framework.data.metrics_row import MetricsRow
from metrics_framework.meta_evaluation.scores.components import Components
from metrics_framework.meta_evaluation.scores.score_matrix import ScoreMatrix
from metrics_framework.meta_evaluation.settings import SUMMARIZER_FILTERS
from metrics_framework.significance.arrays import Bools, Floats

CAUSES = ("summarizer_type", "metric1_missing", "metric2_missing", "both_missing")
"""Why an output has no cell in the matrix of two scores."""


@dataclass(frozen=True)
class ScoreColumns:
    """The outputs of one type with several scores; rows and columns are sorted by their ids.

    Args:
        systems: The ids of the rows, sorted as strings.
        inputs: The ids of the columns, sorted as strings.
        present: Whether there is an output, shape (systems, inputs).
        scores: Name to scores, shape (systems, inputs); NaN where missing.
        summarizer_type: Which outputs are included: ``all``, ``reference`` or ``peer``.
        other_types: The number of outputs of other types.
        jackknifed_names: Name to the ``_jk`` score that outputs without the score have instead.
        missing_judgements: Name to the number of judgements missing from lists, shape (systems, inputs); only of scores
            that have such lists.
    """

    systems: Sequence[str]
    inputs: Sequence[str]
    present: Bools
    scores: Mapping[str, Floats]
    summarizer_type: str
    other_types: int
    jackknifed_names: Mapping[str, str]
    missing_judgements: Mapping[str, Floats]

    def cells(self, names: Iterable[str]) -> Bools:
        """Returns which outputs have all of the scores, shape (systems, inputs)."""
        cells: Bools = self.present.copy()
        for name in names:
            cells &= ~np.isnan(self.scores[name])
        return cells

    def plus(self, name: str, scores: Mapping[tuple[str, str], float]) -> ScoreColumns:
        """Returns these columns and another score.

        Args:
            name: Its name; it replaces a score of that name.
            scores: Instance and summarizer to score; outputs that are not present are ignored.
        """
        added = np.full(self.present.shape, np.nan)
        for row, system in enumerate(self.systems):
            for column, instance in enumerate(self.inputs):
                if self.present[row, column]:
                    added[row, column] = scores.get((instance, system), np.nan)
        missing = {other: counts for other, counts in self.missing_judgements.items() if other != name}
        return replace(self, scores={**self.scores, name: added}, missing_judgements=missing)

    def restricted(self, cells: Bools) -> ScoreColumns:
        """Returns only some of the outputs, without systems and inputs that have none.

        Args:
            cells: The outputs to keep, shape (systems, inputs).
        """
        present = self.present & cells
        rows, columns = np.flatnonzero(present.any(axis=1)), np.flatnonzero(present.any(axis=0))
        kept = np.ix_(rows, columns)
        return replace(
            self,
            systems=[self.systems[row] for row in rows.tolist()],
            inputs=[self.inputs[column] for column in columns.tolist()],
            present=present[kept],
            scores={name: np.where(present, scores, np.nan)[kept] for name, scores in self.scores.items()},
            missing_judgements={name: (counts * present)[kept] for name, counts in self.missing_judgements.items()},
        )

    def matrix(self, metric1: str, metric2: str) -> ScoreMatrix:
        """Returns the outputs that have two scores, and counts the outputs left out.

        Raises:
            DataError: if there are none.
        """
        x, z = self.scores[metric1], self.scores[metric2]
        left_out = self._left_out(x, z)
        dropped = {
            "summarizer_type": self.other_types,
            **{cause: int(cells.sum()) for cause, cells in left_out.items()},
        }
        examples = {cause: self._first(cells) for cause, cells in left_out.items() if cells.any()}
        jackknifed = {name: self.jackknifed_names[name] for name in (metric1, metric2) if name in self.jackknifed_names}
        cells = self.cells((metric1, metric2))
        if not cells.any():
            raise DataError(self._why_empty((metric1, metric2), dropped, jackknifed, examples))
        rows, columns = np.flatnonzero(cells.any(axis=1)), np.flatnonzero(cells.any(axis=0))
        kept = np.ix_(rows, columns)
        return ScoreMatrix(
            x=np.where(cells, x, np.nan)[kept],
            z=np.where(cells, z, np.nan)[kept],
            systems=[self.systems[row] for row in rows.tolist()],
            inputs=[self.inputs[column] for column in columns.tolist()],
            dropped=dropped,
            jackknifed_names=jackknifed,
            examples=examples,
            missing_judgements=sum(
                int(self.missing_judgements[name][cells].sum())
                for name in (metric1, metric2)
                if name in self.missing_judgements
            ),
        )

    def _left_out(self, x: Floats, z: Floats) -> dict[str, Bools]:
        without_x, without_z = self.present & np.isnan(x), self.present & np.isnan(z)
        return {
            "metric1_missing": without_x & ~without_z,
            "metric2_missing": without_z & ~without_x,
            "both_missing": without_x & without_z,
        }

    def _first(self, cells: Bools) -> tuple[str, str]:
        """Returns the ids of the first output among cells: the first input, then the first system."""
        column = int(cells.any(axis=0).argmax())
        return self.inputs[column], self.systems[int(cells[:, column].argmax())]

    def _why_empty(
        self,
        names: tuple[str, str],
        dropped: Mapping[str, int],
        jackknifed: Mapping[str, str],
        examples: Mapping[str, tuple[str, str]],
    ) -> str:
        whose = "" if self.summarizer_type == "all" else f" of type '{self.summarizer_type}'"
        first, second = names
        why = ("of another type", f"without '{first}'", f"without '{second}'", "without both")
        counts = ", ".join(f"{dropped[cause]} {reason}" for cause, reason in zip(CAUSES, why, strict=True))
        advice = "".join(f"; they have '{other}' instead of '{name}'" for name, other in jackknifed.items())
        alone = _examples_without_the_other(names, examples) if not advice else ""
        return f"no output{whose} has both '{first}' and '{second}'; left out: {counts}{advice}{alone}"


def _examples_without_the_other(names: tuple[str, str], examples: Mapping[str, tuple[str, str]]) -> str:
    """Returns an output with each of the two scores if different outputs have them: their names differ."""
    has = [examples.get(cause) for cause in ("metric2_missing", "metric1_missing")]
    if None in has:
        return ""
    (input1, system1), (input2, system2) = (example for example in has if example)
    return (
        f"; for example, '{system1}' on '{input1}' has only '{names[0]}', and '{system2}' on '{input2}' only "
        f"'{names[1]}'; ids and names of systems must be the same in all files"
    )


def score_columns(
    rows: Iterable[MetricsRow],
    names: Sequence[str],
    summarizer_type: str = "peer",
    hints: Mapping[str, str] | None = None,
    signatures: Iterable[str] = (),
) -> ScoreColumns:
    """Selects scores from rows.

    Args:
        rows: The scores, one row per output; they are not changed.
        names: The flat names of the scores.
        summarizer_type: Which outputs to include: ``all``, ``reference`` or ``peer``.
        hints: Name to why it is not a metric, for the error message.
        signatures: The labels of the metrics that have signatures.

    Raises:
        UnknownNameError: if a score appears in no row.
        UsageError: if a score is a list of different numbers, such as ``bleu_precisions``.
        InputError: if the type is unknown, or an output appears twice.
    """
    if summarizer_type not in SUMMARIZER_FILTERS:
        raise InputError(f"'summarizer_type' must be one of {', '.join(SUMMARIZER_FILTERS)}, got '{summarizer_type}'")
    selection = _Selection(dict.fromkeys(names), summarizer_type, Components(signatures))
    for row in rows:
        selection.add(row)
    for name in selection.names:
        if name not in selection.known:
            raise UnknownNameError("metric", name, selection.known, (hints or {}).get(name, ""))
    return selection.columns()


class _Selection:
    """The requested scores of rows, and what is needed to describe the outputs without them.

    Args:
        names: The flat names of the scores.
        summarizer_type: Which outputs to include.
        components: Finds the numbers of lists.
    """

    def __init__(self, names: Iterable[str], summarizer_type: str, components: Components) -> None:
        self.names = [*names]
        self.known: set[str] = set()
        self._components = components
        self._summarizer_type = summarizer_type
        self._seen: set[str] = set()  # the known names, with lists under their own names
        self._all_outputs: set[tuple[str, str]] = set()
        self._outputs: list[tuple[str, str]] = []
        self._values: list[list[float]] = []
        self._jackknifed: dict[str, str] = {}
        self._missing: dict[str, dict[tuple[str, str], int]] = {}

    def add(self, row: MetricsRow) -> None:
        nested = any(isinstance(value, MetricsDict) for value in row.metrics.values())
        scores = row.metrics.flatten() if nested else row.metrics
        for name in scores.keys() - self._seen:
            self.known.update(self._components.names(name, scores[name]) or [name])
        self._seen.update(scores)
        output = (row.summarizer_id, row.instance_id)
        if output in self._all_outputs:
            raise InputError(f"instance '{row.instance_id}' of summarizer '{row.summarizer_id}' appears twice")
        self._all_outputs.add(output)
        if self._summarizer_type in ("all", row.summarizer_type):
            self._outputs.append(output)
            self._values.append([self._number(scores, name, output) for name in self.names])

    def _number(self, scores: Mapping[str, Any], name: str, output: tuple[str, str]) -> float:
        value = self._components.value(scores, name)
        number = number_of(value)
        if math.isnan(number):
            self._find_jackknifed(scores, name)
        elif missing := _missing_in(value):
            self._missing.setdefault(name, {})[output] = missing
        return number

    def _find_jackknifed(self, scores: Mapping[str, Any], name: str) -> None:
        for other, value in scores.items():
            if "_jk" in other and other.replace("_jk", "", 1) == name and not math.isnan(number_of(value)):
                self._jackknifed[name] = min(other, self._jackknifed.get(name, other))

    def columns(self) -> ScoreColumns:
        systems = sorted({system for system, _ in self._outputs})
        inputs = sorted({instance for _, instance in self._outputs})
        row_of = {system: index for index, system in enumerate(systems)}
        column_of = {instance: index for index, instance in enumerate(inputs)}
        cells = np.array([row_of[s] * len(inputs) + column_of[i] for s, i in self._outputs], dtype=np.intp)
        shape = len(systems), len(inputs)
        present = np.zeros(shape, dtype=np.bool_)
        present.flat[cells] = True
        values = np.array(self._values, dtype=np.float64).reshape(len(cells), len(self.names))
        scores = {}
        for index, name in enumerate(self.names):
            scores[name] = np.full(shape, np.nan)
            scores[name].flat[cells] = values[:, index]
        missing = {name: np.zeros(shape) for name in self._missing}
        for name, counts in self._missing.items():
            for (system, instance), count in counts.items():
                missing[name][row_of[system], column_of[instance]] = count
        other_types = len(self._all_outputs) - len(self._outputs)
        return ScoreColumns(
            systems, inputs, present, scores, self._summarizer_type, other_types, self._jackknifed, missing
        )


def _missing_in(value: Any) -> int:
    """Counts the missing numbers in a list of judgements."""
    return sum(number is None or math.isnan(number) for number in value) if isinstance(value, (list, tuple)) else 0


def number_of(value: Any) -> float:
    """Turns a score into a number: a list into the mean of its defined numbers, a missing score into NaN."""
    if isinstance(value, (list, tuple)):
        present = [number for number in value if number is not None and not math.isnan(number)]
        # An exact sum does not depend on the order of the judges; a divided one does not overflow.
        try:
            return math.fsum(present) / len(present) if present else math.nan
        except OverflowError:
            return math.fsum(number / len(present) for number in present)
    return math.nan if value is None else float(value)
