"""Correlations within slices of the data, such as the types of systems, and how they differ from the pooled ones."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from metrics_framework.common.arrays import Bools
from metrics_framework.common.errors import DataError, InputError, UsageError
from metrics_framework.meta_evaluation.correlate.data import Provenance
from metrics_framework.meta_evaluation.correlate.metric_pairs import correlate_pair
from metrics_framework.meta_evaluation.correlate.request import CorrelateRequest
from metrics_framework.meta_evaluation.correlate.result import Correlation
from metrics_framework.meta_evaluation.levels import Level
from metrics_framework.meta_evaluation.scores.score_columns import ScoreColumns

MAX_SLICES = 100
"""A column with more values is no partition of the data, but a text or a number."""


@dataclass(frozen=True)
class Slice:
    """The outputs with one value of a column.

    Args:
        column: The column.
        value: Its value.
        correlations: The correlations of these outputs; pairs of scores without outputs are left out.
        data_set: The data set of the outputs; empty if there is only one.
    """

    column: str
    value: str
    correlations: Sequence[Correlation]
    data_set: str = ""

    def as_json(self) -> dict[str, Any]:
        """Returns the slice as it appears in the JSON file."""
        correlations = [correlation.as_json(sacrerouge=False) for correlation in self.correlations]
        where = {"data_set": self.data_set} if self.data_set else {}
        return {**where, "column": self.column, "value": self.value, "correlations": correlations}


@dataclass(frozen=True)
class SliceChange:
    """How the mean of a coefficient over slices differs from its pooled value.

    A change of sign or size shows that slices differ in their means (Simpson's paradox), not only in their outputs.

    Args:
        column: The column.
        metric1: The first score.
        metric2: The second.
        level: The level.
        coefficient: The coefficient.
        pooled: The value over all outputs.
        mean_of_slices: The mean of the values of the slices where it is defined; each slice counts once.
        slices: The number of these slices.
        data_set: The data set of the outputs; empty if there is only one.
    """

    column: str
    metric1: str
    metric2: str
    level: Level
    coefficient: str
    pooled: float
    mean_of_slices: float
    slices: int
    data_set: str = ""

    @property
    def change(self) -> float:
        """The mean of slices minus the pooled value."""
        return self.mean_of_slices - self.pooled

    def as_json(self) -> dict[str, Any]:
        """Returns the change as it appears in the JSON file."""
        names = ("column", "metric1", "metric2", "level", "coefficient", "pooled", "mean_of_slices", "change", "slices")
        where = {"data_set": self.data_set} if self.data_set else {}
        return {**where, **{name: getattr(self, name) for name in names}}


def cells_by_label(
    columns: ScoreColumns, name: str, labels: Mapping[tuple[str, str], str], most: int = MAX_SLICES
) -> dict[str, Bools]:
    """Returns the outputs with each label, shape (systems, inputs), sorted by label.

    Args:
        columns: The scores.
        name: The column, for the error message.
        labels: Instance and summarizer to label; outputs without one are in no slice.
        most: The largest number of labels.

    Raises:
        UsageError: if there are more labels, or no output has one.
    """
    cells: dict[str, Bools] = {}
    for row, system in enumerate(columns.systems):
        for column, instance in enumerate(columns.inputs):
            label = labels.get((instance, system))
            if label is not None and columns.present[row, column]:
                if label not in cells:
                    cells[label] = np.zeros(columns.present.shape, dtype=np.bool_)
                cells[label][row, column] = True
    if not cells:
        raise UsageError(f"no output has a value in the column '{name}'")
    if len(cells) > most:
        raise UsageError(f"the column '{name}' has {len(cells)} different values; use one with at most {most}")
    return dict(sorted(cells.items()))


def correlate_slices(
    columns: ScoreColumns,
    request: CorrelateRequest,
    provenance: Provenance,
    column: str,
    labels: Mapping[tuple[str, str], str],
    data_set: str = "",
) -> list[Slice]:
    """Correlates each pair of scores within each slice: the same request on fewer outputs.

    Args:
        columns: The scores.
        request: What to compute.
        provenance: What is known about the scores.
        column: The column of the slices.
        labels: Instance and summarizer to slice.
        data_set: The data set of the scores.

    Raises:
        UsageError: if the column has too many values, or none.
        InputError: if an option cannot be applied to a slice.
    """
    slices = []
    for value, cells in cells_by_label(columns, column, labels).items():
        part = columns.restricted(cells)
        correlations = []
        for pair in request.pairs:
            try:
                correlations.append(correlate_pair(part, pair, request, provenance, data_set))
            except DataError:  # no output of the slice has both scores
                continue
            except InputError as error:
                raise InputError(f"{error}, in the slice '{value}' of '{column}'") from None
        slices.append(Slice(column, value, correlations, data_set))
    return slices


def slice_changes(correlations: Sequence[Correlation], slices: Sequence[Slice]) -> list[SliceChange]:
    """Compares pooled coefficients with their means over the slices of one column."""
    changes = []
    for pooled in correlations:
        of_pair = [
            found
            for one in slices
            for found in one.correlations
            if (found.metric1, found.metric2) == (pooled.metric1, pooled.metric2)
        ]
        for level, result in pooled.levels.items():
            for name, estimate in result.estimates.items():
                values = [found.levels[level].estimates[name].value for found in of_pair]
                defined = [value for value in values if not math.isnan(value)]
                mean = math.fsum(defined) / len(defined) if defined else math.nan
                where = slices[0].column, pooled.metric1, pooled.metric2, level, name
                changes.append(SliceChange(*where, estimate.value, mean, len(defined), pooled.data_set))
    return changes
