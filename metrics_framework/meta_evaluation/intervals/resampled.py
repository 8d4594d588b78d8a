"""Coefficients of many resamples: each resample is a vector of weights of systems, of inputs, or of both."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TypeAlias, cast

import numpy as np

from metrics_framework.common.errors import InputError
from metrics_framework.meta_evaluation.coefficients.calibration import calibrate
from metrics_framework.meta_evaluation.coefficients.checks import checked_coefficient, checked_pair
from metrics_framework.meta_evaluation.coefficients.system_means import weighted_system_means
from metrics_framework.meta_evaluation.coefficients.weighted_cells import Cells, cellwise
from metrics_framework.meta_evaluation.coefficients.weighted_coefficients import columnwise, rowwise
from metrics_framework.meta_evaluation.coefficients.weighted_differences import (
    weighted_normal_spa,
    weighted_pdp,
    weighted_spa,
)
from metrics_framework.meta_evaluation.coefficients.weighted_pairs import PAIRS_THAT_COUNT
from metrics_framework.meta_evaluation.names import Level
from metrics_framework.significance.arrays import Floats

Weights: TypeAlias = "Floats | None"

SPECIAL: Mapping[str, Callable[[Floats, Floats, Floats, Floats], Floats]] = {
    "pdp": weighted_pdp,
    "spa": weighted_spa,
    "spa:normal": weighted_normal_spa,
}
"""Coefficients that are not correlations of groups."""


def resampled(
    human: Floats,
    metric: Floats,
    name: str,
    *,
    level: str,
    rows: Weights,
    columns: Weights,
    epsilon: float = 0.0,
) -> Floats:
    """Computes a coefficient in every resample.

    A system of weight 2 is in the resample twice, with the same scores; one of weight 0 is not in it. The ε of
    ``acc-eq`` is calibrated once, on all data.

    Args:
        human: The human scores, shape (systems, inputs); NaN where missing.
        metric: The scores of the metric, of the same shape.
        name: A name of `COEFFICIENTS`.
        level: A name of `LEVELS`.
        rows: The weights of systems, integers of shape (resamples, systems); `None` if all systems are kept.
        columns: The weights of inputs, integers of shape (resamples, inputs); `None` if all inputs are kept.
        epsilon: The largest difference of tied scores; for ``kendall-like`` the least human difference that counts.

    Returns:
        Shape (resamples,); NaN where undefined.

    Raises:
        InputError: if a name is unknown, shapes differ, or both weights are `None`.
    """
    checked, at = checked_coefficient(name, level, epsilon)
    scores = ResampledScores(human, metric, {checked: epsilon})
    return scores.values(at, [checked], rows, columns)[checked]


class ResampledScores:
    """Human scores and those of a metric, with all that resamples share: the cells and their order.

    Args:
        human: The human scores, shape (systems, inputs); NaN where missing.
        metric: The scores of the metric, of the same shape.
        epsilons: Coefficient to the largest difference of tied scores; 0 for others.

    Raises:
        InputError: if the shapes differ or are not those of matrices.
    """

    def __init__(self, human: Floats, metric: Floats, epsilons: Mapping[str, float] | None = None) -> None:
        self.human, self.metric = checked_pair(human, metric)
        self._epsilons = dict(epsilons or {})
        self._calibrated: dict[str, float] = {}

    @cached_property
    def _cells(self) -> Cells:
        return Cells(self.human, self.metric)

    def points(self, level: str) -> int:
        """Returns the number of points that are correlated: systems, inputs (``within-system``) or cells."""
        present = ~np.isnan(self.human)
        if level == "global":
            return int(present.sum())
        return int(present.any(axis=0 if level == "within-system" else 1).sum())

    def values(self, level: str, names: Sequence[str], rows: Weights, columns: Weights) -> dict[str, Floats]:
        """Computes coefficients at one level in every resample; see `resampled`.

        Args:
            level: The level.
            names: The coefficients.
            rows: The weights of systems.
            columns: The weights of inputs.

        Returns:
            Coefficient to values of shape (resamples,).
        """
        if rows is None and columns is None:
            raise InputError("'rows' or 'columns' must be an array of weights, got None for both")
        by_epsilon: dict[float, list[str]] = {}
        for name in names:
            by_epsilon.setdefault(self._epsilon(name, level), []).append(name)
        values = {}
        for epsilon, alike in by_epsilon.items():
            values.update(self._of_epsilon(level, alike, rows, columns, epsilon))
        return {name: values[name] for name in names}

    def _epsilon(self, name: str, level: str) -> float:
        if name != "acc-eq":
            return self._epsilons.get(name, 0.0)
        if level not in self._calibrated:
            epsilon = calibrate(self.human, self.metric, level=cast("Level", level)).epsilon
            self._calibrated[level] = 0.0 if math.isnan(epsilon) else epsilon
        return self._calibrated[level]

    def _of_epsilon(
        self, level: str, names: Sequence[str], rows: Weights, columns: Weights, epsilon: float
    ) -> dict[str, Floats]:
        special = {name: self._special(name, rows, columns) for name in names if name in SPECIAL}
        others = [name for name in names if name not in SPECIAL]
        if level == "input":
            values = _grouped(self.human, self.metric, others, rows, columns, epsilon)
        elif level == "within-system":
            values = _grouped(self.human.T, self.metric.T, others, columns, rows, epsilon)
        elif level == "system":
            values = self._system_level(others, rows, columns, epsilon)
        else:
            values = cellwise(self._cells, *filled(rows, columns, self.human.shape), others, epsilon)
        return {**special, **values}

    def _special(self, name: str, rows: Weights, columns: Weights) -> Floats:
        return SPECIAL[name](self.human, self.metric, *filled(rows, columns, self.human.shape))

    def _system_level(self, names: Sequence[str], rows: Weights, columns: Weights, epsilon: float) -> dict[str, Floats]:
        """Correlates the means of the systems; a system without outputs for the drawn inputs is left out."""
        if not names:
            return {}
        if columns is None:
            ones = np.ones((1, self.human.shape[1]))
            human, metric = (weighted_system_means(scores, ones).T for scores in (self.human, self.metric))
            values = columnwise(human, metric, filled(rows, None, self.human.shape)[0], names, epsilon)
            return {name: of_column[:, 0] for name, of_column in values.items()}
        human, metric = (weighted_system_means(scores, columns) for scores in (self.human, self.metric))
        return rowwise(human, metric, filled(rows, columns, self.human.shape)[0], names, epsilon)


def filled(rows: Weights, columns: Weights, shape: tuple[int, ...]) -> tuple[Floats, Floats]:
    """Returns the weights of rows and columns, 1 where all are kept."""
    count = next(len(weights) for weights in (rows, columns) if weights is not None)
    return (
        np.ones((count, shape[0])) if rows is None else rows,
        np.ones((count, shape[1])) if columns is None else columns,
    )


def _grouped(
    human: Floats, metric: Floats, names: Sequence[str], rows: Weights, columns: Weights, epsilon: float
) -> dict[str, Floats]:
    """Averages correlations over the drawn columns; if all rows are kept, each column is correlated once."""
    if not names:
        return {}
    kept = np.ones((1, len(human))) if rows is None else rows
    extra = [PAIRS_THAT_COUNT] if "kendall-like" in names else []
    groups = columnwise(human, metric, kept, [*names, *extra], epsilon)
    return {
        name: _weighted_mean(values, groups[PAIRS_THAT_COUNT] if name == "kendall-like" else None, rows, columns)
        for name, values in groups.items()
        if name != PAIRS_THAT_COUNT
    }


def _weighted_mean(values: Floats, importance: Floats | None, rows: Weights, columns: Weights) -> Floats:
    """Averages the defined values of the drawn columns, shape (resamples or 1, columns), by their importance."""
    defined = ~np.isnan(values) * (1 if importance is None else importance)
    weighted = np.where(defined > 0, values, 0) * defined
    if columns is None:
        sums, counts = weighted.sum(axis=1), defined.sum(axis=1)
    elif rows is None:
        sums, counts = columns @ weighted[0], columns @ defined[0]
    else:
        sums, counts = (columns * weighted).sum(axis=1), (columns * defined).sum(axis=1)
    means: Floats = np.where(counts > 0, sums / np.where(counts > 0, counts, 1), np.nan)
    return means
